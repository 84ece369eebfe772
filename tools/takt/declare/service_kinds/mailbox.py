# SPDX-License-Identifier: Apache-2.0
"""A queue of messages of one size; it may release a task."""

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
    ALIGNED,
    PRIORITY,
    Context,
    Service,
    bytes_of,
    fifo_word,
    message_keys,
    product,
    waiters_key,
)
from takt.declare.schema.service_calls import (
    IN,
    OUT,
    Size,
    waits,
)
from takt.declare.service_kinds import senders
from takt.declare.service_kinds.senders import Sender
from takt.support.c.kernel import CAPACITY_MAX, MESSAGE_MAX

TABLE = Table(
    "mailbox",
    "A queue of messages of one size. With `type`: `NAME_send`, `NAME_receive`, each also"
    " as `NAME_..._until` and `NAME_try_...`.",
    (
        NAME,
        *message_keys("message_size", MESSAGE_MAX, "Bytes of a message; with protection 256 at most."),
        Key("capacity", integer(1, CAPACITY_MAX), "Messages that it holds.", required=True),
        senders.SENDERS,
        waiters_key("Of a mailbox: for messages, and for room."),
    ),
)


@dataclass(frozen=True)
class Mailbox:
    """`type`, here and in other kinds: of a message, in C, from the application's header `include`; None: bytes."""

    name: str
    message_size: int | None  # bytes; None, here and in other kinds: those of `type`
    capacity: int  # messages
    type: str | None = None
    include: str | None = None
    senders: tuple[Sender, ...] = ()  # of one that releases a task
    waiters: str = PRIORITY


def _read(_document: Document, values: dict[str, Any], _index: int) -> Mailbox:
    return Mailbox(**{**values, "senders": senders.of(values)})


_CALLS = (*waits("mailbox", "send", IN, "message"), *waits("mailbox", "receive", OUT, "message"))


def _define(item: Mailbox, context: Context) -> Iterator[str]:
    storage, size = f"takti_storage_{item.name}", bytes_of(item.message_size, item.type)
    yield f"static uint8_t {storage}[{size} * {item.capacity}] {ALIGNED};"
    arguments = f"{item.name}, {context.ids[item.name]}, {storage}, {size}, {item.capacity}"
    trigger = context.trigger("mailbox", item.name)
    if trigger is None:
        yield f"TAKT_MAILBOX_{fifo_word(item)}DEFINE({arguments});"
    else:
        yield f"TAKT_MAILBOX_{fifo_word(item)}TRIGGER_DEFINE({arguments}, {trigger});"


SERVICE = Service(
    TABLE,
    Mailbox,
    _define,
    read=_read,
    size=Size("message_size", MESSAGE_MAX),
    calls=_CALLS,
    blocks=True,
    waited=True,
    givers_wait=True,
    releases=True,
    queued=True,
    proved=True,
    handled=True,
    copied=True,
    memory=lambda item: product(item, "message_size", "capacity"),
)
