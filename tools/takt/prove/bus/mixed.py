# SPDX-License-Identifier: Apache-2.0
"""The messages of a bus with `scheduler = "mts"`: its identifiers, which carry the deadlines of the fast ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from takt.can.check import Answer
from takt.can.commands import values
from takt.can.messages import Message as Frame
from takt.can.mts import judge, protocol
from takt.can.mts.judge import Judged
from takt.declare.schema.model import System
from takt.prove.bus.traffic import Traffic, at
from takt.support.errors import UserError


def judged(system: System, traffic: Traffic, jitters_ns: Mapping[str, int], tightest: bool) -> Judged:
    """Of those with a deadline; their identifiers are their numbers: first those of the file, then the tables.
    `tightest`: with the setting that leaves most margin. UserError: no setting is possible."""
    bus = traffic.bus
    frames = [traffic.frame(one, jitters_ns.get(one.name, 0), 0) for one in traffic.messages]
    urgent = [*traffic.file.others, *(one for one in frames if one.deadline_ns is not None)]
    below = tuple(one for one in frames if one.deadline_ns is None)
    question = replace(traffic.question, blocking=below)
    numbered = [replace(one, identifier=number) for number, one in enumerate(urgent)]
    with at(system, bus, 'handlers = "' + (bus.handlers or "") + '"'):
        nodes = values.handlers(bus.handlers, bus.masters)
    with at(system, bus, 'scheduler = "mts"'):
        if not urgent:
            raise UserError("no message has a deadline", 'a deadline, or scheduler = "fixed"')
        found = judge.choose(numbered, question, nodes, bus.epoch_ns, enough=not tightest)
        room = protocol.other_count(found.setting.bus.layout, nodes.masters)
        if len(below) > room:
            raise UserError(f"{len(below)} messages without a deadline", f"at most {room}")
    return found


def answer(found: Judged) -> Answer:
    """With the fixed identifiers: those of low-speed messages, and of high-speed ones without an epoch."""
    rows = [
        replace(row, message=replace(row.message, identifier=found.identifier(index)))
        for index, row in enumerate(found.rows)
    ]
    return Answer(found.question, rows, found.found, [])


def best_effort(found: Judged) -> list[Frame]:
    """Those without a deadline, with identifiers below all others."""
    layout = found.setting.bus.layout
    return [
        replace(one, identifier=protocol.other(layout, number), extended=bool(layout.extended))
        for number, one in enumerate(found.question.blocking)
    ]
