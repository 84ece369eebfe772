# SPDX-License-Identifier: Apache-2.0
"""How long after the end of a frame the handler of its controller has ended.

No later than the busy period of interrupts in which it is raised, whatever their order: that begins with the longest
locked section, and has every interrupt, and every release and expiry in the interrupt of the timer, as often as they
fit. Of a task whose jobs set timers later than at their releases (waits, deadlines that are watched, budgets) those of
jobs count that were released before and are not yet at their deadline.
"""

from __future__ import annotations

from typing import Any, Protocol

from takt.support.durations import MAX_NS

ROUNDS = 10_000


class Problem(Protocol):
    """What counts of a takt.prove.analysis.Problem."""

    interrupts: Any
    tasks: Any
    ranked: list[Any]
    locked_ns: int
    at_once_ns: int


def within_ns(problem: Problem) -> int | None:
    """None: the interrupts take all of the processor's time, or no bound was found."""
    loads = [(one.wcet_ns, one.min_interarrival_ns, 0, 0) for one in problem.interrupts]
    for task, ranked in zip(problem.tasks, problem.ranked, strict=True):
        if task.period_ns:
            later = ranked.task.waits or ranked.task.on_miss != "continue" or ranked.task.on_budget != "none"
            late_ns = task.jitter_ns + (task.deadline_ns if later else 0)
            loads.append((task.release_cost_ns, task.period_ns, late_ns, task.burst_more))
    start_ns = problem.locked_ns + problem.at_once_ns
    if sum(cost_ns / period_ns for cost_ns, period_ns, *_ in loads) >= 1:
        return None
    within_ns = 1
    for _ in range(ROUNDS):
        more_ns = sum(
            cost_ns * (-(-(within_ns + late_ns) // period_ns) + more) for cost_ns, period_ns, late_ns, more in loads
        )
        if start_ns + more_ns <= within_ns:
            return within_ns
        within_ns = start_ns + more_ns
        if within_ns > MAX_NS:
            break
    return None
