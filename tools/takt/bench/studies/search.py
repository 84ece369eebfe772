# SPDX-License-Identifier: Apache-2.0
"""`takt bench search`: how long `takt search` takes on random sets, in processor time of one core."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from takt.bench.studies.schedulers import BOARDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from takt.declare.schema.model import System
    from takt.prove.band_costs import Costs

SLOWER = 10
UTILIZATIONS = (0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98)
KINDS = {"fixed": "F", "edf": "E"}


def random_set(count: int, utilization: float, number: int, short: bool) -> System:
    """Seed 000's periods times 10 (50 ms to 10 s: a hundred tasks are then no load by their releases alone), UUniFast.
    `short`: deadlines from half the period on, else periods."""
    from takt.bench.studies.breakdown import workload
    from takt.declare.schema.model import System, Task

    item, chance = workload(count, number, 1), random.Random(f"{count} {number}")
    tasks = []
    periods = [SLOWER * period for period in item.periods_ns]
    for index, (period, share) in enumerate(zip(periods, item.shares, strict=True)):
        deadline = chance.randint(period // 2, period) if short else period
        wcet = min(deadline, max(1, int(utilization * share * period)))
        tasks.append(Task(f"t{index}", wcet, period_ns=period, deadline_ns=deadline))
    return System(Path("system.toml"), "random", "mps2-an385", "auto", tuple(tasks))


def costs_of(board: str, count: int) -> Callable[[System], Costs]:
    """The board's overheads, preset standard; for more tasks than were measured those of the most."""
    from takt.declare.schema import boards
    from takt.declare.schema.model import Band, Overheads
    from takt.prove import overheads

    measured = overheads.load(boards.load(board), "standard")
    assert measured, board
    wide = replace(measured, tasks=(*measured.tasks[:-1], max(measured.tasks[-1], count)))

    def of(system: System) -> Costs:
        def costs(bands: tuple[Band, ...], cooperative: bool) -> Overheads:
            return wide.of(system, bands, cooperative)

        return costs

    return of


def measure(board: str, count: int, bands_max: int, sets: int, goal: str) -> dict[str, Any]:
    """The document of `takt bench search --json` (docs/json.md)."""
    from takt.prove import breakdown
    from takt.prove.choose import Prover, auto
    from takt.support import compile, console

    compile.host_library()
    costs, rows = costs_of(board, count), []
    with console.counting("sets", len(UTILIZATIONS) * 2 * sets) as done:
        for short in (False, True):
            for utilization in UTILIZATIONS:
                seconds, tried, lists = [], [], Counter[str]()
                for number in range(sets):
                    system = random_set(count, utilization, number, short)
                    prover = Prover(system, costs(system), bands_max=bands_max)
                    begun = time.process_time()
                    found = breakdown.most(prover) if goal == "breakdown" else auto(prover)
                    seconds.append(time.process_time() - begun)
                    tried.append(found.tried)
                    lists["".join(KINDS[band.kind] for band in found.bands) if found.proved else "none"] += 1
                    done()
                rows.append(
                    {
                        "deadlines": "short" if short else "periods",
                        "utilization": utilization,
                        "lists": dict(lists.most_common()),
                        "tried_max": max(tried),
                        "seconds_mean": round(sum(seconds) / sets, 4),
                        "seconds_max": round(max(seconds), 4),
                    }
                )
    return {"board": board, "goal": goal, "tasks": count, "bands": bands_max, "sets": sets, "rows": rows}


def show(document: dict[str, Any]) -> None:
    from rich.table import Table

    from takt.support import console

    out = console.out()
    out.print(f"{document['tasks']} tasks, up to {document['bands']} bands, goal {document['goal']}\n")
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("deadlines", "utilization", "mean s", "longest s", "most tried", "found"):
        table.add_column(name, justify="left" if name == "found" else "right")
    for row in document["rows"]:
        found = ", ".join(f"{count} {name}" for name, count in row["lists"].items())
        times = (f"{row['seconds_mean']:.3f}", f"{row['seconds_max']:.3f}", str(row["tried_max"]))
        table.add_row(row["deadlines"], str(row["utilization"]), *times, found)
    out.print(table)


def add_command(group: click.Group) -> None:
    from takt.prove.proof import GOALS
    from takt.support.options import choice_option, json_option

    @group.command(name="search")
    @choice_option("--board", BOARDS, BOARDS[0], "The board whose overheads are charged.")
    @click.option("--tasks", default=100, show_default=True, type=click.IntRange(2, 1000), help="Tasks in each set.")
    @click.option("--bands", default=3, show_default=True, type=click.IntRange(2, 16), help="As of takt search.")
    @click.option("--sets", default=20, show_default=True, type=click.IntRange(1), help="Sets for each utilization.")
    @choice_option("--goal", GOALS, GOALS[0], "As --goal of takt search.")
    @json_option
    def command(board: str, tasks: int, bands: int, sets: int, goal: str, as_json: bool) -> int:
        """Measure processor seconds of `takt search` on random sets, by utilization, and which lists it finds."""
        from takt.support import console

        document = measure(board, tasks, bands, sets, goal)
        if as_json:
            console.print_json(document)
        else:
            show(document)
        return 0
