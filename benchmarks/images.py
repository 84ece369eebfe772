# SPDX-License-Identifier: Apache-2.0
"""Images of benchmarks: a folder of benchmarks/ with a system.c, built for a board and a preset, and run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from reviewed import Rows
from takt import boards
from takt.build import GROUPS
from takt.compile import BUILD, compile_preset, locked
from takt.provision import ROOT, require


def build(program: str, board_name: str, preset: str) -> Path:
    """The image of benchmarks/PROGRAM. What is the board's own in it stands in a folder of the board's name there."""
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    folder = BUILD / f"benchmark-{program}-{board.name}-{preset}"
    source = ROOT / "benchmarks" / program
    settings = {
        "TAKT_BOARD": board.name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": preset,
        "TAKT_GENERATED": str(source),
        "TAKT_SOURCES": ";".join(str(path) for path in sorted(source.glob("*.c")) if path.name != "system.c"),
        "TAKT_INCLUDE": f"{source};{source / board.name}",
    }
    with locked(folder):
        compile_preset(board.name, folder, settings, f"building benchmarks/{program} ({preset})", "application")
    return folder / "application.elf"


def run(image: Path, board_name: str, **options: int) -> Rows:
    """One run of an image that prints one line of JSON."""
    command = boards.load(board_name).run_command(image, dict(options))
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{image} {options}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    rows: Rows = json.loads(done.stdout)
    return rows
