# SPDX-License-Identifier: Apache-2.0
"""A slot of the virtual communication bus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import (
    IDENTIFIER,
    NAME,
    Key,
    Table,
    choice,
    integer,
    list_of,
)
from takt.declare.schema.model import Band, System
from takt.declare.schema.reader import Document, located
from takt.declare.schema.service import (
    ALIGNED,
    FIFO,
    PRIORITY,
    Context,
    Costs,
    Load,
    Service,
    bytes_of,
    copies,
    message_keys,
    product,
    waiters_key,
)
from takt.declare.schema.service_calls import (
    BUFFER,
    OUT,
    Call,
    Size,
    waits,
)
from takt.declare.service_kinds import senders
from takt.declare.service_kinds.mutex import Mutex, created_mutexes
from takt.declare.service_kinds.senders import Sender
from takt.support.c.board_layouts import MESSAGE_BUFFER_HEAD
from takt.support.c.kernel import CAPACITY_MAX, MESSAGE_BUFFERED_MAX

TABLE = Table(
    "slot",
    "A slot of the virtual communication bus: messages that its owner takes where the senders put them. The owner"
    ' begins with `NAME_allocate` and `takt_slot_open(&NAME)`; with the trigger "slot NAME" of its owner it is'
    " allocated and open from the start, and each message that is committed releases a job, which takes one with"
    " `takt_slot_try_take` and releases it. With `type`: `NAME_reserve`, `NAME_take`, each also"
    " as `NAME_..._until` and `NAME_try_...`, `NAME_commit`, `NAME_release`.",
    (
        NAME,
        Key("owner", IDENTIFIER, "The task that receives.", required=True),
        *message_keys("message_size", MESSAGE_BUFFERED_MAX, "Bytes of a message; with protection 256 at most."),
        Key("capacity", integer(1, CAPACITY_MAX), "Messages that it holds.", required=True),
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
            " to their release. The proof counts the owner's jobs above every band then, in addition. Not with"
            " protection.",
            default=(),
            default_text="none: the owner inherits nothing",
        ),
        senders.SENDERS,
        waiters_key("Of a slot: for a buffer."),
    ),
)


@dataclass(frozen=True)
class Slot:
    """`important`: the last free buffer is for priorities <= this one; None: for all."""

    name: str
    owner: str  # a task
    message_size: int | None  # bytes
    capacity: int  # messages
    order: str = "fifo"  # or "priority"
    important: int | None = None
    pinc: tuple[str, ...] = ()  # by priority of a message: the task whose level the owner inherits
    type: str | None = None
    include: str | None = None
    senders: tuple[Sender, ...] = ()  # of one that releases its owner
    waiters: str = PRIORITY


def _read(_document: Document, values: dict[str, Any], _index: int) -> Slot:
    return Slot(**{**values, "senders": senders.of(values)})


def _check(document: Document, system: System, index: int, item: Slot) -> None:
    label = f'[[slot]] "{item.name}"'
    if item.important is not None and item.capacity == 1:
        problem = (
            f"{label}: the only buffer is reserved for priorities up to {item.important}: other messages never get one"
        )
        document.fail(("slot", index, "important"), problem, "capacity = 2, or remove it")
    senders.check_owner(document, system, "slot", index, item)
    owner = system.task(item.owner)
    if not counted(system, item):
        return
    if owner.separation_ns is None:
        above = next(name for name in item.pinc if system.task(name).deadline_ns is not None)
        problem = f'{label}: pinc: background task "{item.owner}" would run at the level of "{above}" without a bound'
        document.fail(("slot", index, "pinc"), problem, "only background tasks, or an owner with a min_interarrival")
    if owner.burst > 1:
        problem = f'{label}: pinc: "{item.owner}" is released in bursts, at a level inherited from messages'
        document.fail(("slot", index, "pinc"), problem, "an owner with burst = 1: the proof does not cover both")
    if owner.suspension_ns:
        problem = f'{label}: pinc: jobs of "{item.owner}" suspend themselves, at a level inherited from messages'
        document.fail(("slot", index, "pinc"), problem, "an owner without suspension: the proof does not cover both")
    mutexes = (*system.of(Mutex), *created_mutexes(system))
    used = next((mutex.name for mutex in mutexes for user in mutex.users if user.task == item.owner), None)
    if used is not None:
        problem = f'{label}: pinc: "{item.owner}" locks "{used}", whose holders would inherit from messages too'
        document.fail(("slot", index, "pinc"), problem, "an owner that locks no mutex: the proof does not cover both")


def counted(system: System, item: Slot) -> bool:
    """Whether the priority inherited from its messages may delay a task with a deadline."""
    return any(system.task(name).deadline_ns is not None for name in item.pinc)


def check_levels(system: System, bands: tuple[Band, ...]) -> None:
    """UserError: the owner would inherit a level of an edf band, which is ordered by deadlines."""
    by_deadline = {name for band in bands if band.kind == "edf" for name in band.tasks}
    for item in system.of(Slot):
        wrong = next((name for name in item.pinc if name in by_deadline), None)
        if wrong is not None:
            problem = f'[[slot]] "{item.name}": pinc: "{wrong}" is in an edf band, whose level cannot be inherited'
            raise located(system, item.name, problem, 'scheduler = "dm", or a task of a fixed band')


_CALLS = (
    Call(
        "allocate",
        "void",
        "takt_slot_allocate(&{item.name})",
        require="takt_task_running() == TASK_{item.owner}",
        typed=False,
    ),
    *waits("slot", "reserve", f"uint32_t priority, {BUFFER}", "priority, &room", buffer=True),
    Call("commit", OUT, "takt_slot_commit(&{item.name}, message)", returns="void"),
    *waits("slot", "take", BUFFER, "&room", buffer=True),
    Call("release", OUT, "takt_slot_release(&{item.name}, message)", returns="unsigned"),
)


def copies_type(item: Slot, process: str) -> str:
    """Declares the copies of its buffers in the memory of a process."""
    size = bytes_of(item.message_size, item.type)
    return f"uint8_t {copies(item.name, process)}[TAKT_SLOT_BYTES({size}, {item.capacity})] {ALIGNED}"


def _copied(item: Slot, context: Context) -> Iterator[str]:
    """With protection: the copies, and which process has reserved a buffer."""
    using = context.users(item.name, True)
    yield from (f"extern {copies_type(item, name)};" for name in using if name is not None)
    table = ", ".join("NULL" if name is None else copies(item.name, name) for name in using)
    yield f"static uint8_t *const takti_copies_{item.name}[] = {{{table}}};"
    yield f"static uint8_t takti_holders_{item.name}[{item.capacity}];"


def _define(item: Slot, context: Context) -> Iterator[str]:
    storage, size = f"takti_storage_{item.name}", bytes_of(item.message_size, item.type)
    yield f"static uint8_t {storage}[TAKT_SLOT_BYTES({size}, {item.capacity})] {ALIGNED};"
    if item.pinc:
        levels = ", ".join(str(context.level(task)) for task in item.pinc)
        yield f"static const uint8_t takti_pinc_{item.name}[] = {{{levels}}};"
    trigger = context.trigger("slot", item.name)
    table = f"takti_pinc_{item.name}" if item.pinc else "NULL"
    arguments = f"takti_inheritance_{item.name}, {table}, {len(item.pinc)}"
    if trigger is not None:
        yield f"static TAKT_SLOT_TRIGGER_DEFINE({arguments}, {trigger});"
    elif item.pinc:
        yield f"static TAKT_SLOT_INHERITANCE_DEFINE({arguments});"
    extended = item.pinc or trigger is not None
    yield f"static const struct takt_slot_config takti_slot_{item.name} = {{"
    yield f"    .storage = {storage},"
    yield f"    .inheritance = {f'&takti_inheritance_{item.name}' if extended else 'NULL'},"
    yield f"    .important = {'UINT32_MAX' if item.important is None else f'UINT32_C({item.important})'},"
    yield f"    .message_size = {size},\n    .capacity = {item.capacity},\n    .id = {context.ids[item.name]},"
    yield f"    .by_priority = {'true' if item.order == 'priority' else 'false'},"
    yield "    .in_turn = {true},\n};" if item.waiters == FIFO else "};"
    arguments = f"{item.name}, &takti_slot_{item.name}"
    if trigger is not None:
        arguments += f", {storage}, {size}, {item.capacity}, {trigger}"
    copied = "COPIED_" if context.system.protection else ""
    if copied:
        yield from _copied(item, context)
        arguments += f", takti_copies_{item.name}, takti_holders_{item.name}"
    yield f"TAKT_SLOT_{'' if trigger is None else 'OPEN_'}{copied}DEFINE({arguments});"


def _load(item: Slot, system: System, costs: Costs) -> Load:
    """The load of a slot: jobs of an owner that inherits, also a late one, run above others: two sources."""
    owner = system.task(item.owner)
    if not counted(system, item):
        return []
    wcet_ns = owner.wcet_ns if not owner.enforced else owner.budget_ns or 0
    return [(wcet_ns + costs.action_ns, owner.separation_ns or 0)] * 2


def _in_process(item: Slot) -> tuple[str, str] | None:
    if not item.pinc:
        return None
    problem = "pinc: with protection an owner would inherit until its process releases the message"
    return problem, 'trigger = "slot NAME" of an owner that is urgent enough, without pinc; or protection = false'


SERVICE = Service(
    TABLE,
    Slot,
    _define,
    read=_read,
    waited=True,
    givers_wait=True,
    handled=True,
    copied=True,
    in_process=_in_process,
    releases=True,
    queued=True,
    check=_check,
    names=(("owner", "task"), ("pinc", "task")),
    size=Size("message_size", MESSAGE_BUFFERED_MAX, uncopied=True),
    calls=_CALLS,
    load=_load,
    proved=True,
    memory=lambda item: product(item, "message_size", "capacity", more=MESSAGE_BUFFER_HEAD),
)
