# SPDX-License-Identifier: Apache-2.0
"""A [[can]] with `driver`: the system itself drives the controller of its board. It adds objects to the declaration, as
if they were written there: an interrupt of the controller, and for each received message a state message or a mailbox
that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from takt.declare.schema import boards
from takt.declare.schema.boards import Board
from takt.declare.schema.model import Bus, Interrupt, Message, System
from takt.declare.schema.reader import Document, located
from takt.support.errors import one_of

FRAME_BITS_MIN = 47  # a classic frame of 11 bits without data and stuff bits, and the intermission
READ = "100 ns"  # of a received value; on `host` reads take no time
COPIES = 2  # of one; a reader that needs more locks the kernel
SENDS = {"priority": 0, "3/abort": 3}  # how the controllers queue that boards have, and their mailboxes; 0: many
OUTSIDE = {"1": 1}  # the same of an interface of the machine: what it was given it does not give back


def interrupt_of(bus: str) -> str:
    """The name of the interrupt of its controller."""
    return f"{bus}_controller"


def value_of(message: str) -> str:
    """The name of the state message with the last value of a received message."""
    return f"{message}_value"


def queue_of(message: str) -> str:
    """The name of the mailbox with those that were received."""
    return f"{message}_queue"


def _tables(document: Document, name: str) -> list[Any]:
    found = document.data.get(name, [])
    return [table for table in found if isinstance(table, dict)] if isinstance(found, list) else []


def expand(document: Document) -> None:
    """Adds the objects. What is wrong with the tables is found when they are read."""
    driven = {}
    for index, table in enumerate(_tables(document, "can")):
        if table.get("driver") is True and isinstance(table.get("name"), str):
            driven[table["name"]] = interrupt_of(table["name"])
            interrupt: dict[str, Any] = {
                "name": driven[table["name"]],
                "number": 0,
                "min_interarrival": "1 us",
                "wcet": "1 ns",
            }
            _append(document, "interrupt", interrupt, ("can", index))
            document.made.add(interrupt["name"])
    for index, table in enumerate(_tables(document, "message")):
        name, receivers, writer = table.get("name"), table.get("receivers"), driven.get(str(table.get("bus")))
        if writer is None or not isinstance(name, str) or not isinstance(receivers, list) or not receivers:
            continue
        size = max(1, table["bytes"]) if isinstance(table.get("bytes"), int) else 1
        if table.get("queue") is not None:
            mailbox = {"name": queue_of(name), "message_size": size, "capacity": table["queue"]}
            _append(document, "mailbox", mailbox, ("message", index))
        else:
            readers = [{"task": task, "read": READ} for task in receivers]
            state = {"name": value_of(name), "message_size": size, "writer": writer, "readers": readers}
            _append(document, "state", state | {"depth": COPIES}, ("message", index))


def _append(document: Document, name: str, table: dict[str, Any], at: tuple[str, int]) -> None:
    found = document.data.setdefault(name, [])
    if isinstance(found, list):  # else it is refused when it is read
        document.lines[(name, len(found))] = document.line(at) or 0
        found.append(table)


def frame_ns(bus: Bus) -> int:
    """The least time between two interrupts of its controller: the shortest frame."""
    return FRAME_BITS_MIN * 10**9 // max(bus.bitrate, bus.data_bitrate or 0)


def on_board(system: System) -> System:
    """The system with the controllers of its board. UserError: the board has none for a bus."""
    if not system.driven or system.board not in boards.names():
        return system
    board = boards.load(system.board)
    own: dict[str, tuple[int, Bus]] = {}
    for index, bus in enumerate(system.driven):
        _refuse(system, bus, index, board.can_interrupts)
        number = board.can_interrupts[index]
        for item in system.interrupts:
            if item.number == number and not item.bus and not item.console:
                problem = f'[[interrupt]] "{item.name}": number = {number} is that of a CAN controller of {board.name}'
                raise located(system, item.name, problem, "another number")
        own[interrupt_of(bus.name)] = (number, bus)
    return replace(system, interrupts=tuple(_own(item, board, own) for item in system.interrupts))


def _own(item: Interrupt, board: Board, own: Mapping[str, tuple[int, Bus]]) -> Interrupt:
    """One of a controller is the board's."""
    if item.name not in own:
        return item
    number, bus = own[item.name]
    return replace(item, number=number, wcet_ns=board.can_wcet, min_interarrival_ns=frame_ns(bus), bus=bus.name)


def _refuse(system: System, bus: Bus, index: int, numbers: tuple[int, ...]) -> None:
    label = f'[[can]] "{bus.name}": driver'
    if index >= len(numbers):
        has = f"has {len(numbers)} CAN controllers" if numbers else "has no CAN controller that Takt drives"
        able = [name for name in boards.names() if len(boards.load(name).can_interrupts) > index]
        raise located(system, bus.name, f"{label}: {system.board} {has}", f"board = {one_of(able)}, or no driver")
    if system.protection:
        raise located(system, bus.name, f"{label} is not possible with protection", "protection = false, or no driver")
    if bus.interface is not None and boards.load(system.board).port != "host":
        problem = f'[[can]] "{bus.name}": interface = "{bus.interface}": {system.board} is no process of this machine'
        raise located(system, bus.name, problem, 'board = "host", or no interface')
    if bus.controller not in queues(bus):
        those = f"the controllers of {system.board} do" if bus.interface is None else f"{bus.interface} does"
        problem = f'{label}: {those} not queue as controller = "{bus.controller}" says'
        words = one_of([f'"{name}"' for name in queues(bus)])
        raise located(system, bus.name, problem, f"controller = {words}")


def queues(bus: Bus) -> dict[str, int]:
    """How the controller of a driven bus may queue, and its mailboxes."""
    return SENDS if bus.interface is None else OUTSIDE


def received(system: System, bus: Bus) -> list[Message]:
    """What tasks of this system receive on it, from other nodes."""
    return [one for one in system.messages if one.bus == bus.name and one.receivers and one.sender is None]


def sent(system: System, bus: Bus) -> list[Message]:
    """What they send."""
    return [one for one in system.messages if one.bus == bus.name and one.sender is not None]


def check(document: Document, system: System) -> None:
    """UserError: what only a driver makes possible, or what it cannot do."""
    driven = {bus.name for bus in system.driven}
    receivers = {one.name: one for one in system.messages}
    for index, one in enumerate(system.messages):
        label = f'[[message]] "{one.name}"'
        if one.queue is not None and (one.bus not in driven or not one.receivers):
            problem = f"{label}: queue requires receivers, and driver = true in its [[can]]"
            document.fail(("message", index, "queue"), problem, "add them, or remove it")
        if one.bus in driven and one.receivers and one.sender is not None:
            problem = f'{label}: receivers: "{one.sender}" of this system sends it'
            document.fail(("message", index, "receivers"), problem, "a [[state]] or [[mailbox]] between the tasks")
    for index, task in enumerate(system.tasks):
        kind, _, name = (task.trigger or "").partition(" ")
        if kind == "message" and name in receivers:
            _check_trigger(document, system, index, receivers[name], driven)


def _check_trigger(document: Document, system: System, index: int, one: Message, driven: set[str]) -> None:
    task = system.tasks[index]
    where, label = ("task", index, "trigger"), f'[[task]] "{task.name}": trigger = "{task.trigger}"'
    if task.name not in one.receivers:
        document.fail(where, f'{label}: it does not receive "{one.name}"', f'receivers = ["{task.name}"] there')
    if one.bus not in driven:
        document.fail(where, f"{label}: nothing receives it", f'driver = true in [[can]] "{one.bus}"')
