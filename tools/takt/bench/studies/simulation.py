# SPDX-License-Identifier: Apache-2.0
"""Speed of simulation: the host port beside SimSo on the same task sets. `takt bench host` runs it.

Task sets: 5, 10, 20 and 50 periodic tasks of random utilizations (UUniFast) that sum up to 0.5, 0.8 or 0.95, under rm
and edf. Periods are whole milliseconds, each another; a deadline is some nanoseconds shorter than the period, each by
another number, and wcets are any number of nanoseconds. So no two priorities or absolute deadlines are ever equal:
there is one right schedule, and both must find it. After every run the jobs finished, deadlines missed and (where they
are kept) longest response times of every task are compared, and any difference ends the benchmark.

Time is reported only as a ratio of processor time, user and system together (the kernel of this machine only samples
which of the two it is), so that others on the machine do not count. Both take turns in one run, and the least of the
turns counts. Ours is of the whole process, from start to end, with its figures (and its trace, when on) written to a
file. SimSo's is of its simulation alone (benchmarks/simulation/simso_run.py). Instructions are counted by Cachegrind at
two horizons; the difference, by the jobs between them, leaves out what starting costs."""

from __future__ import annotations

import json
import os
import platform
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from takt.bench.studies.workloads import shares
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build
from takt.observe.execute import DRAIN_NS
from takt.prove import proof as prove
from takt.support import children, console, provision
from takt.support.c.traces import WIDE
from takt.support.compile import BUILD, locked
from takt.support.errors import UserError
from takt.support.files import read_text, write_whole
from takt.support.provision import ROOT
from takt.trace.records import Event

FOLDER = BUILD / "benchmark-simulation"
MEMORY = Path("/dev/shm")  # streams go here where it is: SimSo keeps its log in memory, and disks are not compared
PEER = ROOT / "benchmarks" / "simulation"
BOARD = "host"
TASKS = (5, 10, 20, 50)
UTILIZATIONS = (0.5, 0.8, 0.95)
SCHEDULERS = ("rm", "edf")
PRESETS = {False: "lean", True: "standard"}  # by: is the trace on?
TURNS = 20  # of ours in a round: a run takes milliseconds, and anything on the machine disturbs it
COUNTED_JOBS = (300, 900)  # short: Cachegrind takes some 30 times as long
MS = 1_000_000
PERIODS_MS = range(10, 210)

_COUNT = re.compile(r"I +refs: +([\d,]+)")


class DifferenceError(Exception):
    """The two do not simulate the same schedule: their speeds cannot be compared."""


@dataclass(frozen=True)
class Periodic:
    period_ns: int
    deadline_ns: int
    wcet_ns: int


@dataclass(frozen=True)
class Case:
    """A task set under a scheduler, rm or edf."""

    scheduler: str
    utilization: float
    tasks: tuple[Periodic, ...]

    def horizon_ns(self, jobs: int) -> int:
        """The time by which about that many jobs are released; never a time of a release."""
        rate = sum(1 / task.period_ns for task in self.tasks)
        return round(jobs / rate / MS) * MS + MS // 2

    def __str__(self) -> str:
        return f"{len(self.tasks)} tasks, {self.scheduler}, utilization {self.utilization}"


@dataclass(frozen=True)
class Facts:
    """What a schedule did, by task. `responses_ns`: None where they are not kept (no trace)."""

    jobs: tuple[int, ...]
    misses: tuple[int, ...]
    responses_ns: tuple[int, ...] | None


@dataclass(frozen=True)
class Images:
    """A case built without and with trace. `stream`: what a run writes. `proved`: its deadlines hold."""

    paths: dict[bool, Path]
    stream: Path
    proved: bool


def case(scheduler: str, count: int, utilization: float) -> Case:
    """The task set of that size and utilization, always the same."""
    chance = random.Random(f"{count} {utilization}")
    periods = sorted(chance.sample(PERIODS_MS, count))
    tasks = []
    for number, (period, share) in enumerate(zip(periods, shares(chance, count, utilization), strict=True)):
        period_ns = period * MS
        tasks.append(Periodic(period_ns, period_ns - number, max(1, round(share * period_ns))))
    return Case(scheduler, utilization, tuple(tasks))


def cases(counts: Sequence[int], utilizations: Sequence[float]) -> Iterator[Case]:
    for count in counts:
        for scheduler in SCHEDULERS:
            for utilization in utilizations:
                yield case(scheduler, count, utilization)


def declared(item: Case, preset: str) -> str:
    """The system.toml of a case: synthetic loads, which execute for exactly their wcet."""
    lines = ["[system]", f'board = "{BOARD}"', f'preset = "{preset}"']
    for number, task in enumerate(item.tasks):
        lines += ["", "[[task]]", f'name = "t{number}"', f'period = "{task.period_ns} ns"']
        lines += [f'deadline = "{task.deadline_ns} ns"', f'wcet = "{task.wcet_ns} ns"']
    return "\n".join(lines) + "\n"


def build_images(item: Case, stream: Path) -> Images:
    """Both images of a case. Build folders are those of the case before: only the tables are compiled anew."""
    paths = {}
    proved = False
    for traced, preset in PRESETS.items():
        folder = FOLDER / f"simulation-{preset}"
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "system.toml", declared(item, preset))
        proof = prove.prove(declaration.load(folder / "system.toml"), item.scheduler, left_out=True)
        proved = proof.feasible
        paths[traced] = folder / "image"
        shutil.copy2(build.build(proof).path, paths[traced])
    return Images(paths, stream, proved)


def command_of(image: Path, horizon_ns: int, stream: Path) -> list[str]:
    """What runs an image, as `takt run` does."""
    options: dict[str, object] = {"stream": stream, "duration_ns": horizon_ns, "drain_ns": DRAIN_NS}
    return boards.load(BOARD).run_command(image, options)


def run_image(image: Path, horizon_ns: int, stream: Path) -> float:
    """One run. Returns seconds of the processor's time, from the process's start to its end."""
    stream.unlink(missing_ok=True)  # emptying an old file takes time too
    command = command_of(image, horizon_ns, stream)
    process = os.posix_spawn(command[0], command, os.environ)
    _, status, used = os.wait4(process, 0)
    if status != 0:
        raise DifferenceError(f"{image}: exit code {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime


def facts_of(stream: bytes, count: int, traced: bool) -> Facts:
    """The figures at the end of a run's stream. DifferenceError: the trace is not whole."""
    figures: dict[tuple[int, int], int] = {}
    events = 0
    for _, event, _, task, value in WIDE.iter_unpack(stream):
        if event == Event.LOST_RECORDS:
            raise DifferenceError("the trace lost records")
        if event >= Event.STAT_JOBS:
            figures[event, task] = value
        elif event != Event.TIME:
            events += 1
    jobs, misses, responses = (
        tuple(figures[event, task] for task in range(count))
        for event in (Event.STAT_JOBS, Event.STAT_MISSES, Event.STAT_RESPONSE_MAX)
    )
    if events < 2 * sum(jobs) if traced else events > 0:  # every job is released and completes
        raise DifferenceError(f"{events} events in the trace, {sum(jobs)} jobs")
    return Facts(jobs, misses, responses if traced else None)


def compare(case: str, ours: Facts, peers: Facts) -> None:
    """DifferenceError: not the same schedule."""
    for name in ("jobs", "misses", "responses_ns"):
        our, their = getattr(ours, name), getattr(peers, name)
        if our is None or our == their:
            continue
        task = next(number for number, pair in enumerate(zip(our, their, strict=True)) if pair[0] != pair[1])
        raise DifferenceError(f"{case}: {name} of t{task}: {our[task]} here, {their[task]} by SimSo")


class Simso:
    """SimSo, in a virtual environment of its own."""

    def __init__(self) -> None:
        self._venv = FOLDER / "venv"
        self._python = self._venv / "bin" / "python"

    def provide(self) -> None:
        """Makes the environment if it is not as the locks say. UserError: it cannot be made here."""
        if sys.version_info >= (3, 12):
            raise UserError("SimSo 0.8.5 does not run on Python 3.12 and later", "Python 3.11")
        locks = [PEER / "builder.lock", PEER / "simso.lock"]
        wanted = "".join(read_text(lock) for lock in locks)
        stamp = self._venv / "made"
        if stamp.exists() and read_text(stamp) == wanted:
            return
        with console.doing("installing SimSo (pip)"):
            self._do([sys.executable, "-m", "venv", "--clear", str(self._venv)])
            pip = [str(self._python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            pip += ["--no-deps", "--require-hashes"]
            self._do([*pip, "--only-binary", ":all:", "-r", str(locks[0])])
            self._do([*pip, "--no-build-isolation", "-r", str(locks[1])])
        write_whole(stamp, wanted)

    @staticmethod
    def _do(command: list[str]) -> None:
        done = children.run(command, together=True)
        if done.returncode != 0:
            raise UserError(f"SimSo cannot be installed\n{done.stdout[-2000:]}", "correct the cause and run it again")

    def run(self, item: Case, horizon_ns: int, before: Sequence[str] = ()) -> tuple[dict[str, Any], str]:
        """What simso_run.py printed, and what stands in its error output. `before`: words before the command."""
        tasks = [(task.period_ns, task.deadline_ns, task.wcet_ns) for task in item.tasks]
        wanted = {"scheduler": item.scheduler, "horizon_ns": horizon_ns, "tasks": tasks}
        done = children.run(
            [*before, self._python, PEER / "simso_run.py"],
            given=json.dumps(wanted),
            environment={"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"},
        )
        if done.returncode != 0:
            raise DifferenceError(f"SimSo failed at {item}:\n{done.stderr}")
        document: dict[str, Any] = json.loads(done.stdout)
        return document, done.stderr


def facts_by_simso(document: dict[str, Any]) -> Facts:
    return Facts(*(tuple(document[name]) for name in ("jobs", "misses", "responses_ns")))


def measure_case(item: Case, simso: Simso, stream: Path, jobs: int, rounds: int, count: bool) -> dict[str, Any]:
    """A row of the document. DifferenceError: the two do not do the same."""
    images = build_images(item, stream)
    horizon_ns = item.horizon_ns(jobs)
    least: dict[bool | None, float] = {}  # seconds; None: SimSo's
    peers = Facts((), (), None)
    for _ in range(rounds):
        document, _ = simso.run(item, horizon_ns)
        peers = facts_by_simso(document)
        least[None] = min(document["seconds"], least.get(None, document["seconds"]))
        for traced, image in images.paths.items():
            for _ in range(TURNS):
                seconds = run_image(image, horizon_ns, images.stream)
                least[traced] = min(seconds, least.get(traced, seconds))
            compare(str(item), facts_of(images.stream.read_bytes(), len(item.tasks), traced), peers)
    if images.proved and any(peers.misses):
        raise DifferenceError(f"{item}: proved, but deadlines are missed")
    instructions = count_instructions(item, simso, images) if count else None
    return {
        "tasks": len(item.tasks),
        "scheduler": item.scheduler,
        "utilization": item.utilization,
        "horizon_ns": horizon_ns,
        "jobs": sum(peers.jobs),
        "misses": sum(peers.misses),
        "proved": images.proved,
        "ratio": round(least[None] / least[False], 1),
        "ratio_traced": round(least[None] / least[True], 1),
        "instructions": instructions,
    }


def count_instructions(item: Case, simso: Simso, images: Images) -> dict[str, int]:
    """Instructions per job of each, by Cachegrind."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    totals: dict[str, list[int]] = {"takt": [], "takt_traced": [], "simso": []}
    jobs = []
    for wanted in COUNTED_JOBS:
        horizon_ns = item.horizon_ns(wanted)
        document, said = simso.run(item, horizon_ns, tool)
        jobs.append(sum(document["jobs"]))
        totals["simso"].append(counted(said))
        for traced, image in images.paths.items():
            command = [*tool, *command_of(image, horizon_ns, images.stream)]
            done = children.run(command, check=True)
            totals["takt_traced" if traced else "takt"].append(counted(done.stderr))
    return {name: round((most - least) / (jobs[1] - jobs[0])) for name, (least, most) in totals.items()}


def counted(said: str) -> int:
    match = _COUNT.search(said)
    if match is None:
        raise DifferenceError(f"Cachegrind counted nothing:\n{said}")
    return int(match[1].replace(",", ""))


def measure(
    counts: Sequence[int],
    utilizations: Sequence[float],
    *,
    jobs: int,
    rounds: int,
    count: bool,
) -> dict[str, Any]:
    """The document of `takt bench host --json` (docs/json.md).

    `count`: instructions, too. UserError: SimSo, a compiler or Valgrind cannot be had here. DifferenceError: the two do
    not simulate the same schedule.
    """
    provision.require(*build.GROUPS[BOARD], *(["count"] if count else []))
    simso = Simso()
    rows = []
    with locked(FOLDER), tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else FOLDER) as memory:
        simso.provide()
        for item in cases(counts, utilizations):
            with console.doing(f"simulating {item}"):
                rows.append(measure_case(item, simso, Path(memory) / "stream.bin", jobs, rounds, count))
    return {
        "board": BOARD,
        "peer": "SimSo 0.8.5",
        "python": platform.python_version(),
        "rounds": rounds,
        "ratio_min": min(row["ratio"] for row in rows),
        "ratio_traced_min": min(row["ratio_traced"] for row in rows),
        "instructions_ratio_min": _least(rows, "takt"),
        "instructions_ratio_traced_min": _least(rows, "takt_traced"),
        "rows": rows,
    }


def _least(rows: Sequence[dict[str, Any]], ours: str) -> float | None:
    """The least of SimSo's instructions by ours; None: not counted."""
    counted_rows = [row["instructions"] for row in rows if row["instructions"] is not None]
    return round(min(row["simso"] / row[ours] for row in counted_rows), 1) if counted_rows else None


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
    from takt.support.options import count_option, json_option

    @group.command(name="host")
    @click.option(
        "--tasks", "counts", type=click.IntRange(1, 50), multiple=True, help="Only sets of N tasks; may be repeated."
    )
    @click.option("--jobs", default=JOBS, show_default=True, type=click.IntRange(10), help="Jobs of each set.")
    @count_option("--rounds", ROUNDS, "Rounds, of which the fastest counts.")
    @click.option("--no-instructions", is_flag=True, help="Only measure time, in half the duration.")
    @json_option
    def command(counts: tuple[int, ...], jobs: int, rounds: int, no_instructions: bool, as_json: bool) -> int:
        """Compare the speed of simulation on the host port with SimSo, on the same task sets. A quarter of an hour.

        In processor time, which excludes other programs, and in instructions.

        Exit code 1: the two do not simulate the same schedule.
        """
        from rich.table import Table

        from takt.support import console

        try:
            document = measure(counts or TASKS, UTILIZATIONS, jobs=jobs, rounds=rounds, count=not no_instructions)
        except DifferenceError as error:
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
