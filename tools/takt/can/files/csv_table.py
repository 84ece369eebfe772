# SPDX-License-Identifier: Apache-2.0
"""Messages as comma-separated values: a header, then a row for each message."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction
from pathlib import Path

from takt.can.files import offset_table
from takt.can.messages import Message, fail
from takt.support.durations import MAX_NS
from takt.support.errors import closest
from takt.support.names import shown

COLUMNS = ("name", "id", "extended", "sender", "bytes", "period_ms", "jitter_ms", "deadline_ms", "offset_ms")
NEEDED = ("name", "id", "bytes")
HEADER = ",".join(COLUMNS)
_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?")
WORDS = {"": False, "0": False, "no": False, "false": False, "1": True, "yes": True, "true": True}
_FIELD_MAX = 10_000


def read(path: Path, text: str) -> list[Message]:
    """The messages of a file, in its order. UserError: at the line that is wrong."""
    rows = csv.reader(io.StringIO(text), strict=True)
    columns: list[str] | None = None
    messages = []
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if columns is None:
                columns = _columns(path, rows.line_num, cells)
            elif len(cells) != len(columns):
                problem = f"{len(cells)} cells, but the header has {len(columns)}"
                fail(path, rows.line_num, problem, "a cell for each column, empty where there is nothing to say")
            else:
                messages.append(_message(path, rows.line_num, dict(zip(columns, cells, strict=True))))
    except csv.Error as error:
        fail(path, rows.line_num, f"not a row of CSV: {error}", "quotes around a cell, doubled within it")
    if not messages:
        fail(path, 0, "no messages in it", f"the header {HEADER} and a row for each message")
    return messages


def _columns(path: Path, line: int, cells: list[str]) -> list[str]:
    columns = [cell.lower() for cell in cells]
    for name in columns:
        if name not in COLUMNS:
            fail(path, line, f'unknown column "{shown(name[:60])}"', closest(name, COLUMNS))
        if columns.count(name) > 1:
            fail(path, line, f'column "{name}" twice', "each column once")
    for name in NEEDED:
        if name not in columns:
            fail(path, line, f'the column "{name}" is missing', f"the header {HEADER}")
    return columns


def _message(path: Path, line: int, row: dict[str, str]) -> Message:
    name, extended = row["name"], row.get("extended", "").lower()
    if not name:
        fail(path, line, "the name is missing", "a name for each message")
    if extended not in WORDS:
        fail(path, line, f'extended is "{shown(extended[:60])}"', "1 for an identifier of 29 bits, else 0")
    return Message(
        name=name,
        identifier=_integer(path, line, "id", row["id"]),
        extended=WORDS[extended],
        senders=tuple(row["sender"].split()) if row.get("sender") else (),
        size=_integer(path, line, "bytes", row["bytes"]),
        line=line,
        period_ns=_time_ns(path, line, "period_ms", row) or None,
        jitter_ns=_time_ns(path, line, "jitter_ms", row),
        deadline_ns=_time_ns(path, line, "deadline_ms", row) or None,
        offset_ns=_offset_ns(path, line, row.get("offset_ms", "")),
    )


def _integer(path: Path, line: int, column: str, text: str) -> int:
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}", text):
        return int(text, 16)
    if not re.fullmatch(r"[0-9]{1,10}", text):
        fail(path, line, f'{column} is "{shown(text[:60])}"', "a whole number, decimal or with 0x")
    return int(text)


def _offset_ns(path: Path, line: int, text: str) -> int | None:
    """Exactly; None: the cell is empty, or there is no such column."""
    found = offset_table.offset_ns(text) if text else None
    if text and found is None:
        fail(path, line, f'offset_ms is "{shown(text[:60])}"', "a number of ms, such as 10 or 2.5")
    return found


def _time_ns(path: Path, line: int, column: str, row: dict[str, str]) -> int | None:
    """A time in ns, rounded up; None: the cell is empty, or there is no such column."""
    text = row.get(column, "")
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        fail(path, line, f'{column} is "{shown(text[:60])}"', "a number of ms, such as 10 or 2.5")
    exact = Fraction(text) * 1_000_000
    if exact > MAX_NS:
        fail(path, line, f"{column} is {text}", "a shorter time")
    return -int(-exact // 1)
