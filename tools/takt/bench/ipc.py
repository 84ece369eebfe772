# SPDX-License-Identifier: Apache-2.0
"""`takt bench ipc`: ring and state message on this machine, the one beside rtrb and Boost's queue, the other beside a
mailbox.

benchmarks/ipc has the loops, the same over every queue and compiled into one program. Instructions of one item in and
out are counted by Cachegrind at two lengths; the difference leaves out what starting costs. The loop itself, which
makes and checks the items, is in them, for all alike. Time is reported only as a ratio: the queues take turns, in one
thread and between two on processors of their own, in many short rounds, and of each the median of its faster half of
the rounds counts: what else runs on the machine is in the slower one.
"""

from __future__ import annotations

import re
import statistics
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import click

from takt.support import children
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

SOURCE = ROOT / "benchmarks" / "ipc"
SIZES = (8, 56, 64)  # bytes of an item, in the order of the tables in benchmarks/ipc
PEERS = ("boost", "rtrb")
COUNTED = (1000, 3000)  # pairs
ROUNDS = 401
PAIRS, ITEMS = 2000, 3000  # of a round: in one thread, between two
NO_PROCESSORS = 3  # exit code of measure.c
_COUNT = re.compile(r"I +refs: +([\d,]+)")

Times = dict[tuple[str, int], list[tuple[float, float]]]
"""By queue and bytes, ns of each round: in one thread, between two."""


class LossError(Exception):
    """An item did not come out as it went in."""


def build(with_peers: bool) -> Path:
    """The program. UserError: a compiler or a peer cannot be had here."""
    from takt.bench import peers
    from takt.support import provision
    from takt.support.compile import BUILD, compile_project, locked

    provision.require("host", "count", *(["queues"] if with_peers else []))
    folder = BUILD / ("benchmark-ipc" if with_peers else "benchmark-ipc-alone")
    settings = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_C_FLAGS_RELEASE": "-O2 -g", "CMAKE_CXX_FLAGS_RELEASE": "-O2 -g"}
    settings["RTRB"] = str(peers.fetch(peers.RTRB)) if with_peers else ""
    with locked(folder):
        compile_project(SOURCE, folder, settings, "building benchmarks/ipc", "measure")
    return folder / "measure"


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    done = children.run(command)
    if done.returncode not in (0, NO_PROCESSORS):
        raise LossError(done.stderr.strip() or f"{command[0]}: exit code {done.returncode}")
    return done


def instructions(program: Path, queue: str, size: int) -> float:
    """Of one item in and out."""
    counts = []
    for pairs in COUNTED:
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        said = _run([*tool, str(program), "count", queue, str(size), str(pairs)]).stderr
        match = _COUNT.search(said)
        if match is None:
            raise LossError(f"Cachegrind counted nothing:\n{said}")
        counts.append(int(match[1].replace(",", "")))
    return (counts[1] - counts[0]) / (COUNTED[1] - COUNTED[0])


def times(program: Path, rounds: int) -> Times:
    """Empty when there are no two processors."""
    found: Times = defaultdict(list)
    for line in _run([str(program), "time", str(rounds), str(PAIRS), str(ITEMS)]).stdout.splitlines():
        queue, size, one, two = line.split()
        found[queue, int(size)].append((float(one), float(two)))
    return found


def faster_half(values: list[float]) -> float:
    """The median of the faster half."""
    return statistics.median(sorted(values)[: (len(values) + 1) // 2])


def ratios(found: Times, peer: str, size: int) -> dict[str, float | None]:
    """The peer's time by ours; None: not measured."""
    if ("ring", size) not in found:
        return {"one_thread": None, "two_threads": None}
    ours, theirs = (
        [faster_half(list(column)) for column in zip(*found[name, size], strict=True)] for name in ("ring", peer)
    )
    one, two = (round(their / our, 2) for our, their in zip(ours, theirs, strict=True))
    return {"one_thread": one, "two_threads": two}


def measure(rounds: int, with_peers: bool) -> dict[str, Any]:
    """The document of `takt bench ipc --json` (docs/json.md). LossError: a queue lost or changed an item."""
    from takt.support import console

    program = build(with_peers)
    with console.doing("timing the queues"):
        found = times(program, rounds) if with_peers else {}
    rows = []
    for operation in ("ring", "state", "mailbox"):
        for size in SIZES:
            if operation != "ring" and size == 56:
                continue
            with console.doing(f"counting {operation}, {size} bytes"):
                row: dict[str, Any] = {"operation": operation, "bytes": size}
                row["instructions"] = instructions(program, operation, size)
                row["peers"] = {
                    peer: {"instructions": instructions(program, peer, size), **ratios(found, peer, size)}
                    for peer in (PEERS if with_peers and operation == "ring" else ())
                }
            rows.append(row)
    return {"rounds": rounds, "rows": rows}


def table(document: dict[str, Any]) -> Table:
    """The rows."""
    rows: list[list[Cell]] = []
    for row in document["rows"]:
        peers = [row["peers"].get(peer) for peer in PEERS]
        cells: list[Cell] = [f"{row['operation']}, {row['bytes']} bytes", round(row["instructions"])]
        cells += [None if peer is None else round(peer["instructions"]) for peer in peers]
        for threads in ("one_thread", "two_threads"):
            cells += [None if peer is None or peer[threads] is None else f"{peer[threads]:.2f}" for peer in peers]
        rows.append(cells)
    times = [f"{peer}'s time, {threads}" for threads in ("1 thread", "2 threads") for peer in PEERS]
    return Table("Instructions in and out, and a peer's time by ours", ["", "ours", *PEERS, *times], rows)


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    return table(document).markdown()


def add_command(group: click.Group) -> None:
    from takt.support.options import count_option, json_option

    @group.command(name="ipc")
    @count_option("--rounds", ROUNDS, "Rounds of the measurement of time.")
    @click.option(
        "--no-peers", is_flag=True, help="Only count our instructions: nothing is downloaded, no time is measured."
    )
    @json_option
    def command(rounds: int, no_peers: bool, as_json: bool) -> int:
        """Compare ring with rtrb and Boost's spsc_queue, and state message with a mailbox, on this machine.

        Times are ratios: the peer's time divided by ours. Exit code 1: a queue lost an item.
        """
        from takt.support import console

        try:
            document = measure(rounds, not no_peers)
        except LossError as error:
            click.echo(f"takt: {error}", err=True)
            return 1
        if as_json:
            console.print_json(document)
        else:
            click.echo(table(document).text())
        return 0
