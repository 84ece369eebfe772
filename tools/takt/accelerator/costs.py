# SPDX-License-Identifier: Apache-2.0
"""What an event takes: cycles of the processor's own, and accesses to the task manager, each of which may be longer.

Seed 004, paper C: a service takes T_i/o + T_service, with T_i/o = m * (T_read/write + ...), m accesses; T_read/write in
a near unit is in the cycles here. `takt bench accelerator --update` fits both to runs and keeps them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from takt.declare.schema import boards
from takt.support.files import read_text
from takt.support.provision import ROOT

FILE = ROOT / "benchmarks" / "measured" / "accelerator.json"
BOARD = "ibex-soc"
PRESET = "standard"
RECORDS = boards.RECORDS_USUAL  # of the task manager: more take longer to find NEXT
CYCLE_NS = 20
ENGINES = ("software", "rtm")
KERNELS = ("fixed", "bands")  # folders of kernel/config/sched/ that the events were measured in

EVENTS = {
    "interrupt": "The timer's interrupt: into it, and out of it.",
    "release": "A job is released in it.",
    "chain": "And goes behind another one of the same interrupt.",
    "preempt": "The switch from a task to a better one, at its end.",
    "wake": "The same from idle.",
    "complete": "The end of a job and the switch to the next, or to idle.",
    "next": "The next release is armed at that end, as of all that is periodic.",
    "block": "A job begins to wait, and the switch to the next.",
    "expire": "A wait ends, in the timer's interrupt.",
    "alarm": "An alarm comes, in the timer's interrupt.",
    "call": "A call on a semaphore or mailbox that releases a job, that of the job not included.",
    "deadline": "A watched deadline: armed, and cancelled.",
    "section": "A mutex is locked and unlocked without contention.",
    "arming": "A timer is armed that others expire before or after: for each doubling of their number.",
}
STAMP = "stamp"  # what a response is longer than the time from the release to the end of the job's own work


@dataclass(frozen=True)
class Price:
    """`cycles` of the processor with a near unit; `accesses` to the unit."""

    cycles: float = 0.0
    accesses: float = 0.0

    def ns(self, access_cycles: int) -> float:
        return CYCLE_NS * (self.cycles + self.accesses * access_cycles)


@dataclass(frozen=True)
class Costs:
    """Of one engine and kernel, by EVENTS and STAMP."""

    engine: str
    kernel: str
    prices: dict[str, Price]

    def ns(self, access_cycles: int) -> dict[str, float]:
        return {name: self.prices.get(name, Price()).ns(access_cycles) for name in (*EVENTS, STAMP)}

    def scaled(self, factor: float) -> Costs:
        """All costs multiplied by a factor."""
        prices = {name: Price(one.cycles * factor, one.accesses * factor) for name, one in self.prices.items()}
        return Costs(self.engine, self.kernel, prices)


def guess(engine: str, kernel: str) -> Costs:
    """To begin a fit with."""
    accesses = 3.0 if engine == "rtm" else 0.0
    return Costs(engine, kernel, {name: Price(250.0, accesses) for name in EVENTS})


def rows(found: Iterable[Costs]) -> list[dict[str, Any]]:
    """As they are kept."""
    return [
        {
            "engine": one.engine,
            "kernel": one.kernel,
            "event": name,
            "cycles": round(price.cycles, 1),
            "accesses": round(price.accesses, 2),
        }
        for one in found
        for name, price in one.prices.items()
    ]


def of_rows(kept: Iterable[dict[str, Any]]) -> dict[tuple[str, str], Costs]:
    """By engine and kernel."""
    prices: dict[tuple[str, str], dict[str, Price]] = {}
    for row in kept:
        by_event = prices.setdefault((row["engine"], row["kernel"]), {})
        by_event[row["event"]] = Price(row["cycles"], row["accesses"])
    return {key: Costs(*key, some) for key, some in prices.items()}


def load() -> dict[tuple[str, str], Costs]:
    """Those that are kept."""
    return of_rows(json.loads(read_text(FILE))["costs"])
