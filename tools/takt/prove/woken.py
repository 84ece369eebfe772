# SPDX-License-Identifier: Apache-2.0
"""The locked sections that grow with a declaration: calls that end the waits of several tasks, and long messages.

`lock_services` of overheads.toml is measured with calls that wake one task and hand it a few words. A process may make
calls that wake all who wait for an object, as a broadcast does, and send messages of up to services.COPIED_MAX bytes.
How many tasks and threads may wait for it follows from the rights of their processes, how long a message is from its
table. Without protection the rights are not known: docs/CAVEATS.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare import processes, quotas, services
from takt.declare.schema.model import Process, State, System
from takt.declare.schema.objects import MESSAGE_MAX
from takt.declare.service_table import Item

WOKEN_BY_ALL = {"mutex", "semaphore", "mailbox", "events", "priority_mailbox", "pipe", "condition", "rendezvous"}
"""Kinds of objects for which tasks wait: a delete ends all waits."""

GIVEN_TO_ALL = {"semaphore", "events", "priority_mailbox", "pipe", "condition"}
"""Of those the kinds for which a call that takes the right to give may wake all: a flush, set, broadcast or write."""

GIVERS_WAIT = {"mailbox", "priority_mailbox", "pipe", "rendezvous"}
"""Of those the kinds for which tasks wait that may only give: for room, or to be served."""

COPY = 5
"""Instructions for a byte of a message: the library's loop has 4 on both ports."""

MEASURED_SIZE = 16
"""Bytes of the longest message that lock_services was measured with (queue_16 of `takt bench kernel`)."""

INSERT = 10
"""Instructions for each task that goes before one in a queue: signalled tasks queue for the condition's mutex."""

WORD = 4
"""Bytes, on boards."""

TURN = 300
"""Instructions of a turn in which a piece of a pipe comes in and goes out."""

TURNS = services.COPIED_MAX // 32 + 1
"""With protection a pipe holds 32 bytes or more (TAKT_PIPE_CAPACITY_MIN of takt/process.h)."""


@dataclass(frozen=True)
class Longer:
    """By how much a call is longer than one that was measured: tasks that it wakes besides one, those that they go
    behind in another queue, bytes that it copies besides a few, and turns of a pipe."""

    woken: int = 0
    behind: int = 0
    copied: int = 0
    turns: int = 0

    def instructions(self, wake: int) -> int:
        """`wake`: to wake one task."""
        return self.woken * wake + self.behind * INSERT + self.copied * COPY + self.turns * TURN


def calls(system: System) -> Iterator[Longer]:
    """The longest calls for each object, and for those that each process may create."""
    if not system.protection:
        return
    rights = [(process, processes.rights(system, process)) for process in system.processes]
    released = {task.trigger for task in system.tasks}  # nobody can wait for a semaphore that releases a task
    for service, _, item in services.objects(system):
        kind = service.kind
        if kind in WOKEN_BY_ALL and not (kind == "semaphore" and f"{kind} {item.name}" in released):
            waits = processes.USE | (processes.GIVE if kind in GIVERS_WAIT else 0)
            having = [found.get(item.name, 0) for _, found in rights]
            users = sum(_tasks(process) for process, found in rights if found.get(item.name, 0) & waits)
            give = kind in GIVEN_TO_ALL and any(right & processes.GIVE for right in having)
            wakes = give or any(right & processes.MANAGE for right in having)
            yield _longer(kind, max(users - 1, 0) if wakes else 0, _size(kind, item))
    for process in system.processes:
        others = max(_tasks(process) - 2, 0)  # who calls is one of them
        if process.threads:
            yield Longer(woken=others)  # who joins one
        for key, created in quotas.CREATED.items():
            if getattr(process, key):
                yield _longer(created.kind.lower(), others, services.COPIED_MAX)


def instructions(system: System, wake: int) -> int:
    """What the longest locked section of a call has more than one that was measured; `wake`: for each task woken."""
    return max((call.instructions(wake) for call in calls(system)), default=0)


def read_locked_ns(system: System, instruction_ns: int) -> int:
    """The longest copy of a state message with the kernel locked: a process may have any that it may read copied so,
    byte by byte, whether it is a slow reader or not. 0: there is none."""
    if not system.protection:
        return 0
    having = [processes.rights(system, process) for process in system.processes]
    states = [state for state in system.states if any(state.name in found for found in having)]
    return max((_copy_ns(state, instruction_ns) for state in states), default=0)


def _copy_ns(state: State, instruction_ns: int) -> int:
    """Where only a type is declared, what its readers need for each word at once is taken once for each byte."""
    read_ns = max((read.read_ns for read in state.readers), default=0)
    if state.message_size is not None:
        return max(state.message_size * COPY * instruction_ns, read_ns)
    return WORD * read_ns or MESSAGE_MAX * COPY * instruction_ns


def _tasks(process: Process) -> int:
    return len(process.tasks) + process.threads


def _size(kind: str, item: Item) -> int:
    """Bytes of a message; of one that has a type of the application the most that there may be."""
    if kind in ("mailbox", "priority_mailbox"):
        return services.COPIED_MAX if item.message_size is None else int(item.message_size)
    return services.COPIED_MAX if kind == "pipe" else 0


def _longer(kind: str, others: int, size: int) -> Longer:
    """`others`: tasks that may wait besides one. A message is copied twice where one waits to send the next."""
    beyond = max(size - MEASURED_SIZE, 0)
    if kind == "condition":
        return Longer(woken=others, behind=others * (others + 1) // 2)
    if kind == "mailbox":
        return Longer(woken=others, copied=2 * beyond)
    if kind == "priority_mailbox":
        return Longer(woken=others, copied=others * size + 2 * beyond)
    if kind == "pipe":
        return Longer(woken=others, copied=2 * beyond, turns=TURNS)
    return Longer(woken=others)
