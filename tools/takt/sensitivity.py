# SPDX-License-Identifier: Apache-2.0
"""How far a proved system is from not being proved: for each task how much longer its wcet, shorter its period and
later its release (jitter) may get, one at a time, under the list of bands that was proved.

Each limit is found by bisection over the verdict, to the nanosecond: with it the system is proved, with one more it
is not (or the declaration ends there: a jitter as long as the deadline, a period of 1 ns, or of a sporadic task one of
which more than PENDING_MAX fit into a longer deadline). The verdict is monotone in
each of them, but for one case: in an edf band, sections of mutexes block by the order of deadlines after the jitter,
and that order changes with the deadline (a period below it) and with the jitter. Then between what is declared and the
limit the system may also not be proved, and the limit says so.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from takt import analysis_library as c
from takt.analysis import Problem
from takt.breakdown import last
from takt.choose import Choice, Prover
from takt.durations import MAX_NS
from takt.model import Task
from takt.schema import PENDING_MAX

QUICK_TASKS = 32
"""Up to so many tasks it takes no time worth asking for."""

SCALE = 10_000
"""Steps of the factor of all wcets, for 1."""


@dataclass(frozen=True)
class Limits:
    """Of one task: the longest wcet (of a budget that is enforced: budget), the shortest period (or min_interarrival;
    a deadline that was not longer becomes no longer), the longest jitter. `monotone`: all between holds too."""

    name: str
    wcet_ns_max: int
    period_ns_min: int
    jitter_ns_max: int
    monotone: bool


@dataclass(frozen=True)
class Sensitivity:
    """`scale_max`: what all wcets may be multiplied with at once, to 1 / SCALE; None: they are all 0."""

    scale_max: Fraction | None
    limits: tuple[Limits, ...]


class _Probe:
    """One proved system whose numbers are changed in place."""

    def __init__(self, prover: Prover, choice: Choice) -> None:
        overheads = prover.costs(choice.bands, choice.cooperative)
        self.problem = Problem(prover.system, choice.bands, overheads, choice.cooperative, prover.iterations)
        self.library = c.load()

    def holds(self) -> bool:
        verdict = ctypes.c_int()
        status = self.library.takt_analysis_feasible(self.problem.set, verdict, None, None)
        return bool(status == c.OK and verdict.value == 0)

    def limits(self, index: int, task: Task) -> Limits:
        item = self.problem.tasks[index]
        charged, period, deadline, jitter = item.wcet_ns, item.period_ns, item.deadline_ns, item.jitter_ns
        blocked = item.order == c.DEADLINE and len(self.problem.holds) > 0
        carries = task.waits > 0 and deadline > period

        def holds(wcet_ns: int = charged, period_ns: int = period, jitter_ns: int = jitter) -> bool:
            item.wcet_ns, item.period_ns, item.jitter_ns = wcet_ns, period_ns, jitter_ns
            item.deadline_ns = deadline if deadline > period else min(deadline, period_ns)
            if blocked or carries:
                self.problem.block()
            return self.holds()

        more = last(lambda ns: holds(wcet_ns=charged + ns), 0, max(0, deadline - charged))
        shortest = _shortest_ns(task) if deadline > period else jitter + 1
        less = last(lambda ns: holds(period_ns=period - ns), 0, period - shortest)
        later = last(lambda ns: holds(jitter_ns=jitter + ns), 0, deadline - jitter - 1)
        holds()
        monotone = not blocked or (period - less >= deadline and later == 0)
        return Limits(task.name, _declared(task) + more, period - less, jitter + later, monotone)

    def scale_max(self) -> Fraction | None:
        """By doubling, then bisection."""
        wcets = [_declared(placed.task) if placed.task.separation_ns else 0 for placed in self.problem.placed]
        charged = [task.wcet_ns for task in self.problem.tasks]

        def holds(factor: int) -> bool:
            for task, base, wcet_ns in zip(self.problem.tasks, charged, wcets, strict=True):
                task.wcet_ns = min(MAX_NS, base - wcet_ns + wcet_ns * factor // SCALE)
            return self.holds()

        if not any(wcets):
            return None
        bad = 2 * SCALE
        while holds(bad):
            bad *= 2
        factor = last(holds, max(SCALE, bad // 2), bad - 1)
        for task, base in zip(self.problem.tasks, charged, strict=True):
            task.wcet_ns = base
        return Fraction(factor, SCALE)


def _shortest_ns(task: Task) -> int:
    """Period that a declaration takes with a longer deadline: of a sporadic task so many releases can wait."""
    return 1 if task.min_interarrival_ns is None else (task.deadline_ns or 0) // (PENDING_MAX + 1) + 1


def _declared(task: Task) -> int:
    """What the proof counts of a job, holds aside."""
    return (task.budget_ns or 0) if task.enforced else task.wcet_ns


def sensitivity(prover: Prover, choice: Choice, progress: Callable[[float], None] = lambda _: None) -> Sensitivity:
    """Of a proved system; tasks in the order of the declaration."""
    probe = _Probe(prover, choice)
    scale = probe.scale_max()
    index = {placed.task.name: number for number, placed in enumerate(probe.problem.placed)}
    limits = []
    for number, task in enumerate(prover.system.tasks):
        progress(number / len(prover.system.tasks))
        if task.separation_ns is not None:
            limits.append(probe.limits(index[task.name], task))
    return Sensitivity(scale, tuple(limits))
