# SPDX-License-Identifier: Apache-2.0
"""What a sweep computes: a chunk of sets at one point, a row for each set and scheduler.

A chunk is everything a worker needs besides the program, and says which program that must be.
"""

from __future__ import annotations

import hashlib
import os
import random
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from takt.bench.studies import workloads
from takt.declare.schema import boards
from takt.declare.schema.model import Band, Overheads, System
from takt.prove import breakdown, overheads, schedulers
from takt.prove.choose import Choice, Prover, choose
from takt.support import compile
from takt.support.errors import UserError
from takt.support.provision import ROOT
from takt.sweep import sections
from takt.sweep.study import Point, Study

SETS, TASKS = 10, 100  # of a chunk, at most: some seconds of work, which a kill may cost
COLUMNS: dict[str, type] = {
    "set": int,
    "seed": int,
    "generator": str,
    "tasks": int,
    "divisor": int,
    "overheads": str,
    "scheduler": str,
    "way": str,
    "utilization": float,
    "verdict": str,
    "breakdown": float,
    "kernel": float,
    "bands": str,
    "tried": int,
    "worker": str,
}
"""Of a row; every value may be None too. docs/sweep.md says what they are."""

Row = dict[str, Any]
PROGRAM = ("base/*.[ch]", "analysis/**/*.[ch]", "tools/takt/*.py", "tools/takt/sweep/*.py")


@dataclass(frozen=True)
class Chunk:
    """Sets `numbers` of a point. `program`: that of the caller."""

    number: int
    study: Study
    point: Point
    numbers: range
    program: str


def chunks(study: Study) -> list[Chunk]:
    """The whole study. A chunk carries of a file's rows only its own."""
    found: list[Chunk] = []
    mine = program()
    for point in study.points:
        size = chunk_sets(point.tasks or max(map(len, study.rows)))
        for start in range(0, study.sets, size):
            numbers = range(start, min(start + size, study.sets))
            part = replace(study, rows=study.rows[numbers.start : numbers.stop])
            found.append(Chunk(len(found), part, point, numbers, mine))
    return found


def chunk_sets(tasks: int) -> int:
    """The sets of this number of tasks in a chunk."""
    return min(SETS, max(1, TASKS // tasks))


@cache
def program() -> str:
    """Hash of what computes: workers of a cluster must run the same."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in PROGRAM for path in ROOT.glob(pattern)):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


@cache
def _measured(board: str, preset: str) -> overheads.Measured | None:
    return None if board == "none" else overheads.load(boards.load(board), preset)


def here() -> str:
    """This process, where no cluster names it."""
    return f"{socket.gethostname()}:{os.getpid()}"


def compute(chunk: Chunk, worker: str = "") -> list[Row]:
    """The rows of a chunk, always the same except `worker`. UserError: this is another program."""
    if program() != chunk.program:
        raise UserError(f"{worker or here()} runs another version of Takt", "the same version on every worker")
    _library()
    return [row for number in chunk.numbers for row in _rows(chunk, number, worker or here())]


@cache
def _library() -> None:
    """Once in each process: another worker may have no analysis yet, or an older one."""
    compile.host_library()


def item(chunk: Chunk, number: int) -> tuple[workloads.Workload, float]:
    """A set, and the utilization that its file gives it (1 of a generated one)."""
    study, point = chunk.study, chunk.point
    if study.generator == "file":
        found, whole = workloads.of_rows(study.rows[number - chunk.numbers.start])
        return found.divided(point.divisor), whole
    chance, count = random.Random(study.set_seed(point, number)), point.tasks or 0
    if study.generator == "seed000":
        return workloads.seed000(chance, count).divided(point.divisor), 1.0
    if study.generator == "waters":
        return workloads.waters(chance, count).divided(point.divisor), 1.0
    return workloads.uunifast(chance, count, study.periods_ns).divided(point.divisor), 1.0


@dataclass(frozen=True)
class Shape:
    """A set under a scheduler, with the sections of its study and a way to lock, if it has mutexes."""

    study: Study
    point: Point
    number: int
    scheduler: str
    way: str | None
    measured: overheads.Measured | None

    def prover(self, system: System) -> Prover:
        shaped = self.of(system)

        def costs(bands: tuple[Band, ...], cooperative: bool) -> Overheads | None:
            return self.measured.of(shaped, bands, cooperative) if self.measured else None

        return Prover(shaped, costs)

    def of(self, system: System) -> System:
        wanted = self.study.sections
        if wanted is None or self.way is None:
            return system
        chance = random.Random(f"{self.study.set_seed(self.point, self.number)} locks")
        mutexes = sections.users(chance, (task.name for task in system.tasks), wanted)
        saved_ns = 0
        if self.measured and self.scheduler == "edf":
            saved = sections.saved(self.way, self.study.preset, len(system.tasks), wanted.locks)
            saved_ns = saved * self.measured.instruction_ns
        return sections.shaped(system, mutexes, wanted, self.way, saved_ns)

    def most(self, system: System) -> tuple[int, Choice]:
        """The breakdown utilization of a way, in steps: sections grow with the wcets."""

        def holds(steps: int) -> bool:
            prover = self.prover(breakdown.scaled(system, steps))
            return prover.proves(schedulers.plain_bands(prover.system, self.scheduler) or ())

        steps = breakdown.last(holds, 0, breakdown.STEPS)  # 0 is not judged
        return steps, choose(self.prover(breakdown.scaled(system, max(steps, 1))), self.scheduler)


def _rows(chunk: Chunk, number: int, worker: str) -> Iterator[Row]:
    study, point = chunk.study, chunk.point
    found, whole = item(chunk, number)
    system = replace(found.system(point.utilization or whole), preset=study.preset)
    measured = _measured(point.overheads, study.preset)

    utilization = breakdown.utilization(system)
    for scheduler, way in study.cases:
        shape = Shape(study, point, number, scheduler, way, measured)
        prover = shape.prover(system)
        if not study.breakdown:
            steps, choice = None, choose(prover, scheduler)
        elif way is None:
            steps, choice = most(prover, scheduler)
        else:
            steps, choice = shape.most(system)
        proof = choice.proof
        yield {
            "set": number,
            "seed": study.set_seed(point, number) if study.generator != "file" else None,
            "generator": study.generator,
            "tasks": len(system.tasks),
            "divisor": point.divisor,
            "overheads": point.overheads,
            "scheduler": scheduler,
            "way": way,
            "utilization": None if study.breakdown else float(utilization),
            "verdict": None if study.breakdown else proof.verdict.value,
            "breakdown": None if steps is None else steps / breakdown.STEPS,
            "kernel": float(proof.load - proof.utilization) if measured else None,
            "bands": described(choice),
            "tried": choice.tried,
            "worker": worker,
        }


def described(choice: Choice) -> str:
    """Kinds of bands, the highest first, and how many tasks are in each."""
    if choice.cooperative:
        return f"cooperative {sum(len(band.tasks) for band in choice.bands)}"
    return ", ".join(f"{band.kind} {len(band.tasks)}" for band in choice.bands)


def most(prover: Prover, scheduler: str) -> tuple[int, Choice]:
    """The highest breakdown utilization that any of a scheduler's lists of bands reaches, in steps, and that list.

    As takt.prove.breakdown.most does for auto: a list holds below what it holds at, so the next to look at holds one
    step above the best so far.
    """
    if scheduler == "auto":
        found = breakdown.most(prover)
        return breakdown.of(prover, found), found
    best = choose(prover.of(breakdown.scaled(prover.system, 1)), scheduler)
    steps, tried = breakdown.of(prover, best) if best.proved else 0, best.tried
    searches = scheduler.startswith("csd")
    while searches and steps < breakdown.STEPS:
        better = choose(prover.of(breakdown.scaled(prover.system, steps + 1)), scheduler)
        tried += better.tried
        if not better.proved:
            break
        best, steps = better, breakdown.of(prover, better, steps + 1)
    return steps, replace(best, tried=tried)
