# SPDX-License-Identifier: Apache-2.0
"""Which tasks and sections a change of one number can help: not those without which the system is refuted as well.

A task with any other wcet, period, deadline or jitter, wherever these put it, delays the others for longer than none,
and a shorter section blocks for longer than none. So a group of tasks, or of sections, without which the rest is still
refuted has none that helps alone: of many, halves of halves tell. Not where a task does more than execute, block and be
released: waits, servers, budgets, processes and other objects are in what delays all.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TypeVar

from takt.declare.schema.model import Band, System
from takt.declare.service_kinds.mutex import Mutex
from takt.prove import analysis_library as c
from takt.prove import schedulers
from takt.prove.analysis import Problem
from takt.prove.choose import Prover
from takt.prove.reasons.steps import CALL_STEPS

LEAST = 8
"""Fewer tasks are not worth it."""

Item = TypeVar("Item")
Section = tuple[str, str]  # mutex and task


def applies(system: System) -> bool:
    """Whether a task delays others by its execution, releases and sections alone."""
    plain = all(isinstance(one, Mutex) for one in system.objects) and not (
        system.servers or system.processes or system.protection or system.runtime_tasks
    )
    tasks = all(not (task.waits or task.enforced or task.on_budget != "none") for task in system.tasks)
    return plain and tasks and not schedulers.transactions(system) and len(system.tasks) >= LEAST


class Relevant:
    """The tasks and sections of a refuted system of which one can help, under these bands."""

    def __init__(self, prover: Prover, bands: tuple[Band, ...]) -> None:
        self.steps = prover.steps
        self.problem = Problem(prover.system, bands, prover.costs(bands, False), False, prover.iterations, prover.steps)
        self.names = [ranked.task.name for ranked in self.problem.ranked]
        mutexes = [mutex.name for mutex in prover.system.of(Mutex)]
        self.sections = [(mutexes[hold.mutex], self.names[hold.task]) for hold in self.problem.holds]
        released = [task.name for task in prover.system.tasks if task.separation_ns is not None]
        self.tasks = frozenset(_helpful(released, lambda names: self._refuted(frozenset(names), frozenset())))
        theirs = sorted({section for section in self.sections if section[1] in self.tasks})
        self.of_mutexes = frozenset(_helpful(theirs, lambda some: self._refuted(frozenset(), frozenset(some))))

    def _refuted(self, tasks: frozenset[str], sections: frozenset[Section]) -> bool:
        """Whether it is refuted without these tasks, or without these sections."""
        whole = self.problem
        kept = [index for index, name in enumerate(self.names) if name not in tasks]
        rows = (c.Task * len(kept))(*(whole.tasks[index] for index in kept))
        numbers = {index: number for number, index in enumerate(kept)}
        holds = [
            c.Hold(hold.hold_ns, hold.mutex, numbers[hold.task], hold.alone, hold.nested, hold.fifo, hold.locks)
            for hold, section in zip(whole.holds, self.sections, strict=True)
            if hold.task in numbers and section not in sections
        ]
        rest = c.Set.from_buffer_copy(whole.set)
        rest.tasks, rest.task_count = rows, len(kept)
        c.block(whole.library, rest, rows, (c.Hold * len(holds))(*holds), len(whole.system.of(Mutex)))
        verdict = ctypes.c_int()
        self.steps.take(CALL_STEPS * 10)
        status = whole.library.takt_analysis_feasible(rest, verdict, None, None)
        self.steps.check()
        return status == c.OK and verdict.value == c.Verdict.INFEASIBLE


def _helpful(items: Sequence[Item], refuted: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """Those without which alone it is not refuted. `refuted`: without all of these."""
    waiting, found = [list(items)], list[Item]()
    while waiting:
        some = waiting.pop()
        if not some or refuted(some):
            continue
        if len(some) == 1:
            found += some
        else:
            waiting += [some[len(some) // 2 :], some[: len(some) // 2]]
    return found
