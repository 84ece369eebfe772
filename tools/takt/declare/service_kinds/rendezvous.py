# SPDX-License-Identifier: Apache-2.0
"""A rendezvous: callers and acceptors meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.kinds import (
    NAME,
    Key,
    Table,
    integer,
)
from takt.declare.schema.service import (
    Context,
    Service,
)
from takt.support.c.kernel import PROCESS_MESSAGE_MAX

TABLE = Table(
    "rendezvous",
    "Callers and acceptors meet.",
    (
        NAME,
        Key(
            "request",
            integer(0, PROCESS_MESSAGE_MAX),
            "Bytes of a call that an acceptor gets, at most. With `request` or `reply` the two may be in different"
            " processes: the kernel copies the data.",
            default=0,
            default_text="`0`",
        ),
        Key(
            "reply",
            integer(0, PROCESS_MESSAGE_MAX),
            "Bytes that the caller gets back.",
            default=0,
            default_text="`0`",
        ),
    ),
)


@dataclass(frozen=True)
class Rendezvous:
    name: str
    request: int = 0  # bytes
    reply: int = 0

    @property
    def copied(self) -> bool:
        """Whether the kernel copies the data of calls between processes."""
        return self.request > 0 or self.reply > 0


def _define(item: Rendezvous, context: Context) -> Iterator[str]:
    if item.copied:
        arguments = f"{item.name}, {context.ids[item.name]}, {item.request}, {item.reply}"
        yield f"TAKT_RENDEZVOUS_COPIED_DEFINE({arguments});"
    else:
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
