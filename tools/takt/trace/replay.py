# SPDX-License-Identifier: Apache-2.0
"""What follows from a trace alone: at every event what the kernel knew, and where time went. The reader in C (replay/)
finds it out; here it gets its names.

A test holds it against the kernel's own (tests/trace); the report, the exports and the figures of `takt run` use it.
State known from earlier records is unknown from LOST_RECORDS on, until another record gives it again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from takt.support.c import replay as c
from takt.support.c.replay import INTERRUPTS
from takt.trace.library import Reader
from takt.trace.records import NO_JOB, NONE, Budget, Entry, Names, Trace, rows

__all__ = ["INTERRUPTS"]  # and what is below


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


@dataclass(frozen=True)
class Left:
    """What is left of a task's budget. On a board the kernel takes more off than its records show: docs/trace.md."""

    declared: Budget
    left_ns: int  # 0: used up
    section_ns: int | None  # of the section in which it is; None: none is watched
    demoted: bool
    pending: bool  # it will be demoted at its last unlock
    waited: bool  # in its section: of that there is less left than section_ns


@dataclass(frozen=True)
class Task:
    """A task between two records. None: not known. `level` and `key_deadline_ns` are its key, inherited or its own."""

    base_state: State  # any but SUSPENDED and RUNNING
    object: int  # BLOCKED: on what; NONE: a time
    suspended: bool
    stopping: bool  # it will be stopped at its last unlock or the end of its job
    job: int | None
    job_deadline_ns: int | None
    own_level: int | None
    level: int | None
    key_deadline_ns: int | None  # 0 in a fixed level
    heir_of: int  # the task whose key it has; IDLE: what a message or a ceiling lends; NONE: its own
    mutexes: list[int]  # in the order in which it got them
    serving: list[int]  # of each call that it has accepted: the rendezvous
    budget: Left | None  # None: it has none, or it is not known


_STATES = {
    c.State.NOT_KNOWN: State.UNKNOWN,
    c.State.STOPPED: State.STOPPED,
    c.State.RELEASE: State.RELEASE,
    c.State.BLOCKED: State.BLOCKED,
    c.State.SUSPENDED: State.SUSPENDED,
    c.State.READY: State.READY,
    c.State.RUNNING: State.RUNNING,
}


def _known(value: int, unknown: int) -> int | None:
    return None if value == unknown else value


class Replay:
    """The whole system. `step` takes every entry in order."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._reader = Reader(names.declared())
        self._c, self._handle = self._reader.c, self._reader.handle

    def step(self, entry: Entry) -> None:
        self._reader.take(rows([entry]))

    def advance(self, now_ns: int) -> None:
        """Time passes without a record."""
        self._c.takt_replay_advance(self._handle, now_ns)

    @property
    def running(self) -> int:
        """The task that has the processor, interrupts aside; IDLE, or NONE: not known."""
        return int(self._c.takt_replay_running(self._handle))

    @property
    def interrupts(self) -> int:
        """How many are active."""
        depth = ctypes.c_uint32()
        self._c.takt_replay_interrupt(self._handle, depth)
        return depth.value

    def condition(self, index: int) -> Condition:
        found = self._c.takt_replay_condition(self._handle, index)
        return Condition(_STATES[found.state], found.object, found.heir_of, found.job)

    def busy(self) -> tuple[int, int] | None:
        """What executes, a task, IDLE or INTERRUPTS, and its job, or the number of the interrupt. None: not known."""
        actor, detail = ctypes.c_int32(), ctypes.c_uint32()
        known = self._c.takt_replay_actor(self._handle, actor, detail)
        return (actor.value, detail.value) if known else None

    def task(self, index: int) -> Task:
        found = self._c.takt_replay_task(self._handle, index).contents
        return Task(
            base_state=_STATES[found.base_state],
            object=found.object,
            suspended=found.suspended,
            stopping=found.stopping,
            job=_known(found.job, NO_JOB),
            job_deadline_ns=found.job_deadline_ns or None,
            own_level=_known(found.own_level, c.NO_LEVEL),
            level=_known(found.level, c.NO_LEVEL),
            key_deadline_ns=_known(found.key_deadline_ns, c.NO_TIME),
            heir_of=found.heir_of,
            mutexes=found.mutexes.first[: found.mutexes.count] if found.mutexes.count else [],
            serving=found.serving.first[: found.serving.count] if found.serving.count else [],
            budget=self._left(index, found),
        )

    def _left(self, index: int, found: c.Task) -> Left | None:
        declared = self.names.budget(index)
        if declared is None or not found.has_budget:
            return None
        section_ns = _known(found.section_ns, c.NO_TIME)
        return Left(declared, found.left_ns, section_ns, found.demoted, found.pending, found.waited)


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
        self.reader = Reader(names.declared(), pieces=True)
        self.reader.choose_time(0, c.NO_TIME)
        for _ in Trace(names, tuple(entries)).through(self.reader):
            self._add()
        self.end_ns = int(self.reader.totals.end_ns)
        self.lost = self.reader.totals.gaps > 0  # records were: there are gaps

    def _add(self) -> None:
        for start_ns, end_ns, actor, detail, state, target, heir_of, job in c.PIECE.iter_unpack(self.reader.pieces()):
            if state == c.State.EXECUTES:
                self.executions.append(Execution(actor, start_ns, end_ns, detail))
            else:
                self.spans.append(Span(actor, start_ns, end_ns, Condition(_STATES[state], target, heir_of, job)))


@dataclass
class Times:
    """Where a task's time went, in ns. `blocked_ns`: by kind of object, `delay`, and `suspended`."""

    executed_ns: int = 0
    ready_ns: int = 0  # it could have run, and another did, or an interrupt, or the kernel
    blocked_ns: dict[str, int] = field(default_factory=dict)


_BESIDE = {c.KIND_DELAY: "delay", c.KIND_OTHER: "other", c.KIND_SUSPENDED: "suspended"}


def times(reader: Reader, names: Names) -> list[Times]:
    """Of every task, of a trace that was read."""
    causes = {**dict(enumerate(names.causes())), **_BESIDE}
    found = []
    for task in range(len(names.tasks)):
        figures = reader.c.takt_replay_figures(reader.handle, task).contents
        waited = {cause: figures.waited_ns[number] for number, cause in causes.items() if figures.waited_ns[number]}
        found.append(Times(figures.executed_ns, figures.able_ns - figures.executed_ns, waited))
    return found
