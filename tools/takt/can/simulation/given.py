# SPDX-License-Identifier: Apache-2.0
"""What options of a simulation name: nodes, offsets in a file, and the frames of a log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

from takt.can.check import Answer
from takt.can.files import offset_table
from takt.can.logs import read
from takt.can.simulation import faults
from takt.can.simulation.bus import NO_SENDER
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.names import shown

FRAMES_MAX = 1_000_000  # of a log that is replayed, which is in memory


def nodes(asked: Answer) -> list[str]:
    """Those that send."""
    return list(dict.fromkeys((row.message.senders or (NO_SENDER,))[0] for row in asked.rows))


def offsets(text: str, names: Collection[str]) -> dict[str, int] | None:
    """Of messages by name, in ns; None: at random. UserError: of a file, at its line."""
    if text in ("random", "zero"):
        return None if text == "random" else {}
    path = Path(text)
    if path.suffix.lower() != ".csv":
        raise UserError(f'--offsets: "{shown(text)}" is none', "random, zero, or a .csv file with name,offset_ms")
    return offset_table.read(path, names)


def replayed(log: Path, name: str, asked: Answer) -> dict[int, list[tuple[int, bytes, bool]]]:
    """The frames of a log that are those of a node, by index of their messages, with times from the log's first frame.
    UserError: it has none of them, or cannot be read."""
    faults.node("--replay", name, nodes(asked))
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
