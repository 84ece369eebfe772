# SPDX-License-Identifier: Apache-2.0
"""Places memory so that a processor's regions can describe the access rights. Addresses and sizes in bytes.

MPU (ARMv7-M, PMSAv7): a region is a power of two from 32, aligned to itself; from 256 on its eighths can be left out,
so that a run of eighths is a region too. PMP (RISC-V): a power of two from 8, aligned to itself, takes one entry
(NAPOT); anything that begins and ends at a multiple of 4 takes two (TOR), or one where it begins at the end of a TOR
region that stands before it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from takt.declare.schema.boards import Space
from takt.support.c.kernel import PROCESS_REGIONS
from takt.support.errors import UserError


@dataclass(frozen=True)
class Need:
    """Bytes that are to be a region. `memory`: in which of the free spaces; None: at `base`, where it is already."""

    name: str
    size: int  # > 0
    memory: str | None
    processes: tuple[str, ...]  # those that reach it
    base: int = 0


@dataclass(frozen=True)
class Placed:
    """Where a need is: `size` bytes from `base` are granted, of which the first are used."""

    need: Need
    base: int
    size: int

    @property
    def end(self) -> int:
        return self.base + self.size

    @property
    def waste(self) -> int:
        """Bytes that nothing is in."""
        return self.size - self.need.size


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _power(value: int) -> int:
    """The least power of two that is no less."""
    return 1 << max(0, value - 1).bit_length()


class Unit(ABC):
    """What a processor's regions can say."""

    name = ""
    entries = 0
    """For a process, the guard of the stack not counted."""

    @abstractmethod
    def shapes(self, size: int, low: int) -> Iterator[tuple[int, int]]:
        """Bases and sizes of regions of at least `size` bytes, each the first from `low` on."""

    @abstractmethod
    def says(self, base: int, size: int) -> bool:
        """Whether that is a region."""

    def taken(self, regions: Sequence[tuple[int, int]]) -> int:
        """Entries that regions take, in their order."""
        return len(regions)


class Mpu(Unit):
    name, entries = "MPU", 7

    def shapes(self, size: int, low: int) -> Iterator[tuple[int, int]]:
        least = max(32, _power(size))
        for block in (least, 2 * least, 4 * least, 8 * least):
            if block < 256:
                yield _up(low, block), block
                continue
            part = block // 8
            base, length = _up(low, part), _up(size, part)
            if base % block + length > block:
                base = _up(low, block)
            yield base, length

    def says(self, base: int, size: int) -> bool:
        if size >= 32 and size == _power(size) and base % size == 0:
            return True
        block = max(256, _power(size))
        while block <= 1 << 32:
            part = block // 8
            if base % part == 0 and size % part == 0 and base % block + size <= block:
                return True
            block *= 2
        return False


class Pmp(Unit):
    name, entries = "PMP", 15

    def shapes(self, size: int, low: int) -> Iterator[tuple[int, int]]:
        yield _up(low, 32), _up(size, 4)

    def whole(self, size: int, low: int) -> tuple[int, int]:
        """As a power of two."""
        length = max(8, _power(size))
        return _up(low, max(length, 32)), length

    def says(self, base: int, size: int) -> bool:
        return size > 0 and base % 4 == 0 and size % 4 == 0

    def taken(self, regions: Sequence[tuple[int, int]]) -> int:
        count, end = 0, None
        for base, size in regions:
            whole = size >= 8 and size == _power(size) and base % size == 0
            count += 1 if whole or base == end else 2
            end = None if whole else base + size  # the register of a NAPOT entry holds no end
        return count


class Free(Unit):
    """A machine without protection of memory: anything is a region."""

    name, entries = "none", PROCESS_REGIONS

    def shapes(self, size: int, low: int) -> Iterator[tuple[int, int]]:
        yield _up(low, 32), _up(size, 4)

    def says(self, base: int, size: int) -> bool:
        return size > 0


UNITS: dict[str, Unit] = {"armv7m": Mpu(), "rv32": Pmp(), "host": Free()}
"""By port."""


@dataclass(frozen=True)
class Packing:
    """`placed`: by name. `regions`: per process the names of its regions, in order. `entries`: per process those taken
    of `limit`."""

    placed: Mapping[str, Placed]
    regions: Mapping[str, tuple[str, ...]]
    entries: Mapping[str, int]
    limit: int
    unit: str

    def waste(self, process: str) -> int:
        """Bytes of its regions that nothing is in; those that it shares count for each."""
        return sum(self.placed[name].waste for name in self.regions[process])


@dataclass
class _Memory:
    """Free intervals of each space, while it is filled."""

    free: list[Space] = field(default_factory=list)

    def take(self, unit: Unit, need: Need, whole: bool) -> Placed:
        best: Placed | None = None
        for space in self.free:
            if space.memory != need.memory:
                continue
            shapes: Iterable[tuple[int, int]] = unit.shapes(need.size, space.base)
            if whole and isinstance(unit, Pmp):
                shapes = [unit.whole(need.size, space.base)]
            for base, size in shapes:
                found = Placed(need, base, size)
                if found.end <= space.end and (best is None or (size, found.end) < (best.size, best.end)):
                    best = found
        if best is None:
            least = min(size for _, size in unit.shapes(need.size, 0))
            largest = max((space.end - space.base for space in self.free if space.memory == need.memory), default=0)
            lacking = max(least - largest, 0)
            how = (
                f"{lacking} bytes too few are free"
                if lacking
                else f"the largest free range, {largest} bytes, is not aligned for it"
            )
            raise UserError(
                f"{need.name} does not fit: {least} bytes as a region of {need.memory}; {how}",
                "smaller stacks, memory or objects, fewer processes, or another board",
            )
        self._split(best)
        return best

    def _split(self, placed: Placed) -> None:
        for index, space in enumerate(self.free):
            if space.memory == placed.need.memory and space.base <= placed.base and placed.end <= space.end:
                pieces = (replace(space, end=placed.base), replace(space, base=placed.end))
                self.free[index : index + 1] = [piece for piece in pieces if piece.base < piece.end]
                return


def refuse_too_many(order: Mapping[str, Sequence[str]], unit: Unit) -> None:
    """UserError: a process has more regions than the processor supports at once."""
    for process, names in order.items():
        limit = min(unit.entries, PROCESS_REGIONS)
        if len(names) > limit:
            problem = (
                f'[[process]] "{process}": {len(names)} regions ({", ".join(names)}), {len(names) - limit} too many'
            )
            raise UserError(
                f"{problem}: the {unit.name} has {limit} for a process",
                "give shared memory the same read and write, which joins it in one region; fewer devices; or "
                "join processes",
            )


def pack(
    needs: Sequence[Need],
    spaces: Sequence[Space],
    order: Mapping[str, Sequence[str]],
    unit: Unit,
) -> Packing:
    """Places every need. `order`: per process the names of its regions, in the order of the processor's regions.

    The largest go first, each where the least is lost. UserError: what does not fit, and by how much.
    """
    by_name = {need.name: need for need in needs}
    refuse_too_many(order, unit)
    whole: set[str] = set()
    while True:
        memory = _Memory(list(spaces))
        placed = {need.name: _stands(unit, need) for need in needs if need.memory is None}
        for need in sorted(
            (need for need in needs if need.memory is not None), key=lambda need: (-need.size, need.name)
        ):
            placed[need.name] = memory.take(unit, need, need.name in whole)
        entries = {
            process: unit.taken([(placed[name].base, placed[name].size) for name in names])
            for process, names in order.items()
        }
        over = [process for process, count in entries.items() if count > unit.entries]
        if not over:
            return Packing(
                placed, {name: tuple(names) for name, names in order.items()}, entries, unit.entries, unit.name
            )
        more = {
            name: _power(by_name[name].size) - by_name[name].size
            for process in over
            for name in order[process]
            if name not in whole and by_name[name].memory is not None
        }
        if not more:
            problem = (
                f'[[process]] "{over[0]}": needs {entries[over[0]]} entries of the {unit.name}, which has '
                f"{unit.entries}"
            )
            raise UserError(problem, "devices whose size is a power of two, and base a multiple of it")
        whole.add(min(more, key=lambda name: (more[name], name)))


def _stands(unit: Unit, need: Need) -> Placed:
    """What has its address already. UserError: that is no region."""
    if not unit.says(need.base, need.size):
        problem = (
            f'[[device]] "{need.name}": {need.size} bytes at {need.base:#x} cannot be one region of the {unit.name}'
        )
        block = _power(max(need.size, 32))
        raise UserError(
            problem,
            f"a size that is a power of two and a base that is a multiple of it: {block} bytes at "
            f"{need.base // block * block:#x}",
        )
    return Placed(need, need.base, need.size)
