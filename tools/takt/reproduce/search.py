# SPDX-License-Identifier: Apache-2.0
"""The best partition of a workload for each scheduler, by the seed's own tests (`historic`) and by the exact ones.

Partitions come in order of what the kernel leaves of the processor, 1 - sum(cost / period), which no test exceeds; a
search ends where that is not more than the best found. What the exact test accepts the historic one accepts too
(historic.py), so the exact search asks only about partitions that this one lets through.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from takt.bench.studies.workloads import MS, Workload
from takt.reproduce.exact import STEPS, Judge
from takt.reproduce.historic import Floats, Scaled, Whole
from takt.reproduce.queues import LISTS, Partitions, partitions

BLOCK = 256  # partitions that are judged together
COARSER = {"csd3": "csd2", "csd4": "csd3"}


class Found(NamedTuple):
    """Steps of utilization, by each kind of test. `undecided`: the exact one knew no answer for more."""

    historic: int
    exact: int
    undecided: bool = False


class Bench:
    """A base workload of whole milliseconds, to be judged under periods that are divided by anything: a kernel so many
    times slower is the same."""

    def __init__(self, item: Workload) -> None:
        periods_ns, shares = np.array(item.periods_ns), np.array(item.shares)
        self._count = len(periods_ns)
        self._scaled = Scaled(periods_ns // MS, shares)
        self._judge = Judge(periods_ns, shares)
        self._found: dict[tuple[str, int, str], tuple[float, int]] = {}

    def best(self, scheduler: str, divisor: int) -> Found:
        """Of all partitions."""
        factor, index = self._historic(scheduler, divisor, LISTS[0])
        undecided = self._judge.undecided
        steps = self._exact(*self._known(scheduler, divisor, LISTS[0]), factor, index)
        return Found(int(factor * STEPS), steps, self._judge.undecided > undecided)

    def historic(self, scheduler: str, divisor: int, finding: str) -> int:
        """The seed's tests alone."""
        return int(self._historic(scheduler, divisor, finding)[0] * STEPS)

    def _known(self, scheduler: str, divisor: int, finding: str) -> tuple[Partitions, Floats]:
        """The partitions with what they cost, and what that leaves."""
        cuts, costs_ns = partitions(scheduler, self._count, finding)
        ends = np.concatenate([cuts, np.full((len(cuts), 1), self._count)], axis=1)
        rates = np.diff(self._scaled.rates[ends], axis=1, prepend=0)
        costs_ns = costs_ns * divisor
        return Partitions(cuts, costs_ns), 1 - (costs_ns * rates).sum(axis=1) / MS

    def _blocks(self, bounds: Floats, least: float, size: int) -> Iterator[Whole]:
        """Places of partitions whose bounds are above, best first."""
        above = np.flatnonzero(bounds > least)
        above = above[np.argsort(-bounds[above], kind="stable")]
        for start in range(0, len(above), size):
            yield above[start : start + size]

    def _factors(self, known: Partitions, indices: Whole, least: float) -> Floats:
        return self._scaled.factors(known.cuts[indices], known.costs_ns[indices] / MS, least)

    def _historic(self, scheduler: str, divisor: int, finding: str) -> tuple[float, int]:
        """The greatest factor, and of which partition."""
        key = (scheduler, divisor, finding)
        if key not in self._found:
            known, bounds = self._known(*key)
            near = self._near(known, *key)
            factors = self._factors(known, near, 0.0)
            best, at = float(factors.max()), int(near[factors.argmax()])
            for indices in self._blocks(bounds, best, BLOCK):
                if bounds[indices[0]] <= best:
                    break
                factors = self._factors(known, indices, best)
                if factors.max() > best:
                    best, at = float(factors.max()), int(indices[factors.argmax()])
            self._found[key] = best, at
        return self._found[key]

    def _near(self, known: Partitions, scheduler: str, divisor: int, finding: str) -> Whole:
        """Where the search begins: at the best partition with one queue less, cut once more."""
        if scheduler not in COARSER:
            return np.arange(len(known.cuts))
        coarser = COARSER[scheduler]
        cuts = partitions(coarser, self._count, finding).cuts[self._historic(coarser, divisor, finding)[1]]
        return np.flatnonzero((known.cuts[:, :, None] == cuts).any(axis=1).all(axis=1))

    def _exact(self, known: Partitions, bounds: Floats, factor: float, first: int) -> int:
        """Steps. Mostly the partition that the historic tests like best holds up to just as much."""
        most = int(factor * STEPS)
        if self._holds(known, first, most):
            return most
        best = self._most(known, first, 0, most - 1)
        for indices in self._blocks(bounds, best / STEPS, BLOCK):
            if int(bounds[indices[0]] * STEPS) <= best:
                break
            factors = self._factors(known, indices, best / STEPS)
            for index in (-factors).argsort(kind="stable").tolist():
                most = int(factors[index] * STEPS)
                if most <= best:
                    break
                if self._holds(known, int(indices[index]), best + 1):
                    best = self._most(known, int(indices[index]), best + 1, most)
        return best

    def _holds(self, known: Partitions, index: int, steps: int) -> bool:
        return self._judge.holds(known.cuts[index].tolist(), known.costs_ns[index].tolist(), steps)

    def _most(self, known: Partitions, index: int, least: int, most: int) -> int:
        return self._judge.most(known.cuts[index].tolist(), known.costs_ns[index].tolist(), least, most)
