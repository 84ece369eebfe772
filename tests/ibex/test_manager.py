# SPDX-License-Identifier: Apache-2.0
"""The task manager in the system of ibex-soc, by a program of its own: its registers, its interrupt, its time."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from running import FULL
from takt.declare.schema import boards
from takt.image import simulator
from takt.support.provision import ROOT, require

PROGRAM = Path(__file__).parent / "manager" / "manager.c"
SOME = 1 << 31
ROUND_NS = 64 * 20  # in which each record's time is looked at once
WAKES_NS = 600  # until a program that sleeps has read the clock
only_full = pytest.mark.skipif(not FULL, reason="another simulator is built: takt test --full")


def compiled(folder: Path, *defines: str) -> Path:
    require("riscv")
    image = folder / "manager.elf"
    command = ["riscv64-unknown-elf-gcc", "-march=rv32imc_zicsr", "-mabi=ilp32", "-O2", "-Wall", "-Werror"]
    command += ["-ffreestanding", "-nostdlib", f"-I{ROOT}", *defines, "-Wl,--section-start=.reset=0x80000080"]
    command += ["-Wl,-n", "-Wl,-Ttext=0x80001000", "-Wl,-e,start", str(PROGRAM), "-o", str(image)]
    subprocess.run(command, check=True)
    return image


def said(program: Path, image: Path, *options: str) -> list[tuple[str, int]]:
    done = subprocess.run([str(program), *options, str(image)], capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (line.split() for line in done.stdout.splitlines())
    return [(name, int(number, 16)) for name, number in lines]


@pytest.mark.parametrize("options", [[], ["--access-cycles", "7"]])
def test_a_program_sees_registers_and_the_interrupt(tmp_path: Path, options: list[str]) -> None:
    board = boards.load("ibex-soc")
    program = simulator.require(board, pmp=False)
    assert program is not None
    read = said(program, compiled(tmp_path), *options)
    assert read[0] == ("info", 8 << 24 | 24 << 16 | 8 << 8 | 64)
    assert read[1] == ("cycles", 2 * 7 if options else 0)
    assert [number & 0xFF000000 for name, number in read if name == "key"] == [8 << 24]
    assert read[3:5] == [("next", SOME | 2), ("after", SOME | 1)]
    late = [number for name, number in read if name == "late"]
    assert len(late) == 2
    assert all(0 <= number <= ROUND_NS + WAKES_NS for number in late), late
    woken = [(name, number) for name, number in read[5:] if name != "late"]
    once = [("running", SOME | 1), ("pending", 1), ("take", SOME | 2), ("pending", 0)]
    assert woken == [*once, *once, ("now", 1)]


@pytest.mark.parametrize(("fetch", "data"), [(0, 0), (0, 5), (3, 0)])
def test_the_memory_has_wait_states(tmp_path: Path, fetch: int, data: int) -> None:
    """For each word of instructions, and each load and store; the task manager has none of them."""
    program = simulator.require(boards.load("ibex-soc"), pmp=False)
    assert program is not None
    waits = ("--fetch-waits", str(fetch), "--data-waits", str(data))
    read = dict(said(program, compiled(tmp_path, "-DMEMORY"), *waits))
    assert read["fetch"] == 65 * (1 + fetch)
    if fetch == 0:  # otherwise fetches and accesses overlap
        assert (read["data"], read["cycles"]) == (4 * data, 0)


def test_time_that_is_skipped_is_missed_by_the_task_manager_neither(tmp_path: Path) -> None:
    """To the cycle, for its visits to the records go on while time jumps. 900 ms of each cycle are too long: 1 ms."""
    board = boards.load("ibex-soc")
    program = simulator.require(board, pmp=False)
    assert program is not None
    image = compiled(tmp_path, "-DSHORT")
    assert said(program, image) == said(program, image, "--every-cycle")


@only_full
def test_classic_mode_counts_ticks(tmp_path: Path) -> None:
    program = simulator.require(boards.load("ibex-soc"), pmp=False, classic=True)
    assert program is not None
    read = said(program, compiled(tmp_path, "-DCLASSIC"))
    assert read[0] == ("info", SOME | 8 << 24 | 24 << 16 | 8 << 8 | 64)
    assert read[2:] == [("asleep", 0), ("left", 1), ("asleep", 0), ("awake", SOME | 1), ("pending", 1)]
