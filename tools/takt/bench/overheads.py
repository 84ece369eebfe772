# SPDX-License-Identifier: Apache-2.0
"""`takt bench overheads`: measures boards/B/overheads.toml. docs/overheads.md: what they mean, why they bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from takt.bench import images, kernel
from takt.declare.schema import boards
from takt.declare.tables import DEFAULT_BOARD
from takt.prove import overheads
from takt.prove.overheads import Entry, Measured
from takt.support.c.benchmarks import RELEASES_MAX
from takt.support.errors import UserError
from takt.support.files import read_text
from takt.support.provision import ROOT

FOLDER = ROOT / "benchmarks" / "overheads"
PRESETS = ("standard", "lean")
TASKS = (4, 8, 16, 32, 64)
SEEDS = 4
MARGIN_PERCENT = 5
FAULTS = ROOT / "benchmarks" / "restart"
SERVICE_REPEATS = 50
SERVICES = ("semaphore_", "mutex_", "queue_", "timed_", "interrupt_to_task", "event_", "block_")
IN_TASKS = ("suspend_self", "resume_runs", "delay_insert", "rearm")  # calls that any task may make, declared or not
SERVICE_BANDS = {  # of bench kernel, which has no budgets: entry() adds what they take
    ("fixed", "fixed"): "fixed",
    ("bands", "fixed"): "csd3",
    ("bands", "edf"): "edf",
    ("budgets", "fixed"): "csd3",
    ("budgets", "edf"): "edf",
    ("servers", "fixed"): "csd3",
    ("servers", "edf"): "edf",
}

Rows = dict[str, int]
"""Longest gaps in ns, by the names of benchmarks/overheads/system.c."""


@dataclass(frozen=True)
class Variant:
    """The key of an entry, without the number of tasks."""

    preset: str
    kernel: str
    band: str
    protection: bool = False

    @property
    def key(self) -> overheads.EntryKey:
        return self.preset, self.kernel, self.band

    @property
    def sched(self) -> str:
        """The folder of kernel/config/sched/."""
        return self.unserved.kernel

    @property
    def served(self) -> bool:
        return self.kernel == "servers"

    @property
    def unserved(self) -> Variant:
        """The same with no servers: itself, if it has none."""
        return replace(self, kernel="budgets") if self.served else self


VARIANTS = tuple(
    Variant(preset, *kinds, protection)
    for protection in (False, True)
    for preset in PRESETS
    for kinds in overheads.KINDS
    if not protection or kinds[0] not in overheads.UNPROTECTED_KERNELS
)


@dataclass(frozen=True)
class Run:
    """One run: of the random sets, of what faults of a process take (`folder`), or (`services`: a band of bench kernel)
    of the rows of services."""

    variant: Variant
    tasks: int
    options: tuple[tuple[str, int], ...] = ()
    services: str = ""
    folder: Path = FOLDER

    @property
    def levels(self) -> int:
        """Of the kernel's bitmap, which is built for words of 32: one for each task, the spinner's and idle's."""
        return max(images.LEVELS, self.tasks + 2)

    def image(self, board: str) -> Path:
        if self.services:
            return self.service_run(board).image()
        variant = self.variant
        return images.with_takt(
            board,
            variant.preset,
            variant.sched,
            self.folder,
            includes=(FOLDER, FOLDER / board),
            link="-Wl,--wrap=takt_start",
            levels=self.levels,
            protection=variant.protection,
            servers=variant.served,
        )

    def service_run(self, board: str) -> kernel.Run:
        room = kernel.rooms(self.services, self.tasks)[0]  # the rows that need only a few tasks more
        run = kernel.rows_run(board, self.variant.preset, self.services, self.tasks, SERVICE_REPEATS, room=room)
        return replace(run, protection=self.variant.protection)

    def found(self, board: str, image: Path) -> Rows:
        if self.services:
            return {name: figure.max for name, figure in kernel.figures(self.service_run(board).found(image)).items()}
        return images.run(board, image, dict(self.options))


def set_run(variant: Variant, tasks: int, seed: int, **more: int) -> Run:
    """A random set of this number of tasks; every other seed has equal priorities."""
    options = {"tasks": tasks, "edf": int(variant.band == "edf"), "seed": seed, "equals": seed % 2, **more}
    return Run(variant, tasks, tuple(options.items()))


def plain_runs(variant: Variant, tasks: int, seeds: int) -> list[Run]:
    return [set_run(variant, tasks, seed) for seed in range(1, seeds + 1)]


def watched_runs(variant: Variant, tasks: int, seeds: int) -> list[Run]:
    """All of half as many tasks are watched: as many timers."""
    watched = tasks // 2
    return [
        Run(variant, tasks, (*set_run(variant, watched, seed, notify=1).options,))
        for seed in range(1, -(-seeds // 2) + 1)
    ]


def shared_runs(variant: Variant, tasks: int, seeds: int) -> list[Run]:
    """With one server for all tasks, or for one, whose budget ends and comes back."""
    if not variant.served:
        return []
    return [set_run(variant, tasks, seed, shared=count) for seed in range(1, seeds + 1) for count in (1, tasks)]


def interrupted_runs(variant: Variant, tasks: int, seeds: int) -> list[Run]:
    return [set_run(variant, tasks, seed, interrupt=1) for seed in range(1, -(-seeds // 2) + 1)]


def line_runs(variant: Variant, tasks: int, seeds: int) -> list[Run]:
    """The last task serves an interrupt."""
    return [set_run(variant, tasks, seed, line=1) for seed in range(1, seeds + 1)] if variant.protection else []


def fault_runs(variant: Variant, tasks: int) -> list[Run]:
    """All tasks are of the process that faults, half of them, and the one that faults; its mutexes contended or not."""
    options = {"tasks": tasks, "edf": int(variant.band == "edf")}
    own = (tasks, tasks // 2, 1) if variant.protection else ()
    return [
        Run(variant, tasks, tuple({**options, "own": count, "contended": contended}.items()), folder=FAULTS)
        for contended in (0, 1)
        for count in own
    ]


def fault_costs(variant: Variant, tasks: int, found: Mapping[Run, Rows]) -> Rows:
    """The longest of each sort; a fault's by how many tasks the process has."""
    runs = fault_runs(variant, tasks)
    alike = [run for run in runs if not dict(run.options)["contended"]]  # else a fault is with an interrupt more
    *several, alone = [(dict(run.options)["own"], found[run]["fault"]) for run in alike]
    most = longest([found[run] for run in runs])
    further = max(-(-(fault - alone[1]) // (own - 1)) for own, fault in several)
    return {**{name: most[name] for name in ("piece", "mutex", "regions")}, "fault": alone[1], "fault_task": further}


def service_runs(variant: Variant, tasks: int) -> list[Run]:
    """None for cooperative jobs, which never block."""
    band = SERVICE_BANDS.get((variant.kernel, variant.band))
    return [Run(variant, tasks, services=band)] if band else []


def all_runs(variant: Variant, tasks: int, seeds: int) -> list[Run]:
    found = service_runs(variant, tasks) + plain_runs(variant, tasks, seeds)
    found += watched_runs(variant, tasks, seeds) + interrupted_runs(variant, tasks, seeds)
    if variant.served:
        found += plain_runs(variant.unserved, tasks, seeds) + shared_runs(variant, tasks, seeds)
    return found + line_runs(variant, tasks, seeds) + fault_runs(variant, tasks)


def longest(found: Sequence[Mapping[str, int]]) -> Rows:
    """Every row's maximum over some runs."""
    return {name: max(rows.get(name, 0) for rows in found) for name in found[0]} if found else {}


@dataclass(frozen=True)
class Costs:
    """Bounds, ns, under which every gap of the runs stays."""

    release: int
    switch: int
    complete: int

    @property
    def whole(self) -> int:
        return self.release + self.switch + self.complete


def costs(rows: Mapping[str, int]) -> Costs:
    """Bounds of one job: see docs/overheads.md."""
    several = range(1, RELEASES_MAX)
    complete = max(rows["completes_0"], 0)
    release = rows["stays_0"]
    for count in several:
        for gap in (rows[f"stays_{count}"], rows[f"completes_{count}"] - complete):
            release = max(release, -(-gap // count))
    switch = rows["switches_0"]
    for count in several:
        gaps = (rows[f"switches_{count}"], rows[f"completes_to_released_{count}"] - complete)
        switch = max(switch, *(gap - count * release for gap in gaps))
    return Costs(release, switch, complete)


def entry(variant: Variant, tasks: int, seeds: int, found: Mapping[Run, Rows], instruction_ns: int) -> Entry:
    """The measurements for this number of tasks, in instructions and with the margin."""
    plain, watched, interrupted = (
        longest([found[run] for run in runs(variant, tasks, seeds)])
        for runs in (plain_runs, watched_runs, interrupted_runs)
    )
    rows = longest([found[run] for run in service_runs(variant, tasks)])
    job = costs(plain)
    calls = {name: most for name, most in rows.items() if name.startswith(SERVICES)}
    lock = max(interrupted["latency_0"], job.complete, *(rows.get(name, 0) * instruction_ns for name in IN_TASKS))
    named = {
        "release": job.release,
        "switch": job.switch,
        "complete": job.complete,
        "timer": max(watched["timer_0"], costs(watched).whole - job.whole),
        "interrupt": interrupted["interrupt_0"],
        "lock": lock,
        "lock_services": max(lock, *(most * instruction_ns for most in calls.values()), 0),
        "block": plain["block_0"],
        "unblock": plain["unblock_0"],
        "select": plain["select_0"],
    }
    if variant.protection:
        lines = longest([found[run] for run in line_runs(variant, tasks, seeds)])
        named["line"] = lines["line_0"]
        named["ack"] = lines["ack_0"] + max(0, lines["line_end_0"] - job.complete)
        named |= fault_costs(variant, tasks, found)
    if variant.sched == "budgets":  # a call that locks, unlocks or switches moves the timer of budgets, twice at most
        named["lock"] += 2 * named["timer"]
        named["lock_services"] += 2 * named["timer"]
    if variant.served:  # a call may make served tasks ready, or let one wait, as a job's release and end do
        unserved = costs(longest([found[run] for run in plain_runs(variant.unserved, tasks, seeds)]))
        more = max(0, job.release - unserved.release) + max(0, job.complete - unserved.complete)
        named["lock"] += more
        named["lock_services"] += more
        named["key"] = key(job.release, shared_runs(variant, tasks, seeds), found, instruction_ns)
    nothing = [
        name for name, most in named.items() if most == 0 and (name, variant.kernel) != ("switch", "cooperative")
    ]
    if nothing:
        raise UserError(
            f"{variant.preset}, kernel {variant.kernel}, {tasks} tasks: nothing was measured of {nothing[0]}"
        )
    return Entry(
        {name: with_margin(value, instruction_ns) for name, value in named.items()},
        {name: with_margin(most, 1) for name, most in calls.items()},
    )


def key(release: int, runs: Sequence[Run], found: Mapping[Run, Rows], instruction_ns: int) -> int:
    """What covers each interrupt that changed keys, beside a release; at least an instruction, 0 if there was none."""
    gaps = [(found[run]["keys_0"], dict(run.options)["shared"]) for run in runs]
    if any(gap == 0 for gap, _ in gaps):
        return 0
    return max(instruction_ns, *(-((release - gap) // count) for gap, count in gaps))


def with_margin(value: int, unit: int) -> int:
    """In units, rounded up."""
    return -(-value * (100 + MARGIN_PERCENT) // (100 * unit))


def measure(board: str, seeds: int, variants: Sequence[Variant] = VARIANTS) -> tuple[Measured, list[UserError]]:
    """Entries of a board, and why others are not among them. Images are built one by one, then some emulators work at a
    time."""
    from takt.support import console

    runs = [run for variant in variants for tasks in TASKS for run in all_runs(variant, tasks, seeds)]
    with console.counting(f"measuring {board}", len(runs)) as done, ThreadPoolExecutor(kernel.WORKERS) as pool:
        built: dict[tuple[Any, ...], Path] = {}
        waiting = {}
        try:
            for run in runs:
                variant = run.variant
                key = (variant.preset, variant.kernel, variant.protection, run.services or run.levels, run.folder)
                built[key] = built.get(key) or run.image(board)
                waiting[run] = pool.submit(run.found, board, built[key])
                waiting[run].add_done_callback(lambda _: done())
            found = {run: future.result() for run, future in waiting.items()}
        except BaseException:  # also Ctrl-C and SIGTERM
            pool.shutdown(cancel_futures=True)
            raise
    instruction_ns = found[plain_runs(variants[0], TASKS[0], seeds)[0]]["instruction_ns"]
    measured, missing = Measured(board, instruction_ns, TASKS, {}, {}), list[UserError]()
    for variant in variants:
        entries = measured.protected if variant.protection else measured.entries
        try:
            entries[variant.key] = rising([entry(variant, tasks, seeds, found, instruction_ns) for tasks in TASKS])
        except UserError as error:
            missing.append(error)
    return measured, missing


def rising(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """With more tasks nothing is cheaper: what a smaller set met counts for the larger too."""
    found: list[Entry] = []
    for number in range(1, len(entries) + 1):
        before = entries[:number]
        found.append(
            Entry(
                longest([item.instructions for item in before]),
                {name: max(item.services.get(name, 0) for item in before) for name in before[-1].services},
            )
        )
    return tuple(found)


def as_json(measured: Measured) -> dict[str, Any]:
    """The document of --json (docs/json.md)."""
    rows = [
        {
            "preset": preset,
            "kernel": kinds[0],
            "band": kinds[1],
            "protection": protection,
            "tasks": tasks,
            "instructions": item.instructions,
            "services": item.services,
        }
        for protection, entries in ((False, measured.entries), (True, measured.protected))
        for (preset, *kinds), items in entries.items()
        for tasks, item in zip(measured.tasks, items, strict=True)
    ]
    return {"board": measured.board, "instruction_ns": measured.instruction_ns, "entries": rows}


def add_command(group: click.Group) -> None:
    from takt.support.options import count_option, json_option

    @group.command(name="overheads")
    @click.option(
        "--board",
        default=DEFAULT_BOARD,
        show_default=True,
        metavar="BOARD",
        help="The board to measure: a folder of boards/.",
    )
    @count_option("--seeds", SEEDS, "Random task sets of each size.")
    @click.option("--protection/--no-protection", default=None, help="Only with tasks in processes, or only without.")
    @click.option(
        "--kernel",
        "kind",
        metavar="KIND",
        help="Only this folder of kernel/config/sched/, or servers; keep the figures of the others.",
    )
    @json_option
    def command(board: str, seeds: int, protection: bool | None, kind: str | None, as_json: bool) -> int:
        """Measure the kernel times that a proof adds, and write them into the board's overheads.toml.

        Instructions of every operation, by preset, kind of scheduler, kind of band and number of tasks, with tasks in
        processes and without. A quarter of an hour; --protection, or --kernel KIND, is a part of it.
        """
        return write(board, seeds, kind, protection, as_json)


def write(name: str, seeds: int, kind: str | None, protection: bool | None, json_wanted: bool) -> int:
    """Measures and writes the file. UserError: not measurable there."""
    from takt.support import console

    board = boards.load(name)
    overheads.refuse_unmeasurable(board, (FOLDER / name / "counter.h").exists())
    variants = [
        variant for variant in VARIANTS if kind in (None, variant.kernel) and protection in (None, variant.protection)
    ]
    if not variants:
        kinds = ", ".join(dict.fromkeys(variant.kernel for variant in VARIANTS))
        raise UserError(f"--kernel {kind}: no such kind", f"one of {kinds}")
    measured, missing = measure(name, seeds, variants)
    path = board.folder / "overheads.toml"
    if len(variants) < len(VARIANTS) or (missing and path.exists()):
        before = overheads.read(board)
        entries, protected = before.entries | measured.entries, before.protected | measured.protected
        measured = replace(before, entries=entries, protected=protected)
    overheads.write(path, measured)
    if json_wanted:
        console.print_json(as_json(measured))
    else:
        click.echo(read_text(path), nl=False)
    if missing:
        problems = "; ".join(error.problem for error in missing)
        raise UserError(f"{problems}; the other figures were written", "longer runs: benchmarks/overheads")
    return 0
