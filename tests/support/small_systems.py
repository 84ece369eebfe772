# SPDX-License-Identifier: Apache-2.0
"""Systems of a few tasks, their bands and bounds, in milliseconds: what tests of known answers share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from takt.declare.schema.model import Band, Overheads, System, Task
from takt.prove.analysis import Proof

MS = 1_000_000
NS = 1 / MS


def task(name: str, wcet: float, period: float, deadline: float | None = None, **more: object) -> Task:
    times = {"wcet_ns": round(wcet * MS), "period_ns": round(period * MS)}
    return Task(name=name, deadline_ns=round((deadline or period) * MS), **times, **more)  # type: ignore[arg-type]


def system(*tasks: Task, **more: object) -> System:
    return System(Path("system.toml"), "test", "host", "bands", tasks, **more)  # type: ignore[arg-type]


def numbered(rows: Sequence[tuple[float, ...]]) -> System:
    return system(*(task(f"t{i + 1}", *row) for i, row in enumerate(rows)))


def fixed(*names: str) -> Band:
    return Band("fixed", tuple((name,) for name in names))


def edf(*names: str) -> Band:
    return Band("edf", (names,))


def responses(proof: Proof) -> list[float | None]:
    return [None if one.response_ns is None else one.response_ns / MS for one in proof.tasks]


def names(of: System) -> list[str]:
    return [one.name for one in of.tasks]


COSTS = Overheads(
    board="test",
    preset="standard",
    kernel="bands",
    tasks_max=8,
    interrupt_ns=1_000,
    timer_ns=20_000,
    lock_ns=300_000,
    release_ns={"fixed": 4_000_000, "edf": 5_000_000},
    switch_ns={"fixed": 50_000, "edf": 60_000},
    complete_ns={"fixed": 550_000, "edf": 640_000},
)
