# SPDX-License-Identifier: Apache-2.0
"""Images of benchmarks/rtm: the experiments of seed 001, on the board ibex-soc; codecs from a package registry."""

from __future__ import annotations

from pathlib import Path

from takt.bench import peers
from takt.compile import BUILD, compile_project, locked
from takt.provision import ROOT, require

SOURCE = ROOT / "benchmarks" / "rtm"
BOARD = "ibex-soc"
HOST = "host"


def build(target: str, board: str = BOARD) -> Path:
    """A program of benchmarks/rtm/CMakeLists.txt. UserError: it cannot be built, or a package not be fetched."""
    require("host", "peers", *(("riscv",) if board == BOARD else ()))
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "BOARD": board,
        "GSM": str(peers.fetch(peers.GSM)),
        "SPANDSP": str(peers.fetch(peers.SPANDSP)),
        "MONOCYPHER": str(peers.fetch(peers.MONOCYPHER)),
    }
    folder = BUILD / f"benchmark-rtm-{board}"
    with locked(folder):
        compile_project(SOURCE, folder, settings, f"building benchmarks/rtm for {board}", target)
    return folder / (target if board == HOST else f"{target}.elf")
