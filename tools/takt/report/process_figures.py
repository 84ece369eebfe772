# SPDX-License-Identifier: Apache-2.0
"""What each process of a protected system takes: regions of the processor, bytes of code and memory, what is lost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from takt.image import build, protected, regions
from takt.image.tables import process_code
from takt.prove.proof import Proved
from takt.support.errors import UserError


@dataclass(frozen=True)
class Region:
    """As the last build placed it; without one `base`, `size` and `waste` are None."""

    name: str
    write: bool
    base: int | None
    size: int | None  # bytes
    waste: int | None  # of them, that nothing is in


@dataclass(frozen=True)
class Figures:
    """Of a process. `entries`: of the processor's registers, of `entries_max`; None: not built. Bytes: `stacks` and
    `quota` are declared, `code`, `memory`, `places` (of the kernel's memory) and `waste` of the last build, or None."""

    name: str
    tasks: tuple[str, ...]
    regions: tuple[Region, ...]
    entries: int | None
    entries_max: int
    stacks: int
    quota: int
    code: int | None
    memory: int | None
    places: int | None
    waste: int | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def line(self) -> str:
        """In one line."""
        taken = len(self.regions) if self.entries is None else self.entries
        text = f"process {self.name}: {taken} of {self.entries_max} regions, {self.stacks} bytes of stacks"
        text += f", {self.quota} bytes to allocate" if self.quota else ""
        if self.code is None:
            return f"{text}; not built yet"
        text += f"; {self.code} of code, {self.memory} of memory, {self.waste} lost to alignment"
        return f"{text}, {self.places} of the kernel's memory for objects that it may create" if self.places else text


def figures(proved: Proved) -> list[Figures]:
    """Of each process, with what the last build of this declaration measured; none without protection.

    UserError: one needs more regions than there are.
    """
    system, board = proved.system, proved.board
    if not system.protection:
        return []
    unit = regions.UNITS.get(board.port)
    if unit is None:
        raise UserError(f"{board.name}: its port {board.port} has no protection", "--no-protection, or another board")
    order = {process.name: process_code.region_names(system, process) for process in system.processes}
    regions.refuse_too_many(order, unit)
    last = protected.last(proved, build.folder_of(system, board, proved.choice.scheduler))
    writable = {group.name: dict(group.rights) for group in process_code.groups(system)}
    found = []
    for process in system.processes:
        text, memory = process_code.text_of(process), process_code.memory_of(process)
        rows = []
        for name in order[process.name]:
            write = name == memory or name in process.devices or writable.get(name, {}).get(process.name, False)
            placed = last.packing.placed[name] if last is not None else None
            where = (None, None, None) if placed is None else (placed.base, placed.size, placed.waste)
            rows.append(Region(name, write, *where))
        found.append(
            Figures(
                name=process.name,
                tasks=process.tasks,
                regions=tuple(rows),
                entries=None if last is None else last.packing.entries[process.name],
                entries_max=unit.entries,
                stacks=sum(system.task(name).stack for name in process.tasks),
                quota=process.memory,
                code=None if last is None else last.measured.used[text],
                memory=None if last is None else last.measured.used[memory] + process.memory,
                places=None if last is None else last.measured.created[process.name],
                waste=None if last is None else last.packing.waste(process.name),
            )
        )
    return found
