# SPDX-License-Identifier: Apache-2.0
"""Identifiers of CAN that carry deadlines: the condition beside a simulation of the bus, which it never contradicts.

TAKT_SETS: how many random buses (default 300, with --full 20000).
"""

from __future__ import annotations

import ctypes
import heapq
import os
import random
from dataclasses import dataclass, replace
from itertools import permutations

import pytest
from takt.can.bounds import Frame, responses
from takt.support.c.analysis import CanDeadlines, CanStream, Status, Verdict

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
BUSES = int(os.environ.get("TAKT_SETS", "20000" if FULL else "300"))
TRIALS = 40
HORIZON = 400
FEASIBLE, INFEASIBLE, UNDECIDED = Verdict.FEASIBLE, Verdict.INFEASIBLE, Verdict.UNDECIDED


@dataclass(frozen=True)
class Bus:
    """Streams as send, period, deadline, in the order in which they win ties. `above`: the same of its frame, and its
    least distance."""

    streams: tuple[tuple[int, int, int], ...]
    region: int = 1
    blocking: int = 0
    error: int = 0
    above: tuple[int, int] = (0, 0)

    def latest(self, index: int) -> int:
        """From release until its message must have begun."""
        send, _, deadline = self.streams[index]
        return deadline - send


def judge(library: ctypes.CDLL, bus: Bus, bit: int = 1, iterations: int = 1_000_000) -> Status | list[Verdict]:
    count = len(bus.streams)
    verdicts = (ctypes.c_uint32 * count)()
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
                    iterations=iterations,
                )
            ),
            verdicts,
        )
    )
    return status if status != Status.OK else [Verdict(one) for one in verdicts]


def simulate(bus: Bus, releases: list[list[int]], ticks: list[int], source: random.Random | None = None) -> set[int]:
    """Streams with a message that began too late. What loses against all begins just before an idle bus gets one. Each
    stream's clock is right, or wrong by `error`; which, changes at random."""
    coming = sorted((at, number) for number, times in enumerate([*releases, ticks]) for at in times)
    waiting: list[tuple[int, int, int]] = []
    late, now, next_ = set(), 0, 0
    while next_ < len(coming) or waiting:
        if not waiting and coming[next_][0] > now:
            now = coming[next_][0] - (1 if bus.blocking else 0) + bus.blocking
        while next_ < len(coming) and coming[next_][0] <= now:
            at, number = coming[next_]
            next_ += 1
            tick = number == len(bus.streams)
            wrong = bus.error if source and source.random() < 0.5 else 0
            region = -1 if tick else (at + bus.latest(number) + wrong) // bus.region
            heapq.heappush(waiting, (region, number, at))
        _, number, at = heapq.heappop(waiting)
        if number == len(bus.streams):
            now += bus.above[0]
            continue
        if now > at + bus.latest(number):
            late.add(number)
        now += bus.streams[number][0]
    return late


def random_bus(source: random.Random) -> Bus:
    streams = []
    for _ in range(source.randint(2, 6)):
        send, period = source.randint(2, 9), source.randint(12, 80)
        streams.append((send, period, source.randint(send + 3, period + 20)))
    streams.sort(key=lambda one: one[2])
    above = source.choice(((0, 0), (0, 0), (1, 64), (3, 32)))
    region, blocking = source.choice((1, 1, 4, 8, 16, 32)), source.choice((0, 5, 9))
    return Bus(tuple(streams), region, blocking, source.choice((0, 0, 3, 8)), above)


def random_times(source: random.Random, first: int, period: int) -> list[int]:
    times, at = [], first
    while at < HORIZON:
        times.append(at)
        at += period + (source.randint(0, period // 3) if source.random() < 0.1 else 0)
    return times


def trial(source: random.Random, bus: Bus) -> set[int]:
    periods = [period for _, period, _ in bus.streams]
    together = source.random() < 0.4
    firsts = [50 if together and source.random() < 0.8 else source.randint(0, period) for period in periods]
    releases = [random_times(source, first, period) for first, period in zip(firsts, periods, strict=True)]
    ticks = random_times(source, source.randint(0, bus.above[1]), bus.above[1]) if bus.above[0] else []
    return simulate(bus, releases, ticks, source)


def test_nothing_that_is_proved_is_late(library: ctypes.CDLL) -> None:
    """And of what is not proved most is late in some simulation."""
    source = random.Random(11)
    refuted, seen_late = 0, 0
    for _ in range(BUSES):
        bus = random_bus(source)
        verdicts = judge(library, bus)
        assert isinstance(verdicts, list)
        late = set().union(*(trial(source, bus) for _ in range(TRIALS)))
        for number, verdict in enumerate(verdicts):
            assert verdict != FEASIBLE or number not in late, (bus, number)
            refuted += verdict == INFEASIBLE
            seen_late += number in late
    assert seen_late >= 0.6 * refuted > 0


def printed(library: ctypes.CDLL, bus: Bus) -> list[Verdict]:
    """Seed 000, 7.3.6, as it stands: each stream's first message after a synchronous release."""
    count = len(bus.streams)
    streams = (CanStream * count)(*(CanStream(*one) for one in bus.streams))
    known = CanDeadlines(streams, count, 1, bus.region, 0, bus.blocking, 0, 0, 1000)
    verdicts = (ctypes.c_uint32 * count)()
    assert library.takt_analysis_can_printed_mixed(ctypes.byref(known), verdicts) == Status.OK
    return [Verdict(one) for one in verdicts]


def test_what_the_printed_condition_overlooks(library: ctypes.CDLL) -> None:
    """Two streams that it accepts: not the first message of the second is late, but one that comes in the wake of
    others."""
    bus = Bus(((6, 11, 14), (2, 19, 16)), region=4, blocking=6)
    assert printed(library, bus) == [FEASIBLE] * 2
    assert judge(library, bus) == [FEASIBLE, INFEASIBLE]
    releases = [[4 + 11 * at for at in range(6)], [12 + 19 * at for at in range(6)]]
    assert simulate(bus, releases, []) == {1}


def test_by_deadline_where_no_fixed_order_will_do(library: ctypes.CDLL) -> None:
    bus = Bus(((3, 8, 10), (3, 20, 11), (5, 19, 21)))
    for order in permutations(bus.streams):
        bounds = [bound.response_ns or HORIZON for bound in responses([Frame(one[0], one[1]) for one in order], 1)]
        assert any(bound > deadline for bound, (_, _, deadline) in zip(bounds, order, strict=True))
    assert judge(library, bus) == [FEASIBLE] * 3
    assert judge(library, replace(bus, region=16)) != [FEASIBLE] * 3, "so coarse that it is an order"


def test_its_edges(library: ctypes.CDLL) -> None:
    one = ((5, 20, 11),)
    assert judge(library, Bus(one, blocking=6)) == [FEASIBLE]
    assert judge(library, Bus(one, blocking=7)) == [INFEASIBLE]
    assert judge(library, Bus(one, blocking=5, above=(1, 30))) == [FEASIBLE]
    assert judge(library, Bus(one, blocking=6, above=(1, 30))) == [INFEASIBLE]
    assert judge(library, Bus(((5, 9, 40), (5, 11, 40)))) == [INFEASIBLE] * 2, "load above 1"
    assert judge(library, Bus(((5, 10, 30), (5, 10, 30)), blocking=5), iterations=200) == [UNDECIDED] * 2, "load 1"
    assert judge(library, Bus(()), 1) == []
    far = 2**62
    assert judge(library, Bus(((far, far, far), (1, far, far)))) in ([INFEASIBLE] * 2, [UNDECIDED] * 2)
    for wrong in (((5, 0, 11),), ((5, 20, 4),), ((0, 20, 4),), ((5, far + 1, 11),), ((5, 20, far + 1),)):
        assert judge(library, Bus(wrong)) == Status.INVALID
    assert judge(library, Bus(one, region=0)) == Status.INVALID
    assert judge(library, Bus(one, above=(1, 0))) == Status.INVALID
    assert judge(library, Bus(one), bit=0) == Status.INVALID
    assert judge(library, Bus(one, error=20)) == [FEASIBLE]
    assert judge(library, Bus(one, error=21)) == Status.INVALID
    assert judge(library, Bus(one), bit=6) == Status.INVALID


@pytest.mark.parametrize("iterations", [0, 1, 2, 5])
def test_few_iterations_prove_nothing(library: ctypes.CDLL, iterations: int) -> None:
    bus = Bus(((4, 12, 12), (4, 12, 14), (4, 13, 18)))
    found = judge(library, bus, iterations=iterations)
    assert isinstance(found, list)
    assert set(found) == {UNDECIDED}
