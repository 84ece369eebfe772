# SPDX-License-Identifier: Apache-2.0
"""The memory that a declaration needs, and the limit for each object. Whether all of them fit into a board:
takt.prove.board_memory.

These are lower bounds: the size of a C type counts only if the declaration gives it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.model import System
from takt.declare.schema.objects import OBJECT_MAX
from takt.declare.schema.reader import Document

_BUFFER, _SIGNAL = 8, 16  # bytes of the header of a message or signal: takt/message_buffers.h, signal.h


@dataclass(frozen=True)
class Need:
    """`size`: bytes at least. `keys`: the keys that it follows from. `table`, `index`: the declaring table; "" and 0
    for objects without a table."""

    table: str
    index: int
    name: str
    keys: str
    size: int

    @property
    def what(self) -> str:
        label = f'[[{self.table}]] "{self.name}"' if self.table else self.name
        return f"{label} with {self.size} bytes ({self.keys})" if self.keys else f"{label} with {self.size} bytes"


def objects(system: System) -> Iterator[Need]:
    """The needs of all tables of a declaration."""
    for index, task in enumerate(system.tasks):
        yield Need("task", index, task.name, f"stack = {task.stack}", task.stack)
    yield from _messages(system)
    for index, pool in enumerate(system.pools):
        keys = f"block_size = {pool.block_size}, count = {pool.count}"
        yield Need("pool", index, pool.name, keys, pool.block_size * pool.count)
    for index, pipe in enumerate(system.pipes):
        yield Need("pipe", index, pipe.name, f"capacity = {pipe.capacity}", pipe.capacity)
    for index, state in enumerate(system.states):
        depth = state.copies or state.depth or 1
        yield Need(*_product("state", index, state, "message_size", "depth", depth, 0))
    for index, process in enumerate(system.processes):
        for key in ("memory", "buffers"):
            yield Need("process", index, process.name, f"{key} = {getattr(process, key)}", getattr(process, key))
    for index, shared in enumerate(system.shared):
        yield Need("shared", index, shared.name, f"size = {shared.size}", shared.size or 0)


def _messages(system: System) -> Iterator[Need]:
    """The needs of objects with several elements: (table, objects, keys of the size and of the number, bytes of each
    element's header)."""
    for table, items, size, count, more in (
        ("mailbox", system.mailboxes, "message_size", "capacity", 0),
        ("ring", system.rings, "item_size", "capacity", 0),
        ("slot", system.slots, "message_size", "capacity", _BUFFER),
        ("priority_mailbox", system.priority_mailboxes, "message_size", "capacity", _BUFFER),
        ("signal_pool", system.signal_pools, "data_size", "count", _SIGNAL),
    ):
        for index, item in enumerate(items):
            yield Need(*_product(table, index, item, size, count, getattr(item, count), more))


def _product(
    table: str, index: int, item: object, size: str, count: str, number: int, more: int
) -> tuple[str, int, str, str, int]:
    each, name, of = getattr(item, size), getattr(item, "name", ""), getattr(item, "type", None)
    keys = f"{size} = {each}" if each is not None else f"type = {of}"
    return table, index, name, f"{keys}, {count} = {number}", ((each or 1) + more) * number


def check(document: Document, system: System) -> None:
    """UserError: one object is larger than OBJECT_MAX."""
    for need in objects(system):
        if need.size > OBJECT_MAX:
            label = f'[[{need.table}]] "{need.name}": {need.keys}: '
            problem = f"{label}{need.size} bytes, and at most {OBJECT_MAX} ({OBJECT_MAX >> 20} MiB) are possible"
            document.fail((need.table, need.index), problem, "a smaller one of them")
