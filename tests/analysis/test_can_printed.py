# SPDX-License-Identifier: Apache-2.0
"""The conditions for CAN that seed 000 prints, beside the same in their own words: every time of S is tried."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from takt.support.c.analysis import CanDeadlines, CanStream, Status, Verdict

SETS = 600
FEASIBLE, INFEASIBLE, UNDECIDED = Verdict.FEASIBLE, Verdict.INFEASIBLE, Verdict.UNDECIDED


@dataclass(frozen=True)
class Bus:
    """Streams as send, period, deadline, by deadline. `above`: send and period of the frame above all."""

    streams: tuple[tuple[int, int, int], ...]
    blocking: int = 6
    region: int = 4
    above: tuple[int, int] = (0, 0)

    def latest(self, index: int) -> int:
        return self.streams[index][2] - self.streams[index][0]

    def c(self, iterations: int = 10_000, bit: int = 1) -> CanDeadlines:
        count = len(self.streams)
        return CanDeadlines(
            streams=(CanStream * count)(*(CanStream(*one) for one in self.streams)),
            stream_count=count,
            bit_ns=bit,
            region_ns=self.region,
            blocking_ns=self.blocking,
            above_ns=self.above[0],
            above_period_ns=self.above[1],
            iterations=iterations,
        )


def judged(library: ctypes.CDLL, condition: str, bus: CanDeadlines) -> Status | list[Verdict]:
    """Of each stream; of earliest deadline first one verdict for all."""
    verdicts = (ctypes.c_uint32 * (bus.stream_count + 1))()
    status = Status(getattr(library, f"takt_analysis_can_printed_{condition}")(ctypes.byref(bus), verdicts))
    count = 1 if condition == "earliest" else bus.stream_count
    return [Verdict(one) for one in verdicts[:count]] if status == Status.OK else status


def ceiling(time: int, period: int) -> int:
    return -(-time // period)


def above(bus: Bus, time: int) -> int:
    return ceiling(time, bus.above[1]) * bus.above[0] if bus.above[0] else 0


def times(bus: Bus, last: int) -> set[int]:
    """S: releases of all, with those of the frame above, and the last time."""
    periods = [period for _, period, _ in bus.streams] + ([bus.above[1]] if bus.above[0] else [])
    return {last} | {at for period in periods for at in range(period, last + 1, period)}


def fixed(bus: Bus, index: int) -> bool:
    """sum of ceil(t / T_j) C_j over j < i + C_p <= t."""
    return any(
        sum(ceiling(time, period) * send for send, period, _ in bus.streams[:index]) + bus.blocking + above(bus, time)
        <= time
        for time in times(bus, bus.latest(index))
    )


def mixed(bus: Bus, index: int) -> bool:
    """sum of ceil(t / T_j)* C_j over j != i + C_p < t, of the first message of i."""
    own = bus.latest(index)

    def starred(time: int, other: int) -> int:
        count = ceiling(time, bus.streams[other][1])
        release = (count - 1) * bus.streams[other][1]
        theirs = release + bus.latest(other)
        first = own > theirs or (own < theirs <= own + bus.region and other < index and release < own)
        return count if first else count - 1

    others = [other for other in range(len(bus.streams)) if other != index]
    return any(
        sum(starred(time, other) * bus.streams[other][0] for other in others) + bus.blocking + above(bus, time) < time
        for time in times(bus, own)
    )


def earliest(bus: Bus) -> bool:
    """At every time up to far beyond the longest busy period: what is due by then, if anything, and C_p fit."""
    if sum(send / period for send, period, _ in bus.streams) + (bus.above[0] / bus.above[1] if bus.above[0] else 0) > 1:
        return False
    for time in range(1200):
        due = sum(
            ((time - deadline) // period + 1) * send for send, period, deadline in bus.streams if time >= deadline
        )
        if due and due + above(bus, time) + bus.blocking > time:
            return False
    return True


def random_bus(source: random.Random) -> Bus:
    streams = []
    for _ in range(source.randint(1, 6)):
        send, period = source.randint(2, 9), source.randint(12, 80)
        streams.append((send, period, source.randint(min(send + 3, period), period)))
    streams.sort(key=lambda one: one[2])
    above = source.choice(((0, 0), (1, 16), (3, 32)))
    return Bus(tuple(streams), source.randint(1, 9), source.choice((1, 4, 8, 16)), above)


@pytest.mark.parametrize(("condition", "words"), [("fixed", fixed), ("mixed", mixed)])
def test_each_stream_is_judged_as_the_words_say(
    library: ctypes.CDLL, condition: str, words: Callable[[Bus, int], bool]
) -> None:
    source, accepted, judgements = random.Random(condition), 0, 0
    for _ in range(SETS):
        bus = random_bus(source)
        wanted = [FEASIBLE if words(bus, index) else INFEASIBLE for index in range(len(bus.streams))]
        assert judged(library, condition, bus.c()) == wanted, bus
        accepted += wanted.count(FEASIBLE)
        judgements += len(wanted)
    assert 0.2 < accepted / judgements < 0.9


def test_earliest_deadline_first_is_judged_as_the_words_say(library: ctypes.CDLL) -> None:
    source, accepted = random.Random(5), 0
    for _ in range(SETS // 6):
        bus = random_bus(source)
        wanted = earliest(bus)
        assert judged(library, "earliest", bus.c()) == [FEASIBLE if wanted else INFEASIBLE], bus
        accepted += wanted
    assert SETS / 30 < accepted < SETS / 8


def test_equal_deadlines_to_start_do_not_delay_each_other(library: ctypes.CDLL) -> None:
    """As it is printed: neither < nor > holds between them."""
    equal, later = Bus(((5, 40, 15), (5, 40, 15)), 9), Bus(((5, 40, 15), (5, 40, 16)), 9)
    assert judged(library, "mixed", equal.c()) == [FEASIBLE] * 2
    assert judged(library, "mixed", later.c()) == [FEASIBLE, INFEASIBLE]
    assert judged(library, "fixed", equal.c()) == [FEASIBLE, INFEASIBLE]


@pytest.mark.parametrize("condition", ["fixed", "mixed", "earliest"])
def test_their_edges(library: ctypes.CDLL, condition: str) -> None:
    one = Bus(((5, 20, 11),), 5)
    assert judged(library, condition, one.c()) == [FEASIBLE]
    assert judged(library, condition, Bus(((5, 20, 11),), 7).c()) == [INFEASIBLE]
    assert judged(library, condition, Bus(((5, 20, 11),), 5, above=(2, 30)).c()) == [INFEASIBLE]
    assert judged(library, condition, Bus(((11, 20, 11),), 5).c()) == [INFEASIBLE], "no time to start"
    assert judged(library, condition, one.c(iterations=0)) == [UNDECIDED]
    assert judged(library, condition, Bus(((5, 0, 11),)).c()) == Status.INVALID
    assert judged(library, condition, one.c(bit=6)) == Status.INVALID


def test_a_load_of_exactly_one_is_undecided(library: ctypes.CDLL) -> None:
    assert judged(library, "earliest", Bus(((2, 4, 4000), (2, 4, 4000)), 1).c(iterations=200)) == [UNDECIDED]
    assert judged(library, "earliest", Bus(((3, 4, 4000), (2, 4, 4000)), 1).c()) == [INFEASIBLE]
    assert judged(library, "earliest", Bus(((5, 40, 30), (5, 40, 30)), 1).c(iterations=2)) == [UNDECIDED]
    assert judged(library, "earliest", Bus(()).c()) == [FEASIBLE]
