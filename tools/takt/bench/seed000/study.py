# SPDX-License-Identifier: Apache-2.0
"""`takt bench seed000`: tables 3.4, 3.5 and 4.3 of seed 000, ours beside its figures.

Its microseconds are cycles of its processor's clock, ours are instructions of another one: a quotient of the two says
little by itself. So what is compared is how costs stand to each other in one system: to that of a context switch (table
3.5), and to what the same takes with few tasks (table 4.3).
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from takt.bench import rhealstone
from takt.bench.kernel import BANDS, BOARDS, FOLDER, FREERTOS, PRESETS, REPEATS, Figures, figures, results
from takt.bench.rhealstone import set_run
from takt.bench.seed000 import operations
from takt.bench.studies import selection
from takt.support.c.benchmarks import Set
from takt.support.files import read_text, write_whole
from takt.support.tables import Cell, Table, ratio

SET = Set.SEED
COUNTS = (5, 8, 16, 32, 64)  # of tasks in table 4.3
OWN = 3  # tasks of the rows of table 4.3: the runner, the one that blocks, the one that spins
ROOM = 9  # tasks that an edf band has room for besides the others, in these rows
HERE = ", here"  # after the name of a queue of table 4.3: on our board
KINDS = ("fixed", "edf")
SCHEDULING = ("block", "unblock", "unblock_runs")

Reference = dict[str, Any]


def reference() -> Reference:
    """benchmarks/reference/seed-000.toml."""
    return tomllib.loads(read_text(FOLDER.parent / "reference" / "seed-000.toml"))


def formula_us(terms: Mapping[str, float], tasks: int) -> float:
    """An entry of table 4.3."""
    levels = math.ceil(math.log2(tasks + 1))
    return terms.get("constant", 0) + terms.get("per_task", 0) * tasks + terms.get("per_level", 0) * levels


def queue_cycles(reference: Reference, column: Mapping[str, Any], tasks: int) -> dict[str, float]:
    """What blocking, unblocking and both take in one column of table 4.3, each with a selection."""
    block, unblock, select = (formula_us(column[name], tasks) for name in ("block", "unblock", "select"))
    clock = reference["clock_mhz"]
    parts = {"block": block + select, "unblock": unblock + select, "job": block + unblock + 2 * select}
    return {name: round(us * clock, 1) for name, us in parts.items()}


def by_kernel(board: str, repeats: int, peers: bool) -> dict[str, dict[tuple[str, int], Figures]]:
    """Every row, by kernel, kind of band and number of tasks; those of Rhealstone are with the fewest tasks."""
    kernels = {(PRESETS[0], kind) for kind in KINDS} | ({(FREERTOS, BANDS[0])} if peers else set())
    keys = [(kernel, kind, count) for kernel, kind in sorted(kernels) for count in COUNTS]
    runs = {}
    for kernel, kind, count in keys:
        others = count - OWN
        options = {"repeats": repeats, "tasks": others, "room": others + ROOM}
        sets = (SET, rhealstone.SET) if count == COUNTS[0] and kind == BANDS[0] else (SET,)
        runs[kernel, kind, count] = [set_run(board, kernel, which, options, kind) for which in sets]
    printed = results([run for group in runs.values() for run in group])
    found: dict[str, dict[tuple[str, int], Figures]] = {}
    for (kernel, kind, count), group in runs.items():
        rows = {name: figure for run in group for name, figure in figures(printed[run]).items()}
        found.setdefault(kernel, {})[kind, count] = rows
    return found


def costs(rows: Figures) -> dict[str, float]:
    """Blocking until the next one runs, unblocking until that one runs, and both: the worst."""
    block, unblock = rows["block"].max, rows["unblock_runs"].max
    return {"block": block, "unblock": unblock, "job": block + unblock}


def scheduling(known: Reference, found: Mapping[str, Mapping[tuple[str, int], Figures]]) -> list[dict[str, Any]]:
    """Table 4.3, by scheduler and number of tasks."""
    rows: list[dict[str, Any]] = []
    for column in known["table_4_3"]:
        for count in COUNTS:
            cycles = queue_cycles(known, column, count)
            rows.append({"scheduler": column["queue"], "unit": "cycles", "tasks": count, **cycles})
    for kernel, by_situation in sorted(found.items(), reverse=True):
        for (kind, count), figures_ in by_situation.items():
            name = f"Takt, {kind}" if kernel != FREERTOS else kernel
            rows.append({"scheduler": name, "unit": "instructions", "tasks": count, **costs(figures_)})
    return rows


def structures(known: Reference, board: str) -> list[dict[str, Any]]:
    """Its three queues as benchmarks/selection has them: what they take on our processors, alone and at worst."""
    names = {column["structure"]: column["queue"] for column in known["table_4_3"]}
    found = selection.measure([board], list(names))["boards"][board]
    return [
        {
            "scheduler": names[row["structure"]] + HERE,
            "unit": "instructions",
            "tasks": row["tasks"],
            "block": row["completion"]["max"],
            "unblock": row["release"]["max"],
            "job": row["cycle"]["max"],
        }
        for row in found
        if row["tasks"] in COUNTS
    ]


def measure(board: str, repeats: int = REPEATS, peers: bool = True) -> dict[str, Any]:
    """The document of `takt bench seed000 --json` (docs/json.md)."""
    known = reference()
    found = by_kernel(board, repeats, peers)
    situation = (BANDS[0], COUNTS[0])
    peer = found[FREERTOS][situation] if peers else {}
    direct, protected = (operations.run_program(board, protection) for protection in (False, True))
    return {
        "board": board,
        "repeats": repeats,
        "operations": operations.by_operation(
            known, found[PRESETS[0]][situation], peer, direct.figures, protected.figures
        ),
        "sizes": operations.by_system(known, board, direct, protected),
        "scheduling": scheduling(known, found) + structures(known, board),
    }


def scheduling_table(document: dict[str, Any]) -> Table:
    """A job's blocking and unblocking: what they take, and how many times as much as with the fewest tasks."""
    jobs: dict[str, dict[int, float]] = {}
    units = {}
    for row in document["scheduling"]:
        jobs.setdefault(row["scheduler"], {})[row["tasks"]] = row["job"]
        units[row["scheduler"]] = row["unit"]
    few = COUNTS[0]
    rows: list[list[Cell]] = []
    for name, job in jobs.items():
        grown = [ratio(job[count], job[few]) for count in COUNTS[1:]]
        rows.append([name, units[name], *(job[count] for count in COUNTS), *grown])
    heads = ["tasks", "", *map(str, COUNTS), *(f"{count} by {few}" for count in COUNTS[1:])]
    return Table(f"Table 4.3 of seed 000, {document['board']}: to unblock and to block once", heads, rows)


def overtaken(document: dict[str, Any], suffix: str) -> int | None:
    """The least number of tasks of the table from which on the heap is cheaper than the queue in priority order."""
    queue, heap = (
        {row["tasks"]: row["job"] for row in document["scheduling"] if row["scheduler"] == name + suffix}
        for name in ("RM, queue", "RM, sorted heap")
    )
    slower = [tasks for tasks in queue if heap[tasks] >= queue[tasks]]
    return min((tasks for tasks in queue if tasks > max(slower, default=0)), default=None)


def notes(document: dict[str, Any]) -> tuple[str, ...]:
    here = overtaken(document, HERE)
    heap = f" The heap overtakes the queue in priority order after 58 tasks there; here it has by {here}."
    return (
        *operations.notes(document),
        "Table 4.3: EMERALDS' figures are of the scheduler alone, with two selections; Takt's and FreeRTOS' are whole"
        " calls with two switches; `here`: its three queues on our processor, alone (`takt bench selection`). Ours are"
        " the worst found. What can be compared is what more tasks add." + ("" if here is None else heap),
    )


def all_tables(document: dict[str, Any]) -> tuple[Table, ...]:
    return operations.operations_table(document), operations.sizes_table(document), scheduling_table(document)


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    tables = all_tables(document)
    return "\n\n".join([*(table.markdown() for table in tables), *notes(document)])


def golden_path(board: str) -> Path:
    return FOLDER.parent / "golden" / f"seed000-{board}.json"


def golden(board: str) -> dict[str, dict[str, list[float]]]:
    """What is kept under review: mean and maximum, by kind of band and number of tasks.

    Every row, Rhealstone's with them, in a fixed band with the fewest tasks; else what may depend on those two.
    """
    found = by_kernel(board, 20, False)[PRESETS[0]]
    return {
        f"{kind}, {count} tasks": {
            name: [figure.mean, figure.max]
            for name, figure in rows.items()
            if (kind, count) == (BANDS[0], COUNTS[0]) or name in SCHEDULING
        }
        for (kind, count), rows in found.items()
        if count in (COUNTS[0], COUNTS[-1])
    }


def add_command(group: click.Group) -> None:
    from takt.support.options import choice_option, count_option, json_option

    @group.command(name="seed000")
    @choice_option("--board", BOARDS, BOARDS[0], "The emulated board to measure on.")
    @count_option("--repeats", REPEATS, "Runs of each operation.")
    @click.option("--no-peers", is_flag=True, help="Do not measure kernels that must be downloaded.")
    @click.option("--update", is_flag=True, help="Only rewrite the reviewed figures (benchmarks/golden).")
    @json_option
    def command(board: str, repeats: int, no_peers: bool, update: bool, as_json: bool) -> int:
        """Measure tables 3.4, 3.5 and 4.3 of seed 000 for Takt and FreeRTOS, beside the cited figures of EMERALDS.

        Cycles of its processor's clock, guest instructions of ours, and ratios within each system.
        """
        from takt.support import console

        if update:
            lines = json.dumps(golden(board)).replace("}, ", "},\n").replace("], ", "],\n")
            write_whole(golden_path(board), lines + "\n")
            return 0
        document = measure(board, repeats, not no_peers)
        if as_json:
            console.print_json(document)
        else:
            tables = all_tables(document)
            click.echo("\n\n".join([*(table.text() for table in tables), *notes(document)]))
        return 0
