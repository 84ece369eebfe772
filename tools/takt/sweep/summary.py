# SPDX-License-Identifier: Apache-2.0
"""Means of a sweep's rows, by point and scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from takt.declare.schema.model import Verdict
from takt.sweep.rows import Row
from takt.sweep.study import Point, Study


@dataclass(frozen=True)
class Mean:
    """`value`: mean breakdown utilization, or the part of the sets that is proved. `utilization`: that of the point.
    `tasks`: None: of any number, verdicts of a file's sets."""

    overheads: str
    tasks: int | None
    divisor: int
    utilization: float | None
    scheduler: str
    sets: int
    value: float
    undecided: int
    way: str | None = None

    @property
    def name(self) -> str:
        return label(self.scheduler, self.way)

    def in_picture(self, point: Point, breakdown: bool) -> bool:
        """Whether it belongs to the panel of a point: breakdowns stand over tasks, else tasks have a panel each."""
        same = breakdown or point.tasks == self.tasks
        return (self.overheads, self.divisor) == (point.overheads, point.divisor) and same

    def as_json(self, breakdown: bool) -> dict[str, Any]:
        return {
            "overheads": self.overheads,
            "tasks": self.tasks,
            "divisor": self.divisor,
            "utilization": self.utilization,
            "scheduler": self.scheduler,
            "way": self.way,
            "sets": self.sets,
            "breakdown": round(self.value, 6) if breakdown else None,
            "proved": None if breakdown else round(self.value, 6),
            "undecided": self.undecided,
        }


def label(scheduler: str, way: str | None) -> str:
    """What a table or a picture calls a scheduler with a way to lock."""
    return scheduler if way is None else f"{scheduler}, {way}"


def means(study: Study, rows: list[Row]) -> list[Mean]:
    """`rows`: all, in order. Breakdowns of a file's sets are distinguished by their number of tasks."""
    found: list[Mean] = []
    size = study.sets * len(study.cases)
    for index, point in enumerate(study.points):
        part = rows[index * size : (index + 1) * size]
        if study.breakdown:
            for tasks in sorted({row["tasks"] for row in part}):
                found += _of(study, point, tasks, [row for row in part if row["tasks"] == tasks])
        else:
            found += _of(study, point, point.tasks, part)
    return found


def _of(study: Study, point: Point, tasks: int | None, rows: list[Row]) -> Iterator[Mean]:
    for scheduler, way in study.cases:
        same = [row for row in rows if (row["scheduler"], row["way"]) == (scheduler, way)]
        proved = [row["breakdown"] if study.breakdown else row["verdict"] == Verdict.FEASIBLE for row in same]
        undecided = sum(row["verdict"] == Verdict.UNDECIDED for row in same)
        yield Mean(
            point.overheads,
            tasks,
            point.divisor,
            point.utilization,
            scheduler,
            len(same),
            fmean(proved),
            undecided,
            way,
        )
