# SPDX-License-Identifier: Apache-2.0
"""Plays a plan: releases at their times, jobs as long as their wcets, and for each event what it takes.

This counts events, from the declaration alone; nothing is built or run. The kernel is as kernel/ has it: interrupts
are masked while it works, and one interrupt serves all whose time has come before it ends.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf, log2

from takt.accelerator.costs import EVENTS, STAMP, Costs
from takt.accelerator.plan import Load, Plan
from takt.support.c.task_manager import DEADLINE_UNIT_NS

Counts = dict[str, float]
"""By event. Armings count by how many others there are: a fraction."""


@dataclass(frozen=True)
class Seen:
    """In a span: how often each event came, what the kernel took, and the responses of each load's jobs, in ns.
    `within`: of all jobs of a load together, the events between a release and the job's end."""

    span_ns: float
    counts: Counts
    kernel_ns: float
    responses_ns: dict[str, list[float]]
    within: dict[str, Counts]

    @property
    def share(self) -> float:
        """Of the processor: the kernel's."""
        return self.kernel_ns / self.span_ns

    def longest_ns(self, name: str) -> float | None:
        return max(self.responses_ns[name], default=None)

    def mean_ns(self, name: str) -> float | None:
        found = self.responses_ns[name]
        return sum(found) / len(found) if found else None


@dataclass
class _Task:
    """A load as it stands. `release_ns`: of its job; `part`: which one it executes; `left_ns`: of that."""

    load: Load
    number: int
    release_ns: float = 0.0
    part: int = 0
    left_ns: float = 0.0
    active: bool = False
    before: Counts = field(default_factory=dict)  # what had come when its job was released
    pending: list[float] = field(default_factory=list)  # sporadic releases that are to come, or came before its end
    last_ns: float = -inf  # the latest of them, and of those before


class _Walk:
    def __init__(self, plan: Plan, costs: Costs, access_cycles: int, from_ns: float) -> None:
        self.plan = plan
        self.price = costs.ns(access_cycles)
        self.from_ns = from_ns
        self.now = 0.0
        self.total: Counts = dict.fromkeys(EVENTS, 0.0)
        self.early: Counts = dict(self.total)  # of these before `from_ns`
        self.tasks = [_Task(load, number) for number, load in enumerate(plan.loads)]
        self.responses: dict[str, list[float]] = {load.name: [] for load in plan.loads}
        self.within: dict[str, Counts] = {load.name: dict.fromkeys(EVENTS, 0.0) for load in plan.loads}
        self.ready: list[tuple[int, float, int, _Task]] = []
        self.running: tuple[int, float, int, _Task] | None = None
        self.events: list[tuple[float, int, str, int]] = []
        self.order = count()
        for number, source in enumerate(plan.sources):
            self._expect(source.start_ns, "source", number)
        for task in self.tasks:
            if task.load.source is None:
                if task.load.offset_ns:
                    self._expect(task.load.offset_ns, "release", task.number)
                else:
                    self._begin(task, 0.0, dict(self.total))
        self.running = heapq.heappop(self.ready) if self.ready else None

    def run(self, until_ns: float) -> None:
        while self.now < until_ns:
            due_ns = self.events[0][0] if self.events else inf
            if due_ns <= self.now:
                self._serve()
            elif self.running is None:
                self.now = min(due_ns, until_ns)
            else:
                task = self.running[3]
                end_ns = self.now + task.left_ns
                if due_ns < end_ns or until_ns < end_ns:
                    to_ns = min(due_ns, until_ns)
                    task.left_ns -= to_ns - self.now
                    self.now = to_ns
                else:
                    self.now = end_ns
                    self._part_ends(task)

    def _take(self, event: str, times: float = 1) -> None:
        """The kernel works, masked."""
        self._count(event, times)
        self.now += self.price[event] * times

    def _count(self, event: str, times: float) -> None:
        self.total[event] += times
        if self.now < self.from_ns:
            self.early[event] += times

    def _expect(self, at_ns: float, kind: str, number: int) -> None:
        heapq.heappush(self.events, (at_ns, next(self.order), kind, number))

    def _arm(self, at_ns: float, kind: str, number: int) -> None:
        self._take("arming", log2(1 + len(self.events)))
        self._expect(at_ns, kind, number)

    def _serve(self) -> None:
        """An interrupt, which serves all that is due until its end; or calls."""
        before = dict(self.total)
        interrupted, released = False, 0
        while self.events and self.events[0][0] <= self.now:
            at_ns, _, kind, number = heapq.heappop(self.events)
            called = kind == "source" and self.plan.sources[number].kind == "call"
            if not (called or interrupted):
                self._take("interrupt")
                interrupted = True
            if kind == "source":
                released += self._source(number, at_ns, released, before)
            elif kind == "release":
                self._release(self.tasks[number], at_ns, released, before)
                released += 1
            else:
                self._take("expire")
                self._ready(self.tasks[number])
        best = self.ready[0] if self.ready else None
        if best is not None and (self.running is None or best < self.running):
            if self.running is not None:
                self._take("preempt")
            elif interrupted:  # a call is made by somebody, whose end it is that switches
                self._take("wake")
            self._switch()

    def _source(self, number: int, at_ns: float, behind: int, before: Counts) -> int:
        """An alarm, interrupt or call comes. How many jobs begin."""
        source, released = self.plan.sources[number], 0
        if source.kind != "interrupt":
            self._take(source.kind)
        self.now += source.handler_ns
        if source.kind == "alarm":
            self._arm(at_ns + source.period_ns, "source", number)
        else:
            self._expect(at_ns + source.period_ns, "source", number)
        for task in self.tasks:
            if task.load.source == number:
                released += self._arrive(task, behind + released)
        return released

    def _arrive(self, task: _Task, behind: int) -> int:
        """Something asks for a release of a sporadic task, which is no sooner than it may be. 1: the job begins."""
        load, arrives_ns = task.load, self.now
        if len(task.pending) > load.pending_max:
            return 0
        release_ns = max(arrives_ns, task.last_ns + (load.period_ns or 0))
        task.last_ns = release_ns
        waits = bool(task.pending)
        if not task.active and not waits and release_ns <= arrives_ns:
            self._release(task, release_ns, behind, dict(self.total))
            return 1
        task.pending.append(release_ns)
        if not task.active and not waits:
            self._arm(release_ns, "release", task.number)
        return 0

    def _release(self, task: _Task, at_ns: float, behind: int, before: Counts) -> None:
        """A job begins. `before`: what had come when its release did."""
        if task.load.source is not None and task.pending:
            task.pending.pop(0)
        self._take("release")
        self._take("chain", behind)
        self._begin(task, at_ns, before)

    def _begin(self, task: _Task, release_ns: float, before: Counts) -> None:
        load = task.load
        task.before = before
        task.active, task.release_ns, task.part = True, release_ns, 0
        task.left_ns = load.parts_ns[0] + self._spent_on_sections(load)
        if load.watched:
            self._take("deadline", 0.5)
        self._ready(task)

    def _spent_on_sections(self, load: Load) -> float:
        """They are in the job: it goes on with interrupts open between them."""
        self._count("section", load.sections)
        return self.price["section"] * load.sections

    def _ready(self, task: _Task) -> None:
        load = task.load
        key = (task.release_ns + (load.deadline_ns or 0)) // DEADLINE_UNIT_NS if load.edf else 0.0
        among = task.number if load.edf else next(self.order)
        heapq.heappush(self.ready, (load.level, key, among, task))

    def _switch(self) -> None:
        """Switches to the best task; the one that ran stays ready, and first among its equals."""
        before = self.running
        self.running = heapq.heappop(self.ready) if self.ready else None
        if before is not None:
            heapq.heappush(self.ready, before)

    def _part_ends(self, task: _Task) -> None:
        load = task.load
        task.left_ns = 0.0
        self.running = None
        if task.part + 1 < len(load.parts_ns):
            called_ns = self.now
            task.part += 1
            task.left_ns = load.parts_ns[task.part]
            self._take("block")
            self._arm(called_ns + load.wait_ns, "expire", task.number)
        else:
            self._job_ends(task)
        self._switch()

    def _job_ends(self, task: _Task) -> None:
        load, ended_ns = task.load, self.now
        task.active = False
        if self.now >= self.from_ns and load.period_ns is not None:
            self.responses[load.name].append(ended_ns - task.release_ns + self.price[STAMP])
            within = self.within[load.name]
            for event, times in self.total.items():
                within[event] += times - task.before[event]
        if load.watched:
            self._take("deadline", 0.5)
        self._take("complete")
        if load.period_ns is None:
            return
        if load.source is not None and not task.pending:
            return
        next_ns = task.release_ns + load.period_ns if load.source is None else task.pending[0]
        if next_ns < ended_ns:
            self._release(task, next_ns, 0, dict(self.total))
        else:
            self._take("next")
            self._arm(next_ns, "release", task.number)


CLOSE = 0.1  # of a response: what else may come of it is another
DOUBT = (-1, 1)
PRICE_DOUBT = 0.05  # what an event takes is fitted, and accesses are longer than where it was
WORK_DOUBT = 0.001  # of executions: what a preemption adds, and the ends of loops


def _longer(plan: Plan, factor: float) -> Plan:
    """Every job longer by a factor."""
    loads = (replace(one, parts_ns=tuple(part_ns * factor for part_ns in one.parts_ns)) for one in plan.loads)
    return replace(plan, loads=tuple(loads))


def close_calls(plan: Plan, costs: Costs, access_cycles: int, from_ns: int, until_ns: int) -> set[str]:
    """Loads whose longest or mean response is another one if prices and executions are a little so: a job ends just
    before, or just after, a better one is released."""
    one, *others = (
        walk(
            _longer(plan, 1 + sign * WORK_DOUBT), costs.scaled(1 + sign * PRICE_DOUBT), access_cycles, from_ns, until_ns
        )
        for sign in (0, *DOUBT)
    )
    return {
        load.name
        for load in plan.loads
        for other in others
        for figure in (Seen.longest_ns, Seen.mean_ns)
        if abs((figure(other, load.name) or 0.0) - (figure(one, load.name) or 0.0))
        > CLOSE * (figure(one, load.name) or 0.0)
    }


def walk(plan: Plan, costs: Costs, access_cycles: int, from_ns: int, until_ns: int) -> Seen:
    """What happens in [from_ns, until_ns)."""
    found = _Walk(plan, costs, access_cycles, from_ns)
    found.run(until_ns)
    counts = {event: times - found.early[event] for event, times in found.total.items()}
    kernel_ns = sum(times * found.price[event] for event, times in counts.items())
    return Seen(until_ns - from_ns, counts, kernel_ns, found.responses, found.within)
