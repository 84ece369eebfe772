# SPDX-License-Identifier: Apache-2.0
"""[[can]] and [[message]]: what they say of each other and of the tasks. What the words of a [[can]] mean, and what
its file says, the proof reads (takt.prove.bus)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

from takt.declare.buses import forwarded, protected
from takt.declare.buses.table import CLASSIC_BYTES
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Bus, Message, System, Task
from takt.declare.schema.reader import Document
from takt.support.durations import show
from takt.support.errors import did_you_mean
from takt.support.files import fault_of, is_regular

RATE_MIN, RATE_MAX, DATA_RATE_MAX = 10_000, 1_000_000, 10_000_000


def read(document: Document, tables: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Fields of System. UserError: a key needs another one, or excludes it."""
    buses = tuple(_bus(document, values, ("can", index)) for index, values in enumerate(tables["can"]))
    tables_of = list(enumerate(tables["message"]))
    plain = {
        values["name"]: _message(document, values, ("message", index))
        for index, values in tables_of
        if values["forwards"] is None
    }
    messages = tuple(
        plain[values["name"]] if values["forwards"] is None else forwarded.read(document, values, index, tables, plain)
        for index, values in tables_of
    )
    return {"buses": buses, "messages": messages}


def _bus(document: Document, values: dict[str, Any], where: Where) -> Bus:
    label = f'[[can]] "{values["name"]}"'
    rate, data = values["bitrate"], values["data_bitrate"]
    if not RATE_MIN <= rate <= RATE_MAX:
        problem = f"{label}: bitrate: {rate / 1000:g} kbit/s is that of no CAN bus"
        document.fail((*where, "bitrate"), problem, '"10 kbit/s" to "1 Mbit/s", such as "500 kbit/s"')
    if data is not None and not rate <= data <= DATA_RATE_MAX:
        problem = f"{label}: data_bitrate: {data / 1000:g} kbit/s is not from the bitrate to 10 Mbit/s"
        document.fail((*where, "data_bitrate"), problem, f'"{max(2_000, rate // 1000)} kbit/s"')
    for key in ("file_bus", "node", "period", "jitter", "variants"):
        if values["file"] is None and key in document.data["can"][where[1]]:
            document.fail((*where, key), f"{label}: {key} requires file", f"add file, or remove {key}")
    if values["interface"] is not None and not values["driver"]:
        problem = f"{label}: interface requires driver: without it the program opens what it wants"
        document.fail((*where, "interface"), problem, "driver = true, or remove interface")
    _check_scheduler(document, values, where, label)
    folder = document.path.resolve().parent
    if values["file"] is not None and not is_regular(folder / values["file"]):
        near = did_you_mean(values["file"], sorted(path.name for path in folder.iterdir() if is_regular(path)))
        problem = f'{label}: file = "{values["file"]}" {fault_of(folder / values["file"])}'
        document.fail((*where, "file"), problem, near)
    return Bus(
        name=values["name"],
        bitrate=rate,
        data_bitrate=data,
        fd=values["fd"],
        errors=values["errors"],
        drift_ppm=values["drift"],
        controller=values["controller"],
        others=values["others"],
        identifiers=values["identifiers"],
        file=values["file"],
        file_bus=values["file_bus"],
        variants=values["variants"],
        node=values["node"] or "",
        period_ns=values["period"],
        jitter=values["jitter"],
        driver=values["driver"],
        interface=values["interface"],
        scheduler=values["scheduler"],
        epoch_ns=values["epoch"],
        masters=values["masters"],
        handlers=values["handlers"],
    )


def _check_scheduler(document: Document, values: dict[str, Any], where: Where, label: str) -> None:
    mixed = values["scheduler"] != "fixed"
    given = document.data["can"][where[1]]
    for key in ("epoch", "masters", "handlers"):
        if key in given and not mixed:
            document.fail((*where, key), f'{label}: {key} requires scheduler = "mts"', f"add it, or remove {key}")
    for key in ("driver", "fd", "data_bitrate", "identifiers"):
        if mixed and values[key]:
            problem = f'{label}: {key} is not possible with scheduler = "mts"'
            document.fail((*where, key), problem, f'scheduler = "fixed", or remove {key}')


def _message(document: Document, values: dict[str, Any], where: Where) -> Message:
    label, sender, origin = f'[[message]] "{values["name"]}"', values["sender"], values["from"]
    raw = document.data["message"][where[1]]
    for key in ("bytes", "id"):
        if key not in raw:
            document.fail(where, f'{label}: "{key}" is missing', f"{key} = {'8' if key == 'bytes' else '0x123'}")
    if sender is not None and origin is not None:
        problem = f'{label}: sender = "{sender}" and from = "{origin}": a message has one sender'
        document.fail((*where, "from"), problem, "remove one of them")
    if sender is None and origin is None:
        hint = 'sender = "control", a task of this system, or from = "engine", another node'
        document.fail(where, f"{label}: neither sender nor from, nor forwards", hint)
    if origin is not None and (not origin.strip() or len(origin.split()) != 1):
        document.fail((*where, "from"), f'{label}: from = "{origin}": not a node', 'one name, such as "engine"')
    if "jitter" in raw and origin is None:
        problem = f"{label}: jitter requires from: that of this system's message follows from its task"
        document.fail((*where, "jitter"), problem, "remove it")
    if origin is not None and values["period"] is None:
        document.fail(where, f'{label}: "period" is missing', 'the least time between two, such as period = "10 ms"')
    identifier, extended = forwarded.identifier(document, values, where)
    deadline = values["deadline"] or (values["period"] if origin is not None else None)
    return Message(
        name=values["name"],
        bus=values["bus"],
        sender=sender,
        origin=origin,
        receivers=values["receivers"],
        size=values["bytes"],
        identifier=identifier,
        extended=extended,
        period_ns=values["period"],
        jitter_ns=values["jitter"],
        deadline_ns=deadline,
        queue=values["queue"],
        protection=protected.read(document, values, where),
    )


def check(document: Document, system: System) -> None:
    """Names that the tables refer to, and what no bus can have. UserError."""
    buses = {bus.name: bus for bus in system.buses}
    taken: dict[tuple[str, int, bool], str] = {}
    for index, one in enumerate(system.messages):
        where, label = ("message", index), f'[[message]] "{one.name}"'
        if one.bus not in buses:
            problem = f'{label}: bus = "{one.bus}": no such [[can]]'
            hint = did_you_mean(one.bus, buses) or f'[[can]] with name = "{one.bus}"'
            document.fail((*where, "bus"), problem, hint)
        if one.size > CLASSIC_BYTES and not (buses[one.bus].fd or buses[one.bus].data_bitrate):
            problem = f"{label}: bytes = {one.size}, but a classic frame has at most {CLASSIC_BYTES}"
            document.fail((*where, "bytes"), problem, f'data_bitrate or fd in [[can]] "{one.bus}", or several messages')
        if one.identifier is not None and buses[one.bus].scheduler != "fixed":
            problem = f"{label}: id = {one.identifier:#x}: the scheduler of {one.bus} gives all identifiers"
            document.fail((*where, "id"), problem, 'id = "auto"')
        if one.identifier is not None:
            owner = taken.setdefault((one.bus, one.identifier, one.extended), one.name)
            if owner != one.name:
                problem = f'{label}: id = {one.identifier:#x} is that of "{owner}", too'
                document.fail((*where, "id"), problem, 'another one, or id = "auto"')
        _check_receivers(document, system, index, one)
        forwarded.check(document, system, index, one)
        if one.sender is not None:
            _check_sender(document, system, index, one)


def _check_receivers(document: Document, system: System, index: int, one: Message) -> None:
    label, names = f'[[message]] "{one.name}"', [task.name for task in system.tasks]
    for at, name in enumerate(one.receivers):
        where: Where = ("message", index, "receivers", at)
        if name not in names:
            problem = f'{label}: receivers: "{name}": no such task'
            document.fail(where, problem, did_you_mean(name, names))
        if name in one.receivers[:at]:
            document.fail(where, f'{label}: receivers: "{name}" twice', "once")
        if name == one.sender:
            document.fail(where, f'{label}: receivers: "{name}" sends it', "another task, or no receivers")


def _check_sender(document: Document, system: System, index: int, one: Message) -> None:
    where: Where = ("message", index)
    label, task = f'[[message]] "{one.name}"', next((task for task in system.tasks if task.name == one.sender), None)
    if task is None:
        _no_task(document, system, index, one)
    if one.deadline_ns is None:
        return
    if task.separation_ns is None:
        problem = f'{label}: sender = "{one.sender}" is a background task: nothing bounds when it sends'
        document.fail((*where, "sender"), problem, "a task with a period, or no deadline")
    if task.burst > 1:
        problem = f'{label}: sender = "{one.sender}" has bursts, whose messages the analysis of the bus does not cover'
        document.fail((*where, "sender"), problem, "burst = 1, or no deadline")
    _check_period(document, index, one, task)


def _check_period(document: Document, index: int, one: Message, task: Task) -> None:
    where, label = ("message", index, "period"), f'[[message]] "{one.name}"'
    apart, period = task.separation_ns or 1, one.period_ns
    if period is None:
        return
    if period < apart:
        problem = f'{label}: period {show(period)} is shorter than that of "{task.name}", {show(apart)}'
        document.fail(where, problem, "leave it out: one message a job at most")
    if task.period_ns is not None and period % apart:
        problem = f'{label}: period {show(period)} is no multiple of that of "{task.name}", {show(apart)}'
        document.fail(where, problem, f'"{show(period // apart * apart)}"')


def _no_task(document: Document, system: System, index: int, one: Message) -> NoReturn:
    label, names = f'[[message]] "{one.name}"', [task.name for task in system.tasks]
    hint = f'{did_you_mean(one.sender or "", names)}, or from = "{one.sender}" if it is another node'
    document.fail(("message", index, "sender"), f'{label}: sender = "{one.sender}": no such task', hint)


def path_of(system: System, bus: Bus) -> Path:
    """Of its file."""
    return system.path.resolve().parent / (bus.file or "")
