# SPDX-License-Identifier: Apache-2.0
"""The page of a log: the load of the bus, and of each identifier how unevenly its frames came."""

from __future__ import annotations

from dataclasses import dataclass, field

from takt.can.check import Answer
from takt.can.lengths import Rate
from takt.can.logs import words
from takt.can.logs.entry import Entry
from takt.can.logs.words import Read
from takt.can.messages import Identifier
from takt.can.view import page
from takt.can.view.load import Load, Row
from takt.can.view.page import View
from takt.can.words import rate_text
from takt.support.durations import brief
from takt.support.names import shown

_INTERMISSION = 3  # bits, which a time stamp at the end of a frame does not have


@dataclass
class Seen:
    """Fills `load` with the entries of a log, whose time stamps are those of the ends of frames."""

    rate: Rate
    load: Load = field(default_factory=Load)
    indices: dict[Identifier, int] = field(default_factory=dict)
    _begin_ns: int | None = None

    def note(self, one: Entry, busy_ns: int) -> None:
        bits_ns = max(0, busy_ns - _INTERMISSION * 1_000_000_000 // self.rate.nominal)
        if self._begin_ns is None:
            self._begin_ns = one.time_ns - bits_ns
        end_ns = max(0, one.time_ns - self._begin_ns)
        index = None if one.error else self.indices.setdefault((one.identifier, one.extended), len(self.indices))
        self.load.add(max(0, end_ns - bits_ns), end_ns, index, error=one.error)


def html(seen: Seen, read: Read, name: str, asked: Answer | None) -> str:
    """The page. `name`: of the log. `asked`: what is proved of its messages; None: nothing is compared."""
    found = read.measured
    facts = [
        ("bit rate", rate_text(seen.rate.nominal)),
        ("time", brief(found.end_ns - found.begin_ns)),
        ("frames", str(found.frames)),
        ("load", f"{found.load:.3f}, at most {found.load_max:.3f} in {brief(found.window_ns)}"),
        ("error frames", str(found.errors)),
    ]
    keys = by_identifier(seen)
    note = (
        "Uneven is the largest difference of a distance of two frames from the period, which is allowed as far as the "
        "bound on the response is above the shortest frame."
    )
    view = View(
        name, seen.load, [_row(read, key, asked) for key in keys], "uneven", "allowed", () if asked is None else (note,)
    )
    return page.page(f"{name}: log of a bus", (words.headline(read), not read.findings), facts, [view])


def by_identifier(seen: Seen) -> list[Identifier]:
    """The identifiers in the order of arbitration, which is that of the rows of `load` from now on."""
    keys = sorted(seen.indices, key=_arbitration)
    seen.load.renumber({seen.indices[key]: number for number, key in enumerate(keys)})
    return keys


def _arbitration(key: Identifier) -> tuple[int, bool, int]:
    number, extended = key
    return number >> 18 if extended else number, extended, number


def _row(read: Read, key: Identifier, asked: Answer | None) -> Row:
    stream, name = read.measured.streams[key], read.names.get(key)
    kinds = {one.kind: None for one in read.findings or [] if (one.identifier, one.extended) == key}
    index = None
    if asked is not None:
        counted = ((row.message.identifier, row.message.extended) for row in asked.rows)
        index = next((number for number, other in enumerate(counted) if other == key), None)
    uneven, allowed = stream.jitter_ns, None
    if asked is not None and index is not None and stream.count > 1:
        row, response_ns = asked.rows[index], asked.found[index].response_ns
        gaps = [one for one in (stream.gap_min_ns, stream.gap_max_ns) if one is not None]
        uneven = max(abs(one - row.period_ns) for one in gaps)
        allowed = None if response_ns is None else response_ns - row.unstuffed_ns
    text = words.id_text(*key)
    return Row(shown(name) if name else text, text, stream.count, uneven, allowed, None, ", ".join(kinds))
