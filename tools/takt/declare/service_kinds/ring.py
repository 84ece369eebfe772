# SPDX-License-Identifier: Apache-2.0
"""A ring: items from one writer to one reader, without a lock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.kinds import (
    IDENTIFIER,
    NAME,
    Key,
    Table,
    integer,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    WRITER,
    Context,
    Service,
    bytes_of,
    message_keys,
    product,
)
from takt.declare.schema.service_calls import (
    IN,
    OUT,
    Call,
    Size,
)
from takt.support.c.kernel import CAPACITY_MAX, MESSAGE_MAX

TABLE = Table(
    "ring",
    "Items from one writer to one reader, without a lock. With `type`: `NAME_put`, `NAME_get`.",
    (
        NAME,
        *message_keys("item_size", MESSAGE_MAX, "Bytes of an item."),
        Key("capacity", integer(1, CAPACITY_MAX), "Items that it holds.", required=True),
        WRITER,
        Key("reader", IDENTIFIER, "The only task or interrupt that reads it.", required=True),
    ),
)


@dataclass(frozen=True)
class Ring:
    """`writer`, `reader`: a task or interrupt each."""

    name: str
    item_size: int | None  # bytes
    capacity: int  # items
    writer: str
    reader: str
    type: str | None = None
    include: str | None = None


def _check(document: Document, _system: System, index: int, item: Ring) -> None:
    if item.reader == item.writer:
        problem = f'[[ring]] "{item.name}": "{item.reader}" is its writer and its reader'
        document.fail(("ring", index, "reader"), problem, "two that run beside each other")


_CALLS = (
    Call("put", IN, "takt_ring_put(&{item.name}, message, sizeof *message)"),
    Call("get", OUT, "takt_ring_get(&{item.name}, message, sizeof *message)"),
)


def _define(item: Ring, _context: Context) -> Iterator[str]:
    yield f"TAKT_RING_DEFINE({item.name}, {bytes_of(item.item_size, item.type)}, {item.capacity});"


SERVICE = Service(
    TABLE,
    Ring,
    _define,
    check=_check,
    names=(("writer", "actor"), ("reader", "actor")),
    size=Size("item_size", MESSAGE_MAX, words=True),
    calls=_CALLS,
    locks=False,
    in_memory=True,
    memory=lambda item: product(item, "item_size", "capacity"),
)
