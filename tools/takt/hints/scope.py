# SPDX-License-Identifier: Apache-2.0
"""Whether the name of a mutex can be written at a line: its parts are declared there, and have the same meaning."""

from __future__ import annotations

from functools import cache

from takt.hints.code.expressions import Term, is_local, key_of
from takt.hints.code.source import Cursor, Unit, kind
from takt.hints.edit import NotThereError
from takt.hints.program import Function

SCOPES = ("COMPOUND_STMT", "FOR_STMT")


class Scope:
    """The declarations that are visible in one function, by name and range."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.inner: list[tuple[str, str, int, int]] = []  # name, key, from, to: of its variables and parameters
        extent = function.cursor.extent
        for parameter in function.cursor.get_arguments():
            self.inner.append((parameter.spelling, key_of(parameter), extent.start.offset, extent.end.offset))
        self._collect(function.cursor, extent.end.offset)
        self.outer = _outer(function.unit)

    def _collect(self, cursor: Cursor, end: int) -> None:
        for child in cursor.get_children():
            if kind(child) == "VAR_DECL":
                key = key_of(child) if is_local(child) else _location(child)
                self.inner.append((child.spelling, key, child.location.offset, end))
            self._collect(child, int(child.extent.end.offset) if kind(child) in SCOPES else end)

    def require(self, term: Term, offset: int) -> None:
        """NotThereError: the term cannot be written at `offset` of the function's file."""
        if not self.outer.get("takt_hint_next", offset) < offset:
            raise NotThereError("takt/hint.h is not included")
        for key, name, local in sorted(term.declarations()):
            meant = [(row[2], row[1]) for row in self.inner if row[0] == name and row[2] < offset < row[3]]
            if local and (not meant or max(meant)[1] != key):
                raise NotThereError(f"`{name}` has another meaning here")
            if not local and meant:
                raise NotThereError(f"`{name}` has another meaning here")
            if not local and not self.outer.get(key, offset) < offset:
                raise NotThereError(f"`{name}` is not declared here")


def _location(declaration: Cursor) -> str:
    location = declaration.location
    return f"{location.file.name if location.file else ''}:{location.offset}"


@cache
def _outer(unit: Unit) -> dict[str, int]:
    """Where each object of the file is first declared, by its USR; in a header: 0. And takt_hint_next."""
    found: dict[str, int] = {}
    for cursor in unit.top:
        if kind(cursor) == "VAR_DECL" or cursor.spelling == "takt_hint_next":
            key = cursor.spelling if cursor.spelling == "takt_hint_next" else str(cursor.get_usr())
            found.setdefault(key, int(cursor.location.offset) if unit.holds(cursor) else 0)
    return found
