# SPDX-License-Identifier: Apache-2.0
"""Early release: an unlock is moved in front of the statements before it that need no mutex (docs/hints.md).

The section gets shorter, and nothing else changes: what is moved past the unlock is private (private.py), and the
unlock's argument has the same value before. So a proof with the declared holds stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from takt.hints.code import cxx
from takt.hints.code.calls import Role
from takt.hints.code.expressions import Reader, Term, UnclearError, written
from takt.hints.code.source import Cursor, Unit, below, kind
from takt.hints.code.syntax import writes
from takt.hints.private import LOOPS, Private, SharedError
from takt.hints.program import Function, Program, calls_in

UNLOCKS = ("takt_mutex_unlock", "takt_ceiling_unlock")
_DIRECTIVE = re.compile(rb"^[ \t]*#", re.MULTILINE)
_LINE = re.compile(rb"(?:/\*.*?\*/|//(?:\\\r?\n|[^\n])*|[^\n])*\n", re.DOTALL)  # its last comment included
_REST = re.compile(rb"[ \t]*(//[^\n]*|/\*[^\n]*\*/)?[ \t]*\r?(\n|$)")


@dataclass(frozen=True)
class Section:
    """The end of a section: an unlock. `before`: the line of the first statement in front of which it is moved; 0: it
    stays, and `why` says why. `start`, `end`: its lines, in bytes; `to`: where they go."""

    path: Path
    line: int
    function: str
    mutex: str = ""
    before: int = 0
    why: str = ""
    start: int = 0
    end: int = 0
    to: int = 0


class Releases:
    """The unlocks of a program's functions; those in C++ stay."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.private = Private(program)

    def all(self) -> list[Section]:
        """In the order of the files and of their lines."""
        found: dict[tuple[Path, int], Section] = {}
        for function in self.program.functions.values():
            for section in (*self._of_function(function), *self._others(function)):
                found.setdefault((section.path, section.line), section)
        return sorted(found.values(), key=lambda section: (str(section.path), section.line))

    def _of_function(self, function: Function) -> Iterator[Section]:
        for block in below(function.cursor):
            if kind(block) == "COMPOUND_STMT" and not function.unit.cxx:
                yield from self._of_block(function, block)

    def _others(self, function: Function) -> Iterator[Section]:
        """Every unlock, as one that stays: of C++, or no statement of a block."""
        why = "it is in C++" if function.unit.cxx else "it has a label or no braces around it, or is in an expression"
        for call in calls_in(function.cursor):
            if self._unlocks(call):
                yield replace(_section(function, call), why=why)
        if function.unit.cxx:
            for variable in filter(cxx.is_section, below(function.cursor)):
                yield replace(_section(function, variable), why="it is in C++, at the end of the scope")

    def _unlocks(self, cursor: Cursor) -> bool:
        """Whether a statement is the unlock of a section."""
        if kind(cursor) != "CALL_EXPR" or cursor.spelling not in UNLOCKS:
            return False
        call = self.program.target(cursor).call
        return call is not None and call.role is Role.UNLOCK

    def _of_block(self, function: Function, block: Cursor) -> Iterator[Section]:
        """Each unlock goes behind the last statement that may need it, or that its mutex depends on."""
        children = list(block.get_children())
        order: list[Cursor] = []
        for statement in children:
            at = len(order)
            if self._unlocks(statement):
                section, at = self._released(function, block, order, statement)
                yield section
            order.insert(at, statement)

    def _released(self, function: Function, block: Cursor, order: list[Cursor], unlock: Cursor) -> tuple[Section, int]:
        """An unlock behind the statements of `order`, and where it goes among them."""
        section = _section(function, unlock)
        try:
            term = Reader(function.flow.aliased).pointer(list(unlock.get_children())[1])
            section = replace(section, mutex=written(term))
            at = len(order) - self._passed(function, order, unlock, term)
            lines = _lines(function.unit, block, order[at], unlock)
        except (SharedError, UnclearError) as error:
            return replace(section, why=str(error)), len(order)
        return replace(section, before=order[at].extent.start.line, start=lines[0], end=lines[1], to=lines[2]), at

    def _passed(self, function: Function, order: Sequence[Cursor], unlock: Cursor, term: Term) -> int:
        """How many statements before the unlock need no mutex. SharedError: none, or it would not be worth it."""
        passed: list[Cursor] = []
        names = {part.spelling for part in below(unlock) if kind(part) == "DECL_REF_EXPR"}
        why = "nothing else is in the block"
        for statement in reversed(order):
            try:
                self.private.require(function, statement)
            except SharedError as error:
                why = str(error)
                break
            declared = {part.spelling for part in statement.get_children() if kind(part) == "VAR_DECL"}
            if names & declared or term.values() & {key for key, _ in writes(statement)}:
                why = f"line {statement.extent.start.line} changes which mutex it is"
                break
            passed.append(statement)
        if passed and not any(kind(part) in (*LOOPS, "CALL_EXPR") for each in passed for part in below(each)):
            why = "without a loop or a call, what is before it takes no time that matters"
            passed = []
        if not passed:
            raise SharedError(why)
        return len(passed)


def _section(function: Function, unlock: Cursor) -> Section:
    start = unlock.extent.start
    return Section(Path(start.file.name), start.line, function.name)


def _lines(unit: Unit, block: Cursor, first: Cursor, unlock: Cursor) -> tuple[int, int, int]:
    """From where to where the unlock's lines are, and the beginning of the line where they go. SharedError."""
    if not unit.holds(unlock):
        raise SharedError("it is in a header")
    begins, ends = int(unlock.extent.start.offset), int(unlock.extent.end.offset)
    if any(map(unit.in_macro, (begins, ends - 1, int(first.extent.start.offset)))):
        raise SharedError("it is in a macro, or what it would precede is")
    before = [child for child in block.get_children() if child.extent.start.offset < first.extent.start.offset]
    previous = int(before[-1].extent.end.offset) if before else int(block.extent.start.offset)
    start, rest = unit.line_start(begins), _REST.match(unit.text, ends + 1)
    line = _LINE.match(unit.text, previous)
    goes = line.end() if line is not None else len(unit.text)
    alone = not unit.text[start:begins].strip() and unit.text[ends : ends + 1] == b";" and rest is not None
    if not alone or goes > unit.line_start(int(first.extent.start.offset)):
        raise SharedError("it shares its line, or what it would precede does")
    assert rest is not None
    if _DIRECTIVE.search(unit.text[goes : rest.end()]):
        raise SharedError("a directive of the preprocessor is between")
    return start, rest.end(), goes


def moved(text: bytes, sections: Sequence[Section]) -> bytes:
    """The text with its sections released early. Unlocks that go to one line keep their order."""
    ways = [section for section in sections if section.before]
    pieces = [(section.to, number, 0, text[section.start : section.end]) for number, section in enumerate(ways)]
    pieces += [(section.start, number, section.end - section.start, b"") for number, section in enumerate(ways)]
    for offset, _, removed, piece in sorted(pieces, key=lambda one: (one[0], one[1]), reverse=True):
        text = text[:offset] + piece + text[offset + removed :]
    return text
