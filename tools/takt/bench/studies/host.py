# SPDX-License-Identifier: Apache-2.0
"""`takt bench host`: how fast the host port simulates, beside SimSo."""

from __future__ import annotations

from typing import Any

import click

JOBS = 20_000
ROUNDS = 3
COLUMNS = ("tasks", "scheduler", "utilization", "jobs", "misses")
HEADS = (*COLUMNS, "time", "traced", "instructions", "traced", "SimSo", "ratio", "traced")


def cells(row: dict[str, Any]) -> list[str]:
    """A row for people. Ratios are SimSo's time, or instructions, by ours."""
    shown = [str(row[name]) for name in COLUMNS] + [f"{row['ratio']:.0f}", f"{row['ratio_traced']:.0f}"]
    if row["instructions"] is None:
        return shown + [""] * (len(HEADS) - len(shown))
    off, on, simso = (row["instructions"][name] for name in ("takt", "takt_traced", "simso"))
    return [*shown, *map(str, (off, on, simso, round(simso / off), round(simso / on)))]


def summary(document: dict[str, Any]) -> str:
    """The least ratios in a sentence or two."""
    least, traced = document["ratio_min"], document["ratio_traced_min"]
    said = f"The host port is at least {least:.0f} times as fast as SimSo, with the trace on {traced:.0f} times."
    if document["instructions_ratio_min"] is None:
        return said
    least, traced = document["instructions_ratio_min"], document["instructions_ratio_traced_min"]
    return f"{said} By instructions per job it is {least:.0f} and {traced:.0f} times."


def markdown(document: dict[str, Any]) -> str:
    """The summary and the rows."""
    from takt.support.tables import Table

    rows = Table(f"Beside {document['peer']}", HEADS, [cells(row) for row in document["rows"]])
    return f"{summary(document)}\n\n{rows.markdown()}"


def add_command(group: click.Group) -> None:
    from takt.cli import json_option

    @group.command(name="host")
    @click.option("--tasks", "counts", type=click.IntRange(1, 50), multiple=True, help="Only sets of so many tasks.")
    @click.option("--jobs", default=JOBS, show_default=True, type=click.IntRange(10), help="Of each set.")
    @click.option(
        "--rounds", default=ROUNDS, show_default=True, type=click.IntRange(1), help="Of which the fastest counts."
    )
    @click.option("--no-instructions", is_flag=True, help="Time only: counting takes about as long as all else.")
    @json_option
    def command(counts: tuple[int, ...], jobs: int, rounds: int, no_instructions: bool, as_json: bool) -> int:
        """Speed of simulation on the host port and of SimSo, on the same task sets. A quarter of an hour.

        In processor time, so that others on the machine do not count, and in instructions.

        Exit code 1: the two do not simulate the same schedule.
        """
        from rich.table import Table

        from takt.bench.studies import simulation
        from takt.support import console

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
            grid = Table(box=None, header_style="bold", pad_edge=False)
            for name in HEADS:
                grid.add_column(name, justify="right")
            for row in document["rows"]:
                grid.add_row(*cells(row))
            console.out().print(grid)
            console.out().print(f"\n{summary(document)}")
        return 0
