# SPDX-License-Identifier: Apache-2.0
"""The part of the schema with processes, and the memory and devices that they have besides their own."""

from __future__ import annotations

from collections.abc import Iterable

from takt.declare.schema.kinds import (
    BOOLEAN,
    C_TYPE,
    FILE,
    HEADER,
    IDENTIFIER,
    MACRO,
    NAME,
    POSITIVE_DURATION,
    Key,
    Table,
    choice,
    integer,
    list_of,
    size,
)
from takt.declare.schema.model import Process, System
from takt.declare.schema.reader import Document, located
from takt.support.c.kernel import GRANULE, RESTARTS_UNLIMITED

HEAP_SIZE_MIN = 512  # base/heap.h
_NAMES = list_of(IDENTIFIER)
HEAP = size(HEAP_SIZE_MIN, 1 << 24)

PROCESS = Table(
    "process",
    "Protected memory with tasks in it, in user mode where `[system] protection` is on. Every task belongs to one. It"
    " accesses its own memory, code of its own and of `shared_sources`, and memory declared for it; anything else is a"
    " fault of the process (docs/processes.md).",
    (
        NAME,
        Key(
            "tasks",
            _NAMES,
            "Its tasks. The task of an `[[interrupt]]` with `process` need not be named.",
            default=(),
            default_text="none",
        ),
        Key(
            "sources",
            list_of(FILE),
            "Its files in C and C++, or patterns. Those of no process, or of one without tasks, are the kernel's.",
            default=(),
            default_text="none",
        ),
        Key(
            "include",
            list_of(FILE),
            "Folders of headers for its files, before those of `[build]`.",
            default=(),
            default_text="none",
        ),
        Key(
            "defines",
            list_of(MACRO),
            "Macros for its files, besides those of `[build]`.",
            default=(),
            default_text="none",
        ),
        Key("memory", integer(0, 1 << 24, GRANULE), "Bytes for `takt_memory_alloc`.", default=0),
        Key(
            "heap",
            HEAP,
            'Memory for `malloc` of its tasks, in its own memory: `"8 KiB"`. A restart makes it empty.',
            default=0,
            default_text="none",
        ),
        Key("threads", integer(0, 64), "Threads that it may start at a time (`takt_thread_create`).", default=0),
        Key(
            "deadline_threads",
            integer(0, 64),
            "Of these, threads with a period and a deadline, which are admitted when they start (`runtime_tasks`).",
            default=0,
        ),
        Key("mutexes", integer(0, 64), "Mutexes that it may have created at a time (`takt_mutex_create`).", default=0),
        Key(
            "mutex_hold",
            POSITIVE_DURATION,
            "The longest that a task or thread of it executes while holding mutexes that it created, inner sections"
            " and waits in them included, and to be declared with `mutexes` alone. Owners of these mutexes inherit the"
            " priority of their waiters then. In the proof each task and thread of the process has such a section, and"
            " a job locks each of the mutexes once.",
            default_text="none: a waiter waits for the owner at the owner's own level",
        ),
        Key("conditions", integer(0, 64), "Likewise, `takt_condition_create`.", default=0),
        Key("semaphores", integer(0, 64), "Likewise, `takt_semaphore_create`.", default=0),
        Key("events", integer(0, 64), "Likewise, `takt_events_create`.", default=0),
        Key("mailboxes", integer(0, 64), "Likewise, `takt_mailbox_create`; its messages are in `buffers`.", default=0),
        Key(
            "priority_mailboxes",
            integer(0, 64),
            "Likewise, `takt_priority_mailbox_create`; its messages take 8 bytes more of `buffers` each, on `host` 16.",
            default=0,
        ),
        Key("pipes", integer(0, 64), "Likewise, `takt_pipe_create`; its bytes are in `buffers`.", default=0),
        Key("alarms", integer(0, 64), "Likewise, `takt_alarm_create`; each releases a sporadic task.", default=0),
        Key(
            "alarms_apart",
            POSITIVE_DURATION,
            "Least time between two expiries of an alarm that it creates. The kernel keeps it, and the proof counts an"
            " interrupt each time for each of `alarms`.",
            default_text="none: to be declared with `alarms`",
        ),
        Key(
            "buffers",
            integer(0, 1 << 24, 8),
            "Bytes of the kernel's memory for the messages in mailboxes and pipes that it creates.",
            default=0,
        ),
        Key("devices", _NAMES, "`[[device]]` that it may map.", default=(), default_text="none"),
        Key("console", BOOLEAN, "May it write to the board's console (`takt_board_console_write`)?", default=False),
        Key("serial", BOOLEAN, "May it use the board's serial line (`takt_board_link_exchange`)?", default=False),
        Key(
            "uses",
            _NAMES,
            "Objects that it waits for, receives from, locks ... Not to be named: mutexes with a task of it in `users`,"
            " their conditions, state messages and rings of its tasks, triggers of its tasks, and its own tasks.",
            default=(),
            default_text="none",
        ),
        Key(
            "gives",
            _NAMES,
            "Objects that it posts, sends to, sets, signals; tasks whose jobs it releases. Not to be named: objects"
            " with a task of it in `senders`.",
            default=(),
            default_text="none",
        ),
        Key(
            "manages",
            _NAMES,
            "Tasks, alarms and mutexes of others that it starts, stops, suspends or deletes; processes that it starts"
            " and stops (`takt_process_start`).",
            default=(),
            default_text="none",
        ),
        Key(
            "start",
            choice("boot", "on call"),
            "When do its tasks start: with the system, or by `takt_process_start`? In the proof they always run.",
            default="boot",
        ),
        Key(
            "on_fault",
            choice("stop", "restart"),
            "After a fault of one of its tasks: it stays stopped, or its memory is set up anew and its tasks start"
            " again.",
            default="stop",
        ),
        Key(
            "restarts_max",
            integer(0, RESTARTS_UNLIMITED - 1),
            "After this number of restarts it stays stopped.",
            default_text="no limit",
        ),
        Key(
            "faults_apart",
            POSITIVE_DURATION,
            "Least time from a fault, or a stop by a call, to the next: a restart that is done sooner waits. The proof"
            " counts a fault of the process each time, whatever others do.",
            default_text="the least time of its restart: 4 ms, and 1 ms for each KB of stacks and `memory`",
        ),
        Key(
            "constructors_wcet",
            POSITIVE_DURATION,
            "With protection: the longest that the constructors of its static objects (C++), and its functions with"
            " `__attribute__((constructor))`, execute, all together. A task of the process, `NAME_constructors`, runs"
            " them before its others start: at the start of the system and after each restart. What executes for"
            " longer is a fault of the process.",
            default_text="none: it may have no such objects",
        ),
        Key(
            "constructors_deadline",
            POSITIVE_DURATION,
            "The deadline of that task.",
            default_text="the least time of a restart, as of `faults_apart`",
        ),
        Key("constructors_stack", integer(128, 1 << 24, 8), "The stack of that task, bytes.", default_text="`1024`"),
        Key(
            "budgets",
            BOOLEAN,
            'With protection: is `on_budget = "stop"`, with the wcet as the budget, for each of its tasks that has a'
            " deadline and no other? So an endless loop is a fault of the process, too.",
            default=False,
        ),
    ),
)

SHARED = Table(
    "shared",
    "Memory that several processes share: `NAME` in C, of its type, or an array of bytes. All zeros at the start; a"
    " restart of a process leaves it as it is.",
    (
        NAME,
        Key("size", integer(4, 1 << 24, 4), "Bytes.", default_text="that of `type`"),
        Key("type", C_TYPE, "Its type in C.", default_text="none: it is bytes"),
        Key("include", HEADER, "The header of the application that declares `type`.", default_text="none"),
        Key("write", _NAMES, "Processes that read and write it.", default=(), default_text="none"),
        Key("read", _NAMES, "Processes that read it.", default=(), default_text="none"),
        Key(
            "attach",
            BOOLEAN,
            "Is it mapped by `takt_shared_attach`, and else not? The first attach finds zeros.",
            default=False,
            default_text="`false`: it is there from the start",
        ),
        Key(
            "kernel",
            BOOLEAN,
            "May files of no process, which run in the kernel's mode, use it although processes write it? They must"
            " stay as they are, no matter what is written there.",
            default=False,
        ),
    ),
)

DEVICE = Table(
    "device",
    "Registers that a process may map (`takt_device_map`).",
    (
        NAME,
        Key("base", integer(0, (1 << 32) - 1, 4), "Address.", required=True),
        Key("size", integer(4, 1 << 30, 4), "Bytes.", required=True),
    ),
)

TABLES = (PROCESS, SHARED, DEVICE)
DURATIONS = ("faults_apart", "mutex_hold", "alarms_apart", "constructors_wcet", "constructors_deadline")
"""Keys of [[process]] that are times."""


def check_managed(document: Document, system: System, index: int, process: Process, objects: Iterable[str]) -> None:
    """UserError: of a process that calls start and stop, the name is another's, or nothing can make these calls.
    `objects`: names of services."""
    if process not in system.managed:
        return
    where, label = ("process", index), f'[[process]] "{process.name}"'
    others = [item.name for item in system.shared]
    others += [item.name for item in system.devices] + [item.name for item in system.interrupts]
    if process.name in (*objects, *system.names, *others):
        problem = f"{label}: calls start and stop it, and a task or object has its name"
        document.fail((*where, "name"), problem, "another name for one of them")
    if not any(process.name in other.manages for other in system.processes) and not system.kernel_sources:
        problem = f'{label}: start = "on call", but no process manages it, and no file is the kernel\'s'
        document.fail((*where, "start"), problem, f'manages = ["{process.name}"] in another process')
    if system.runtime_tasks and not system.protection:
        problem = f"{label}: a process that calls start and stop is not possible with runtime_tasks"
        document.fail((*where, "name"), problem, "runtime_tasks = 0, or protection = true")


def check_once(document: Document, system: System, index: int, process: Process) -> None:
    """UserError: a task or file is of two processes."""
    for before in system.processes[:index]:
        for number, name in enumerate(process.tasks):
            if name in before.tasks:
                problem = f'[[process]] "{process.name}": tasks: "{name}" is in process "{before.name}" too'
                document.fail(("process", index, "tasks", number), problem, "one of them")
        for number, source in enumerate(process.sources):
            if source in before.sources:
                problem = f'[[process]] "{process.name}": sources: "{source.name}" is in process "{before.name}" too'
                document.fail(("process", index, "sources", number), problem, "one of them, or [system] shared_sources")


def check_alarms(document: Document, system: System, index: int, process: Process) -> None:
    """UserError: alarms that a process may create without a distance or a task to release, or a distance alone."""
    where, label = ("process", index), f'[[process]] "{process.name}"'
    if process.alarms_apart_ns is not None and not process.alarms:
        problem = f"{label}: alarms_apart is of alarms that it creates, and it may create none"
        hint = "alarms = 1, or no alarms_apart; an [[alarm]] has a min_interarrival of its own"
        document.fail((*where, "alarms_apart"), problem, hint)
    if process.alarms and process.alarms_apart_ns is None:
        problem = f"{label}: alarms, and no alarms_apart"
        document.fail((*where, "alarms"), problem, 'alarms_apart = "10 ms", the least time between two expiries of one')
    sporadic = [task.name for task in system.tasks if task.min_interarrival_ns is not None]
    if process.alarms and not any(name in sporadic for name in (*process.tasks, *process.gives)):
        problem = f"{label}: alarms, and no sporadic task that they could release"
        document.fail((*where, "alarms"), problem, "a task of it with min_interarrival, or one in gives")


def refuse_budgets(system: System) -> None:
    """UserError: admission without protection covers neither budgets nor tasks that a watchdog starts again."""
    names = [task.name for task in system.tasks if task.budget_ns is not None]
    names += [item.name for item in system.objects if getattr(item, "action", None) == "restart"]
    if names and system.runtime_tasks:
        problem = f'"{names[0]}": a budget or a restart by a watchdog, with runtime_tasks, is for protection only'
        raise located(system, names[0], problem, "one of them, or protection = true")
