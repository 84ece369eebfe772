# SPDX-License-Identifier: Apache-2.0
"""Blocking against its definition in random sets: every mark is found by asking all holds again until none is new, and
every section by looking at all of them. The library keeps lists, and marks again only where that may matter.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from analysis_sets import interference, jobs
from running import FULL
from takt.prove.analysis_library import DEADLINE, EQUAL, OK, Hold, Mutex, Set, Task, User, load

SETS = 150
LONG = 100_000


def random_system(chance: random.Random) -> tuple[Set, list[Hold], int]:
    rows: list[Task] = []
    level, order = -1, EQUAL
    count, load_of = chance.randint(2, 8), chance.choice((0.3, 0.7, 0.95))
    for _ in range(count):
        if not rows or chance.random() < 0.5:
            level, order = level + 1, chance.choice((EQUAL, DEADLINE))
        period = chance.randint(10, 200)
        wcet = 1 + int(2 * load_of * chance.random() * period / count)
        deadline, jitter = chance.randint(period // 2, 2 * period), chance.choice((0, 0, chance.randint(0, period)))
        rows.append(Task(wcet, period, deadline, jitter, chance.choice((0, 0, 1)), 0, level, order))
    mutexes, nesting = chance.randint(1, 6), chance.choice((0, 0.3, 0.8))
    ceilings, fifos = ([chance.random() < part for _ in range(mutexes)] for part in (chance.choice((0, 0.4)), 0.2))
    holds = []
    for _ in range(chance.randint(1, 16)):
        task, mutex = chance.randrange(count), chance.randrange(mutexes)
        alone = ceilings[mutex] and chance.random() < 0.9
        nested, locks = chance.random() < nesting, chance.choice((0, 1, 1, 2))
        holds.append(Hold(chance.randint(0, rows[task].wcet_ns), mutex, task, alone, nested, fifos[mutex], locks))
    return Set((Task * count)(*rows), count, None, 0, chance.choice((0, 2)), LONG, False), holds, mutexes


class Definition:
    """Blocking of one task."""

    def __init__(self, of: Set, holds: list[Hold], mutexes: int, task: int) -> None:
        self.of, self.holds, self.mutexes, self.task = of, holds, mutexes, task

    def urgent(self, other: int) -> bool:
        a, b = self.of.tasks[other], self.of.tasks[self.task]
        if a.level != b.level or b.order == EQUAL:
            return bool(a.level <= b.level)
        return bool(max(0, a.deadline_ns - a.jitter_ns) <= max(0, b.deadline_ns - b.jitter_ns))

    def marks(self, holder: int | None) -> set[int]:
        """Mutexes for which an urgent job can wait while `holder` has them."""
        marked: set[int] = set()
        while True:
            chained = {hold.task for hold in self.holds if hold.mutex in marked}
            found = {
                hold.mutex
                for hold in self.holds
                if hold.task != holder and (self.urgent(hold.task) or (hold.nested and hold.task in chained))
            }
            if found <= marked:
                return marked
            marked |= found

    def locks(self, mutex: int, window: int) -> int | None:
        """How often urgent jobs wait for sections on it; None: nothing is said."""
        chained = {hold.task for hold in self.holds if hold.mutex in self.marks(None)}
        of = [hold for hold in self.holds if hold.mutex == mutex]
        if any(not self.urgent(hold.task) and hold.nested and hold.task in chained for hold in of):
            return None
        urgent = [hold for hold in of if self.urgent(hold.task)]
        if window == 0 or any(hold.locks == 0 or hold.fifo for hold in urgent):
            return None
        return sum(jobs(window, self.of.tasks[hold.task]) * int(hold.locks) for hold in urgent)

    def sections(self, window: int) -> int:
        """Of each job that should run later one, or of some mutexes as many as there are locks."""
        below = [i for i in range(self.of.task_count) if not self.urgent(i)]
        counted = {m: count for m in range(self.mutexes) if (count := self.locks(m, window)) is not None}
        kinds = {alone: any(hold.alone == alone for hold in self.holds) for alone in (False, True)}
        level = self.of.tasks[self.task].level
        later = (task for task in self.of.tasks[: self.of.task_count] if task.level >= level)
        several = any(task.order == DEADLINE and task.jitter_ns for task in later)
        several |= all(kinds.values()) and any(hold.nested for hold in self.holds)
        shared, alone = 0, [0]
        for holder in below:
            marked = self.marks(holder) - counted.keys()
            longest = {False: 0, True: 0}
            for hold in self.holds:
                if hold.task == holder and hold.mutex in marked:
                    longest[hold.alone] = max(longest[hold.alone], hold.hold_ns)
            shared += longest[False]
            alone.append(max(0, longest[True] - longest[False]))
        for mutex, count in counted.items():
            shared += sum(sorted(self.on(mutex, below, False), reverse=True)[:count])
            most = count if several else min(count, 1)
            alone.append(sum(sorted(self.on(mutex, below, True), reverse=True)[:most]))
        return shared + (sum(alone) if several else max(alone))

    def on(self, mutex: int, below: list[int], alone: bool) -> Iterator[int]:
        of = (hold for hold in self.holds if hold.mutex == mutex and hold.alone == alone)
        return (hold.hold_ns for hold in of if hold.task in below)

    def busy(self, end: int, own: int) -> int | None:
        """The end of a busy period; None: it has none."""
        tasks = self.of.tasks[: self.of.task_count]
        costs = ((i < end) * task.wcet_ns + task.release_cost_ns for i, task in enumerate(tasks))
        if sum(Fraction(cost, task.period_ns) for cost, task in zip(costs, tasks, strict=True)) >= 1:
            return None
        own += int(self.of.lock_ns)
        time = 1
        while (following := own + interference(self.of, time, end)) > time:
            time = following
        return max(1, following)


def expected(of: Set, holds: list[Hold], mutexes: int) -> list[int] | None:
    """None: a busy period may never end."""
    every = [Definition(of, holds, mutexes, task) for task in range(of.task_count)]
    result = [one.sections(0) for one in every]
    for task, one in enumerate(every):
        same = [i for i in range(of.task_count) if of.tasks[i].level == of.tasks[task].level]
        by_deadline = of.tasks[task].order == DEADLINE
        window: int | None = 1
        if by_deadline:
            window = one.busy(same[-1] + 1, max(result[i] for i in same))
        while window is not None:
            found = one.sections(window)
            following = window if by_deadline else one.busy(same[-1] + 1, found)
            if following is None:
                return None
            if found >= result[task] or following == window:
                result[task] = min(result[task], found)
                break
            window = following
        if window is None:
            return None
    return result


@pytest.mark.parametrize("seed", range(4 if FULL else 2))
def test_blocking_is_as_defined(seed: int) -> None:
    chance = random.Random(f"blocking {seed}")
    compared = 0
    for _ in range(SETS):
        of, holds, mutexes = random_system(chance)
        wanted = expected(of, holds, mutexes)
        array, result = (Hold * len(holds))(*holds), (ctypes.c_uint64 * of.task_count)()
        users = (User * of.task_count)()
        status = load().takt_analysis_blocking(of, array, len(array), (Mutex * mutexes)(), mutexes, users, result)
        assert status == OK
        if wanted is not None:
            assert list(result) == wanted
            compared += any(wanted)
    assert compared > SETS / 4
