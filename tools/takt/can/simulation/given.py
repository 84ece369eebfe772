# SPDX-License-Identifier: Apache-2.0
"""What options of a simulation name: nodes, offsets in a file, and the frames of a log."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from pathlib import Path

from takt.can.check import Answer
from takt.can.logs import read
from takt.can.messages import FILE_MAX, decoded, fail
from takt.can.simulation.bus import NO_SENDER
from takt.support import files
from takt.support.errors import UserError, closest
from takt.support.files import shown_path
from takt.support.names import shown

FRAMES_MAX = 1_000_000  # of a log that is replayed, which is in memory
_MS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?")


def node(option: str, name: str, asked: Answer) -> str:
    """A node that sends. UserError: none has this name."""
    names = list(dict.fromkeys((row.message.senders or (NO_SENDER,))[0] for row in asked.rows))
    if name not in names:
        raise UserError(f'{option}: no node "{shown(name)}" sends', closest(name, names))
    return name


def offsets(text: str, names: Collection[str]) -> dict[str, int] | None:
    """Of messages by name, in ns; None: at random. UserError: of a file, at its line."""
    if text in ("random", "zero"):
        return None if text == "random" else {}
    path = Path(text)
    if path.suffix.lower() != ".csv":
        raise UserError(f'--offsets: "{shown(text)}" is none', "random, zero, or a .csv file with name,offset_ms")
    text_of = decoded(path, files.read(path, FILE_MAX, "a CSV file")).text
    rows = csv.reader(io.StringIO(text_of), strict=True)
    found: dict[str, int] = {}
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells == ["name", "offset_ms"]:
                continue
            if len(cells) != 2 or not _MS.fullmatch(cells[1]):
                fail(path, rows.line_num, "not a name and an offset in ms", "the header name,offset_ms and such rows")
            if cells[0] not in names:
                fail(path, rows.line_num, f'no message "{shown(cells[0])}" is sent', closest(cells[0], names))
            found[cells[0]] = int(Fraction(cells[1]) * 1_000_000)
    except csv.Error as error:
        fail(path, rows.line_num, f"not a row of CSV: {error}", "quotes around a cell, doubled within it")
    return found


def replayed(log: Path, name: str, asked: Answer) -> dict[int, list[tuple[int, bytes, bool]]]:
    """The frames of a log that are those of a node, by index of their messages, with times from the log's first frame.
    UserError: it has none of them, or cannot be read."""
    node("--replay", name, asked)
    sent = {
        (row.message.identifier, row.message.extended): index
        for index, row in enumerate(asked.rows)
        if (row.message.senders or (NO_SENDER,))[0] == name
    }
    found: dict[int, list[tuple[int, bytes, bool]]] = defaultdict(list)
    begin_ns, count = None, 0
    for one in read.entries(log):
        begin_ns = one.time_ns if begin_ns is None else begin_ns
        index = sent.get((one.identifier, one.extended))
        if index is None or one.error:
            continue
        count += 1
        if count > FRAMES_MAX:
            raise UserError(f"{shown_path(log)}: more than {FRAMES_MAX} frames of {shown(name)}", "a shorter log")
        found[index].append((max(0, one.time_ns - begin_ns), one.data, one.remote))
    if not found:
        raise UserError(
            f"{shown_path(log)}: no frame of {shown(name)} in it", "the log of a bus that this file describes"
        )
    return {index: found.get(index, []) for index in sent.values()}
