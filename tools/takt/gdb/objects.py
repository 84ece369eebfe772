# SPDX-License-Identifier: Apache-2.0
"""Objects that tasks share: each one in a variable of the program, with its state and its waiters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import gdb

from takt.gdb import target
from takt.gdb.target import Value
from takt.support.durations import show

Names = Callable[[int], str | None]
"""The name of the task at an address; None: no task lies there."""


@dataclass(frozen=True)
class Queue:
    """A list of waiters in an object: where its head is, and what they wait for."""

    path: str  # fields, with dots; "waiters.0" for an element
    why: str = ""

    def of(self, value: Value) -> Value:
        for field in self.path.split("."):
            value = value[int(field)] if field.isdigit() else value[field]
        return value


@dataclass(frozen=True)
class Kind:
    """`tag`: of its structure. `say`: its state, in words, given the names of tasks."""

    tag: str
    name: str
    say: Callable[[Value, Names], str]
    queues: tuple[Queue, ...] = ()
    mutex: str | None = None  # the field that is its mutex; "": it is one itself
    identity: str = "id"  # where the number is that names it in the trace; "": it has none


@dataclass(frozen=True)
class Object:
    kind: Kind
    name: str
    value: Value

    @property
    def identity(self) -> int | None:
        if not self.kind.identity:
            return None
        return int(Queue(self.kind.identity).of(self.value))

    def mutex(self) -> Value | None:
        if self.kind.mutex is None:
            return None
        return self.value[self.kind.mutex] if self.kind.mutex else self.value

    def holds(self, address: int) -> bool:
        """Whether an address lies in it."""
        first = target.address(self.value)
        return first <= address < first + int(self.value.type.sizeof)

    def waiters(self, names: Names) -> Iterator[tuple[str, str]]:
        """Name and why, the first to be served first. What stands there for a ceiling or a message is no task."""
        for queue in self.kind.queues:
            for task in target.chain(queue.of(self.value)):
                name = names(target.address(task))
                if name is not None:
                    yield name, queue.why

    def state(self, names: Names) -> str:
        ordered = self.value["config"].dereference() if self.kind.tag == "takt_slot" else self.value
        fifo = target.has(ordered, "in_turn") and bool(int(ordered["in_turn"][0]))
        return self.kind.say(self.value, names) + (", waiters in FIFO order" if fifo else "")


def owner_name(mutex: Value, names: Names) -> str | None:
    """The owner of a mutex; None: no owner."""
    owner = mutex["owner"]
    if not int(owner) or int(owner["timer"]["state"]) == target.enumerator("takti_state", "TAKTI_RESERVED_OWNER"):
        return None
    return names(int(owner)) or target.where(int(owner))


def _mutex(value: Value, names: Names) -> str:
    owner = owner_name(value, names)
    return "free" if owner is None else f"owned by {owner}"


def _released(value: Value, names: Names) -> str:
    """The task that it releases."""
    return f", releases {names(int(value['trigger']))}" if int(value["trigger"]) else ""


def _semaphore(value: Value, names: Names) -> str:
    return f"count {int(value['count'])} of {int(value['maximum'])}{_released(value, names)}"


def _mailbox(value: Value, names: Names) -> str:
    count = int(value["count"]) or int(value["hidden"])
    return f"{count} of {int(value['capacity'])} messages{_released(value, names)}"


def _events(value: Value, names: Names) -> str:
    flags = f"flags {int(value['flags']):#x}"
    if not int(value["trigger"]):
        return flags
    which = "all of" if int(value["trigger_mode"]) else "any of"
    return f"{flags}{_released(value, names)} for {which} {int(value['trigger_flags']):#x}"


def _pool(value: Value, _names: Names) -> str:
    size = int(value["block_size"])
    free, here = 0, value["free"]
    pointer = value["free"].type.pointer()
    while int(here) and free < target.WALK_MAX:
        free, here = free + 1, here.cast(pointer).dereference()
    fresh = (int(value["end"]) - int(value["fresh"])) // size
    count = (int(value["end"]) - int(value["storage"])) // size
    if target.has(value, "in_process"):  # tokens of blocks in the memory of processes
        size = int(value["in_process"][0]["block_size"])
    return f"{free + fresh} of {count} blocks of {size} bytes free"


def _alarm(value: Value, _names: Names) -> str:
    if not bool(value["started"]):
        return "stopped"
    every = f", every {show(int(value['period_ns']))}" if int(value["period_ns"]) else ""
    timer = value["call"]["timer"]
    when = f"expires at {target.shown_time(int(timer['at_ns']))}" if int(timer["armed"]) else "expired"
    return f"{when}{every}{', queued' if bool(value['queued']) else ''}"


def _watchdog(value: Value, names: Names) -> str:
    watched = f"of {names(int(value['task']))}"
    if not int(value["call"]["timer"]["armed"]):
        return f"{watched}, stopped"
    return f"{watched}, expires at {target.shown_time(int(value['until_ns']))} unless it is kicked"


def _slot(value: Value, names: Names) -> str:
    states = target.enumeration("takt_slot_state")
    state = states.get(int(value["state"]), "").removeprefix("TAKT_SLOT_").lower()
    if not int(value["owner"]):
        return state
    ready = len(list(target.chain(value["buffers"]["first"])))
    more = value["config"]["inheritance"]
    released = _released(more.dereference(), names) if int(more) else ""
    owner, capacity = names(int(value["owner"])), int(value["config"]["capacity"])
    return f"{state}, owned by {owner}, {ready} of {capacity} messages{released}"


def _signal_pool(value: Value, _names: Names) -> str:
    return f"{int(value['left'])} signals free"


def _signal_queue(value: Value, names: Names) -> str:
    return (
        f"{len(list(target.chain(value['first'])))} signals for {names(int(value['owner']))}{_released(value, names)}"
    )


def _pipe(value: Value, names: Names) -> str:
    return f"{int(value['possible'][0])} of {int(value['capacity'])} bytes{_released(value, names)}"


def _priority_mailbox(value: Value, names: Names) -> str:
    capacity = int(value["capacity"])
    return f"{capacity - int(value['buffers']['left'])} of {capacity} messages{_released(value, names)}"


def _alarm_queue(value: Value, _names: Names) -> str:
    return f"{int(value['count'])} alarms"


def _bytes_each(value: Value, _names: Names) -> str:
    return f"messages of {int(value['size'])} bytes"


def _rendezvous(value: Value, names: Names) -> str:
    return _released(value, names).removeprefix(", ")


def _server(value: Value, names: Names) -> str:
    """What is left of its budget as it was last counted: before the running task began, if it is served."""
    kind = target.enumeration("takt_server_kind")[int(value["kind"])].removeprefix("TAKT_SERVER_").lower()
    served = ", ".join(str(names(int(value["tasks"][index]))) for index in range(int(value["task_count"])))
    return f"{kind}, {_budget_left(value, kind == 'sporadic')}, serves {served}"


def _budget_left(value: Value, sporadic: bool) -> str:
    timer = value["replenishment"]["timer"]
    at = target.shown_time(int(timer["at_ns"])) if int(timer["armed"]) else "now"
    if bool(value["exhausted"]):
        return f"no budget until {at}"
    left = f"{show(int(value['left_ns']))} of {show(int(value['budget_ns']))} left"
    if not sporadic:
        return f"{left} until {at}"
    parts = [value["parts"][index] for index in range(1, int(value["part_count"]))]
    return ", ".join(
        [left, *(f"{show(int(part['amount_ns']))} from {target.shown_time(int(part['at_ns']))}" for part in parts)]
    )


def _empty(_value: Value, _names: Names) -> str:
    return ""


_SENT = (Queue("receivers", "to receive"), Queue("senders", "to send"))

# In the order in which `takt objects` lists them. A address in another structure comes after that one.
KINDS = (
    Kind("takt_mutex", "mutex", _mutex, (Queue("waiters"),), mutex=""),
    Kind(
        "takt_ceiling",
        "mutex with ceiling",
        lambda value, names: _mutex(value["mutex"], names),
        (Queue("mutex.waiters"),),
        mutex="mutex",
        identity="mutex.id",
    ),
    Kind("takt_semaphore", "semaphore", _semaphore, (Queue("waiters"),)),
    Kind("takt_mailbox", "mailbox", _mailbox, _SENT),
    Kind("takt_events", "events", _events, (Queue("waiters"),)),
    Kind("takt_pool", "pool", _pool, (Queue("waiters"),)),
    Kind("takt_condition", "condition", _empty, (Queue("waiting.waiters"),), identity="waiting.id"),
    Kind(
        "takt_rendezvous",
        "rendezvous",
        _rendezvous,
        (Queue("callers", "to be accepted"), Queue("acceptors", "for a call")),
    ),
    Kind("takt_slot", "slot", _slot, _SENT, identity="config.id"),
    Kind("takt_signal_queue", "signal queue", _signal_queue, (Queue("waiter"),)),
    Kind("takt_signal_pool", "signal pool", _signal_pool, identity=""),
    Kind("takt_pipe", "pipe", _pipe, (Queue("waiters.0", "to read"), Queue("waiters.1", "to write"))),
    Kind("takt_priority_mailbox", "priority mailbox", _priority_mailbox, _SENT),
    Kind("takt_alarm", "alarm", _alarm),
    Kind("takt_watchdog", "watchdog", _watchdog),
    Kind("takt_alarm_queue", "alarm queue", _alarm_queue, identity="semaphore.id"),
    Kind("takt_state", "state message", _bytes_each, identity=""),
    Kind("takt_ring", "ring", _bytes_each, identity=""),
    Kind("takt_server", "server", _server, identity=""),
)
_CREATED = "takt_created_"  # structures of objects that processes create: the object is their first member
_SERVED = "takti_served_"  # and the name of a declared server: its tasks
_VARIABLE = re.compile(r"^\d+:\s+.*?(\w+)(?:\[\d+\])*;$", re.MULTILINE)


_listed: dict[str, tuple[str, ...]] = {}  # by program: gdb takes long over it where the C library's symbols are there


def remember() -> None:
    """Lists the program's variables of our types: takt_start does it before a process loads its libraries."""
    program = gdb.current_progspace().filename
    if program not in _listed:
        said = gdb.execute("info variables -q -n -t takt_", to_string=True)
        _listed[program] = tuple(dict.fromkeys(_VARIABLE.findall(said)))


def add() -> None:
    """Forgets what was listed when gdb reads a program anew."""
    gdb.events.clear_objfiles.connect(lambda _event: _listed.clear())


def variables(*tags: str) -> Iterator[tuple[str, Value]]:
    """Name and value of each variable of these structures' types, elements of arrays too, as the files have them."""
    remember()
    names = _listed[gdb.current_progspace().filename]
    symbols = [one for name in names for one in (gdb.lookup_global_symbol(name), *gdb.lookup_static_symbols(name))]
    there = [one for one in symbols if one is not None and one.is_variable and _linked(one.name, one.value())]
    for one in sorted(there, key=lambda one: (one.symtab.filename, one.line)):
        yield from _elements(one.name, one.value(), tags)


def _linked(name: str, value: Value) -> bool:
    """What nothing uses is not linked: its debug information stays, at an address that is another's."""
    if value.is_optimized_out or value.address is None:  # of a library
        return False
    return bool(gdb.execute(f"info symbol {target.address(value):#x}", to_string=True).split()[0] == name)


def _elements(name: str, value: Value, tags: tuple[str, ...]) -> Iterator[tuple[str, Value]]:
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        first, last = kind.range()
        for index in range(first, min(last, first + target.WALK_MAX) + 1):
            yield from _elements(f"{name}[{index}]", value[index], tags)
    elif kind.code == gdb.TYPE_CODE_STRUCT and (kind.tag or "").startswith(_CREATED):
        yield from _elements(name, value[kind.fields()[0]], tags)
    elif kind.code == gdb.TYPE_CODE_STRUCT and kind.tag in tags:
        yield name, value


def find() -> list[Object]:
    """Every object, by kind and then as the program's files have them. An alarm queue's semaphore is part of it."""
    kinds = {kind.tag: kind for kind in KINDS}
    found = [_object(kinds[value.type.strip_typedefs().tag], name, value) for name, value in variables(*kinds)]
    found.sort(key=lambda one: KINDS.index(one.kind))
    within = {int(one.value["semaphore"]) for one in found if one.kind.tag == "takt_alarm_queue"}
    return [one for one in found if target.address(one.value) not in within]


def _object(kind: Kind, name: str, value: Value) -> Object:
    if kind.tag == "takt_server":
        served = target.name_at(int(value["tasks"]))
        name = served.removeprefix(_SERVED) if served.startswith(_SERVED) else name
    return Object(kind, name, value)


@dataclass(frozen=True)
class Awaited:
    """What a task waits for."""

    object: Object | None
    why: str
    mutex: Value | None  # the mutex that it is, or is made of

    def words(self, names: Names) -> str:
        owner = None if self.mutex is None else owner_name(self.mutex, names)
        owned = f" owned by {owner}" if owner is not None else ""
        if self.object is None:
            return f"{self.why}{owned}"
        why = f" {self.why}" if self.why else ""
        return f"{self.object.kind.name} {self.object.name}{why}{owned}"


def awaited(queue: Value, locking: bool, identity: int | None, found: list[Object]) -> Awaited:
    """Of a task in a queue of waiters, by the address of its head.

    `identity`: the object's in the trace, if that is known: of a call that is served the queue is in no variable.
    """
    address = int(queue)
    mutex = target.at(address, "takt_mutex") if locking else None
    for one in found:
        if one.holds(address):
            for head in one.kind.queues:
                if target.address(head.of(one.value)) == address:
                    return Awaited(one, head.why, mutex if one.mutex() is not None else None)
    named = [one for one in found if identity is not None and one.identity == identity]
    if named:
        return Awaited(named[0], "to be served", mutex)
    return Awaited(None, f"{'a mutex' if locking else 'an object'} at {target.where(address)}", mutex)
