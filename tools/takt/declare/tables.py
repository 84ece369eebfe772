# SPDX-License-Identifier: Apache-2.0
"""The keys of system.toml: the one table that the validator uses and that docs/system-toml.md is generated from."""

from __future__ import annotations

from takt.declare.buses import table as buses
from takt.declare.chains.table import CHAIN
from takt.declare.code.table import BUILD
from takt.declare.console.table import CONSOLE
from takt.declare.schema import machines, processes, servers
from takt.declare.schema.kinds import (
    BOOLEAN,
    DURATION,
    FILE,
    IDENTIFIER,
    NAME,
    POSITIVE_DURATION,
    STRING,
    Key,
    Table,
    choice,
    groups,
    integer,
    list_of,
    trigger,
)
from takt.declare.schema.service import HANDLER_TASK
from takt.declare.service_table import SERVICES

SCHEDULERS = ("auto", "rm", "dm", "edf", "csd", "cooperative", "bands")
CSD = "csd([2-9]|[1-9][0-9])"
SCHEDULER = choice(*SCHEDULERS, pattern=CSD, pattern_name="csd2, csd3 ...")
PRESETS = ("lean", "standard", "debug")
DEFAULT_BOARD = "mps2-an385"
PENDING_MAX = 255
BURST_MAX = 64
TRIGGERS = ("interrupt", "message", *sorted(service.kind for service in SERVICES if service.releases))

SYSTEM = Table(
    "system",
    "The system as a whole. May be left out; every key has a default.",
    (
        Key("board", STRING, "A folder of boards/.", default=DEFAULT_BOARD),
        Key(
            "scheduler",
            SCHEDULER,
            "How tasks share the processor. `auto`: the cheapest that proves. `csd`: the best of csd2, csd3 ...",
            default_text="`auto`; `bands` when there are `[[band]]` tables",
        ),
        Key(
            "preset",
            choice(*PRESETS),
            "`lean`: no trace or assertions; `standard`: both; `debug`: both, stacks are checked whenever a task gives"
            " up the processor, and at the end of a run the kernel's own state.",
            default="standard",
        ),
        Key("duration", POSITIVE_DURATION, "How long `takt run` runs.", default=1_000_000_000, default_text="`1 s`"),
        Key("name", STRING, "The application's name.", default_text="the folder's name"),
        Key("runtime_tasks", integer(0, 255), "Tasks that may be started at run time, under admission.", default=0),
        Key(
            "sources",
            list_of(FILE),
            "The files of the application that are built: C (`.c`), C++ (`.cpp`, `.cc`, `.cxx`), and assembler (`.S`)"
            " outside of processes. Any other language is refused. `sources` of `[build]` is the same key.",
            default_text="every file of the folder in these languages",
        ),
        Key(
            "quantum",
            POSITIVE_DURATION,
            "Time slice among the tasks without a deadline that no `[[band]]` names: they take turns.",
            default_text="none: FIFO",
        ),
        Key("plant", FILE, "A Python file that plays the outside world in `takt run`.", default_text="none"),
        Key(
            "offsets",
            BOOLEAN,
            "Does the proof use the offsets of periodic tasks with the same period, in fixed bands? Then the program"
            " neither stops nor starts them while the system runs.",
            default=False,
            default_text="`false`",
        ),
        Key(
            "protection",
            BOOLEAN,
            "Do tasks belong to processes, in user mode (docs/processes.md)? Without it `[[process]]`, `[[shared]]` and"
            " `[[device]]` are checked, and mean nothing.",
            default=False,
            default_text="`false`",
        ),
        Key(
            "heap",
            processes.HEAP,
            'Memory for `malloc` (docs/heap.md): `"8 KiB"`. With protection each `[[process]]` has its own.',
            default=0,
            default_text="without protection those of all `[[process]]` together; else none",
        ),
        Key(
            "shared_sources",
            list_of(FILE),
            "Files that all processes execute, or patterns: code and constants only.",
            default=(),
            default_text="none",
        ),
    ),
    many=False,
)

TASK = Table(
    "task",
    "A task. With `period` it is periodic, with `min_interarrival` sporadic, with neither it is a background task that"
    " has no deadline and runs when no other wants to. In C it is `TASK_NAME`, a `struct takt_task *`. At least one.",
    (
        NAME,
        Key(
            "entry",
            IDENTIFIER,
            "The C function: `void NAME(void *argument)`. Several tasks may share one.",
            default_text="none: a synthetic load that executes for exactly `wcet`, or serves an alarm queue",
        ),
        Key(
            "style",
            choice("entry", "loop"),
            "`entry`: called once per job. `loop`: called once, never returns, calls `takt_job_wait`.",
            default="entry",
        ),
        Key("period", POSITIVE_DURATION, "Time between two releases.", default_text="none"),
        Key("min_interarrival", POSITIVE_DURATION, "Sporadic: least time between two releases.", default_text="none"),
        Key(
            "burst",
            integer(1, BURST_MAX),
            "Sporadic: releases that may come at once. Any time of length x has at most `burst` - 1 + x /"
            " `min_interarrival` of them, rounded up: after a burst they come as rarely as without, until time has"
            " passed without any. The kernel defers what comes sooner, as it does without bursts.",
            default=1,
        ),
        Key(
            "burst_distance",
            DURATION,
            "With `burst`: least time between any two releases, no longer than `min_interarrival`.",
            default=0,
            default_text="`0 ns`",
        ),
        Key(
            "deadline",
            POSITIVE_DURATION,
            "Relative to the release. It may be longer than the period: jobs then queue up, but not with `on_miss ="
            ' "skip"` or `runtime_tasks`.',
            default_text="the period or minimum inter-arrival",
        ),
        Key(
            "wcet",
            DURATION,
            "Longest execution of a job, preemption and kernel not counted. Required and more than 0,"
            ' but in a background task, where 0 means "as long as it likes".',
            default_text="`0 ns`, background tasks only",
        ),
        Key("offset", DURATION, "Periodic: first release after the start.", default_text="`0 ns`"),
        Key("jitter", DURATION, "Greatest delay between arrival and release.", default=0, default_text="`0 ns`"),
        Key(
            "suspension",
            POSITIVE_DURATION,
            "The longest that a job waits in calls that block (semaphores, messages, delays ...), mutexes aside: all"
            " its waits together, outside sections of mutexes. Calls with timeouts keep to it. The proof counts it as"
            " execution of this task, and for tasks below as release jitter where that is less.",
            default=0,
            default_text="none: jobs do not wait",
        ),
        Key("waits", integer(1, 255), "The most calls of a job that wait.", default_text="1 with `suspension`"),
        Key(
            "on_miss",
            choice("continue", "skip", "stop", "notify"),
            "Reaction to a job that misses its deadline. `continue`: it goes on, and releases queue up behind it;"
            " `skip`: those that come before it ends are lost; `stop`: the task is stopped, at its last unlock if it"
            " holds a mutex; `notify`: `miss_handler` is called, and it goes on.",
            default="continue",
        ),
        Key(
            "miss_handler",
            IDENTIFIER,
            "Notify: the C function, called in the timer's interrupt at the deadline, or at once when a job begins"
            " after its deadline: `void NAME(struct takt_task *task)`. With protection it is the kernel's, as handlers"
            " of watchdogs are: in a file of no process.",
            default_text="none",
        ),
        Key(
            "miss_wcet",
            DURATION,
            "Longest execution of `miss_handler`. The proof counts it above every band, once a job.",
            default=0,
            default_text="`0 ns`, no handler",
        ),
        Key(
            "trigger",
            trigger(TRIGGERS),
            "Sporadic: the object that releases it. An interrupt or alarm does so each time, after its handler,"
            " which makes no call for it.",
            default_text="none: the program calls `takt_job_release`",
        ),
        Key(
            "pending_max",
            integer(0, PENDING_MAX),
            "Sporadic: releases that may wait, come too close or behind an unfinished job; more are lost and counted."
            " No fewer than may come within a deadline that is longer than the period, or with `burst`.",
            default_text="as many as may come within the deadline, at least 1",
        ),
        Key(
            "on_budget",
            choice("none", "notify", "demote", "stop"),
            "Reaction to a job that executes for longer than `budget`. `notify`: `takt_app_budget` is called;"
            " `demote`: it goes on below all tasks with deadlines; `stop`: the task is stopped. The last two also stop"
            " a task in a section that lasts longer than its longest `hold`. With protection `stop`, and such a"
            " section, end its process.",
            default="none",
        ),
        Key("budget", POSITIVE_DURATION, "Execution of a job that is not exceeded.", default_text="the wcet"),
        Key("stack", integer(128, 1 << 20, 8), "Bytes.", default=1024),
        Key(
            "no_heap",
            BOOLEAN,
            "Is its code to do without `malloc`, `free` and C++'s `new`? A build is refused whose calls lead there.",
            default=False,
        ),
    ),
    later=("fpu",),
)

BAND = Table(
    "band",
    "Explicit bands, the highest first. Dispatch runs the first band that has a ready task. Background tasks that no"
    " band names form one more fixed band at the end.",
    (
        Key("kind", choice("fixed", "edf"), "By fixed priority or by earliest absolute deadline.", required=True),
        Key("tasks", groups(), "In a fixed band in priority order; an inner array holds equals.", required=True),
        Key("quantum", POSITIVE_DURATION, "Fixed bands: time slice among equals.", default_text="none: FIFO"),
    ),
)

INTERRUPT = Table(
    "interrupt",
    "An interrupt that the application handles. It counts above every band in the proof.",
    (
        NAME,
        Key("number", integer(0, 239), "The board's number of it.", required=True),
        Key("min_interarrival", POSITIVE_DURATION, "Least time between two.", required=True),
        Key("wcet", POSITIVE_DURATION, "Longest execution of the handler.", required=True),
        Key(
            "every",
            POSITIVE_DURATION,
            "Time between two on emulated boards, which play the device; no shorter than `min_interarrival`.",
            default_text="the least time between two",
        ),
        Key(
            "kernel",
            BOOLEAN,
            "May the handler call the kernel? One that may not is never masked, on boards that can.",
            default=True,
            default_text="`true`",
        ),
        Key(
            "handler",
            IDENTIFIER,
            "The C function: `void NAME(void)`.",
            default_text="none: executes for exactly `wcet`",
        ),
        Key(
            "process",
            IDENTIFIER,
            "With protection: the process whose task calls the handler, in user mode; the interrupt only masks its line"
            " and releases that task, which unmasks it at its end.",
            default_text="none: the handler is the kernel's",
        ),
        *HANDLER_TASK,
    ),
)

TABLES = (
    SYSTEM,
    BUILD,
    TASK,
    BAND,
    servers.SERVER,
    INTERRUPT,
    CONSOLE,
    *(service.table for service in SERVICES),
    *processes.TABLES,
    *buses.TABLES,
    CHAIN,
    *machines.TABLES,
)
