# SPDX-License-Identifier: Apache-2.0
"""Rebuilds from a trace alone what the kernel knew at every record: states, keys, mutexes, who has the processor.

A test holds it against the kernel's own (tests/trace); the report, the exports and the figures of `takt run` use it.
What a record of the past told is unknown from LOST_RECORDS on, until another tells it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from takt.trace import IDLE, NO_JOB, NONE, Entry, Event, Names

INTERRUPTS = -1  # whoever executes: an interrupt
COOPERATIVE = "cooperative"  # the scheduler whose tasks are left at the end of a job only


class State(Enum):
    """What a task does."""

    UNKNOWN = "unknown"
    STOPPED = "stopped"
    RELEASE = "waits for its release"
    BLOCKED = "blocked"
    SUSPENDED = "suspended"
    READY = "ready"
    RUNNING = "running"


class Condition(NamedTuple):
    """What a task does, and while it is blocked, on which object (NONE: an instant); `heir_of`: see Task."""

    state: State
    object: int = NONE
    heir_of: int = NONE
    job: int = NO_JOB  # while it runs


class Span(NamedTuple):
    """A task's condition from one instant to another."""

    task: int
    start_ns: int
    end_ns: int
    condition: Condition


@dataclass
class Task:
    """A task between two records. None: not known. `level` and `key_deadline_ns` are its key, inherited or its own."""

    place: State = State.UNKNOWN  # any but SUSPENDED and RUNNING
    object: int = NONE  # BLOCKED: on what; NONE: an instant
    suspended: bool = False
    stopping: bool = False  # it will be stopped at its last unlock or the end of its job
    job: int | None = None
    job_deadline_ns: int | None = None
    own_level: int | None = None
    level: int | None = None
    key_deadline_ns: int | None = None  # 0 in a fixed level
    heir_of: int = NONE  # the task whose key it has; IDLE: what a message lends; NONE: its own
    mutexes: list[int] = field(default_factory=list)  # in the order in which it got them


_PLACES = {
    Event.RELEASE: State.READY,
    Event.COMPLETE: State.RELEASE,
    Event.BLOCK: State.BLOCKED,
    Event.READY: State.READY,
}


class Replay:
    """The whole system. `step` takes every entry in order."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.tasks = {index: Task(State.STOPPED) for index in range(len(names.tasks))}
        self.running = IDLE
        self.interrupts: list[int] = []  # those that are active, the innermost last
        self._cooperative = names.scheduler == COOPERATIVE

    def task(self, index: int) -> Task:
        return self.tasks.setdefault(index, Task())

    def condition(self, index: int) -> Condition:
        task = self.task(index)
        if task.place is State.BLOCKED:
            return Condition(State.BLOCKED, task.object, task.heir_of)
        if task.place is State.READY and task.suspended:
            return Condition(State.SUSPENDED, NONE, task.heir_of)
        if task.place is State.READY and index == self.running:
            return Condition(State.RUNNING, NONE, task.heir_of, NO_JOB if task.job is None else task.job)
        return Condition(task.place, NONE, task.heir_of)

    def step(self, entry: Entry) -> None:
        event = entry.event
        if event is Event.RUN:
            self.running = entry.task
            if entry.task < IDLE:
                self.task(entry.task).place = State.READY
        elif event is Event.INTERRUPT:
            self.interrupts.append(entry.object)
        elif event is Event.INTERRUPT_END:
            self.interrupts[-1:] = []
        elif event is Event.LOST_RECORDS:
            self.tasks = {}
            self.running, self.interrupts = NONE, []
        elif entry.task < IDLE and event < Event.STAT_JOBS:
            self._step_task(entry, self.task(entry.task))

    def _step_task(self, entry: Entry, task: Task) -> None:
        event = entry.event
        if event in _PLACES:
            task.place = _PLACES[event]
            task.object = entry.object
        if event in (Event.START, Event.STOP):
            self._begin(entry)
        elif event is Event.RELEASE:
            task.job_deadline_ns = entry.value or None
            task.key_deadline_ns = task.job_deadline_ns if self._edf(entry.band) else 0
        elif event is Event.LOCK:
            task.mutexes.append(entry.object)
        elif event is Event.UNLOCK:
            task.mutexes = [mutex for mutex in task.mutexes if mutex != entry.object]
        elif event is Event.KEY:
            self._key(entry, task)
        elif event in (Event.SUSPEND, Event.RESUME):
            task.suspended = event is Event.SUSPEND
        elif event is Event.STOP_LATER:
            task.stopping = True
        if entry.job is not None:
            self.tasks[entry.task].job = entry.job
        if self._cooperative and entry.task == self.running and entry.event in (Event.COMPLETE, Event.STOP):
            self.running = IDLE

    def _begin(self, entry: Entry) -> None:
        if entry.event is Event.STOP:
            self.tasks[entry.task] = Task(State.STOPPED)
        else:
            place = State.RELEASE if entry.job is None else State.READY
            self.tasks[entry.task] = Task(place, own_level=entry.value, level=entry.value, key_deadline_ns=0)

    def _edf(self, band: int | None) -> bool:
        bands = self.names.bands
        return band is not None and band < len(bands) and bands[band]["kind"] == "edf"

    def _key(self, entry: Entry, task: Task) -> None:
        """Its own key again, or that of the task which the record names, as it is now."""
        task.level = entry.value
        task.heir_of = entry.object
        if not self._edf(entry.band) or entry.object == IDLE:
            task.key_deadline_ns = 0
        elif entry.object == NONE:
            task.key_deadline_ns = task.job_deadline_ns
        else:
            task.key_deadline_ns = self.task(entry.object).key_deadline_ns


class Execution(NamedTuple):
    """Who had the processor without a break: a task, IDLE or INTERRUPTS. `detail`: the job, or of an interrupt its
    number."""

    who: int
    start_ns: int
    end_ns: int
    detail: int


class History:
    """What happened, from the first record to the end of the run; spans and executions in the order of their ends."""

    def __init__(self, entries: Iterable[Entry], names: Names) -> None:
        self.spans: list[Span] = []
        self.executions: list[Execution] = []
        self.end_ns = 0
        self.lost = False  # records were: there are gaps
        self._replay = Replay(names)
        self._count = len(names.tasks)
        self._since = [(0, self._replay.condition(task)) for task in range(self._count)]
        self._busy: tuple[int, int] | None = None  # who has the processor, and the detail
        self._busy_ns = 0
        for entry in entries:
            if entry.event < Event.STAT_JOBS:
                self._step(entry)
            elif entry.event is Event.STAT_END:
                self.end_ns = max(self.end_ns, entry.value)
        self._execute(None)
        for task in range(self._count):
            self._close(task)

    def _step(self, entry: Entry) -> None:
        replay = self._replay
        self.end_ns = max(self.end_ns, entry.time_ns)
        touched: Iterable[int] = (entry.task, replay.running)
        replay.step(entry)
        if entry.event is Event.LOST_RECORDS:
            self.lost = True
            touched = range(self._count)
        for task in touched:
            if task < self._count and replay.condition(task) != self._since[task][1]:
                self._close(task)
        busy = self._who()
        if busy != self._busy:
            self._execute(busy)

    def _who(self) -> tuple[int, int] | None:
        replay = self._replay
        if replay.interrupts:
            return INTERRUPTS, replay.interrupts[-1]
        if replay.running >= IDLE:
            return (IDLE, 0) if replay.running == IDLE else None
        task = replay.task(replay.running)
        return (replay.running, task.job or 0) if task.place is State.READY else None

    def _execute(self, busy: tuple[int, int] | None) -> None:
        """The processor goes from whoever has it to another. An interrupt that took no time does not cut."""
        if self._busy is not None and self.end_ns > self._busy_ns:
            one = Execution(self._busy[0], self._busy_ns, self.end_ns, self._busy[1])
            last = self.executions[-1] if self.executions else None
            if last is not None and (last.who, last.end_ns, last.detail) == (one.who, one.start_ns, one.detail):
                self.executions[-1] = last._replace(end_ns=one.end_ns)
            else:
                self.executions.append(one)
        self._busy, self._busy_ns = busy, self.end_ns

    def _close(self, task: int) -> None:
        start_ns, condition = self._since[task]
        if self.end_ns > start_ns:
            self.spans.append(Span(task, start_ns, self.end_ns, condition))
        self._since[task] = (self.end_ns, self._replay.condition(task))


@dataclass
class Times:
    """Where a task's time went, in ns. `blocked_ns`: by kind of object, `delay`, and `suspended`."""

    executed_ns: int = 0
    ready_ns: int = 0  # it could have run, and another did, or an interrupt, or the kernel
    blocked_ns: dict[str, int] = field(default_factory=dict)


def times(history: History, names: Names) -> list[Times]:
    """Of every task."""
    found = [Times() for _ in names.tasks]
    for one in history.executions:
        if 0 <= one.who < len(found):
            found[one.who].executed_ns += one.end_ns - one.start_ns
            found[one.who].ready_ns -= one.end_ns - one.start_ns
    for task, start_ns, end_ns, condition in history.spans:
        if condition.state in (State.READY, State.RUNNING):
            found[task].ready_ns += end_ns - start_ns
        elif condition.state in (State.BLOCKED, State.SUSPENDED):
            blocked = condition.state is State.BLOCKED
            cause = names.kind(condition.object) if blocked else condition.state.value
            found[task].blocked_ns[cause] = found[task].blocked_ns.get(cause, 0) + end_ns - start_ns
    return found
