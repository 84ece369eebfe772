# SPDX-License-Identifier: Apache-2.0
"""The schedulability tests of CSD as seed 000 prints them (4.2.5 and 4.3.4). Wrong in known cases: for `takt reproduce`
alone, to draw the seed's figures. Takt itself proves with analysis/.

A workload is in queues, highest first: all but the last are DP queues (edf), the last is the FP queue (fixed, shortest
period first). What is wrong:

- The test of DP2 and below looks only at the first job of each task, released together with all others. That is the
  worst case of fixed priorities; under edf a later job can be the late one. DP1 (3, 5), DP2 (1, 6) (2, 9), each (wcet,
  period): accepted, yet the second job of (2, 9) misses at 18.
- A sum of wcet / period is taken as the test of DP1, which holds only for deadlines that are periods.

It refuses nothing that is schedulable when deadlines are periods: if the exact test (takt/analysis.h) finds room for
the demand up to the deadline of a first job by some time, then the printed sum fits at that time too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class Task(NamedTuple):
    """In whole units of time. `wcet`: with what the kernel takes of each job."""

    wcet: int
    period: int
    deadline: int


Queue = Sequence[Task]


def _full(tasks: Queue) -> bool:
    """Whether the sum of wcet / period is more than 1, in whole numbers."""
    total, scale = 0, 1
    for task in tasks:
        total, scale = total * task.period + task.wcet * scale, scale * task.period
    return total > scale


def _times(tasks: Queue, deadline: int) -> list[int]:
    """Where the sums of the tests are least in proportion: before each release, and at the deadline."""
    return sorted({deadline, *(at for task in tasks for at in range(task.period, deadline, task.period))})


def _released(task: Task, time: int) -> int:
    return -(-time // task.period)


def _starred(task: Task, time: int, deadline: int) -> int:
    """Jobs released before the time, except the last of them if its deadline is later than this one."""
    jobs = _released(task, time)
    return jobs if (jobs - 1) * task.period + task.deadline <= deadline else jobs - 1


def _holds_dynamic(above: Queue, queue: Queue, task: Task) -> bool:
    """A task of DP2 or below."""
    return any(
        sum(other.wcet * _released(other, at) for other in above)
        + sum(other.wcet * _starred(other, at, task.deadline) for other in queue)
        <= at
        for at in _times([*above, *queue], task.deadline)
    )


def _holds_fixed(above: Queue, task: Task) -> bool:
    """An FP task."""
    return any(
        sum(other.wcet * _released(other, at) for other in (*above, task)) <= at
        for at in _times([*above, task], task.deadline)
    )


def accepts(queues: Sequence[Queue]) -> bool:
    """The seed's verdict, word by word. With one queue it is that of RM."""
    *dynamic, fixed = queues
    above: list[Task] = []
    for number, queue in enumerate(dynamic):
        if _full([*above, *queue]):
            return False
        if number > 0 and not all(_holds_dynamic(above, queue, task) for task in queue):
            return False
        above += queue
    return all(_holds_fixed([*above, *fixed[:index]], task) for index, task in enumerate(fixed))


class Scaled:
    """The same tests of a workload whose wcets grow together, deadlines being periods: how far, in closed form.

    A task holds if at some time t <= d: factor * work(t) + kernel(t) <= t. So it holds up to the greatest
    (t - kernel(t)) / work(t), and the workload up to the least of its tasks'. `periods`: whole numbers, ascending;
    `shares`: wcet / period at factor 1. What the kernel takes of a job of each queue, `costs`, is in the same unit as
    the periods. `cuts`: how many tasks are in the first queue, the first two ... all but the last queue. Partitions
    are judged many at a time, a row of `cuts` and `costs` each.
    """

    def __init__(self, periods: Whole, shares: Floats) -> None:
        self.count = len(periods)
        longest = int(periods[-1])
        self._times = np.unique(np.concatenate([np.arange(p, longest + 1, p) for p in np.unique(periods)]))
        self._ends = np.searchsorted(self._times, periods, side="right")  # [task]: times up to its deadline
        self._periods, self._wcets = periods, shares * periods
        self.rates, self._shares = self._sums(1 / periods), self._sums(shares)
        self._released = -(-self._times // periods[:, None])  # [task, time]
        self._jobs = self._sums(self._released)
        self._work = self._sums(self._released * self._wcets[:, None])
        self._starred: dict[int, tuple[int, Floats, Floats]] = {}
        self._order = list(range(self.count))  # the task that refuted most recently comes first

    def _sums(self, values: Floats | Whole) -> Floats:
        """[k]: of the first k."""
        found = np.zeros((len(values) + 1, *values.shape[1:]))
        np.cumsum(values, axis=0, out=found[1:])
        return found

    def factors(self, cuts: Whole, costs: Floats, least: float = 0.0) -> Floats:
        """Up to which factor the tests accept each partition; 0 where that is not more than `least`."""
        found = self._by_utilization(cuts, costs)
        alive = np.flatnonzero(found > least)
        cheapest = self._cheapest(cuts[alive], costs[alive]) if len(alive) else self._times
        for task in tuple(self._order):
            if len(alive) == 0:
                break
            np.minimum.at(found, *self._of_task(task, alive, cuts, costs, (cheapest, least)))
            left = alive[found[alive] > least]
            if len(left) < len(alive):
                self._order.remove(task)
                self._order.insert(0, task)
            alive = left
        found[found <= least] = 0.0
        return found

    def _by_utilization(self, cuts: Whole, costs: Floats) -> Floats:
        """The sums over DP1, DP1 and DP2, ..., and over all tasks, which no other test lets exceed 1."""
        ends = np.concatenate([cuts, np.full((len(cuts), 1), self.count)], axis=1)
        kernel = np.cumsum(costs * np.diff(self.rates[ends], axis=1, prepend=0), axis=1)
        return np.asarray(np.where(ends > 0, (1 - kernel) / np.maximum(self._shares[ends], 1e-300), np.inf).min(axis=1))

    def _cheapest(self, cuts: Whole, costs: Floats) -> Floats:
        """[task]: what the kernel takes of a job of it at least, in any of the partitions."""
        queues = (np.arange(self.count)[:, None] >= cuts[:, None, :]).sum(axis=2)
        return np.asarray(np.take_along_axis(costs, queues, axis=1).min(axis=0))

    def _of_task(
        self, task: int, alive: Whole, cuts: Whole, costs: Floats, known: tuple[Floats, float]
    ) -> tuple[Whole, Floats]:
        """The partitions in which the task is not in DP1, and up to which factor it holds there."""
        queues = (cuts[alive] <= task).sum(axis=1)
        rows, factors = [alive[:0]], [costs[:0, 0]]
        for queue in np.unique(queues).tolist():
            if queue == 0 and cuts.shape[1] > 0:
                continue
            those = alive[queues == queue]
            judge = self._fixed if queue == cuts.shape[1] else self._dynamic
            rows.append(those)
            factors.append(judge(task, queue, cuts[those], costs[those], known))
        return np.concatenate(rows), np.concatenate(factors)

    def _kernel(self, cuts: Whole, costs: Floats, at: Whole) -> Floats:
        """The kernel's time for whole queues, by partition and time."""
        found, start = np.zeros((len(cuts), len(at))), np.zeros((1, 1))
        for index in range(cuts.shape[1]):
            end = self._jobs[cuts[:, index, None], at]
            found += costs[:, index, None] * (end - start)
            start = end
        return found

    def _fixed(self, task: int, queue: int, cuts: Whole, costs: Floats, known: tuple[Floats, float]) -> Floats:
        """As an FP task."""
        cheapest, least = known
        end = self._ends[task]
        kernel = cheapest[: task + 1] @ self._released[: task + 1, :end]
        at = np.flatnonzero(self._times[:end] - kernel > least * self._work[task + 1, :end])
        if len(at) == 0:
            return np.zeros(len(cuts))
        own = self._jobs[task + 1, at] - (self._jobs[cuts[:, -1, None], at] if queue else 0)
        room = self._times[at] - self._kernel(cuts, costs, at) - costs[:, -1, None] * own
        return np.asarray((room / self._work[task + 1, at]).max(axis=1))

    def _dynamic(self, task: int, queue: int, cuts: Whole, costs: Floats, known: tuple[Floats, float]) -> Floats:
        """As a task of DP2 or below."""
        last, jobs, work = self._starred_sums(task)
        at = np.arange(self._ends[task])
        first, end = cuts[:, queue - 1], np.minimum(cuts[:, queue], last)
        kernel = self._kernel(cuts[:, :queue], costs, at) + costs[:, queue, None] * (jobs[end] - jobs[first])
        whole = self._work[first[:, None], at] + work[end] - work[first]
        return np.asarray(((self._times[at] - kernel) / whole).max(axis=1))

    def _starred_sums(self, task: int) -> tuple[int, Floats, Floats]:
        """How many first tasks have jobs with deadlines up to that of `task`'s first job; of the first k of them, by
        time, how many such jobs, and their work."""
        if task not in self._starred:
            deadline, end = self._periods[task], self._ends[task]
            last = int(np.searchsorted(self._periods, deadline, side="right"))
            jobs = np.minimum(self._released[:last, :end], deadline // self._periods[:last, None])
            self._starred[task] = last, self._sums(jobs), self._sums(jobs * self._wcets[:last, None])
        return self._starred[task]
