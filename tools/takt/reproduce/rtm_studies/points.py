# SPDX-License-Identifier: Apache-2.0
"""Rows of runs (takt.sweep.runs) of one configuration together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from takt.bench.studies.rtm_runs import CYCLE_NS

Row = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """Seeds of one configuration together. Times in ns, and how often each was seen."""

    channels: int
    late: int
    categories: dict[str, float]
    responses: Counter[int]
    jitter: Counter[int]

    @property
    def percent(self) -> float:
        """Of the processor: the kernel's."""
        return sum(self.categories.values())


def _counter(rows: Sequence[Row], name: str) -> Counter[int]:
    found: Counter[int] = Counter()
    for row in rows:
        found.update({int(value): count for value, count in row[name].items()})
    return found


def point(rows: Sequence[Row]) -> Point:
    """Of rows that differ in their seed alone: the mean of their shares."""
    span = sum(row["span_ns"] for row in rows)
    cycles = {name: sum(row["cycles"][name] for row in rows) for name in rows[0]["cycles"]}
    shares = {name: 100 * count * CYCLE_NS / span for name, count in cycles.items()}
    late = sum(row["late"] for row in rows)
    return Point(rows[0]["channels"], late, shares, _counter(rows, "responses"), _counter(rows, "jitter"))
