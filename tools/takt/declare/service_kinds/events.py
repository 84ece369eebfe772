# SPDX-License-Identifier: Apache-2.0
"""Event flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.kinds import (
    NAME,
    Table,
)
from takt.declare.schema.service import (
    Context,
    Service,
)

TABLE = Table("events", "32 event flags.", (NAME,))


@dataclass(frozen=True)
class Events:
    name: str


def _define(item: Events, context: Context) -> Iterator[str]:
    yield f"TAKT_EVENTS_DEFINE({item.name}, {context.ids[item.name]});"


SERVICE = Service(
    TABLE,
    Events,
    _define,
    waited=True,
    gives_all=True,
    handled=True,
)
