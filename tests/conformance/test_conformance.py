# SPDX-License-Identifier: Apache-2.0
"""kernel/test/conformance on every port, and the template of ports, which must compile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from running import EMULATED, EVERY_BOARD, FIRST_EMULATED, FULL, only_full
from suite import CASES, run
from takt.support.c.board import BoardStatus
from takt.support.provision import ROOT, require

# By default; applications of other tests run with standard, benchmarks with lean.
KERNELS = [("bands", "debug")]
BUILT = ("debug", "bands")  # one that is there already, and whose assertions are on
EACH = [(sched, preset) for sched in ("fixed", "bands") for preset in ("lean", "standard", "debug")]


@pytest.mark.parametrize(("sched", "preset"), EACH if FULL else KERNELS)
@pytest.mark.parametrize("board_name", EVERY_BOARD if FULL else EMULATED)
def test_every_case_passes(board_name: str, sched: str, preset: str) -> None:
    done = run(board_name, preset, sched)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if not line.startswith("PASS ")], done.stdout + done.stderr
    assert len(lines) == CASES
    assert done.returncode == 0


@pytest.mark.parametrize("board_name", FIRST_EMULATED)
def test_a_bad_address_is_recorded_and_ends_the_emulation(board_name: str) -> None:
    done = run(board_name, *BUILT, fault=1)
    assert "takt: fault exception address 0x" in done.stdout
    assert done.returncode == BoardStatus.FAULT


@pytest.mark.parametrize("board_name", EVERY_BOARD if FULL else EMULATED)
def test_a_failed_assertion_ends_the_run(board_name: str) -> None:
    done = run(board_name, *BUILT, fault=2)
    assert "conformance:2" in done.stdout + done.stderr
    assert done.returncode != 0


@only_full  # flight repeats itself in a usual run
@pytest.mark.parametrize("board_name", FIRST_EMULATED)
def test_two_runs_of_an_emulated_board_are_the_same(board_name: str) -> None:
    first, second = (run(board_name, *BUILT) for _ in range(2))
    assert first.stdout == second.stdout


@pytest.mark.parametrize("processes", [0, 1])
@pytest.mark.parametrize("compiler", ["gcc", "arm-none-eabi-gcc", "riscv64-unknown-elf-gcc"])
def test_the_template_compiles(compiler: str, processes: int, tmp_path: Path) -> None:
    require("host", "arm", "riscv")
    rooms = (
        "kernel/include",
        "kernel/config/preset/standard",
        "kernel/config/sched/fixed",
        "analysis/include",
        "ports/template",
    )
    includes = [ROOT, *(ROOT / room for room in rooms)]
    done = subprocess.run(
        [compiler, "-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Wmissing-prototypes", "-Werror", "-c"]
        + [f"-DTAKT_PROCESSES={processes}"]
        + [f"-I{folder}" for folder in includes]
        + [str(ROOT / "ports/template/port.c"), "-o", str(tmp_path / "port.o")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
