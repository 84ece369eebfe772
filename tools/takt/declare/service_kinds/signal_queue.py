# SPDX-License-Identifier: Apache-2.0
"""The queue of signals that came to a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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

TABLE = Table(
    "signal_queue",
    "The signals that came to a task.",
    (NAME, Key("owner", IDENTIFIER, "The task that receives; each has one at most.", required=True)),
)


@dataclass(frozen=True)
class SignalQueue:
    name: str
    owner: str  # a task


def _check(document: Document, system: System, index: int, item: SignalQueue) -> None:
    other = next((before.name for before in system.of(SignalQueue)[:index] if before.owner == item.owner), None)
    if other is not None:
        problem = f'[[signal_queue]] "{item.name}": "{item.owner}" has "{other}" already'
        document.fail(("signal_queue", index, "owner"), problem, "keep one: it may receive by number and by sender")


def _define(item: SignalQueue, context: Context) -> Iterator[str]:
    yield f"TAKT_SIGNAL_QUEUE_DEFINE({item.name}, {context.ids[item.name]}, {context.task(item.owner)});"


SERVICE = Service(
    TABLE,
    SignalQueue,
    _define,
    waited=True,
    check=_check,
    names=(("owner", "task"),),
)
