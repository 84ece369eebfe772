# SPDX-License-Identifier: Apache-2.0
"""SERVICES: for each kind of shared object, how it is read, checked, written in C, and counted by a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare import service_calls
from takt.declare import service_checks as checks
from takt.declare import service_code as code
from takt.declare.schema import objects as tables
from takt.declare.schema.kinds import Table
from takt.declare.schema.model import (
    Alarm,
    AlarmQueue,
    Condition,
    Events,
    Hold,
    Mailbox,
    Mutex,
    Pipe,
    Pool,
    PriorityMailbox,
    Read,
    Rendezvous,
    Ring,
    Semaphore,
    SignalPool,
    SignalQueue,
    Slot,
    State,
    System,
    Watchdog,
)
from takt.declare.schema.reader import Document
from takt.declare.service_calls import Call, Size

Item = Any
"""An object of the model, of the kind that the table says."""


def _anything(_document: Document, _system: System, _index: int, _item: Item) -> None:
    pass


def _nothing(_item: Item) -> Iterator[str]:
    yield from ()


Load = list[tuple[int, int]]
"""Longest execution and least distance of each source, ns."""


@dataclass(frozen=True)
class Costs:
    """The kernel's overhead in a proof, ns: for an interrupt of the timer, and for an action on a task."""

    interrupt_ns: int = 0
    action_ns: int = 0


def _no_load(_item: Item, _system: System, _costs: Costs) -> Load:
    return []


@dataclass(frozen=True)
class Service:
    """A kind of object.

    `read`: from checked values of the table, with the index for messages; raises UserError. `names`: keys that name
    another object, and its kind: a "task", an "actor", which is a task or interrupt, or a service. `handler`: the
    parameter of its handler; None: it has none. `load`: execution of an object above all bands."""

    table: Table
    field: str  # of System
    read: Callable[[Document, dict[str, Any], int], Item]
    define: Callable[[Item, code.Context], Iterator[str]]
    check: Callable[[Document, System, int, Item], None] = _anything
    start: Callable[[Item], Iterator[str]] = _nothing  # statements at time 0
    struct: Callable[[Item], str] | None = None  # the structure's name, where it is not that of the kind
    names: tuple[tuple[str, str], ...] = ()
    size: Size | None = None  # of its messages, which may have a type then
    calls: tuple[Call, ...] = ()  # of the generated header
    handler: str | None = None
    load: Callable[[Item, System, Costs], Load] = _no_load
    proved: bool = False  # a proof depends on its keys
    timers: int = 0  # timers that may be armed at once
    locks: bool = True  # its calls have longer locked sections than jobs and delays
    blocks: bool = False  # it is there to wait for, unless it releases a task

    @property
    def kind(self) -> str:
        return self.table.name

    def objects(self, system: System) -> tuple[Item, ...]:
        found: tuple[Item, ...] = getattr(system, self.field)
        return found


def _plain(model: Callable[..., Item]) -> Callable[[Document, dict[str, Any], int], Item]:
    """Reads a table into a model with a field for each key."""
    return lambda _document, values, _index: model(**values)


def _mutex(_document: Document, values: dict[str, Any], _index: int) -> Mutex:
    users = tuple(Hold(user["task"], user["hold"], user["within"]) for user in values["users"])
    return Mutex(values["name"], users, values["protocol"])


def _state(_document: Document, values: dict[str, Any], _index: int) -> State:
    readers = tuple(Read(reader["task"], reader["read"]) for reader in values["readers"])
    limit = {} if values["depth_max"] is None else {"depth_max": values["depth_max"]}
    rest = {key: value for key, value in values.items() if key not in ("readers", "depth_max")}
    return State(**rest, **limit, readers=readers)


def _alarm(document: Document, values: dict[str, Any], index: int) -> Alarm:
    label = f'[[alarm]] "{values["name"]}"'
    period, distance = values["period"], values["min_interarrival"]
    if period is not None and distance is not None:
        problem = f"{label}: period and min_interarrival exclude each other"
        document.fail(("alarm", index, "min_interarrival"), problem, "keep one")
    if period is None and distance is None:
        problem = f"{label}: neither period nor min_interarrival"
        document.fail(("alarm", index), problem, 'period = "10 ms", or min_interarrival for one that comes once')
    rest = (values[key] for key in ("start", "handler", "wcet", "queue"))
    return Alarm(values["name"], distance or period, period or 0, *rest)


def _watchdog(_document: Document, values: dict[str, Any], _index: int) -> Watchdog:
    return Watchdog(*(values[key] for key in ("name", "task", "time", "action", "handler", "wcet")))


def _priority_mailbox(_document: Document, values: dict[str, Any], _index: int) -> PriorityMailbox:
    keys = ("name", "message_size", "capacity", "handler", "wcet", "type", "include")
    return PriorityMailbox(*(values[key] for key in keys))


def _alarm_load(item: Alarm, _system: System, costs: Costs) -> Load:
    """The load of an alarm. With a queue its handler is part of the job of the task that serves it."""
    return [((item.wcet_ns if item.queue is None else 0) + costs.interrupt_ns, item.separation_ns)]


def _watchdog_load(item: Watchdog, _system: System, costs: Costs) -> Load:
    """The load of a watchdog: at most two interrupts within its time, so it counts as two sources."""
    wcet_ns = item.wcet_ns + costs.interrupt_ns + costs.action_ns
    return [(wcet_ns, item.time_ns), (costs.interrupt_ns, item.time_ns)]


def _slot_load(item: Slot, system: System, costs: Costs) -> Load:
    """The load of a slot: jobs of an owner that inherits, also a late one, run above others: two sources."""
    owner = system.task(item.owner)
    if not checks.counted(system, item):
        return []
    wcet_ns = owner.wcet_ns if not owner.enforced else owner.budget_ns or 0
    return [(wcet_ns + costs.action_ns, owner.separation_ns or 0)] * 2


# In the order of trace ids.
SERVICES = (
    Service(
        tables.MUTEX,
        "mutexes",
        _mutex,
        code.mutex,
        checks.mutex,
        struct=lambda item: "ceiling" if item.protocol == "ceiling" else "mutex",
        blocks=True,
    ),
    Service(tables.SEMAPHORE, "semaphores", _plain(Semaphore), code.semaphore, checks.semaphore, blocks=True),
    Service(
        tables.MAILBOX,
        "mailboxes",
        _plain(Mailbox),
        code.mailbox,
        size=Size("message_size", tables.MESSAGE_MAX),
        calls=service_calls.MAILBOX,
        blocks=True,
    ),
    Service(
        tables.STATE,
        "states",
        _state,
        code.state,
        checks.state,
        names=(("writer", "actor"),),
        size=Size("message_size", tables.MESSAGE_MAX, words=True),
        calls=service_calls.STATE,
        proved=True,
        locks=False,
    ),
    Service(
        tables.RING,
        "rings",
        _plain(Ring),
        code.ring,
        checks.ring,
        names=(("writer", "actor"), ("reader", "actor")),
        size=Size("item_size", tables.MESSAGE_MAX, words=True),
        calls=service_calls.RING,
        locks=False,
    ),
    Service(tables.EVENTS, "events", _plain(Events), code.events),
    Service(tables.POOL, "pools", _plain(Pool), code.pool),
    Service(
        tables.ALARM,
        "alarms",
        _alarm,
        code.alarm,
        checks.alarm,
        start=code.alarm_start,
        names=(("queue", "alarm_queue"),),
        handler="struct takt_alarm *alarm",
        load=_alarm_load,
        proved=True,
        timers=1,
    ),
    Service(
        tables.WATCHDOG,
        "watchdogs",
        _watchdog,
        code.watchdog,
        checks.watchdog,
        start=code.watchdog_start,
        names=(("task", "task"),),
        handler="struct takt_watchdog *watchdog",
        load=_watchdog_load,
        proved=True,
        timers=1,
    ),
    Service(
        tables.SLOT,
        "slots",
        _plain(Slot),
        code.slot,
        checks.slot,
        names=(("owner", "task"), ("pinc", "task")),
        size=Size("message_size", tables.BUFFERED_MAX, in_place=True),
        calls=service_calls.SLOT,
        load=_slot_load,
        proved=True,
    ),
    Service(
        tables.SIGNAL_POOL,
        "signal_pools",
        _plain(SignalPool),
        code.signal_pool,
        size=Size("data_size", tables.SIGNAL_MAX, in_place=True),
        calls=service_calls.SIGNAL_POOL,
    ),
    Service(
        tables.SIGNAL_QUEUE,
        "signal_queues",
        _plain(SignalQueue),
        code.signal_queue,
        checks.signal_queue,
        names=(("owner", "task"),),
    ),
    Service(tables.PIPE, "pipes", _plain(Pipe), code.pipe),
    Service(
        tables.PRIORITY_MAILBOX,
        "priority_mailboxes",
        _priority_mailbox,
        code.priority_mailbox,
        checks.priority_mailbox,
        size=Size("message_size", tables.BUFFERED_MAX),
        calls=service_calls.PRIORITY_MAILBOX,
        handler="const {type} *message",
        proved=True,
    ),
    Service(
        tables.CONDITION,
        "conditions",
        _plain(Condition),
        code.condition,
        checks.condition,
        names=(("mutex", "mutex"),),
        calls=service_calls.CONDITION,
        blocks=True,
    ),
    Service(tables.RENDEZVOUS, "rendezvous", _plain(Rendezvous), code.rendezvous, blocks=True),
    Service(tables.ALARM_QUEUE, "alarm_queues", _plain(AlarmQueue), code.alarm_queue, checks.alarm_queue),
)
