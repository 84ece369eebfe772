# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce semaphores`: figures 5.9 to 5.11 of seed 000, measured on the emulated Cortex-M3.

The test is the seed's (5.5.1). T2 waits for a signal of T1, which owns the mutex S and lets go of it after the signal;
T2 locks S next. t1: from T2's lock until it owns S, without a hint; t2 and t3: from the signal until T2 owns S, without
and with a hint. A lock and an unlock take t1 without a hint, and t1 - (t2 - t3) with one. Guest instructions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from takt.bench import kernel
    from takt.support.tables import Table

BOARD = "mps2-an385"
TASKS = (3, 5, 8, 10, 15, 20, 25, 30)  # in the queue: T1, T2 and others
OWN = 2  # of those: T1 and T2
ROOM = 8  # tasks that an edf band has room for besides the others, in these rows
REPEATS = 100
ROWS = ("contended_lock", "contended_plain", "contended_hinted")  # t1, t2, t3
TWO = ("two_plain", "two_hinted", "two_set")  # of two mutexes of T1, which T2 locks one after the other: 5.4.2
PROFILES = ROWS[1:]
PROFILED = 15  # tasks
FIGURES = {"edf": "5.9", "fixed": "5.10"}  # by kind of band
COSTS = ("plain", "hinted")
SEEN = 0  # percent: a line of figure 5.11 that is nowhere above would press all others together


def _run(band: str, preset: str, count: int, repeats: int) -> kernel.Run:
    from takt.bench import kernel

    others = count - OWN
    options = (("repeats", repeats), ("tasks", others), ("room", others + ROOM), ("locks", 1))
    return kernel.Run(BOARD, preset, options, band=band, hints=band == "edf")


def measure(tasks: Sequence[int] = TASKS, repeats: int = REPEATS) -> dict[str, Any]:
    """The document of `takt reproduce semaphores --json` (docs/json.md)."""
    from takt.bench import kernel

    keys = [(band, preset, count) for band in FIGURES for preset in kernel.PRESETS for count in tasks]
    runs = {key: _run(*key, repeats) for key in keys}
    printed = kernel.results(list(runs.values()))
    rows = []
    for (band, preset, count), run in runs.items():
        known = kernel.figures(printed[run])
        t1, t2, t3 = (known[name].mean for name in ROWS)
        saved = t2 - t3
        rows.append(
            {
                "figure": FIGURES[band],
                "band": band,
                "preset": preset,
                "tasks": count,
                "t1": t1,
                "t2": t2,
                "t3": t3,
                "plain": t1,
                "hinted": round(t1 - saved, 3),
                "percent": round(100 * saved / t1, 1),
                **{name: known[name].mean for name in TWO},
            }
        )
    return {
        "board": BOARD,
        "repeats": repeats,
        "rows": rows,
        "statements": statements(rows),
        "where": where(kernel.PRESETS[0]),
    }


def where(preset: str) -> list[dict[str, Any]]:
    """The functions that the instructions of t2 and t3 are in, with PROFILED tasks."""
    from takt.bench import profiling
    from takt.support import console

    found = []
    with console.counting("profiling", len(FIGURES) * len(PROFILES)) as done:
        for band in FIGURES:
            for row in PROFILES:
                counts = profiling.profile(_run(band, preset, PROFILED, 1), row)
                names = {name.split(".")[0]: count for name, count in counts.items()}  # as in the source
                found.append({"band": band, "row": row, "functions": names})
                done()
    return found


def of(rows: Sequence[dict[str, Any]], band: str, preset: str) -> dict[int, dict[str, Any]]:
    """By number of tasks."""
    return {row["tasks"]: row for row in rows if (row["band"], row["preset"]) == (band, preset)}


def statements(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The seed's figures for this number of tasks in a queue, with ours beside them."""
    from takt.bench.kernel import PRESETS
    from takt.reproduce.csd import reference

    found = []
    for said in reference()["saving"]:
        ours = {preset: of(rows, said["band"], preset).get(said["tasks"]) for preset in PRESETS}
        found.append({**said, **{preset: None if row is None else row["percent"] for preset, row in ours.items()}})
    return found


def grown(rows: Sequence[dict[str, Any]], band: str, preset: str, cost: str) -> float:
    """Instructions for each further task, from the shortest queue to the longest."""
    known = of(rows, band, preset)
    few, many = min(known), max(known)
    return float(round((known[many][cost] - known[few][cost]) / (many - few), 1))


def worse(rows: Sequence[dict[str, Any]]) -> list[tuple[str, str, float]]:
    """Kinds of bands and presets in which no queue is so long that a hint saves anything, and how many times as long a
    lock and an unlock take with one at most."""
    found = []
    for band, preset in dict.fromkeys((row["band"], row["preset"]) for row in rows):
        known = of(rows, band, preset).values()
        if all(row["percent"] < SEEN for row in known):
            found.append((band, preset, max(row["hinted"] / row["plain"] for row in known)))
    return found


def tables(document: dict[str, Any]) -> list[Table]:
    from takt.bench.kernel import PRESETS
    from takt.support.tables import Cell, Table

    found = []
    for band, figure in FIGURES.items():
        known = {preset: of(document["rows"], band, preset) for preset in PRESETS}
        rows: list[list[Cell]] = [
            [str(count), *(known[preset][count][key] for preset in PRESETS for key in (*COSTS, "percent"))]
            for count in known[PRESETS[0]]
        ]
        rows.append(["a task more", *_growth(document["rows"], band)])
        heads = ["tasks", *(f"{preset}: {words}" for preset in PRESETS for words in ("plain", "hint", "less, %"))]
        found.append(Table(f"Figure {figure}: lock and unlock in a band of kind {band}, instructions", heads, rows))
    return [*found, _two(document["rows"])]


def _two(rows: Sequence[dict[str, Any]]) -> Table:
    """Two mutexes without a hint, with one of the first, and with a set of both."""
    from takt.bench.kernel import PRESETS
    from takt.support.tables import Cell, Table

    known = {preset: of(rows, "edf", preset) for preset in PRESETS}
    lines: list[list[Cell]] = [
        [str(count), *(known[preset][count][name] for preset in PRESETS for name in TWO)] for count in known[PRESETS[0]]
    ]
    heads = ["tasks", *(f"{preset}: {words}" for preset in PRESETS for words in ("plain", "hint of the first", "set"))]
    return Table("Two mutexes in an edf band, until the second is owned, instructions", heads, lines)


def _growth(rows: Sequence[dict[str, Any]], band: str) -> list[float | str | None]:
    from takt.bench.kernel import PRESETS

    return [value for preset in PRESETS for value in (*(grown(rows, band, preset, cost) for cost in COSTS), None)]


def statement_table(document: dict[str, Any]) -> Table:
    from takt.bench.kernel import PRESETS
    from takt.support.tables import Cell, Table

    rows: list[list[Cell]] = [
        [f"{row['figure']}, {row['tasks']} tasks", row["percent"], *(row[preset] for preset in PRESETS)]
        for row in document["statements"]
    ]
    return Table("How many percent less a lock and an unlock take with a hint", ["", "the seed", *PRESETS], rows)


def pictures(document: dict[str, Any]) -> dict[str, str]:
    """By name of the file: 5.9 and 5.10 beside each other, and 5.11."""
    from takt.bench.kernel import PRESETS
    from takt.bench.studies import plot

    rows = document["rows"]
    costs, lessens = [], []
    for colour, (band, figure) in enumerate(FIGURES.items()):
        lines = [
            plot.Line(
                f"{'without a hint' if cost == 'plain' else 'with a hint'}, {preset}",
                [(count, row[cost]) for count, row in of(rows, band, preset).items()],
                index,
                dashed=preset != PRESETS[0],
            )
            for preset in PRESETS
            for index, cost in enumerate(COSTS)
        ]
        costs.append(plot.Panel(f"figure {figure}: {band} band", lines))
        for preset in PRESETS:
            points = [(count, row["percent"]) for count, row in of(rows, band, preset).items()]
            lessens.append(plot.Line(f"{band}, {preset}", points, colour, dashed=preset != PRESETS[0]))
        said = [(row["tasks"], row["percent"]) for row in document["statements"] if row["band"] == band]
        lessens.append(plot.Line(f"{band}, as the seed says", said, colour, marks=True))
    seen = [line for line in lessens if any(value >= SEEN for _, value in line.points)]
    note = "\n".join(
        f"below the picture: {band} band, preset {preset}, where lock and unlock\n"
        f"take {factor:.1f} times as long with a hint"
        for band, preset, factor in worse(rows)
    )
    return {
        "reproduction-5.9-5.10.svg": plot.svg(costs, "tasks in the queue", "lock and unlock, instructions"),
        "reproduction-5.11.svg": plot.svg(
            [plot.Panel("figure 5.11", seen, note)], "tasks in the queue", "less with a hint, percent"
        ),
    }


def text(document: dict[str, Any]) -> str:
    return "\n\n".join(table.text() for table in (*tables(document), statement_table(document)))


def add_command(group: click.Group) -> None:
    from takt.bench.documents import folder_of, out_option, tell
    from takt.support.options import count_option, json_option

    @group.command(name="semaphores")
    @count_option("--repeats", REPEATS, "Runs of each operation.")
    @out_option
    @json_option
    def command(repeats: int, out: Path | None, as_json: bool) -> int:
        """Draw figures 5.9 to 5.11: lock and unlock of a mutex that another task owns, with and without a hint.

        Guest instructions of the emulated Cortex-M3, with 3 to 30 tasks in an edf and in a fixed band. Some minutes.
        """

        folder = folder_of(out, as_json)
        document = measure(repeats=repeats)
        tell(document, None if as_json else text(document), pictures, folder)
        return 0
