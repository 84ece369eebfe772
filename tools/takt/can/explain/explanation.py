# SPDX-License-Identifier: Apache-2.0
"""The busy period that makes the bound of a message: the frames on the bus, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from takt.can import check
from takt.can.check import Answer
from takt.can.controllers import ALL_BY_PRIORITY
from takt.can.explain import queues
from takt.can.explain.queues import Found
from takt.can.explain.schedule import Frame, by_priority
from takt.can.find import message as find_message
from takt.support.errors import UserError
from takt.support.names import shown


@dataclass(frozen=True)
class Explanation:
    """`frames`: the first blocks, if `blocked`; the last is the latest instance, number `instance` (from 0), which is
    nominally released at `released_ns`. `rest_ns`: what the bound has beyond the schedule, which only errors are.
    `by_priority_ns`: the bound if every node queued by priority; None: it has none then. `holder`: the node of the
    frame that blocks, if frames of it with lower identifiers have gathered behind that one. `whole`: the message waits
    for all frames of the busy period of the whole bus, since no case in its node's queue takes longer."""

    asked: Answer
    row: int
    frames: tuple[Frame, ...]
    blocked: bool
    instance: int
    released_ns: int
    rest_ns: int
    by_priority_ns: int | None
    holder: str | None = None
    whole: bool = False

    @property
    def response_ns(self) -> int:
        return self.frames[-1].end_ns - self.released_ns

    def is_inverted(self, index: int) -> bool:
        """Whether a frame goes first although its identifier is higher; that which has just begun aside."""
        return self.frames[index].row > self.row and not (self.blocked and index == 0)

    @property
    def inversion_ns(self) -> int:
        """Time of the frames that go first although their identifiers are higher."""
        inverted = (one for index, one in enumerate(self.frames) if self.is_inverted(index))
        return sum(one.end_ns - one.start_ns for one in inverted)


def of(asked: Answer, text: str) -> Explanation:
    """Of the message of this name or identifier. UserError: it has no bound, or there is no such message."""
    message = find_message([one.message for one in asked.rows], text, "MESSAGE")
    row = next(index for index, one in enumerate(asked.rows) if one.message is message)
    bound_ns = asked.found[row].response_ns
    if bound_ns is None:
        load = sum(one.send_ns / one.period_ns for one in asked.rows[: row + 1])
        problem = f'"{shown(message.name)}" has no bound: with the messages before it the load is {load:.3f}'
        if not asked.question.controllers.all_by_priority:
            problem += f", with all messages {float(asked.load):.3f}"
        raise UserError(problem, "a higher --bitrate, or fewer messages and errors")
    plain = asked.question.controllers.all_by_priority
    found = _by_priority(asked, row) if plain else queues.worst(asked, row)
    by_priority_ns = bound_ns if plain else check.with_controllers(asked, ALL_BY_PRIORITY).found[row].response_ns
    return Explanation(
        asked,
        row,
        tuple(found.schedule.frames),
        found.blocked,
        found.schedule.instance,
        found.released_ns,
        bound_ns - found.response_ns,
        by_priority_ns,
        None if found.holder is None else asked.rows[found.schedule.frames[0].row].message.senders[0],
        found.whole,
    )


def _by_priority(asked: Answer, row: int) -> Found:
    """The worst case: the longest frame with a higher identifier has just begun, and every other is queued at once, as
    late as its jitter allows."""
    rows = asked.rows
    below = max(range(row + 1, len(rows)), key=lambda index: rows[index].send_ns, default=None)
    schedule = by_priority(rows, row, below, [one.jitter_ns for one in rows], check.bus_of(asked.question)[0])
    return Found(schedule, below is not None, schedule.instance * rows[row].period_ns - rows[row].jitter_ns)
