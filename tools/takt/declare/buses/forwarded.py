# SPDX-License-Identifier: Apache-2.0
"""[[message]] with `forwards`: the copy of a message of another bus, which the driver sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from takt.declare.buses import protected
from takt.declare.buses.table import STANDARD_MAX
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Message, System
from takt.declare.schema.reader import Document
from takt.support.errors import did_you_mean

_FOLLOWS = {
    "sender": "the driver sends it, and no task",
    "from": "this system sends it",
    "receivers": "this system sends it",
    "queue": "this system sends it",
    "period": "it is that of the message that is forwarded",
    "jitter": "it follows from the message that is forwarded",
    **dict.fromkeys(protected.NAMES, "its data is that of the message that is forwarded, with its protection"),
}
"""Keys that have no meaning beside `forwards`, and why."""


def identifier(document: Document, values: Mapping[str, Any], where: Where) -> tuple[int | None, bool]:
    """What a table says of its own, and whether that has 29 bits. UserError: it has more than it may have."""
    raw, found = document.data["message"][where[1]], values["id"]
    extended = values["extended"] or ("extended" not in raw and (found or 0) > STANDARD_MAX)
    if found is not None and not extended and found > STANDARD_MAX:
        problem = f'[[message]] "{values["name"]}": id = {found:#x} has more than 11 bits, and extended is false'
        document.fail((*where, "id"), problem, "extended = true, or an id up to 0x7ff")
    return found, extended


def read(
    document: Document, values: Mapping[str, Any], index: int, tables: Mapping[str, Any], plain: Mapping[str, Message]
) -> Message:
    """`plain`: the messages that are no copies. UserError: it can be no copy of what it names."""
    where: Where = ("message", index)
    raw, name = document.data["message"][index], values["forwards"]
    label = f'[[message]] "{values["name"]}"'
    for key, why in _FOLLOWS.items():
        if key in raw:
            document.fail((*where, key), f"{label}: {key} with forwards: {why}", f"remove {key}, or forwards")
    label = f'{label}: forwards = "{name}"'
    source = plain.get(name)
    if source is None:
        copied = next((one["forwards"] for one in tables["message"] if one["name"] == name), None)
        if copied is not None:
            hint = "the name of a message from another node" if copied == values["name"] else f'forwards = "{copied}"'
            document.fail((*where, "forwards"), f"{label}: this system sends that, itself a copy of {copied}", hint)
        document.fail((*where, "forwards"), f"{label}: no such message", did_you_mean(name, plain))
    if source.sender is not None:
        problem = f'{label}: "{source.sender}" of this system sends that'
        hint = f'sender = "{source.sender}" instead of forwards, which sends both'
        document.fail((*where, "forwards"), problem, hint)
    if source.bus == values["bus"]:
        document.fail((*where, "forwards"), f"{label}: it is on {source.bus}, too", "a message of another bus")
    if values["bytes"] not in (None, source.size):
        problem = f"{label}: bytes = {values['bytes']}, and that has {source.size}"
        document.fail((*where, "bytes"), problem, f"bytes = {source.size}, or leave it out")
    number, extended = identifier(document, values, where)
    if "id" not in raw:
        if source.identifier is None:
            hint = 'id = "auto", or a number'
            document.fail(where, f'{label}: id is missing, and that of "{name}" is not known', hint)
        number, extended = source.identifier, source.extended if "extended" not in raw else extended
        if not extended and number > STANDARD_MAX:
            problem = f"{label}: extended = false, and the id of that has 29 bits ({number:#x})"
            document.fail((*where, "extended"), problem, "an id of its own")
    return Message(
        name=values["name"],
        bus=values["bus"],
        sender=None,
        origin=None,
        receivers=(),
        size=source.size,
        identifier=number,
        extended=extended,
        period_ns=source.period_ns,
        jitter_ns=0,
        deadline_ns=values["deadline"] or source.period_ns,
        queue=None,
        forwards=name,
        protection=source.protection,
    )


def check(document: Document, system: System, index: int, one: Message) -> None:
    """UserError: nothing forwards it, or nothing bounds when."""
    if one.forwards is None:
        return
    label, driven = f'[[message]] "{one.name}": forwards = "{one.forwards}"', {bus.name for bus in system.driven}
    for name in (system.message(one.forwards).bus, one.bus):
        if name not in driven:
            problem = f'{label}: no driver forwards it: [[can]] "{name}" has none'
            document.fail(("message", index, "forwards"), problem, f'driver = true in [[can]] "{name}"')
    buses = {bus.name: bus for bus in system.buses}
    clocks, there = buses[one.bus].drift_ppm, buses[system.message(one.forwards).bus]
    if clocks < there.drift_ppm:
        problem = f'{label}: drift = {clocks} of [[can]] "{one.bus}", and the clocks of its sender, on {there.name},'
        problem += f" may be wrong by {there.drift_ppm} ppm"
        document.fail(("message", index, "forwards"), problem, f'drift = {there.drift_ppm} in [[can]] "{one.bus}"')
    if (there.errors or "").startswith("random:"):
        problem = f'{label}: errors = "{there.errors}" of [[can]] "{there.name}" leave no bound on when it comes'
        document.fail(("message", index, "forwards"), problem, f'errors = "3/100ms" in [[can]] "{there.name}"')
    if system.runtime_tasks:
        problem = f"{label}: tasks that are started at run time leave no bound on when it is forwarded"
        document.fail(("message", index, "forwards"), problem, "no runtime_tasks, or no forwards")
