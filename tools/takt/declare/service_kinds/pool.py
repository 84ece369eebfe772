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
    PRIORITY,
    Context,
    Service,
    fifo_word,
    product,
    waiters_key,
)
from takt.support.c.kernel import CAPACITY_MAX

TABLE = Table(
    "pool",
    "Blocks of one size. With protection only processes may use it, and each gets its blocks in its own memory.",
    (
        NAME,
        Key("block_size", integer(8, 0xFFF8, 8), "Bytes of a block.", required=True),
        Key("count", integer(1, CAPACITY_MAX), "Blocks.", required=True),
        waiters_key(""),
    ),
)


@dataclass(frozen=True)
class Pool:
    name: str
    block_size: int  # bytes
    count: int  # blocks
    waiters: str = PRIORITY


def blocks(item: Pool, process: str) -> str:
    """Declares its blocks in the memory of a process."""
    return f"uint8_t takti_blocks_{item.name}_{process}[{item.block_size} * {item.count}] {ALIGNED}"


def _in_processes(item: Pool, context: Context) -> Iterator[str]:
    storage, using = f"takti_storage_{item.name}", context.users(item.name)
    yield f"static uint8_t {storage}[TAKT_POOL_BYTES(sizeof(struct takti_pool_token), {item.count})] {ALIGNED};"
    yield from (f"extern {blocks(item, name)};" for name in using if name is not None)
    table = ", ".join("NULL" if name is None else f"takti_blocks_{item.name}_{name}" for name in using)
    yield f"static uint8_t *const takti_blocks_{item.name}[] = {{{table}}};"
    yield f"extern struct takt_pool {item.name};"
    arguments = f"{context.ids[item.name]}, {storage}, {item.block_size}, {item.count}, takti_blocks_{item.name}"
    yield f"TAKT_POOL_{fifo_word(item)}IN_PROCESSES_DEFINE({item.name}, {arguments});"


def _define(item: Pool, context: Context) -> Iterator[str]:
    if context.system.protection:
        yield from _in_processes(item, context)
        return
    storage, extent = f"takti_storage_{item.name}", f"{item.block_size}, {item.count}"
    yield f"static uint8_t {storage}[TAKT_POOL_BYTES({extent})] {ALIGNED};"
    yield f"TAKT_POOL_{fifo_word(item)}DEFINE({item.name}, {context.ids[item.name]}, {storage}, {extent});"


SERVICE = Service(
    TABLE,
    Pool,
    _define,
    waited=True,
    handled=True,
    only_processes=True,
    memory=lambda item: product(item, "block_size", "count"),
)
