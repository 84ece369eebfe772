# SPDX-License-Identifier: Apache-2.0
"""`takt bench kernel`: guest instructions per kernel operation, beside peers that the same harness measures.

The rows are in benchmarks/kernel, written once for every kernel: harness.h says how they are measured, rows.c what they
are. Figures that were measured elsewhere are cited from benchmarks/reference with their conditions, and marked.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import click

from takt.declare.schema import boards
from takt.support.files import read_text
from takt.support.provision import ROOT

FOLDER = ROOT / "benchmarks" / "kernel"
BOARDS = tuple(name for name in boards.names() if (FOLDER / name / "target.c").exists())
BANDS = ("fixed", "edf", "csd3")  # in the order of benchmarks/kernel/takt/system.c
TASKS = (4, 16, 32, 64)
RELEASES = (1, 8, 32, 64)
PRESETS = ("lean", "standard")
REPEATS = 10_000
WORKERS = 2  # emulators at a time
UNPROTECTED = ("rows.c", "messages.c", "buffers.c", "alarms.c", "locks.c", "calls.c")
PROTECTED = ("processes.c", "calls.c")
TEN_MORE = "-DBENCHMARK_TEN_MORE"
SWEEP = "-DBENCHMARK_SWEEP"
PROFILE = "-DBENCHMARK_PROFILE"
RECORDS = "-DBENCHMARK_RECORDS"
FREERTOS = "FreeRTOS"
FREERTOS_TRACED = "FreeRTOS-traced"
PEERS = {FREERTOS: "", FREERTOS_TRACED: "traced"}  # kinds of takt.bench.images.with_freertos


class Figure(NamedTuple):
    """Guest instructions."""

    mean: float
    max: int


EVERYWHERE = frozenset((kernel, band) for kernel in (*PRESETS, *PEERS) for band in BANDS)

Figures = dict[str, Figure]
"""By operation."""


@dataclass
class Row:
    """One operation in one situation, in guest instructions. `peers` were measured with it; `cited` were not."""

    operation: str
    band: str
    tasks: int
    lean: Figure
    standard: Figure | None = None
    wait_max: int | None = None
    standard_wait_max: int | None = None
    peers: dict[str, float] = field(default_factory=dict)
    cited: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "operation": self.operation,
            "band": self.band,
            "tasks": self.tasks,
            "mean": self.lean.mean,
            "max": self.lean.max,
            "peers": self.peers,
            "standard": self.standard and {**self.standard._asdict(), "wait_max": self.standard_wait_max},
            "wait_max": self.wait_max,
            "cited": self.cited,
        }


@dataclass(frozen=True)
class Run:
    """One run of an image; equal runs print equal figures."""

    board: str
    kernel: str  # a preset of Takt, or a peer
    options: tuple[tuple[str, int], ...]
    flags: str = ""
    band: str = BANDS[0]
    protection: bool = False  # the rows' tasks are in processes
    hints: bool = False  # have an effect: without it they have none in a kernel with edf bands, but no budgets

    @property
    def sched(self) -> str:
        """The kernel's own kind of bands: what is only fixed is built without the others."""
        return "fixed" if self.band == "fixed" else "bands"

    def image(self) -> Path:
        from takt.bench import images

        if self.kernel in PEERS:
            return images.with_freertos(self.board, self.flags, PEERS[self.kernel])
        folders = (FOLDER, FOLDER / self.board, FOLDER / "takt" / self.board)
        own = [FOLDER / "takt" / name for name in (PROTECTED if self.protection else UNPROTECTED)]
        sources = [*own, *(path for folder in folders for path in sorted(folder.glob("*.c")))]
        link = "-Wl,--wrap=takt_start"  # benchmarks/kernel/takt/system.c
        system = FOLDER / "takt"
        return images.with_takt(
            self.board,
            self.kernel,
            self.sched,
            system,
            sources,
            folders[:2],
            self.flags,
            link,
            protection=self.protection,
            hints=self.hints,
        )

    def found(self, image: Path) -> dict[str, Any]:
        from takt.bench import images

        return images.run(self.board, image, {**dict(self.options), "band": BANDS.index(self.band)})


def rows_run(
    board: str, kernel: str, band: str, tasks: int, repeats: int, flags: str = "", room: tuple[int, int] = (0, 0)
) -> Run:
    """Every row, with `tasks` other tasks. `room`: only rows with more tasks than the first, up to the second."""
    options = {"repeats": repeats, "tasks": tasks} | ({"above": room[0], "room": room[1]} if room[1] else {})
    return Run(board, kernel, tuple(options.items()), flags, band)


def releases_run(board: str, kernel: str, band: str, tasks: int, repeats: int, jobs: int, distinct: bool) -> Run:
    """The releases of this number of jobs."""
    room = jobs + tasks + 4
    options = (("repeats", repeats), ("tasks", tasks), ("jobs", jobs), ("distinct", int(distinct)), ("room", room))
    return Run(board, kernel, options, band=band)


def rooms(band: str, tasks: int) -> list[tuple[int, int]]:
    """The rooms of the runs that together have every row: what an edf band costs depends on how many tasks it may have.

    The rows need at most 6 tasks besides `tasks`, some up to 65, and the sleepers once more as many as `tasks`.
    """
    if band == "fixed":
        return [(0, 0)]
    sizes = sorted({tasks + 8, tasks + 68, max(2 * tasks, tasks + 64) + 4})
    return list(zip([0, *sizes], sizes, strict=False))


def figures(found: Mapping[str, Any]) -> Figures:
    """Of a run's line of JSON."""
    repeats = found["repeats"]
    rows = {name: value for name, value in found.items() if isinstance(value, dict)}
    return {name: Figure(round(value["total"] / repeats, 3), value["max"]) for name, value in rows.items()}


def waits(found: Mapping[str, Any]) -> tuple[Figures, dict[str, int]]:
    """Of a sweep's line of JSON: two rows for the whole of it, and the longest wait in each row."""
    rows = {name: value for name, value in found.items() if isinstance(value, dict)}
    entry = next(iter(rows.values()))["entry"]
    most = max(value["max"] for value in rows.values())
    mean = sum(value["total"] for value in rows.values()) / sum(value["count"] for value in rows.values())
    whole = {
        "interrupt_latency": Figure(round(mean + entry, 3), most + entry),
        "locked_section": Figure(most, most),
    }
    return whole, {name: value["max"] for name, value in rows.items()}


def results(runs: Sequence[Run]) -> dict[Run, dict[str, Any]]:
    """What the runs print. Images are built first, one by one; then some emulators work at a time."""
    from takt.support import console

    images: dict[tuple[Any, ...], Path] = {}
    built = {}
    for run in runs:
        key = (run.board, run.kernel, run.sched, run.flags, run.protection)
        built[run] = images[key] = images.get(key) or run.image()
    with console.counting("measuring", len(built)) as done, ThreadPoolExecutor(WORKERS) as pool:

        def work(item: tuple[Run, Path]) -> dict[str, Any]:
            found = item[0].found(item[1])
            done()
            return found

        return dict(zip(built, pool.map(work, built.items()), strict=True))


def reference(board: str) -> dict[str, dict[str, int]]:
    """Cited figures: instructions by kernel and operation."""
    path = FOLDER.parent / "reference" / "kernel-instructions.toml"
    document: dict[str, dict[str, dict[str, int]]] = tomllib.loads(read_text(path))
    return document.get(board, {})


def citations(cited: Mapping[str, Mapping[str, int]], operation: str, tasks: int) -> dict[str, int]:
    """Of one operation, by kernel. What holds only for some number of tasks has that in its name."""
    names = (f"{operation}_{tasks}", operation)
    return {kernel: known[name] for kernel, known in cited.items() for name in names if name in known}


@dataclass(frozen=True)
class Plan:
    """What is to be measured. `sweep`: the waits of interrupts too, of these kernels and kinds of band."""

    board: str = BOARDS[0]
    bands: tuple[str, ...] = BANDS
    tasks: tuple[int, ...] = TASKS
    presets: tuple[str, ...] = PRESETS
    repeats: int = REPEATS
    peers: bool = True
    sweep: frozenset[tuple[str, str]] = EVERYWHERE

    def runs(self) -> list[Run]:
        found = []
        for band in self.bands:
            for preset in self.presets:
                found += [run for tasks in self.tasks for run in self.rows(preset, band, tasks)]
                found += [self.release(preset, band, jobs, apart) for jobs in RELEASES for apart in (False, True)]
                found += self.swept(preset, band)
        for peer in PEERS if self.peers else ():
            found += [run for tasks in self.tasks for run in self.rows(peer, BANDS[0], tasks)]
            found += self.swept(peer, BANDS[0])
        return found

    def rows(self, kernel: str, band: str, tasks: int) -> list[Run]:
        return [rows_run(self.board, kernel, band, tasks, self.repeats, room=room) for room in rooms(band, tasks)]

    def release(self, preset: str, band: str, jobs: int, apart: bool) -> Run:
        return releases_run(self.board, preset, band, min(self.tasks), self.repeats, jobs, apart)

    def swept(self, kernel: str, band: str) -> list[Run]:
        """One run, or none."""
        return [rows_run(self.board, kernel, band, max(self.tasks), 1, SWEEP)] if (kernel, band) in self.sweep else []

    def waited(self, found: Mapping[Run, dict[str, Any]], kernel: str, band: str) -> dict[str, int]:
        """The longest wait in each row that was swept."""
        return {name: most for run in self.swept(kernel, band) for name, most in waits(found[run])[1].items()}

    def by_tasks(self, found: Mapping[Run, dict[str, Any]], kernel: str, band: str) -> dict[int, Figures]:
        """Every operation of a kernel, by the number of other tasks."""
        rows: dict[int, Figures] = {}
        for tasks in self.tasks:
            runs = self.rows(kernel, band, tasks)
            measured = {name: figure for run in runs for name, figure in figures(found[run]).items()}
            rows[tasks] = {name: measured[name] for name in found[runs[0]] if name in measured}  # what is not is null
        if kernel not in PEERS:
            for jobs in RELEASES:
                for apart in (False, True):
                    figure = figures(found[self.release(kernel, band, jobs, apart)])["release"]
                    rows[min(self.tasks)][f"release_{jobs}" + ("_distinct" if apart else "")] = figure
        for run in self.swept(kernel, band):
            rows[max(self.tasks)] |= waits(found[run])[0]
        return rows


def measure(plan: Plan) -> list[Row]:
    """Every row, by band and number of tasks. The first preset makes the rows."""
    found = results(plan.runs())
    cited = {name: rows for name, rows in reference(plan.board).items() if name != FREERTOS or not plan.peers}
    peers = {name: plan.by_tasks(found, name, BANDS[0]) for name in PEERS} if plan.peers else {}
    rows = []
    for band in plan.bands:
        by_preset = [plan.by_tasks(found, preset, band) for preset in plan.presets]
        waited = [plan.waited(found, preset, band) for preset in plan.presets]
        for tasks in plan.tasks:
            for operation, figure in by_preset[0][tasks].items():
                row = Row(operation, band, tasks, figure)
                if len(by_preset) > 1:
                    row.standard = by_preset[1][tasks].get(operation)
                if tasks == max(plan.tasks):
                    row.wait_max = waited[0].get(operation)
                    row.standard_wait_max = waited[1].get(operation) if len(waited) > 1 else None
                row.peers = {
                    name: measured[tasks][operation].mean
                    for name, measured in peers.items()
                    if operation in measured[tasks]
                }
                row.cited = citations(cited, operation, tasks)
                rows.append(row)
    return rows


Golden = dict[str, dict[str, list[float]]]
"""By situation and operation: mean and maximum of each preset, and the longest wait where it was measured."""


def golden_plan(board: str) -> Plan:
    """What is kept under review: counts are exact, so that few repetitions are enough."""
    sweep = frozenset([(PRESETS[0], BANDS[0])])
    return Plan(board, tasks=(min(TASKS), max(TASKS)), repeats=20, peers=False, sweep=sweep)


def golden(rows: Sequence[Row]) -> Golden:
    found: Golden = {}
    for row in rows:
        values: list[float] = [*row.lean, *(row.standard or ())]
        values += [] if row.wait_max is None else [row.wait_max]
        found.setdefault(f"{row.band}, {row.tasks} others", {})[row.operation] = values
    return found


def golden_path(board: str) -> Path:
    return FOLDER.parent / "golden" / f"kernel-{board}.json"


def number(value: float) -> str:
    """With one decimal if it needs one."""
    return f"{value:.1f}".removesuffix(".0")


def _beside(row: Row, peer: str, ours: float | None) -> list[str]:
    """A peer's mean, and ours by it."""
    theirs = row.peers.get(peer)
    return ["" if theirs is None else number(theirs), "" if not theirs or ours is None else f"{ours / theirs:.2f}"]


def show(rows: Sequence[Row]) -> None:
    """One table for each band and number of tasks: behind each preset of ours the peer that is compared with it."""
    for band, tasks in dict.fromkeys((row.band, row.tasks) for row in rows):
        part = [row for row in rows if (row.band, row.tasks) == (band, tasks)]
        cited = list(dict.fromkeys(name for row in part for name in row.cited))
        bare, traced = ([name, "ratio"] if any(row.peers for row in part) else [] for name in PEERS)
        heads = ["Takt", "max", *bare, "standard", *traced, "wait", *(f"{name}*" for name in cited)]
        widths = [max(10, len(head) + 2) for head in heads]
        click.echo(f"\nband {band}, {tasks} other tasks: guest instructions")
        click.echo(f"{'':22}" + "".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True)))
        for row in part:
            standard = row.standard.mean if row.standard else None
            cells = [number(row.lean.mean), str(row.lean.max)]
            cells += _beside(row, FREERTOS, row.lean.mean) if bare else []
            cells.append("" if standard is None else number(standard))
            cells += _beside(row, FREERTOS_TRACED, standard) if traced else []
            cells.append("" if row.wait_max is None else str(row.wait_max))
            cells += [str(row.cited.get(name, "")) for name in cited]
            texts = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
            click.echo(f"{row.operation:22}" + "".join(texts))
    click.echo(
        "\nTakt: preset lean. standard: with trace and assertions, which FreeRTOS-traced has too, and FreeRTOS not."
    )
    click.echo("wait: the longest time that an interrupt is delayed by the operation.")
    if any(row.cited for row in rows):
        click.echo("* cited, not measured here: benchmarks/reference/kernel-instructions.toml gives the conditions.")
