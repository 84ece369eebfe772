# SPDX-License-Identifier: Apache-2.0
"""A pool of blocks of one size."""

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
    ALIGNED,
    Context,
    Service,
    product,
)
from takt.support.c.kernel import CAPACITY_MAX

TABLE = Table(
    "pool",
    "Blocks of one size.",
    (
        NAME,
        Key("block_size", integer(8, 0xFFF8, 8), "Bytes of a block.", required=True),
        Key("count", integer(1, CAPACITY_MAX), "Blocks.", required=True),
    ),
)


@dataclass(frozen=True)
class Pool:
    name: str
    block_size: int  # bytes
    count: int  # blocks


def _define(item: Pool, context: Context) -> Iterator[str]:
    storage, extent = f"takti_storage_{item.name}", f"{item.block_size}, {item.count}"
    yield f"static uint8_t {storage}[TAKT_POOL_BYTES({extent})] {ALIGNED};"
    yield f"TAKT_POOL_DEFINE({item.name}, {context.ids[item.name]}, {storage}, {extent});"


SERVICE = Service(
    TABLE,
    Pool,
    _define,
    memory=lambda item: product(item, "block_size", "count"),
)
