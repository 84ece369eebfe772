# SPDX-License-Identifier: Apache-2.0
"""A counting semaphore; it may release a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.kinds import (
    NAME,
    Key,
    Table,
    integer,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    Context,
    Service,
)
from takt.support.c.kernel import SEMAPHORE_MAX

TABLE = Table(
    "semaphore",
    "A counting semaphore.",
    (
        NAME,
        Key("initial", integer(0, SEMAPHORE_MAX), "Count at the start.", default=0),
        Key("maximum", integer(1, SEMAPHORE_MAX), "Greatest count.", default=SEMAPHORE_MAX),
    ),
)


@dataclass(frozen=True)
class Semaphore:
    name: str
    initial: int = 0
    maximum: int = SEMAPHORE_MAX


def _check(document: Document, _system: System, index: int, item: Semaphore) -> None:
    if item.initial > item.maximum:
        problem = f'[[semaphore]] "{item.name}": initial {item.initial} is over maximum {item.maximum}'
        document.fail(("semaphore", index, "initial"), problem, f"at most {item.maximum}")


def _define(item: Semaphore, context: Context) -> Iterator[str]:
    trigger = context.trigger("semaphore", item.name)
    if trigger is None:
        yield f"TAKT_SEMAPHORE_DEFINE({item.name}, {context.ids[item.name]}, {item.initial}, {item.maximum});"
    else:
        yield f"TAKT_SEMAPHORE_TRIGGER_DEFINE({item.name}, {context.ids[item.name]}, {trigger});"


SERVICE = Service(
    TABLE,
    Semaphore,
    _define,
    check=_check,
    blocks=True,
    waited=True,
    gives_all=True,
    releases=True,
    handled=True,
)
