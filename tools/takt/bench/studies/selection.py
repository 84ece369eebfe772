# SPDX-License-Identifier: Apache-2.0
"""`takt bench selection`: what the queue of an edf level costs, by structure and number of tasks.

Guest instructions, worst and mean. One image per structure of benchmarks/selection, linked with the same measure.c,
which compares every answer with a naive oracle and ends the run at the first that differs. A figure holds the call, its
argument and the return.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from takt.declare.schema import boards
from takt.support import children
from takt.support.provision import ROOT
from takt.support.tables import Table

SOURCES = ROOT / "benchmarks" / "selection"
STRUCTURES = {
    "scan": "linear scan",
    "scan_cached": "linear scan, first remembered",
    "sorted_list": "sorted list",
    "sorted_row": "sorted row of bytes",
    "heap_2": "binary heap",
    "heap_4": "4-ary heap",
    "leftist": "leftist heap",
    "tournament_64": "tournament of 64",
    "tournament_fit": "tournament, fitting",
    "tournament_8": "**tournament of groups of 8**",
}
OPERATIONS = ("insert", "remove_first", "remove_any", "first", "release", "completion", "cycle")
COMMON = (
    "base/tournament.c",
    *(f"benchmarks/selection/{name}.c" for name in ("leftist_heap", "tournament_tree", "measure")),
)
WORKERS = 2
RUN_S = 300


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
        ("-march=rv32imac", "-mabi=ilp32", "-Wl,--no-warn-rwx-segments"),  # given Zicsr, it takes the RV64 libraries
        ("qemu-system-riscv32", "-M", "virt", "-bios", "none", *SERIAL, "-icount", "shift=0,sleep=off"),
    ),
}


def run(command: list[str]) -> str:
    """The output of a command. UserError when it fails."""
    from takt.support.errors import UserError

    done = children.run(command, within_s=RUN_S)
    if done.returncode != 0:
        raise UserError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(board: str, structure: str) -> Path:
    """The image of a structure."""
    from takt.support.compile import BUILD, locked

    target = TARGETS[board]
    folder = BUILD / "benchmark-selection" / board / structure
    objects = []
    sources = (*COMMON, f"benchmarks/selection/{board}.c", f"benchmarks/selection/{structure}.c")
    image = folder / "image.elf"
    with locked(folder):
        for source in sources:
            name = folder / (source.replace("/", "-") + ".o")
            flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding", f"-I{ROOT}", f"-I{SOURCES}"]
            run([target.compiler, *target.compile, *flags, "-c", str(ROOT / source), "-o", str(name)])
            objects.append(str(name))
        script = str(SOURCES / f"{board}.ld")
        run([target.compiler, *target.link, "-nostdlib", "-T", script, *objects, "-lgcc", "-o", str(image)])
    return image


def measure_structure(board: str, structure: str) -> list[dict[str, Any]]:
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


def measure(board_names: Sequence[str], structures: Sequence[str]) -> dict[str, Any]:
    """The document of `takt bench selection --json` (docs/json.md). UserError: a tool is missing or a run fails."""
    from takt.image.build import GROUPS
    from takt.support import console
    from takt.support.provision import require

    for board in board_names:
        require(*GROUPS[boards.load(board).port])
    pairs = [(board, structure) for board in board_names for structure in structures]
    with console.counting("measuring", len(pairs)) as done, ThreadPoolExecutor(WORKERS) as pool:

        def work(pair: tuple[str, str]) -> list[dict[str, Any]]:
            rows = measure_structure(*pair)
            done()
            return rows

        found: dict[str, list[dict[str, Any]]] = {board: [] for board in board_names}
        for (board, _), rows in zip(pairs, pool.map(work, pairs), strict=True):
            found[board] += rows
    return {"boards": found}


def _by_structure(rows: Sequence[dict[str, Any]]) -> dict[str, dict[int, dict[str, Any]]]:
    table: dict[str, dict[int, dict[str, Any]]] = {}
    for row in rows:
        table.setdefault(row["structure"], {})[row["tasks"]] = row
    return table


def _cell(figure: dict[str, float]) -> str:
    return f"{figure['max']} / {figure['mean']:.0f}"


def show(board: str, rows: Sequence[dict[str, Any]]) -> None:
    table = _by_structure(rows)
    sizes = sorted({row["tasks"] for row in rows})
    for operation in OPERATIONS:
        click.echo(f"{board}: {operation}, instructions: worst / mean")
        click.echo(f"{'tasks':16}" + "".join(f"{size:>12}" for size in sizes))
        for structure, by_size in table.items():
            cells = [_cell(by_size[size][operation]) for size in sizes]
            click.echo(f"{structure:16}" + "".join(f"{cell:>12}" for cell in cells))
        click.echo()
    click.echo(f"{board}: bytes of one level, beside key and order in the task")
    for structure, by_size in table.items():
        click.echo(f"{structure:16}" + "".join(f"{by_size[size]['bytes']:>12}" for size in sizes))
    click.echo()


def markdown(document: dict[str, Any], board: str) -> str:
    """One job's queue operations, worst / mean, by structure and number of tasks."""
    rows = document["boards"][board]
    sizes = sorted({row["tasks"] for row in rows})
    cells = [
        [STRUCTURES[structure], *(_cell(by_size[size]["cycle"]) for size in sizes)]
        for structure, by_size in _by_structure(rows).items()
    ]
    return Table(f"{board}, worst / mean", ["", *map(str, sizes)], cells).markdown()


def add_command(group: click.Group) -> None:
    from takt.support.options import json_option

    @group.command(name="selection")
    @click.option(
        "--board", "names", type=click.Choice(list(TARGETS)), multiple=True, help="Only this board; may be repeated."
    )
    @click.option(
        "--structure", "structures", type=click.Choice(list(STRUCTURES)), multiple=True, help="Only this structure."
    )
    @json_option
    def command(names: tuple[str, ...], structures: tuple[str, ...], as_json: bool) -> int:
        """Count instructions of the queue of an edf level, by data structure and number of tasks."""
        from takt.support import console

        document = measure(names or list(TARGETS), structures or list(STRUCTURES))
        if as_json:
            console.print_json(document)
        else:
            for board, rows in document["boards"].items():
                show(board, rows)
        return 0
