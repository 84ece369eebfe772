# SPDX-License-Identifier: Apache-2.0
"""A rendezvous: callers and acceptors meet."""

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

TABLE = Table("rendezvous", "Callers and acceptors meet.", (NAME,))


@dataclass(frozen=True)
class Rendezvous:
    name: str


def _define(item: Rendezvous, context: Context) -> Iterator[str]:
    yield f"TAKT_RENDEZVOUS_DEFINE({item.name}, {context.ids[item.name]});"


SERVICE = Service(
    TABLE,
    Rendezvous,
    _define,
    blocks=True,
    waited=True,
    givers_wait=True,
    handled=True,
)
