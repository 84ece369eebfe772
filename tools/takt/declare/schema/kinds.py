# SPDX-License-Identifier: Apache-2.0
"""Kinds of values in system.toml. Each reads one TOML value, or raises UserError with the problem and a hint.

Keys of tables are described by them, for the reader and for the docs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from takt.declare.schema.c_names import KEYWORDS
from takt.support import durations
from takt.support.errors import UserError, did_you_mean, one_of

NAME_MAX, PATH_MAX = 255, 1000  # of Linux; whole paths may be 4096


@dataclass(frozen=True)
class Kind:
    """`name` as the docs print it; `read` returns the value for the model or raises UserError. `words`: the possible
    values of a choice. `schema`: what JSON Schema says of the values, no more than `read` does; empty: nothing."""

    name: str
    read: Callable[[Any], Any]
    words: tuple[str, ...] = ()
    schema: dict[str, Any] = field(default_factory=dict, compare=False)


def toml_type(value: object) -> str:
    """The type of a TOML value, in plain words."""
    names = {bool: "a boolean", int: "an integer", float: "a float", str: "a string", list: "an array", dict: "a table"}
    return names.get(type(value), "a date or time")


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise UserError(f"expected a string, found {toml_type(value)}", f'"{value}"' if isinstance(value, int) else "")
    return value


def _duration(value: Any, *, positive: bool = False) -> int:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        shown = str(value) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", str(value)) else "20"
        shown = "20" if positive and value == 0 else shown
        raise UserError("the unit is missing", f'"{shown} ms" (units: {", ".join(durations.UNITS_NS)})')
    if not isinstance(value, str):
        raise UserError(f"expected a duration in quotes, found {toml_type(value)}", '"20 ms"')
    return durations.parse(value, positive=positive)


def _positive_duration(value: Any) -> int:
    return _duration(value, positive=True)


def _identifier(value: Any) -> str:
    text = _string(value)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text, re.ASCII):
        mended = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
        hint = mended if re.fullmatch(r"[A-Za-z_]\w*", mended) else "control"
        raise UserError("not a C identifier", f'letters, digits and _, such as "{hint}"')
    if text in KEYWORDS:
        raise UserError("a keyword of C", f'"{text}_1"')
    if re.match(r"takt[abir]?_", text):
        raise UserError(
            "names that begin with takt_, takta_, taktb_, takti_ or taktr_ are Takt's",
            f'"{text.split("_", 1)[1] or "control"}"',
        )
    if len(text) > 63:
        raise UserError("a name has at most 63 characters", f'"{text[:40]}"')
    return text


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UserError(f"expected true or false, found {toml_type(value)}", "true or false, without quotes")
    return value


def _file_name(value: Any) -> str:
    text = _string(value)
    if not text or text.startswith("/"):
        raise UserError("expected a path within the application's folder", "a relative path")
    if "\0" in text or len(text) > PATH_MAX or max(len(part.encode()) for part in text.split("/")) > NAME_MAX:
        raise UserError("this is no valid file name", f"a relative path, no name in it longer than {NAME_MAX} bytes")
    return text


def _header_name(value: Any) -> str:
    """A file that `#include "..."` can name: C has no escapes for other names."""
    text = _file_name(value)
    if any(character in text for character in '"\\\n\r'):
        raise UserError('no #include names a file with ", \\ or a line end in its name', "another name")
    return text


_TYPES_OF_C = re.compile(r"char|short|int|long|float|double|bool|u?int(8|16|32|64|ptr)_t|size_t", re.ASCII)


def known_type(text: str) -> bool:
    """Whether a type of C needs no header of the application's."""
    return _TYPES_OF_C.fullmatch(text) is not None


def _c_type(value: Any) -> str:
    words = _string(value).split()
    tagged = len(words) == 2 and words[0] in ("struct", "union", "enum")
    name = words[-1] if tagged or len(words) == 1 else ""
    reserved = name in KEYWORDS and (tagged or not known_type(name))
    if reserved or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise UserError("not the name of a type", '"struct sample", "sample" or "uint32_t": the message, no pointer')
    return " ".join(words)


ODD = re.compile(r"[;\r\n\0]|\$<|\\$")
"""What an item of a list of CMake's cannot have."""
_MACRO = re.compile(r"([A-Za-z_]\w*)(=.*)?", re.ASCII | re.DOTALL)


def _macro(value: Any) -> str:
    text = _string(value)
    match = _MACRO.fullmatch(text)
    name = match[1] if match else ""
    if match is None or name in KEYWORDS or ODD.search(text):
        shown = re.sub(r"\W+", "_", text.partition("=")[0].removeprefix("-D")).strip("_") or "NAME"
        raise UserError("not a macro: a C identifier, or one with = and its value", f'"{shown}=1"')
    if re.match(r"TAKT[ABIR]?_|takt", name):
        raise UserError("names that begin with TAKT_ are Takt's", f'"APP_{name.split("_", 1)[-1]}"')
    return text


_RATE_MIN, _RATE_MAX = 1000, 10**12


def _rate(value: Any) -> int:
    bits = durations.bit_rate(_string(value))
    if not _RATE_MIN <= bits <= _RATE_MAX:
        raise UserError("out of range 1 kbit/s to 1000 Gbit/s", '"100 Mbit/s"')
    return bits


def _address(value: Any) -> str:
    import ipaddress

    try:
        return str(ipaddress.ip_address(_string(value)))
    except ValueError:
        raise UserError("not an address", 'a number, such as "192.168.0.7" or "fd00::7"') from None


_TEXT = {"type": "string"}
_SOME_TEXT = {"type": "string", "minLength": 1}
_TIME = {"type": "string", "pattern": rf"^\s*\+?[0-9]+(\.[0-9]+)?\s*({'|'.join(durations.UNITS_NS)})\s*$"}
_NAME = {"type": "string", "pattern": "^(?!takt[abir]?_)[A-Za-z_][A-Za-z0-9_]*$", "maxLength": 63}

STRING = Kind("string", _string, schema=_TEXT)
ADDRESS = Kind("address", _address, schema=_SOME_TEXT)
RATE = Kind("rate", _rate, schema=_SOME_TEXT)
DURATION = Kind("duration", _duration, schema=_TIME)
POSITIVE_DURATION = Kind("duration > 0", _positive_duration, schema=_TIME)
IDENTIFIER = Kind("C identifier", _identifier, schema=_NAME)
BOOLEAN = Kind("boolean", _boolean, schema={"type": "boolean"})
FILE = Kind("path", _file_name, schema=_SOME_TEXT)
HEADER = Kind("path", _header_name, schema=_SOME_TEXT)
C_TYPE = Kind("C type", _c_type, schema=_SOME_TEXT)
MACRO = Kind("string", _macro, schema=_SOME_TEXT)


def integer(low: int, high: int, multiple: int = 1) -> Kind:
    """An integer from `low` to `high`, a multiple of `multiple`."""
    name = f"integer {low} to {high}" + (f", a multiple of {multiple}" if multiple > 1 else "")

    def read(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise UserError(
                f"expected an integer, found {toml_type(value)}", f"{name.replace('integer', 'an integer')}"
            )
        if not low <= value <= high:
            raise UserError(f"out of range {low} to {high}", str(min(max(value, low), high)))
        if value % multiple:
            raise UserError(f"not a multiple of {multiple}", str(value + multiple - value % multiple))
        return value

    return Kind(name, read, schema={"type": "integer", "minimum": low, "maximum": high, "multipleOf": multiple})


def _size(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, str):
            found = re.fullmatch(r"(\d+) ?(bytes|KiB|MiB)", value)
            if found is None:
                raise UserError("must be bytes, or a number with its unit", '"8 KiB"')
            value = int(found[1]) << {"bytes": 0, "KiB": 10, "MiB": 20}[found[2]]
        elif isinstance(value, bool) or not isinstance(value, int):
            raise UserError(f"expected a size, found {toml_type(value)}", '"8 KiB"')
        if not low <= value <= high:
            raise UserError(f"out of range {low} to {high} bytes", f'"{min(max(value, low), high)} bytes"')
        if value % 8:
            raise UserError("not a multiple of 8 bytes", f'"{value + 8 - value % 8} bytes"')
        return int(value)

    return read


def size(low: int, high: int) -> Kind:
    """Bytes, a multiple of 8: `"8 KiB"`, `"512 bytes"`, or an integer."""
    units = {"type": "string", "pattern": "^[0-9]+ ?(bytes|KiB|MiB)$"}
    number = {"type": "integer", "minimum": low, "maximum": high, "multipleOf": 8}
    return Kind("size", _size(low, high), schema={"anyOf": [units, number]})


def choice(*names: str, pattern: str = "", pattern_name: str = "") -> Kind:
    """One of several words, or a text that `pattern` matches (shown as `pattern_name`)."""
    shown = [*names, pattern_name] if pattern_name else list(names)

    def read(value: Any) -> str:
        text = _string(value)
        if text not in names and not (pattern and re.fullmatch(pattern, text)):
            raise UserError(f"must be {one_of(f'{name}' for name in shown)}", did_you_mean(text, names))
        return text

    words: dict[str, Any] = {"enum": list(names)}
    either = {"anyOf": [words, {"type": "string", "pattern": f"^({pattern})$"}]}
    return Kind(one_of(shown), read, names, either if pattern else words)


def list_of(item: Kind) -> Kind:
    """A non-empty array of values of one kind, as a tuple."""

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise UserError(f"expected an array, found {toml_type(value)}", "the same in [ ]")
        if not value:
            raise UserError("the array is empty", f"at least one {item.name}, or leave the key out")
        return tuple(item.read(element) for element in value)

    return Kind(f"array of {item.name}s", read, schema={"type": "array", "minItems": 1, "items": item.schema})


def groups() -> Kind:
    """Task names in priority order; an inner array holds equals. Read as a tuple of tuples of names."""

    def read(value: Any) -> tuple[tuple[str, ...], ...]:
        if not isinstance(value, list) or not value:
            raise UserError("expected a non-empty array of task names", '["control", ["left", "right"]]')
        return tuple(_group(element) for element in value)

    group = {"anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": _TEXT}]}
    schema = {"type": "array", "minItems": 1, "items": group}
    return Kind("array of task names, an inner array for equals", read, schema=schema)


def _group(element: Any) -> tuple[str, ...]:
    names = element if isinstance(element, list) else [element]
    if not names:
        raise UserError("a group of equals is empty", "name its tasks, or leave it out")
    for name in names:
        if not isinstance(name, str):
            raise UserError(
                f"expected names of tasks, one of these is {toml_type(name)}", '["control", ["left", "right"]]'
            )
    return tuple(names)


def trigger(kinds: tuple[str, ...]) -> Kind:
    """The kind and name of the object that releases a task. `kinds`: those that may."""
    wanted = one_of(f'"{word} NAME"' for word in kinds)

    def read(value: Any) -> str:
        text = " ".join(_string(value).split())
        word, _, name = text.partition(" ")
        if word not in kinds or not name or " " in name:
            raise UserError("must be a kind of object and its name", wanted)
        return text

    pattern = rf"^\s*({'|'.join(kinds)})\s+\S+\s*$"
    return Kind(wanted, read, schema={"type": "string", "pattern": pattern})


@dataclass(frozen=True)
class Key:
    """One key. `default` is the value when it is absent; `default_text` is how the docs say it."""

    name: str
    kind: Kind
    doc: str
    required: bool = False
    default: Any = None
    default_text: str = ""
    table: Table | None = None  # the value is an array of these inline tables; `kind` only names it


@dataclass(frozen=True)
class Table:
    """One table, or each of an array of tables if `many`; without a name the file itself. `later`: keys of the design
    that are not implemented."""

    name: str
    doc: str
    keys: tuple[Key, ...]
    many: bool = True
    later: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        return f"[[{self.name}]]" if self.many else f"[{self.name}]"

    def key(self, name: str) -> Key | None:
        return next((key for key in self.keys if key.name == name), None)


TABLES = Kind("array of tables", lambda value: value)
NAME = Key(
    "name", IDENTIFIER, "Its name in C, in the trace and in every message; unique among all objects.", required=True
)
