# SPDX-License-Identifier: Apache-2.0
"""Images of benchmarks/rtm: the experiments of seed 001, on the board ibex-soc; codecs from a package registry."""

from __future__ import annotations

from pathlib import Path

from takt.bench import peers
from takt.declare.schema import boards
from takt.image.build import GROUPS, engine_setting, rooms
from takt.support.compile import BUILD, compile_project, locked
from takt.support.provision import ROOT, require

SOURCE = ROOT / "benchmarks" / "rtm"
BOARD = "ibex-soc"
HOST = "host"


LEVELS = 64  # 62 tasks have one each, and idle
TAKT = "takt"
ENGINES = {"software": "software", "manager": "rtm"}


def build(target: str, board: str = BOARD, kernel: Path | None = None) -> Path:
    """A program of benchmarks/rtm/CMakeLists.txt. UserError: it cannot be built, or a package not be fetched.

    `kernel`: Takt's, which the target is linked with (takt.image.build.rooms).
    """
    require("host", "peers", *(("riscv",) if board == BOARD else ()))
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "BOARD": board,
        "GSM": str(peers.fetch(peers.GSM)),
        "SPANDSP": str(peers.fetch(peers.SPANDSP)),
        "MONOCYPHER": str(peers.fetch(peers.MONOCYPHER)),
    }
    folder = BUILD / f"benchmark-rtm-{board}"
    if kernel is not None:
        settings["TAKT_ROOMS"] = str(kernel)
        folder = folder.with_name(f"{folder.name}-{kernel.name}")
    elif board == BOARD:
        settings["FREERTOS"] = str(peers.fetch(peers.FREERTOS))
    with locked(folder):
        compile_project(SOURCE, folder, settings, f"building benchmarks/rtm for {board}", target)
    return folder / (target if board == HOST else f"{target}.elf")


def workload(kernel: str, kind: str, tick_us: int) -> Path:
    """The workload on a kernel; beside it the linker's map. UserError: as build."""
    if kernel == TAKT:
        return build(f"workload-{TAKT}", kernel=_rooms(kind))
    image = f"workload-{kernel}-{kind}"
    return build(f"{image}-{tick_us}" if kernel == "freertos" else image)


def _rooms(kind: str) -> Path:
    """Takt as `takt build` would make it for a lean system of fixed bands."""
    board = boards.load(BOARD)
    wanted = {
        "TAKT_BOARD": BOARD,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": "lean",
        "TAKT_SCHED": "fixed",
        "TAKT_LEVELS": str(LEVELS),
        **engine_setting(ENGINES[kind]),
    }
    require(*GROUPS[board.port])
    return rooms(board, wanted)
