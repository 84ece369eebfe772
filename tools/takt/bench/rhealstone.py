# SPDX-License-Identifier: Apache-2.0
"""`takt bench rhealstone`: the six measures of Kar and Porter (1989), in guest instructions, beside FreeRTOS.

benchmarks/kernel/rows_rhealstone.c says what each is; they are measured as the rows of `takt bench kernel` are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from takt.bench.kernel import BANDS, BOARDS, FREERTOS, PRESETS, REPEATS, Run, figures, results
from takt.support.c.benchmarks import Set
from takt.support.tables import Table, ratio

SET = Set.RHEALSTONE
TASKS = 4
SOURCE = "Kar and Porter 1989"


def set_run(
    board: str, kernel: str, which: int, options: Mapping[str, int], band: str = BANDS[0], flags: str = ""
) -> Run:
    """A run of one of the other sets of rows of benchmarks/kernel."""
    return Run(board, kernel, (("set", which), *options.items()), flags, band)


def rhealstones(means: list[float]) -> float:
    """The authors' figure of merit with equal weights, per million instructions: the sum of the inverses."""
    return round(sum(1e6 / mean for mean in means))


def measure(board: str, repeats: int = REPEATS, peers: bool = True) -> dict[str, Any]:
    """The document of `takt bench rhealstone --json` (docs/json.md)."""
    kernels = (*PRESETS, *((FREERTOS,) if peers else ()))
    runs = {kernel: set_run(board, kernel, SET, {"repeats": repeats, "tasks": TASKS}) for kernel in kernels}
    printed = results(list(runs.values()))
    found = {kernel: figures(printed[run]) for kernel, run in runs.items()}
    lean, standard = (found[preset] for preset in PRESETS)
    rows = [
        {
            "operation": name,
            "mean": figure.mean,
            "max": figure.max,
            "standard": standard[name].mean,
            "peers": {FREERTOS: found[FREERTOS][name].mean} if peers else {},
        }
        for name, figure in lean.items()
    ]
    marks = {kernel: rhealstones([figure.mean for figure in found[kernel].values()]) for kernel in kernels}
    return {
        "board": board,
        "repeats": repeats,
        "rows": rows,
        "rhealstones": marks[PRESETS[0]],
        "rhealstones_standard": marks[PRESETS[1]],
        "rhealstones_peers": {FREERTOS: marks[FREERTOS]} if peers else {},
    }


def table(document: dict[str, Any]) -> Table:
    peers = list(document["rhealstones_peers"])
    heads = ["", "Takt", "max", "standard", *(text for name in peers for text in (name, "ratio"))]
    rows: list[list[str | float | None]] = []
    for row in document["rows"]:
        cells: list[str | float | None] = [row["operation"], row["mean"], row["max"], row["standard"]]
        for name in peers:
            cells += [row["peers"][name], ratio(row["mean"], row["peers"][name])]
        rows.append(cells)
    last: list[str | float | None] = ["rhealstones", document["rhealstones"], None, document["rhealstones_standard"]]
    for name in peers:
        last += [
            document["rhealstones_peers"][name],
            ratio(document["rhealstones"], document["rhealstones_peers"][name]),
        ]
    title = f"{document['board']}, fixed band, {TASKS} other tasks: guest instructions"
    return Table(title, heads, [*rows, last])


NOTES = (
    f"After {SOURCE}: task_switch by yield between equals; preemption from the handler that resumes the higher task"
    " until it runs; interrupt_latency from the request to the handler, nothing locked; semaphore_shuffle from the"
    " release until an equal that waited goes on; deadlock_breaking from the request of what a lower task owns until it"
    " is had, by inheritance past a medium one; message_latency of 8 bytes to a task that waits.",
    "rhealstones: the sum of the six inverses, per million instructions; more is better. The Cortex-M3 enters a handler"
    " by itself, which counts as nothing, and this one inverse is most of its sum.",
)


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    return "\n\n".join([table(document).markdown(), *NOTES])


def add_command(group: click.Group) -> None:
    from takt.support.options import choice_option, count_option, json_option

    @group.command(name="rhealstone")
    @choice_option("--board", BOARDS, BOARDS[0], "The emulated board to measure on.")
    @count_option("--repeats", REPEATS, "Runs of each operation.")
    @click.option("--no-peers", is_flag=True, help="Do not measure kernels that must be downloaded.")
    @json_option
    def command(board: str, repeats: int, no_peers: bool, as_json: bool) -> int:
        """Measure the six Rhealstone components of Takt and FreeRTOS.

        Guest instructions of an emulated board: of the preset lean, and of standard, which has trace and assertions.
        """
        from takt.support import console

        document = measure(board, repeats, not no_peers)
        if as_json:
            console.print_json(document)
        else:
            click.echo("\n\n".join([table(document).text(), *NOTES]))
        return 0
