# SPDX-License-Identifier: Apache-2.0
"""A gate, for the tests: its keeper opens it for one task. In C it is a semaphore with a maximum of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.kinds import BOOLEAN, IDENTIFIER, NAME, Key, Table
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import Context, Service
from takt.declare.schema.service_calls import Call

TABLE = Table(
    "gate",
    "A gate: `NAME_open`, `NAME_enter_until`.",
    (
        NAME,
        Key("keeper", IDENTIFIER, "The task that opens it.", required=True),
        Key("open", BOOLEAN, "At the start.", default=False),
    ),
)


@dataclass(frozen=True)
class Gate:
    name: str
    keeper: str
    open: bool


def _check(document: Document, system: System, index: int, item: Gate) -> None:
    if system.task(item.keeper).separation_ns is None:
        problem = f'[[gate]] "{item.name}": its keeper "{item.keeper}" is a background task'
        document.fail(("gate", index, "keeper"), problem, "a task with a period")


def _define(item: Gate, context: Context) -> Iterator[str]:
    yield f"TAKT_SEMAPHORE_DEFINE({item.name}, {context.ids[item.name]}, {int(item.open)}, 1);"


SERVICE = Service(
    TABLE,
    Gate,
    _define,
    check=_check,
    struct=lambda _: "semaphore",
    names=(("keeper", "task"),),
    calls=(
        Call(
            "open",
            "void",
            "takt_semaphore_post(&{item.name})",
            require="takt_task_running() == TASK_{item.keeper}",
            typed=False,
        ),
        Call("enter_until", "uint64_t until_ns", "takt_semaphore_wait_until(&{item.name}, until_ns)", typed=False),
    ),
    memory=lambda item: (f"open = {item.open}", 1),
    proved=True,
    blocks=True,
    waited=True,
)
