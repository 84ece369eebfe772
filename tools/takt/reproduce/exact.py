# SPDX-License-Identifier: Apache-2.0
"""The exact test of analysis/ on a partition of seed 000, whose wcets grow together."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from takt.prove import analysis_library as c
from takt.prove.analysis import ITERATIONS
from takt.reproduce.historic import Floats, Whole

STEPS = 10_000
"""Of utilization, from 0 to 1."""


class Judge:
    """Says whether a workload holds under a partition. `periods_ns`: ascending, deadlines too; `shares`: wcet / period
    at utilization 1."""

    def __init__(self, periods_ns: Whole, shares: Floats) -> None:
        count = len(periods_ns)
        self._tasks = (c.Task * count)()
        self._set = c.Set(tasks=self._tasks, task_count=count, iterations=ITERATIONS)
        self._fields: NDArray[Any] = np.frombuffer(memoryview(self._tasks), dtype=np.dtype(c.Task))
        self._fields["period_ns"] = self._fields["deadline_ns"] = periods_ns
        self._whole_ns = shares * periods_ns
        self._library = c.load()
        self.undecided = 0

    def holds(self, cuts: Sequence[int], costs_ns: Sequence[int], steps: int) -> bool:
        """Whether every deadline is proved at `steps` of utilization. Wcets are rounded down to whole ns."""
        count = len(self._fields)
        ends = [*cuts, count]
        lengths = np.diff(ends, prepend=0)
        edf = cuts[-1] if len(cuts) else 0
        self._fields["wcet_ns"] = self._whole_ns * (steps / STEPS)
        self._fields["wcet_ns"] += np.repeat(np.asarray(costs_ns, dtype=np.uint64), lengths)
        self._fields["level"][:edf] = np.repeat(np.arange(len(cuts)), lengths[:-1])
        self._fields["level"][edf:] = np.arange(len(cuts), len(cuts) + count - edf)
        self._fields["order"][:edf], self._fields["order"][edf:] = c.DEADLINE, c.EQUAL
        verdict = ctypes.c_int()
        status = self._library.takt_analysis_feasible(self._set, verdict, None, None)
        if status != c.OK:
            raise AssertionError(f"the analysis rejected the task set with status {status}")
        if verdict.value == c.Verdict.UNDECIDED:
            self.undecided += 1
        return verdict.value == c.Verdict.FEASIBLE

    def most(self, cuts: Sequence[int], costs_ns: Sequence[int], least: int, most: int) -> int:
        """The most steps that hold, of which `least` do and more than `most` do not."""
        while least < most:
            middle = (least + most + 1) // 2
            least, most = (middle, most) if self.holds(cuts, costs_ns, middle) else (least, middle - 1)
        return least
