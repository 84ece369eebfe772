# SPDX-License-Identifier: Apache-2.0
"""Reads a TOML file by a schema: plain dictionaries of checked values, and an error that names file, line and key."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from takt.declare.schema import locate
from takt.declare.schema.kinds import Key, Table, toml_type
from takt.declare.schema.model import System
from takt.support import files
from takt.support.errors import UserError, did_you_mean
from takt.support.files import shown_path
from takt.support.names import shown

NUMBER_BITS = 4096  # more than any key takes
_TOO_LONG, _FITS = "a number of more than a thousand digits", "one that fits 64 bits"
_PART = r"'([^']*)'"
_NAMESPACE = re.compile(rf"\({_PART}(, {_PART})*,?\)")  # a tuple, as tomllib names tables
_INNER = ("users", "readers")  # inline tables of another table


@dataclass(frozen=True)
class Document:
    """A TOML file, parsed, with the line of everything in it. `made`: names of interrupts that other tables stand for,
    whose numbers the board has."""

    path: Path
    data: dict[str, Any]
    lines: dict[locate.Path, int]
    made: set[str] = field(default_factory=set)

    def fail(self, where: locate.Path, problem: str, hint: str = "") -> NoReturn:
        """Raises UserError "FILE:LINE: problem"."""
        line = self.line(where)
        raise UserError(f"{shown_path(self.path)}{f':{line}' if line else ''}: {shown(problem)}", shown(hint))

    def line(self, where: locate.Path) -> int | None:
        """The line of a key or table, else of the first entry in it, else of the table that would contain it."""
        inside = [line for path, line in self.lines.items() if where and path[: len(where)] == where]
        if inside or not where:
            return min(inside, default=None)
        return self.line(where[:-1])


def load(path: Path) -> Document:
    """Parses a file. UserError: it cannot be read, is not UTF-8, is not TOML, or holds more than is read."""
    name = shown_path(path)
    data = files.read(path, files.TEXT_MAX, "a TOML file")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: not UTF-8 (byte {error.start})", "save it as UTF-8") from None
    if text.startswith("\ufeff"):
        raise UserError(f"{name}:1: it begins with a byte order mark", "save it as UTF-8 without one")
    too_much = locate.excess(text)
    if too_much is not None:
        raise UserError(f"{name}:{too_much.line}: {too_much.problem}", too_much.hint)
    try:
        document = Document(path, tomllib.loads(text), locate.lines(text))
    except tomllib.TOMLDecodeError as error:
        raise UserError(_syntax_message(name, text, str(error)), "see https://toml.io for the syntax") from None
    except ValueError:  # Python reads no decimal number that is so long
        found = re.search(r"[0-9_]{4000,}", text)
        line = text.count("\n", 0, found.start()) + 1 if found else 1
        raise UserError(f"{name}:{line}: {_TOO_LONG}", _FITS) from None
    _refuse_long_numbers(document, document.data, ())
    return document


def _refuse_long_numbers(document: Document, value: Any, where: locate.Path) -> None:
    """UserError: one that Python would not even print."""
    if isinstance(value, int) and value.bit_length() > NUMBER_BITS:
        document.fail(where, _TOO_LONG, _FITS)
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        _refuse_long_numbers(document, inner, (*where, key))


def _syntax_message(name: str, text: str, message: str) -> str:
    match = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if not match:
        return f"{name}: not TOML: {message}"
    line = match[1] or str(text.count("\n") + (not text.endswith("\n")))
    column = f", column {match[2]}" if match[2] else ", at the end of the file"
    text = _NAMESPACE.sub(lambda found: f"[{'.'.join(re.findall(_PART, found[0]))}]", message[: match.start()])
    return f"{name}:{line}: not TOML: {text[:1].lower()}{text[1:]}{column}"


def show_value(value: object) -> str:
    """A TOML value as the file would write it; long ones are cut."""
    text = (
        str(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else json.dumps(value, default=str, ensure_ascii=False)
    )
    return text if len(text) <= 60 else f"{text[:57]}..."


def read_table(document: Document, table: Table, raw: Any, where: locate.Path, owner: str = "") -> dict[str, Any]:
    """The table's values by key, defaults filled in. `owner`: label of the enclosing table, for messages."""
    inside = f"{owner}, " if owner else ""
    label = f"{inside}{_label(table, raw)}: " if table.name else ""
    if not isinstance(raw, dict):
        document.fail(
            where, f"{label}expected a table, found {toml_type(raw)}", _shape(table) if owner else table.header
        )
    for name in raw:
        if table.key(name) is None:
            _unknown_key(document, table, label, name, where)
    return {key.name: _read_key(document, key, raw, where, label) for key in table.keys}


def _shape(table: Table) -> str:
    """An inline table as an example."""
    return f"{{{', '.join(f'{key.name} = ...' for key in table.keys)}}}"


def _label(table: Table, raw: Any) -> str:
    name = raw.get("name", raw.get("task")) if isinstance(raw, dict) and table.many else None
    header = table.name if table.name in _INNER else table.header
    return f'{header} "{name}"' if isinstance(name, str) else header


def _unknown_key(document: Document, table: Table, label: str, name: str, where: locate.Path) -> NoReturn:
    if name in table.later:
        document.fail((*where, name), f'{label}"{name}" is not there yet in this version', "remove it")
    hint = did_you_mean(name, [key.name for key in table.keys])
    document.fail((*where, name), f'{label}unknown key "{name}"', hint)


def _read_key(document: Document, key: Key, raw: dict[str, Any], where: locate.Path, label: str) -> Any:
    if key.name not in raw:
        if key.required:
            document.fail(where, f'{label}"{key.name}" is missing', f"{key.name} = ... ({key.kind.name}: {key.doc})")
        return key.default
    value = raw[key.name]
    here = (*where, key.name)
    if key.table is not None:
        return _read_inner(document, key, key.table, value, here, label)
    try:
        return key.kind.read(value)
    except UserError as error:
        document.fail(here, f"{label}{key.name} = {show_value(value)}: {error.problem}", error.hint)


def _read_inner(
    document: Document, key: Key, table: Table, value: Any, here: locate.Path, label: str
) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not value:
        document.fail(here, f"{label}{key.name}: expected a non-empty array of tables", f"[{_shape(table)}]")
    return [
        read_table(document, table, element, (*here, index), label.removesuffix(": "))
        for index, element in enumerate(value)
    ]


def located(system: System, name: str, problem: str, hint: str) -> UserError:
    """An error in the table of an object or task of a system that was read."""
    line = system.metadata.get(f"line {name}", "")
    return UserError(f"{files.shown_path(system.path)}{f':{line}' if line else ''}: {problem}", hint)
