# SPDX-License-Identifier: Apache-2.0
"""Breakdown utilizations of many workloads, in two processes, and what is worked out from them."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from takt.bench.studies import workloads
from takt.reproduce.exact import STEPS
from takt.reproduce.queues import LISTS, SCHEDULERS, partitions
from takt.reproduce.search import Bench, Found
from takt.support import parallel

DIVISORS = (1, 2, 3)
TASKS = (5, 10, 15, 20, 30, 40, 50)
WORKERS = 2
CHUNK = 10  # workloads
SEARCHES = 5
READINGS = 100  # workloads
LARGE = (30, 40, 50)  # tasks: where it matters what is charged for a queue
PRINTED = "position, O(r)"
TESTS = ("historic", "exact")

Curves = dict[str, dict[str, dict[str, float]]]
"""By divisor, scheduler and number of tasks."""


class Case(NamedTuple):
    """One point of one scheduler's curve."""

    divisor: int
    scheduler: str
    tasks: int


@dataclass(frozen=True)
class Chunk:
    """Neighbouring workloads of one size."""

    seed: int
    tasks: int
    numbers: range


Results = dict[tuple[int, Case], list[Found]]
"""By seed and case, a workload each."""


def workload(seed: int, tasks: int, number: int, times: bool = True) -> workloads.Workload:
    """Always the same. `times`: execution times are drawn, else shares."""
    chance = random.Random(f"{seed} {tasks} {number}")
    return workloads.seed000_times(chance, tasks) if times else workloads.seed000(chance, tasks)


def _judge(chunk: Chunk) -> list[tuple[Case, Found]]:
    found = []
    for number in chunk.numbers:
        bench = Bench(workload(chunk.seed, chunk.tasks, number))
        for divisor in DIVISORS:
            for name in SCHEDULERS:
                found.append((Case(divisor, name, chunk.tasks), bench.best(name, divisor)))
    return found


def chunks(seeds: Sequence[int], tasks: Sequence[int], number: int) -> list[Chunk]:
    """The largest workloads first: the end is not long then."""
    starts = range(0, number, CHUNK)
    return [
        Chunk(seed, count, range(start, min(start + CHUNK, number)))
        for count in sorted(tasks, reverse=True)
        for seed in seeds
        for start in starts
    ]


def run(parts: Sequence[Chunk], done: Callable[[], None]) -> Results:
    """Calls `done` for every part."""
    results: Results = {}
    for chunk, found in zip(parts, parallel.in_order(_judge, parts, WORKERS, done), strict=True):
        for case, steps in found:
            results.setdefault((chunk.seed, case), []).append(steps)
    return results


def percents(found: Sequence[Found], test: str) -> list[float]:
    return [100 * getattr(item, test) / STEPS for item in found]


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def half_width(values: Sequence[float]) -> float | None:
    """Of the 95 % confidence interval of the mean: 1.96 standard errors. None: of one value nothing is known."""
    if len(values) < 2:
        return None
    middle = mean(values)
    return 1.96 * math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))


def curves(results: Results, seeds: Sequence[int], value: Callable[[list[Found]], float | None]) -> Any:
    """What `value` says of the workloads of these seeds, in the order of the figures."""
    cases = {case for _, case in results}
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    for case in sorted(cases, key=lambda case: (case.divisor, SCHEDULERS.index(case.scheduler), case.tasks)):
        items = [item for seed in seeds for item in results[seed, case]]
        said = value(items)
        row = found.setdefault(str(case.divisor), {}).setdefault(case.scheduler, {})
        row[str(case.tasks)] = None if said is None else round(said, 3)
    return found


def lower(by_name: dict[str, dict[str, float]], scheduler: str, than: str, tasks: int) -> float:
    """By how many percent the overhead of one scheduler is lower than that of another."""
    loss, other = (100 - by_name[name][str(tasks)] for name in (scheduler, than))
    return round(100 * (1 - loss / other), 1)


@dataclass(frozen=True)
class Variant:
    """Another reading of what the seed leaves open."""

    times: bool
    finding: str


VARIANTS = (*(Variant(True, finding) for finding in LISTS), Variant(False, LISTS[0]))


def _historic(job: tuple[Variant, Case, Chunk]) -> list[int]:
    variant, case, chunk = job
    return [
        Bench(workload(chunk.seed, case.tasks, number, variant.times)).historic(
            case.scheduler, case.divisor, variant.finding
        )
        for number in chunk.numbers
    ]


def readings(said: Sequence[dict[str, Any]], seed: int, number: int, done: Callable[[], None]) -> list[dict[str, Any]]:
    """What becomes of the seed's statements under each reading, with its own tests and READINGS workloads at most."""
    number = min(number, READINGS)
    cases = sorted(
        {Case(row["divisor"], name, row["tasks"]) for row in said for name in (row["scheduler"], row["than"])}
    )
    parts = [
        (variant, case, chunk)
        for variant in VARIANTS
        for case in cases
        for chunk in chunks([seed], [case.tasks], number)
    ]
    totals: dict[tuple[Variant, Case], list[int]] = {}
    for (variant, case, _), steps in zip(parts, parallel.in_order(_historic, parts, WORKERS, done), strict=True):
        totals.setdefault((variant, case), []).extend(steps)
    rows = []
    for variant in VARIANTS:
        by_divisor: Curves = {}
        for case in cases:
            value = 100 * mean(totals[variant, case]) / STEPS
            by_divisor.setdefault(str(case.divisor), {}).setdefault(case.scheduler, {})[str(case.tasks)] = value
        lowers = [lower(by_divisor[str(row["divisor"])], row["scheduler"], row["than"], row["tasks"]) for row in said]
        times = "uniform times" if variant.times else "UUniFast shares"
        rows.append({"times": times, "finding": variant.finding, "lower": lowers})
    return rows


def _printed(chunk: Chunk) -> list[list[int]]:
    """By workload and divisor, steps that CSD-3 loses when it is charged as table 4.2 is printed."""
    return [
        [bench.historic("csd3", divisor, PRINTED) - bench.historic("csd3", divisor, LISTS[0]) for divisor in DIVISORS]
        for bench in (Bench(workload(chunk.seed, chunk.tasks, number)) for number in chunk.numbers)
    ]


def printed(seed: int, number: int, done: Callable[[], None]) -> dict[str, dict[str, float]]:
    """By divisor and number of tasks, points by which that moves the curve of CSD-3; READINGS workloads at most."""
    parts = chunks([seed], LARGE, min(number, READINGS))
    totals: dict[int, list[list[int]]] = {tasks: [] for tasks in LARGE}
    for chunk, lost in zip(parts, parallel.in_order(_printed, parts, WORKERS, done), strict=True):
        totals[chunk.tasks] += lost
    return {
        str(divisor): {
            str(tasks): round(100 * mean([row[index] for row in totals[tasks]]) / STEPS, 3) for tasks in LARGE
        }
        for index, divisor in enumerate(DIVISORS)
    }


def search_s(scheduler: str, tasks: int, **_: Any) -> float:
    """Processor time of one search by the seed's tests: the mean of SEARCHES."""
    partitions(scheduler, tasks)  # made once for all workloads
    benches = [Bench(workload(1, tasks, number)) for number in range(SEARCHES)]
    begun = time.process_time()
    for bench in benches:
        bench.historic(scheduler, 1, LISTS[0])
    return (time.process_time() - begun) / SEARCHES


def reading_parts(said: Sequence[dict[str, Any]], number: int) -> int:
    """How often `readings` and `printed` call `done`."""
    cases = {(row["divisor"], name, row["tasks"]) for row in said for name in (row["scheduler"], row["than"])}
    return (len(VARIANTS) * len(cases) + len(LARGE)) * math.ceil(min(number, READINGS) / CHUNK)
