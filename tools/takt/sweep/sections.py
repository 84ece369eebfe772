# SPDX-License-Identifier: Apache-2.0
"""Task sets whose jobs lock mutexes one after the other (seed 000, 5.4.2), and ways to make that cheaper.

- plain: no hint; each lock is charged as a contended one, as `takt check` does.
- early: of each section only `needed` remains, as `takt hints --early` leaves it. The rest is a proof as before.
- hint, set: the charge is less by what a hint of the first mutex, or a set of all, saves where it has its full effect
  (`takt reproduce semaphores`, two_plain, two_hinted and two_set). A hint may have none, so this is no proof: it bounds
  what hints could be worth. In a fixed band they are nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from takt.bench import documents
from takt.declare import with_change
from takt.declare.schema.model import System
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.support.c.kernel import HINT_SET_MAX
from takt.support.errors import UserError

WAYS = ("plain", "hint", "set", "early", "early set")
HINTED = ("hint", "set", "early set")
SCHEDULERS = ("rm", "dm", "edf")  # where one kind of band says what a hint saves
KEPT = "reproduction-semaphores"


@dataclass(frozen=True)
class Sections:
    """Of a study. Each job locks `locks` of `mutexes`; `held`: the part of its execution in its sections, of the same
    length; `needed`: the part of each before its mutex is needed no more."""

    mutexes: int
    locks: int
    held: float
    needed: float
    ways: tuple[str, ...]


@cache
def _kept() -> dict[str, Any]:
    found: dict[str, Any] = documents.results(KEPT)
    return found


def board() -> str:
    """Whose hints were measured."""
    return str(_kept()["board"])


def saved(way: str, preset: str, tasks: int, locks: int) -> int:
    """Instructions that the locks of a job take less in an edf band. UserError: not measured with so many tasks."""
    if way not in HINTED:
        return 0
    rows = [row for row in _kept()["rows"] if (row["band"], row["preset"]) == ("edf", preset)]
    row = next((row for row in rows if row["tasks"] >= tasks), None)
    if row is None:
        most = max((row["tasks"] for row in rows), default=0)
        raise UserError(f"hints are measured for up to {most} tasks in preset {preset}, but a set has {tasks}", "fewer")
    first, more = row["two_plain"] - row["two_hinted"], row["two_hinted"] - row["two_set"]
    return int(first) if way == "hint" else int(first + (locks - 1) * more)


def users(chance: random.Random, names: Iterable[str], sections: Sections) -> dict[str, list[int]]:
    """The mutexes of each task, in the order of their locks."""
    return {name: sorted(chance.sample(range(sections.mutexes), sections.locks)) for name in names}


def shaped(system: System, mutexes: dict[str, list[int]], sections: Sections, way: str, saved_ns: int) -> System:
    """The system with its sections, and its jobs shorter by what they save."""
    part = sections.held / sections.locks * (sections.needed if "early" in way else 1)
    holds: list[list[Hold]] = [[] for _ in range(sections.mutexes)]
    for task in system.tasks:
        for mutex in mutexes[task.name]:
            holds[mutex].append(Hold(task.name, max(1, int(task.wcet_ns * part)), locks=1))
    items = [Mutex(f"m{number}", tuple(held)) for number, held in enumerate(holds) if held]
    tasks = tuple(replace(task, wcet_ns=max(1, task.wcet_ns - saved_ns)) for task in system.tasks)
    return with_change.clipped(replace(system, tasks=tasks).having(Mutex, items))


def refuse(sections: Sections, schedulers: Iterable[str], overheads: Iterable[str], preset: str, tasks: int) -> None:
    """UserError: nothing is known of this."""
    other = next((name for name in schedulers if name not in SCHEDULERS), None)
    if other is not None:
        raise UserError(f"mutexes: {other} has bands of several kinds, or none", f"of {', '.join(SCHEDULERS)}")
    if not sections.locks <= min(sections.mutexes, HINT_SET_MAX):
        most = min(sections.mutexes, HINT_SET_MAX)
        raise UserError(f"locks = {sections.locks} of mutexes = {sections.mutexes}", f"locks of at most {most}")
    for way in set(sections.ways) & set(HINTED):
        unknown = next((name for name in overheads if name not in ("none", board())), None)
        if unknown is not None:
            raise UserError(f"what hints save is not measured on {unknown}", f"{board()}, or ways without hints")
        saved(way, preset, tasks, sections.locks)
