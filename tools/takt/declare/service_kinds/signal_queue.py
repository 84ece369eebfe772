# SPDX-License-Identifier: Apache-2.0
"""The queue of signals that came to a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import (
    IDENTIFIER,
    NAME,
    Key,
    Table,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    Context,
    Service,
)
from takt.declare.service_kinds import senders
from takt.declare.service_kinds.senders import Sender

TABLE = Table(
    "signal_queue",
    'The signals that came to a task. With the trigger "signal_queue NAME" of its owner each signal that is queued'
    " releases a job, which receives one with `takt_signal_try_receive`.",
    (
        NAME,
        Key("owner", IDENTIFIER, "The task that receives; each has one at most.", required=True),
        senders.SENDERS,
    ),
)


@dataclass(frozen=True)
class SignalQueue:
    name: str
    owner: str  # a task
    senders: tuple[Sender, ...] = ()  # of one that releases its owner


def _read(_document: Document, values: dict[str, Any], _index: int) -> SignalQueue:
    return SignalQueue(values["name"], values["owner"], senders.of(values))


def _check(document: Document, system: System, index: int, item: SignalQueue) -> None:
    other = next((before.name for before in system.of(SignalQueue)[:index] if before.owner == item.owner), None)
    if other is not None:
        problem = f'[[signal_queue]] "{item.name}": "{item.owner}" has "{other}" already'
        document.fail(("signal_queue", index, "owner"), problem, "keep one: it may receive by number and by sender")
    senders.check_owner(document, system, "signal_queue", index, item)


def _define(item: SignalQueue, context: Context) -> Iterator[str]:
    define = "DEFINE" if context.trigger("signal_queue", item.name) is None else "TRIGGER_DEFINE"
    yield f"TAKT_SIGNAL_QUEUE_{define}({item.name}, {context.ids[item.name]}, {context.task(item.owner)});"


SERVICE = Service(
    TABLE,
    SignalQueue,
    _define,
    read=_read,
    waited=True,
    releases=True,
    queued=True,
    proved=True,
    handled=True,
    check=_check,
    names=(("owner", "task"),),
)
