# SPDX-License-Identifier: Apache-2.0
"""Servers of aperiodic work: what others meet of them, and bounds of what they serve. By hand, by definition, and tick
by tick in all phases; campaigns with the simulator are in test_analysis_random.py.
"""

from __future__ import annotations

import ctypes
import random

import pytest
from analysis_sets import interference
from running import only_full
from server_ticks import Ticks, tick_worst
from takt.prove.analysis_library import (
    DEADLINE,
    EQUAL,
    INVALID,
    LIMIT,
    OK,
    OVERFLOW,
    UNBOUNDED,
    Server,
    Set,
    Task,
    load,
)
from takt.support.c.analysis import ServerKind

DEFERRABLE, POLLING, SPORADIC = ServerKind.DEFERRABLE, ServerKind.POLLING, ServerKind.SPORADIC
KINDS = (DEFERRABLE, POLLING, SPORADIC)
HORIZON = 4000


def row(wcet: int, period: int, deadline: int | None = None, level: int = 0, order: int = EQUAL) -> Task:
    return Task(wcet, period, period if deadline is None else deadline, 0, 0, 0, level, order)


def loaded(kind: int, task: Task) -> Task:
    """The task that stands for a server."""
    assert load().takt_analysis_server_load(kind, task) == OK
    return task


def make(*rows: Task, iterations: int = 100_000) -> Set:
    return Set((Task * len(rows))(*rows), len(rows), None, 0, 0, iterations, False)


def bounds(of: Set) -> list[int | None]:
    found, statuses = (ctypes.c_uint64 * of.task_count)(), (ctypes.c_int * of.task_count)()
    assert load().takt_analysis_responses(of, found, statuses) == OK
    return [bound if status == OK else None for bound, status in zip(found, statuses, strict=True)]


def served(of: Set, server: Server, *jobs: Task) -> tuple[int, int]:
    """Status, and the bound."""
    found = ctypes.c_uint64()
    status = load().takt_analysis_served(of, server, (Task * len(jobs))(*jobs), len(jobs), found)
    return status, found.value


def server_of(of: Set, kind: int, index: int = 0, budget: int | None = None, parts: int = 0) -> Server:
    task = of.tasks[index]
    return Server(task.wcet_ns if budget is None else budget, bounds(of)[index] or 0, kind, index, parts)


# By hand.


@pytest.mark.parametrize(("kind", "bound"), [(DEFERRABLE, 8), (POLLING, 6), (SPORADIC, 6)])
def test_only_a_deferrable_server_executes_twice_in_a_row(kind: ServerKind, bound: int) -> None:
    """4 below a server of 2 in 6: two budgets in a row come first, or one."""
    of = make(loaded(kind, row(2, 6)), row(4, 20, level=1))
    assert bounds(of)[1] == bound
    assert tick_worst(Ticks(kind, 2, 6, jobs=[(6, 30)], others=[(1, 4, 20)])).others[0] == bound


def test_by_deadline_a_deferrable_server_takes_more_than_jitter_says() -> None:
    """Work 1 before a multiple, 2 at it: 3 of 2 in 4 are due within 5, where a jitter of T - C has 2."""
    task = loaded(DEFERRABLE, row(2, 4, 4, order=DEADLINE))
    assert (task.burst_more, task.distance_ns, task.jitter_ns, task.deadline_ns) == (1, 0, 0, 4)
    of = make(task, row(3, 20, 6, order=DEADLINE))
    worst = tick_worst(Ticks(DEFERRABLE, 2, 4, jobs=[(6, 30)], others=[(0, 3, 20, 6)], by_deadline=True)).others[0]
    assert worst == 7
    assert (bounds(of)[1] or 0) >= worst


def test_the_server_itself_meets_its_deadline_as_if_it_had_no_jitter() -> None:
    """2 in 5 below 1 in 3: done after 3, whatever its jitter is."""
    for kind in KINDS:
        of = make(row(1, 3), loaded(kind, row(2, 5, 3, level=1)))
        assert (bounds(of)[1] or 0) - of.tasks[1].jitter_ns == 3
        verdict = ctypes.c_int()
        assert load().takt_analysis_feasible(of, verdict, None, None) == OK
        assert verdict.value == 0
        of = make(row(1, 3), loaded(kind, row(2, 5, 2, level=1)))
        assert load().takt_analysis_feasible(of, verdict, None, None) == OK
        assert verdict.value == 2


@pytest.mark.parametrize(
    ("kind", "work", "bound"),
    [(DEFERRABLE, 1, 3 + 2), (DEFERRABLE, 2, 3 + 3), (DEFERRABLE, 3, 3 + 5 + 2), (DEFERRABLE, 5, 3 + 10 + 2)]
    + [(kind, work, bound + 2) for kind in (POLLING, SPORADIC) for work, bound in ((1, 5), (2, 6), (3, 10), (5, 15))],
)
def test_work_waits_for_a_budget_and_then_for_one_in_each_period(kind: int, work: int, bound: int) -> None:
    """2 in 5 below 1 in 3: 1 is done within 2 and 2 within 3 after the budget is there."""
    of = make(row(1, 3), loaded(kind, row(2, 5, level=1)))
    assert served(of, server_of(of, kind, 1), row(work, 100)) == (OK, bound)


def test_a_burst_and_others_are_served_as_well() -> None:
    """Three of 1 at once and one of 2: 5 of work, so the third budget."""
    of = make(loaded(DEFERRABLE, row(2, 5)))
    burst = row(1, 100)
    burst.burst_more = 2
    assert served(of, server_of(of, DEFERRABLE), burst, row(2, 100)) == (OK, 3 + 10 + 1)


def test_a_late_release_meets_a_punctual_one() -> None:
    """With jitter two jobs of 2 are released within 5, the second in the time that the first takes. Served alone it is
    done in a budget more, from 5 on; with another, in whichever order: three of it come before both are done."""
    of, job = make(loaded(DEFERRABLE, row(2, 10))), row(2, 20)
    assert served(of, server_of(of, DEFERRABLE), job) == (OK, 8 + 2)
    job.jitter_ns = job.deadline_ns = 15
    assert served(of, server_of(of, DEFERRABLE), job) == (OK, 8 + 10 + 2 - 5)
    assert served(of, server_of(of, DEFERRABLE), job, row(1, 1000)) == (OK, 8 + 30 + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_may_be_used_up_for_ever(kind: ServerKind) -> None:
    """2 in each 6 of 1 in each 3: the busy period has no end, and each job waits as those before it."""
    of = make(loaded(kind, row(1, 3)))
    start = 2 if kind == DEFERRABLE else 3
    assert served(of, server_of(of, kind), row(2, 6)) == (OK, start + 3 + 1)
    assert served(of, server_of(of, kind), row(3, 9)) == (OK, start + 6 + 1)
    burst = row(1, 3)
    burst.burst_more = 2
    assert served(of, server_of(of, kind), burst) == (OK, start + 6 + 1)


def late(job: Task, jitter: int) -> Task:
    job.jitter_ns = job.deadline_ns = jitter
    return job


@pytest.mark.parametrize(
    ("job", "parts", "bound"),
    [
        (row(1, 6), 4, 2),
        (row(1, 6), 3, 2),
        (row(1, 6), 2, 12),
        (row(2, 10), 4, 3),
        (late(row(1, 6), 2), 4, 2),
        (late(row(1, 6), 3), 4, 13),
        (late(row(1, 11), 10), 4, 12),
    ],
)
def test_a_sporadic_budget_is_there_if_jobs_are_rare(job: Task, parts: int, bound: int) -> None:
    """2 in 10 below 1 in 4: two jobs of 1 released within 10 find it, if there is room for two parts and the rest, and
    if the first is done before the second comes."""
    of = make(row(1, 4), loaded(SPORADIC, row(2, 10, level=1)))
    assert served(of, server_of(of, SPORADIC, 1, parts=parts), job) == (OK, bound)


@pytest.mark.parametrize(("job", "bound"), [((1, 6), 2), ((1, 5), 2), ((2, 10), 3)])
def test_a_budget_that_is_there_is_there_in_all_phases(job: tuple[int, int], bound: int) -> None:
    of = make(row(1, 4), loaded(SPORADIC, row(2, 10, level=1)))
    assert served(of, server_of(of, SPORADIC, 1, parts=4), row(*job)) == (OK, bound)
    assert tick_worst(Ticks(SPORADIC, 2, 10, jobs=[job], others=[(-2, 1, 4)])).served == bound


def test_what_goes_beside_the_budget_delays_all_of_it() -> None:
    """3 in 10, of which 2 are a budget and 1 the rest of a section: 1 of work is done 2 after its budget."""
    of = make(loaded(DEFERRABLE, row(3, 10)))
    server = server_of(of, DEFERRABLE, budget=2)
    assert served(of, server, row(1, 100)) == (OK, 8 + 2)
    assert served(of, server, row(2, 100)) == (OK, 8 + 3)


# Tick by tick.


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_hold_and_are_reached_in_all_phases(kind: ServerKind) -> None:
    """A task above, a server, one below; the budget is always wanted. Both tasks' bounds are reached."""
    for above, budget, below in (((1, 4), (1, 5), (2, 20)), ((2, 6), (1, 4), (3, 24)), ((1, 3), (2, 6), (1, 12))):
        of = make(row(*above), loaded(kind, row(*budget, level=1)), row(*below, level=2))
        ticks = Ticks(kind, *budget, jobs=[(9, 30)], others=[(-2, *above), (1, *below)])
        found = tick_worst(ticks)
        assert found.others == [bounds(of)[0], bounds(of)[2]]


@pytest.mark.parametrize(
    ("kind", "loss"), [pytest.param(DEFERRABLE, 0, marks=only_full), (POLLING, 1), (SPORADIC, None)]
)
def test_bounds_of_what_is_served_hold_and_are_reached(kind: ServerKind, loss: int | None) -> None:
    """Work that comes just after the budget is used up by other work; with polling, a tick after it is lost. That of a
    sporadic server may wait for less here: only a queue of parts that is full makes it wait for a whole period."""
    systems = [((1, 4), (1, 5), 1), ((1, 3), (2, 5), 3), ((2, 6), (1, 4), 2)]
    for above, budget, work in systems[: 2 if kind == DEFERRABLE else 3]:
        of = make(row(*above), loaded(kind, row(*budget, level=1)))
        status, bound = served(of, server_of(of, kind, 1), row(work, 60))
        assert status == OK
        jobs = [(work, 60)]
        found = tick_worst(Ticks(kind, *budget, jobs=jobs, others=[(-2, *above), (3, 60, 60)])).served
        if kind == DEFERRABLE:  # the budget must be gone, so what was served before counts as well
            two = served(of, server_of(of, kind, 1), row(work, 60), row(budget[0], 60))
            apart = tick_worst(Ticks(kind, *budget, jobs=[(budget[0], 60), *jobs], others=[(-2, *above), (3, 60, 60)]))
            assert found <= bound
            assert bound <= apart.served <= two[1]
        else:
            assert bound - (loss if loss is not None else budget[1]) <= found <= bound


# By definition.


def least(work: int, of: Set, index: int, end: int, beside: int) -> int:
    task = of.tasks[index]
    own = int(task.blocking_ns) + beside + work
    return next(time for time in range(1, HORIZON) if own + interference(of, time, end, index) <= time)


def definition(of: Set, server: Server, jobs: list[Task]) -> int | None:
    """The first time by which all that came before it is done; of one task the longest time from a release to that by
    which all up to its job is done."""
    task = of.tasks[server.task]
    budget, period, response = int(server.budget_ns), int(task.period_ns), int(server.response_ns - task.jitter_ns)
    fixed = task.order == EQUAL
    start = period - budget if fixed and server.kind == DEFERRABLE else period
    end = next((i for i in range(server.task, of.task_count) if of.tasks[i].level != task.level), of.task_count)

    def released(time: int) -> list[int]:
        """Of each task the jobs that come within `time`."""
        counts = []
        for job in jobs:
            span = time - 1 + int(job.jitter_ns)
            count = span // int(job.period_ns) + 1 + int(job.burst_more)
            near = job.burst_more and job.distance_ns
            counts.append(min(count, span // int(job.distance_ns) + 1) if near else count)
        return counts

    def done(work: int) -> int:
        before, last = divmod(work - 1, budget)
        within = least(last + 1, of, server.task, end, int(task.wcet_ns) - budget) if fixed else response
        return start + before * period + min(within, response)

    if len(jobs) == 1:
        longest, number = 0, 1
        for time in range(HORIZON):
            while released(time + 1)[0] >= number:
                if number > 1 and done((number - 1) * int(jobs[0].wcet_ns)) <= time:
                    return longest
                longest = max(longest, done(number * int(jobs[0].wcet_ns)) - time)
                number += 1
        return None
    for time in range(1, HORIZON):
        counts = released(time)
        found = done(sum(count * int(job.wcet_ns) for count, job in zip(counts, jobs, strict=True)))
        if found <= time:
            return found
    return None


def random_system(chance: random.Random) -> tuple[Set, Server, list[Task]]:
    kind, order = chance.choice(KINDS), chance.choice((EQUAL, EQUAL, DEADLINE))
    rows = [row(chance.randint(1, 3), chance.randint(8, 20), level=0) for _ in range(chance.randint(0, 1))]
    at, period = len(rows), chance.randint(6, 30)
    wcet = chance.randint(1, period // 3)
    rows.append(loaded(kind, row(wcet, period, level=1, order=order)))
    rows += [
        row(chance.randint(1, 2), chance.randint(12, 40), level=1, order=order) for _ in range(chance.randint(0, 1))
    ]
    rows[at].blocking_ns = chance.randint(0, 2)
    of = make(*rows)
    jobs = []
    for _ in range(chance.randint(1, 3)):
        job = row(chance.randint(1, 6), chance.randint(40, 200))
        job.burst_more = chance.choice((0, 0, chance.randint(1, 3)))
        job.distance_ns = chance.choice((0, chance.randint(1, 9))) if job.burst_more else 0
        job.jitter_ns = chance.choice((0, chance.randint(0, 30)))
        jobs.append(job)
    return of, server_of(of, kind, at, chance.randint(1, wcet)), jobs


def test_bounds_of_what_is_served_are_as_defined() -> None:
    found = 0
    for seed in range(300):
        of, server, jobs = random_system(random.Random(seed))
        if (
            server.response_ns == 0
            or server.response_ns - of.tasks[server.task].jitter_ns > of.tasks[server.task].period_ns
        ):
            assert served(of, server, *jobs)[0] == UNBOUNDED
            continue
        status, bound = served(of, server, *jobs)
        expected = definition(of, server, jobs)
        assert expected is None or (status, bound) == (OK, expected), f"seed {seed}: {status} {bound}, {expected}"
        found += expected is not None
    assert found > 150


# What is refused.


def test_a_task_that_cannot_stand_for_a_server() -> None:
    wrong = [row(5, 4), row(1, 4, 5), row(1, 0, 1), row(1, 4, 4, order=2)]
    jittery, bursting = row(1, 4), row(1, 4)
    jittery.jitter_ns, bursting.burst_more = 1, 1
    for task in (*wrong, jittery, bursting):
        before = bytes(task)
        assert load().takt_analysis_server_load(DEFERRABLE, task) == INVALID
        assert bytes(task) == before
    assert load().takt_analysis_server_load(3, row(1, 4)) == INVALID


def test_what_cannot_be_served() -> None:
    of = make(loaded(POLLING, row(2, 5)), row(1, 5, level=1))
    good, job = server_of(of, POLLING), row(1, 10)
    assert served(of, good, job)[0] == OK
    for wrong in (Server(0, 2, POLLING, 0), Server(3, 3, POLLING, 0), Server(2, 2, 3, 0), Server(2, 2, POLLING, 2)):
        assert served(of, wrong, job)[0] == INVALID
    assert served(of, good)[0] == INVALID
    assert served(of, good, row(1, 0))[0] == INVALID
    of.cooperative = True
    assert served(of, good, job)[0] == INVALID


def test_what_has_no_bound() -> None:
    of = make(loaded(POLLING, row(2, 5)))
    assert served(of, server_of(of, POLLING), row(3, 7))[0] == UNBOUNDED
    assert served(of, Server(2, 6, POLLING, 0), row(1, 7))[0] == UNBOUNDED
    of.iterations = 3
    assert served(of, server_of(of, POLLING), row(2, 6), row(1, 300))[0] == LIMIT
    huge = make(loaded(POLLING, row(1, 1 << 62)))
    assert served(huge, server_of(huge, POLLING), row(9, 1 << 62))[0] in (UNBOUNDED, OVERFLOW)
