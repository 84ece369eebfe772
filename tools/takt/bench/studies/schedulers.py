# SPDX-License-Identifier: Apache-2.0
"""`takt bench schedulers`: for which task counts and periods csd beats edf and rm on this kernel, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from takt.declare.schema import boards
from takt.declare.tables import PRESETS

if TYPE_CHECKING:
    from takt.bench.studies.breakdown import Found

BOARDS = tuple(name for name in boards.names() if (boards.folder_of(name) / "overheads.toml").exists())
SCHEDULERS = ("rm", "edf", "csd2", "csd3")
COUNTS = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
WORKLOADS = 50


def row_of(divisor: int, count: int, found: Sequence[dict[str, Found]]) -> dict[str, Any]:
    """Means over workloads, fractions of 1. A csd wins where its figure is above both edf's and rm's."""
    from takt.bench.studies.breakdown import STEPS

    steps = [{name: value[0] for name, value in item.items()} for item in found]
    gains = [max(item["csd2"], item["csd3"]) - max(item["rm"], item["edf"]) for item in steps]
    row: dict[str, Any] = {"divisor": divisor, "tasks": count}
    for name in SCHEDULERS:
        row[name] = round(sum(item[name] for item in steps) / len(steps) / STEPS, 5)
    row["wins"] = round(sum(gain > 0 for gain in gains) / len(gains), 3)
    row["gain"] = round(sum(max(gain, 0) for gain in gains) / len(gains) / STEPS, 5)
    row["gain_max"] = round(max(0, *gains) / STEPS, 5)
    return row


def measure(
    board: str, preset: str = "lean", workloads: int = WORKLOADS, counts: Sequence[int] = COUNTS
) -> dict[str, Any]:
    """The document of `takt bench schedulers --json` (docs/json.md). UserError: no overheads for board and preset."""
    from takt.bench.studies import breakdown
    from takt.bench.studies.breakdown import DIVISORS
    from takt.support import compile, console

    compile.host_library()
    costs = {count: breakdown.costs(board, preset, count) for count in counts}
    cases = [(divisor, count) for divisor in DIVISORS for count in counts]
    with console.counting("sets of workloads", len(cases)) as done:
        rows = [row_of(*case, found) for case, found in breakdown.campaign(cases, costs, workloads, done)]
    return {"board": board, "preset": preset, "workloads": workloads, "rows": rows}


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def overhead_saved(row: dict[str, Any]) -> float:
    """How much less of the processor is lost under csd3 than under the better of edf and rm: the seed's measure."""
    plain = 1 - max(row["rm"], row["edf"])
    return float(1 - (1 - row["csd3"]) / plain)


HEADS = ("periods", "tasks", *SCHEDULERS, "csd3 loses less by", "csd wins", "gain", "largest")


def _cells(row: dict[str, Any]) -> list[str]:
    figures = [_percent(row[name]) for name in SCHEDULERS]
    last = [_percent(row[name]) for name in ("gain", "gain_max")]
    period = "full" if row["divisor"] == 1 else f"1/{row['divisor']}"
    return [
        period,
        str(row["tasks"]),
        *figures,
        f"{round(100 * overhead_saved(row))} %",
        f"{100 * row['wins']:.0f} %",
        *last,
    ]


def answer(document: dict[str, Any]) -> str:
    """A sentence for each divisor: with which task counts a csd wins in most workloads, and what then comes of it."""
    said = []
    for divisor in sorted({row["divisor"] for row in document["rows"]}):
        rows = [row for row in document["rows"] if row["divisor"] == divisor]
        won = [row for row in rows if row["wins"] > 0.5]
        periods = "Periods as they are" if divisor == 1 else f"Periods / {divisor}"
        if not won:
            most = max(rows, key=lambda row: row["wins"])
            where = f"in at most {100 * most['wins']:.0f} % of the workloads, with {most['tasks']} tasks"
            said.append(f"- {periods}: a csd wins {where if most['wins'] else 'nowhere'}.")
            continue
        counts = ", ".join(str(row["tasks"]) for row in won)
        low, high = (choose(row["gain"] for row in won) for choose in (min, max))
        said.append(
            f"- {periods}: a csd wins in most workloads of {counts} tasks, by {_percent(low)} to {_percent(high)} "
            f"points in the mean; at most {_percent(max(row['gain_max'] for row in rows))}."
        )
    return "\n".join(said)


def markdown(document: dict[str, Any]) -> str:
    """The rows as a table of percentages, and what they say."""
    from takt.support.tables import Table

    table = Table(f"{document['board']}, preset {document['preset']}", HEADS, [_cells(row) for row in document["rows"]])
    return f"{table.markdown()}\n\n{answer(document)}"


def show(document: dict[str, Any]) -> None:
    from rich.table import Table

    from takt.support import console

    grid = Table(box=None, header_style="bold", pad_edge=False)
    for name in HEADS:
        grid.add_column(name, justify="right")
    for row in document["rows"]:
        grid.add_row(*_cells(row))
    console.out().print(grid)


def picture(document: dict[str, Any]) -> str:
    """Breakdown utilization over the number of tasks as SVG, a panel for each divisor of the periods."""
    from takt.bench.studies import plot

    panels = []
    for divisor in sorted({row["divisor"] for row in document["rows"]}):
        rows = [row for row in document["rows"] if row["divisor"] == divisor]
        drawn = [
            plot.Line(name, [(row["tasks"], 100 * row[name]) for row in rows], colour, dashed=name.startswith("csd"))
            for colour, name in enumerate(SCHEDULERS)
        ]
        panels.append(plot.Panel("periods of 5 to 999 ms" if divisor == 1 else f"the same periods / {divisor}", drawn))
    return plot.svg(panels, "tasks", "breakdown utilization, percent")


def add_command(group: click.Group) -> None:
    from takt.support.options import choice_option, count_option, json_option

    @group.command(name="schedulers")
    @choice_option("--board", BOARDS, BOARDS[0], "The board whose overheads are charged.")
    @choice_option("--preset", PRESETS, "lean", "The preset whose overheads are charged.")
    @count_option("--workloads", WORKLOADS, "Workloads of each size.")
    @json_option
    def command(board: str, preset: str, workloads: int, as_json: bool) -> int:
        """Compute breakdown utilizations of random workloads under rm, edf, csd2 and csd3 with the kernel's overheads.

        The mean over workloads of the utilization up to which every deadline is proved, by number of tasks and by what
        the periods are divided by. Some minutes.
        """
        from takt.support import console

        document = measure(board, preset, workloads)
        if as_json:
            console.print_json(document)
        else:
            show(document)
        return 0
