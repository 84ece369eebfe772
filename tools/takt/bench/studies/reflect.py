# SPDX-License-Identifier: Apache-2.0
"""`takt bench reflect`: how long a value is on its way between two processes of this machine, in an area of reflective
memory and beside it.

benchmarks/reflect has the program: the carriers take turns value by value, and the reader waits each time. Time is
reported as a ratio of medians, of several rounds the median one: other load of the machine affects all.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import click

from takt.support import children
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

SOURCE = ROOT / "benchmarks" / "reflect"
SIZES = (64, 1024, 16384, 65000)  # bytes of a value
CARRIERS = {
    "area": "area of 2",
    "deep": "area of 8",
    "futex": "memory and futex",
    "unix": "Unix datagram",
    "udp": "UDP",
}
ROUNDS = 11
VALUES = 300  # of each carrier and size in a round
GAP_US = 100  # in which the reader falls asleep

Times = dict[tuple[str, int], list[int]]
"""By carrier and bytes, ns from before the write until the reader has its copy."""


class CarrierError(Exception):
    """A value did not come."""


def build() -> Path:
    """The program. UserError: there is no compiler."""
    from takt.support import provision
    from takt.support.compile import BUILD, compile_project, locked

    provision.require("host")
    folder = BUILD / "benchmark-reflect"
    with locked(folder):
        compile_project(SOURCE, folder, {"CMAKE_BUILD_TYPE": "Release"}, "building benchmarks/reflect", "local")
    return folder / "local"


def times(program: Path, values: int) -> Times:
    """Of one round. CarrierError: a value did not come."""
    found: Times = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        command = [str(program), str(values), str(GAP_US), *map(str, SIZES)]
        environment = {**os.environ, "TAKT_REFLECT_FOLDER": folder}
        done = children.run(command, environment=environment)
    if done.returncode != 0:
        raise CarrierError(done.stderr.strip() or f"{program.name}: exit code {done.returncode}")
    for line in done.stdout.splitlines():
        carrier, size, ns = line.split()
        found[carrier, int(size)].append(int(ns))
    return found


def ratio(rounds: list[Times], carrier: str, size: int) -> float:
    """Its median time by that of shared memory with a futex, in the median round."""
    return statistics.median(
        statistics.median(found[carrier, size]) / statistics.median(found["futex", size]) for found in rounds
    )


def measure(rounds: int, values: int) -> dict[str, Any]:
    """The document of `takt bench reflect --json` (docs/json.md). CarrierError: a value did not come."""
    from takt.support import console

    program = build()
    with console.doing("sending values"):
        found = [times(program, values) for _ in range(rounds)]
    rows = [
        {"bytes": size, "ratios": {carrier: round(ratio(found, carrier, size), 2) for carrier in CARRIERS}}
        for size in SIZES
    ]
    return {"rounds": rounds, "values": values, "rows": rows}


def table(document: dict[str, Any]) -> Table:
    """The rows."""
    rows: list[list[Cell]] = [
        [f"{row['bytes']} bytes", *(f"{row['ratios'][carrier]:.2f}" for carrier in CARRIERS)]
        for row in document["rows"]
    ]
    return Table("A value's way, by that through shared memory with a futex", ["", *CARRIERS.values()], rows)


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    return table(document).markdown()


def add_command(group: click.Group) -> None:
    from takt.support.options import count_option, json_option

    @group.command(name="reflect")
    @count_option("--rounds", ROUNDS, "Rounds, of which the median counts.")
    @count_option("--values", VALUES, "Values to send by each carrier in a round.")
    @json_option
    def command(rounds: int, values: int, as_json: bool) -> int:
        """Measure the latency of a value between two processes of this machine: an area, a minimal one (shared
        memory with a futex), and datagrams. Times are ratios.

        Exit code 1: a value was lost.
        """
        from takt.support import console

        try:
            document = measure(rounds, values)
        except CarrierError as error:
            click.echo(f"takt: {error}", err=True)
            return 1
        if as_json:
            console.print_json(document)
        else:
            click.echo(table(document).text())
        return 0
