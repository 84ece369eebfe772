# SPDX-License-Identifier: Apache-2.0
"""Constructors of static objects of a protected process: a sporadic task of it runs them at each of its starts.

The kernel releases that task before it starts the others, and waits until its job is complete. In the proof it is a
task like any other: its least distance is that of two faults, since no task of a process runs sooner after a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from takt.declare.schema.model import Process, System, Task
from takt.declare.schema.reader import Document, located
from takt.support.c.kernel import RESTART_PIECE, RESTART_STEP_NS
from takt.support.durations import MAX_NS

STACK = 1024
"""Bytes, unless declared."""

ONCE_NS = 10_000_000_000
"""The least distance of two starts in the proof where a process starts once, at the start of the system."""

RESTART_PIECES = 4
"""Beside those of its memory a restart has at least: a task ends, objects are as at the start, what it left broken is
mended, a task starts."""

KEYS = ("constructors_deadline", "constructors_stack")


def task_name(process: str) -> str:
    """The task that runs the constructors of a process."""
    return f"{process}_constructors"


def entry(process: str) -> str:
    """The C function of that task, which is generated."""
    return f"takti_job_{task_name(process)}"


def array(task: str) -> tuple[str, str]:
    """The symbols of the linker script around the pointers to the constructors that a task runs."""
    return f"takti_begin_{task}", f"takti_end_{task}"


def statements(task: str) -> Iterator[str]:
    """C of its job."""
    begin, end = array(task)
    yield f"extern void (*const {begin}[])(void), (*const {end}[])(void); /* the linker script's */"
    yield f"for (void (*const *constructor)(void) = {begin}; constructor < {end}; constructor++) {{"
    yield "    (*constructor)();"
    yield "}"


def restart_ns(system: System, process: Process) -> int:
    """The least time from a fault of a process to its first task that runs."""
    memory = sum(system.task(name).stack for name in process.tasks) + process.memory
    return (RESTART_PIECES + max(-(-memory // RESTART_PIECE), 1)) * RESTART_STEP_NS


def faults_apart_ns(system: System, process: Process) -> int:
    """The least time from a fault of the process, or its stop by a call, which counts as one, to its next: the time of
    its restart, or the kernel's wait."""
    restarts = process.on_fault == "restart" and process.restarts_max != 0
    if not restarts and process not in system.managed:
        return MAX_NS  # there is no next
    return max(process.faults_apart_ns or 0, restart_ns(system, process))


def declared(system: System, task: str) -> tuple[str, str]:
    """Where a task is declared, as a person names it, and what its keys begin with there."""
    for process in system.processes:
        if process.constructors_wcet_ns is not None and task_name(process.name) == task:
            return f'[[process]] "{process.name}"', "constructors_"
    return f'[[task]] "{task}"', ""


def tasks(system: System) -> tuple[str, ...]:
    """Of all processes."""
    return tuple(task_name(one.name) for one in system.processes if one.constructors_wcet_ns is not None)


def constructed(system: System) -> System:
    """The system with a task for the constructors of each process that declares them, behind its others."""
    every, processes = list(system.tasks), list(system.processes)
    for number, process in enumerate(system.processes):
        if process.constructors_wcet_ns is not None and process.tasks:
            if system.bands:
                problem = f'[[process]] "{process.name}": constructors_wcet: their task would be in no [[band]]'
                raise located(system, process.name, problem, 'scheduler = "auto", or constexpr constructors')
            apart_ns = min(faults_apart_ns(system, process), ONCE_NS)
            every.append(
                Task(
                    name=task_name(process.name),
                    wcet_ns=process.constructors_wcet_ns,
                    entry=entry(process.name),
                    min_interarrival_ns=apart_ns,
                    deadline_ns=process.constructors_deadline_ns or min(restart_ns(system, process), apart_ns),
                    offset_ns=0,
                    stack=process.constructors_stack or STACK,
                )
            )
            processes[number] = replace(process, tasks=(*process.tasks, task_name(process.name)))
    return replace(system, tasks=tuple(every), processes=tuple(processes))


def check(document: Document, system: System, index: int, taken: Iterable[str]) -> None:
    """UserError: keys of constructors without their wcet, or a name that their task would have. `taken`: by others."""
    process = system.processes[index]
    where, label = ("process", index), f'[[process]] "{process.name}"'
    if process.constructors_wcet_ns is None:
        for key, value in zip(KEYS, (process.constructors_deadline_ns, process.constructors_stack), strict=True):
            if value is not None:
                problem = f"{label}: {key}, and no constructors_wcet"
                document.fail((*where, key), problem, f'constructors_wcet = "100 us", or no {key}')
        return
    name = task_name(process.name)
    if name in taken:
        problem = f'{label}: the task of its constructors is called "{name}", and there is one of this name'
        document.fail((*where, "name"), problem, "another name for one of them")
    deadline_ns = process.constructors_deadline_ns
    if deadline_ns is not None and deadline_ns < process.constructors_wcet_ns:
        problem = f"{label}: constructors_deadline is shorter than constructors_wcet"
        document.fail((*where, "constructors_deadline"), problem, "a longer one")
    if deadline_ns is not None and deadline_ns > min(faults_apart_ns(system, process), ONCE_NS):
        problem = f"{label}: constructors_deadline is longer than the least time between two faults"
        document.fail((*where, "constructors_deadline"), problem, "no longer, or a longer faults_apart")
