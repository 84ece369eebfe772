# SPDX-License-Identifier: Apache-2.0
"""Breakdown utilization: how far all wcets may grow together, or must shrink, until the deadlines just hold.

Everything else stays: the kernel's time, interrupts, sections of mutexes (except those longer than a shrunk wcet).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from takt.declare import with_change
from takt.declare.schema.model import System
from takt.prove.choose import Choice, Prover, auto, choose
from takt.support.errors import UserError

STEPS = 10_000
"""Of utilization, from 0 to 1: the resolution."""


def utilization(system: System) -> Fraction:
    """Sum of wcet / period of the declaration, without what servers serve."""
    tasks = (task for task in system.tasks if system.server_of(task.name) is None)
    return sum((Fraction(task.wcet_ns, task.separation_ns) for task in tasks if task.separation_ns), Fraction(0))


def scaled(system: System, steps: int) -> System:
    """All wcets times one factor, rounded up, so that the utilization is steps / STEPS and a few ns."""
    factor = Fraction(steps, STEPS) / utilization(system)
    return with_change.with_wcets(system, lambda wcet_ns: -(-wcet_ns * factor.numerator // factor.denominator))


def last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The last in [low, high] that holds, where `low` does and what follows one that does not holds neither."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def of(prover: Prover, choice: Choice, least: int = 0) -> int:
    """Steps up to which a list of bands is proved; `least` are."""

    def holds(steps: int) -> bool:
        return prover.of(scaled(prover.system, steps)).proves(choice.bands, choice.cooperative)

    return last(holds, least, STEPS)


def most(prover: Prover, progress: Callable[[float], None] = lambda _: None) -> Choice:
    """The list of bands with the highest breakdown utilization, of those the cheapest; judged for the system as it is.

    A search asks whether any list holds one step above the best so far, until none does: every list holds below what
    it holds at. UserError: there is nothing to scale.
    """
    if utilization(prover.system) == 0:
        raise UserError("--goal breakdown: no task has a period and a wcet", "--goal overhead")
    tried, steps = 0, 0
    start = (choose(prover, "dm"), choose(prover, "edf"))
    steps = max(of(prover, choice) for choice in start)
    while steps < STEPS:
        progress(steps / STEPS)
        better = auto(prover.of(scaled(prover.system, steps + 1)))
        tried += better.tried
        if not better.proved:
            break
        steps = of(prover, better, steps + 1)
    best = auto(prover.of(scaled(prover.system, steps))) if steps else start[1]
    return replace(best, proof=prover.judge(best.bands), tried=tried + best.tried)
