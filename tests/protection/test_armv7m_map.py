# SPDX-License-Identifier: Apache-2.0
"""Regions of a process as ports/armv7m says them to the MPU, read back as ARMv7-M ARM, B3.5, has the registers."""

from __future__ import annotations

import ctypes
import random
import subprocess
from pathlib import Path

import pytest
from takt.support.provision import ROOT, require

READ, WRITE, EXECUTE = 1, 2, 4
REGIONS = 7
ROOMS = (
    "",
    "kernel/include",
    "kernel/config/preset/lean",
    "kernel/config/sched/fixed",
    "analysis/include",
    "ports/armv7m",
)

Ranges = list[tuple[int, int]]


class Region(ctypes.Structure):
    _fields_ = (
        ("base", ctypes.c_size_t),
        ("size", ctypes.c_uint32),
        ("access", ctypes.c_uint8),
        ("device", ctypes.c_uint8),
    )


class Map(ctypes.Structure):
    _fields_ = (("registers", ctypes.c_uint32 * (2 * REGIONS)),)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    require("host")
    built = tmp_path_factory.mktemp("map") / "map.so"
    command = ["gcc", "-std=c11", "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-DTAKT_PROCESSES=1"]
    command += [f"-I{ROOT / room}" for room in ROOMS]
    subprocess.run([*command, str(ROOT / "ports/armv7m/map.c"), "-o", str(built)], check=True)
    library = ctypes.CDLL(str(Path(built)))
    library.takt_port_map_make.restype = ctypes.c_bool
    return library


def make(port: ctypes.CDLL, regions: list[tuple[int, int, int, int]]) -> list[tuple[int, int]] | None:
    """Pairs of RBAR and RASR; None: cannot be said, and the map is as before."""
    made = Map((ctypes.c_uint32 * (2 * REGIONS))(*[0xDEAD] * (2 * REGIONS)))
    if not port.takt_port_map_make(
        ctypes.byref(made), (Region * len(regions))(*[Region(*region) for region in regions]), len(regions)
    ):
        assert list(made.registers) == [0xDEAD] * (2 * REGIONS)
        return None
    return list(zip(made.registers[::2], made.registers[1::2], strict=True))


def covered(base: int, rasr: int) -> Ranges:
    """What a region of the MPU covers, joined."""
    size = 1 << ((rasr >> 1 & 31) + 1)
    assert size >= 32
    assert base % size == 0
    disabled = rasr >> 8 & 0xFF
    if size < 256:
        assert disabled == 0
    eighth = size // 8
    found: Ranges = []
    for part in range(8):
        if disabled >> part & 1:
            continue
        begin = base + part * eighth
        if found and found[-1][1] == begin:
            found[-1] = (found[-1][0], begin + eighth)
        else:
            found.append((begin, begin + eighth))
    return found


def can_be_said(base: int, size: int) -> bool:
    """All runs of eighths of the blocks that are there, and all blocks."""
    for log2 in range(5, 33):
        block = 1 << log2
        begin = base // block * block
        steps = [block // 8 * step for step in range(9)] if log2 >= 8 else [0, block]
        edges = {begin + step for step in steps}
        if base in edges and base + size in edges:
            return base + size <= 1 << 32
    return False


def test_every_region_is_said_exactly_or_refused(port: ctypes.CDLL) -> None:
    chance = random.Random(6)
    said = 0
    for _ in range(20000):
        block = 1 << chance.randrange(5, 25)
        eighth = max(block // 8, 4)
        base = chance.randrange(0, (1 << 32) // block) * block + chance.randrange(0, 8) * eighth
        size = chance.choice((block, chance.randrange(1, 9) * eighth, chance.randrange(1, 4 * block)))
        made = make(port, [(base, size, READ, 0)])
        assert (made is not None) == can_be_said(base, size), (hex(base), size)
        if made is not None:
            said += 1
            assert made[0][0] & 31 == 16 | 0
            assert covered(made[0][0] & ~31, made[0][1]) == [(base, base + size)]
    assert said > 4000


@pytest.mark.parametrize("base", [0, 0xFFFFFFE0, 0x80000000])
def test_the_ends_of_the_addresses(port: ctypes.CDLL, base: int) -> None:
    for size in (1, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xE0000000):
        made = make(port, [(base, size, READ, 0)])
        assert (made is not None) == can_be_said(base, size), size
    assert make(port, [(base, 0, READ, 0)]) is None


def test_rights_are_those_that_were_asked_for(port: ctypes.CDLL) -> None:
    """AP: 2 the kernel writes and the process reads, 3 both write."""
    for device in (0, 1):
        for access in range(8):
            made = make(port, [(0x20000000, 64, access, device)])
            if not access & READ or (device and access & EXECUTE):
                assert made is None
                continue
            assert made is not None
            rasr = made[0][1]
            assert rasr & 1
            assert rasr >> 24 & 7 == (3 if access & WRITE else 2)
            assert rasr >> 28 & 1 == (0 if access & EXECUTE else 1)
            assert rasr >> 16 & 0x3F == (0 if device else 0b000010)  # TEX, S, C, B: strongly ordered; write-through


def test_regions_keep_their_order_and_the_others_are_off(port: ctypes.CDLL) -> None:
    regions = [(0x20000000 + 0x1000 * i, 32 << i, READ, 0) for i in range(REGIONS)]
    for count in range(REGIONS + 1):
        made = make(port, regions[:count])
        assert made is not None
        for number, (rbar, rasr) in enumerate(made):
            assert rbar & 31 == 16 | number
            if number < count:
                base, size, _, _ = regions[number]
                assert covered(rbar & ~31, rasr) == [(base, base + size)]
            else:
                assert rasr & 1 == 0


def test_an_eighth_region_or_a_bad_one_is_refused(port: ctypes.CDLL) -> None:
    good = (0x20000000, 32, READ, 0)
    assert make(port, [good] * (REGIONS + 1)) is None
    assert make(port, [good] * (REGIONS - 1) + [(0x20000010, 32, READ, 0)]) is None
