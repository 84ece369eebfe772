# SPDX-License-Identifier: Apache-2.0
"""The costs of lists of bands for a search: tasks in the order of their deadlines with the kernel's overhead for each
in a fixed and in an edf band (as takt.prove.analysis charges it), and the C library asked about single runs of them.

A *position* is a task's index in that order. A *run* (start, end, kind) covers positions. The kernel's overhead
depends on the kind of a task's band and on the *mode*: which kinds the list has at all.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from takt.declare.schema.model import Band, Overheads, System, Verdict
from takt.declare.service_kinds.mutex import Mutex
from takt.prove import analysis_library as c
from takt.prove.analysis import CYCLE_JOBS, ITERATIONS, VERDICTS, Problem
from takt.prove.reasons.steps import LIST_STEPS, Steps
from takt.prove.schedulers import by_deadline, csd_bands, plain_bands
from takt.support.c.analysis import TIME_MAX_NS

Costs = Callable[[tuple[Band, ...], bool], Overheads | None]
"""The kernel's overheads under a list of bands (the flag: cooperative); None: unmeasured."""

FIXED, EDF = "F", "E"
MODES = (FIXED, EDF, EDF + FIXED)
_SIZE = ctypes.sizeof(c.Task)


class Run(NamedTuple):
    """Neighbours in the order of deadlines, in bands of one kind."""

    start: int
    end: int
    kind: str


class Answer(NamedTuple):
    """Of a judged run. `position`: of the first task (of an edf band: its first) that is not proved."""

    verdict: Verdict
    position: int


class Mode:
    """The tasks under lists with certain kinds of bands.

    `weight[kind][p]`: the load of positions [0, p) in bands of that kind, in parts of BandCosts.whole, and
    `base` the load of interrupts. Unmeasured: the number of tasks in edf bands.
    """

    def __init__(self, system: System, kinds: str, costs: Costs, iterations: int, steps: Steps) -> None:
        self.steps = steps
        names = [task.name for task in by_deadline(system)]
        overheads = costs(_representative(system, kinds), False)
        self.measured = overheads is not None
        self.count = len(names)
        self.variants: dict[str, ctypes.Array[c.Task]] = {}
        for kind in dict.fromkeys(FIXED + kinds):  # the fixed one always: its blocking counts in edf bands too
            bands = plain_bands(system, "dm" if kind == FIXED else "edf") or ()
            problem = Problem(system, bands, overheads, False, iterations, steps)
            position = {ranked.task.name: index for index, ranked in enumerate(problem.ranked)}
            order = [position[name] for name in names]
            tail = range(self.count, len(problem.tasks))
            tasks = (c.Task * len(problem.tasks))(*(problem.tasks[index] for index in (*order, *tail)))
            self.interrupts, self.lock_ns = problem.interrupts, problem.set.lock_ns
            if kind == FIXED:
                self.holds, self.mutexes = problem.holds, (c.Mutex * len(problem.system.of(Mutex)))()
                for task, blocking_ns in zip(tasks, self._least_blocking(tasks), strict=True):
                    task.blocking_ns = blocking_ns
            for task, index in zip(tasks, (*order, *tail), strict=True):  # at their cheapest: what proves has them all
                task.wcet_ns -= problem.suspensions[index]
                task.blocking_ns += problem.suspensions[index]
            self.variants[kind] = tasks
        self._number_levels(kinds)
        self.tasks = (c.Task * len(self.variants[FIXED])).from_buffer_copy(self.variants[FIXED])
        self.set = c.Set(
            tasks=self.tasks,
            task_count=len(self.tasks),
            interrupts=self.interrupts,
            interrupt_count=len(self.interrupts),
            lock_ns=self.lock_ns,
            iterations=iterations,
            cycle_jobs=CYCLE_JOBS,
            steps=steps.pointer,
        )
        self.weight: dict[str, list[int]] = {}
        self.base = 0
        self._templates: dict[int, ctypes.Array[c.Task]] = {}
        self._blocking: dict[tuple[int, int], list[int]] = {}

    def _number_levels(self, kinds: str) -> None:
        """A level for each position; in an edf variant too, until a template makes one level of a band."""
        for kind, tasks in self.variants.items():
            for position in range(self.count):
                tasks[position].level = position
                tasks[position].order = c.DEADLINE if kind == EDF else c.EQUAL
                tasks[position].blocking_ns = self.variants[FIXED][position].blocking_ns
            for task in tasks[self.count :]:
                task.level = self.count
        used = [self.variants[kind] for kind in kinds]
        self.floor = (c.Task * len(used[0])).from_buffer_copy(used[0])
        for tasks in used[1:]:
            for least, other in zip(self.floor, tasks, strict=True):
                least.wcet_ns = min(least.wcet_ns, other.wcet_ns)
                least.release_cost_ns = min(least.release_cost_ns, other.release_cost_ns)
                least.order = c.EQUAL
        self.edf_costs_more = len(used) == 1 or all(
            edf.wcet_ns >= fixed.wcet_ns and edf.release_cost_ns >= fixed.release_cost_ns
            for edf, fixed in zip(self.variants[EDF], self.variants[FIXED], strict=True)
        )

    def weigh(self, whole: int) -> None:
        """Fills in `weight` and `base`."""
        for kind, tasks in self.variants.items():
            shares = [1 if kind == EDF else 0] * self.count
            if self.measured:
                shares = [(t.wcet_ns + t.release_cost_ns) * (whole // t.period_ns) for t in tasks[: self.count]]
            self.weight[kind] = list(accumulate(shares, initial=0))
        if self.measured:
            self.base = sum(item.wcet_ns * (whole // item.min_interarrival_ns) for item in self.interrupts)

    def cost(self, run: Run) -> int:
        weight = self.weight[run.kind]
        return weight[run.end] - weight[run.start]

    def _template(self, start: int) -> ctypes.Array[c.Task]:
        """Positions [start, ...) as one edf level."""
        if start not in self._templates:
            kind = c.Task * (self.count - start)
            tasks = kind.from_buffer_copy(self.variants[EDF], start * _SIZE)
            for task in tasks:
                task.level = start
            self._templates[start] = tasks
        return self._templates[start]

    def _copy(self, source: ctypes.Array[c.Task], start: int, end: int, first: int = 0) -> None:
        """Positions [start, end) from an array that begins with position `first`."""
        if end > start:
            to = ctypes.addressof(self.tasks) + start * _SIZE
            ctypes.memmove(to, ctypes.addressof(source) + (start - first) * _SIZE, (end - start) * _SIZE)

    def put(self, runs: Sequence[Run]) -> None:
        """Everything under these runs, each edf run one band."""
        for run in runs:
            self.put_run(run)

    def put_run(self, run: Run) -> None:
        if run.kind == FIXED:
            self._copy(self.variants[FIXED], run.start, run.end)
            return
        self._copy(self._template(run.start), run.start, run.end, run.start)
        if len(self.holds):
            for position, blocking_ns in enumerate(self.blocking(run.start, run.end), run.start):
                self.tasks[position].blocking_ns = blocking_ns

    def put_piece(self, run: Run, start: int, end: int) -> None:
        """An edf run with a band of its own for positions [start, end)."""
        self.put_run(run)
        self._copy(self.variants[EDF], end, run.end)
        self.put_run(Run(start, end, EDF))

    def put_floor(self) -> None:
        """Everything at its cheapest, each task a level."""
        self._copy(self.floor, 0, self.count)

    def put_hopeful(self, start: int, end: int) -> None:
        """One edf band without blocking, all others at their cheapest: where this fails, no cut of [start, end) into
        edf bands holds, whatever the others are in."""
        self.put_floor()
        self._copy(self._template(start), start, end, start)
        for task in self.tasks[start:end] if len(self.holds) else ():
            task.blocking_ns = 0

    def judge(self, start: int, end: int) -> Answer:
        """The levels of positions [start, end) as they were put. Ended: no steps are left."""
        self.steps.take(LIST_STEPS)
        verdict, position = ctypes.c_int(), ctypes.c_size_t()
        status = c.load().takt_analysis_part(self.set, start, end, verdict, position)
        if status != c.OK:
            raise AssertionError(f"positions {start} to {end} are not whole levels")
        self.steps.check()
        return Answer(VERDICTS[verdict.value], position.value)

    def blocking(self, start: int, end: int) -> list[int]:
        """Of the tasks of an edf band: it depends on no other band."""
        key = (start, end)
        if key not in self._blocking:
            fixed = self.variants[FIXED]
            firsts = [task.deadline_ns - task.jitter_ns for task in fixed[start:end]]
            if all(low < high for low, high in pairwise(firsts)):
                self._blocking[key] = [task.blocking_ns for task in fixed[start:end]]
            else:
                self._blocking[key] = self._blocking_of(start, end)
        return self._blocking[key]

    def _blocking_of(self, start: int, end: int) -> list[int]:
        tasks = (c.Task * len(self.tasks)).from_buffer_copy(self.floor)
        longest = self.variants[FIXED]
        for position in range(len(tasks)):
            tasks[position].wcet_ns = longest[position].wcet_ns
        for task in tasks[start:end]:
            task.level, task.order = start, c.DEADLINE
        return self._least_blocking(tasks)[start:end]

    def _least_blocking(self, tasks: ctypes.Array[c.Task]) -> list[int]:
        """With one job of each task in a busy period: how many there are depends on the bands, and Search.prove has the
        last word."""
        single = (c.Task * len(tasks)).from_buffer_copy(tasks)
        for task in single:
            task.period_ns = TIME_MAX_NS if task.period_ns else 0
        users, blocking = (c.User * len(tasks))(), (ctypes.c_uint64 * len(tasks))()
        whole = c.Set(
            tasks=single,
            task_count=len(tasks),
            interrupts=self.interrupts,
            interrupt_count=len(self.interrupts),
            lock_ns=self.lock_ns,
            iterations=ITERATIONS,
        )
        status = c.load().takt_analysis_blocking(
            whole, self.holds, len(self.holds), self.mutexes, len(self.mutexes), users, blocking
        )
        if status != c.OK:
            raise AssertionError("holds were accepted before")
        return list(blocking)


def _representative(system: System, kinds: str) -> tuple[Band, ...]:
    """A list with such kinds."""
    if kinds == EDF + FIXED:
        return csd_bands(system, (1,))
    return plain_bands(system, "edf" if kinds == EDF else "dm") or ()


class BandCosts:
    """The tasks in every mode. `whole`: the weight of a full processor, or None: costs are unmeasured."""

    def __init__(self, system: System, costs: Costs, iterations: int = ITERATIONS, steps: Steps | None = None) -> None:
        self.system = system
        self.steps = steps or Steps()
        self.names = [task.name for task in by_deadline(system)]
        self.count = len(self.names)
        modes = MODES if self.count > 1 else MODES[:2] if self.count else MODES[:1]
        self.modes = {kinds: Mode(system, kinds, costs, iterations, self.steps) for kinds in modes}
        periods = [task.separation_ns or 1 for task in by_deadline(system)]
        periods += [item.min_interarrival_ns for mode in self.modes.values() for item in mode.interrupts]
        parts = math.lcm(*periods)
        for mode in self.modes.values():
            mode.weigh(parts)
        self.measured = all(mode.measured for mode in self.modes.values())
        self.whole = parts if self.measured else None

    def overloaded(self, cost: int) -> bool:
        return self.whole is not None and cost > self.whole
