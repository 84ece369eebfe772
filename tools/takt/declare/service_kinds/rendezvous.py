# SPDX-License-Identifier: Apache-2.0
"""A rendezvous: callers and acceptors meet."""

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
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    Context,
    Service,
)
from takt.declare.service_kinds import senders
from takt.declare.service_kinds.senders import Sender
from takt.support.c.kernel import PROCESS_MESSAGE_MAX

TABLE = Table(
    "rendezvous",
    'Callers and acceptors meet. A task with the trigger "rendezvous NAME" is released by each call that waits to be'
    " accepted, and its job does so with `takt_rendezvous_try_accept`.",
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
        senders.SENDERS,
    ),
)


@dataclass(frozen=True)
class Rendezvous:
    name: str
    request: int = 0  # bytes
    reply: int = 0
    senders: tuple[Sender, ...] = ()  # callers, of one that releases a task

    @property
    def copied(self) -> bool:
        """Whether the kernel copies the data of calls between processes."""
        return self.request > 0 or self.reply > 0


def _read(_document: Document, values: dict[str, Any], _index: int) -> Rendezvous:
    return Rendezvous(**{**values, "senders": senders.of(values)})


def _define(item: Rendezvous, context: Context) -> Iterator[str]:
    arguments = f"{item.name}, {context.ids[item.name]}"
    trigger = context.trigger("rendezvous", item.name)
    if trigger is not None:
        yield f"TAKT_RENDEZVOUS_TRIGGER_DEFINE({arguments}, {item.request}, {item.reply}, {trigger});"
    elif item.copied:
        yield f"TAKT_RENDEZVOUS_COPIED_DEFINE({arguments}, {item.request}, {item.reply});"
    else:
        yield f"TAKT_RENDEZVOUS_DEFINE({arguments});"


SERVICE = Service(
    TABLE,
    Rendezvous,
    _define,
    read=_read,
    blocks=True,
    calls_wait=True,
    releases=True,
    queued=True,
    proved=True,
    waited=True,
    givers_wait=True,
    handled=True,
)
