# SPDX-License-Identifier: Apache-2.0
"""kernel/test/conformance on every port, and the template of ports, which must compile."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest
from takt import boards
from takt.build import GROUPS, rooms
from takt.compile import BUILD, compile_preset, locked
from takt.provision import ROOT, require

SUITE = ROOT / "kernel" / "test" / "conformance"
LEVELS = 32  # as benchmarks have: their kernels are linked, not compiled again
OPTIONS: dict[str, dict[str, object]] = {
    "host": {"virtual": 1},
    "mps2-an385": {},
    "rv32-virt": {"masked": 1, "instruction_ns": 32},
}
EMULATED = [name for name in OPTIONS if name != "host"]
# Applications of other tests run with standard.
PRESETS = ("lean", "standard", "debug") if os.environ.get("TAKT_TEST_FULL") else ("lean", "debug")
CASES = 24


@cache
def image(board_name: str, preset: str, sched: str) -> Path:
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    folder = BUILD / f"conformance-{board_name}-{preset}-{sched}"
    sources = sorted(path for path in SUITE.glob("*.c") if path.name != "system.c")
    kind = {
        "TAKT_BOARD": board_name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": preset,
        "TAKT_SCHED": sched,
        "TAKT_LEVELS": str(LEVELS),
    }
    settings = {
        **kind,
        "TAKT_GENERATED": str(SUITE),
        "TAKT_SOURCES": ";".join(str(path) for path in sources),
        "TAKT_INCLUDE": str(SUITE),
    }
    with locked(folder):
        settings["TAKT_ROOMS"] = str(rooms(board, kind))
        compile_preset(board_name, folder, settings, f"building the suite for {board_name}", "application")
    return next(path for path in (folder / "application.elf", folder / "application") if path.exists())


def run(board_name: str, preset: str, sched: str = "fixed", **options: object) -> subprocess.CompletedProcess[str]:
    given = {**OPTIONS[board_name], **options}
    command = boards.load(board_name).run_command(image(board_name, preset, sched), given)
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("sched", ["fixed", "bands"])
@pytest.mark.parametrize("board_name", OPTIONS)
def test_every_case_passes(board_name: str, sched: str, preset: str) -> None:
    done = run(board_name, preset, sched)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if not line.startswith("PASS ")], done.stdout + done.stderr
    assert len(lines) == CASES
    assert done.returncode == 0


@pytest.mark.parametrize("board_name", EMULATED)
def test_a_bad_address_is_recorded_and_ends_the_emulation(board_name: str) -> None:
    done = run(board_name, "standard", fault=1)
    assert "takt: fault exception address 0x" in done.stdout
    assert done.returncode == 3


@pytest.mark.parametrize("board_name", OPTIONS)
def test_a_failed_assertion_ends_the_run(board_name: str) -> None:
    done = run(board_name, "standard", fault=2)
    assert "conformance:2" in done.stdout + done.stderr
    assert done.returncode != 0


@pytest.mark.parametrize("board_name", EMULATED)
def test_two_runs_of_an_emulated_board_are_the_same(board_name: str) -> None:
    first, second = (run(board_name, "standard") for _ in range(2))
    assert first.stdout == second.stdout


@pytest.mark.parametrize("processes", [0, 1])
@pytest.mark.parametrize("compiler", ["gcc", "arm-none-eabi-gcc", "riscv64-unknown-elf-gcc"])
def test_the_template_compiles(compiler: str, processes: int, tmp_path: Path) -> None:
    require("host", "arm", "riscv")
    rooms = ("kernel/include", "kernel/preset/standard", "kernel/sched/fixed", "analysis/include", "ports/template")
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
