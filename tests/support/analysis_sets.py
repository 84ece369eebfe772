# SPDX-License-Identifier: Apache-2.0
"""Sets of tasks for the C interface of the analysis, in numbers without a unit."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import NamedTuple

from takt.prove.analysis_library import EQUAL, Interrupt, Set, Task, load

FEASIBLE, UNDECIDED, INFEASIBLE = range(3)


class Row(NamedTuple):
    """One task; the fields of struct takt_analysis_task in another order, with defaults."""

    wcet: int
    period: int
    deadline: int | None = None
    level: int = 0
    order: int = EQUAL
    jitter: int = 0
    release: int = 0
    blocking: int = 0


def make_set(
    rows: list[Row],
    interrupts: tuple[tuple[int, int], ...] = (),
    lock: int = 0,
    iterations: int = 10_000,
    cooperative: bool = False,
) -> Set:
    tasks = (Task * len(rows))(
        *(
            Task(r.wcet, r.period, r.period if r.deadline is None else r.deadline, r.jitter, r.release, r.blocking)
            for r in rows
        )
    )
    for one, row in zip(tasks, rows, strict=True):
        one.level, one.order = row.level, row.order
    array = (Interrupt * len(interrupts))(*(Interrupt(*one) for one in interrupts))
    return Set(tasks, len(rows), array, len(array), lock, iterations, cooperative)


def feasible(of: Set) -> tuple[int, int, list[int]]:
    """Status, system's verdict, verdicts of the tasks."""
    verdict, verdicts = ctypes.c_int(-1), (ctypes.c_int * of.task_count)()
    status = load().takt_analysis_feasible(of, verdict, verdicts, None)
    return status, verdict.value, list(verdicts)


def jobs(time: int, task: Task) -> int:
    """How many arrive before `time` at most."""
    period: int = task.period_ns
    return -(-(time + int(task.jitter_ns)) // period)


def interference(of: Set, time: int, above: int, but: int | None = None) -> int:
    sum_ns: int = sum(-(-time // one.min_interarrival_ns) * one.wcet_ns for one in of.interrupts[: of.interrupt_count])
    for index, task in enumerate(of.tasks[: of.task_count]):
        own = task.wcet_ns if index < above and index != but else 0
        sum_ns += jobs(time, task) * (own + task.release_cost_ns)
    return sum_ns


def deadlines(task: Task, until: int) -> Iterator[int]:
    return iter(range(task.deadline_ns - task.jitter_ns, until, task.period_ns))
