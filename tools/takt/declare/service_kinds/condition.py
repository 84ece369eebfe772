# SPDX-License-Identifier: Apache-2.0
"""A condition variable of a mutex."""

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
from takt.declare.schema.service_calls import (
    Call,
)
from takt.declare.service_kinds.mutex import Mutex

TABLE = Table(
    "condition",
    "A condition variable (docs/monitors.md): `NAME_wait`, `NAME_wait_until`.",
    (NAME, Key("mutex", IDENTIFIER, "The mutex that its waiters give back; it inherits.", required=True)),
)


@dataclass(frozen=True)
class Condition:
    name: str
    mutex: str


def _check(document: Document, system: System, index: int, item: Condition) -> None:
    if next(mutex.protocol for mutex in system.of(Mutex) if mutex.name == item.mutex) != "inherit":
        problem = f'[[condition]] "{item.name}": mutex "{item.mutex}" has a ceiling; a condition needs inheritance'
        document.fail(("condition", index, "mutex"), problem, 'protocol = "inherit" in its [[mutex]]')


_CALLS = (
    Call("wait", "void", "takt_condition_wait(&{item.name}, &{item.mutex})", typed=False),
    Call(
        "wait_until",
        "uint64_t until_ns",
        "takt_condition_wait_until(&{item.name}, &{item.mutex}, until_ns)",
        typed=False,
    ),
)


def _define(item: Condition, context: Context) -> Iterator[str]:
    yield f"TAKT_CONDITION_DEFINE({item.name}, {context.ids[item.name]});"


SERVICE = Service(
    TABLE,
    Condition,
    _define,
    check=_check,
    names=(("mutex", "mutex"),),
    calls=_CALLS,
    blocks=True,
    waited=True,
    gives_all=True,
    handled=True,
)
