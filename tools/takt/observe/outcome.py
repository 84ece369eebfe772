# SPDX-License-Identifier: Apache-2.0
"""What a run showed, held against what was proved: the figures of `takt run`, in JSON and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from takt.declare import services
from takt.declare.schema.model import System
from takt.declare.service_kinds import state_copies
from takt.declare.service_kinds.mutex import Mutex
from takt.declare.service_kinds.state_copies import State
from takt.image import functions, stack_verdict
from takt.image.stack_bounds import Bound
from takt.observe import inject, plants, process_faults
from takt.observe.cycles import Cycles
from takt.observe.fault import Fault
from takt.observe.figures import buses, chains, disturbed, queues
from takt.observe.figures.buses import MessageFigures
from takt.observe.figures.queues import QueueFigures
from takt.observe.process_faults import ProcessCall, ProcessFault
from takt.prove.proof import Proved
from takt.support.durations import brief, show
from takt.trace.recording import Seen, Watched
from takt.trace.records import Event, Names, Trace
from takt.trace.replay import Times

GUARD_WORD = 4
"""Bytes at the end of a stack that the board never counts as used."""

OBSERVED = ("jobs", "misses", "overruns", "lost", "response_ns_max", "execution_ns_max", "stack_max")
"""Of a task, all numbers that the board sends."""


@dataclass(frozen=True)
class TaskFigures:
    """One task, observed. `bound_ns`: on the response, None when there is none."""

    name: str
    jobs: int
    misses: int
    overruns: int
    lost: int
    response_ns_max: int
    bound_ns: int | None
    wcet_ns: int  # 0: a background task without one
    execution_ns_max: int
    stack_max: int  # bytes, 0: not measured on this board
    deadline_ns: int | None
    stack_bytes: int = 0  # as declared
    times: Times | None = None  # where its time went; None: no trace, or one with gaps
    unseen_ns: int = (
        0  # interrupts that may not call the kernel, nor be distinguished from the task: in execution_ns_max at most
    )
    suspension_ns: int | None = None  # as declared, of each job; None: a background task, which may wait
    wakes_late_ns: int = 0  # of each job, all its waits together: by how much their ends may come late, in the proof
    locks: tuple[
        tuple[str, int, int], ...
    ] = ()  # mutexes of jobs that declare no waits: how often locked, and how often
    # each job may
    damage: str = ""  # why nothing that the board said of it is to be believed: all of that is 0 here

    @property
    def is_background(self) -> bool:
        """It has no jobs, so of them nothing was seen: `times` says what it executed."""
        return self.deadline_ns is None and self.jobs == 0

    @property
    def waited_ns(self) -> int:
        """In all jobs, for mutexes not counted; 0 if that is not known."""
        blocked = self.times.blocked_ns if self.times is not None else {}
        return sum(time_ns for cause, time_ns in blocked.items() if cause != "mutex")

    def breaches(self, proved: bool, excused: int = 0) -> Iterator[str]:
        """Where it left what was proved or declared. `excused`: misses that a fault to order explains."""
        if self.damage:
            yield f"figures of {self.name} are damaged: {self.damage}"
            return
        if self.stack_max and self.stack_max + GUARD_WORD >= self.stack_bytes:
            yield f"{self.name} used all {self.stack_bytes} bytes of its stack and may have overflowed it"
        if self.wcet_ns and self.execution_ns_max > self.wcet_ns + self.unseen_ns:
            yield f"{self.name} executed for {show(self.execution_ns_max)}, its wcet is {show(self.wcet_ns)}"
        if self.bound_ns is not None and self.response_ns_max > self.bound_ns:
            yield f"{self.name} took {show(self.response_ns_max)}, its bound is {show(self.bound_ns)}"
        each_ns = None if self.suspension_ns is None else self.suspension_ns + self.wakes_late_ns
        if each_ns is not None and self.waited_ns > (self.jobs + 1) * each_ns:
            declared = f"the declared suspension of a job is {show(self.suspension_ns or 0)}"
            yield f"{self.name} waited {show(self.waited_ns)} in {self.jobs} jobs; {declared}"
        for mutex, seen, most in self.locks:
            if seen > (self.jobs + 1) * most:
                declared = f"the declared locks of a job: {most}"
                yield f"{self.name} locked {mutex} {seen} times in {self.jobs} jobs; {declared}"
        misses = self.misses - excused
        if proved and misses > 0:
            yield f"{self.name} missed {misses} deadline{'s' if misses > 1 else ''} of a proved system"


@dataclass(frozen=True)
class StateFigures:
    """One state message, observed. `writes`: None: not counted; `writes_max`: of the declaration, None: nothing is."""

    name: str
    writer: str
    writes: int | None
    writes_max: int | None
    overtaken: int  # reads

    def breaches(self) -> Iterator[str]:
        """Where it left what was declared."""
        if self.writes_max is None:
            return
        if self.writes is not None and self.writes > self.writes_max:
            yield f"{self.writer} wrote {self.name} {self.writes} times, more than the declared {self.writes_max}"
        if self.overtaken:
            many = f"{self.overtaken} reads of {self.name} were" if self.overtaken > 1 else f"a read of {self.name} was"
            yield f"{many} overtaken by writes: the timing is not as declared"


@dataclass(frozen=True)
class Miss:
    task: str
    release_ns: int
    deadline_ns: int


@dataclass(frozen=True)
class Outcome:
    """A run that is over. `failure`: it did not reach its end, and why."""

    proved: Proved
    duration_ns: int  # of virtual time, as the board says
    tasks: tuple[TaskFigures, ...]
    first_miss: Miss | None
    lost_records: int
    plant: dict[str, Any] | None
    failure: str | None
    fault: Fault | None = None
    names: Names | None = None  # of the trace
    states: tuple[StateFigures, ...] = ()
    process_faults: tuple[ProcessFault, ...] = ()
    process_calls: tuple[ProcessCall, ...] = ()
    injected: tuple[inject.Injected, ...] = ()
    excused: Mapping[str, int] = field(default_factory=dict)  # misses by task, of jobs that injected faults ended
    cycles: Cycles | None = None  # of a board that counts them
    stacks: tuple[Bound, ...] = ()  # none where they are the port's own
    queues: tuple[QueueFigures, ...] = ()
    log: Mapping[str, int] = field(default_factory=dict)  # messages by level
    messages: tuple[MessageFigures, ...] = ()  # of CAN buses
    buses: tuple[disturbed.BusFigures, ...] = ()  # those on which faults were injected
    chains: tuple[chains.ChainFigures, ...] = ()

    def with_stacks(self, stacks: tuple[Bound, ...]) -> Outcome:
        """The same of an image with those stacks. Where one is too small, or was seen to be, what was found in them may
        be of other tasks: none of it counts as measured."""
        full = self.fault is not None and self.fault.reason == "stack"
        if not full and not stack_verdict.too_small(stacks):
            return replace(self, stacks=stacks)
        return replace(self, stacks=stacks, tasks=tuple(replace(task, stack_max=0) for task in self.tasks))

    @property
    def misses(self) -> int:
        return sum(task.misses for task in self.tasks)

    def share(self, task: TaskFigures) -> float | None:
        """Of the processor, a fraction of 1; None: not known."""
        if task.times is None or not self.duration_ns:
            return None
        return round(task.times.executed_ns / self.duration_ns, 6)

    def causes(self) -> list[str]:
        """What tasks waited for at all."""
        return sorted({cause for task in self.tasks if task.times is not None for cause in task.times.blocked_ns})

    def breaches(self) -> list[str]:
        """Everything that was observed outside what was proved."""
        system = self.proved.system
        asked = [one.fault for one in self.injected]
        of_processes = [fault.sentence() for fault in self.process_faults if fault not in asked]
        of_processes += [text for one in self.injected for text in one.breaches(system)]
        counted = self.proved.feasible or bool(self.injected)
        free = disturbed.released(system, self.buses) if self.buses else set()
        judged = (replace(task, bound_ns=None, misses=0) if task.name in free else task for task in self.tasks)
        of_tasks = [text for task in judged for text in task.breaches(counted, self.excused.get(task.name, 0))]
        of_stacks = [f"{one.sentence()}: {one.calls()}" for one in stack_verdict.too_small(self.stacks)]
        of_states = [text for state in self.states for text in state.breaches()]
        of_queues = [text for queue in self.queues for text in queue.breaches() if self._promised]
        of_messages = [text for one in self.messages for text in one.breaches() if self._promised]
        of_chains = [text for one in self.chains for text in one.breaches() if self._promised]
        return of_stacks + of_processes + of_tasks + of_states + of_queues + of_messages + of_chains

    @property
    def _promised(self) -> bool:
        """Whether queues keep their bounds: not while a process is stopped by a fault to order."""
        return self.proved.feasible and not self.injected

    @property
    def within_proof(self) -> bool:
        """The system was proved, the run reached its end, and nothing was observed outside what was proved."""
        return self.proved.feasible and self.failure is None and not self.breaches()

    @property
    def timed(self) -> bool:
        """Whether the preset keeps executions and responses."""
        return self.proved.system.preset != "lean"

    @property
    def plant_failure(self) -> str | None:
        """Why the plant failed, in one sentence: its first reason, and how many more there are. None: it did not."""
        if self.plant is None or plants.success(self.plant) is not False:
            return None
        reasons = self.plant.get("reasons")
        if not isinstance(reasons, list) or not reasons:
            return "The plant failed."
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        return f"The plant failed: {reasons[0]}{more}."

    @property
    def passed(self) -> bool:
        """What exit code 0 says: a miss of an unproved system alone does not count against it."""
        return self.failure is None and not self.breaches() and self.plant_failure is None

    def as_json(self, samples: bool = True) -> dict[str, Any]:
        """The keys of `takt run --json` (docs/json.md); `samples`: with the plant's trajectory, as run.json has it."""
        miss = self.first_miss
        plant = self.plant
        if plant is not None and not samples:
            plant = {name: value for name, value in plant.items() if name != "trajectory"}
        return {
            "board": self.proved.board.name,
            "scheduler": self.proved.choice.scheduler,
            "duration_ns": self.duration_ns,
            "proved": self.proved.feasible,
            "overheads": "none" if self.proved.overheads is None else "measured",
            "within_proof": self.within_proof,
            "breaches": self.breaches(),
            "failure": self.failure,
            "fault": None if self.fault is None or self.names is None else self.fault.as_json(self.names),
            "injected": [one.as_json() for one in self.injected],
            "faults": [] if self.names is None else [fault.as_json(self.names) for fault in self.process_faults],
            "process_calls": [one.as_json() for one in self.process_calls],
            "misses": self.misses,
            "first_miss": None
            if miss is None
            else {"task": miss.task, "release_ns": miss.release_ns, "deadline_ns": miss.deadline_ns},
            "lost_records": self.lost_records,
            "log": dict(self.log),
            "tasks": [
                {
                    "name": task.name,
                    "bound_ns": task.bound_ns,
                    "deadline_ns": task.deadline_ns,
                    "wcet_ns": task.wcet_ns,
                    "stack_bytes": task.stack_bytes,
                    "damage": task.damage or None,
                    **(dict.fromkeys(OBSERVED) if task.damage else {name: getattr(task, name) for name in OBSERVED}),
                    "share": self.share(task),
                    "ready_ns": None if task.times is None else task.times.ready_ns,
                    "blocked_ns": None if task.times is None else task.times.blocked_ns,
                }
                for task in self.tasks
            ],
            "states": [
                {
                    "name": state.name,
                    "writes": state.writes,
                    "writes_max": state.writes_max,
                    "overtaken": state.overtaken,
                }
                for state in self.states
            ],
            "queues": [queue.as_json() for queue in self.queues],
            "messages": [one.as_json() for one in self.messages],
            "chains": [one.as_json() for one in self.chains],
            "bus_faults": [one.as_json() for one in self.buses],
            "stacks": [one.as_json() for one in self.stacks],
            "cycles": None if self.cycles is None else self.cycles.as_json(),
            "plant": plant,
        }

    def line(self) -> str:
        """The verdict: a sentence on the program, one on stacks of which no bound is known, and one on the plant where
        it failed; first what fails the run."""
        result = self._of_program()
        if self.plant_failure is None:
            return result
        program_failed = self.failure is not None or bool(self.breaches())
        return f"{result} {self.plant_failure}" if program_failed else f"{self.plant_failure} {result}"

    def _of_program(self) -> str:
        if self.failure is not None:
            failed = f"Failed after {brief(self.duration_ns)}: {self.failure}."
            return " ".join([failed, *stack_verdict.lines(self.stacks)])  # which may be why
        return f"{self._verdict()} {stack_verdict.unknown(self.stacks)}".rstrip()

    def _verdict(self) -> str:
        name, span = self.proved.system.name, brief(self.duration_ns)
        breaches = self.breaches()
        if breaches:
            more = f" (and {len(breaches) - 1} more)" if len(breaches) > 1 else ""
            return f"Not within what was proved: {breaches[0]}{more}.{self._hint()}"
        if self.injected:
            return f"As injected: {inject.verdict(self.injected)}; in {span} no other task missed a deadline."
        beyond = disturbed.verdict(self.buses, self.messages, span) if self.buses else None
        if beyond is not None:
            return beyond
        if not self.proved.feasible:
            return f"Nothing was proved of {name}: in {span} {self._miss_text()}."
        if not self.timed:
            missed = f"no deadline of {name} was missed"
            return f"Within what was proved, as far as preset lean tells (it keeps no times): in {span} {missed}."
        return f"Within what was proved: in {span} no deadline of {name} was missed, no bound and no wcet exceeded."

    def _miss_text(self) -> str:
        miss = self.first_miss
        if miss is None:
            return "no deadline was missed"
        released = f"released at {show(miss.release_ns)}" if miss.release_ns else "released at 0"
        return f"{self.misses} deadlines were missed, the first by {miss.task} at {show(miss.deadline_ns)} ({released})"

    def _hint(self) -> str:
        if self.proved.overheads is None and not self.proved.board.zero_overheads:
            return " The proof does not count the kernel's own time."
        return ""


def watched(proved: Proved) -> Watched:
    """What `observe` wants of a trace."""
    return Watched(queues.watched(proved), bool(proved.system.injections), chains.follower(proved))


def observe(
    proved: Proved,
    seen: Seen,
    failure: str | None,
    plant: dict[str, Any] | None,
    fault: Fault | None = None,
    where: functions.Where = functions.nowhere,
) -> Outcome:
    """The figures that the board sent at the end of its run. Without them the run has failed. `where`: of the image."""
    totals: dict[tuple[Event, int], int] = {}
    for entry in seen.entries:
        if entry.event >= Event.STAT_JOBS:
            more = totals.get((entry.event, entry.task), 0) if entry.event is Event.STAT_OVERTAKEN else 0
            totals[entry.event, entry.task] = entry.value + more  # protected: each process counts its own
    end = next((value for (event, _), value in totals.items() if event is Event.STAT_END), None)
    if failure is None and end is None:
        failure = "the board ended without sending its statistics"
    duration_ns = end if end is not None else seen.now_ns
    spent = seen.times()
    whole = spent is not None and end is not None
    alone = Trace(seen.names, seen.entries)
    faults = process_faults.read(alone, where)
    injected = inject.judge(proved.system, faults, alone, duration_ns, whole=failure is None)
    return Outcome(
        proved=proved,
        duration_ns=duration_ns,
        tasks=tuple(
            _judged(
                replace(_figures(proved, index, totals, spent), locks=_locks(proved.system, index, seen)),
                duration_ns,
                seen.completed(index) if whole else None,
            )
            for index in range(len(proved.system.tasks))
        ),
        first_miss=_first_miss(proved.system, totals),
        lost_records=seen.lost_records,
        plant=plant,
        failure=failure,
        fault=fault,
        names=seen.names,
        states=_states(proved.system, totals, duration_ns),
        process_faults=faults,
        process_calls=process_faults.calls(alone),
        injected=injected,
        excused=inject.excused(proved.system, injected, alone),
        queues=queues.observe(
            proved,
            seen.entries if spent is not None else None,
            [totals.get((Event.STAT_LOST, index), 0) for index in range(len(proved.system.tasks))],
        ),
        log=seen.messages(),
        messages=buses.observe(proved, totals) if proved.system.buses else (),
        chains=chains.observe(proved, seen),
    )


def _states(system: System, totals: dict[tuple[Event, int], int], duration_ns: int) -> tuple[StateFigures, ...]:
    ids = {name: number for number, name in enumerate(services.object_kinds(system))}
    return tuple(
        StateFigures(
            name=state.name,
            writer=state.writer,
            writes=totals.get((Event.STAT_WRITES, ids[state.name])),
            writes_max=state_copies.writes_max(system, state, duration_ns),
            overtaken=totals.get((Event.STAT_OVERTAKEN, ids[state.name]), 0),
        )
        for state in system.of(State)
    )


def _locks(system: System, index: int, seen: Seen) -> tuple[tuple[str, int, int], ...]:
    """Of a task, unless it declares waits: after that of a condition it locks its mutex again."""
    task = system.tasks[index]
    ids = {name: number for number, name in enumerate(services.object_kinds(system))}
    if task.separation_ns is None or task.waits:
        return ()
    return tuple(
        (mutex.name, seen.locks(index, ids[mutex.name]), user.locks)
        for mutex in system.of(Mutex)
        for user in mutex.users
        if user.task == task.name and user.locks
    )


def _figures(
    proved: Proved, index: int, totals: dict[tuple[Event, int], int], spent: list[Times] | None
) -> TaskFigures:
    system = proved.system
    task = system.tasks[index]
    # Tasks that start at run time are admitted against deadlines; responses of the others may grow beyond the bounds.
    bound_ns = None if system.runtime_tasks else proved.responses_ns.get(task.name)
    return TaskFigures(
        name=task.name,
        jobs=totals.get((Event.STAT_JOBS, index), 0),
        misses=totals.get((Event.STAT_MISSES, index), 0),
        overruns=totals.get((Event.STAT_OVERRUNS, index), 0),
        lost=totals.get((Event.STAT_LOST, index), 0),
        response_ns_max=totals.get((Event.STAT_RESPONSE_MAX, index), 0),
        bound_ns=bound_ns,
        wcet_ns=task.wcet_ns,
        execution_ns_max=totals.get((Event.STAT_EXECUTION_MAX, index), 0),
        stack_max=totals.get((Event.STAT_STACK_MAX, index), 0),
        deadline_ns=task.deadline_ns,
        stack_bytes=task.stack,
        times=spent[index] if spent is not None else None,
        unseen_ns=_unseen_ns(system, totals.get((Event.STAT_RESPONSE_MAX, index), 0)),
        suspension_ns=None if task.separation_ns is None else task.suspension_ns,
        wakes_late_ns=task.waits * _wake_late_ns(proved),
    )


def _damage(figures: TaskFigures, duration_ns: int, completed: int | None) -> str:
    """Why figures cannot be what the kernel wrote: a stack that ran over may have reached its records. `completed`:
    jobs in the trace; None: it does not tell of all."""
    for quantity, time_ns in (("a response", figures.response_ns_max), ("an execution", figures.execution_ns_max)):
        if time_ns > duration_ns:
            return f"{quantity} of {show(time_ns)} in a run of {show(duration_ns)}"
    if completed is not None and figures.jobs != completed:
        return f"{figures.jobs} jobs are counted, but the trace has {completed}"
    if figures.stack_max > figures.stack_bytes > 0:
        return f"{figures.stack_max} bytes used of a stack of {figures.stack_bytes}"
    return ""


def _judged(found: TaskFigures, duration_ns: int, completed: int | None) -> TaskFigures:
    """The same, or nothing but its name and why."""
    damage = _damage(found, duration_ns, completed)
    if not damage:
        return found
    nothing: dict[str, Any] = dict.fromkeys(OBSERVED, 0)
    return replace(found, **nothing, times=None, locks=(), damage=damage)


def _wake_late_ns(proved: Proved) -> int:
    """By how much the end of a wait may come after its time: a locked section, interrupts, and what the timer's
    does before. The proof counts all that apart from the wait."""
    system, costs = proved.system, proved.overheads
    late_ns = services.locked_ns(system) + sum(item.wcet_ns for item in system.interrupts)
    late_ns += sum(wcet_ns for wcet_ns, _ in services.timer_load(system, costs))
    if costs is not None:
        late_ns += costs.lock_ns + len(system.interrupts) * costs.interrupt_ns
        late_ns += len(system.tasks) * (max(costs.release_ns.values()) + costs.timer_ns)
    return late_ns


def _unseen_ns(system: System, response_ns: int) -> int:
    """The most that interrupts above the kernel take of a response."""
    free = (item for item in system.interrupts if not item.kernel)
    return sum((response_ns // item.min_interarrival_ns + 1) * item.wcet_ns for item in free)


def _first_miss(system: System, totals: dict[tuple[Event, int], int]) -> Miss | None:
    for (event, index), deadline in totals.items():
        if event is Event.STAT_MISS_DEADLINE and index < len(system.tasks):
            return Miss(system.tasks[index].name, totals.get((Event.STAT_MISS_RELEASE, index), 0), deadline)
    return None
