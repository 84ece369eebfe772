# SPDX-License-Identifier: Apache-2.0
"""The memory that a declaration needs, and the limit for each object. Whether all of them fit into a board:
takt.prove.board_memory.

These are lower bounds: the size of a C type counts only if the declaration gives it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare import services
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service_calls import OBJECT_MAX


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
    def declared(self) -> str:
        """The table; of an object without one its name."""
        if not self.table:
            return self.name
        return f'[[{self.table}]] "{self.name}"' if self.name else f"[{self.table}]"

    @property
    def label(self) -> str:
        keys = f" ({self.keys})" if self.keys else ""
        return f"{self.declared} with {self.size} bytes{keys}"


def objects(system: System) -> Iterator[Need]:
    """The needs of all tables of a declaration."""
    for index, task in enumerate(system.tasks):
        yield Need("task", index, task.name, f"stack = {task.stack}", task.stack)
    for service, index, item in services.objects(system):
        if service.memory is not None:
            yield Need(service.kind, index, item.name, *service.memory(item))
    if system.heap_size and not system.protection:
        yield Need("system", 0, "", f"heap = {system.heap_size}", system.heap_size)
    for index, process in enumerate(system.processes):
        if system.protection:
            yield Need("process", index, process.name, f"heap = {process.heap}", process.heap)
        for key in ("memory", "buffers"):
            yield Need("process", index, process.name, f"{key} = {getattr(process, key)}", getattr(process, key))
    for index, shared in enumerate(system.shared):
        yield Need("shared", index, shared.name, f"size = {shared.size}", shared.size or 0)


def check(document: Document, system: System) -> None:
    """UserError: one object is larger than OBJECT_MAX."""
    for need in objects(system):
        if need.size > OBJECT_MAX:
            label = f"{need.declared}: {need.keys}: "
            problem = f"{label}{need.size} bytes, and at most {OBJECT_MAX} ({OBJECT_MAX >> 20} MiB) are possible"
            document.fail((need.table, need.index), problem, "a smaller one of them")
