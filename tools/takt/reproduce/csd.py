# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce csd`: figures 4.3 to 4.5 of seed 000, by its own tests and by the exact ones."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from takt.support.files import read_text
from takt.support.provision import ROOT

if TYPE_CHECKING:
    from takt.reproduce import campaign
    from takt.reproduce.search import Found
    from takt.support.tables import Table

WORKLOADS = 500
MOST = 100_000  # workloads that may be asked for
SEEDS = (1, 2, 3)
NEAR = 0.5  # points that a curve may lie from the reference
FIGURES = {"1": "4.3", "2": "4.4", "3": "4.5"}  # by divisor of the periods
NAMES = {"edf": "EDF", "rm": "RM", "csd2": "CSD-2", "csd3": "CSD-3", "csd4": "CSD-4"}


def reference() -> dict[str, Any]:
    """benchmarks/reference/reproduction.toml."""
    path = ROOT / "benchmarks" / "reference" / "reproduction.toml"
    return tomllib.loads(read_text(path))


def measure(number: int = WORKLOADS, seeds: Sequence[int] = SEEDS) -> dict[str, Any]:
    """The document of `takt reproduce csd --json` (docs/json.md)."""
    from takt.support import compile, console, provision

    provision.require_python("plot")  # with numpy
    compile.host_library()
    from takt.reproduce import campaign
    from takt.reproduce.campaign import TASKS

    parts = campaign.chunks(seeds, TASKS, number)
    said = reference()["lower"]
    with console.counting("sets of workloads", len(parts) + campaign.reading_parts(said, number)) as done:
        document = of(campaign.run(parts, done), seeds, number)
        document["readings"] = campaign.readings(said, seeds[0], number, done)
        document["printed"] = campaign.printed(seeds[0], number, done)
    document["search_s"] = round(campaign.search_s(**reference()["search"]), 3)
    return document


def of(results: campaign.Results, seeds: Sequence[int], number: int) -> dict[str, Any]:
    """What is worked out from breakdown utilizations."""
    from takt.reproduce.campaign import TESTS, curves, half_width, mean, percents

    def means(test: str, those: Sequence[int]) -> Any:
        return curves(results, those, lambda items: mean(percents(items, test)))

    def half_widths(test: str) -> Any:
        return curves(results, seeds, lambda items: half_width(percents(items, test)))

    def share(chosen: Callable[[Found], bool]) -> Any:
        return curves(results, seeds, lambda items: 100 * sum(map(chosen, items)) / len(items))

    document: dict[str, Any] = {
        "workloads": number,
        "seeds": list(seeds),
        **{test: means(test, seeds) for test in TESTS},
        "half_width": {test: half_widths(test) for test in TESTS},
        "by_seed": {str(seed): {test: means(test, [seed]) for test in TESTS} for seed in seeds},
        "refuted": share(lambda item: item.exact < item.historic),
        "undecided": share(lambda item: item.undecided),
    }
    document["far"] = far(document, reference()["curves"])
    document["statements"] = statements(document, reference()["lower"])
    return document


def statements(document: dict[str, Any], said: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The seed's, with ours beside them: by all workloads, and the least and most by any seed's."""
    from takt.reproduce.campaign import TESTS, lower

    rows = []
    for row in said:
        key, names = str(row["divisor"]), (row["scheduler"], row["than"], row["tasks"])
        by_seed = [lower(found["historic"][key], *names) for found in document["by_seed"].values()]
        ours = {test: lower(document[test][key], *names) for test in TESTS}
        rows.append({**row, "at_least": row.get("at_least", False), **ours, "range": [min(by_seed), max(by_seed)]})
    return rows


def far(document: dict[str, Any], known: dict[str, Any]) -> list[dict[str, Any]]:
    """Points of the historic curves that lie further than NEAR from the reference, with certainty: the confidence
    interval of ours lies there as a whole."""
    rows = []
    for divisor, by_name in document["historic"].items():
        for name, by_tasks in by_name.items():
            for tasks, percent in by_tasks.items():
                wanted = known[divisor][name][known["tasks"].index(int(tasks))]
                half = document["half_width"]["historic"][divisor][name][tasks]
                if half is not None and abs(percent - wanted) > NEAR + half:
                    rows.append(
                        {
                            "divisor": int(divisor),
                            "scheduler": name,
                            "tasks": int(tasks),
                            "historic": percent,
                            "reference": wanted,
                        }
                    )
    return rows


def expected_edf(tasks: int, divisor: int) -> float:
    """Where EDF's curve would be after infinitely many workloads, percent: only the kernel's time counts, of n jobs in
    periods that are drawn alike."""
    from takt.bench.studies.workloads import DIGITS_MS, MS
    from takt.reproduce.queues import partitions

    rates = [sum(1 / period for period in periods) / len(periods) for periods in DIGITS_MS]
    cost_ns = int(partitions("edf", tasks).costs_ns[0, 0])
    return 100 * (1 - tasks * divisor * cost_ns / MS * sum(rates) / len(rates))


def curve_tables(document: dict[str, Any]) -> list[Table]:
    """By divisor: ours by the seed's tests, and how far it lies from the reference; ours by the exact tests."""
    from takt.support.tables import Cell, Table

    known = reference()["curves"]
    found = []
    for divisor, figure in FIGURES.items():
        rows: list[list[Cell]] = []
        for name, title in NAMES.items():
            for tasks, percent in document["historic"][divisor][name].items():
                wanted = known[divisor][name][known["tasks"].index(int(tasks))]
                half = document["half_width"]["historic"][divisor][name][tasks]
                rows.append(
                    [
                        title,
                        tasks,
                        f"{percent:.2f}",
                        "" if half is None else f"{half:.2f}",
                        f"{wanted:.2f}",
                        f"{percent - wanted:+.2f}",
                        f"{document['exact'][divisor][name][tasks]:.2f}",
                        f"{document['refuted'][divisor][name][tasks]:.1f}",
                    ]
                )
        title = f"Figure {figure}: breakdown utilization in percent, periods divided by {divisor}"
        heads = ["", "tasks", "historic", "±", "reference", "difference", "exact", "refuted"]
        found.append(Table(title, heads, rows))
    return found


def statement_table(document: dict[str, Any]) -> Table:
    from takt.support.tables import Cell, Table

    rows: list[list[Cell]] = []
    for row in document["statements"]:
        words = f"{NAMES[row['scheduler']]} below {NAMES[row['than']]}, {row['tasks']} tasks"
        low, high = row["range"]
        said = f"more than {row['percent']}" if row["at_least"] else str(row["percent"])
        rows.append(
            [row["figure"], words, said, f"{row['historic']:.1f}", f"{low:.1f} to {high:.1f}", f"{row['exact']:.1f}"]
        )
    heads = ["figure", "overhead of", "the seed", "historic", "by seed", "exact"]
    return Table("How many percent lower the overhead is, as the seed says and here", heads, rows, words=2)


def reading_table(document: dict[str, Any]) -> Table:
    from takt.support.tables import Cell, Table

    heads = ["execution times", "finding a queue"]
    heads += [f"{row['figure']}, {row['tasks']} tasks: {row['percent']}" for row in document["statements"]]
    rows: list[list[Cell]] = [
        [row["times"], row["finding"], *(f"{value:.1f}" for value in row["lower"])] for row in document["readings"]
    ]
    return Table("The same under other readings of what the seed leaves open, by its own tests", heads, rows, words=2)


def printed_table(document: dict[str, Any]) -> Table:
    """How far CSD-3 lies from the reference, and how much lower it would be if charged as table 4.2 is printed."""
    from takt.support.tables import Cell, Table

    known = reference()["curves"]
    rows: list[list[Cell]] = []
    for divisor, figure in FIGURES.items():
        for tasks, moved in document["printed"][divisor].items():
            index = known["tasks"].index(int(tasks))
            gaps = [
                document["historic"][divisor][name][tasks] - known[divisor][name][index]
                for name in ("csd2", "csd3", "csd4")
            ]
            rows.append([figure, tasks, *(f"{gap:+.2f}" for gap in gaps), f"{moved:+.2f}"])
    heads = ["figure", "tasks", "CSD-2", "CSD-3", "CSD-4", "CSD-3 by table 4.2"]
    return Table("Points from the reference, and by how many CSD-3 moves if charged as table 4.2", heads, rows)


def picture(document: dict[str, Any], divisor: str) -> str:
    """A figure as SVG: by the seed's tests and by the exact ones. Marks: what the seed says, given the other curve."""
    from takt.bench.studies import plot

    panels = []
    for test, words in (("historic", "the seed's tests"), ("exact", "exact tests")):
        by_name = document[test][divisor]
        lines = [
            plot.Line(NAMES[name], [(int(tasks), value) for tasks, value in by_tasks.items()], colour)
            for colour, (name, by_tasks) in enumerate(by_name.items())
        ]
        marks = []
        for row in document["statements"]:
            if (str(row["divisor"]), row["scheduler"]) == (divisor, "csd4"):
                loss = (100 - by_name[row["than"]][str(row["tasks"])]) * (1 - row["percent"] / 100)
                marks.append((row["tasks"], 100 - loss))
        if marks:
            colour = list(by_name).index("csd4")
            lines.append(plot.Line("CSD-4 as the seed says", marks, colour, marks=True))
        periods = "periods of 5 to 999 ms" if divisor == "1" else f"periods / {divisor}"
        panels.append(plot.Panel(f"{words}, {periods}", lines))
    least = min(value for by_tasks in document["historic"][divisor].values() for value in by_tasks.values())
    return plot.svg(panels, "tasks", "breakdown utilization, percent", 5 * (least // 5))


def pictures(document: dict[str, Any]) -> dict[str, str]:
    """By name of the file."""
    return {f"reproduction-{figure}.svg": picture(document, divisor) for divisor, figure in FIGURES.items()}


def text(document: dict[str, Any]) -> str:
    tables = [*curve_tables(document), printed_table(document), statement_table(document), reading_table(document)]
    return "\n\n".join(table.text() for table in tables)


def command_line(number: int, seeds: Sequence[int]) -> str:
    """The parameters of the figures: the number of workloads for each point, and the seeds."""
    words = [f"--workloads {number}", *(f"--seed {seed}" for seed in seeds if tuple(seeds) != SEEDS)]
    return " ".join(["./takt reproduce csd", *words])


def add_command(group: click.Group) -> None:
    from takt.bench.documents import folder_of, out_option, tell
    from takt.support.options import json_option

    @group.command(name="csd")
    @click.option(
        "--workloads",
        "number",
        default=WORKLOADS,
        show_default=True,
        type=click.IntRange(1, MOST),
        help="Workloads for each point.",
    )
    @click.option(
        "--seed", "seeds", multiple=True, type=click.IntRange(0), help="Seed instead of 1, 2 and 3; may be repeated."
    )
    @out_option
    @json_option
    def command(number: int, seeds: tuple[int, ...], out: Path | None, as_json: bool) -> int:
        """Draw figures 4.3 to 4.5: breakdown utilization of random workloads under EDF, RM and CSD-2 to CSD-4.

        With the seed's overheads, by its printed tests (historic) and by exact ones. 500 workloads for each point
        with three seeds take a quarter of an hour on two cores.
        """

        if len(set(seeds)) < len(seeds):
            raise click.UsageError("--seed: one seed is given twice")
        folder = folder_of(out, as_json)
        document = measure(number, seeds or SEEDS)
        tell(document, None if as_json else text(document), pictures, folder)
        return 0
