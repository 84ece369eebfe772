# SPDX-License-Identifier: Apache-2.0
"""The longest busy period as a trace: everything is released at once and executes as long as the proof counts.

No mutex is held, the kernel is not locked, and no arrival is late: these delays are in the bounds only. Kernel time is
in it as in the proof: a release is an interrupt of its own, the switch and the end of a job belong to the job, and so
do its waits."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from takt.observe.outcome import Miss
from takt.prove import analysis_library as c
from takt.prove.analysis import ITERATIONS, Problem
from takt.prove.analysis_library import arrival_ns
from takt.prove.proof import Proved
from takt.prove.schedulers import transactions
from takt.trace.records import IDLE, NONE, TIMER, Entry, Event

ENTRIES_MAX = 20_000
AFTER_MISS = 2  # a busy period with a miss is drawn for this multiple of the time until the miss


@dataclass(order=True)
class _Job:
    """`key`: order of priority."""

    key: tuple[int, int, int]
    task: int = field(compare=False)
    number: int = field(compare=False)
    release_ns: int = field(compare=False)
    deadline_ns: int | None = field(compare=False)
    left_ns: int = field(compare=False)
    missed: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Busy:
    """`entries`: as a board would have traced it; `ended`: by idling, rather than by a limit. `responses_ns`: of tasks
    by index, the longest that ended."""

    entries: tuple[Entry, ...]
    end_ns: int
    ended: bool
    first_miss: Miss | None
    responses_ns: dict[int, int]


class _Simulation:
    def __init__(self, proved: Proved) -> None:
        system = proved.system
        problem = Problem(system, proved.bands, proved.overheads, proved.choice.cooperative, ITERATIONS)
        number = {task.name: index for index, task in enumerate(system.tasks)}
        self.names = [task.name for task in system.tasks]
        self.tasks = {number[placed.task.name]: problem.tasks[i] for i, placed in enumerate(problem.ranked)}
        self.sources = [(one.wcet_ns, one.min_interarrival_ns) for one in problem.interrupts]
        self.numbers = [item.number for item in system.interrupts]
        self.cooperative = proved.choice.cooperative
        self.now = 0
        self.entries: list[Entry] = []
        self.arrivals: list[tuple[int, int, int]] = []  # time_ns, task or -1 - source, number
        self.interrupts: deque[tuple[int, int]] = deque()  # number, length
        self.ready: dict[int, deque[_Job]] = {}  # of each task, the oldest first
        self.running = NONE
        self.first_miss: Miss | None = None
        self.responses: dict[int, int] = {}
        in_phase = {name for names in transactions(system) for name in names}
        for index, task in self.tasks.items():
            if task.period_ns:
                first_ns = system.tasks[index].offset_ns or 0 if self.names[index] in in_phase else 0
                heapq.heappush(self.arrivals, (first_ns, index, 0))
        for source in range(len(self.sources)):
            heapq.heappush(self.arrivals, (0, -1 - source, 0))

    def tell(self, event: Event, task: int = NONE, job: int | None = None, target: int = NONE, value: int = 0) -> None:
        self.entries.append(Entry(self.now, event, task, job, None, target, value))

    def arrive(self) -> None:
        """Everything that is due."""
        while self.arrivals and self.arrivals[0][0] <= self.now:
            time_ns, source, number = heapq.heappop(self.arrivals)
            if source < 0:
                length, apart = self.sources[-1 - source]
                index = -1 - source
                self.interrupts.append((self.numbers[index] if index < len(self.numbers) else TIMER, length))
            else:
                task = self.tasks[source]
                apart = arrival_ns(task, number + 1) - arrival_ns(task, number)
                self._release(source, number, time_ns)
            heapq.heappush(self.arrivals, (time_ns + apart, source, number + 1))

    def _release(self, index: int, number: int, time_ns: int) -> None:
        task = self.tasks[index]
        deadline = time_ns + task.deadline_ns
        second = deadline if task.order == c.DEADLINE and not self.cooperative else time_ns
        job = _Job((task.level, second, index), index, number, time_ns, deadline, task.wcet_ns)
        waiting = self.ready.setdefault(index, deque())
        waiting.append(job)
        if len(waiting) == 1:
            self.tell(Event.RELEASE, index, number, value=deadline)
        if task.release_cost_ns:
            self.interrupts.append((TIMER, task.release_cost_ns))

    def step(self) -> bool:
        """Goes on to the next thing that happens. False: there is nothing left to do."""
        self.arrive()
        self._late()
        if self.interrupts:
            number, length = self.interrupts.popleft()
            self.tell(Event.INTERRUPT, target=number)
            self.now += length
            self.tell(Event.INTERRUPT_END, target=number)
            return True
        job = self._best()
        if job is None:
            return False
        if job.task != self.running:
            self.tell(Event.RUN, job.task, job.number)
            self.running = job.task
        until = self.now + job.left_ns
        if self.arrivals:
            until = min(until, self.arrivals[0][0])
        if not job.missed and job.deadline_ns is not None and job.deadline_ns > self.now:
            until = min(until, job.deadline_ns)
        job.left_ns -= until - self.now
        self.now = until
        if job.left_ns == 0:
            self._complete(job)
        return True

    def _best(self) -> _Job | None:
        jobs = [waiting[0] for waiting in self.ready.values() if waiting]
        if self.cooperative and self.ready.get(self.running):
            return self.ready[self.running][0]
        return min(jobs, default=None)

    def _late(self) -> None:
        """Of the oldest job of each task: a deadline that passed."""
        for waiting in self.ready.values():
            job = waiting[0] if waiting else None
            if job is None or job.missed or job.deadline_ns is None or job.deadline_ns >= self.now + (job.left_ns == 0):
                continue
            job.missed = True
            self.tell(Event.MISS, job.task, job.number)
            if self.first_miss is None:
                self.first_miss = Miss(self.names[job.task], job.release_ns, job.deadline_ns)

    def _complete(self, job: _Job) -> None:
        waiting = self.ready[job.task]
        self._late()
        waiting.popleft()
        self.responses[job.task] = max(self.responses.get(job.task, 0), self.now - job.release_ns)
        self.tell(Event.COMPLETE, job.task, job.number)
        if waiting:
            self.tell(Event.RELEASE, job.task, waiting[0].number, value=waiting[0].deadline_ns or 0)
        self.running = NONE

    def limits(self) -> Iterator[bool]:
        yield len(self.entries) >= ENTRIES_MAX
        yield self.first_miss is not None and self.now >= AFTER_MISS * self.first_miss.deadline_ns


def period(proved: Proved) -> Busy:
    """Of the bands that were chosen."""
    run = _Simulation(proved)
    ended = False
    while not ended and not any(run.limits()):
        ended = not run.step()
    if ended:
        run.tell(Event.RUN, IDLE)
    run.entries.append(Entry(run.now, Event.STAT_END, NONE, None, None, NONE, run.now))
    return Busy(tuple(run.entries), run.now, ended, run.first_miss, run.responses)
