# SPDX-License-Identifier: Apache-2.0
"""A load of exactly 1, where no busy period need end: with blocking, jitter and deadlines beyond the period two
hyperperiods decide. Against the definition over many of them; and `undecided` where they are too long.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from analysis_sets import FEASIBLE, INFEASIBLE, UNDECIDED, Row, deadlines, feasible, interference, make_set
from running import FULL
from small_systems import MS, edf, fixed, responses, system, task
from takt.declare.schema.model import Band, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.prove.analysis import analyse
from takt.prove.analysis_library import DEADLINE, EQUAL, Set

CYCLE = 24
END = 16 * CYCLE
SETS = 600 if FULL else 200


def full(chance: random.Random) -> Set:
    """Up to four tasks whose loads add up to 1, in up to three levels."""
    periods = [*(chance.choice((2, 3, 4, 6, 8, 12)) for _ in range(chance.randint(1, 3))), CYCLE]
    left = CYCLE
    rows: list[Row] = []
    level, order = 0, chance.choice((EQUAL, DEADLINE))
    for period in periods:
        wcet = chance.randint(0, left * period // CYCLE) if period < CYCLE else left
        left -= wcet * CYCLE // period
        if rows and (order == EQUAL or chance.random() < 0.4):
            level, order = level + 1, chance.choice((EQUAL, DEADLINE))
        deadline = chance.randint(1, 3 * period) + (CYCLE if chance.random() < 0.5 else 0)
        jitter = chance.choice((0, chance.randrange(deadline)))
        rows.append(Row(wcet, period, deadline, level, order, jitter, 0, chance.choice((0, chance.randint(0, 6)))))
    assert left == 0
    return make_set(rows, iterations=200)


def fixed_holds(of: Set, index: int) -> bool:
    """Of every job up to END, searched time by time."""
    one, done, number = of.tasks[index], 1, 0
    while number * one.period_ns < END:
        own = one.blocking_ns + (number + 1) * one.wcet_ns
        limit = number * one.period_ns - one.jitter_ns + one.deadline_ns
        while own + interference(of, done, index) > done and done <= limit:
            done += 1
        if min(done, own + interference(of, done, index)) > limit:
            return False
        number += 1
        if done + one.jitter_ns <= number * one.period_ns:
            return True
    return True


def edf_holds(of: Set, first: int, end: int) -> bool:
    """At every deadline up to END."""
    level = of.tasks[first:end]
    for due in sorted({due for one in level for due in deadlines(one, END)}):
        entered = [one for one in level if one.deadline_ns - one.jitter_ns <= due]
        latest = max(one.deadline_ns - one.jitter_ns for one in entered)
        blocked = [one.blocking_ns for one in entered if one.deadline_ns - one.jitter_ns == latest][-1]
        demand = blocked + sum(len(range(t.deadline_ns - t.jitter_ns, due + 1, t.period_ns)) * t.wcet_ns for t in level)
        if not any(demand + interference(of, time, first) <= time for time in range(1, due + 1)):
            return False
    return True


def holds(of: Set) -> list[bool]:
    found: list[bool] = []
    starts = [i for i in range(of.task_count) if i == 0 or of.tasks[i].level != of.tasks[i - 1].level]
    for first, end in pairwise([*starts, of.task_count]):
        by_deadline = of.tasks[first].order == DEADLINE
        found += [edf_holds(of, first, end) if by_deadline else fixed_holds(of, first)] * (end - first)
    return found


def test_verdicts_are_as_defined() -> None:
    seen = {FEASIBLE: 0, INFEASIBLE: 0}
    for seed in range(SETS):
        of = full(random.Random(seed))
        of.cycle_jobs = 1000
        expected = [FEASIBLE if held else INFEASIBLE for held in holds(of)]
        assert feasible(of)[2] == expected, f"seed {seed}"
        for one in expected:
            seen[one] += 1
    assert min(seen.values()) > SETS / 5


def test_without_the_cycle_some_stay_undecided() -> None:
    """And none is decided otherwise."""
    undecided = 0
    for seed in range(SETS // 5):
        of = full(random.Random(seed))
        without = feasible(of)[2]
        of.cycle_jobs = 1000
        undecided += UNDECIDED in without
        assert all(one in (UNDECIDED, other) for one, other in zip(without, feasible(of)[2], strict=True))
    assert undecided > SETS / 50


@pytest.mark.parametrize("cooperative", [False, True])
def test_the_late_job_is_in_the_second_half_of_the_cycle(cooperative: bool) -> None:
    """b's jobs that arrive at 0, 2, 4 are complete at 5, 6, 10, and so again in every cycle of 6. Cooperative, the
    blocking of 1 is the rest of c, and the job that arrives in 3 of a's is complete with them."""
    rows = [Row(3, 6), Row(1, 2, 6, 1, blocking=0 if cooperative else 1), Row(2, 0, level=2)]
    for deadline, expected in ((6, FEASIBLE), (5, INFEASIBLE)):
        rows[1] = rows[1]._replace(deadline=deadline)
        of = make_set(rows, cooperative=cooperative)
        of.cycle_jobs = 10
        assert feasible(of)[2][1] == expected


@pytest.mark.parametrize("order", [EQUAL, DEADLINE])
def test_a_load_over_one_that_no_ratio_shows(order: int) -> None:
    """N * 1/N would be 1; with a nanosecond more it is not, and jobs get later by one each time. By deadline ratios
    have 64 bits after the point."""
    count, wcet = (5, 10**12) if order == EQUAL else (86, 2**52)
    period = count * wcet
    rows = [Row(wcet, period, 2 * period, i if order == EQUAL else 0, order) for i in range(count - 1)]
    rows += [Row(wcet + 1, period, 6 * period, count - 1 if order == EQUAL else 0, order)]
    of = make_set(rows)
    assert feasible(of)[1] == UNDECIDED
    of.cycle_jobs = 100
    assert feasible(of)[1] == INFEASIBLE


def test_near_full_load_the_busy_period_ends_sooner() -> None:
    """U = 1 - 1e-6, as in test_full_load_just_below_one, without a hyperperiod."""
    rows = [Row(10**6, 2 * 10**6), Row(10**6, 3 * 10**6, 2_500_000), Row(10**6 - 6, 6 * 10**6)]
    assert feasible(make_set([row._replace(order=DEADLINE) for row in rows], iterations=1000))[1] == FEASIBLE


def blocked(hold: float, *bands: Band) -> Verdict:
    """a waits for b's section; both take the whole processor."""
    mutex = Mutex("m", (Hold("a", 1), Hold("b", round(hold * MS))))
    of = system(task("a", 1, 2, 2), task("b", 2, 4, 8), objects=(mutex,))
    proof = analyse(of, bands, None)
    if proof.verdict is Verdict.FEASIBLE:
        assert [bound <= limit for bound, limit in zip(responses(proof), (2, 8), strict=True)] == [True, True]  # type: ignore[operator]
    return proof.verdict


@pytest.mark.parametrize("bands", [(edf("a", "b"),), (fixed("a", "b"),), (fixed("a"), edf("b"))])
def test_blocking_at_full_load(bands: tuple[Band, ...]) -> None:
    assert blocked(1, *bands) is Verdict.FEASIBLE
    assert blocked(1.000001, *bands) is Verdict.INFEASIBLE


def test_jitter_at_full_load() -> None:
    """b: 1 and two jobs of a, for ever."""
    of = system(task("a", 1, 2, jitter_ns=MS), task("b", 1, 2, 3))
    proof = analyse(of, (fixed("a", "b"),), None)
    assert responses(proof) == [2, 3]
    assert proof.verdict is Verdict.FEASIBLE
    late = system(of.tasks[0], task("b", 1, 2, 2.999999))
    assert analyse(late, (fixed("a", "b"),), None).verdict is Verdict.INFEASIBLE


def test_cooperative_jobs_at_full_load() -> None:
    """b waits for the rest of log, of which a nanosecond is done, and for a; and so does each job of it after that."""
    log = Task("log", wcet_ns=MS)
    of = system(task("a", 2, 4), task("b", 2, 4, 8), log)
    proof = analyse(of, (fixed("a", "b", "log"),), None, cooperative=True)
    assert proof.verdict is Verdict.FEASIBLE
    assert responses(proof)[:2] == [4 - 1 / MS, 5 - 1 / MS]
    late = system(of.tasks[0], task("b", 2, 4, 5 - 2 / MS), log)
    assert analyse(late, (fixed("a", "b", "log"),), None, cooperative=True).verdict is Verdict.INFEASIBLE


def test_a_hyperperiod_that_is_too_long() -> None:
    """Four times a quarter, with periods that have no common part: 10^13 us."""
    tasks = [Task(f"t{p}", p * 1000, period_ns=4000 * p, deadline_ns=4000 * p) for p in (1009, 1013, 1019, 1021)]
    mutex = Mutex("m", (Hold("t1009", 1), Hold("t1021", 1000)))
    names = [one.name for one in tasks]
    proof = analyse(system(*tasks, objects=(mutex,)), (edf(*names),), None)
    assert proof.verdict is Verdict.UNDECIDED
    assert proof.reason == (
        f"in the edf band of {', '.join(names)}: undecided, a busy period may have no end at a load of 100 %, and the "
        "hyperperiod has over 1000000 jobs; nothing is proved or refuted"
    )
