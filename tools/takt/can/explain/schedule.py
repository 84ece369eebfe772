# SPDX-License-Identifier: Apache-2.0
"""Frames on the bus, one after the other, from the beginning of a busy period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from takt.can.check import Row
from takt.support.errors import UserError

FRAMES_MAX = 100_000


@dataclass(frozen=True)
class Frame:
    """On the bus, from `start_ns` to `end_ns` with its intermission; `queued_ns`: when its node had it. Times count
    from the beginning of the busy period. `row`: of the answer."""

    row: int
    queued_ns: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class Schedule:
    """Up to the latest instance, which is number `instance` (from 0)."""

    frames: list[Frame]
    instance: int


class Bus:
    """What is sent, as it is chosen. Each message is queued as late as its jitter allows at first, all at once, and
    then as soon as it may."""

    def __init__(self, rows: Sequence[Row], jitters_ns: Sequence[int]) -> None:
        self.rows, self.jitters_ns = rows, jitters_ns
        self.now, self.frames = 0, list[Frame]()
        self.counts = [0] * len(rows)
        self.coming = [0] * len(rows)

    def send(self, index: int, queued_ns: int) -> None:
        """UserError: there are too many."""
        if len(self.frames) >= FRAMES_MAX:
            raise UserError(f"the busy period has more than {FRAMES_MAX} frames", "a bus with less load")
        end = self.now + self.rows[index].send_ns
        self.frames.append(Frame(index, queued_ns, self.now, end))
        self.now = end

    def send_next(self, index: int) -> None:
        """Its next instance."""
        self.send(index, self.coming[index])
        self.counts[index] += 1
        self.coming[index] = self.arrival(index, self.counts[index])

    def arrival(self, index: int, number: int) -> int:
        return max(0, number * self.rows[index].period_ns - self.jitters_ns[index])

    def first_of(self, indices: Sequence[int], before_ns: int) -> int | None:
        """The first message of `indices` that is queued before a time."""
        return next((index for index in indices if self.coming[index] < before_ns), None)


def by_priority(rows: Sequence[Row], row: int, blocker: int | None, jitters_ns: Sequence[int], bit_ns: int) -> Schedule:
    """`blocker` has just begun when all messages up to `row` are queued. A frame that is queued within the first bit
    of another still takes part in the arbitration."""
    bus = Bus(rows[: row + 1] if blocker is None else rows, jitters_ns)
    if blocker is not None:
        bus.send(blocker, 0)
    best = (-1, 0, 0)
    while True:
        chosen = bus.first_of(range(row), bus.now + bit_ns)
        if chosen is None and bus.coming[row] > bus.now:
            return Schedule(bus.frames[: best[1] + 1], best[2])
        index, number = row if chosen is None else chosen, bus.counts[row]
        bus.send_next(index)
        if index == row:
            response = bus.now - number * rows[row].period_ns
            best = max(best, (response, len(bus.frames) - 1, number), key=lambda known: (known[0], -known[1]))
