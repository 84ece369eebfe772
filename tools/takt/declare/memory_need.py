# SPDX-License-Identifier: Apache-2.0
"""How much memory a declaration asks for, before anything is compiled: what one object takes is limited, and all of
them together fit into the board's.

These are least sizes: the kernel's own data and the C library's come on top, and of a type of C only what the
declaration says of it counts. What is still too much the linker says (compile.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.boards import Board
from takt.declare.schema.model import System
from takt.declare.schema.objects import OBJECT_MAX
from takt.declare.schema.reader import Document
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.trace.records import RECORD_SIZE

HOST_MAX = 1 << 28
"""Bytes of all together, where the board sets no limit."""
INTERRUPT_STACK = 8192  # boards/*/link.ld
IDLE_STACK = 1024  # idle sends the trace (boards/run.c)
HOST_TRACE_RECORDS = 1 << 16
_PLACE, _SIGNAL = 8, 16  # that each message or signal has before it: no less than takt/places.h and signal.h say
LARGEST = 3


@dataclass(frozen=True)
class Need:
    """`size`: bytes at least. `keys`: what was multiplied, as the declaration writes it. `table`, `index`: where; of
    what is not declared "" and 0."""

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
    """What the tables of a declaration ask for."""
    for index, task in enumerate(system.tasks):
        yield Need("task", index, task.name, f"stack = {task.stack}", task.stack)
    yield from _messages(system)
    for index, pool in enumerate(system.pools):
        keys = f"block_size = {pool.block_size}, count = {pool.count}"
        yield Need("pool", index, pool.name, keys, pool.block_size * pool.count)
    for index, pipe in enumerate(system.pipes):
        yield Need("pipe", index, pipe.name, f"capacity = {pipe.capacity}", pipe.capacity)
    for index, state in enumerate(system.states):
        depth = state.places or state.depth or 1
        yield Need(*_product("state", index, state, "message_size", "depth", depth, 0))
    for index, process in enumerate(system.processes):
        for key in ("memory", "buffers"):
            yield Need("process", index, process.name, f"{key} = {getattr(process, key)}", getattr(process, key))
    for index, shared in enumerate(system.shared):
        yield Need("shared", index, shared.name, f"size = {shared.size}", shared.size or 0)


def _messages(system: System) -> Iterator[Need]:
    """Of what holds a number of something: (table, objects, keys of the size and of the number, bytes that each has
    besides)."""
    for table, items, size, count, more in (
        ("mailbox", system.mailboxes, "message_size", "capacity", 0),
        ("ring", system.rings, "item_size", "capacity", 0),
        ("slot", system.slots, "message_size", "capacity", _PLACE),
        ("priority_mailbox", system.priority_mailboxes, "message_size", "capacity", _PLACE),
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


def trace_records(system: System, board: Board) -> int:
    """Records of the trace ring: a sixteenth of the board's memory, down to a power of two; lean: none."""
    if system.preset == "lean":
        return 0
    if not board.ram:
        return HOST_TRACE_RECORDS
    return max(64, 1 << (board.ram // 16 // RECORD_SIZE).bit_length() - 1)


def of_board(system: System, board: Board, cooperative: bool) -> list[Need]:
    """All that an image has on a board. `cooperative`: jobs have one stack."""
    needs = list(objects(system))
    if cooperative:
        stacks = [need for need in needs if need.table == "task"]
        needs = [need for need in needs if need.table != "task"] + sorted(stacks, key=lambda need: -need.size)[:1]
    needs.append(Need("", 0, "the trace", "", trace_records(system, board) * RECORD_SIZE))
    needs.append(Need("", 0, "the stack of interrupts", "", INTERRUPT_STACK if board.ram else 0))
    return [*needs, Need("", 0, "the stack of idle", "", IDLE_STACK)]


def check(document: Document, system: System) -> None:
    """UserError: one object is larger than OBJECT_MAX."""
    for need in objects(system):
        if need.size > OBJECT_MAX:
            label = f'[[{need.table}]] "{need.name}": {need.keys}: '
            problem = f"{label}{need.size} bytes, and at most {OBJECT_MAX} ({OBJECT_MAX >> 20} MiB) are possible"
            document.fail((need.table, need.index), problem, "a smaller one of them")


def largest(needs: list[Need]) -> str:
    """The largest, in words."""
    found = sorted(needs, key=lambda need: -need.size)[:LARGEST]
    return ", ".join(need.what for need in found if need.size)


def refuse(system: System, board: Board, cooperative: bool) -> None:
    """UserError: more than the board has, whatever the linker does."""
    needs = of_board(system, board, cooperative)
    whole, limit = sum(need.size for need in needs), board.ram or HOST_MAX
    if whole <= limit:
        return
    has = f"{board.name} has {limit} bytes of RAM" if board.ram else f"at most {limit} are possible"
    problem = f"its data needs at least {whole} bytes, and {has}; the largest: {largest(needs)}"
    raise UserError(f"{shown_path(system.path)}: {problem}", "less of the largest, or another board")
