# SPDX-License-Identifier: Apache-2.0
"""Calls of the generated header for one object each, with the type of its messages and the tasks that may use it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from takt.declare.schema.model import System

_OBJECT = "takti_object"  # in place of a name
OBJECT_MAX = 1 << 24  # bytes of all that one object holds, on any board; as of [[shared]] and a process's memory


@dataclass(frozen=True)
class Size:
    """The key with the bytes of a message; a type may be given instead.

    `words`: messages whose size is a multiple of 4 are copied by words, wherever the caller has them. `uncopied`: the
    caller works in the kernel's storage, which is aligned to 8.
    """

    key: str
    limit: int
    words: bool = False
    uncopied: bool = False


@dataclass(frozen=True)
class Call:
    """`NAME_verb(parameters)`. The texts are filled in from `item`, the object, and `type`, of its messages or void.

    `typed`: only with a type. `buffer`: the kernel gives an address, which becomes `*message`. `body`: its statements,
    instead of the call.
    """

    verb: str
    parameters: str
    call: str = ""
    returns: str = "enum takt_status"
    require: str = ""
    typed: bool = True
    buffer: bool = False
    body: Callable[[Any, System], Iterator[str]] | None = None

    def name(self, item: Any) -> str:
        return f"{item.name}_{self.verb}"

    def text(self, item: Any, system: System) -> Iterator[str]:
        """Its definition. A parameter that the object's name would be hidden by has another name."""
        names = {part.split()[-1].lstrip("*") for part in self.parameters.split(",")} | {"room", "status"}
        if item.name not in names:
            yield from self._text(item, system)
            return
        for line in self._text(replace(item, name=_OBJECT), system):
            yield re.sub(rf"(?<!struct )(?<!union )\b{item.name}\b", f"{item.name}_", line).replace(_OBJECT, item.name)

    def _text(self, item: Any, system: System) -> Iterator[str]:
        message = getattr(item, "type", None) or "void"
        returns, parameters, call = (
            text.format(item=item, type=message) for text in (self.returns, self.parameters, self.call)
        )
        star = "" if returns.endswith("*") else " "
        must_use = "TAKT_MUST_USE " if returns == "enum takt_status" else ""
        yield f"{must_use}static inline {returns}{star}{self.name(item)}({parameters})\n{{"
        if self.require:
            yield f"    TAKT_ASSERT({self.require.format(item=item)});"
        if self.body is not None:
            yield from (f"    {statement}" for statement in self.body(item, system))
        elif self.buffer:
            yield f"    void *room;\n    {returns} status = {call};"
            yield f"    if (status == TAKT_OK) {{\n        *message = ({item.type} *)room;\n    }}\n    return status;"
        else:
            yield f"    {'' if returns == 'void' else 'return '}{call};"
        yield "}"


def waits(kind: str, verb: str, parameters: str, arguments: str, buffer: bool = False) -> list[Call]:
    """A call that waits, with a time limit, and without waiting."""
    forms = ((verb, "", ""), (f"{verb}_until", ", uint64_t until_ns", ", until_ns"), (f"try_{verb}", "", ""))
    return [
        Call(form, parameters + more, f"takt_{kind}_{form}(&{{item.name}}, {arguments}{limit})", buffer=buffer)
        for form, more, limit in forms
    ]


IN, OUT, BUFFER = "const {item.type} *message", "{item.type} *message", "{item.type} **message"


def of(calls: tuple[Call, ...], item: Any) -> Iterator[Call]:
    """The calls that an object has."""
    return (call for call in calls if not call.typed or item.type is not None)


def size(kind: str, how: Size, item: Any) -> Iterator[str]:
    """SIZE_NAME, and assertions on the type of the messages."""
    declared, where = getattr(item, how.key), f"[[{kind}]] {item.name} in system.toml"
    yield f"#define SIZE_{item.name} {f'sizeof({item.type})' if declared is None else f'{declared}u'}"
    if item.type is None:
        return
    if declared is None:
        yield f'_Static_assert(sizeof({item.type}) <= {how.limit}, "type of {where}: at most {how.limit} bytes");'
    else:
        yield f'_Static_assert(sizeof({item.type}) == {declared}, "{how.key} of {where} is not that of its type");'
    number = next((key for key in ("capacity", "count", "copies") if getattr(item, key, 0)), None)
    if number is not None:
        most = f"(uint64_t)sizeof({item.type}) * {getattr(item, number)} <= {OBJECT_MAX}"
        yield f'_Static_assert({most}, "{number} of {where} times the size of its type: {OBJECT_MAX} bytes at most");'
    if how.words:
        aligned = f"sizeof({item.type}) % 4 != 0 || _Alignof({item.type}) % 4 == 0"
        yield f'_Static_assert({aligned}, "type of {where}: a type of this size must be aligned to 4");'
    if how.uncopied:
        yield f'_Static_assert(_Alignof({item.type}) <= 8, "type of {where}: aligned to 8 at most");'
