# SPDX-License-Identifier: Apache-2.0
"""A trace of two tasks, a mutex and two interrupts, by hand: preemption, inheritance, a miss."""

from __future__ import annotations

from takt.trace import records
from takt.trace.records import IDLE, NONE, Entry, Event, Names

NAMES = Names(
    "host",
    "dm",
    ("high", "low"),
    ("lock",),
    ({"kind": "fixed", "tasks": ["high", "low"]},),
    interrupts={7: "radio"},
    kinds=("mutex",),
    deadlines_ns=(50, 90),
    budgets=(None, None),
)


def event(time_ns: int, kind: Event, task: int = NONE, target: int = NONE, value: int = 0) -> Entry:
    return Entry(time_ns, kind, task, 0, None, target, value)


STORY = (
    Entry(0, Event.START, 1, None, None, NONE, 1),
    Entry(0, Event.START, 0, None, None, NONE, 0),
    event(0, Event.RELEASE, 1, value=90),
    event(0, Event.RUN, 1),
    event(1000, Event.LOCK, 1, 0),
    event(2000, Event.INTERRUPT, target=7),
    event(2500, Event.INTERRUPT, target=records.TIMER),
    event(2500, Event.RELEASE, 0, value=8000),
    event(2600, Event.INTERRUPT_END, target=records.TIMER),
    event(3000, Event.INTERRUPT_END, target=7),
    event(3000, Event.RUN, 0),
    event(4000, Event.BLOCK, 0, 0),
    event(4000, Event.KEY, 1, 0, 0),
    event(4000, Event.RUN, 1),
    event(6000, Event.UNLOCK, 1, 0),
    event(6000, Event.READY, 0, 0),
    event(6000, Event.LOCK, 0, 0),
    event(6000, Event.KEY, 1, NONE, 1),
    event(6000, Event.RUN, 0),
    event(7000, Event.UNLOCK, 0, 0),
    event(9000, Event.MISS, 0),
    event(9000, Event.COMPLETE, 0),
    event(9000, Event.RUN, 1),
    event(9500, Event.COMPLETE, 1),
    event(9500, Event.RUN, IDLE),
    Entry(10_000, Event.STAT_END, NONE, None, None, NONE, 10_000),
)
