# SPDX-License-Identifier: Apache-2.0
"""How much longer calls of a system lock than those that were measured: by tasks that they wake, and bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from takt.declare.schema.model import Process, System, Task
from takt.declare.schema.service import Item
from takt.declare.service_kinds.condition import Condition
from takt.declare.service_kinds.events import Events
from takt.declare.service_kinds.mailbox import Mailbox
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.declare.service_kinds.pipe import Pipe
from takt.declare.service_kinds.priority_mailbox import PriorityMailbox
from takt.declare.service_kinds.rendezvous import Rendezvous
from takt.declare.service_kinds.semaphore import Semaphore
from takt.declare.service_kinds.signal_pool import SignalPool
from takt.declare.service_kinds.signal_queue import SignalQueue
from takt.declare.service_kinds.slot import Slot
from takt.declare.service_kinds.state_copies import Read, State
from takt.prove import overheads
from takt.support.c.kernel import PROCESS_NUMBERS_MAX

WAKE = 1000
NAMES = tuple("abcdef")


def system(uses: tuple[str, ...] = ("x",), gives: tuple[str, ...] = (), **more: Any) -> System:
    """Two processes: of four tasks with a thread that may use `x`, and of two that may give it, or more."""
    tasks = tuple(Task(name, 1, period_ns=10**9) for name in NAMES)
    first = Process("waits", NAMES[:4], threads=1, uses=uses)
    second = Process("wakes", NAMES[4:], gives=gives, manages=more.pop("manages", ()))
    return System(Path("system.toml"), "test", "b", "dm", tasks, processes=(first, second), protection=True, **more)


def longer(of: System) -> int:
    """Without what joining a thread of the first process takes: its three others."""
    return overheads.instructions(of, WAKE)


JOIN = 3 * WAKE


def test_without_protection_nothing_is_known() -> None:
    of = system(gives=("x",), objects=(Events("x"),))
    assert longer(of) > 0
    assert longer(replace(of, protection=False)) == 0


def test_systems_without_such_objects_keep_what_was_measured() -> None:
    of = system(objects=(Semaphore("x", 0, 1), Mailbox("y", 16, 4)), uses=("x", "y"))
    plain = replace(of, processes=tuple(replace(process, threads=0) for process in of.processes))
    assert longer(plain) == 0  # nobody may flush, or delete
    assert longer(of) == JOIN


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (Semaphore("x", 0, 1), 4 * WAKE),
        (Events("x"), 4 * WAKE),
        (PriorityMailbox("x", 100, 4), 6 * WAKE + (6 * 100 + 2 * 84) * overheads.COPY),
        (Pipe("x", 64), 6 * WAKE + 2 * 240 * overheads.COPY + overheads.TURNS * overheads.TURN),
        (Mailbox("x", 100, 4), 2 * 84 * overheads.COPY),  # one task is woken
        (SignalQueue("x", "a"), 0),
        (Rendezvous("x"), 0),
        (Rendezvous("x", 200, 100), max(200 * overheads.COPY, 3 * WAKE)),
        (Rendezvous("x", 0, 256), max(256 * overheads.COPY, 3 * WAKE)),
    ],
)
def test_tasks_that_may_wait_except_one(item: Item, expected: int) -> None:
    """Five may use the object; two more may give, and so wait for room."""
    assert longer(system(gives=("x",), objects=(item,))) == max(expected, JOIN)


def test_what_a_rendezvous_copies_counts() -> None:
    """Where it takes longer than to wake those that join a thread."""
    of = system(gives=("x",), objects=(Rendezvous("x", 200, 100),))
    assert overheads.instructions(of, WAKE // 100) == 200 * overheads.COPY > JOIN // 100


def test_a_signal_is_copied_twice_and_looked_for_among_all() -> None:
    pools = (SignalPool("p", 100, 50), SignalPool("q", 40, 20))
    of = system(gives=("x",), objects=(SignalQueue("x", "a"), *pools))
    assert longer(of) == 2 * 100 * overheads.COPY + 70 * PROCESS_NUMBERS_MAX * overheads.INSERT > JOIN
    typed = system(gives=("x",), objects=(SignalQueue("x", "a"), SignalPool("p", None, 50, "struct m", "m.h")))
    assert longer(typed) == 2 * 256 * overheads.COPY + 50 * PROCESS_NUMBERS_MAX * overheads.INSERT > JOIN


def test_a_slot_may_be_flushed_for_all_that_wait() -> None:
    of = system(gives=("x",), objects=(Slot("x", "a", 100, 20),))
    flushed = 20 * (6 + overheads.FLUSHED) * overheads.INSERT
    assert longer(of) == 6 * WAKE + flushed + 2 * 100 * overheads.COPY


def test_a_task_that_may_delete_wakes_all() -> None:
    of = system(gives=("x",), manages=("x",), objects=(Mailbox("x", 16, 4),))
    assert longer(of) == 6 * WAKE
    assert longer(system(manages=("x",), objects=(Rendezvous("x"),))) == 4 * WAKE


def test_signalled_tasks_queue_for_the_mutex() -> None:
    mutex = Mutex("m", tuple(Hold(name, 1) for name in NAMES[:4]))
    of = system(uses=(), objects=(mutex, Condition("x", "m")))
    assert longer(of) == 4 * WAKE + (4 * 5 // 2) * overheads.INSERT


def test_nobody_waits_for_what_releases_a_task() -> None:
    of = system(gives=("x",), objects=(Semaphore("x", 0, 1),))
    tasks = (replace(of.tasks[0], trigger="semaphore x"), *of.tasks[1:])
    assert longer(replace(of, tasks=tasks)) == JOIN


def test_a_type_is_as_long_as_a_message_may_be_unless_its_size_is_declared() -> None:
    box = Mailbox("x", None, 4, "struct message", "message.h")
    assert longer(system(objects=(box,))) == max(2 * 240 * overheads.COPY, JOIN)
    assert longer(system(objects=(replace(box, message_size=16),))) == JOIN


def test_a_process_may_have_what_it_reads_copied_locked() -> None:
    readers = (Read("a", 300), Read("e", 200))
    state = State("x", 1000, "b", readers=readers)
    of = system(uses=(), objects=(state,))
    assert overheads.read_locked_ns(of, 10) == 1000 * overheads.COPY * 10
    assert overheads.read_locked_ns(replace(of, protection=False), 10) == 0
    typed = replace(state, message_size=None, type="struct pose", include="pose.h")
    assert overheads.read_locked_ns(of.having(State, (typed,)), 10) == 4 * 300
    uses = system(objects=(replace(typed, readers=()),))
    assert overheads.read_locked_ns(uses, 1) == 0xFFFF * overheads.COPY
    assert overheads.read_locked_ns(replace(uses, processes=uses.processes[1:]), 1) == 0


def test_what_a_process_creates_its_own_tasks_wait_for() -> None:
    of = system()
    creates = replace(of, processes=(replace(of.processes[0], mailboxes=1), of.processes[1]))
    assert longer(creates) == 3 * WAKE + 2 * 240 * overheads.COPY
