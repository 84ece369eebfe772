# SPDX-License-Identifier: Apache-2.0
"""Regions against what the processors' manuals say of registers, which are written and read here."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from takt.declare.schema.boards import Space
from takt.image.regions import UNITS, Free, Mpu, Need, Packing, Pmp, pack
from takt.support.errors import UserError

# PMSAv7 (ARMv7-M Architecture Reference Manual, B3.5): MPU_RBAR.ADDR, and MPU_RASR.SIZE, SRD, ENABLE.


def mpu_grants(base_register: int, size_register: int, address: int) -> bool:
    """Whether the region covers an address."""
    if not size_register & 1:
        return False
    size = 1 << ((size_register >> 1 & 0x1F) + 1)
    base = base_register & ~0x1F
    if base % size or not base <= address < base + size:
        return False
    disabled = size_register >> 8 & 0xFF
    return size < 256 or not disabled >> ((address - base) // (size // 8)) & 1


def mpu_registers(base: int, size: int) -> tuple[int, int] | None:
    """A region that covers just that, by trying all: every size of region, every run of its eighths."""
    for exponent in range(5, 32):
        whole = 1 << exponent
        start = base // whole * whole
        for first in range(8):
            for last in range(first, 8):
                if whole < 256 and (first, last) != (0, 7):
                    continue
                part = whole // 8
                if (start + first * part, (last - first + 1) * part) == (base, size):
                    disabled = sum(1 << n for n in range(8) if not first <= n <= last)
                    return start, disabled << 8 | (exponent - 1) << 1 | 1
    return None


# PMP (RISC-V privileged architecture, 3.7): pmpaddr holds address >> 2; A is off, TOR, NA4 or NAPOT.
OFF, TOR, NA4, NAPOT = range(4)


def pmp_entries(regions: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Entries (A, pmpaddr) for regions in order, as few as this order allows."""
    entries: list[tuple[int, int]] = []
    end = None
    for base, size in regions:
        if size >= 8 and size & (size - 1) == 0 and base % size == 0:
            entries.append((NAPOT, (base | (size // 2 - 1)) >> 2))
        elif base == end and entries[-1][0] == TOR:
            entries.append((TOR, (base + size) >> 2))
        else:
            entries += [(OFF, base >> 2), (TOR, (base + size) >> 2)]
        end = base + size
    return entries


def pmp_grants(entries: list[tuple[int, int]], address: int) -> bool:
    """Whether any entry matches a byte."""
    before = 0
    for kind, value in entries:
        if kind == TOR and before << 2 <= address < value << 2:
            return True
        if kind == NAPOT:
            ones = (value ^ (value + 1)).bit_length() - 1  # trailing
            size = 8 << ones
            if address // size == (value << 2) // size:
                return True
        before = value
    return False


SIZES = some.one_of(some.integers(1, 300), some.integers(1, 70_000))


@settings(deadline=None)
@given(some.integers(0, 4096).map(lambda n: n * 16), some.integers(1, 512).map(lambda n: n * 8))
def test_what_the_mpu_can_say(base: int, size: int) -> None:
    """As trying all registers finds."""
    registers = mpu_registers(base, size)
    assert Mpu().says(base, size) == (registers is not None)
    if registers is not None:
        for address in (base - 1, base, base + size // 2, base + size - 1, base + size):
            assert mpu_grants(*registers, address) == (base <= address < base + size)


@settings(deadline=None)
@given(SIZES, some.integers(0, 1 << 20).map(lambda n: n * 4))
def test_an_mpu_region_for_a_size_is_the_least(size: int, low: int) -> None:
    """No smaller one holds so many bytes, whatever its address; and of a block so large there is none before."""
    shapes = list(Mpu().shapes(size, low))
    assert all(Mpu().says(base, length) and base >= low and length >= size for base, length in shapes)
    possible = [1 << n for n in range(5, 18)] + [k << n - 3 for n in range(8, 18) for k in range(1, 9)]
    assert min(length for _, length in shapes) == min(length for length in possible if length >= size)
    length, first = min((length, base) for base, length in shapes)
    earlier = list(range(-(-low // 32) * 32, first, 32))
    assert not any(mpu_registers(base, length) for base in earlier[-16:])


NEEDS = some.lists(some.tuples(SIZES, some.booleans(), some.integers(1, 7)), min_size=1, max_size=10)


def packed(rows: list[tuple[int, bool, int]], port: str, code: int, ram: int) -> tuple[Packing, dict[str, list[str]]]:
    """Three processes, each with a text, and needs that some of them reach (bits)."""
    names = ("a", "b", "c")
    needs = [Need("shared_text", 900, "code", names), *(Need(f"text_{name}", 500, "code", (name,)) for name in names)]
    order = {name: ["shared_text", f"text_{name}"] for name in names}
    for number, (size, in_code, mask) in enumerate(rows):
        reach = tuple(name for bit, name in enumerate(names) if mask >> bit & 1)
        needs.append(Need(f"n{number}", size, "code" if in_code else "ram", reach))
        for name in reach:
            order[name].append(f"n{number}")
    spaces = [Space("code", code, code + 0x80000), Space("ram", ram, ram + 0x80000)]
    return pack(needs, spaces, order, UNITS[port]), order


@pytest.mark.parametrize("port", ["armv7m", "rv32"])
@settings(deadline=None, max_examples=60)
@given(rows=NEEDS, start=some.integers(0, 5000).map(lambda n: n * 4))
def test_registers_grant_what_was_placed_and_nothing_else(
    port: str, rows: list[tuple[int, bool, int]], start: int
) -> None:
    """Of every process at every edge, as the registers decode; nothing lies in two regions, or outside."""
    code, ram = start, 0x2000_0000 + start
    if max(sum(mask >> bit & 1 for _, _, mask in rows) for bit in range(3)) + 2 > min(UNITS[port].entries, 8):
        with pytest.raises(UserError, match="too many"):
            packed(rows, port, code, ram)
        return
    found, order = packed(rows, port, code, ram)
    for before, after in pairwise(sorted(found.placed.values(), key=lambda one: one.base)):
        assert before.end <= after.base
    for one in found.placed.values():
        low = code if one.need.memory == "code" else ram
        assert low <= one.base <= one.end <= low + 0x80000
        assert one.size >= one.need.size
    edges = [one.base + off for one in found.placed.values() for off in (-1, 0, one.size - 1, one.size)]
    for process, names in order.items():
        mine = [found.placed[name] for name in names]
        regions = [(one.base, one.size) for one in mine]
        assert list(found.regions[process]) == names
        if port == "armv7m":
            registers = [mpu_registers(*region) for region in regions]
            assert len(registers) == found.entries[process] <= found.limit == 7
            granted = [any(pair is not None and mpu_grants(*pair, at) for pair in registers) for at in edges]
        else:
            entries = pmp_entries(regions)
            assert len(entries) == found.entries[process] <= found.limit == 15
            granted = [pmp_grants(entries, at) for at in edges]
        assert granted == [any(one.base <= at < one.end for one in mine) for at in edges]


def test_pmp_entries() -> None:
    """NAPOT takes one, TOR two, or one behind a TOR that it touches."""
    assert Pmp().taken([(0x1000, 0x100), (0x2000, 12), (0x200C, 20), (0x3000, 12)]) == 1 + 2 + 1 + 2
    assert Pmp().taken([(0x1000, 0x100), (0x1100, 12)]) == 1 + 2  # whose register holds no end
    assert Free().taken([(0, 12), (64, 12)]) == 2


def test_entries_are_saved_by_powers_of_two() -> None:
    """Eight regions of odd sizes are 16 entries, which are too many: what wastes least becomes one entry."""
    names = [f"n{number}" for number in range(8)]
    needs = [Need(name, 60 if number == 3 else 36, "ram", ("a",)) for number, name in enumerate(names)]
    found = pack(needs, [Space("ram", 0, 4096)], {"a": names}, Pmp())
    assert found.entries == {"a": 15}
    assert (found.placed["n3"].size, found.waste("a")) == (64, 4)


@pytest.mark.parametrize(
    ("size", "base", "says"),
    [(0x1000, 0x40004000, ""), (0x1800, 0x40004000, ""), (0x1000, 0x40004100, "cannot be one region of the MPU")],
)
def test_devices_stay_where_they_are(size: int, base: int, says: str) -> None:
    """And must be a region there."""
    needs = [Need("uart", size, None, ("a",), base)]
    if not says:
        assert pack(needs, [], {"a": ["uart"]}, Mpu()).placed["uart"].base == base
        return
    with pytest.raises(UserError, match=says) as error:
        pack(needs, [], {"a": ["uart"]}, Mpu())
    assert "4096 bytes at 0x40004000" in str(error.value)


def test_what_does_not_fit() -> None:
    """It says by how much."""
    need = Need("memory_a", 3000, "ram", ("a",))
    with pytest.raises(
        UserError, match=r"memory_a does not fit: 3072 bytes as a region of ram; 1072 bytes too few are free"
    ):
        pack([need], [Space("ram", 0, 2000)], {"a": ["memory_a"]}, Mpu())
    with pytest.raises(UserError, match=r"the largest free range, 3100 bytes, is not aligned for it"):
        pack([need], [Space("ram", 4, 3104)], {"a": ["memory_a"]}, Mpu())
    many = [Need(f"n{n}", 32, "ram", ("a",)) for n in range(9)]
    with pytest.raises(UserError, match=r'"a": 9 regions \(n0.*\), 2 too many: the MPU has 7'):
        pack(many, [Space("ram", 0, 4096)], {"a": [need.name for need in many]}, Mpu())
