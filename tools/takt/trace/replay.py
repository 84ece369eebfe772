# SPDX-License-Identifier: Apache-2.0
"""Rebuilds from a trace alone what the kernel knew at every record: states, keys, mutexes, the user of the processor,
and what is left of budgets.

A test holds it against the kernel's own (tests/trace); the report, the exports and the figures of `takt run` use it.
State known from earlier records is unknown from LOST_RECORDS on, until another record gives it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from takt.support.c.traces import BUDGET_BROKEN
from takt.trace.records import IDLE, NO_JOB, NONE, Budget, Entry, Event, Names

INTERRUPTS = -1  # an interrupt executes
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
    """What a task does, and while it is blocked, on which object (NONE: a time); `heir_of`: see Task."""

    state: State
    object: int = NONE
    heir_of: int = NONE
    job: int = NO_JOB  # while it runs


class Span(NamedTuple):
    """A task's condition from one time to another."""

    task: int
    start_ns: int
    end_ns: int
    condition: Condition


@dataclass
class Left:
    """What is left of a task's budget. On a board the kernel takes more off than its records show: docs/trace.md."""

    declared: Budget
    left_ns: int  # 0: used up
    section_ns: int | None = None  # of the section in which it is; None: none is watched
    demoted: bool = False
    pending: bool = False  # it will be demoted at its last unlock
    waited: bool = False  # in its section: of that there is less left than section_ns

    @property
    def enforced(self) -> bool:
        """Whether sections are watched."""
        return self.declared.on_budget != "notify"

    def spend(self, used_ns: int) -> None:
        self.left_ns = max(0, self.left_ns - used_ns)
        if self.section_ns is not None:
            self.section_ns = max(0, self.section_ns - used_ns)


@dataclass
class Task:
    """A task between two records. None: not known. `level` and `key_deadline_ns` are its key, inherited or its own."""

    base_state: State = State.UNKNOWN  # any but SUSPENDED and RUNNING
    object: int = NONE  # BLOCKED: on what; NONE: a time
    suspended: bool = False
    stopping: bool = False  # it will be stopped at its last unlock or the end of its job
    job: int | None = None
    job_deadline_ns: int | None = None
    own_level: int | None = None
    level: int | None = None
    key_deadline_ns: int | None = None  # 0 in a fixed level
    heir_of: int = NONE  # the task whose key it has; IDLE: what a message or a ceiling lends; NONE: its own
    mutexes: list[int] = field(default_factory=list)  # in the order in which it got them
    serving: list[int] = field(default_factory=list)  # of each call that it has accepted: the rendezvous
    budget: Left | None = None  # None: it has none, or it is not known
    overran: bool = False  # a release was found late just now: the job that follows goes straight on


_BASE_STATES = {
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
        self._charged_ns = 0  # the running task has paid up to here

    def task(self, index: int) -> Task:
        return self.tasks.setdefault(index, Task())

    def condition(self, index: int) -> Condition:
        task = self.task(index)
        if task.base_state is State.BLOCKED:
            return Condition(State.BLOCKED, task.object, task.heir_of)
        if task.base_state is State.READY and task.suspended:
            return Condition(State.SUSPENDED, NONE, task.heir_of)
        if task.base_state is State.READY and index == self.running:
            return Condition(State.RUNNING, NONE, task.heir_of, NO_JOB if task.job is None else task.job)
        return Condition(task.base_state, NONE, task.heir_of)

    def busy(self) -> tuple[int, int] | None:
        """What executes, a task, IDLE or INTERRUPTS, and its job, or the number of the interrupt. None: not known."""
        if self.interrupts:
            return INTERRUPTS, self.interrupts[-1]
        if self.running >= IDLE:
            return (IDLE, 0) if self.running == IDLE else None
        task = self.task(self.running)
        return (self.running, task.job or 0) if task.base_state is State.READY else None

    def advance(self, now_ns: int) -> None:
        """Time passes without a record."""
        used_ns, self._charged_ns = now_ns - self._charged_ns, now_ns
        budget = self.task(self.running).budget if self.running < IDLE and not self.interrupts else None
        if budget is not None:
            budget.spend(used_ns)

    def step(self, entry: Entry) -> None:
        event = entry.event
        self.advance(entry.time_ns)
        if event is Event.RUN:
            self.running = entry.task
            if entry.task < IDLE:
                self.task(entry.task).base_state = State.READY
        elif event is Event.INTERRUPT:
            self.interrupts.append(entry.object)
        elif event is Event.INTERRUPT_END:
            self.interrupts[-1:] = []
        elif event is Event.LOST_RECORDS:
            self.tasks = {}
            self.running, self.interrupts = NONE, []
        elif entry.task < IDLE and event < Event.STAT_JOBS and event is not Event.LOG:
            self._step_task(entry, self.task(entry.task))

    def _step_task(self, entry: Entry, task: Task) -> None:
        event = entry.event
        if event in _BASE_STATES:
            task.base_state = _BASE_STATES[event]
            task.object = entry.object
        if event in (Event.START, Event.STOP):
            self._begin(entry)
        elif event is Event.RELEASE:
            task.job_deadline_ns = entry.value or None
            task.key_deadline_ns = task.job_deadline_ns if self._edf(entry.band) else 0
            self._renew(entry, task)
        elif event is Event.KEY:
            self._key(entry, task)
        elif event in (Event.SUSPEND, Event.RESUME):
            task.suspended = event is Event.SUSPEND
        elif event is Event.STOP_LATER:
            task.stopping = True
        self._hold(entry, task)
        task.overran = event is Event.OVERRUN
        if task.budget is not None:
            self._budget(entry, task, task.budget)
        if entry.job is not None:
            self.tasks[entry.task].job = entry.job
        if self._cooperative and entry.task == self.running and entry.event in (Event.COMPLETE, Event.STOP):
            self.running = IDLE

    def _hold(self, entry: Entry, task: Task) -> None:
        """Mutexes, and calls that it serves."""
        event = entry.event
        if event is Event.LOCK:
            task.mutexes.append(entry.object)
        elif event is Event.UNLOCK:
            task.mutexes = [mutex for mutex in task.mutexes if mutex != entry.object]
            task.serving = [call for call in task.serving if call != entry.object]  # its section was broken
        elif event is Event.RECEIVE and entry.value:
            task.serving.append(entry.object)
        elif event is Event.POST and entry.object in task.serving:
            task.serving.remove(entry.object)

    def _begin(self, entry: Entry) -> None:
        if entry.event is Event.STOP:
            self.tasks[entry.task] = Task(State.STOPPED)
        else:
            base_state = State.RELEASE if entry.job is None else State.READY
            begun = Task(base_state, own_level=entry.value, level=entry.value, key_deadline_ns=0)
            self.tasks[entry.task] = begun
            self._renew(entry, begun)

    def _renew(self, entry: Entry, task: Task) -> None:
        """A job begins; one that goes straight on behind a demoted one stays below with it."""
        declared = self.names.budget(entry.task)
        if declared is not None and not (task.overran and (task.budget is None or task.budget.demoted)):
            task.budget = Left(declared, declared.budget_ns)

    def _budget(self, entry: Entry, task: Task, budget: Left) -> None:
        """A section lasts from the first mutex, or call, to the last."""
        held = bool(task.mutexes or task.serving)
        if held and budget.section_ns is None and budget.enforced:
            budget.section_ns = budget.declared.hold_ns
        elif not held:
            budget.section_ns = None
        budget.waited = held and (budget.waited or task.suspended or task.base_state is State.BLOCKED)
        if entry.event is Event.BUDGET and entry.value != BUDGET_BROKEN:
            budget.left_ns = 0
            budget.pending = budget.declared.on_budget == "demote" and not task.stopping
        budget.pending = budget.pending and not task.stopping
        if budget.pending and not held:
            budget.pending, budget.demoted = False, True

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
    """An execution without a break: of a task, IDLE or INTERRUPTS. `detail`: the job, or of an interrupt its
    number."""

    actor: int
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
        self._busy: tuple[int, int] | None = None  # the one that has the processor, and the detail
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
        busy = replay.busy()
        if busy != self._busy:
            self._execute(busy)

    def _execute(self, busy: tuple[int, int] | None) -> None:
        """The processor goes from one task or interrupt to another. An interrupt that took no time does not cut."""
        if self._busy is not None and self.end_ns > self._busy_ns:
            one = Execution(self._busy[0], self._busy_ns, self.end_ns, self._busy[1])
            last = self.executions[-1] if self.executions else None
            if last is not None and (last.actor, last.end_ns, last.detail) == (one.actor, one.start_ns, one.detail):
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
        if 0 <= one.actor < len(found):
            found[one.actor].executed_ns += one.end_ns - one.start_ns
            found[one.actor].ready_ns -= one.end_ns - one.start_ns
    for task, start_ns, end_ns, condition in history.spans:
        if condition.state in (State.READY, State.RUNNING):
            found[task].ready_ns += end_ns - start_ns
        elif condition.state in (State.BLOCKED, State.SUSPENDED):
            blocked = condition.state is State.BLOCKED
            cause = names.kind(condition.object) if blocked else condition.state.value
            found[task].blocked_ns[cause] = found[task].blocked_ns.get(cause, 0) + end_ns - start_ns
    return found
