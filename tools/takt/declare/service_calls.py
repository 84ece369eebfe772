# SPDX-License-Identifier: Apache-2.0
"""Calls of the generated header for one object each, with the type of its messages and the tasks that may use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.model import State, System
from takt.declare.schema.objects import OBJECT_MAX


@dataclass(frozen=True)
class Size:
    """The key with the bytes of a message; a type may be given instead.

    `words`: messages whose size is a multiple of 4 are copied by words, wherever the caller has them. `in_place`: the
    caller works in the kernel's storage, which is aligned to 8.
    """

    key: str
    limit: int
    words: bool = False
    in_place: bool = False


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
        """Its definition."""
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


def _waits(kind: str, verb: str, parameters: str, arguments: str, buffer: bool = False) -> list[Call]:
    """A call that waits, with a time limit, and without waiting."""
    forms = ((verb, "", ""), (f"{verb}_until", ", uint64_t until_ns", ", until_ns"), (f"try_{verb}", "", ""))
    return [
        Call(form, parameters + more, f"takt_{kind}_{form}(&{{item.name}}, {arguments}{limit})", buffer=buffer)
        for form, more, limit in forms
    ]


_IN, _OUT, _BUFFER = "const {item.type} *message", "{item.type} *message", "{item.type} **message"

MAILBOX = (*_waits("mailbox", "send", _IN, "message"), *_waits("mailbox", "receive", _OUT, "message"))


COUNTER = "takti_overtaken_"


def overtaken(item: State) -> str:
    """The C variable that counts reads of a state message that were overtaken."""
    return f"{COUNTER}{item.name}"


def _running(system: System, names: tuple[str, ...]) -> str | None:
    """Whether one of these runs, in C; None: one is an interrupt, which does not show. Before the start none runs."""
    tasks = {task.name for task in system.tasks}
    if not tasks.issuperset(names):
        return None
    return " || ".join(f"takt_task_running() == {task}" for task in (*(f"TASK_{name}" for name in names), "NULL"))


def _write(item: State, system: System) -> Iterator[str]:
    running = _running(system, (item.writer,))
    if item.readers and running is not None and not system.protection:
        yield f"TAKT_ASSERT({running}); /* writer in system.toml */"
    yield f"takt_state_write(&{item.name}, message, SIZE_{item.name});"


def _copy(item: State, locked: bool, system: System) -> str:
    if locked and system.protection:
        return f"takt_state_read_locked(TAKTI_STATE({item.name}), message, SIZE_{item.name})"
    return f"takt_state_read{'_locked' if locked else ''}(&{item.name}, message, SIZE_{item.name})"


def _read(item: State, system: System) -> Iterator[str]:
    """A slow reader's copy is locked. Where one is an interrupt, or all are slow, every copy is."""
    running = _running(system, tuple(reader.task for reader in item.readers))
    if item.readers and running is not None and not system.protection:
        yield f"TAKT_ASSERT({running}); /* readers in system.toml */"
    if not item.slow or len(item.slow) == len(item.readers) or _running(system, item.slow) is None:
        yield f"return takti_state_seen({_copy(item, bool(item.slow), system)}, &{overtaken(item)});"
        return
    yield f"return takti_state_seen({' || '.join(f'takt_task_running() == TASK_{name}' for name in item.slow)}"
    yield f"                            ? {_copy(item, True, system)}"
    yield f"                            : {_copy(item, False, system)},"
    yield f"                        &{overtaken(item)});"


def _read_locked(item: State, system: System) -> Iterator[str]:
    yield f"return takti_state_seen({_copy(item, True, system)}, &{overtaken(item)});"


_STATE_IN, _STATE_OUT = "const {type} *message", "{type} *message"

STATE = (
    Call("write", _STATE_IN, returns="void", typed=False, body=_write),
    Call("read", _STATE_OUT, typed=False, body=_read),
    Call("read_locked", _STATE_OUT, typed=False, body=_read_locked),
)

# Only an overtaken read stores, so that no other, which it interrupted, undoes its count.
STATE_SEEN = """static inline enum takt_status takti_state_seen(enum takt_status status, uint32_t *overtaken)
{
    if (status == TAKT_OVERTAKEN) {
        ++*overtaken;
    }
    return status;
}"""

RING = (
    Call("put", _IN, "takt_ring_put(&{item.name}, message, sizeof *message)"),
    Call("get", _OUT, "takt_ring_get(&{item.name}, message, sizeof *message)"),
)

SLOT = (
    Call(
        "allocate",
        "void",
        "takt_slot_allocate(&{item.name})",
        require="takt_task_running() == TASK_{item.owner}",
        typed=False,
    ),
    *_waits("slot", "reserve", f"uint32_t priority, {_BUFFER}", "priority, &room", buffer=True),
    Call("commit", _OUT, "takt_slot_commit(&{item.name}, message)", returns="void"),
    *_waits("slot", "take", _BUFFER, "&room", buffer=True),
    Call("release", _OUT, "takt_slot_release(&{item.name}, message)", returns="unsigned"),
)

SIGNAL_POOL = (
    Call(
        "data",
        "const struct takt_signal *signal",
        "({item.type} *)takt_signal_data(signal)",
        returns="{item.type} *",
        require="signal->pool == &{item.name}",
    ),
)

PRIORITY_MAILBOX = (
    *_waits("priority_mailbox", "send", f"{_IN}, uint32_t priority", "message, priority"),
    *_waits("priority_mailbox", "send_urgent", _IN, "message"),
    *_waits("priority_mailbox", "receive", _OUT, "message"),
    Call("broadcast", _IN, "takt_priority_mailbox_broadcast(&{item.name}, message)", returns="unsigned"),
)

CONDITION = (
    Call("wait", "void", "takt_condition_wait(&{item.name}, &{item.mutex})", typed=False),
    Call(
        "wait_until",
        "uint64_t until_ns",
        "takt_condition_wait_until(&{item.name}, &{item.mutex}, until_ns)",
        typed=False,
    ),
)


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
    if how.in_place:
        yield f'_Static_assert(_Alignof({item.type}) <= 8, "type of {where}: aligned to 8 at most");'
