# SPDX-License-Identifier: Apache-2.0
"""tests/protection/contexts on every port with user mode: contexts, traps, faults; the rest of the kernel apart."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest
from running import FULL, on_board
from takt.declare.schema import boards
from takt.image.build import GROUPS, compile_application
from takt.support.c.board import BoardStatus
from takt.support.compile import BUILD, locked
from takt.support.files import text_of
from takt.support.provision import ROOT, require

CONTEXTS = ROOT / "tests" / "protection" / "contexts"
SOURCES = ("calls.c", "report.c", "process_a.c", "figures_process_a.c", "process_b.c", "shared.c")
BOARDS = ("mps2-an385", *(("rv32-virt",) if FULL else ()))
SCENARIOS = 77  # and the checks before them; besides, what is privileged or special on a processor
SPECIAL = {"mps2-an385": 8 + 23, "rv32-virt": 8}
CALL = {"mps2-an385": 60, "rv32-virt": 50}  # instructions more than a function
KERNELS = [("lean", "fixed")]
if FULL:
    KERNELS += [("debug", "budgets"), ("standard", "bands"), ("lean", "bands"), ("debug", "fixed")]


@cache
def image(board_name: str, preset: str, sched: str) -> Path:
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    folder = BUILD / f"contexts-{board_name}-{preset}-{sched}"
    script = CONTEXTS / "processes.ld"
    kind = {
        "TAKT_BOARD": board_name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": preset,
        "TAKT_SCHED": sched,
        "TAKT_LEVELS": "32",
        "TAKT_PROCESSES": "ON",
    }
    settings = {
        **kind,
        "TAKT_GENERATED": str(CONTEXTS),
        "TAKT_SOURCES": ";".join(str(CONTEXTS / name) for name in SOURCES),
        "TAKT_INCLUDE": str(CONTEXTS),
        # What the kernel has as well, the test has instead.
        "CMAKE_EXE_LINKER_FLAGS": f"-T{script} -Wl,--allow-multiple-definition",
    }
    built = folder / "application.elf"
    with locked(folder):
        if built.exists() and built.stat().st_mtime < script.stat().st_mtime:
            built.unlink()  # ninja does not know of the script
        compile_application(board, kind, folder, settings, f"building the contexts for {board_name}")
    return built


@cache
def run(board_name: str, preset: str, sched: str, **options: object) -> subprocess.CompletedProcess[str]:
    done = on_board(board_name, image(board_name, preset, sched), options)
    return subprocess.CompletedProcess(done.args, done.returncode, text_of(done.stdout), text_of(done.stderr))


@pytest.mark.parametrize(("preset", "sched"), KERNELS)
@pytest.mark.parametrize("board_name", BOARDS)
def test_every_context_and_fault_is_as_it_should_be(board_name: str, preset: str, sched: str) -> None:
    done = run(board_name, preset, sched)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("FIGURE ")]
    assert not [line for line in lines if not line.startswith("PASS ")], done.stdout + done.stderr
    assert len(lines) == SCENARIOS + SPECIAL[board_name]
    assert done.returncode == 0


@pytest.mark.parametrize("board_name", BOARDS)
def test_a_call_and_a_switch_cost_what_was_promised(board_name: str) -> None:
    lines = [line.split() for line in run(board_name, "lean", "fixed").stdout.splitlines()]
    figures = {line[1]: int(line[2], 16) for line in lines if line[0] == "FIGURE"}
    assert 0 < figures["call"] - figures["function"] < CALL[board_name]
    for what in ("yield", "wake"):
        assert figures[f"{what}_within"] < figures[f"{what}_across"] <= 1.5 * figures[f"{what}_within"]


@pytest.mark.parametrize("place", [1, 2, 3])
@pytest.mark.parametrize("board_name", BOARDS)
def test_a_fault_of_the_kernel_ends_the_run(board_name: str, place: int) -> None:
    """In an interrupt, in a call, in idle."""
    done = run(board_name, "lean", "fixed", fault=place)
    assert "takt: fault exception address 0x" in done.stdout
    assert done.returncode == BoardStatus.FAULT
