# SPDX-License-Identifier: Apache-2.0
"""The seed's own tests: right where they are known to be, wrong where they are known to be, and the closed form of them
against their words. What says so is a simulation of each job, which knows no test."""

from __future__ import annotations

import ctypes
import math
import os
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from takt.bench.studies.workloads import MS, seed000_times
from takt.prove import analysis_library as c
from takt.reproduce import historic, queues
from takt.reproduce.exact import STEPS, Judge
from takt.reproduce.historic import Scaled, Task
from takt.reproduce.search import Bench
from takt.support import compile, provision

SETS = 20_000 if os.environ.get("TAKT_TEST_FULL") else 800


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    compile.host_library()


def implicit(*rows: tuple[int, int]) -> list[Task]:
    return [Task(wcet, period, period) for wcet, period in rows]


def first_miss(partition: Sequence[Sequence[Task]]) -> int | None:
    """Of all tasks released together, unit by unit for a hyperperiod: when a deadline is missed first."""
    tasks = [(level, task) for level, queue in enumerate(partition) for task in queue]
    last = len(partition) - 1
    left = [0] * len(tasks)
    due = [0] * len(tasks)
    for now in range(math.lcm(*(task.period for _, task in tasks)) + 1):
        for index, (_, task) in enumerate(tasks):
            if left[index] > 0 and now >= due[index]:
                return now
            if now % task.period == 0:
                left[index], due[index] = task.wcet, now + task.deadline
        ready = [index for index in range(len(tasks)) if left[index] > 0]
        if ready:
            left[min(ready, key=lambda p: (tasks[p][0], due[p] if tasks[p][0] < last else 0, p))] -= 1
    return None


def exact(partition: Sequence[Sequence[Task]]) -> bool:
    """What analysis/ says, of deadlines up to the periods."""
    tasks = [task for queue in partition for task in queue]
    rows = (c.Task * len(tasks))()
    level, index = 0, 0
    for number, queue in enumerate(partition):
        for task in queue:
            order = c.DEADLINE if number < len(partition) - 1 else c.EQUAL
            rows[index] = c.Task(task.wcet, task.period, task.deadline, 0, 0, 0, level, order)
            index, level = index + 1, level + (order == c.EQUAL)
        level += number < len(partition) - 1
    verdict = ctypes.c_int()
    known = c.Set(rows, len(rows), (c.Interrupt * 0)(), 0, 0, 100_000, False)
    assert c.load().takt_analysis_feasible(known, verdict, None, None) == c.OK
    assert verdict.value != 1
    return int(verdict.value) == 0


@pytest.mark.parametrize(
    ("first", "second"), [([(3, 5)], [(1, 6), (2, 9)]), ([(2, 4)], [(1, 6), (3, 9)])], ids=["3/5", "2/4"]
)
def test_two_sets_that_it_accepts_miss_at_18(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    """Released together: the second job of the last task has its deadline at 18, and is not done."""
    partition = [implicit(*first), implicit(*second), []]
    assert historic.accepts(partition)
    assert not exact(partition)
    assert first_miss(partition) == 18


def test_with_short_deadlines_even_one_edf_queue_is_not_tested() -> None:
    partition = [[Task(2, 4, 2), Task(2, 4, 2)], []]
    assert historic.accepts(partition)
    assert not exact(partition)
    assert first_miss(partition) == 2


def random_partition(chance: random.Random, queues_: int) -> list[list[Task]]:
    tasks = sorted(
        implicit(*((chance.randint(1, 6), chance.choice((4, 5, 6, 8, 9, 10, 12, 15, 18, 20))) for _ in range(5))),
        key=lambda task: task.period,
    )
    cuts = [0, *sorted(chance.randint(0, 5) for _ in range(queues_ - 1)), 5]
    return [tasks[start:end] for start, end in pairwise(cuts)]


@pytest.mark.parametrize("queues_", [1, 2, 3, 4])
def test_against_simulation(queues_: int) -> None:
    """What it refuses misses, whatever the queues: so it may come before the exact test in a search. What it accepts
    holds with no more than one edf queue; with more some of it misses, and the exact test knows which. Not one that
    misses when all are released together is accepted by the exact one; some misses show only otherwise."""
    chance = random.Random(queues_)
    verdicts: list[tuple[bool, bool]] = []
    while len(verdicts) < SETS:
        partition = random_partition(chance, queues_)
        if not 0.85 < sum(task.wcet / task.period for queue in partition for task in queue) <= 1:
            continue
        said, known, misses = historic.accepts(partition), exact(partition), first_miss(partition) is not None
        assert said or not known, partition
        assert not (known and misses), partition
        if queues_ <= 2:
            assert said == known == (not misses), partition
        verdicts.append((said, known))
    assert SETS / 8 < sum(known for _, known in verdicts) < SETS
    assert queues_ <= 2 or any(said and not known for said, known in verdicts)


def words(
    item: Scaled, periods: Sequence[int], shares: Sequence[float], cuts: Sequence[int], costs: Sequence[float]
) -> bool:
    """Whether the tests in their own words accept at the factor of the closed form, and nothing above it."""
    factor = float(item.factors(np.array([cuts], dtype=np.int64), np.array([costs]))[0])
    ends = [0, *cuts, len(periods)]
    verdicts = []
    for scale in (1 - 1e-9, 1 + 1e-9):
        partition = [
            [
                Task(Fraction(factor * scale * share * period) + Fraction(cost), period, period)  # type: ignore[arg-type]
                for period, share in list(zip(periods, shares, strict=True))[start:end]
            ]
            for start, end, cost in zip(ends, ends[1:], costs, strict=False)
        ]
        verdicts.append(historic.accepts(partition))
    return verdicts == [True, False]


@pytest.mark.parametrize("queues_", [1, 2, 3, 4])
def test_the_closed_form_is_what_the_words_say(queues_: int) -> None:
    chance = random.Random(queues_)
    for _ in range(12):
        periods = sorted(chance.choice((5, 6, 7, 9, 12, 20, 33, 40)) for _ in range(6))
        raw = [chance.random() / period for period in periods]
        shares = [value / sum(raw) for value in raw]
        item = Scaled(np.array(periods), np.array(shares))
        cuts = sorted(chance.randint(0, 6) for _ in range(queues_ - 1))
        assert words(item, periods, shares, cuts, [chance.random() / 20 for _ in range(queues_)])


def test_judged_together_or_alone_partitions_get_the_same() -> None:
    item = seed000_times(random.Random(5), 9)
    scaled = Scaled(np.array(item.periods_ns) // MS, np.array(item.shares))
    known = queues.partitions("csd4", 9)
    costs = known.costs_ns / MS
    together = scaled.factors(known.cuts, costs)
    alone = [scaled.factors(known.cuts[index : index + 1], costs[index : index + 1])[0] for index in range(len(costs))]
    assert together.tolist() == pytest.approx(alone, abs=1e-12)
    best = max(alone)
    above = scaled.factors(known.cuts, costs, best - 0.001)
    assert above.tolist() == pytest.approx([value if value > best - 0.001 else 0 for value in alone], abs=1e-12)


@pytest.mark.parametrize("scheduler", queues.SCHEDULERS)
def test_the_best_partition_is_the_best_of_all(scheduler: str) -> None:
    """By the seed's tests, of more tasks; asked for what is just above what it reaches, it still reaches that."""
    for number in range(6):
        item = seed000_times(random.Random(f"more {number}"), 14)
        scaled = Scaled(np.array(item.periods_ns) // MS, np.array(item.shares))
        cuts, costs_ns = queues.partitions(scheduler, 14)
        best = scaled.factors(cuts, 3 * costs_ns / MS).max()
        assert Bench(item).historic(scheduler, 3, queues.LISTS[0]) == int(best * STEPS)
        again = scaled.factors(cuts, 3 * costs_ns / MS, best - 1e-9)
        assert again.max() == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("scheduler", queues.SCHEDULERS)
def test_the_searches_find_what_trying_every_partition_finds(scheduler: str) -> None:
    """Of the exact one by the exact test alone, which starts from nothing for each partition."""
    refuted = 0
    for number in range(4):
        item = seed000_times(random.Random(f"few {number}"), 6)
        periods, shares = np.array(item.periods_ns), np.array(item.shares)
        cuts, costs_ns = queues.partitions(scheduler, 6)
        judge, scaled = Judge(periods, shares), Scaled(periods // MS, shares)
        rows = list(zip(cuts.tolist(), (3 * costs_ns).tolist(), strict=True))
        every = max(judge.most(at, costs, 0, STEPS) for at, costs in rows)
        found = Bench(item).best(scheduler, 3)
        assert found.exact == every
        assert found.historic == int(scaled.factors(cuts, 3 * costs_ns / MS).max() * STEPS)
        refuted += found.exact < found.historic
    assert (refuted > 0) == (scheduler in ("csd3", "csd4"))


def test_nothing_but_the_reproduction_uses_them() -> None:
    sources = (provision.ROOT / "tools" / "takt").rglob("*.py")
    users = {path.parent.name for path in sources if "historic import" in path.read_text(encoding="utf-8")}
    assert users == {"reproduce"}
