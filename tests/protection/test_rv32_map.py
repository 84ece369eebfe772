# SPDX-License-Identifier: Apache-2.0
"""What ports/rv32 tells the PMP of regions, against the PMP as the privileged specification (3.7) has it."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from takt.support.provision import ROOT

HERE = Path(__file__).resolve().parent
FOLDERS = (
    "",
    "kernel/include",
    "kernel/config/preset/lean",
    "kernel/config/sched/fixed",
    "ports/rv32",
    "analysis/include",
)
READ, WRITE, EXECUTE = 1, 2, 4
ACCESSES = (READ, READ | WRITE, READ | EXECUTE, READ | WRITE | EXECUTE, EXECUTE, 0)
TOP = 1 << 32

Region = tuple[int, int, int]
"""Base, size, access."""
Entries = list[tuple[int, int]]
"""Per entry its configuration and address, as the registers have them."""
Make = Callable[[list[Region]], Entries | None]


def make_with(folder: Path, entries: int) -> Make:
    includes = [f"-I{ROOT / name}" for name in FOLDERS]
    defines = ["-DTAKT_PROCESSES=1", "-DTAKT_LEVELS=32", f"-DTAKT_RV32_PMP_ENTRIES={entries}"]
    sources = [HERE / "rv32_map_shim.c", ROOT / "ports" / "rv32" / "pmp.c"]
    built = folder / f"pmp{entries}.so"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    subprocess.run(["gcc", *flags, *includes, *defines, *sources, "-o", built], check=True)
    library = ctypes.CDLL(str(built))
    library.shim_map.restype = ctypes.c_bool

    def make(regions: list[Region]) -> Entries | None:
        words = [word for region in regions for word in region]
        configs, addresses, used = (ctypes.c_uint8 * entries)(), (ctypes.c_uint32 * entries)(), ctypes.c_uint()
        given = (ctypes.c_uint32 * len(words))(*words)
        if not library.shim_map(len(regions), given, configs, addresses, ctypes.byref(used)):
            return None
        assert [byte for byte in configs[used.value + 1 :] if byte] == []  # what is not written is off
        return [(configs[i], addresses[i]) for i in range(entries)]

    return make


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    return make_with(tmp_path_factory.mktemp("pmp"), 16)


def extent(entries: Entries, number: int) -> tuple[int, int]:
    """What an entry matches: the first address, and the first after it."""
    config, address = entries[number]
    mode = config >> 3 & 3
    if mode == 0:
        return 0, 0
    if mode == 1:
        return (entries[number - 1][1] << 2 if number else 0), address << 2
    ones = 0 if mode == 2 else (~address & (address + 1)).bit_length()
    return (address >> ones << ones) << 2, ((address >> ones << ones) << 2) + (4 << ones)


def granted(entries: Entries, address: int) -> int | None:
    """What user mode may do with the word at `address`: of the first entry that matches; None: no entry does."""
    for number in range(1, len(entries)):
        low, high = extent(entries, number)
        if low <= address < high:
            return entries[number][0] & 7
    return None


def declared(regions: list[Region], address: int) -> int | None:
    return next((access for base, size, access in regions if base <= address < base + size), None)


def check(entries: Entries, regions: list[Region]) -> None:
    assert entries[0][0] == 0x18  # the guard: a power of two, no access, not locked
    edges = {edge for base, size, _ in regions for edge in (base, base + size)}
    points = {0, TOP - 4} | {edge + step for edge in edges for step in (-4, 0, 4)}
    points |= {base + size // 8 * 4 for base, size, _ in regions}
    for point in sorted(points):
        if 0 <= point < TOP:
            assert granted(entries, point) == declared(regions, point), (hex(point), regions, entries)


def disjoint(source: random.Random) -> list[Region]:
    """Regions of every form, many of them with common ends, in any order."""
    regions: list[Region] = []
    base = source.randrange(0, TOP // 2, 4)
    for _ in range(source.randint(1, 8)):
        words = source.choice((1, 2, 3, 8, 64, 100, 1024, 4096, source.randint(1, 1 << 20)))
        if source.random() < 0.5 and words & (words - 1) == 0:
            base = -(-base // (4 * words)) * 4 * words
        regions.append((base, 4 * words, source.choice(ACCESSES)))
        base += 4 * words + (0 if source.random() < 0.5 else source.randrange(0, 1 << 16, 4))
    if source.random() < 0.5:
        source.shuffle(regions)
    return regions


def test_the_pmp_grants_what_the_regions_say(make: Make) -> None:
    source = random.Random(6)
    made = 0
    for _ in range(3000):
        regions = disjoint(source)
        entries = make(regions)
        if entries is not None:
            made += 1
            check(entries, regions)
        else:  # each region takes two entries at most
            assert 2 * len(regions) > 15, regions
    assert made > 2500


def test_the_ends_of_the_addresses(make: Make) -> None:
    for regions in (
        [(0, 4, READ)],
        [(0, 12, READ)],
        [(TOP - 4, 4, READ)],
        [(TOP - 12, 12, READ)],
        [(TOP // 2, TOP // 2, READ)],
        [(4, TOP - 8, EXECUTE)],
    ):
        entries = make(regions)
        assert entries is not None
        check(entries, regions)


def test_regions_that_follow_each_other_share_an_address(make: Make) -> None:
    regions = [(0x1004 + 12 * i, 12, READ) for i in range(14)]
    entries = make(regions)
    assert entries is not None
    check(entries, regions)
    assert make([*regions, (0x1004 + 12 * 14, 12, READ)]) is None


@pytest.mark.parametrize(
    "region", [(0x1002, 8, READ), (0x1000, 6, READ), (0x1000, 0, READ), (0x1000, 8, WRITE), (TOP - 8, 12, READ)]
)
def test_what_the_pmp_cannot_say_is_refused(make: Make, region: Region) -> None:
    assert make([(0x2000, 32, READ), region]) is None


def test_a_processor_with_four_entries(tmp_path: Path) -> None:
    make = make_with(tmp_path, 4)
    regions = [(0x1000, 0x1000, READ | EXECUTE), (0x4000, 0x4000, READ | EXECUTE), (0x8000, 0x8000, READ | WRITE)]
    entries = make(regions)
    assert entries is not None
    check(entries, regions)
    assert make([*regions, (0x20000, 16, READ)]) is None
    assert make([(0x1000, 0x1000, READ), (0x4000, 0x1000, READ), (0x8004, 8, READ)]) is None
