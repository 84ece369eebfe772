# SPDX-License-Identifier: Apache-2.0
"""tests/protection/contexts on every port with user mode: contexts, traps, faults; the rest of the kernel apart."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest
from takt import boards
from takt.build import GROUPS
from takt.compile import BUILD, compile_preset, locked
from takt.provision import ROOT, require

CONTEXTS = ROOT / "tests" / "protection" / "contexts"
SOURCES = ("calls.c", "process_a.c", "process_b.c", "shared.c")
BOARDS = ("rv32-virt",)
SCENARIOS = 68  # and the checks before them; besides, each instruction that is privileged
PRIVILEGED = {"rv32-virt": 8}
KERNELS = [("lean", "fixed"), ("debug", "budgets")]
if os.environ.get("TAKT_TEST_FULL"):
    KERNELS += [("standard", "bands"), ("lean", "bands"), ("debug", "fixed")]


@cache
def image(board_name: str, preset: str, sched: str) -> Path:
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    folder = BUILD / f"contexts-{board_name}-{preset}-{sched}"
    script = CONTEXTS / "processes.ld"
    settings = {
        "TAKT_BOARD": board_name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": preset,
        "TAKT_SCHED": sched,
        "TAKT_PROCESSES": "ON",
        "TAKT_GENERATED": str(CONTEXTS),
        "TAKT_SOURCES": ";".join(str(CONTEXTS / name) for name in SOURCES),
        "TAKT_INCLUDE": str(CONTEXTS),
        "CMAKE_EXE_LINKER_FLAGS": f"-T{script}",
    }
    built = folder / "application.elf"
    with locked(folder):
        if built.exists() and built.stat().st_mtime < script.stat().st_mtime:
            built.unlink()  # ninja does not know of the script
        compile_preset(board_name, folder, settings, f"building the contexts for {board_name}", "application")
    return built


@pytest.mark.parametrize(("preset", "sched"), KERNELS)
@pytest.mark.parametrize("board_name", BOARDS)
def test_every_context_and_fault_is_as_it_should_be(board_name: str, preset: str, sched: str) -> None:
    command = boards.load(board_name).run_command(image(board_name, preset, sched), {})
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if not line.startswith("PASS ")], done.stdout + done.stderr
    assert len(lines) == SCENARIOS + PRIVILEGED[board_name]
    assert done.returncode == 0
