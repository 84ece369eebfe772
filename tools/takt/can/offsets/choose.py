# SPDX-License-Identifier: Apache-2.0
"""Offsets that make the largest response / deadline small: a heuristic, whose verdict is that of the analysis.

The releases of each node are spread first, as by Grenier, Havet and Navet 2008 ("Pushing the limits of CAN: scheduling
frames with offsets provides a major performance boost", ERTS): message by message, the shortest period first, each gets
the offset that is farthest from those of its node. Then single offsets are changed at random, and a change is kept if
the bounds are better. That finds no optimum, and does not say how far from one it is.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from takt.can import check
from takt.can.check import Answer, Row
from takt.can.phases import clock
from takt.support.errors import UserError
from takt.support.names import shown

CANDIDATES_MAX = 1_000  # offsets of a message that are compared when it is placed
SEED = 1


@dataclass(frozen=True)
class Choice:
    """`before`: with the offsets that the file gives. `offsets`: in ns, of the messages of `after` by name."""

    before: Answer
    after: Answer
    offsets: dict[str, int]


def choose(asked: Answer, step_ns: int, tries: int, tried: Callable[[], None]) -> Choice:
    """Offsets in whole steps, less than the period. `tried` is called after each of so many changes. UserError: no node
    has two messages to which offsets can be given."""
    before = _with(asked, {})
    rows = _chosen(asked)
    best = _spread(rows, step_ns)
    after = _with(asked, best)
    if _measure(before) <= _measure(after):  # what the file says is better
        best = {row.message.name: row.message.offset_ns or 0 for row in rows}
        after = _with(asked, best)
    chance = random.Random(SEED)
    for _ in range(tries):
        row = chance.choice(rows)
        offset = chance.randrange(-(-row.period_ns // step_ns)) * step_ns
        if offset != best[row.message.name]:
            changed = {**best, row.message.name: offset}
            found = _with(asked, changed)
            if _measure(found) < _measure(after):
                best, after = changed, found
        tried()
    return Choice(before, after, best)


def _chosen(asked: Answer) -> list[Row]:
    rows, controllers = asked.rows, asked.question.controllers
    nodes = Counter(clock(row.message) for row in rows)
    several = [row for row in rows if (name := clock(row.message)) is not None and nodes[name] > 1]
    if not several:
        problem = "no node releases two messages by its clock: all are sent on events too, or by several nodes or none"
        raise UserError(problem, "a file that names the sender of each message")
    found = [row for row in several if not controllers.is_held(row.message)]
    if not found:
        problem = "--controller: offsets count of messages that their node does not hold back, and there are none"
        raise UserError(problem, "priority or 3/abort for the nodes whose messages get offsets: NODE=priority")
    name, count = Counter(row.message.name for row in rows).most_common(1)[0]
    if count > 1:
        raise UserError(f'{count} messages are "{shown(name)}", and offsets go by name', "a name for each message")
    return found


def _with(asked: Answer, offsets: Mapping[str, int]) -> Answer:
    """The same messages with these offsets; those that are not named keep theirs."""
    rows = [replace(row, message=replace(row.message, offset_ns=offsets.get(row.message.name, row.message.offset_ns)))
            for row in asked.rows]  # fmt: skip
    return check.of_rows(rows, replace(asked.question, offsets=True), asked.left)


def _measure(asked: Answer) -> tuple[int, Fraction, float]:
    """Less is better: messages without a bound, the largest response / deadline, and the sum of all."""
    shares = [Fraction(one.response_ns, row.deadline_ns) for row, one in zip(asked.rows, asked.found, strict=True)
              if one.response_ns is not None]  # fmt: skip
    return len(asked.rows) - len(shares), max(shares, default=Fraction(0)), float(sum(shares))


def _spread(rows: Sequence[Row], step_ns: int) -> dict[str, int]:
    placed: dict[str | None, list[tuple[int, int]]] = {}  # of each node periods and offsets
    found = {}
    for row in sorted(rows, key=lambda one: one.period_ns):
        others = placed.setdefault(clock(row.message), [])
        steps = -(-row.period_ns // step_ns)
        stride = -(-steps // CANDIDATES_MAX) * step_ns
        offset = _farthest(row.period_ns, range(0, row.period_ns, stride), others)
        others.append((row.period_ns, offset))
        found[row.message.name] = offset
    return found


def _farthest(period_ns: int, candidates: range, others: Sequence[tuple[int, int]]) -> int:
    return max(candidates, key=lambda one: (_distances(one, period_ns, others), -one))


def _distances(offset_ns: int, period_ns: int, others: Sequence[tuple[int, int]]) -> list[int]:
    """The least distances between releases, the shortest first."""
    found = []
    for period, other in others:
        common = math.gcd(period, period_ns)
        ahead = (offset_ns - other) % common
        found.append(min(ahead, common - ahead))
    return sorted(found)
