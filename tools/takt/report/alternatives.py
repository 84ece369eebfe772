# SPDX-License-Identifier: Apache-2.0
"""A comparison of other schedulers: for each its kernel time, its verdict, and the greatest load that it proves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from takt.declare.schema.model import Band, System, Verdict
from takt.prove import breakdown, choose, state_message_fixpoint
from takt.prove.choose import Choice, Prover
from takt.prove.proof import Proved
from takt.support.errors import UserError

NAMES = ("dm", "rm", "edf", "csd2", "csd3", "csd4", "auto")


@dataclass(frozen=True)
class Candidate:
    """`kernel`: share of the processor; None: its time is not in the proof. `breakdown`: the utilization up to which it
    is proved when all wcets grow or shrink together; None: nothing to scale. `chosen`: the bands are those proved."""

    name: str
    bands: tuple[Band, ...]
    kernel: Fraction | None
    verdict: Verdict
    breakdown: float | None
    tried: int
    chosen: bool


def kernel_share(system: System, choice: Choice) -> Fraction:
    """What the proof counts beyond wcets and handlers."""
    bare = sum((Fraction(item.wcet_ns, item.min_interarrival_ns) for item in system.interrupts), Fraction(0))
    return choice.proof.load - choice.proof.utilization - bare


def candidates(proved: Proved, progress: Callable[[float], None] = lambda _: None) -> list[Candidate]:
    """Every list of bands once, the chosen one first, each with the copies of state messages that are locked under it.
    What does not fit the system is left out."""
    found = [(proved.prover, proved.choice)]
    for number, name in enumerate(NAMES):
        progress(number / len(NAMES))
        try:
            found.append(state_message_fixpoint.settled(proved.prover, partial(choose.choose, name=name)))
        except UserError:
            continue
    seen: dict[tuple[object, ...], Candidate] = {}
    for prover, choice in found:
        key = (choice.bands, choice.cooperative)
        if key not in seen:
            seen[key] = _candidate(proved, prover, choice, choice is proved.choice)
    return list(seen.values())


def _candidate(proved: Proved, prover: Prover, choice: Choice, chosen: bool) -> Candidate:
    system = prover.system
    kernel = None if proved.overheads is None else kernel_share(system, choice)
    steps = breakdown.of(prover, choice) / breakdown.STEPS if breakdown.utilization(system) else None
    return Candidate(choice.scheduler, choice.bands, kernel, choice.proof.verdict, steps, choice.tried, chosen)
