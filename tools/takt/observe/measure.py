# SPDX-License-Identifier: Apache-2.0
"""`takt measure`: runs a system and suggests the times to declare, from the most that it saw, with a margin.

What a run shows is not what is possible: the margin is a guess, the run has to reach the longest paths.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from takt.declare.code import constructors
from takt.declare.schema.model import System
from takt.declare.service_kinds.mutex import Mutex
from takt.observe.outcome import Outcome
from takt.support.durations import with_margin
from takt.trace.records import IDLE, NONE, Entry, Event, Trace


@dataclass(frozen=True)
class Suggestion:
    """One time of the declaration. `where` names it as a person would; 0 seen: nothing was."""

    where: str
    key: str
    seen_ns: int
    declared_ns: int
    suggested_ns: int


def suggestions(system: System, outcome: Outcome, trace: Trace, margin_percent: int) -> list[Suggestion]:
    """wcets of tasks and interrupts with code of their own, and holds, in declaration order."""
    found = []

    def suggest(where: str, key: str, seen_ns: int, declared_ns: int) -> None:
        suggested = with_margin(seen_ns, margin_percent) if seen_ns else declared_ns
        found.append(Suggestion(where, key, seen_ns, declared_ns, suggested))

    for task, figures in zip(system.tasks, outcome.tasks, strict=True):
        if task.entry is not None or task.serves is not None:
            where, prefix = constructors.declared(system, task.name)
            suggest(where, f"{prefix}wcet", figures.execution_ns_max, task.wcet_ns)
    handlers, holds = longest(trace.entries)
    for item in system.interrupts:
        if item.handler is not None:
            suggest(f'[[interrupt]] "{item.name}"', "wcet", handlers.get(item.number, 0), item.wcet_ns)
    for number, mutex in enumerate(system.of(Mutex)):
        for user in mutex.users:
            index = next(position for position, task in enumerate(system.tasks) if task.name == user.task)
            where = f'[[mutex]] "{mutex.name}", user "{user.task}"'
            suggest(where, "hold", holds.get((index, number), 0), user.hold_ns)
    return found


def longest(entries: Iterable[Entry]) -> tuple[dict[int, int], dict[tuple[int, int], int]]:
    """The longest execution of each interrupt by number, and of each (task, mutex) from lock to unlock, in ns."""
    handlers: dict[int, int] = {}
    holds: dict[tuple[int, int], int] = {}
    active: list[tuple[int, int]] = []  # nested interrupts: number, executed
    held: dict[tuple[int, int], int] = {}  # executed since the lock
    running, before_ns = IDLE, 0
    for entry in entries:
        elapsed, before_ns = entry.time_ns - before_ns, entry.time_ns
        if active:
            active[-1] = (active[-1][0], active[-1][1] + elapsed)
        else:
            held = {key: time + elapsed if key[0] == running else time for key, time in held.items()}
        if entry.event is Event.RUN:
            running = entry.task
        elif entry.event is Event.INTERRUPT:
            active.append((entry.object, 0))
        elif entry.event is Event.INTERRUPT_END and active:
            number, executed = active.pop()
            handlers[number] = max(handlers.get(number, 0), executed)
        elif entry.event is Event.LOCK and running != NONE:
            held[entry.task, entry.object] = 0
        elif entry.event is Event.UNLOCK and (entry.task, entry.object) in held:
            executed = held.pop((entry.task, entry.object))
            holds[entry.task, entry.object] = max(holds.get((entry.task, entry.object), 0), executed)
        elif entry.event is Event.LOST_RECORDS:
            active, held, running = [], {}, NONE
    return handlers, holds
