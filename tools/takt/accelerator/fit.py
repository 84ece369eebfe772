# SPDX-License-Identifier: Apache-2.0
"""Prices of events from what runs showed: least squares of relative errors, no price below zero.

A run gives an equation of all that the kernel took, and one of each task: of what its jobs' responses had beside jobs.
How often events came is what `walk` says with the prices so far, so a few rounds are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from takt.accelerator.costs import CYCLE_NS, EVENTS, STAMP, Costs, Price, guess
from takt.accelerator.plan import Plan
from takt.accelerator.walk import Seen, close_calls, walk

ROUNDS = 5
KERNEL_WEIGHT = 3  # of a run's one equation of the kernel, beside those of its tasks
RIDGE = 1e-7  # of the largest diagonal element: what no equation tells apart is shared
Row = tuple[list[float], float]


@dataclass(frozen=True)
class Observed:
    """What a run showed in [from_ns, until_ns)."""

    plan: Plan
    engine: str
    access_cycles: int
    from_ns: int
    until_ns: int
    kernel_ns: float
    longest_ns: dict[str, float]
    mean_ns: dict[str, float]

    def walked(self, costs: Costs) -> Seen:
        return walk(self.plan, costs, self.access_cycles, self.from_ns, self.until_ns)

    def close_calls(self, costs: Costs) -> set[str]:
        return close_calls(self.plan, costs, self.access_cycles, self.from_ns, self.until_ns)


def fit(engine: str, kernel: str, observed: Sequence[Observed]) -> Costs:
    """Of one engine and kernel."""
    costs = guess(engine, kernel)
    for _ in range(ROUNDS):
        costs = _better(costs, observed)
    return costs


def _better(costs: Costs, observed: Sequence[Observed]) -> Costs:
    names = [*EVENTS, STAMP]
    slow = costs.engine != "software"
    unknowns = [(name, kind) for name in names for kind in ("cycles", "accesses") if slow or kind == "cycles"]
    equations = [row for one in observed for row in _equations(costs, one, unknowns)]
    solved = _solve(equations, len(unknowns), {number for number, (name, _) in enumerate(unknowns) if name == STAMP})
    prices = {name: Price() for name in names}
    for (name, kind), value in zip(unknowns, solved, strict=True):
        cycles, accesses = prices[name].cycles, prices[name].accesses
        prices[name] = Price(value, accesses) if kind == "cycles" else Price(cycles, value)
    return Costs(costs.engine, costs.kernel, prices)


def _equations(costs: Costs, one: Observed, unknowns: Sequence[tuple[str, str]]) -> list[Row]:
    seen = one.walked(costs)
    price = costs.ns(one.access_cycles)

    def row(counts: dict[str, float], wanted_ns: float, scale_ns: float) -> Row:
        factors = [
            counts.get(name, 0.0) * CYCLE_NS * (1 if kind == "cycles" else one.access_cycles) / scale_ns
            for name, kind in unknowns
        ]
        return factors, wanted_ns / scale_ns

    rows = [row(seen.counts, one.kernel_ns, one.kernel_ns / KERNEL_WEIGHT)]
    called = one.plan.called
    for name, mean_ns in one.mean_ns.items():
        jobs = len(seen.responses_ns[name])
        if jobs == 0 or name in called:
            continue
        counts = {event: times / jobs for event, times in seen.within[name].items()} | {STAMP: 1.0}
        priced_ns = sum(times * price[event] for event, times in counts.items())
        walked_ns = seen.mean_ns(name) or 0.0
        rows.append(row(counts, mean_ns - walked_ns + priced_ns, mean_ns))
    return rows


def _solve(rows: Sequence[Row], size: int, signed: set[int]) -> list[float]:
    """The least squares of the rows, only `signed` below zero: other negative events are left out, the most negative
    first."""
    used = list(range(size))
    while True:
        found = _normal(rows, used)
        below = [
            (value, number) for number, value in zip(used, found, strict=True) if value < 0 and number not in signed
        ]
        if not below:
            values = [0.0] * size
            for number, value in zip(used, found, strict=True):
                values[number] = value
            return values
        used.remove(min(below)[1])


def _normal(rows: Sequence[Row], used: Sequence[int]) -> list[float]:
    """The normal equations, by elimination."""
    matrix = [[sum(row[i] * row[j] for row, _ in rows) for j in used] for i in used]
    right = [sum(row[i] * wanted for row, wanted in rows) for i in used]
    scale = [max(matrix[i][i], 1e-30) ** 0.5 for i in range(len(used))]
    matrix = [[value / scale[i] / scale[j] for j, value in enumerate(line)] for i, line in enumerate(matrix)]
    right = [value / scale[i] for i, value in enumerate(right)]
    for i, line in enumerate(matrix):
        line[i] += RIDGE
    for i in range(len(used)):
        pivot = max(range(i, len(used)), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        right[i], right[pivot] = right[pivot], right[i]
        for k in range(i + 1, len(used)):
            factor = matrix[k][i] / matrix[i][i]
            for j in range(i, len(used)):
                matrix[k][j] -= factor * matrix[i][j]
            right[k] -= factor * right[i]
    solved = [0.0] * len(used)
    for i in reversed(range(len(used))):
        solved[i] = (right[i] - sum(matrix[i][j] * solved[j] for j in range(i + 1, len(used)))) / matrix[i][i]
    return [value / scale[i] for i, value in enumerate(solved)]
