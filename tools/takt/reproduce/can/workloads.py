# SPDX-License-Identifier: Apache-2.0
"""The workloads of seed 000, 7.5.1: messages of one CAN bus at 1 Mbit/s.

What the seed leaves open: lengths are 0 to 8 bytes, each alike; a period is the deadline and up to half of it more.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

MS = 1_000_000  # ns
BIT_NS = 1000
SPORADIC_NS = 2000 * MS  # least distance
HIGH_MS = (0.5, 2.0)  # deadlines
LOW_PERIODIC, LOW_SPORADIC = 25, 4
STREAMS = (8, 9, 10, 11, 12, 13, 14, 15)
"""High-speed periodic streams, a point of each curve."""


class Lengths(Enum):
    """What a frame takes with its intermission, as bits before the data, bits before them that may get stuff bits, and
    whether there are any."""

    PLAIN = (47, 34, False)
    STUFFED = (47, 34, True)
    PLAIN_LONG = (67, 54, False)  # identifiers of 29 bits
    STUFFED_LONG = (67, 54, True)

    def bits(self, size: int) -> int:
        """Of a frame with `size` bytes, at most."""
        around, stuffed_around, stuffed = self.value
        return around + 8 * size + ((stuffed_around + 8 * size - 1) // 4 if stuffed else 0)


class Message(NamedTuple):
    """A stream of messages of `size` bytes."""

    size: int
    period_ns: int
    deadline_ns: int
    periodic: bool


@dataclass(frozen=True)
class Kind:
    """What is drawn: the longest deadline of a low-speed stream, and the number of high-speed sporadic streams."""

    low_ms: int = 100
    sporadic: int = 2


@dataclass(frozen=True)
class Workload:
    """Both in the order of their deadlines."""

    high: tuple[Message, ...]
    low: tuple[Message, ...]

    def load(self, lengths: Lengths) -> float:
        """Share of the bus."""
        return sum(lengths.bits(one.size) * BIT_NS / one.period_ns for one in (*self.high, *self.low))


def draw(seed: int, kind: Kind, periodic: int, number: int) -> Workload:
    """Always the same. Workloads that differ in `kind` alone have the same streams in other measures, as far as both
    have them."""
    chance = random.Random(f"{seed} {periodic} {number}")

    def streams(count: int, sporadic: int, deadlines_ms: tuple[float, float]) -> list[Message]:
        found = []
        for index in range(count + sporadic):
            size, share, more = chance.randrange(9), chance.random(), chance.random()
            deadline = round(MS * (deadlines_ms[0] + share * (deadlines_ms[1] - deadlines_ms[0])))
            period = round(deadline * (1 + more / 2)) if index < count else SPORADIC_NS
            found.append(Message(size, period, deadline, index < count))
        return found

    low = streams(LOW_PERIODIC, LOW_SPORADIC, (HIGH_MS[1], kind.low_ms))
    high = streams(periodic, kind.sporadic, HIGH_MS)
    return Workload(*(tuple(sorted(part, key=lambda one: one.deadline_ns)) for part in (high, low)))
