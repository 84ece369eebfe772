# SPDX-License-Identifier: Apache-2.0
"""Offsets of messages as comma-separated values."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection
from fractions import Fraction
from pathlib import Path

from takt.can.messages import FILE_MAX, decoded, fail
from takt.support import files
from takt.support.errors import closest
from takt.support.names import shown

HEADER = "name,offset_ms"
_MS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?")


def offset_ns(text: str) -> int | None:
    """Of a number of ms with at most 6 decimals; None: it is none."""
    return int(Fraction(text) * 1_000_000) if _MS.fullmatch(text) else None


def read(path: Path, names: Collection[str]) -> dict[str, int]:
    """Of messages by name, in ns. UserError: at the line that is wrong."""
    text = decoded(path, files.read(path, FILE_MAX, "a CSV file")).text
    rows = csv.reader(io.StringIO(text), strict=True)
    found: dict[str, int] = {}
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells == HEADER.split(","):
                continue
            offset = offset_ns(cells[1]) if len(cells) == 2 else None
            if offset is None:
                fail(path, rows.line_num, "not a name and an offset in ms", f"the header {HEADER} and such rows")
            if cells[0] not in names:
                fail(path, rows.line_num, f'no message "{shown(cells[0])}" is sent', closest(cells[0], names))
            if cells[0] in found:
                fail(path, rows.line_num, f'"{shown(cells[0])}" has an offset above', "one row for each message")
            found[cells[0]] = offset
    except csv.Error as error:
        fail(path, rows.line_num, f"not a row of CSV: {error}", "quotes around a cell, doubled within it")
    return found


def write(offsets: dict[str, int]) -> str:
    """A file that `read` reads."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(HEADER.split(","))
    rows.writerows((name, _ms(offset)) for name, offset in offsets.items())
    return text.getvalue()


def _ms(offset: int) -> str:
    return f"{offset // 1_000_000}.{offset % 1_000_000:06}".rstrip("0").rstrip(".")
