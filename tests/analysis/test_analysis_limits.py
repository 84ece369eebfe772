# SPDX-License-Identifier: Apache-2.0
"""The C interface at its edges: huge numbers, few iterations, broken input. A status or `undecided`, never a guess."""

from __future__ import annotations

import ctypes
import random
from fractions import Fraction

import pytest
from analysis_sets import FEASIBLE, INFEASIBLE, UNDECIDED, Row, feasible, make_set
from takt.prove.analysis_library import (
    DEADLINE,
    EQUAL,
    INVALID,
    LIMIT,
    OK,
    OVERFLOW,
    UNBOUNDED,
    Hold,
    Mutex,
    Reason,
    Set,
    User,
    load,
)

TIME_MAX = 2**62


def response(of: Set, task: int) -> tuple[int, int]:
    """Status and bound of one task; the status of the call if that is not OK."""
    bounds, statuses = (ctypes.c_uint64 * of.task_count)(), (ctypes.c_int * of.task_count)()
    status = load().takt_analysis_responses(of, bounds, statuses)
    return (status, 0) if status != OK else (statuses[task], bounds[task])


def blocking(of: Set, holds: list[tuple[int, int, int]], mutexes: int) -> tuple[int, list[int]]:
    """Holds are (hold, mutex, task)."""
    result = (ctypes.c_uint64 * of.task_count)()
    users = (User * of.task_count)()
    array = (Hold * len(holds))(*(Hold(*hold) for hold in holds))
    status = load().takt_analysis_blocking(of, array, len(holds), (Mutex * mutexes)(), mutexes, users, result)
    return status, list(result)


GOOD = Row(1, 10)


@pytest.mark.parametrize(
    ("rows", "more"),
    [
        ([Row(TIME_MAX + 1, 10)], {}),
        ([Row(1, TIME_MAX + 1)], {}),
        ([Row(1, 10, TIME_MAX + 1)], {}),
        ([Row(1, 10, 0)], {}),
        ([Row(1, 10, 5, jitter=TIME_MAX + 1)], {}),
        ([Row(1, 10, release=TIME_MAX + 1)], {}),
        ([Row(1, 10, blocking=TIME_MAX + 1)], {}),
        ([Row(1, 10, order=2)], {}),
        ([Row(1, 10, level=1), Row(1, 10, level=0)], {}),
        ([Row(1, 10, order=EQUAL), Row(1, 10, order=DEADLINE)], {}),
        ([Row(1, 0), Row(1, 10)], {}),
        ([Row(1, 10), Row(1, 0)], {}),
        ([Row(1, 0), Row(1, 10, level=1)], {}),
        ([Row(1, 10, order=DEADLINE)], {"cooperative": True}),
        ([GOOD], {"interrupts": ((1, 0),)}),
        ([GOOD], {"interrupts": ((TIME_MAX + 1, 1),)}),
        ([GOOD], {"interrupts": ((1, TIME_MAX + 1),)}),
        ([GOOD], {"lock": TIME_MAX + 1}),
    ],
)
def test_broken_input_is_refused(rows: list[Row], more: dict[str, object]) -> None:
    of = make_set(rows, **more)  # type: ignore[arg-type]
    assert feasible(of)[:2] == (INVALID, UNDECIDED)
    assert response(of, 0) == (INVALID, 0)
    assert blocking(of, [], 0)[0] == INVALID


def test_broken_holds_are_refused() -> None:
    of = make_set([GOOD, Row(5, 0, level=1)])
    assert blocking(of, [(1, 0, 2)], 1)[0] == INVALID
    assert blocking(of, [(1, 1, 0)], 1)[0] == INVALID
    assert blocking(of, [(2, 0, 0)], 1)[0] == INVALID
    assert blocking(of, [(1, 0, 0), (99, 0, 1)], 1) == (OK, [99, 0])


def test_nothing_to_judge() -> None:
    assert feasible(make_set([])) == (OK, FEASIBLE, [])
    assert feasible(make_set([Row(9, 0), Row(9, 0)])) == (OK, FEASIBLE, [FEASIBLE, FEASIBLE])
    assert feasible(make_set([GOOD, Row(9, 0, level=1), Row(9, 0, level=2)])) == (OK, FEASIBLE, [FEASIBLE] * 3)
    assert response(make_set([Row(9, 0)]), 0)[0] == UNBOUNDED
    assert response(make_set([GOOD, Row(9, 0, level=1, release=5)]), 0) == (OK, 1)


def test_jobs_that_take_no_time() -> None:
    for order in (EQUAL, DEADLINE):
        of = make_set([Row(0, 10, order=order), Row(0, 7, order=order)])
        assert feasible(of)[1] == FEASIBLE
        assert response(of, 0) == (OK, 0)
        late = make_set([Row(0, 10, order=order, jitter=3), Row(0, 10, order=order, jitter=2)])
        assert [response(late, task) for task in (0, 1)] == [(OK, 3), (OK, 2)]
        below = make_set([Row(9, 10), Row(0, 10, 8, level=1, order=order), Row(0, 10, 9, level=2, order=order)])
        assert feasible(below)[2] == [FEASIBLE, INFEASIBLE, FEASIBLE]
        assert [response(below, task) for task in (1, 2)] == [(OK, 9), (OK, 9)]


@pytest.mark.parametrize("order", [EQUAL, DEADLINE])
def test_huge_times_that_fit(order: int) -> None:
    of = make_set([Row(TIME_MAX // 2, TIME_MAX, order=order), Row(TIME_MAX // 2, TIME_MAX, order=order)])
    assert feasible(of)[1] == FEASIBLE
    assert response(of, 1) == (OK, TIME_MAX)
    of = make_set([Row(TIME_MAX // 2, TIME_MAX, order=order), Row(TIME_MAX // 2 + 1, TIME_MAX, order=order)])
    assert feasible(of)[1] == INFEASIBLE


def test_a_huge_edf_bound_does_not_wrap() -> None:
    """A deadline and a response that add up to more than 2^64; the bound is from integers of any length."""
    rows = [
        Row(1447492949033896448, 2594073385365405696, 1684160095686265179),
        Row(935303881263489664, 4035225266123964416, 2587712545843786066, level=1),
        Row(37358665781196216, 592387638654677335, 422734122640707824, level=1),
        Row(98847442322376128, 3444836941433417683, 3241056689651182961, level=1),
        Row(28254618721051944, 2311275513069884775, 4544852008604241961, level=2, order=DEADLINE),
    ]
    assert response(make_set(rows, lock=33581466184261982), 4) == (OK, 7019769010875465574)


@pytest.mark.parametrize("order", [EQUAL, DEADLINE])
def test_responses_that_do_not_fit(order: int) -> None:
    """An overload has no bound; blocking and a locked section of 2^62 ns each end beyond 2^63."""
    rows = [Row(1, TIME_MAX, order=order, blocking=TIME_MAX, level=0)]
    rows += [Row(TIME_MAX, 3, 2**61, order=order, level=1)]
    of = make_set(rows)
    assert feasible(of)[2][1] == INFEASIBLE
    assert response(of, 1)[0] == UNBOUNDED
    late = [Row(TIME_MAX // 3, TIME_MAX, order=order, blocking=TIME_MAX, level=level) for level in (0, 1, 2)]
    of = make_set(late, lock=TIME_MAX)
    assert feasible(of)[1] == (UNDECIDED if order == DEADLINE else INFEASIBLE)
    assert response(of, 2)[0] in (OVERFLOW, LIMIT)


@pytest.mark.parametrize(("order", "cooperative"), [(EQUAL, False), (DEADLINE, False), (EQUAL, True)])
def test_a_jitter_before_a_long_busy_period_does_not_fit(order: int, cooperative: bool) -> None:
    """By hand, in units of 2^60 ns: 4 locked and 1 of its own after a release that came almost 4 after the arrival are
    9, and 2^63 is 8. With a jitter of 1 they are 6."""
    unit = 2**60
    late, lock = Row(unit, 4 * unit, order=order, jitter=4 * unit - 1), 4 * unit
    assert response(make_set([late], lock=lock, cooperative=cooperative), 0)[0] == OVERFLOW
    fits = make_set([late._replace(jitter=unit)], lock=lock, cooperative=cooperative)
    assert response(fits, 0) == (OK, 6 * unit)
    assert feasible(make_set([late], lock=lock, cooperative=cooperative))[1] != FEASIBLE


def test_long_deadlines_that_do_not_fit() -> None:
    """U = 1 with blocking: the busy period never ends."""
    for order in (EQUAL, DEADLINE):
        rows = [Row(2**40, 2**41, TIME_MAX, order=order, blocking=1), Row(2**40, 2**41, TIME_MAX, order=order)]
        of = make_set(rows)
        assert feasible(of)[1] in (UNDECIDED, FEASIBLE)
        assert response(of, 0)[0] == LIMIT


def test_sums_that_wrap_are_not_small() -> None:
    """A count times a wcet beyond 2^64 must not come out small and feasible."""
    rows = [Row(2**61, 2**61), Row(1, TIME_MAX, level=1)]
    assert feasible(make_set(rows))[1:] == (INFEASIBLE, [FEASIBLE, INFEASIBLE])


@pytest.mark.parametrize("cooperative", [False, True])
def test_few_iterations_leave_it_undecided(cooperative: bool) -> None:
    rows = [Row(3, 10, level=0), Row(4, 13, level=1), Row(5, 20, level=2)]
    for iterations in range(40):
        of = make_set(rows, iterations=iterations, cooperative=cooperative)
        status, verdict, verdicts = feasible(of)
        assert status == OK
        assert verdict in (UNDECIDED, FEASIBLE)
        assert verdicts[2] == FEASIBLE or response(of, 2)[0] == LIMIT
        assert response(of, 2)[0] in (OK, LIMIT)
    assert verdict == FEASIBLE
    assert feasible(make_set(rows, iterations=0, cooperative=cooperative))[1] == UNDECIDED


def test_few_iterations_in_an_edf_level() -> None:
    rows = [Row(3, 10, level=0), *(Row(4, 13 + i, 9 + 3 * i, level=1, order=DEADLINE) for i in range(2))]
    seen = set()
    for iterations in range(200):
        of = make_set(rows, iterations=iterations)
        verdict, bound = feasible(of)[1], response(of, 2)[0]
        assert verdict in (UNDECIDED, INFEASIBLE)
        assert bound in (OK, LIMIT)
        seen |= {("verdict", verdict), ("bound", bound)}
    assert seen == {("verdict", UNDECIDED), ("verdict", INFEASIBLE), ("bound", OK), ("bound", LIMIT)}


def test_full_load_with_a_long_hyperperiod_is_undecided() -> None:
    """U = 1 exactly and blocking of 1 ns: infeasible only after 10^17 ns; a limit must be said, not guessed."""
    p, q = 1_000_003, 1_000_033
    rows = [
        Row(p - 1, p, TIME_MAX // 4, order=DEADLINE),
        Row(1, p, TIME_MAX // 4, order=DEADLINE, blocking=1),
    ]
    assert feasible(make_set(rows, iterations=50))[1] in (UNDECIDED, FEASIBLE)
    rows = [Row(p // 2, p, order=DEADLINE), Row(q // 2 + 1, q, order=DEADLINE, blocking=1)]
    assert feasible(make_set(rows, iterations=50))[1] == UNDECIDED  # U = 1 - 1 / 2p + 1 / 2q


def full_load(chance: random.Random, short: int) -> list[Row]:
    """Tasks by deadline whose load is 1 + `short` / 2^50 and a little less than that; deadlines are the periods."""
    rows, left = list[Row](), Fraction(1) + Fraction(short, 2**50)
    for _ in range(chance.randint(2, 40)):
        period = chance.randint(10**5, 2**36)
        wcet = chance.randint(1, max(1, int(left * period / 3)))
        rows.append(Row(wcet, period, order=DEADLINE))
        left -= Fraction(wcet, period)
    period = chance.randint(2**58, 2**61)
    return [*rows, Row(int(left * period), period, order=DEADLINE)]


def test_near_full_load_the_load_decides() -> None:
    """Of tasks by deadline alone, with deadlines of at least the periods; a load over 1 always."""
    for seed in range(300):
        chance = random.Random(seed)
        assert feasible(make_set(full_load(chance, -1), iterations=0))[1] == FEASIBLE, f"seed {seed}"
        assert feasible(make_set(full_load(chance, 1), iterations=0))[1] == INFEASIBLE, f"seed {seed}"
        rows = full_load(chance, -1)
        late = rows[0]._replace(deadline=rows[0].period - 1)
        assert feasible(make_set([late, *rows[1:]], iterations=0))[1] != FEASIBLE, f"seed {seed}"


def test_steps_are_shared_and_end_every_search() -> None:
    """With any number of them an answer is that of many, or there is none; what was taken is the same each time."""
    rows = [Row(3, 10, level=0), Row(4, 13, level=1), *(Row(4, 53 + i, 40, level=2, order=DEADLINE) for i in range(3))]
    count = ctypes.c_uint64(10**6)

    def ask() -> list[int]:
        """The verdicts, then statuses and bounds."""
        of = make_set(rows, lock=1)
        of.steps = ctypes.pointer(count)
        return [*feasible(of)[2], *(number for task in range(len(rows)) for number in response(of, task))]

    known = ask()
    taken = 10**6 - count.value
    assert 0 < taken < 10**4
    count.value = 10**6
    assert (ask(), count.value) == (known, 10**6 - taken)
    unknown = 0
    for steps in range(taken + 2):
        count.value = steps
        found = ask()
        for verdict, right in zip(found[: len(rows)], known, strict=False):
            assert verdict in (right, UNDECIDED)
        for number in range(len(rows), len(known), 2):
            assert found[number] == LIMIT or found[number : number + 2] == known[number : number + 2]
        unknown += found != known
        assert found == known or count.value == 0
    assert found == known
    assert unknown > taken // 2
    count.value = 0
    assert ask()[: len(rows)] == [UNDECIDED] * len(rows)


def test_overload_is_seen_without_a_limit() -> None:
    """U > 1 by less than a billionth, by long division where shifting would not fit."""
    big = 2**61
    rows = [Row(big, 2 * big, order=DEADLINE), Row(big + 2**33, 2 * big, order=DEADLINE)]
    assert feasible(make_set(rows, iterations=0))[1] == INFEASIBLE
    rows = [Row(1, 2, order=DEADLINE), Row(1, 3, order=DEADLINE), Row(2, 3, order=DEADLINE)]
    assert feasible(make_set(rows, iterations=0))[1] == INFEASIBLE


def test_an_interrupt_takes_everything() -> None:
    rows = [Row(1, 10, 1000, level=0), Row(1, 10, level=1, order=DEADLINE)]
    of = make_set(rows, interrupts=((10, 10),))
    assert feasible(of)[1:] == (INFEASIBLE, [INFEASIBLE, INFEASIBLE])
    assert response(of, 0)[0] == UNBOUNDED
    assert feasible(make_set(rows[:1], interrupts=((10, 10),), cooperative=True))[1] == INFEASIBLE


def test_cooperative_blocking_is_a_whole_job() -> None:
    of = make_set([Row(1, 10, level=0), Row(5, 30, level=1), Row(7, 0, level=2)], cooperative=True, lock=1)
    assert blocking(of, [(1, 0, 0), (5, 0, 1)], 1) == (OK, [0, 0, 0])
    assert response(of, 0) == (OK, 6 + 1 + 1)
    assert response(of, 1) == (OK, 6 + 1 + 1 + 5)


def test_blocking_overflow() -> None:
    rows = [Row(1, TIME_MAX, level=0), *(Row(TIME_MAX, TIME_MAX, level=1 + i) for i in range(2))]
    holds = [(1, 0, 0), (TIME_MAX, 0, 1), (1, 1, 0), (TIME_MAX, 1, 2)]
    assert blocking(make_set(rows), holds, 2)[0] == OVERFLOW


def test_reason_stays_with_the_worst_level() -> None:
    """The first infeasible level, or else the first undecided one; task_count if there is neither."""
    verdict, reason = ctypes.c_int(), Reason()
    rows = [Row(1, 10, level=0), Row(10, 20, 5, level=1), Row(1, 8, 2, level=2, order=DEADLINE)]
    load().takt_analysis_feasible(make_set(rows), verdict, None, reason)
    assert (reason.task, reason.time_ns) == (1, 0)
    load().takt_analysis_feasible(make_set([rows[0], rows[2]]), verdict, None, reason)
    assert reason.task == 2
    load().takt_analysis_feasible(make_set([rows[0], Row(2, 8, 2, level=1, order=DEADLINE)]), verdict, None, reason)
    assert (reason.task, reason.time_ns, reason.demand_ns, reason.available_ns) == (1, 2, 2, 1)
