# SPDX-License-Identifier: Apache-2.0
"""Tables 7.3 and 7.4, ours beside the seed's; and how its update of identifiers fails as it is printed.

The seed's are microseconds of its processor, ours instructions of this one, counted by Callgrind in
benchmarks/canbus/operations.c. So both are given by what a message takes that has a mailbox of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from takt.support import children
from takt.support.errors import UserError
from takt.support.provision import ROOT

SOURCE = ROOT / "benchmarks" / "canbus"
TIMES = 10  # that an operation is done while it is counted
NOTHING = "nothing"
BASE = "own_mailbox"  # a row of both tables by which all are divided
VARIANTS = ("ideal", "first", "slow", "second", "skew", "disturbed")
STREAMS = (8, 12)  # high-speed ones, on a simulated bus
SEEDS = (1, 2, 3, 4)
EPOCHS = 1000
_COLLECTED = re.compile(r"Collected : (\d+)")

Terms = Mapping[str, float]
Row = dict[str, Any]


def build() -> Path:
    """The folder of the programs. UserError: no compiler."""
    from takt.support import provision
    from takt.support.compile import BUILD, compile_project, locked

    provision.require("host")
    folder = BUILD / "benchmark-canbus"
    with locked(folder):
        settings = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_C_FLAGS_RELEASE": "-O2"}
        compile_project(SOURCE, folder, settings, "building benchmarks/canbus", "programs")
    return folder


def _said(command: list[str], activity: str) -> tuple[str, str]:
    done = children.run(command)
    if done.returncode != 0:
        raise UserError(f"{activity} failed: {done.stderr.strip() or done.returncode}", "repeat the command")
    return done.stdout, done.stderr


def instructions(program: Path, operation: str) -> float:
    """Of one OPERATION or OPERATION/WAITING, with what a call of it takes. UserError: there is no Callgrind."""
    name, _, waiting = operation.partition("/")
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=measured"]
    try:
        _, text = _said([*tool, str(program), name, waiting or "0", str(TIMES)], f"counting {operation}")
    except FileNotFoundError:
        raise UserError(
            "valgrind, which counts instructions, is not installed", "apt-get install valgrind, or ask for a --figure"
        ) from None
    found = _COLLECTED.search(text)
    if found is None:
        raise UserError(f"counting {operation} failed: Callgrind counted nothing", "repeat the command")
    return int(found[1]) / TIMES


def operations(rows: list[Row]) -> list[str]:
    """All that the rows of the reference are made of."""
    return [NOTHING, *dict.fromkeys(name for row in rows for name in row["here"] if name != NOTHING)]


def costs(rows: list[Row], counted: Terms) -> list[Row]:
    """A row of the reference each: the seed's us and our instructions, and both by those of BASE. `counted`: of each
    operation, with the call."""
    sums = {row["name"]: _sum(row["here"], counted) for row in rows}
    base_us = next(row["us"] for row in rows if row["name"] == BASE)
    return [
        {
            "table": row["table"],
            "words": row["words"],
            "us": row.get("us"),
            "seed": round(row["us"] / base_us, 3) if "us" in row else None,
            "instructions": round(sums[row["name"]], 1),
            "here": round(sums[row["name"]] / sums[BASE], 3),
        }
        for row in rows
    ]


def _sum(terms: Terms, counted: Terms) -> float:
    """The call of an operation does not count."""
    return sum(factor * (counted[name] - counted[NOTHING]) for name, factor in terms.items())


def update(program: Path, variant: str, streams: int, seed: int, epochs: int = EPOCHS) -> dict[str, int]:
    """What benchmarks/canbus/printed_update.c counts."""
    text, _ = _said([str(program), variant, str(streams), str(epochs), str(seed)], "simulating the printed update")
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


def measure(rows: list[Row]) -> dict[str, list[Row]]:
    """The keys `costs` and `update` of a document (docs/json.md)."""
    from takt.support import console

    folder = build()
    names = operations(rows)
    runs = [(variant, streams, seed) for streams in STREAMS for variant in VARIANTS for seed in SEEDS]
    counted: dict[str, float] = {}
    found: dict[tuple[str, int], Row] = {}
    with console.counting("costs and simulations of the update", len(names) + len(runs)) as done:
        for name in names:
            counted[name] = instructions(folder / "operations", name)
            done()
        for variant, streams, seed in runs:
            row = found.setdefault((variant, streams), {"variant": variant, "streams": streams})
            for name, value in update(folder / "printed_update", variant, streams, seed).items():
                row[name] = row.get(name, 0) + value
            done()
    return {"costs": costs(rows, counted), "update": list(found.values())}
