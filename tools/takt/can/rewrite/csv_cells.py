# SPDX-License-Identifier: Apache-2.0
"""Identifiers in a CSV file: a cell of each row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from takt.can.files import csv_table
from takt.can.messages import fail
from takt.can.rewrite.mention import Mention

_CELL = re.compile(r'("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n|\r|\n|$)')


def _rows(path: Path, text: str) -> Iterator[list[tuple[int, str]]]:
    """The cells of each row that says something, with their positions."""
    read = [row for row in csv.reader(io.StringIO(text), strict=True) if row]
    position, row, found = 0, list[tuple[int, str]](), list[list[tuple[int, str]]]()
    while position < len(text):
        cell = _CELL.match(text, position)
        if cell is None:
            break
        row.append((cell.start(1), cell[1]))
        position = cell.end()
        if cell[2] != ",":
            found.append(row)
            row = []
    found = [row for row in found if [one for _, one in row] != [""]]
    if [[_content(cell) for _, cell in row] for row in found] != read:
        fail(path, 0, "its cells cannot be separated", "quotes around whole cells only")
    yield from found


def _content(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def mentions(path: Path, text: str) -> Iterator[Mention]:
    """In the order of the file."""
    columns: list[str] | None = None
    for row in _rows(path, text):
        cells = [_content(cell).strip() for _, cell in row]
        if not any(cells) or cells[0].startswith("#"):
            continue
        if columns is None:
            columns = [cell.lower() for cell in cells]
            continue
        named = dict(zip(columns, cells, strict=True))
        start, cell = row[columns.index("id")]
        start += cell.index(named["id"])
        extended = csv_table.WORDS[named.get("extended", "").lower()]
        yield Mention(
            start, start + len(named["id"]), (int(named["id"], 0 if "x" in named["id"].lower() else 10), extended)
        )
