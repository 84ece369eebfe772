# SPDX-License-Identifier: Apache-2.0
"""A [[can]] with `driver`: the system itself drives the controller of its board. It adds objects to the declaration, as
if they were written there: an interrupt of the controller, and for each received message a state message or a mailbox
that it writes."""

from __future__ import annotations

from typing import Any

from takt.declare.buses import protected
from takt.declare.schema.model import Bus, Message, System
from takt.declare.schema.reader import Document

READ = "100 ns"  # of a received value; on `host` reads take no time
COPIES = 2  # of one; a reader that needs more locks the kernel
MAILBOXES = 8  # that send, of a controller that has many
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
        size += protected.overhead(table)
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


def queues(bus: Bus) -> dict[str, int]:
    """How the controller of a driven bus may queue, and its mailboxes."""
    return SENDS if bus.interface is None else OUTSIDE


def mailboxes(bus: Bus) -> int:
    """Of its controller, that send. Simulated ones of FD frames have three."""
    if bus.interface is None and (bus.fd or bus.data_bitrate is not None):
        return 3
    return queues(bus)[bus.controller] or MAILBOXES


def received(system: System, bus: Bus) -> list[Message]:
    """What this system receives on it, from other nodes: for tasks, or to forward it."""
    forwarded = {one.forwards for one in system.messages}
    here = (one for one in system.messages if one.bus == bus.name and not one.is_sent)
    return [one for one in here if one.receivers or one.name in forwarded]


def sent(system: System, bus: Bus) -> list[Message]:
    """What its tasks send, and what it forwards to the bus."""
    return [one for one in system.messages if one.bus == bus.name and one.is_sent]


def copies(system: System, one: Message) -> list[tuple[Bus, Message]]:
    """Those of a received message that it forwards, and their buses."""
    buses = {bus.name: bus for bus in system.driven}
    return [(buses[copy.bus], copy) for copy in system.messages if copy.forwards == one.name]


def check(document: Document, system: System) -> None:
    """UserError: what only a driver makes possible, or what it cannot do."""
    protected.check(document, system)
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
