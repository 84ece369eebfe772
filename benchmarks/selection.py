# SPDX-License-Identifier: Apache-2.0
"""What the queue of an edf level costs, by structure and number of tasks: guest instructions, worst and mean.

PYTHONPATH=tools .venv/bin/python benchmarks/selection.py [--json] [BOARD ...]

Prints one table per board and operation; with --json one document instead. Without a board: every one whose tools are
installed. One image per structure of benchmarks/selection, linked with the same measure.c, which compares every answer
with a naive oracle and ends the run at the first that differs. A figure holds the call, its argument and the return.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "benchmarks" / "selection"
BUILD = ROOT / "build" / "benchmark-selection"
STRUCTURES = (
    "scan",
    "scan_cached",
    "sorted_list",
    "sorted_row",
    "heap_2",
    "heap_4",
    "leftist",
    "tournament_64",
    "tournament_fit",
    "heats",
)
OPERATIONS = ("insert", "remove_first", "remove_any", "first", "release", "completion", "cycle")
COMMON = (
    "base/heats.c",
    *(f"benchmarks/selection/{name}.c" for name in ("leftist_heap", "tournament_tree", "measure")),
)
WORKERS = 2


@dataclass(frozen=True)
class Target:
    """An emulated processor. `compile` and `link` are the compiler's flags for it, `run` what runs an image."""

    compiler: str
    compile: tuple[str, ...]
    link: tuple[str, ...]
    run: tuple[str, ...]


SERIAL = ("-display", "none", "-monitor", "none", "-serial", "stdio")
SEMIHOSTING = ("-semihosting-config", "enable=on,target=native")
TARGETS = {
    "mps2-an385": Target(
        "arm-none-eabi-gcc",
        ("-mcpu=cortex-m3", "-mthumb"),
        ("-mcpu=cortex-m3", "-mthumb"),
        ("qemu-system-arm", "-M", "mps2-an385", *SERIAL, "-icount", "shift=6,sleep=off", *SEMIHOSTING),
    ),
    "rv32-virt": Target(
        "riscv64-unknown-elf-gcc",
        ("-march=rv32imac_zicsr", "-mabi=ilp32"),
        ("-march=rv32imac", "-mabi=ilp32", "-Wl,--no-warn-rwx-segments"),  # told of Zicsr, it takes the RV64 libraries
        ("qemu-system-riscv32", "-M", "virt", "-bios", "none", *SERIAL, "-icount", "shift=0,sleep=off"),
    ),
}


def run(command: list[str]) -> str:
    """The output of a command. SystemExit when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(board: str, structure: str) -> Path:
    """The image of a structure."""
    target = TARGETS[board]
    folder = BUILD / board / structure
    folder.mkdir(parents=True, exist_ok=True)
    objects = []
    sources = (*COMMON, f"benchmarks/selection/{board}.c", f"benchmarks/selection/{structure}.c")
    for source in sources:
        name = folder / (source.replace("/", "-") + ".o")
        flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding", f"-I{ROOT}", f"-I{SOURCES}"]
        run([target.compiler, *target.compile, *flags, "-c", str(ROOT / source), "-o", str(name)])
        objects.append(str(name))
    image = folder / "image.elf"
    script = str(SOURCES / f"{board}.ld")
    run([target.compiler, *target.link, "-nostdlib", "-T", script, *objects, "-lgcc", "-o", str(image)])
    return image


def measure(board: str, structure: str) -> list[dict[str, Any]]:
    """The rows of a structure, one for each number of tasks."""
    rows = []
    for found in json.loads(run([*TARGETS[board].run, "-kernel", str(build(board, structure))])):
        row: dict[str, Any] = {"structure": structure, "tasks": found["tasks"]}
        row["bytes"] = found["bytes_per_level"] + found["bytes_per_task"] * found["tasks"]
        for operation in OPERATIONS[:-1]:
            total, count, worst = found[operation]
            row[operation] = {"mean": round(total / count, 1), "max": worst}
        row["cycle"] = {
            "mean": round(row["release"]["mean"] + row["completion"]["mean"], 1),
            "max": row["release"]["max"] + row["completion"]["max"],
        }
        rows.append(row)
    return rows


def measure_board(board: str) -> list[dict[str, Any]]:
    with ThreadPoolExecutor(WORKERS) as pool:
        return [row for rows in pool.map(lambda name: measure(board, name), STRUCTURES) for row in rows]


def show(board: str, rows: list[dict[str, Any]]) -> None:
    sizes = sorted({row["tasks"] for row in rows})
    for operation in OPERATIONS:
        print(f"{board}: {operation}, instructions: worst / mean")
        print(f"{'tasks':16}" + "".join(f"{size:>12}" for size in sizes))
        for structure in STRUCTURES:
            figures = [row[operation] for row in rows if row["structure"] == structure]
            cells = [f"{figure['max']} / {figure['mean']:.0f}" for figure in figures]
            print(f"{structure:16}" + "".join(f"{cell:>12}" for cell in cells))
        print()
    print(f"{board}: bytes of one level, beside key and order in the task")
    for structure in STRUCTURES:
        sized = [row["bytes"] for row in rows if row["structure"] == structure]
        print(f"{structure:16}" + "".join(f"{size:>12}" for size in sized))
    print()


def main(arguments: list[str]) -> int:
    wanted = [name for name in arguments if name != "--json"]
    unknown = [name for name in wanted if name not in TARGETS]
    if unknown:
        print(f"selection.py: no board {unknown[0]}\n  try: {' or '.join(TARGETS)}", file=sys.stderr)
        return 2
    installed = [name for name, t in TARGETS.items() if shutil.which(t.compiler) and shutil.which(t.run[0])]
    boards = {board: measure_board(board) for board in wanted or installed}
    if "--json" in arguments:
        print(json.dumps({"boards": boards}, indent=2))
    else:
        for board, rows in boards.items():
            show(board, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
