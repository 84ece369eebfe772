# SPDX-License-Identifier: Apache-2.0
"""The part of the schema for objects that tasks share: a table for each service of the kernel."""

from __future__ import annotations

from takt.declare.schema.kinds import (
    C_TYPE,
    DURATION,
    HEADER,
    IDENTIFIER,
    NAME,
    POSITIVE_DURATION,
    TABLES,
    Key,
    Table,
    choice,
    integer,
    list_of,
)
from takt.declare.schema.state_copies import COPIES_MAX, COPIES_MIN

# Most bytes of a message, which the kernel counts in 16 bits: alone, with a buffer's header, with a signal's header.
MESSAGE_MAX, BUFFERED_MAX, SIGNAL_MAX = 0xFFFF, 65512, 65488
OBJECT_MAX = 1 << 24  # bytes of all that one object holds, on any board; as of [[shared]] and a process's memory


def _message(size: str, limit: int, doc: str) -> tuple[Key, ...]:
    return (
        Key(size, integer(1, limit), f"{doc} `SIZE_NAME` in C.", default_text="that of `type`"),
        Key("type", C_TYPE, "Its type in C, for the calls of `takt_app.h`.", default_text="none: it is bytes"),
        Key("include", HEADER, "The header of the application that declares `type`.", default_text="none"),
    )


USER = Table(
    "users",
    "",
    (
        Key("task", IDENTIFIER, "The task.", required=True),
        Key(
            "hold",
            DURATION,
            "The longest that it executes while holding it, inner sections included. `0 ns`, with a ceiling: it never"
            " locks it, and only lifts the ceiling.",
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
            "`inherit`: an owner inherits the priority (edf bands: the deadline) of its waiters; `takt_mutex_lock`. "
            "`ceiling`: from the lock on it runs at least with the best level of a user, in an edf band with "
            "a deadline no later than the lock and the shortest of the users in it; `takt_ceiling_lock`. So a section"
            " that no task preempts has the best task among the users: the first of a fixed first band, of an edf one"
            ' that with the shortest deadline, with `hold = "0 ns"` if it does not lock it.',
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
    "A queue of messages of one size. With `type`: `NAME_send`, `NAME_receive`, each also"
    " as `NAME_..._until` and `NAME_try_...`.",
    (
        NAME,
        *_message("message_size", MESSAGE_MAX, "Bytes of a message; with protection 256 at most."),
        Key("capacity", integer(1, 0xFFFF), "Messages that it holds.", required=True),
    ),
)

_WRITER = Key("writer", IDENTIFIER, "The only task or interrupt that writes it.", required=True)

READER = Table(
    "readers",
    "",
    (
        Key("task", IDENTIFIER, "The task or interrupt.", required=True),
        Key(
            "read",
            POSITIVE_DURATION,
            "The longest that it executes in one read, from its beginning to its end.",
            required=True,
        ),
    ),
)

STATE = Table(
    "state",
    "A state message: the last value, written by one and read by many, without a lock: `NAME_write`, `NAME_read`,"
    " `NAME_read_locked`. With `readers` it has enough copies that no read is overtaken as long as the declared timing"
    " holds (docs/decisions/0015-state-depth.md), and a run that is not as declared says so.",
    (
        NAME,
        *_message("message_size", MESSAGE_MAX, "Bytes of the message."),
        _WRITER,
        Key("writes", integer(1, 0xFFFF), "The most writes in one job of the writer, or one interrupt.", default=1),
        Key(
            "readers",
            TABLES,
            'Every task and interrupt that reads it: `{task = "monitor", read = "20 us"}`.',
            default=(),
            default_text="none: `depth` is required",
            table=READER,
        ),
        Key(
            "depth_max",
            integer(COPIES_MIN, COPIES_MAX),
            "A reader that needs more copies reads with the kernel locked instead; the proof counts that time.",
            default_text="`10`",
        ),
        Key(
            "depth",
            integer(COPIES_MIN, COPIES_MAX),
            "Copies. With `readers`: a reader that needs more reads with the kernel locked.",
            default_text="as many as `readers` need, by the proof",
        ),
    ),
)

RING = Table(
    "ring",
    "Items from one writer to one reader, without a lock. With `type`: `NAME_put`, `NAME_get`.",
    (
        NAME,
        *_message("item_size", MESSAGE_MAX, "Bytes of an item."),
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
    "A software timer. Its interrupts count above every band in the proof, and its handler, unless a task calls it."
    ' A task with the trigger "alarm NAME" is released when it expires.',
    (
        NAME,
        Key("period", POSITIVE_DURATION, "It expires repeatedly, at this distance.", default_text="none"),
        Key(
            "min_interarrival",
            POSITIVE_DURATION,
            "It expires once after the program starts it: least time between two expiries.",
            default_text="none",
        ),
        Key("start", DURATION, "Its first expiry.", default_text="none: the program starts it"),
        Key(
            "handler",
            IDENTIFIER,
            "The C function, called in the timer's interrupt or for `queue`: `void NAME(struct takt_alarm *alarm)`.",
            default_text="none: executes for exactly `wcet`",
        ),
        _HANDLER_WCET,
        Key(
            "queue",
            IDENTIFIER,
            "The alarm queue whose task calls the handler.",
            default_text="none: the timer's interrupt does",
        ),
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

SLOT = Table(
    "slot",
    "A slot of the virtual communication bus: messages that its owner takes where the senders put them. The owner"
    " begins with `NAME_allocate` and `takt_slot_open(&NAME)`. With `type`: `NAME_reserve`, `NAME_take`, each also"
    " as `NAME_..._until` and `NAME_try_...`, `NAME_commit`, `NAME_release`.",
    (
        NAME,
        Key("owner", IDENTIFIER, "The task that receives.", required=True),
        *_message("message_size", BUFFERED_MAX, "Bytes of a message."),
        Key("capacity", integer(1, 0xFFFF), "Messages that it holds.", required=True),
        Key("order", choice("fifo", "priority"), "`priority`: 0 is taken first, FIFO among equals.", default="fifo"),
        Key(
            "important",
            integer(0, 0xFFFFFFFF),
            "The last buffer is kept for messages of this priority and better.",
            default_text="none: it is for all",
        ),
        Key(
            "pinc",
            list_of(IDENTIFIER),
            "For messages of priority 0, 1 ... the task whose level, in a fixed band, the owner has from their commit"
            " to their release. The proof counts the owner's jobs above every band then, in addition.",
            default=(),
            default_text="none: the owner inherits nothing",
        ),
    ),
)

SIGNAL_POOL = Table(
    "signal_pool",
    "Signals: numbered buffers that go from task to task by pointer. With `type`: `NAME_data`.",
    (
        NAME,
        *_message("data_size", SIGNAL_MAX, "Bytes of a signal's data."),
        Key("count", integer(1, 0xFFFF), "Signals.", required=True),
    ),
)

SIGNAL_QUEUE = Table(
    "signal_queue",
    "The signals that came to a task.",
    (NAME, Key("owner", IDENTIFIER, "The task that receives; each has one at most.", required=True)),
)

PIPE = Table(
    "pipe",
    "A stream of bytes.",
    (NAME, Key("capacity", integer(1, 1 << 20), "Bytes that it holds; with protection 32 or more.", required=True)),
)

PRIORITY_MAILBOX = Table(
    "priority_mailbox",
    "A queue of messages of one size with priorities; 0 is received first. With `type`: `NAME_send`,"
    " `NAME_send_urgent`, `NAME_receive`, each also as `NAME_..._until` and `NAME_try_...`, and `NAME_broadcast`.",
    (
        NAME,
        *_message("message_size", BUFFERED_MAX, "Bytes of a message; with protection 256 at most."),
        Key("capacity", integer(1, 0xFFFF), "Messages that it holds.", required=True),
        Key(
            "handler",
            IDENTIFIER,
            "The C function, called for every message that is accepted, with the kernel locked: `void NAME(const void"
            " *message)`, or of `type`. It calls nothing of the kernel.",
            default_text="none",
        ),
        Key(
            "wcet",
            DURATION,
            "Longest execution of the handler. The proof delays all tasks by it; it is also in the wcet of each sender"
            " or, when the mailbox is full, of each receiver.",
            default=0,
            default_text="`0 ns`, no handler",
        ),
    ),
)

CONDITION = Table(
    "condition",
    "A condition variable (docs/monitors.md): `NAME_wait`, `NAME_wait_until`.",
    (NAME, Key("mutex", IDENTIFIER, "The mutex that its waiters give back; it inherits.", required=True)),
)

RENDEZVOUS = Table("rendezvous", "Callers and acceptors meet.", (NAME,))

ALARM_QUEUE = Table(
    "alarm_queue",
    'Alarms whose handlers a task calls: the one with the trigger "alarm_queue NAME", which has no `entry`. Its wcet'
    " is no less than that of all these handlers together, its `min_interarrival` no more than any alarm's.",
    (NAME,),
)

OBJECTS = (
    *(MUTEX, SEMAPHORE, MAILBOX, STATE, RING, EVENTS, POOL, ALARM, WATCHDOG),
    *(SLOT, SIGNAL_POOL, SIGNAL_QUEUE, PIPE, PRIORITY_MAILBOX, CONDITION, RENDEZVOUS, ALARM_QUEUE),
)
