# SPDX-License-Identifier: Apache-2.0
"""The codecs of benchmarks/rtm: the same on the board as on this machine, and decoders undo what encoders did."""

from __future__ import annotations

import math
import struct
import subprocess
from itertools import pairwise

import pytest
from running import FULL
from takt.bench.studies import rtm_runs
from takt.declare.schema import boards
from takt.image import simulator

PAIRS = ("gsm encode", "g726 encode", "adpcm encode", "cipher encrypt", "coremark performance")
FRAMES = 4
# What CoreMark's own table has of the first iteration of its runs: lists, matrices, the state machine.
CHECKSUMS = ((0xE714, 0x1FD7, 0x8E3A), (0xE3C1, 0x0747, 0x8D84))
KEPT = {"gsm encode": 4, "g726 encode": 20, "adpcm encode": 40}  # energy of the signal by that of the error, at least


def checked(command: list[str]) -> dict[str, list[int]]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split(":") for line in done.stdout.splitlines()]
    return {name: [int(word) for word in words.split()] for name, words in lines}


@pytest.fixture(scope="module")
def here() -> dict[str, list[int]]:
    return checked([str(rtm_runs.build("check", rtm_runs.HOST))])


def test_a_decoder_undoes_its_encoder(here: dict[str, list[int]]) -> None:
    assert set(here) >= {*PAIRS, "agrees"}
    for name, least in KEPT.items():
        energy, lost = here[name][2:]
        assert 0 < lost < energy / least, name
    assert here["cipher encrypt"][3] == 0


def fnv(data: bytes) -> int:
    """FNV-1a, as benchmarks/rtm/codecs/check.c."""
    found = 2166136261
    for byte in data:
        found = (found ^ byte) * 16777619 & 0xFFFFFFFF
    return found


def test_the_suite_computes_what_it_knows(here: dict[str, list[int]]) -> None:
    """In each frame."""
    frames = [struct.pack("<3I", *checksums) * FRAMES for checksums in CHECKSUMS]
    assert here["coremark performance"][:2] == [fnv(frame) for frame in frames]


def test_both_parties_find_the_key(here: dict[str, list[int]]) -> None:
    assert here["agrees"] == [1]


@pytest.mark.skipif(not FULL, reason="codecs, cycle by cycle: takt test --full")
def test_the_board_computes_the_same(here: dict[str, list[int]]) -> None:
    program = simulator.require(boards.load(rtm_runs.BOARD), pmp=False)
    there = checked([str(program), str(rtm_runs.build("check")), "short=1"])
    assert there == {name: here[name] for name in PAIRS}


def test_interrupts_come_at_geometric_distances(here: dict[str, list[int]]) -> None:
    """In the mean, and in how many are longer than the mean, and than three of them. Of 40 seeds, 16000 gaps."""
    seeds = [times for name, times in here.items() if name.startswith("arrivals")]
    gaps = [after - before for times in seeds for before, after in pairwise([0, *times])]
    mean_ns = 10_000_000
    assert sum(gaps) / len(gaps) == pytest.approx(mean_ns, rel=0.03)
    for times in (1, 3):
        share = sum(gap > times * mean_ns for gap in gaps) / len(gaps)
        assert share == pytest.approx(math.exp(-times), rel=0.06)
    assert len({tuple(times) for times in seeds}) == len(seeds) == 40
