# SPDX-License-Identifier: Apache-2.0
"""The page of a simulation: the load of the bus, and each response beside its bound."""

from __future__ import annotations

from takt.can.simulation import words
from takt.can.simulation.outcome import Outcome
from takt.can.view import page as pages
from takt.can.view.load import Load, Row
from takt.can.view.page import View
from takt.can.words import rate_text
from takt.support.durations import brief
from takt.support.names import shown


def page(found: Outcome, load: Load, name: str) -> str:
    """`load`: filled by the simulation. `name`: of the file that describes the bus."""
    rate = rate_text(found.asked.question.rate.nominal)
    facts = [
        ("bit rate", rate),
        ("time", brief(found.simulated_ns)),
        ("frames", str(sum(one.sent for one in found.seen))),
        ("load", f"{float(found.load):.3f} (at most {float(found.asked.load):.3f})"),
        ("errors", str(found.errors)),
        ("seed", str(found.how.seed)),
    ]
    view = View(shown(name), load, [_row(found, index) for index in range(len(found.seen))])
    return pages.page(f"{shown(name)} at {rate}, simulated", (words.headline(found), not found.above), facts, [view])


def _row(found: Outcome, index: int) -> Row:
    row, seen = found.asked.rows[index], found.seen[index]
    late = seen.response_ns is not None and seen.response_ns > row.deadline_ns
    return Row(
        shown(row.message.name),
        row.message.id_text,
        seen.sent,
        seen.response_ns,
        found.asked.found[index].response_ns,
        row.deadline_ns,
        "ABOVE" if found.is_above(index) else "LATE" if late else "",
    )
