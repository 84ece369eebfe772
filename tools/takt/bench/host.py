# SPDX-License-Identifier: Apache-2.0
"""`takt bench host`: how fast the host port simulates, beside SimSo."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table


def table(document: dict[str, Any]) -> Table:
    """The rows for people. Ratios are SimSo's time, or instructions, by ours."""
    grid = Table(box=None, header_style="bold", pad_edge=False)
    names = ("tasks", "scheduler", "utilization", "jobs", "misses", "time", "traced")
    for name in (*names, "instructions", "traced", "SimSo", "ratio", "traced"):
        grid.add_column(name, justify="right")
    for row in document["rows"]:
        cells = [row[name] for name in names[:5]] + [round(row["ratio"]), round(row["ratio_traced"])]
        if row["instructions"] is not None:
            off, on, simso = (row["instructions"][name] for name in ("takt", "takt_traced", "simso"))
            cells += [off, on, simso, round(simso / off), round(simso / on)]
        grid.add_row(*map(str, cells))
    return grid


def summary(document: dict[str, Any]) -> str:
    """The least ratios in one sentence."""
    least, traced = document["ratio_min"], document["ratio_traced_min"]
    return f"The host port is at least {least:.0f} times as fast as SimSo, with the trace on {traced:.0f} times."


def add_command(group: click.Group) -> None:
    from takt.cli import json_option

    @group.command(name="host")
    @click.option("--tasks", "counts", type=click.IntRange(1, 50), multiple=True, help="Only sets of so many tasks.")
    @click.option("--jobs", default=20_000, show_default=True, type=click.IntRange(10), help="Of each set.")
    @click.option("--rounds", default=3, show_default=True, type=click.IntRange(1), help="Of which the fastest counts.")
    @click.option("--no-instructions", is_flag=True, help="Time only: counting takes about as long as all else.")
    @json_option
    def command(counts: tuple[int, ...], jobs: int, rounds: int, no_instructions: bool, as_json: bool) -> int:
        """Speed of simulation on the host port and of SimSo, on the same task sets. A quarter of an hour.

        Exit code 1: the two do not simulate the same schedule.
        """
        from takt import console
        from takt.bench import simulation

        try:
            document = simulation.measure(
                counts or simulation.TASKS, simulation.UTILIZATIONS, jobs=jobs, rounds=rounds, count=not no_instructions
            )
        except simulation.DifferenceError as error:
            click.echo(f"takt: {error}", err=True)
            return 1
        if as_json:
            console.print_json(document)
        else:
            console.out().print(table(document))
            console.out().print(f"\n{summary(document)}")
        return 0
