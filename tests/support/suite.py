# SPDX-License-Identifier: Apache-2.0
"""kernel/test/conformance as an image of any board, and its runs."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from running import on_board
from takt.declare.schema import boards
from takt.image import build, simulator
from takt.image.build import GROUPS, compile_application
from takt.support.compile import BUILD, locked
from takt.support.files import text_of
from takt.support.provision import ROOT, require

SUITE = ROOT / "kernel" / "test" / "conformance"
LEVELS = 32  # as benchmarks have: their kernels are linked, not compiled again
STRIDE = {"ibex-soc": 23}  # where simulating takes long: kernel/test/conformance/conformance.h
CASES = 24
ONE_SHOT = 2  # of them, which an engine with another timer has not


@cache
def image(board_name: str, preset: str, sched: str, engine: str = "software") -> Path:
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    folder = BUILD / f"conformance-{board_name}-{preset}-{sched}{build.engine_suffix(engine)}"
    sources = sorted(path for path in SUITE.glob("*.c") if path.name != "system.c")
    kind = {
        "TAKT_BOARD": board_name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": preset,
        "TAKT_SCHED": sched,
        "TAKT_LEVELS": str(LEVELS),
        **build.engine_setting(engine),
    }
    settings = {
        **kind,
        "TAKT_GENERATED": str(SUITE),
        "TAKT_SOURCES": ";".join(str(path) for path in sources),
        "TAKT_INCLUDE": str(SUITE),
    }
    with locked(folder):
        compile_application(board, kind, folder, settings, f"building the suite for {board_name}")
    return next(path for path in (folder / "application.elf", folder / "application") if path.exists())


def options_of(board_name: str) -> dict[str, object]:
    """Options of the suite for a board."""
    board = boards.load(board_name)
    given = {
        "virtual": int(board.zero_overheads),
        "masked": int(not board.interrupts_free),
        "instruction_ns": board.instruction_ns,
        "stride": STRIDE.get(board_name, 0),
    }
    return {name: value for name, value in given.items() if value}


def run(
    board_name: str, preset: str, sched: str = "fixed", engine: str = "software", **options: object
) -> subprocess.CompletedProcess[str]:
    given = {**options_of(board_name), **options}
    return execute(board_name, image(board_name, preset, sched, engine), given, protected=False)


def execute(
    board_name: str, built: Path, options: dict[str, object], *, protected: bool
) -> subprocess.CompletedProcess[str]:
    """An image of the suite, in its folder; an hour at most: a simulation takes 10 minutes, on a busy machine more."""
    program = simulator.require(boards.load(board_name), pmp=protected)
    done = on_board(board_name, built, options, program, within_s=3600)
    return subprocess.CompletedProcess(done.args, done.returncode, text_of(done.stdout), text_of(done.stderr))
