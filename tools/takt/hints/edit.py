# SPDX-License-Identifier: Apache-2.0
"""How a hint is written into a file: as a statement before the one of the call, in braces, or with a comma."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from takt.hints.code.source import Cursor, Unit, kind
from takt.hints.flow import Spot

ONE = "takt_hint_next({})"
IN_BLOCK = "takt_hint_next_set(TAKT_HINT_SET({}))"
STATIC = "TAKT_HINT_NEXT_SET_STATIC({})"

_BLANK = re.compile(rb"(?:\s|/\*.*?\*/|//[^\n]*\n)*", re.DOTALL)
_DIRECTIVE = re.compile(rb"^[ \t]*#", re.MULTILINE)


class NotThereError(Exception):
    """A hint cannot be written at this point; the message says why."""


@dataclass(frozen=True)
class Form:
    """`how`: line (before a statement), end (of a body), braces or comma. `offset`: where the hint goes.

    braces: the statement becomes the second of a block, which begins at `opens` and ends at `closes`; comma: the call
    ends at `closes`.
    """

    how: str
    offset: int
    opens: int = 0
    closes: int = 0


@dataclass(frozen=True)
class Point:
    """A blocking point: a blocking call, or an end of a job. `outcome`: insert, kept, wrong or left.

    `offset`: in bytes. `mutex`: what the hint names, of a set all of them; `why`: the reason for left, wrong or an
    unchecked hint, or for a hint of the first mutex of a set; `at`: where the mutex, or the first one, is locked.
    """

    path: Path
    offset: int
    line: int
    call: str
    function: str
    outcome: str = "left"
    mutex: str = ""
    why: str = ""
    at: str = ""
    form: Form | None = None
    of_set: str = ""  # how a set is written: IN_BLOCK or STATIC; "": the hint names one mutex


def form_of(unit: Unit, cursor: Cursor, spot: Spot) -> Form:
    """How the hint of a call, or of a return, is written. NotThereError."""
    if not unit.holds(cursor):
        raise NotThereError("it is in a header")
    start, end = cursor.extent.start.offset, cursor.extent.end.offset
    if spot.slot == "end":
        if unit.in_macro(end - 1):
            raise NotThereError("it is in a macro")
        return Form("end", end - 1)
    if unit.in_macro(start) or unit.in_macro(end - 1) or unit.text[end - 1 : end] not in (b")", b"n"):
        raise NotThereError("it is in a macro")
    before = spot.statement.extent.start.offset
    if not spot.first or unit.in_macro(before):
        if kind(cursor) != "CALL_EXPR":
            raise NotThereError("there is no room for a statement before it")
        return Form("comma", start, closes=end)
    return Form("line", before) if spot.slot in ("list", "label") else _braces(unit, spot.statement, before)


def _braces(unit: Unit, statement: Cursor, before: int) -> Form:
    """Around a statement that is the whole body of another."""
    opens = _end_before(unit.text, before)
    closes = _end_of(unit, statement)
    around = unit.text[unit.line_start(opens) : closes]
    if _DIRECTIVE.search(around) or unit.in_macro(opens - 1) or unit.in_macro(closes - 1):
        raise NotThereError("its statement has no braces, and a macro or directive around it")
    return Form("braces", before, opens, closes)


def _end_before(text: bytes, offset: int) -> int:
    """The end of the last token before it: only blanks and comments are in between."""
    token = max(text.rfind(end, 0, offset) for end in (b")", b"else", b"do"))
    while token >= 0:
        for end in (b")", b"else", b"do"):
            gap = token + len(end)
            if text.startswith(end, token) and _BLANK.fullmatch(text, gap, offset):
                return gap
        token = max(text.rfind(end, 0, token) for end in (b")", b"else", b"do"))
    raise NotThereError("its statement has no braces, and the text before it cannot be parsed")


def _end_of(unit: Unit, statement: Cursor) -> int:
    """The end of a statement, its semicolon included, which is in libclang's extent of some only."""
    end = int(statement.extent.end.offset)
    if unit.text[end - 1 : end] in (b";", b"}"):
        return end
    blank = _BLANK.match(unit.text, end)
    after = blank.end() if blank else end
    if unit.text[after : after + 1] != b";":
        raise NotThereError("its statement has no braces, and its end cannot be found")
    return after + 1


def edited(text: bytes, points: Iterable[Point]) -> bytes:
    """The text with the hints of its points that are to be inserted."""
    newline = "\r\n" if b"\r\n" in text else "\n"
    pieces: list[tuple[int, int, str]] = []  # offset, rank among those of the same offset, text
    for point in points:
        if point.form is not None:
            pieces += _pieces(text, point.form, (point.of_set or ONE).format(point.mutex), newline)
    for offset, _, piece in sorted(pieces, reverse=True):
        text = text[:offset] + piece.encode() + text[offset:]
    return text


def _pieces(text: bytes, form: Form, call: str, newline: str) -> list[tuple[int, int, str]]:
    if form.how == "comma":
        return [(form.offset, len(text), f"({call}, "), (form.closes, -form.offset, ")")]
    indent = _indent(text, form.offset)
    alone = not text[text.rfind(b"\n", 0, form.offset) + 1 : form.offset].strip()
    if form.how == "end":
        inner = f"    {call};{newline}{indent}" if alone else f" {call}; "
        return [(form.offset, 0, inner)]
    if form.how == "line":
        return [(form.offset, 0, f"{call};{newline}{indent}" if alone else f"{call}; ")]
    outer = _indent(text, form.opens)
    if text[form.opens : form.offset] == b" ":
        first = f" {{{newline}{outer}    {call};{newline}{outer}   "
        return [(form.opens, 0, first), (form.closes, -form.offset, f"{newline}{outer}}}")]
    first = f"{call};{newline}{indent}" if alone else f"{newline}{outer}    {call};{newline}{outer}    "
    return [(form.opens, 0, " {"), (form.offset, 1, first), (form.closes, -form.offset, f"{newline}{outer}}}")]


def _indent(text: bytes, offset: int) -> str:
    """The blanks at the beginning of its line."""
    line = text[text.rfind(b"\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip())].decode()
