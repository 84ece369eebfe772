# SPDX-License-Identifier: Apache-2.0
"""Random systems on the emulated board: no observed response exceeds its bound, and bounds are not far above.

benchmarks/responses takes a set from its options. All tasks are released at one time by the timer, once all exactly
together and once each a little before the one above it, so that every release preempts: the worst that fixed
priorities can meet. (In an edf band a task's worst case may need other phases; the periods bring some.)
"""

from __future__ import annotations

import math
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import pytest
from running import FULL, emulated
from takt.bench import images
from takt.bench.studies import workloads
from takt.declare.schema import boards
from takt.declare.schema.model import System, Task, Verdict
from takt.prove import analysis, overheads, schedulers
from takt.support import compile

SETS = 200 if FULL else 24
PRESETS = ("lean", "standard")
KERNELS = {"dm": "fixed", "edf": "bands"}  # by scheduler
TASKS_MAX = 32 if FULL else images.LEVELS - 1  # whose kernels other tests have built
PERIODS_US = (5_000, 200_000)
WORK_GRAIN_NS = 64  # of benchmarks/responses, like the next
WORK_BITS = 24
JOB_INSTRUCTIONS = 56  # of a job besides its work
OFFSET_US = 20_000
APART_NS = (0, 40_000)
WORKERS = 2
FOLDER = images.BENCHMARKS / "responses"


@dataclass(frozen=True)
class Case:
    """A random system. `shares`: utilizations that sum up to 1."""

    seed: int
    board: str
    preset: str
    scheduler: str
    periods_us: tuple[int, ...]
    shares: tuple[float, ...]
    part: float  # of the breakdown utilization

    def work_ns(self, index: int, utilization: float) -> int:
        return max(64, round(utilization * self.shares[index] * self.periods_us[index] * 1000) // WORK_GRAIN_NS) * 64

    def system(self, utilization: float, instruction_ns: int) -> System:
        tasks = tuple(
            Task(
                f"t{number}",
                wcet_ns=self.work_ns(number, utilization) + JOB_INSTRUCTIONS * instruction_ns,
                period_ns=period * 1000,
                deadline_ns=period * 1000,
            )
            for number, period in enumerate(self.periods_us)
        )
        return System(Path("random.toml"), "random", self.board, self.scheduler, tasks, preset=self.preset)


def case(seed: int, board: str) -> Case:
    chance = random.Random(f"bounds {seed}")
    count = chance.randint(1, TASKS_MAX)
    low, high = (math.log(limit) for limit in PERIODS_US)
    periods = tuple(sorted(round(math.exp(chance.uniform(low, high))) for _ in range(count)))
    shares = tuple(workloads.shares(chance, count, 1.0))
    scheduler = tuple(KERNELS)[seed % 2]
    return Case(seed, board, PRESETS[seed // 2 % 2], scheduler, periods, shares, chance.uniform(0.6, 0.99))


def prove(of: System, measured: overheads.Measured) -> analysis.Proof:
    bands = schedulers.plain_bands(of, of.scheduler) or ()
    return analysis.analyse(of, bands, measured.of(of, bands))


def proved(of: Case) -> tuple[float, list[int]]:
    """The utilization, a part of where the proof breaks down, and the bounds, ns."""
    measured = overheads.load(boards.load(of.board), of.preset)
    assert measured is not None
    low, high = 0.0, 1.0
    for _ in range(7):
        middle = (low + high) / 2
        holds = prove(of.system(middle, measured.instruction_ns), measured).verdict is Verdict.FEASIBLE
        low, high = (middle, high) if holds else (low, middle)
    proof = prove(of.system(low * of.part, measured.instruction_ns), measured)
    assert proof.verdict is Verdict.FEASIBLE, of
    return low * of.part, [task.response_ns or 0 for task in proof.tasks]


def image(board: str, preset: str, scheduler: str) -> Path:
    return images.with_takt(board, preset, KERNELS[scheduler], FOLDER, levels=TASKS_MAX + 1)


def observed(of: Case, utilization: float) -> list[int]:
    """The longest response of each task in both runs, ns."""
    path = image(of.board, of.preset, of.scheduler)
    options = {"tasks": len(of.periods_us), "offset_us": OFFSET_US}
    options["duration_us"] = OFFSET_US + 2 * max(of.periods_us)
    for number, period in enumerate(of.periods_us):
        options[str(number)] = period << WORK_BITS | of.work_ns(number, utilization) // WORK_GRAIN_NS
    runs = [images.run(of.board, path, {**options, "apart_ns": apart})["tasks"] for apart in APART_NS]
    assert all(task["jobs"] for run in runs for task in run), of
    return [max(task["response_ns"] for task in tasks) for tasks in zip(*runs, strict=True)]


def ratio(of: Case) -> float:
    """Bound / observed, the mean over the tasks. AssertionError: a bound was exceeded."""
    utilization, bounds = proved(of)
    seen = observed(of, utilization)
    over = [f"t{i}: {a} > {b}" for i, (a, b) in enumerate(zip(seen, bounds, strict=True)) if a > b]
    assert over == [], of
    return fmean(bound / most for bound, most in zip(bounds, seen, strict=True))


@pytest.mark.parametrize("board", [emulated("mps2-an385")])
def test_observed_stays_below_bounds_that_are_close(board: str) -> None:
    compile.host_library()
    cases = [case(seed, board) for seed in range(SETS)]
    for of in {(of.preset, of.scheduler): of for of in cases}.values():
        image(board, of.preset, of.scheduler)
    with ThreadPoolExecutor(WORKERS) as pool:
        found = list(pool.map(ratio, cases))
    assert median(found) <= 1.5
