# SPDX-License-Identifier: Apache-2.0
"""Where demand exceeds what fits: of the first level that does not hold, as two curves over time.

Needed by t: the jobs of the level that are due by t, when all are released together, and what blocks them. Fits by t: t
without what goes before the level, at best up to t (analysis/include/takt/analysis.h). For a task of a fixed band: its
own jobs, and its equals go before it.
"""

from __future__ import annotations

from dataclasses import dataclass

from takt.declare.lock_order import cycle
from takt.declare.schema.model import Verdict
from takt.prove import analysis_library as c
from takt.prove.analysis import ITERATIONS, Problem
from takt.prove.analysis_library import arrival_ns, arrivals
from takt.prove.proof import Proved

POINTS_MAX = 2000


@dataclass(frozen=True)
class Demand:
    """`needed`, `fits`: (t, ns) where they change. `at_ns`: the first time at which more is needed than fits."""

    subject: str
    needed: tuple[tuple[int, int], ...]
    fits: tuple[tuple[int, int], ...]
    at_ns: int


def excess(proved: Proved) -> Demand | None:
    """None: nothing was refuted, or not by demand alone (a deadlock; blocking that changes with time; too far away)."""
    if proved.verdict is not Verdict.INFEASIBLE or cycle(proved.system):
        return None
    problem = Problem(proved.system, proved.bands, proved.overheads, proved.choice.cooperative, ITERATIONS)
    verdicts = problem.judge()[1]
    refuted = [i for i, verdict in enumerate(verdicts) if verdict is Verdict.INFEASIBLE and i not in problem.due]
    if not refuted:
        return None
    index = refuted[0]
    level = problem.level(index)
    edf = problem.tasks[index].order == c.DEADLINE
    members = list(level) if edf else [index]
    before = [i for i in range(level.stop) if i not in members]
    names = [problem.ranked[i].task.name for i in members]
    return _Curves(problem, members, before).demand(", ".join(names))


class _Curves:
    def __init__(self, problem: Problem, members: list[int], before: list[int]) -> None:
        tasks = problem.tasks
        self.members = [tasks[i] for i in members]
        self.blocked = problem.set.lock_ns + max((tasks[i].blocking_ns for i in members), default=0)
        self.before = [(tasks[i].wcet_ns, tasks[i]) for i in before if tasks[i].period_ns]
        self.before += [(task.release_cost_ns, task) for task in tasks if task.period_ns]
        self.before += [(one.wcet_ns, c.Task(period_ns=one.min_interarrival_ns)) for one in problem.interrupts]

    def needed(self, t: int) -> int:
        due_by_t = sum(one.wcet_ns * arrivals(one, t - one.deadline_ns + one.jitter_ns) for one in self.members)
        return due_by_t + self.blocked if due_by_t else 0

    def taken(self, t: int) -> int:
        """What goes before, of what arrived before t."""
        return sum(cost * arrivals(one, t - 1 + one.jitter_ns) for cost, one in self.before)

    def demand(self, subject: str) -> Demand | None:
        """Walks the times at which either changes, until more is needed than fits, and half as far again."""
        end, at, best = None, None, 0
        needed, fits = [(0, 0)], [(0, 0)]
        for t in self._times():
            now = t - self.taken(t)  # of what arrives at t nothing is in it
            if now > best:
                fits.append((t - (now - best), best))  # from there on it grows
                best = now
            needed += [(t, needed[-1][1]), (t, self.needed(t))]
            fits.append((t, best))
            if at is None and needed[-1][1] > best:
                at, end = t, t + t // 2
            if end is not None and t >= end:
                break
        return None if at is None else Demand(subject, tuple(needed), tuple(fits), at)

    def _times(self) -> list[int]:
        """The first times of deadlines, and of arrivals of higher priority."""
        found: set[int] = set()
        for one in self.members:
            due = one.deadline_ns - one.jitter_ns
            found |= {due + arrival_ns(one, k) for k in range(POINTS_MAX)}
        for _, one in self.before:
            times = (arrival_ns(one, k) - one.jitter_ns for k in range(1, POINTS_MAX))
            found |= {time for time in times if time > 0}
        return sorted(found)[:POINTS_MAX]
