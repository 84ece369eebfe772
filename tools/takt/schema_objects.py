# SPDX-License-Identifier: Apache-2.0
"""The part of the schema with what tasks share: a table for each service of the kernel."""

from __future__ import annotations

from takt.keys import NAME, TABLES, Key, Table
from takt.kinds import DURATION, IDENTIFIER, POSITIVE_DURATION, choice, integer, list_of

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
        NAME,
        Key(
            "users",
            TABLES,
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
        NAME,
        Key("initial", integer(0, 0xFFFF), "Count at the start.", default=0),
        Key("maximum", integer(1, 0xFFFF), "Greatest count.", default=0xFFFF),
    ),
)

MAILBOX = Table(
    "mailbox",
    "A queue of messages of one size.",
    (
        NAME,
        Key("message_size", integer(1, 0xFFFF), "Bytes of a message.", required=True),
        Key("capacity", integer(1, 0xFFFF), "Messages that it holds.", required=True),
    ),
)

_WRITER = Key("writer", IDENTIFIER, "The only task or interrupt that writes it.", required=True)

STATE = Table(
    "state",
    "A state message: the last value, written by one and read by many, without a lock. `SIZE_NAME` is its size in C.",
    (
        NAME,
        Key("message_size", integer(1, 0xFFFF), "Bytes of the message.", required=True),
        Key("depth", integer(2, 256), "Places: how many writes a reader may last, and one.", required=True),
        _WRITER,
    ),
)

RING = Table(
    "ring",
    "Items from one writer to one reader, without a lock. `SIZE_NAME` is the size of an item in C.",
    (
        NAME,
        Key("item_size", integer(1, 0xFFFF), "Bytes of an item.", required=True),
        Key("capacity", integer(1, 0xFFFF), "Items that it holds.", required=True),
        _WRITER,
        Key("reader", IDENTIFIER, "The only task or interrupt that reads it.", required=True),
    ),
)

EVENTS = Table("events", "32 event flags.", (NAME,))

POOL = Table(
    "pool",
    "Blocks of one size.",
    (
        NAME,
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
        NAME,
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
        NAME,
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

OBJECTS = (MUTEX, SEMAPHORE, MAILBOX, STATE, RING, EVENTS, POOL, ALARM, WATCHDOG)
