# SPDX-License-Identifier: Apache-2.0
"""`takt run --inject`: a task commits a fault, by real code in its own context, and the others go on. What is asked
for, and what came of it; the code is takt.image.tables.fault_code.

Nothing of it is in an image that is built without. The task takes a semaphore of its own to do so once: that is the
kernel's, so a restart of the process, whose memory is made anew, does not bring it back.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.boards import Board
from takt.declare.schema.model import Injection, System
from takt.observe.process_faults import NO_FAULT, ProcessFault
from takt.support import durations
from takt.support.c.traces import PROCESS_STARTED
from takt.support.durations import brief, show
from takt.support.errors import UserError, did_you_mean
from takt.trace.records import Event, Trace

KINDS = {"stray": "stray", "overflow": "overflow", "illegal": "illegal", "hang": "budget", "assert": "assert"}
"""What can be injected, and the cause (takt.observe.process_faults) with which the process is stopped."""


_FORM = "TASK:stray|overflow|illegal|hang|assert@TIME, such as monitor:stray@12.5s"


def parse(texts: tuple[str, ...], system: System, board: Board, duration_ns: int) -> tuple[Injection, ...]:
    """What --inject says. UserError: it says nothing that this system can do on this board."""
    return tuple(
        Injection(*_parse(text, system, board, duration_ns), f"takti_inject_{number}")
        for number, text in enumerate(texts)
    )


def _parse(text: str, system: System, board: Board, duration_ns: int) -> tuple[str, str, int]:
    name, colon, rest = text.partition(":")
    kind, at, time = rest.partition("@")
    label = f'--inject "{text}"'
    if not colon or not at:
        raise UserError(f"{label}: not of the form", _FORM)
    tasks = [task.name for task in system.tasks]
    if name not in tasks:
        line = any(item.name == name and item.process is not None for item in system.interrupts)
        hint = "--protection, with which its handler is a task of a process" if line else did_you_mean(name, tasks)
        raise UserError(f'{label}: no such task "{name}"', hint or f"one of {', '.join(tasks)}")
    if kind not in KINDS:
        raise UserError(f'{label}: no such fault "{kind}"', did_you_mean(kind, KINDS) or f"one of {', '.join(KINDS)}")
    try:
        at_ns = durations.parse(time)
    except UserError as error:
        raise UserError(f"{label}: {error.problem}", error.hint) from None
    if at_ns >= duration_ns:
        raise UserError(f"{label}: the run ends at {show(duration_ns)}", "an earlier time, or a longer --duration")
    _possible(label, system, board, name, kind)
    return name, kind, at_ns


def _possible(label: str, system: System, board: Board, name: str, kind: str) -> None:
    """UserError: not here."""
    task = system.task(name)
    if board.port == "host" and kind in ("stray", "overflow", "illegal"):
        problem = f"{label}: on host memory is not protected, and such a fault is not reported to the processor"
        raise UserError(problem, "hang or assert; or --board mps2-an385")
    if kind == "overflow" and not system.protection:
        raise UserError(f"{label}: without protection a stack overflow is not detected", "--protection")
    if kind == "hang" and not system.protection:
        problem = f"{label}: without protection no budget stops a task that does not return"
        raise UserError(problem, "--protection, and a budget: on_budget in [[task]], or budgets in [[process]]")
    if task.separation_ns is None or task.style == "loop":
        role = 'a loop (style = "loop")' if task.style == "loop" else "a background task"
        raise UserError(
            f'{label}: "{name}" is {role}, and a fault is injected at the start of a job', "a task with a period"
        )
    if task.serves is not None:
        raise UserError(
            f'{label}: "{name}" serves a rendezvous: its code runs as part of the calls', "the task that calls it"
        )
    if system.preset == "lean":
        problem = f"{label}: preset lean has no trace, from which the effect of the fault is judged"
        raise UserError(problem, 'preset = "standard"')


@dataclass(frozen=True)
class Injected:
    """What came of an injection. `begun`: whether the task set out to commit it; None: the trace does not tell.
    `fault`: None: nothing stopped the task. `jobs`: that the task has completed since its process started again; None:
    it did not. `again_ns`: when it first did. `gaps`: records of what came after the fault are lost."""

    injection: Injection
    fault: ProcessFault | None
    jobs: int | None
    silent: tuple[str, ...] = ()  # tasks of the process that had the time for a job since then, and completed none
    begun: bool | None = True
    again_ns: int | None = None
    gaps: bool = False

    @property
    def label(self) -> str:
        return f"{self.injection.kind} of {self.injection.task} at {show(self.injection.at_ns)}"

    def breaches(self, system: System) -> Iterator[str]:
        """Where it did not go as a system with processes should."""
        if self.fault is None and self.begun is False:
            yield f"{self.label} was not injected: no job of {self.injection.task} began after that time"
        elif self.fault is None:
            why = ""
            if self.injection.kind == "hang" and system.task(self.injection.task).budget_ns is None:
                why = " (it has no budget: on_budget in [[task]], or budgets in [[process]])"
            yield f"{self.label} was injected, but no such fault was caught{why}"
        elif self.fault.restarted:
            for name in self.silent:
                yield f"{name} completed no job after {self.label}, which restarted its process"

    def as_json(self) -> dict[str, Any]:
        return {
            "task": self.injection.task,
            "kind": self.injection.kind,
            "at_ns": self.injection.at_ns,
            "fault_ns": None if self.fault is None else self.fault.time_ns,
            "restart_jobs": self.jobs,
            "again_ns": self.again_ns,
        }

    def line(self) -> str:
        """For people."""
        if self.fault is None:
            return (
                f"{self.label}: {'not injected: no job began after that time' if self.begun is False else 'not caught'}"
            )
        caught = f"{self.label}: caught at {brief(self.fault.time_ns)}"
        if self.gaps and self.fault.restarted and self.again_ns is None:
            return f"{caught}; what came after is among missing records of the trace"
        if self.jobs is None:
            return f"{caught}, its process stays stopped"
        if self.again_ns is None:
            return f"{caught}, no job completed since the restart"
        many = f"{self.jobs} job{'' if self.jobs == 1 else 's'}"
        return f"{caught}, completes jobs again from {brief(self.again_ns)}, {many} since the restart"


def verdict(injected: tuple[Injected, ...]) -> str:
    """Of a run in which all went as it should."""
    count = len(injected)
    caught = "the fault was caught" if count == 1 else f"{count} faults were caught"
    restarted = any(one.again_ns is not None for one in injected)
    return f"{caught}, and the restarted tasks completed jobs again" if restarted else caught


def judge(
    system: System, faults: tuple[ProcessFault, ...], trace: Trace, end_ns: int, whole: bool = True
) -> tuple[Injected, ...]:
    """Each injection with the fault that it caused. `end_ns`: of the run; `whole`: it came to its end.

    The task takes a mark where it commits the fault, and goes no further: the next fault of its process is the
    injection's, or it is none. A trace with gaps may lack the mark; then any fault of that kind since the time will do.
    """
    whole = whole and not any(entry.event is Event.LOST_RECORDS for entry in trace.entries)
    left = list(faults)
    found = []
    for one in sorted(system.injections, key=lambda one: one.at_ns):
        begun_ns = _begun_ns(one, trace)
        if begun_ns is None and whole:
            found.append(Injected(one, None, None, begun=False))
            continue
        fault = _caused(system, one, left, begun_ns)
        if fault is None:
            found.append(Injected(one, None, None, begun=None if begun_ns is None else True))
            continue
        left.remove(fault)
        found.append(_after(system, one, fault, trace, end_ns))
    return tuple(found)


def _begun_ns(one: Injection, trace: Trace) -> int | None:
    """When the task took the mark of an injection."""
    names = trace.names
    return next(
        (
            entry.time_ns
            for entry in trace.entries
            if entry.event is Event.TAKE and names.object(entry.event, entry.object) == one.mark
        ),
        None,
    )


def _caused(system: System, one: Injection, left: list[ProcessFault], begun_ns: int | None) -> ProcessFault | None:
    """The fault of an injection that was committed at `begun_ns`; None: not known when."""

    def fits(fault: ProcessFault) -> bool:
        return fault.task == one.task and fault.kind[0] == KINDS[one.kind]

    if begun_ns is None:
        return next((fault for fault in left if fits(fault) and fault.time_ns >= one.at_ns), None)
    mine = {process.name for process in system.processes if one.task in process.tasks}
    following = next((fault for fault in left if fault.process in mine and fault.time_ns >= begun_ns), None)
    return following if following is not None and fits(following) else None


def excused(system: System, injected: tuple[Injected, ...], trace: Trace) -> dict[str, int]:
    """Misses, by task, of jobs that an injected fault ended, or that were released before its process ran again."""
    misses: set[int] = set()
    for one in injected:
        if one.fault is not None:
            misses.update(_excused(system, one.fault, trace))
    counts: dict[str, int] = {}
    for index in misses:
        name = system.tasks[trace.entries[index].task].name
        counts[name] = counts.get(name, 0) + 1
    return counts


def _excused(system: System, fault: ProcessFault, trace: Trace) -> Iterator[int]:
    """Indices in the trace. A miss comes after its job's release; one that the end of the job shows, after that."""
    number = next(index for index, process in enumerate(system.processes) if process.name == fault.process)
    mine = system.processes[number].tasks
    reported = [
        (index, entry)
        for index, entry in enumerate(trace.entries)
        if entry.event is Event.PROCESS and entry.object == number and entry.time_ns >= fault.time_ns
    ]
    stop = next((index for index, entry in reported if entry.value not in NO_FAULT), len(trace.entries))
    again_ns = next((entry.time_ns for _, entry in reported if entry.value == PROCESS_STARTED), math.inf)
    released: dict[str, int] = {}  # of each task the last job
    missed: int | None = None  # of the faulty one's
    for index, entry in enumerate(trace.entries):
        name = system.tasks[entry.task].name if entry.task < len(system.tasks) else ""
        if name not in mine:
            continue
        if entry.event is Event.RELEASE:
            deadline_ns = system.task(name).deadline_ns or 0
            released[name] = entry.value - deadline_ns if entry.value else entry.time_ns
            missed = missed if name != fault.task or index > stop else None
        elif entry.event is Event.MISS and index < stop:
            missed = index if name == fault.task else missed
        elif entry.event is Event.MISS and fault.time_ns <= released.get(name, 0) < again_ns:
            yield index
    if missed is not None:
        yield missed


def _after(system: System, one: Injection, fault: ProcessFault, trace: Trace, end_ns: int) -> Injected:
    """What the tasks of the process did since its restart."""
    process = next(process for process in system.processes if process.name == fault.process)
    number = system.processes.index(process)
    names = {index: task.name for index, task in enumerate(system.tasks) if task.name in process.tasks}
    deadlines = {name: system.task(name).deadline_ns or 0 for name in process.tasks}
    begun: set[str] = set()
    completed = dict.fromkeys(process.tasks, 0)
    again = False
    again_ns = None
    for entry in trace.entries:
        if entry.event is Event.PROCESS and entry.object == number and entry.time_ns >= fault.time_ns:
            again = again or entry.value == PROCESS_STARTED
        name = names.get(entry.task) if again else None
        if name is not None and entry.event is Event.COMPLETE:
            completed[name] += 1
            again_ns = entry.time_ns if name == one.task and again_ns is None else again_ns
        elif name is not None and entry.event is Event.RELEASE and entry.time_ns + deadlines[name] <= end_ns:
            begun.add(name)
    gaps = any(
        entry.event is Event.LOST_RECORDS and after.time_ns > fault.time_ns
        for entry, after in itertools.pairwise(trace.entries)
    )
    silent = tuple(name for name in process.tasks if not completed[name] and (name in begun or name == one.task))
    jobs = completed[one.task] if again else None
    return Injected(one, fault, jobs, () if gaps else silent, again_ns=again_ns, gaps=gaps)
