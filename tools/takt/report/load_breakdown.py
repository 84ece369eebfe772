# SPDX-License-Identifier: Apache-2.0
"""What the load of a proof is made of: jobs, the kernel's time for them, mutexes, interrupts; all together."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from takt.declare.lock_order import cycle
from takt.prove import budgets
from takt.prove.analysis import ITERATIONS, Problem
from takt.prove.proof import Proved

NAMES = (
    *("tasks", "waits of jobs", "releases", "switches and ends of jobs", "mutexes", "interrupts", "timers and slices"),
    "faults",
)
"""Tasks: declared execution (of an enforced budget: that, its longest hold, and what of it ends late as the kernel is
locked). Waits of jobs: as long as they may last, and what each adds. Releases: the timer's interrupts. Mutexes: a
contended lock for each use. Timers and slices: alarms, watchdogs, watched deadlines, ends of slices and budgets.
Faults: pieces of a process that is made anew."""


def shares(proved: Proved) -> dict[str, Fraction]:
    """Of the processor, by NAMES."""
    if cycle(proved.system):
        return {"tasks": proved.choice.proof.utilization}
    found = dict.fromkeys(NAMES, Fraction(0))
    for name, share in _parts(proved):
        found[name] += share
    return found


def _parts(proved: Proved) -> Iterator[tuple[str, Fraction]]:
    system, costs = proved.system, proved.overheads
    problem = Problem(system, proved.bands, costs, proved.choice.cooperative, ITERATIONS)
    faults = len(budgets.fault_load(system, costs))
    for index, interrupt in enumerate(problem.interrupts):
        first = len(system.interrupts)
        name = "interrupts" if index < first else "faults" if index < first + faults else "timers and slices"
        yield name, Fraction(interrupt.wcet_ns, interrupt.min_interarrival_ns)
    for placed, counted in zip(problem.ranked, problem.tasks, strict=True):
        task, period = placed.task, counted.period_ns
        if not period:
            continue
        own = (task.budget_ns or 0) + problem.longest_ns(task) if task.enforced else task.wcet_ns
        yield "tasks", Fraction(own, period)
        waits = task.suspension_ns + task.waits * problem.resumed_ns
        if costs is None:
            yield "waits of jobs", Fraction(waits, period)
            continue
        release, job = costs.release_ns[placed.kind], costs.job_ns(placed.kind)
        sliced = costs.timer_ns if problem.quantum_ns else 0
        waits += task.waits * (job + sliced + release + costs.timer_ns)
        yield "waits of jobs", Fraction(waits, period)
        locked = problem.uses[task.name] * (job + sliced + release)
        yield "releases", Fraction(release, period)
        yield "switches and ends of jobs", Fraction(job, period)
        yield "mutexes", Fraction(locked, period)
        rest = counted.wcet_ns + counted.release_cost_ns - own - waits - release - job - locked
        yield "timers and slices", Fraction(rest, period)
