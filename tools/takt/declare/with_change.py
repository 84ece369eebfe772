# SPDX-License-Identifier: Apache-2.0
"""A declaration with another number in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from takt.declare.schema.model import Interrupt, Server, System, Task
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.declare.service_kinds.state_copies import Read, State


def with_task(system: System, name: str, change: Callable[[Task], Task]) -> System:
    """One task changed; sections of mutexes and reads that were longer than its new wcet are as long as that, and the
    line that releases a handler comes as seldom as that."""
    tasks = tuple(change(task) if task.name == name else task for task in system.tasks)
    system = clipped(replace(system, tasks=tasks))
    line, separation_ns = line_of(system, system.task(name)), system.task(name).separation_ns or 0
    if line is None:
        return system
    return with_interrupt(system, line.name, lambda old: replace(old, min_interarrival_ns=separation_ns))


def line_of(system: System, task: Task) -> Interrupt | None:
    """With protection, of a task that calls a handler: the interrupt that releases it. Both are one [[interrupt]], with
    the task's name (processes.protect)."""
    lines = (item for item in system.interrupts if item.process is not None and system.protection)
    return next((line for line in lines if task.trigger == f"interrupt {line.name}"), None)


def clipped(system: System) -> System:
    """Sections and reads as long as their task's wcet at most."""
    wcets = {task.name: task.wcet_ns for task in system.tasks if task.separation_ns is not None}

    def hold(user: Hold) -> Hold:
        most = wcets.get(user.task, user.hold_ns)
        return user if user.hold_ns <= most else replace(user, hold_ns=most)

    def read(reader: Read) -> Read:
        most = wcets.get(reader.task, reader.read_ns)
        return reader if reader.read_ns <= most else replace(reader, read_ns=most)

    mutexes = tuple(replace(mutex, users=tuple(map(hold, mutex.users))) for mutex in system.of(Mutex))
    states = tuple(replace(state, readers=tuple(map(read, state.readers))) for state in system.of(State))
    return system.having(Mutex, mutexes).having(State, states)


def with_wcets(system: System, wcet_of: Callable[[int], int]) -> System:
    """Every task that has a deadline with another wcet (budgets that are enforced too), made from its own; not what
    servers serve, which their budgets limit."""
    tasks = tuple(
        replace(
            task, wcet_ns=wcet_of(task.wcet_ns), budget_ns=None if task.budget_ns is None else wcet_of(task.budget_ns)
        )
        if task.separation_ns is not None and system.server_of(task.name) is None
        else task
        for task in system.tasks
    )
    return clipped(replace(system, tasks=tasks))


def with_server(system: System, name: str, change: Callable[[Server], Server]) -> System:
    return replace(system, servers=tuple(change(item) if item.name == name else item for item in system.servers))


def with_interrupt(system: System, name: str, change: Callable[[Interrupt], Interrupt]) -> System:
    return replace(system, interrupts=tuple(change(item) if item.name == name else item for item in system.interrupts))


def with_hold(system: System, mutex: str, task: str, hold_ns: int) -> System:
    """One section of a mutex changed."""

    def changed(item: Mutex) -> Mutex:
        users = (replace(user, hold_ns=hold_ns) if user.task == task else user for user in item.users)
        return replace(item, users=tuple(users)) if item.name == mutex else item

    return system.having(Mutex, map(changed, system.of(Mutex)))


def with_state(system: System, name: str, change: Callable[[State], State]) -> System:
    return system.having(State, (change(item) if item.name == name else item for item in system.of(State)))
