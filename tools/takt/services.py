# SPDX-License-Identifier: Apache-2.0
"""What tasks share: one table, SERVICES, says of each kind how it is read, checked, written in C, and counted by a
proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from takt import schema_objects as tables
from takt import service_checks as checks
from takt import service_code as code
from takt.errors import did_you_mean
from takt.keys import Table
from takt.model import Alarm, Events, Hold, Mailbox, Mutex, Overheads, Pool, Ring, Semaphore, State, System, Watchdog
from takt.reader import Document

Item = Any
"""An object of the model, of the kind that the table says."""


def _anything(_document: Document, _system: System, _index: int, _item: Item) -> None:
    pass


def _nothing(_item: Item) -> Iterator[str]:
    yield from ()


def _no_load(_item: Item, _interrupt_ns: int, _action_ns: int) -> list[tuple[int, int]]:
    return []


@dataclass(frozen=True)
class Service:
    """A kind of object.

    `read`: from checked values of the table, with the index for messages; raises UserError. `names`: keys that name
    something, and what: a "task", or an "actor", which is a task or interrupt. `load`: what an object takes above all
    bands, longest execution and least distance; given what an interrupt of the timer and an action on a task take.
    """

    table: Table
    field: str  # of System
    read: Callable[[Document, dict[str, Any], int], Item]
    define: Callable[[Item, code.Context], Iterator[str]]
    check: Callable[[Document, System, int, Item], None] = _anything
    start: Callable[[Item], Iterator[str]] = _nothing  # statements at time 0
    struct: Callable[[Item], str] | None = None  # the structure's name, where it is not that of the kind
    names: tuple[tuple[str, str], ...] = ()
    size: str | None = None  # the key with the bytes of what is in it
    handler: str | None = None  # the parameter of its handler, if it may have one
    load: Callable[[Item, int, int], list[tuple[int, int]]] = _no_load
    timers: int = 0  # instants that may be armed at once
    locks: bool = True  # its calls have longer locked sections than jobs and delays
    blocks: bool = False  # it is there to wait for, unless it releases a task

    @property
    def kind(self) -> str:
        return self.table.name

    def objects(self, system: System) -> tuple[Item, ...]:
        found: tuple[Item, ...] = getattr(system, self.field)
        return found


def _plain(model: Callable[..., Item]) -> Callable[[Document, dict[str, Any], int], Item]:
    """A model with a field for each key."""
    return lambda _document, values, _index: model(**values)


def _mutex(_document: Document, values: dict[str, Any], _index: int) -> Mutex:
    users = tuple(Hold(user["task"], user["hold"], user["within"]) for user in values["users"])
    return Mutex(values["name"], users, values["protocol"])


def _alarm(document: Document, values: dict[str, Any], index: int) -> Alarm:
    label = f'[[alarm]] "{values["name"]}"'
    period, distance = values["period"], values["min_interarrival"]
    if period is not None and distance is not None:
        problem = f"{label}: period and min_interarrival exclude each other"
        document.fail(("alarm", index, "min_interarrival"), problem, "keep one")
    if period is None and distance is None:
        problem = f"{label}: neither period nor min_interarrival"
        document.fail(("alarm", index), problem, 'period = "10 ms", or min_interarrival for one that comes once')
    return Alarm(values["name"], distance or period, period or 0, values["start"], values["handler"], values["wcet"])


def _watchdog(_document: Document, values: dict[str, Any], _index: int) -> Watchdog:
    return Watchdog(*(values[key] for key in ("name", "task", "time", "action", "handler", "wcet")))


def _alarm_load(item: Alarm, interrupt_ns: int, _action_ns: int) -> list[tuple[int, int]]:
    return [(item.wcet_ns + interrupt_ns, item.separation_ns)]


def _watchdog_load(item: Watchdog, interrupt_ns: int, action_ns: int) -> list[tuple[int, int]]:
    """Its interrupts are at most two within its time, so it is two sources."""
    return [(item.wcet_ns + interrupt_ns + action_ns, item.time_ns), (interrupt_ns, item.time_ns)]


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
    Service(tables.MAILBOX, "mailboxes", _plain(Mailbox), code.mailbox, blocks=True),
    Service(
        tables.STATE,
        "states",
        _plain(State),
        code.state,
        names=(("writer", "actor"),),
        size="message_size",
        locks=False,
    ),
    Service(
        tables.RING,
        "rings",
        _plain(Ring),
        code.ring,
        checks.ring,
        names=(("writer", "actor"), ("reader", "actor")),
        size="item_size",
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
        handler="struct takt_alarm *alarm",
        load=_alarm_load,
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
        timers=1,
    ),
)

KINDS = tuple(service.kind for service in SERVICES)


def objects(system: System) -> Iterator[tuple[Service, int, Item]]:
    """Every object, with its kind and its index in that; in the order of trace ids."""
    for service in SERVICES:
        for index, item in enumerate(service.objects(system)):
            yield service, index, item


def object_kinds(system: System) -> dict[str, str]:
    """What each object is, in the order of trace ids."""
    return {item.name: service.kind for service, _, item in objects(system)}


def read(document: Document, values: dict[str, Any]) -> dict[str, tuple[Item, ...]]:
    """Fields of System. Raises UserError."""
    return {
        service.field: tuple(service.read(document, one, index) for index, one in enumerate(values[service.kind]))
        for service in SERVICES
    }


def check(document: Document, system: System) -> None:
    """What the tables say of each other. Raises UserError."""
    tasks = [task.name for task in system.tasks]
    known = {
        "task": ("task", tasks),
        "actor": ("task or interrupt", [*tasks, *(item.name for item in system.interrupts)]),
    }
    for service, index, item in objects(system):
        for key, kind in service.names:
            what, names = known[kind]
            name = getattr(item, key)
            if name not in names:
                problem = f'[[{service.kind}]] "{item.name}": {key} = "{name}": no such {what}'
                document.fail((service.kind, index, key), problem, did_you_mean(name, names))
        service.check(document, system, index, item)


def handlers(system: System) -> Iterator[tuple[Service, int, Item]]:
    """Those that may have a handler."""
    return ((service, index, item) for service, index, item in objects(system) if service.handler is not None)


def blocking(system: System) -> Iterator[tuple[str, str, str]]:
    """Kind and name of what tasks can only wait for, and what to try instead."""
    triggers = {task.trigger for task in system.tasks}
    for service, _, item in objects(system):
        trigger = f"{service.kind} {item.name}"
        if service.blocks and trigger not in triggers:
            releases = service.kind in ("semaphore", "mailbox")
            hint = f'a task with trigger = "{trigger}"' if releases else "remove it: jobs are not preempted"
            yield service.kind, item.name, hint


def timers(system: System) -> int:
    """Instants of objects that may be armed at once."""
    return sum(service.timers for service, _, _ in objects(system))


def calls(system: System) -> bool:
    """Whether there is something whose calls have longer locked sections than jobs and delays."""
    return any(service.locks for service, _, _ in objects(system))


def timer_load(system: System, overheads: Overheads | None) -> list[tuple[int, int]]:
    """What objects take above all bands: longest execution and least distance of each source, ns.

    Each interrupt of the timer counts as one that releases a job (`release_ns`) and arms a timer (`timer_ns`), an
    action on a task as a switch and the end of a job.
    """
    interrupt_ns = max(overheads.release_ns.values(), default=0) + overheads.timer_ns if overheads else 0
    action_ns = max(map(overheads.job_ns, overheads.release_ns), default=0) if overheads else 0
    load = [part for service, _, item in objects(system) for part in service.load(item, interrupt_ns, action_ns)]
    return [(wcet_ns, separation_ns) for wcet_ns, separation_ns in load if wcet_ns > 0]


def declarations(system: System) -> Iterator[str]:
    """For takt_app.h."""
    for service, _, item in objects(system):
        yield f"extern struct takt_{service.struct(item) if service.struct else service.kind} {item.name};"
    for service, _, item in objects(system):
        if service.size is not None:
            yield f"#define SIZE_{item.name} {getattr(item, service.size)}u"


def prototypes(system: System) -> Iterator[str]:
    """Of the handlers that the application defines."""
    found = dict.fromkeys((item.handler, service.handler) for service, _, item in handlers(system))
    yield from (f"void {handler}({parameter});" for handler, parameter in found if handler is not None)


def definitions(context: code.Context) -> Iterator[str]:
    """For system.c."""
    for service, _, item in objects(context.system):
        yield from service.define(item, context)


def starts(system: System) -> Iterator[str]:
    """Statements at time 0."""
    for service, _, item in objects(system):
        yield from service.start(item)
