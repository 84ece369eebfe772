# SPDX-License-Identifier: Apache-2.0
"""Identifiers of CAN that carry deadlines: the condition beside a simulation of the bus, which it never contradicts.

TAKT_SETS: how many random buses (default 300, with --full 20000).
"""

from __future__ import annotations

import ctypes
import heapq
import os
import random
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations

import pytest
from takt.can.bounds import Frame, responses
from takt.support.c.analysis import CanDeadlines, CanStream, Status, Verdict

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
BUSES = int(os.environ.get("TAKT_SETS", "20000" if FULL else "300"))
TRIALS = 40
HORIZON = 400
MEDIAN = 0.85  # of the longest response that is seen, as a share of its bound
FEASIBLE, INFEASIBLE, UNDECIDED = Verdict.FEASIBLE, Verdict.INFEASIBLE, Verdict.UNDECIDED


@dataclass(frozen=True)
class Bus:
    """Streams as send, period, deadline, and jitter if any, in the order in which they win ties. `above`: the same of
    its frame, and its least distance, and jitter."""

    streams: tuple[tuple[int, ...], ...]
    region: int = 1
    blocking: int = 0
    error: int = 0
    above: tuple[int, int, int] = (0, 0, 0)

    def latest(self, index: int) -> int:
        """From release until its message must have begun."""
        return self.streams[index][2] - self.streams[index][0]

    def jitter(self, index: int) -> int:
        return self.streams[index][3] if len(self.streams[index]) > 3 else 0


def judge(
    library: ctypes.CDLL, bus: Bus, bit: int = 1, iterations: int = 1_000_000, found: list[int] | None = None
) -> Status | list[Verdict]:
    """`found`: gets the responses."""
    count = len(bus.streams)
    verdicts, responses = (ctypes.c_uint32 * count)(), (ctypes.c_uint64 * count)()
    status = Status(
        library.takt_analysis_can_deadlines(
            ctypes.byref(
                CanDeadlines(
                    streams=(CanStream * count)(*(CanStream(*one) for one in bus.streams)),
                    stream_count=count,
                    bit_ns=bit,
                    region_ns=bus.region,
                    error_ns=bus.error,
                    blocking_ns=bus.blocking,
                    above_ns=bus.above[0],
                    above_period_ns=bus.above[1],
                    above_jitter_ns=bus.above[2],
                    iterations=iterations,
                )
            ),
            verdicts,
            None if found is None else responses,
        )
    )
    if found is not None:
        found[:] = responses
    return status if status != Status.OK else [Verdict(one) for one in verdicts]


Times = list[tuple[int, int]]
"""Of a stream's messages: when each is queued, and its nominal release."""


def simulate(bus: Bus, releases: list[Times], ticks: Times, source: random.Random | None = None) -> list[int]:
    """The longest response of each stream. What loses against all begins just before an idle bus gets one. Each
    stream's clock is right, or wrong by `error`; which, changes at random."""
    coming = sorted((at, number, due) for number, times in enumerate([*releases, ticks]) for at, due in times)
    waiting: list[tuple[int, int, int]] = []
    longest, now, next_ = [0] * len(bus.streams), 0, 0
    while next_ < len(coming) or waiting:
        if not waiting and coming[next_][0] > now:
            now = coming[next_][0] - (1 if bus.blocking else 0) + bus.blocking
        while next_ < len(coming) and coming[next_][0] <= now:
            _, number, due = coming[next_]
            next_ += 1
            tick = number == len(bus.streams)
            wrong = bus.error if source and source.random() < 0.5 else 0
            region = -1 if tick else (due + bus.latest(number) + wrong) // bus.region
            heapq.heappush(waiting, (region, number, due))
        _, number, due = heapq.heappop(waiting)
        if number == len(bus.streams):
            now += bus.above[0]
            continue
        now += bus.streams[number][0]
        longest[number] = max(longest[number], now - due)
    return longest


def late(bus: Bus, longest: list[int]) -> set[int]:
    return {number for number, response in enumerate(longest) if response > bus.streams[number][2]}


def punctual(times: Iterable[int]) -> Times:
    return [(at, at) for at in times]


def random_bus(source: random.Random) -> Bus:
    streams = []
    for _ in range(source.randint(2, 6)):
        send, period = source.randint(2, 9), source.randint(12, 80)
        jitter = source.choice((0, 0, source.randint(1, period // 2)))
        streams.append((send, period, source.randint(send + 3, period + 20), jitter))
    streams.sort(key=lambda one: one[2])
    above = source.choice(((0, 0, 0), (0, 0, 0), (1, 64, 0), (3, 32, 12)))
    region, blocking = source.choice((1, 1, 4, 8, 16, 32)), source.choice((0, 5, 9))
    return Bus(tuple(streams), region, blocking, source.choice((0, 0, 3, 8)), above)


def random_times(source: random.Random, first: int, period: int, jitter: int) -> Times:
    """Some as late as they may be up to `first`, and the next punctual: the most that a window holds."""
    times, due, last = [], first, -1
    bunched = source.random() < 0.5
    while due < HORIZON:
        late = (jitter if due <= first else 0) if bunched else source.choice((0, jitter, source.randint(0, jitter)))
        last = max(last, due + late)
        times.append((last, due))
        due += period + (source.randint(0, period // 3) if source.random() < 0.1 else 0)
    return times


def trial(source: random.Random, bus: Bus) -> list[int]:
    together = source.random() < 0.4
    releases = []
    for number, stream in enumerate(bus.streams):
        period, jitter = stream[1], bus.jitter(number)
        first = 50 - jitter if together and source.random() < 0.8 else source.randint(0, period)
        releases.append(random_times(source, first, period, jitter))
    tick = bus.above
    ticks = random_times(source, source.randint(0, tick[1]), tick[1], tick[2]) if tick[0] else []
    return simulate(bus, releases, ticks, source)


def test_nothing_that_is_proved_is_late(library: ctypes.CDLL) -> None:
    """Nor longer than its bound, which some come near; and of what is not proved most is late in some simulation."""
    source = random.Random(11)
    refuted, seen_late, shares = 0, 0, []
    for _ in range(BUSES):
        bus, bounds = random_bus(source), [0]
        verdicts = judge(library, bus, found=bounds)
        assert isinstance(verdicts, list)
        trials = [trial(source, bus) for _ in range(TRIALS)]
        longest = [max(responses) for responses in zip(*trials, strict=True)]
        for number, verdict in enumerate(verdicts):
            assert verdict != FEASIBLE or number not in late(bus, longest), (bus, number)
            refuted += verdict == INFEASIBLE
            seen_late += number in late(bus, longest)
        if set(verdicts) == {FEASIBLE}:
            assert all(seen <= bound for seen, bound in zip(longest, bounds, strict=True)), (bus, longest, bounds)
            shares += [seen / bound for seen, bound in zip(longest, bounds, strict=True)]
    assert seen_late >= 0.5 * refuted > 0
    assert statistics.median(shares) >= MEDIAN


def printed(library: ctypes.CDLL, bus: Bus) -> list[Verdict]:
    """Seed 000, 7.3.6, as it stands: each stream's first message after a synchronous release."""
    count = len(bus.streams)
    streams = (CanStream * count)(*(CanStream(*one) for one in bus.streams))
    known = CanDeadlines(streams, count, 1, bus.region, 0, bus.blocking, 0, 0, 0, 1000)
    verdicts = (ctypes.c_uint32 * count)()
    assert library.takt_analysis_can_printed_mixed(ctypes.byref(known), verdicts) == Status.OK
    return [Verdict(one) for one in verdicts]


def test_what_the_printed_condition_overlooks(library: ctypes.CDLL) -> None:
    """Two streams that it accepts: not the first message of the second is late, but one that comes in the wake of
    others."""
    bus = Bus(((6, 11, 14), (2, 19, 16)), region=4, blocking=6)
    assert printed(library, bus) == [FEASIBLE] * 2
    assert judge(library, bus) == [FEASIBLE, INFEASIBLE]
    releases = [punctual(4 + 11 * at for at in range(6)), punctual(12 + 19 * at for at in range(6))]
    assert late(bus, simulate(bus, releases, [])) == {1}


def test_by_deadline_where_no_fixed_order_will_do(library: ctypes.CDLL) -> None:
    bus = Bus(((3, 8, 10), (3, 20, 11), (5, 19, 21)))
    for order in permutations(bus.streams):
        bounds = [bound.response_ns or HORIZON for bound in responses([Frame(one[0], one[1]) for one in order], 1)]
        assert any(bound > one[2] for bound, one in zip(bounds, order, strict=True))
    assert judge(library, bus) == [FEASIBLE] * 3
    assert judge(library, replace(bus, region=16)) != [FEASIBLE] * 3, "so coarse that it is an order"


def test_its_edges(library: ctypes.CDLL) -> None:
    one = ((5, 20, 11),)
    assert judge(library, Bus(one, blocking=6)) == [FEASIBLE]
    assert judge(library, Bus(one, blocking=7)) == [INFEASIBLE]
    assert judge(library, Bus(one, blocking=5, above=(1, 30, 0))) == [FEASIBLE]
    assert judge(library, Bus(one, blocking=6, above=(1, 30, 0))) == [INFEASIBLE]
    assert judge(library, Bus(((5, 9, 40), (5, 11, 40)))) == [INFEASIBLE] * 2, "load above 1"
    assert judge(library, Bus(((5, 10, 30), (5, 10, 30)), blocking=5), iterations=200) == [UNDECIDED] * 2, "load 1"
    assert judge(library, Bus(()), 1) == []
    far = 2**62
    assert judge(library, Bus(((far, far, far), (1, far, far)))) in ([INFEASIBLE] * 2, [UNDECIDED] * 2)
    for wrong in (((5, 0, 11),), ((5, 20, 4),), ((0, 20, 4),), ((5, far + 1, 11),), ((5, 20, far + 1),)):
        assert judge(library, Bus(wrong)) == Status.INVALID
    assert judge(library, Bus(one, region=0)) == Status.INVALID
    assert judge(library, Bus(one, above=(1, 0, 0))) == Status.INVALID
    assert judge(library, Bus(one), bit=0) == Status.INVALID
    assert judge(library, Bus(one, error=20)) == [FEASIBLE]
    assert judge(library, Bus(one, error=21)) == Status.INVALID
    assert judge(library, Bus(one), bit=6) == Status.INVALID
    assert judge(library, Bus(((5, 20, 11, far + 1),))) == Status.INVALID
    assert judge(library, Bus(one, above=(1, 30, far + 1))) == Status.INVALID


def test_jitter_shortens_what_is_left_and_gathers_others(library: ctypes.CDLL) -> None:
    assert judge(library, Bus(((5, 20, 11, 6),))) == [FEASIBLE]
    assert judge(library, Bus(((5, 20, 11, 7),))) == [INFEASIBLE], "queued after its latest start"
    assert judge(library, Bus(((5, 20, 11, 6),), blocking=1)) == [INFEASIBLE], "queued at its latest start"
    bounds: list[int] = []
    assert judge(library, Bus(((5, 20, 20, 6),), blocking=3), found=bounds) == [FEASIBLE]
    assert bounds == [3 + 5 + 6]
    assert judge(library, Bus(((4, 30, 12), (4, 30, 29))), found=bounds) == [FEASIBLE] * 2
    assert bounds == [8, 12], "one of the first blocks for 4, then another goes first"
    assert judge(library, Bus(((4, 30, 40, 27), (4, 30, 37)), region=8), found=bounds) == [FEASIBLE] * 2
    assert bounds[1] == 16, "one that was due 27 earlier has just begun, and the next goes first, too"
    assert judge(library, Bus(((5, 60, 60),), above=(3, 20, 0)), found=bounds) == [FEASIBLE]
    assert bounds == [8]
    assert judge(library, Bus(((5, 60, 60),), above=(3, 20, 18)), found=bounds) == [FEASIBLE]
    assert bounds == [11], "two ticks in a row"


@pytest.mark.parametrize("iterations", [0, 1, 2, 5])
def test_few_iterations_prove_nothing(library: ctypes.CDLL, iterations: int) -> None:
    bus = Bus(((4, 12, 12), (4, 12, 14), (4, 13, 18)))
    found = judge(library, bus, iterations=iterations)
    assert isinstance(found, list)
    assert set(found) == {UNDECIDED}
