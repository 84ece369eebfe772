# SPDX-License-Identifier: Apache-2.0
"""`takt bench analysis`: how long the analysis takes beside the crate response-time-analysis, on the same task sets.

Task sets: 20, 50 and 100 tasks; shares of the processor by UUniFast, periods log-uniform from 10 ms to 1 s in whole ns;
deadlines are the periods, or drawn from half the period on (`short`). The seed is the set's number. benchmarks/analysis
has the program that reads them from a file and hands each set to the library of `takt check` or to the crate, which
works with the same integers; reading is not timed. Asked are response-time bounds of every task, under fixed priorities
in order of deadlines and under edf; of ours also whether the edf band is feasible. All answers are compared, and any
difference ends the benchmark: a band is feasible if and only if no bound of the crate exceeds its deadline.

Time is the processor's, so that others on the machine do not count. Both take turns; a turn of ours is the mean of as
many passes as fill TURN_S. The ratio is the least of the turns' ratios. Instructions are counted by Cachegrind, over
fewer sets, and less those of a run without a pass.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from takt.bench.studies.workloads import MS, log_uniform, shares
from takt.support import children
from takt.support.files import read_text, write_whole
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

SOURCE = ROOT / "benchmarks" / "analysis"
SETS = {20: 100, 50: 50, 100: 20}  # by number of tasks: the crate takes seconds for the longest
COUNTED_SETS = {20: 10, 50: 2, 100: 1}
UTILIZATIONS = (0.8, 0.95)
DEADLINES = ("periods", "short")
ANALYSES = ("fixed", "edf", "test")
AGAINST_PEER = ("fixed", "edf")
LINES = {"fixed": 2, "edf": 100, "simulation": 100}  # how many times as fast as its peer each is to be at least
PERIODS_NS = (10 * MS, 1000 * MS)
ROUNDS = 3
TURN_S = 0.1
PER_SETS = 1000
_COUNT = re.compile(r"I +refs: +([\d,]+)")

Task = tuple[int, int, int]
"""Wcet, period and deadline in ns."""


class DifferenceError(Exception):
    """An analysis failed, or the answers are not the same."""


@dataclass(frozen=True)
class Case:
    """What sets are drawn from."""

    tasks: int
    utilization: float
    deadlines: str

    def task_set(self, number: int) -> list[Task]:
        """That set, always the same, in order of deadlines. Wcets are rounded down: less than the utilization."""
        chance = random.Random(f"{self.tasks} {self.utilization} {self.deadlines} {number}")
        tasks = []
        for share in list(shares(chance, self.tasks, self.utilization)):
            period = round(log_uniform(chance, *PERIODS_NS))
            wcet = max(1, int(share * period))
            short = self.deadlines == "short"
            tasks.append((wcet, period, chance.randint(max(wcet, period // 2), period) if short else period))
        return sorted(tasks, key=lambda task: (task[2], task[1], task[0]))

    def __str__(self) -> str:
        return f"{self.tasks} tasks, utilization {self.utilization}, deadlines {self.deadlines}"


@dataclass(frozen=True)
class Run:
    """A run of the program: seconds of a pass, and by set the answers."""

    seconds: float
    answers: tuple[tuple[int, ...], ...]


def text_of(sets: Sequence[Sequence[Task]]) -> str:
    """What the program reads."""
    lines = []
    for tasks in sets:
        lines += [str(len(tasks)), *(" ".join(map(str, task)) for task in tasks)]
    return "\n".join(lines) + "\n"


def parse(said: str) -> Run:
    """What the program printed."""
    first, *rest = said.splitlines()
    return Run(float(first), tuple(tuple(map(int, line.split())) for line in rest))


def build(with_peer: bool) -> Path:
    """The program. UserError: a compiler or the crate cannot be had here."""
    from takt.bench import peers
    from takt.support.compile import BUILD, compile_project, host_library, locked

    folder = BUILD / ("benchmark-analysis" if with_peer else "benchmark-analysis-alone")
    settings = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_C_FLAGS_RELEASE": "-O2 -g", "LIBRARY": str(host_library())}
    settings["PEER"] = str(peers.build(SOURCE)) if with_peer else ""
    with locked(folder):
        compile_project(SOURCE, folder, settings, "building benchmarks/analysis", "measure")
    return folder / "measure"


def _do(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    done = children.run(command)
    if done.returncode != 0:
        raise DifferenceError(done.stderr.strip() or f"{command[0]}: exit code {done.returncode}")
    return done


def run(program: Path, analysis: str, sets: Path, turn_s: float) -> Run:
    """At least one pass over the sets. DifferenceError: it failed."""
    return parse(_do([str(program), analysis, str(sets), "1", str(turn_s)]).stdout)


def instructions(program: Path, analysis: str, sets: Path) -> int:
    """Of one pass over the sets."""
    counts = []
    for passes in ("0", "1"):
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        said = _do([*tool, str(program), analysis, str(sets), passes, "0"]).stderr
        match = _COUNT.search(said)
        if match is None:
            raise DifferenceError(f"Cachegrind counted nothing:\n{said}")
        counts.append(int(match[1].replace(",", "")))
    return counts[1] - counts[0]


def compare(case: str, ours: Run, peers: Run) -> None:
    """DifferenceError: not the same answers."""
    for number, (our, their) in enumerate(zip(ours.answers, peers.answers, strict=True)):
        if our != their:
            task = next(task for task, pair in enumerate(zip(our, their, strict=True)) if pair[0] != pair[1])
            raise DifferenceError(f"{case}: set {number}, task {task}: {our[task]} here, {their[task]} by the crate")


def feasible(sets: Sequence[Sequence[Task]], bounds: Run) -> Run:
    """What the bounds of an edf band say about its feasibility."""
    verdicts = []
    for tasks, bound in zip(sets, bounds.answers, strict=True):
        held = all(response <= task[2] for task, response in zip(tasks, bound, strict=True))
        verdicts.append((int(held),))
    return Run(bounds.seconds, tuple(verdicts))


@dataclass(frozen=True)
class Bench:
    """What all rows have in common."""

    program: Path
    folder: Path  # for the sets
    rounds: int
    with_peer: bool
    count: bool

    def case(self, case: Case, sets: int) -> list[dict[str, Any]]:
        """The rows of a case. DifferenceError: the answers are not the same."""
        task_sets = [case.task_set(number) for number in range(sets)]
        path, few = self.folder / "sets", self.folder / "few"
        write_whole(path, text_of(task_sets))
        write_whole(few, text_of(task_sets[: COUNTED_SETS[case.tasks]]))
        rows, bounds = [], {}
        for analysis in ANALYSES:
            ours, peers = self._turns(analysis, path)
            for one in peers:
                compare(f"{case}, {analysis}", ours[0], one)
            bounds[analysis] = ours[0]
            row = {"analysis": analysis, "tasks": case.tasks, "utilization": case.utilization}
            row |= {"deadlines": case.deadlines, "sets": sets, **self._figures(analysis, few, ours, sets)}
            rows.append(row | {"peer": self._beside(analysis, few, row, ours, peers) if peers else None})
        compare(f"{case}, test", bounds["test"], feasible(task_sets, bounds["edf"]))
        return rows

    def _turns(self, analysis: str, path: Path) -> tuple[list[Run], list[Run]]:
        """Of ours and of the crate, by turns."""
        ours, peers = [], []
        for _ in range(self.rounds):
            ours.append(run(self.program, f"takt-{analysis}", path, TURN_S))
            if self.with_peer and analysis in AGAINST_PEER:
                peers.append(run(self.program, f"peer-{analysis}", path, TURN_S))
        return ours, peers

    def _figures(
        self, analysis: str, few: Path, runs: Sequence[Run], sets: int, kernel: str = "takt"
    ) -> dict[str, Any]:
        counted = int(read_text(few).splitlines()[0])
        least = min(one.seconds for one in runs)
        found = instructions(self.program, f"{kernel}-{analysis}", few) if self.count else None
        return {
            "seconds": float(f"{least / sets * PER_SETS:.4g}"),
            "instructions": None if found is None else round(found / COUNTED_SETS[counted]),
        }

    def _beside(
        self, analysis: str, few: Path, row: dict[str, Any], ours: Sequence[Run], peers: Sequence[Run]
    ) -> dict[str, Any]:
        peer = self._figures(analysis, few, peers, row["sets"], "peer")
        peer["ratio"] = round(min(their.seconds / our.seconds for our, their in zip(ours, peers, strict=True)), 2)
        both = peer["instructions"], row["instructions"]
        peer["instructions_ratio"] = None if None in both else round(both[0] / both[1], 2)
        return peer


def measure(counts: Sequence[int], rounds: int, *, with_peer: bool, count: bool) -> dict[str, Any]:
    """The document of `takt bench analysis --json` (docs/json.md).

    UserError: a compiler, the crate or Valgrind cannot be had here. DifferenceError: the answers are not the same.
    """
    import tempfile

    from takt.support import console, provision

    provision.require("host", *(["count"] if count else []))
    program = build(with_peer)
    rows = []
    cases = [Case(tasks, load, deadlines) for tasks in counts for load in UTILIZATIONS for deadlines in DEADLINES]
    with tempfile.TemporaryDirectory() as folder, console.counting("cases", len(cases)) as done:
        bench = Bench(program, Path(folder), rounds, with_peer, count)
        for case in cases:
            rows += bench.case(case, SETS[case.tasks])
            done()
    return {
        "peer": "response-time-analysis 0.3.2",
        "rounds": rounds,
        "ratio_min": {name: least(rows, name) for name in AGAINST_PEER},
        "rows": rows,
    }


def least(rows: Sequence[dict[str, Any]], analysis: str) -> float | None:
    """The least ratio of an analysis; None: nothing was beside it."""
    found = [row["peer"]["ratio"] for row in rows if row["analysis"] == analysis and row["peer"] is not None]
    return min(found, default=None)


def _digits(value: float) -> str:
    """With three digits that count."""
    return f"{float(f'{value:.3g}'):g}"


def _cells(row: dict[str, Any]) -> list[Cell]:
    peer = row["peer"]
    own: list[Cell] = [_digits(row["seconds"])]
    if row["analysis"] not in AGAINST_PEER:
        return own
    if peer is None:
        return [*own, None, None, None]
    by_count = None if peer["instructions_ratio"] is None else _digits(peer["instructions_ratio"])
    return [*own, _digits(peer["seconds"]), _digits(peer["ratio"]), by_count]


def table(document: dict[str, Any]) -> Table:
    """A line for each kind of sets, all analyses side by side."""
    lines: dict[tuple[Any, ...], list[Cell]] = {}
    for row in document["rows"]:
        case = (row["tasks"], row["utilization"], row["deadlines"])
        lines.setdefault(case, [f"{case[0]} tasks, {case[1]}, {case[2]}"]).extend(_cells(row))
    heads = [head for name in AGAINST_PEER for head in (name, "crate", "ratio", "by instructions")]
    title = f"Processor seconds for {PER_SETS} sets, beside {document['peer']}"
    return Table(title, ["", *heads, "test"], list(lines.values()))


def summary(document: dict[str, Any]) -> str:
    """The least ratios in a sentence."""
    fixed, edf = (document["ratio_min"][name] for name in AGAINST_PEER)
    if fixed is None or edf is None:
        return "Nothing was measured beside it."
    return (
        f"For bounds under fixed priorities the crate takes at least {fixed:.1f} times as long, for bounds under edf "
        f"{edf:.0f} times. All bounds are the same to the nanosecond."
    )


def markdown(document: dict[str, Any]) -> str:
    """The summary and the rows."""
    return f"{summary(document)}\n\n{table(document).markdown()}"


def add_command(group: click.Group) -> None:
    from takt.support.options import count_option, json_option

    @group.command(name="analysis")
    @click.option(
        "--tasks", "counts", type=click.Choice([str(n) for n in SETS]), multiple=True, help="Only sets of N tasks."
    )
    @count_option("--rounds", ROUNDS, "Rounds of each measurement.")
    @click.option("--no-instructions", is_flag=True, help="Only measure time, in half the duration.")
    @click.option("--no-peer", is_flag=True, help="Do not measure the crate, which must be downloaded.")
    @json_option
    def command(counts: tuple[str, ...], rounds: int, no_instructions: bool, no_peer: bool, as_json: bool) -> int:
        """Compare the speed of the analysis with the crate response-time-analysis, on the same task sets. Ten minutes.

        In processor time, which excludes other programs, and in instructions.

        Exit code 1: the two do not give the same answers.
        """
        from takt.support import console

        chosen = sorted(map(int, counts)) or list(SETS)
        try:
            document = measure(chosen, rounds, with_peer=not no_peer, count=not no_instructions)
        except DifferenceError as error:
            click.echo(f"takt: {error}", err=True)
            return 1
        if as_json:
            console.print_json(document)
        else:
            click.echo(f"{table(document).text()}\n\n{summary(document)}")
        return 0
