# SPDX-License-Identifier: Apache-2.0
"""A counting semaphore; it may release a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import (
    NAME,
    Key,
    Table,
    integer,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    FIFO,
    PRIORITY,
    Context,
    Service,
    fifo_word,
    waiters_key,
)
from takt.declare.service_kinds import senders
from takt.declare.service_kinds.senders import Sender
from takt.support.c.kernel import SEMAPHORE_MAX

TABLE = Table(
    "semaphore",
    'A counting semaphore. With a task that it releases (the trigger "semaphore NAME"), each post releases a job and'
    " counts nothing: the job begins at once, without a wait, and `initial` and `maximum` are refused.",
    (
        NAME,
        Key("initial", integer(0, SEMAPHORE_MAX), "Count at the start.", default=0),
        Key("maximum", integer(1, SEMAPHORE_MAX), "Greatest count.", default=SEMAPHORE_MAX),
        senders.POSTERS,
        waiters_key("Of a semaphore: `takt_semaphore_wait` is then `takt_semaphore_wait_in_turn`."),
    ),
)


@dataclass(frozen=True)
class Semaphore:
    name: str
    initial: int = 0
    maximum: int = SEMAPHORE_MAX
    waiters: str = PRIORITY
    senders: tuple[Sender, ...] = ()  # of one that releases a task


def _read(_document: Document, values: dict[str, Any], _index: int) -> Semaphore:
    return Semaphore(**{**values, "senders": senders.of(values)})


def _check(document: Document, system: System, index: int, item: Semaphore) -> None:
    if item.initial > item.maximum:
        problem = f'[[semaphore]] "{item.name}": initial {item.initial} is over maximum {item.maximum}'
        document.fail(("semaphore", index, "initial"), problem, f"at most {item.maximum}")
    released = next((task.name for task in system.tasks if task.trigger == f"semaphore {item.name}"), None)
    if released is not None and item.waiters == FIFO:
        problem = f'[[semaphore]] "{item.name}": waiters = "{FIFO}": it releases {released}, so no task waits for it'
        document.fail(("semaphore", index, "waiters"), problem, "remove it")
    for key in ("initial", "maximum") if released is not None else ():
        if key in document.data["semaphore"][index]:
            problem = (
                f'[[semaphore]] "{item.name}": {key}: it releases {released}, so each post is a job and none counts'
            )
            document.fail(("semaphore", index, key), problem, "remove it; pending_max of the task bounds what waits")


def _define(item: Semaphore, context: Context) -> Iterator[str]:
    trigger = context.trigger("semaphore", item.name)
    if trigger is None:
        arguments = f"{item.name}, {context.ids[item.name]}, {item.initial}, {item.maximum}"
        yield f"TAKT_SEMAPHORE_{fifo_word(item)}DEFINE({arguments});"
    else:
        yield f"TAKT_SEMAPHORE_TRIGGER_DEFINE({item.name}, {context.ids[item.name]}, {trigger});"


SERVICE = Service(
    TABLE,
    Semaphore,
    _define,
    read=_read,
    check=_check,
    blocks=True,
    waited=True,
    gives_all=True,
    releases=True,
    queued=True,
    counted=True,
    handled=True,
)
