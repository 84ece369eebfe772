# SPDX-License-Identifier: Apache-2.0
"""Breakdown utilizations under rm, edf, csd2 and csd3 with this kernel's overheads (seed 000, chapter 4).

A workload: every period has one, two or three digits of milliseconds (5 to 9, 10 to 99, 100 to 999) with equal
chances, divided by 1, 2 or 3; deadlines are periods; the shares of the processor are random (UUniFast). All shares grow
together until no longer every deadline is proved: the last sum of wcet / period is the breakdown utilization. Of csdN
every cut of the list of tasks counts, so its figure is that of its best cuts, which are looked for at each utilization.

The proof is that of analysis/, and overheads enter it as takt.prove.analysis charges them: the release above all
tasks, the completion with the job, the longest locked section once. A test holds both against each other.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from takt.bench.studies.workloads import Workload, seed000
from takt.declare.schema import boards
from takt.prove import analysis_library as c
from takt.prove import overheads
from takt.prove.analysis import ITERATIONS
from takt.support import parallel
from takt.support.errors import UserError

DIVISORS = (1, 2, 3)
STEPS = 2000  # of utilization, from 0 to 1
WORKERS = 2

Cuts = tuple[int, ...]
"""Where the list of tasks, shortest period first, is cut: all but the last piece are edf bands, the last is fixed."""


class Cost(NamedTuple):
    """Kernel time of a job, ns: above all tasks, and with the job."""

    release: int
    own: int


@dataclass(frozen=True)
class Costs:
    """What the kernel takes in a system of some number of tasks. `lock`: ns, without and with edf bands."""

    plain: Cost  # rm: the kernel for fixed bands alone
    fixed: Cost  # of the fixed band below edf bands
    edf: tuple[Cost, ...]  # of an edf band with n tasks: [n - 1]
    lock: int
    lock_bands: int

    def of(self, cuts: Cuts, piece: int, count: int) -> Cost:
        """This number of the tasks of a piece."""
        if piece < len(cuts):
            return self.edf[count - 1]
        return self.fixed if cuts else self.plain

    def least_edf(self) -> Cost:
        """Not above that of any edf band."""
        return Cost(min(cost.release for cost in self.edf), min(cost.own for cost in self.edf))


def workload(count: int, number: int, divisor: int) -> Workload:
    """Always the same; another divisor divides the same periods."""
    return seed000(random.Random(f"{count} {number}"), count, divisor)


class Judge:
    """Proves a workload under any cuts at any utilization."""

    def __init__(self, item: Workload, costs: Costs) -> None:
        self._item = item
        self._costs = costs
        self._library = c.load()
        count = len(item.periods_ns)
        self._tasks = (c.Task * count)()
        self._set = c.Set(tasks=self._tasks, task_count=count, iterations=ITERATIONS)
        for task, period_ns in zip(self._tasks, item.periods_ns, strict=True):
            task.period_ns = task.deadline_ns = period_ns

    def holds(self, cuts: Cuts, steps: int, ideal: bool = False) -> bool:
        """Whether every deadline is proved at `steps` of utilization. `ideal`: edf bands at their cheapest."""
        kernel = self._assign(cuts, ideal)
        if steps / STEPS + kernel > 1:
            return False
        for task, share, extra in zip(self._tasks, self._item.shares, self._extra, strict=True):
            task.wcet_ns = max(1, round(share * steps * task.period_ns / STEPS)) + extra
        verdict = ctypes.c_int()
        status = self._library.takt_analysis_feasible(self._set, verdict, None, None)
        assert status == c.OK
        return verdict.value == c.Verdict.FEASIBLE

    def _assign(self, cuts: Cuts, ideal: bool) -> float:
        """Levels and kernel time of every task. Returns the kernel's share of the processor."""
        count = len(self._item.periods_ns)
        self._set.lock_ns = self._costs.lock_bands if cuts else self._costs.lock
        level, share = 0, 0.0
        self._extra = [0] * count
        for piece, (start, end) in enumerate(pairwise((0, *cuts, count))):
            kind = "edf" if piece < len(cuts) else "fixed"
            if start == end:
                continue
            cheapest = ideal and kind == "edf"
            cost = self._costs.least_edf() if cheapest else self._costs.of(cuts, piece, end - start)
            for position in range(start, end):
                task = self._tasks[position]
                task.level, task.order = level, c.DEADLINE if kind == "edf" else c.EQUAL
                task.release_cost_ns, self._extra[position] = cost.release, cost.own
                share += (cost.release + cost.own) / task.period_ns
                level += kind == "fixed"
            level += kind == "edf"
        return share


def most(holds: Callable[[int], bool], least: int) -> int:
    """The most steps that hold, when `least` hold (0 always do)."""
    high = STEPS + 1
    while high - least > 1:
        middle = (least + high) // 2
        least, high = (middle, high) if holds(middle) else (least, middle)
    return least


Found = tuple[int, Cuts]
"""Steps of utilization, and the cuts under which they hold."""


def best(judge: Judge, candidates: Iterable[Cuts], known: Found = (0, ())) -> Found:
    """The better of what is known and the best of the candidates. One is looked at closely only if it is better."""
    steps, cuts = known
    for candidate in candidates:
        if judge.holds(candidate, steps + 1):
            cuts, steps = candidate, most(partial(judge.holds, candidate), steps + 1)
    return steps, cuts


def best_csd3(judge: Judge, count: int) -> Found:
    """Of all cuts into two edf bands and a fixed one. What not even one edf band holds is not cut further."""
    found: Found = (0, ())
    for total in range(count, 1, -1):  # an empty fixed band first: it is often the best
        if judge.holds((total,), found[0] + 1, ideal=True):
            found = best(judge, ((first, total) for first in range(1, total)), found)
    return found


def breakdown(item: Workload, costs: Costs) -> dict[str, Found]:
    """By scheduler. The fixed band of csd2 and csd3 may be empty; csd2 is edf then."""
    judge = Judge(item, costs)
    count = len(item.periods_ns)
    return {
        "rm": best(judge, [()]),
        "edf": best(judge, [(count,)]),
        "csd2": best(judge, ((cut,) for cut in range(count, 0, -1))),
        "csd3": best_csd3(judge, count),
    }


def costs(board: str, preset: str, count: int) -> Costs:
    """The kernel's overheads in a system of this number of tasks. UserError: they were not measured."""
    measured = overheads.load(boards.load(board), preset)
    if measured is None:
        raise UserError(
            f"overheads of {board} are not measured for preset {preset}", f"./takt bench overheads --board {board}"
        )
    column = next((position for position, tasks in enumerate(measured.tasks) if tasks >= count), None)
    if column is None:
        raise UserError(f"overheads of {board} are not measured for {count} tasks", f"at most {measured.tasks[-1]}")
    figures = {
        (kernel, band): {
            name: value * measured.instruction_ns
            for name, value in measured.entries[preset, kernel, band][column].instructions.items()
        }
        for kernel, band in overheads.KINDS
    }
    plain, fixed, edf = (
        Cost(figures[kind]["release"], figures[kind]["switch"] + figures[kind]["complete"])
        for kind in (("fixed", "fixed"), ("bands", "fixed"), ("bands", "edf"))
    )
    lock_bands = max(figures["bands", band]["lock"] for band in ("fixed", "edf"))
    return Costs(plain, fixed, (edf,) * count, figures["fixed", "fixed"]["lock"], lock_bands)


def _chunk(part: tuple[int, int, int, Costs]) -> list[dict[str, Found]]:
    divisor, count, workloads, known = part
    return [breakdown(workload(count, number, divisor), known) for number in range(workloads)]


def campaign(
    cases: Sequence[tuple[int, int]], known: dict[int, Costs], workloads: int, done: Callable[[], None]
) -> Iterator[tuple[tuple[int, int], list[dict[str, Found]]]]:
    """By divisor and number of tasks, what breakdown() finds for every workload. `known`: costs by number of tasks."""
    parts = [(divisor, count, workloads, known[count]) for divisor, count in cases]
    return zip(cases, parallel.in_order(_chunk, parts, WORKERS, done), strict=True)
