# SPDX-License-Identifier: Apache-2.0
"""Nodes with preemptive fixed priorities and clocks of their own, and a CAN bus between them, event by event: naive,
and none of the code under test. Times in us."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

BIT = 8  # 125 kbit/s
BITS = (111, 135)  # of a frame with 8 bytes and the space behind it: without and with all stuff bits


@dataclass(eq=False)
class Job:
    """Of a task, or an instance of a message. `origin`: the job of the chain's first step whose input it carries."""

    step: int
    number: int
    arrival: int
    origin: Job | None = None
    points: list[tuple[int, str]] = field(default_factory=list)  # what it does after so much execution
    done: int = 0
    end: int | None = None


@dataclass
class Task:
    """`before`: the number of the step in the chain before it, None: of none, or the first. `triggered`: by that."""

    node: int
    priority: int
    period: int
    wcet: int
    offset: int | None = None  # on its node's clock; None: any
    jitter: int = 0
    sporadic: bool = False
    triggered: bool = False
    before: int | None = None


@dataclass
class Message:
    """Of a task, in every `every`-th of its jobs."""

    sender: int
    identifier: int
    every: int = 1


Step = Task | Message


class Run:
    """`steps`: of the network, those of the chain and others, called by their numbers. `jobs`: of each step."""

    def __init__(self, rng: random.Random, steps: Sequence[Step], first: int, end: int) -> None:
        self.rng, self.steps, self.first, self.now = rng, steps, first, 0
        tasks = [step for step in steps if isinstance(step, Task)]
        self.jobs: list[list[Job]] = [[] for _ in steps]
        self.ready: dict[int, list[Job]] = {task.node: [] for task in tasks}
        self.latest: list[Job | None] = [None] * len(steps)  # whose output is there
        self.waiting: list[list[Job]] = [[] for _ in steps]  # what triggers it, in its order
        self.pending: list[Job] = []  # frames
        self.frame: tuple[int, Job] | None = None
        self.long = rng.random() < 0.5  # jobs execute as long as they may
        phases = {node: rng.randrange(40_000) for node in self.ready}
        self.due: list[int | None] = [None] * len(steps)  # the arrival that is next
        self.released = [-(10**9)] * len(steps)
        self.late: list[int] = [0] * len(steps)  # its release, behind the arrival
        self.phase = [rng.randrange(8) for _ in steps]
        for number, step in enumerate(steps):
            if isinstance(step, Task) and not step.triggered:
                at = rng.randrange(step.period) if step.offset is None else phases[step.node] + step.offset
                self.due[number] = at
                self.late[number] = rng.randint(0, step.jitter)
        while self.now < end:
            self._step()

    def _step(self) -> None:
        self._release()
        self._send()
        running = [min(ready, key=self._priority) for ready in self.ready.values() if ready]
        times = [self.now + job.points[0][0] - job.done for job in running]
        times += list(self._releases())
        if self.frame is not None:
            times.append(self.frame[0])
        until = max(self.now, min(times))
        for job in running:
            job.done += until - self.now
        self.now = until
        self.rng.shuffle(running)
        for job in running:
            while job.points and job.points[0][0] <= job.done:
                self._act(job, job.points.pop(0)[1])
        if self.frame is not None and self.frame[0] <= self.now:
            self._complete(self.frame[1])
            self.frame = None

    def _priority(self, job: Job) -> tuple[int, int]:
        step = self.steps[job.step]
        assert isinstance(step, Task)
        return step.priority, job.number

    def _releases(self) -> Iterator[int]:
        for number, step in enumerate(self.steps):
            due = self.due[number]
            if due is not None:
                yield due + self.late[number]
            elif self.waiting[number] and isinstance(step, Task):
                yield self.released[number] + step.period

    def _release(self) -> None:
        for number, step in enumerate(self.steps):
            if not isinstance(step, Task):
                continue
            due = self.due[number]
            if due is not None and due + self.late[number] <= self.now:
                self._start(number, step, due, None)
                more = self.rng.choice((0, 0, self.rng.randint(0, step.period))) if step.sporadic else 0
                self.due[number], self.late[number] = due + step.period + more, self.rng.randint(0, step.jitter)
            elif self.waiting[number] and self.released[number] + step.period <= self.now:
                self.released[number] = self.now
                self._start(number, step, self.now, self.waiting[number].pop(0))

    def _start(self, number: int, task: Task, arrival: int, by: Job | None) -> None:
        execution = task.wcet if self.long else self.rng.randint(1, task.wcet)
        read = self.rng.choice((0, 0, self.rng.randint(0, execution)))
        write = self.rng.choice((execution, execution, self.rng.randint(read, execution)))
        job = Job(number, len(self.jobs[number]), arrival, by.origin if by is not None else None)
        job.points = [(read, "read"), (write, "write"), (execution, "end")]
        if number == self.first:
            job.origin = job
        self.jobs[number].append(job)
        self.ready[task.node].append(job)

    def _act(self, job: Job, what: str) -> None:
        task = self.steps[job.step]
        assert isinstance(task, Task)
        if what == "read" and not task.triggered and task.before is not None:
            got = self.latest[task.before]
            job.origin = got.origin if got is not None else None
        elif what == "write":
            self._write(job)
            for number, step in enumerate(self.steps):
                count = job.number + self.phase[job.step]
                if isinstance(step, Message) and step.sender == job.step and count % step.every == 0:
                    self.pending.append(Job(number, job.number, job.arrival, job.origin))
        elif what == "end":
            job.end = self.now
            self.ready[task.node].remove(job)

    def _write(self, job: Job) -> None:
        self.latest[job.step] = job
        for number, step in enumerate(self.steps):
            if isinstance(step, Task) and step.triggered and step.before == job.step:
                self.waiting[number].append(job)

    def _send(self) -> None:
        if self.frame is None and self.pending:
            first = min(self.pending, key=self._identifier)
            self.pending.remove(first)
            bits = BITS[1] if self.rng.random() < 0.7 else self.rng.randint(*BITS)
            self.frame = (self.now + bits * BIT, first)

    def _identifier(self, job: Job) -> int:
        step = self.steps[job.step]
        assert isinstance(step, Message)
        return step.identifier

    def _complete(self, job: Job) -> None:
        job.end = self.now
        self.jobs[job.step].append(job)
        self._write(job)


def observed(run: Run, last: int, warm: int) -> tuple[int, int]:
    """The longest reaction and age of the chain up to `last`, of what arrived after `warm`. A cause comes with the
    arrival of a first step that is periodic, and is missed; it makes one that is not arrive."""
    outputs = [(job.end, job.origin) for job in run.jobs[last] if job.end is not None and job.origin is not None]
    age = max((end - first.arrival for end, first in outputs if first.arrival >= warm), default=0)
    head = run.steps[run.first]
    assert isinstance(head, Task)
    reaction = 0
    for before, job in pairwise(run.jobs[run.first]):
        cause = job.arrival if head.sporadic else before.arrival
        ends = [end for end, first in outputs if first.arrival >= job.arrival]
        if ends and cause >= warm:
            reaction = max(reaction, min(ends) - cause)
    return reaction, age
