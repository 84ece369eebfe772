# SPDX-License-Identifier: Apache-2.0
"""Deadlock: checks whether the declared nesting of mutexes allows tasks to wait for each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.model import System
from takt.declare.service_kinds.mutex import Mutex


@dataclass(frozen=True)
class Nesting:
    """`task` locks mutex `inner` while it holds `outer`."""

    task: str
    outer: str
    inner: str


def nestings(system: System) -> list[Nesting]:
    """The declared nestings and their closure: a task that locks c within b, and b within a, locks c within a."""
    return system.derived(_nestings)


def _nestings(system: System) -> list[Nesting]:
    found: list[Nesting] = []
    within_of: dict[str, dict[str, set[str]]] = {}
    for mutex in system.of(Mutex):
        for user in mutex.users:
            within_of.setdefault(user.task, {})[mutex.name] = set(user.within)
    for task in system.tasks:
        within = within_of.get(task.name, {})
        for _ in within if any(within.values()) else ():
            for outers in within.values():
                outers |= {far for outer in outers for far in within.get(outer, ())}
        found += [Nesting(task.name, outer, inner) for inner in within for outer in sorted(within[inner] - {inner})]
    return found


def sections_alone(system: System) -> set[tuple[str, str]]:
    """Mutexes with a ceiling, with users whose sections of them do not wait, nor does anyone that they wait for there:
    of all such sections one at most is open at a time (takt_analysis_hold). Declared waits are outside sections; a
    background task declares none."""
    waiting = {task.name for task in system.tasks if task.separation_ns is None}
    nested = nestings(system)
    stopped = {mutex.name for mutex in system.of(Mutex) if not waiting.isdisjoint(mutex.lockers)}
    for _ in system.of(Mutex):
        stopped |= {edge.outer for edge in nested if edge.inner in stopped}
    return {
        (mutex.name, user)
        for mutex in system.of(Mutex)
        if mutex.protocol == "ceiling"
        for user in mutex.lockers
        if user not in waiting
        and not any(edge.task == user and edge.outer == mutex.name and edge.inner in stopped for edge in nested)
    }


def cycle(system: System) -> tuple[Nesting, ...]:
    """A shortest circle of tasks, each of which holds the mutex that the one before it waits for; empty: none.

    A task waits for one mutex at a time, so it is in a circle once. Simple paths are searched: declared nesting is
    shallow.
    """
    edges = nestings(system)
    circles = (path for mutex in system.of(Mutex) for path in _circles(edges, mutex.name, ()))
    return min(circles, key=len, default=())


def _circles(edges: list[Nesting], start: str, path: tuple[Nesting, ...]) -> Iterator[tuple[Nesting, ...]]:
    here = path[-1].inner if path else start
    if path and here == start:
        yield path
        return
    tasks = {edge.task for edge in path}
    passed = {edge.inner for edge in path}
    for edge in edges:
        if edge.outer == here and edge.task not in tasks and edge.inner not in passed:
            yield from _circles(edges, start, (*path, edge))


def describe(circle: tuple[Nesting, ...]) -> str:
    """The circle in one sentence."""
    waits = "; ".join(f"task {edge.task} locks {edge.inner} while it holds {edge.outer}" for edge in circle)
    return f"deadlock: {waits}: lock them in one order everywhere"
