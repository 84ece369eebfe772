# SPDX-License-Identifier: Apache-2.0
"""Sets of tasks for the C interface of the analysis, in numbers without a unit."""

from __future__ import annotations

from typing import NamedTuple

from takt.prove.analysis_library import EQUAL, Interrupt, Set, Task

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
