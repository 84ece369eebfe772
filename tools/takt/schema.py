# SPDX-License-Identifier: Apache-2.0
"""What system.toml may hold: the one table that the validator reads by and docs/system-toml.md is generated from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from takt.kinds import (
    BOOLEAN,
    DURATION,
    FILE,
    IDENTIFIER,
    POSITIVE_DURATION,
    STRING,
    Kind,
    choice,
    groups,
    integer,
    list_of,
    trigger,
)

SCHEDULERS = ("auto", "rm", "dm", "edf", "csd", "cooperative", "bands")
CSD = "csd([2-9]|[1-9][0-9])"
SCHEDULER = choice(*SCHEDULERS, pattern=CSD, pattern_name="csd2, csd3 ...")
PRESETS = ("lean", "standard", "debug")
DEFAULT_BOARD = "mps2-an385"


@dataclass(frozen=True)
class Key:
    """One key. `default` is the value when it is absent; `default_text` is how the docs say it."""

    name: str
    kind: Kind
    doc: str
    required: bool = False
    default: Any = None
    default_text: str = ""
    table: Table | None = None  # the value is an array of these inline tables; `kind` only names it


@dataclass(frozen=True)
class Table:
    """One table, or each of an array of tables when `many`; without a name the file itself. `later`: keys of the design
    that are not there yet."""

    name: str
    doc: str
    keys: tuple[Key, ...]
    many: bool = True
    later: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        return f"[[{self.name}]]" if self.many else f"[{self.name}]"

    def key(self, name: str) -> Key | None:
        return next((key for key in self.keys if key.name == name), None)


_TABLES = Kind("array of tables", lambda value: value)
_NAME = Key(
    "name", IDENTIFIER, "Its name in C, in the trace and in every message; unique among all objects.", required=True
)

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
            "preset", choice(*PRESETS), "`lean`: no trace or assertions; `standard`: both; `debug`.", default="standard"
        ),
        Key("duration", POSITIVE_DURATION, "How long `takt run` runs.", default=1_000_000_000, default_text="`1 s`"),
        Key("name", STRING, "The application's name.", default_text="the folder's name"),
        Key("runtime_tasks", integer(0, 255), "Tasks that may be started at run time, under admission.", default=0),
        Key("sources", list_of(FILE), "The C files of the application.", default_text="every `*.c` of the folder"),
        Key("plant", FILE, "A Python file that plays the outside world in `takt run`.", default_text="none"),
    ),
    many=False,
)

TASK = Table(
    "task",
    "A task. With `period` it is periodic, with `min_interarrival` sporadic, with neither it is a background task that"
    " has no deadline and runs when no other wants to. At least one.",
    (
        _NAME,
        Key(
            "entry",
            IDENTIFIER,
            "The C function: `void NAME(void *argument)`. Several tasks may share one.",
            default_text="none: a synthetic load that executes for exactly `wcet`",
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
            "deadline",
            POSITIVE_DURATION,
            "Relative to the release; at most the period or minimum inter-arrival.",
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
            "on_miss",
            choice("continue", "skip", "stop", "notify"),
            "What happens to a job that misses its deadline.",
            default="continue",
        ),
        Key(
            "trigger",
            trigger(),
            "Sporadic: what releases it.",
            default_text="none: the program calls `takt_job_release`",
        ),
        Key(
            "pending_max",
            integer(0, 255),
            "Sporadic: releases that may wait when they come too close; more are lost and counted.",
            default=1,
        ),
        Key(
            "on_budget",
            choice("none", "notify", "demote", "stop"),
            "What happens to a job that executes for longer than `budget`. `notify`: `takt_app_budget` is called;"
            " `demote`: it goes on below all tasks with deadlines; `stop`: the task is stopped. The last two also stop"
            " a task in a section that lasts longer than its longest `hold`.",
            default="none",
        ),
        Key("budget", POSITIVE_DURATION, "Execution of a job that is not exceeded.", default_text="the wcet"),
        Key("stack", integer(128, 1 << 20, 8), "Bytes.", default=1024),
    ),
    later=("suspension", "fpu", "process"),
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

USER = Table(
    "users",
    "",
    (
        Key("task", IDENTIFIER, "The task.", required=True),
        Key(
            "hold",
            POSITIVE_DURATION,
            "The longest that it executes while holding it, inner sections included.",
            required=True,
        ),
        Key(
            "within",
            list_of(IDENTIFIER),
            "Mutexes that it holds when it locks this one. Orders that allow a deadlock are refuted.",
            default=(),
            default_text="none: it holds no other",
        ),
    ),
)

MUTEX = Table(
    "mutex",
    "A mutex. Its users' longest holds are the blocking in the proof: the bound of inheritance, which is no less than "
    "that of a ceiling. Waits with a hint (`takt_hint_next`) are covered by it.",
    (
        _NAME,
        Key(
            "users",
            _TABLES,
            'Every task that locks it: `{task = "control", hold = "40 us"}`.',
            required=True,
            table=USER,
        ),
        Key(
            "protocol",
            choice("inherit", "ceiling"),
            "`inherit`: an owner inherits the priority (edf bands: the deadline) of who waits; `takt_mutex_lock`. "
            "`ceiling`: from the lock on it runs at least with the best level of a user, in an edf band with "
            "a deadline no later than the lock and the shortest of the users in it; `takt_ceiling_lock`.",
            default="inherit",
        ),
    ),
)

SEMAPHORE = Table(
    "semaphore",
    "A counting semaphore.",
    (
        _NAME,
        Key("initial", integer(0, 0xFFFF), "Count at the start.", default=0),
        Key("maximum", integer(1, 0xFFFF), "Greatest count.", default=0xFFFF),
    ),
)

MAILBOX = Table(
    "mailbox",
    "A queue of messages of one size.",
    (
        _NAME,
        Key("message_size", integer(1, 0xFFFF), "Bytes of a message.", required=True),
        Key("capacity", integer(1, 0xFFFF), "Messages that it holds.", required=True),
    ),
)

INTERRUPT = Table(
    "interrupt",
    "An interrupt that the application handles. It counts above every band in the proof.",
    (
        _NAME,
        Key("number", integer(0, 239), "The board's number of it.", required=True),
        Key("min_interarrival", POSITIVE_DURATION, "Least time between two.", required=True),
        Key("wcet", POSITIVE_DURATION, "Longest execution of the handler.", required=True),
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
    ),
)

_WRITER = Key("writer", IDENTIFIER, "The only task or interrupt that writes it.", required=True)

STATE = Table(
    "state",
    "A state message: the last value, written by one and read by many, without a lock. `SIZE_NAME` is its size in C.",
    (
        _NAME,
        Key("message_size", integer(1, 0xFFFF), "Bytes of the message.", required=True),
        Key("depth", integer(2, 256), "Places: how many writes a reader may last, and one.", required=True),
        _WRITER,
    ),
)

RING = Table(
    "ring",
    "Items from one writer to one reader, without a lock. `SIZE_NAME` is the size of an item in C.",
    (
        _NAME,
        Key("item_size", integer(1, 0xFFFF), "Bytes of an item.", required=True),
        Key("capacity", integer(1, 0xFFFF), "Items that it holds.", required=True),
        _WRITER,
        Key("reader", IDENTIFIER, "The only task or interrupt that reads it.", required=True),
    ),
)

EVENTS = Table("events", "32 event flags.", (_NAME,))

POOL = Table(
    "pool",
    "Blocks of one size.",
    (
        _NAME,
        Key("block_size", integer(8, 0xFFF8, 8), "Bytes of a block.", required=True),
        Key("count", integer(1, 0xFFFF), "Blocks.", required=True),
    ),
)

_HANDLER_WCET = Key("wcet", DURATION, "Longest execution of the handler.", default=0, default_text="`0 ns`, no handler")

ALARM = Table(
    "alarm",
    "A software timer. Its interrupts and its handler count above every band in the proof. A task with the trigger"
    ' "alarm NAME" is released when it comes.',
    (
        _NAME,
        Key("period", POSITIVE_DURATION, "It comes again and again.", default_text="none"),
        Key(
            "min_interarrival",
            POSITIVE_DURATION,
            "It comes once when the program starts it: least time between two instants.",
            default_text="none",
        ),
        Key("start", DURATION, "Its first instant.", default_text="none: the program starts it"),
        Key(
            "handler",
            IDENTIFIER,
            "The C function, called in the timer's interrupt: `void NAME(struct takt_alarm *alarm)`.",
            default_text="none: executes for exactly `wcet`",
        ),
        _HANDLER_WCET,
    ),
)

WATCHDOG = Table(
    "watchdog",
    "A task must call `takt_watchdog_kick(&NAME)` at least every `time`, from the start on. The proof counts the"
    " timer's interrupts that look after it.",
    (
        _NAME,
        Key("task", IDENTIFIER, "The task; each has one at most.", required=True),
        Key("time", POSITIVE_DURATION, "The longest between two kicks.", required=True),
        Key(
            "action",
            choice("notify", "stop", "restart", "halt"),
            "`notify`: calls the handler; `stop`, `restart`: the task, which comes back at its next release; `halt`:"
            " the system stops with a fault.",
            default="halt",
        ),
        Key(
            "handler",
            IDENTIFIER,
            "Notify: the C function, called in the timer's interrupt: `void NAME(struct takt_watchdog *watchdog)`.",
            default_text="none",
        ),
        _HANDLER_WCET,
    ),
)

TABLES = (SYSTEM, TASK, BAND, MUTEX, SEMAPHORE, MAILBOX, INTERRUPT, STATE, RING, EVENTS, POOL, ALARM, WATCHDOG)
LATER = ("slot", "process", "can", "condition", "signal")
