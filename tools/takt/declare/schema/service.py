# SPDX-License-Identifier: Apache-2.0
"""The description of a kind of shared object: how it is read, checked, written in C, and counted by a proof.

Each file of service_kinds/ is a kind; service_table.py lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import (
    C_TYPE,
    DURATION,
    HEADER,
    IDENTIFIER,
    POSITIVE_DURATION,
    Key,
    Table,
    choice,
    integer,
)
from takt.declare.schema.levels import Level
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service_calls import Call, Size

Item = Any
"""An object of the system, of the class of its kind."""

Load = list[tuple[int, int]]
"""Longest execution and least distance of each source, ns."""

WRITER = Key("writer", IDENTIFIER, "The only task or interrupt that writes it.", required=True)
HANDLER_WCET = Key("wcet", DURATION, "Longest execution of the handler.", default=0, default_text="`0 ns`, no handler")
HANDLER_TASK = (
    Key("deadline", POSITIVE_DURATION, "With `process`: of that task.", default_text="the least time between two"),
    Key("stack", integer(128, 1 << 20, 8), "With `process`: bytes, of that task.", default=1024),
)
ALIGNED = "__attribute__((aligned(8)))"


PRIORITY, FIFO = "priority", "fifo"


def waiters_key(doc: str) -> Key:
    """The order of the tasks that wait for an object; `doc`: more about it."""
    return Key(
        "waiters",
        choice(PRIORITY, FIFO),
        "The order in which tasks wait for it. `priority`: the best first, equals FIFO. `fifo`: the one that came first"
        f" is first, whatever its priority. {doc}".rstrip(),
        default=PRIORITY,
    )


def fifo_word(item: Item) -> str:
    """A part of the name of the macro that defines it."""
    return "FIFO_" if item.waiters == FIFO else ""


def message_keys(size: str, limit: int, doc: str) -> tuple[Key, ...]:
    """The keys of a message: its size, or its type."""
    return (
        Key(size, integer(1, limit), f"{doc} `SIZE_NAME` in C.", default_text="that of `type`"),
        Key("type", C_TYPE, "Its type in C, for the calls of `takt_app.h`.", default_text="none: it is bytes"),
        Key("include", HEADER, "The header of the application that declares `type`.", default_text="none"),
    )


def u64(value: int) -> str:
    return f"UINT64_C({value})"


def bytes_of(size: int | None, type_name: str | None) -> str:
    """The size of a message, in C."""
    return f"{size}" if type_name is None else f"sizeof({type_name})"


def copies(name: str, process: str) -> str:
    """The C name of what an object has of messages in the memory of a process."""
    return f"takti_copies_{name}_{process}"


def product(item: Item, size: str, count: str, number: int | None = None, more: int = 0) -> tuple[str, int]:
    """Keys and least bytes of an object with several elements: `number`, or the value of the key `count`. `more`: bytes
    of each element's header."""
    each, number = getattr(item, size), getattr(item, count) if number is None else number
    keys = f"{size} = {each}" if each is not None else f"type = {item.type}"
    return f"{keys}, {count} = {number}", ((each or 1) + more) * number


@dataclass(frozen=True)
class Costs:
    """The kernel's overhead in a proof, ns: for an interrupt of the timer, and for an action on a task."""

    interrupt_ns: int = 0
    action_ns: int = 0


@dataclass(frozen=True)
class Context:
    """Context of a definition. `handling`: the statements of a handler."""

    system: System
    ids: dict[str, int]  # for the trace
    levels: list[Level]
    handling: Callable[[Item], Iterator[str]]
    users: Callable[..., list[str | None]] = lambda *_: []  # by process: its name, if it may use the object
    handle: Callable[[str], int] = lambda _: 0  # of an object, with protection

    def task(self, name: str) -> str:
        """The address of a task."""
        return f"&takt_tasks[{[task.name for task in self.system.tasks].index(name)}]"

    def trigger(self, kind: str, name: str) -> str | None:
        """The address of the task that an object releases."""
        found = [task.name for task in self.system.tasks if task.trigger == f"{kind} {name}"]
        return self.task(found[0]) if found else None

    def level(self, task: str) -> int:
        return next(number for number, level in enumerate(self.levels) if task in level.tasks)


def _anything(_document: Document, _system: System, _index: int, _item: Item) -> None:
    pass


def _nothing(_item: Item) -> Iterator[str]:
    yield from ()


def _no_load(_item: Item, _system: System, _costs: Costs) -> Load:
    return []


def _no_time(_item: Item) -> int:
    return 0


@dataclass(frozen=True)
class Service:
    """A kind of object.

    `model`: the class of its objects, with a field for each key unless `read` makes them: from checked values of the
    table, with the index for messages; raises UserError. `names`: keys that name another object, and its kind: a
    "task", an "actor", which is a task or interrupt, or a service. `handler`: the parameter of its handler; None: it
    has none. `load`: execution of an object above all bands. `locked_ns`: execution of the application with the kernel
    locked. `memory`: keys, and the bytes that follow from them. `in_process`: why processes cannot have one, and a
    hint; None: they can.
    """

    table: Table
    model: type[Any]
    define: Callable[[Item, Context], Iterator[str]]
    read: Callable[[Document, dict[str, Any], int], Item] | None = None
    check: Callable[[Document, System, int, Item], None] = _anything
    start: Callable[[Item], Iterator[str]] = _nothing  # statements at time 0
    struct: Callable[[Item], str] | None = None  # the structure's name, where it is not that of the kind
    names: tuple[tuple[str, str], ...] = ()
    size: Size | None = None  # of its messages, which may have a type then
    calls: tuple[Call, ...] = ()  # of the generated header
    handler: str | None = None
    load: Callable[[Item, System, Costs], Load] = _no_load
    locked_ns: Callable[[Item], int] = _no_time
    memory: Callable[[Item], tuple[str, int]] | None = None
    proved: bool = False  # a proof depends on its keys
    timers: int = 0  # timers that may be armed at once
    locks: bool = True  # its calls have longer locked sections than jobs and delays
    blocks: bool = False  # it is there to wait for, unless it releases a task
    releases: bool = False  # it may be the trigger of a task
    queued: bool = False  # with `senders`, from which the bound on its messages is proved: one for each job
    counted: bool = False  # the same for posts, of which nothing is stored but the release
    drained: bool = False  # the same for bytes: each job reads all of them
    coalesced: bool = False  # it releases nothing while it has released what was not served yet
    calls_wait: bool = False  # tasks wait in its calls also when it releases a task
    waited: bool = False  # tasks wait for it: a delete ends all waits
    gives_all: bool = False  # a call that takes the right to give may wake all: a flush, set, broadcast or write
    givers_wait: bool = False  # tasks wait for it that may only give: for room, or to be served
    handled: bool = False  # processes may have it: enum takt_object_kind
    only_processes: bool = False  # with protection files of the kernel do not see it
    copied: bool = False  # the kernel copies its messages for processes
    in_memory: bool = False  # used where it lies, without the kernel: with protection in memory of its processes
    in_process: Callable[[Item], tuple[str, str] | None] | None = None

    @property
    def kind(self) -> str:
        return self.table.name

    def objects(self, system: System) -> tuple[Item, ...]:
        return system.of(self.model)

    def structure(self, item: Item) -> str:
        """`takt_` aside."""
        return self.kind if self.struct is None else self.struct(item)
