# SPDX-License-Identifier: Apache-2.0
"""How far figures differ between seeds of the random interrupts: as many seeds as seed 001 has, each as long (4.5),
beside the few short ones of the grid."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.bench.studies import rtm_kernels
from takt.bench.studies.rtm import CODEC, TICK_US
from takt.bench.studies.rtm_runs import BOARD, CLOCK_HZ, CYCLE_NS, HYPERPERIOD_MS, Run
from takt.reproduce.rtm_studies.points import Point, point

if TYPE_CHECKING:
    from takt.support.tables import Table

Document = dict[str, Any]

NAME = "rtm-seeds"
CHANNELS = 2
MANY = (40, 7)  # seeds, and periods of 160 ms: the fewest that are a second
FEW = (3, 2)  # those of the grid


def _most(point: Point) -> int | None:
    return max(point.responses, default=None)


def _common(point: Point) -> int | None:
    return point.responses.most_common(1)[0][0] if point.responses else None


def _jitter(point: Point) -> int | None:
    return max(point.jitter, default=None)


TIMES: dict[str, Callable[[Point], int | None]] = {
    "response_cycles": _common,
    "response_cycles_max": _most,
    "jitter_cycles_max": _jitter,
}
TITLES = {
    "percent": "The kernel, percent of the processor",
    "response_cycles": "From the interrupt to its task, what most took, cycles",
    "response_cycles_max": "From the interrupt to its task, the longest, cycles",
    "jitter_cycles_max": "Jitter, the most, cycles",
}


def runs() -> list[Run]:
    """Of each kernel and way of finding tasks: the few, then the many; seed by seed."""
    return [
        Run(kernel, kind, CODEC, CHANNELS, seed, periods, TICK_US)
        for seeds, periods in (FEW, MANY)
        for seed in range(1, seeds + 1)
        for kernel, kinds in rtm_kernels.KINDS_OF.items()
        for kind in kinds
    ]


def measure(folder: Path, jobs: int = 1) -> Document:
    """What a folder does not have yet is simulated. UserError: a run failed."""
    from takt.sweep import experiments

    return document(experiments.rows_of(runs(), folder, jobs))


def _values(rows: Sequence[dict[str, Any]]) -> dict[str, list[float | None]]:
    """Of each seed."""
    some = [point([row]) for row in rows]
    found: dict[str, list[float | None]] = {"percent": [round(one.percent, 4) for one in some]}
    for name, time in TIMES.items():
        values = [time(one) for one in some]
        found[name] = [None if value is None else value // CYCLE_NS for value in values]
    return found


def document(rows: Sequence[dict[str, Any]]) -> Document:
    """The document that is kept, of rows of runs."""
    found = []
    for kernel, kinds in rtm_kernels.KINDS_OF.items():
        for kind in kinds:
            own = [row for row in rows if (row["kernel"], row["kind"]) == (kernel, kind)]
            many, few = ([row for row in own if row["periods"] == periods] for _, periods in (MANY, FEW))
            late = sum(row["late"] for row in own)
            found.append({"kernel": kernel, "kind": kind, "late": late, "many": _values(many), "few": _values(few)})
    return {
        "board": BOARD,
        "clock_hz": CLOCK_HZ,
        "tick_us": TICK_US,
        "codec": CODEC,
        "channels": CHANNELS,
        **{
            name: {"seeds": seeds, "simulated_ms": periods * HYPERPERIOD_MS}
            for name, (seeds, periods) in (("many", MANY), ("few", FEW))
        },
        "rows": found,
    }


def _known(row: dict[str, Any], which: str, name: str) -> list[float]:
    return [value for value in row[which][name] if value is not None]


def _summary(name: str) -> Callable[[Sequence[float]], float]:
    """What seeds say together: of a longest time the longest of all."""
    return max if name.endswith("_max") else statistics.fmean


def table(document: Document, name: str) -> Table:
    """What the grid's seeds say together, and how the many differ."""
    from takt.support.tables import Cell, Table

    digits = 3 if name == "percent" else 0
    rows: list[list[Cell]] = []
    for row in document["rows"]:
        few, many = (_known(row, which, name) for which in ("few", "many"))
        figures = (_summary(name)(few), statistics.fmean(many), min(many), max(many), statistics.stdev(many))
        rows.append([row["kernel"], row["kind"], *(f"{figure:.{digits}f}" for figure in figures)])
    heads = ["kernel", "", f"{document['few']['seeds']} seeds", "mean", "least", "most", "deviation"]
    return Table(TITLES[name], heads, rows, words=2)


def changes(document: Document) -> Table:
    """What the task manager changes, by the few seeds and by the many."""
    from takt.support.tables import Cell, Table

    rows: list[list[Cell]] = []
    found = {(row["kernel"], row["kind"]): row for row in document["rows"]}
    for kernel in dict.fromkeys(row["kernel"] for row in document["rows"]):
        for name, title in TITLES.items():
            said: list[Cell] = []
            for which in ("few", "many"):
                before, after = (_summary(name)(_known(found[kernel, kind], which, name)) for kind in rtm_kernels.KINDS)
                said.append(f"{100 * (after / before - 1):+.0f}")
            rows.append([kernel, title, *said])
    heads = ["kernel", "of", *(f"{document[which]['seeds']} seeds" for which in ("few", "many"))]
    return Table("Changes by the task manager, in percent", heads, rows, words=2)


def markdown(document: Document) -> str:
    return "\n\n".join([*(table(document, name).markdown() for name in TITLES), changes(document).markdown()])
