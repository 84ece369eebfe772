# SPDX-License-Identifier: Apache-2.0
"""Guest instructions per kernel operation on mps2-an385, against the reviewed figures in benchmarks/golden.

PYTHONPATH=tools .venv/bin/python benchmarks/instructions.py [--update]: prints the table, or writes the golden anew.

An instruction is 64 ns of virtual time, which the board's clock resolves, so counts are exact and repeat. Method and
rows: benchmarks/kernel. What the processor does by itself at an interrupt (stacking) counts as nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from reviewed import PRESETS, Rows, report
from takt import boards
from takt.build import GROUPS
from takt.compile import BUILD, compile_preset, locked
from takt.provision import ROOT, require

BOARD = "mps2-an385"
GOLDEN = ROOT / "benchmarks" / "golden" / f"{BOARD}.json"
TASKS = (4, 16, 32)
KINDS = ("fixed", "edf")


def build(program: str, preset: str) -> Path:
    """The image of benchmarks/PROGRAM for a preset of the kernel."""
    board = boards.load(BOARD)
    require(*GROUPS[board.port])
    folder = BUILD / f"benchmark-{program}-{BOARD}-{preset}"
    source = ROOT / "benchmarks" / program
    settings = {
        "TAKT_BOARD": BOARD,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": preset,
        "TAKT_GENERATED": str(source),
        "TAKT_SOURCES": ";".join(str(path) for path in sorted(source.glob("*.c")) if path.name != "system.c"),
        "TAKT_INCLUDE": str(source),
    }
    with locked(folder):
        compile_preset(BOARD, folder, settings, f"building benchmarks/{program} ({preset})", "application")
    return folder / "application.elf"


def run(image: Path, **options: int) -> Rows:
    """One run of an image that prints one line of JSON."""
    command = boards.load(BOARD).run_command(image, dict(options))
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{image} {options}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    rows: Rows = json.loads(done.stdout)
    return rows


def measure(preset: str) -> Rows:
    """Every row of a preset."""
    image = build("kernel", preset)
    rows = run(image)
    for kind in KINDS:
        for tasks in TASKS:
            for name, value in run(image, jobs=tasks, edf=KINDS.index(kind)).items():
                rows[f"{name}_{kind}_{tasks}"] = value
    return rows


def measure_all() -> dict[str, Rows]:
    return {preset: measure(preset) for preset in PRESETS}


if __name__ == "__main__":
    sys.exit(report(measure_all(), GOLDEN, f"instructions on {BOARD}"))
