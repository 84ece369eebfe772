# SPDX-License-Identifier: Apache-2.0
"""`takt bench share`: figure 3.5 of seed 000, the share of the processor that the kernel takes.

A run on the board, not a sum of operations: a background loop counts its turns for some seconds of the board's time
while a task runs 250 times a second and interrupts come, and again with every interrupt masked (benchmarks/kernel's
share.c). FreeRTOS has a clock tick of 4 ms, as the systems of the figure had; Takt has none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from takt.bench.kernel import BOARDS, FREERTOS, PRESETS, Run, results
from takt.bench.rhealstone import set_run
from takt.bench.seed000.study import reference
from takt.bench.studies import plot
from takt.support.c.benchmarks import Set
from takt.support.errors import UserError
from takt.support.files import shown_path, write_whole
from takt.support.tables import Cell, Table

SET = Set.SHARE
TASKS = 8  # besides the two that run
RATES = (0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
SECONDS = 1
TICKS = "-DBENCHMARK_TICKS"  # FreeRTOS with its clock tick
NAMES = {PRESETS[0]: "Takt", FREERTOS: FREERTOS}
WAKES = {False: "counts", True: "wakes a task"}  # what the handler does


def share_run(board: str, kernel: str, rate: int, wakes: bool, seconds: int) -> Run:
    flags = TICKS if kernel == FREERTOS else ""
    options = {"tasks": TASKS, "rate": rate, "wakes": int(wakes), "seconds": seconds}
    return set_run(board, kernel, SET, options, flags=flags)


def share(found: dict[str, Any]) -> float:
    """The part of the background's turns that is missing."""
    left: float = found["turns"] / found["undisturbed"]
    return round(1 - left, 6)


def measure(board: str, seconds: int = SECONDS, peers: bool = True) -> dict[str, Any]:
    """The document of `takt bench share --json` (docs/json.md)."""
    kernels = (PRESETS[0], FREERTOS) if peers else (PRESETS[0],)
    keys = [(kernel, wakes, rate) for kernel in kernels for wakes in WAKES for rate in RATES]
    runs = {key: share_run(board, key[0], key[2], key[1], seconds) for key in keys}
    found = results(list(runs.values()))
    rows = [
        {
            "kernel": NAMES[kernel],
            "wakes": wakes,
            "interrupts_per_s": rate,
            "share": share(found[run]),
            "jobs": found[run]["jobs"],
            "interrupts": found[run]["interrupts"],
        }
        for (kernel, wakes, rate), run in runs.items()
    ]
    return {"board": board, "seconds": seconds, "rows": rows}


def lines(document: dict[str, Any]) -> dict[tuple[str, bool], list[tuple[int, float]]]:
    """Percent by interrupts a second, of each kernel and handler."""
    found: dict[tuple[str, bool], list[tuple[int, float]]] = {}
    for row in document["rows"]:
        percent = 100 * row["share"]
        found.setdefault((row["kernel"], row["wakes"]), []).append((row["interrupts_per_s"], percent))
    return found


def table(document: dict[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [f"{kernel}, handler {WAKES[wakes]}", *(f"{percent:.2f}" for _, percent in points)]
        for (kernel, wakes), points in lines(document).items()
    ]
    title = f"{document['board']}: percent of the processor, by interrupts a second"
    return Table(title, ["", *map(str, RATES)], rows)


def picture(document: dict[str, Any]) -> str:
    """The figure as SVG."""
    kernels = list(NAMES.values())
    drawn = [
        plot.Line(f"{kernel}, {WAKES[wakes]}", points, kernels.index(kernel), dashed=not wakes)
        for (kernel, wakes), points in lines(document).items()
    ]
    title = f"The kernel's share: 250 jobs per second, {document['board']}"
    return plot.svg([plot.Panel(title, drawn)], "interrupts a second", "percent of the processor")


def notes() -> tuple[str, ...]:
    known = reference()["figure_3_5"]
    low, high = known["others"]
    return (
        "250 jobs a second of one task, which only count, and interrupts whose handler only counts, or also wakes a"
        f" task that counts; {TASKS} more tasks that never run. These few instructions of their own are in the figures,"
        " the same for both kernels. FreeRTOS has a tick of 4 ms, so there is a job at each of its ticks: its best"
        " case.",
        f"Seed 000 gives for 1000 interrupts a second {known['emeralds']} percent for EMERALDS and {low} to {high} for"
        " nine others, of a 68332 of 16.7 MHz. That processor takes several cycles for an instruction, ours are counted"
        " as one each: only the shapes can be compared.",
    )


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md, without the picture."""
    return "\n\n".join([table(document).markdown(), *notes()])


def add_command(group: click.Group) -> None:
    from takt.support.options import choice_option, count_option, json_option

    @group.command(name="share")
    @choice_option("--board", BOARDS, BOARDS[0], "The emulated board to measure on.")
    @count_option("--seconds", SECONDS, "Duration of a run in seconds of the board's time.", 50)
    @click.option("--no-peers", is_flag=True, help="Do not measure kernels that must be downloaded.")
    @click.option(
        "--picture", "path", type=click.Path(dir_okay=False, path_type=Path), help="Also draw it to this SVG file."
    )
    @json_option
    def command(board: str, seconds: int, no_peers: bool, path: Path | None, as_json: bool) -> int:
        """Measure the kernel's share of the processor, by interrupts per second (figure 3.5 of seed 000).

        Counted in runs on an emulated board, beside FreeRTOS.
        """
        from takt.support import console

        if path is not None and not path.parent.is_dir():
            raise UserError(f"{shown_path(path.parent)}: no such folder")
        document = measure(board, seconds, not no_peers)
        if path is not None:
            write_whole(path, picture(document))
        if as_json:
            console.print_json(document)
        else:
            click.echo("\n\n".join([table(document).text(), *notes()]))
        return 0
