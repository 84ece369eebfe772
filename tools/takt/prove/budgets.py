# SPDX-License-Identifier: Apache-2.0
"""What a job makes the kernel do, as a proof counts it and as a budget charges it: one place for both.

A proof counts the waits that a task declares (`waits`) and one contended lock for each mutex that it uses. The kernel
charges a task whose budget it enforces for what is beyond that, with the same figures, so that the task takes no more
of the processor than its budget whatever it does. docs/decisions/0014-budgets.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takt.declare import services
from takt.declare.schema.boards import Board
from takt.declare.schema.model import Band, Overheads, System, Task
from takt.prove import overheads as measured

UNMEASURED = 4
"""Stretches of unseen kernel time (overheads.unseen) that a wait costs where no overheads are in the proof."""
COST_MAX_NS = (1 << 32) - 1  # takt_budget.wait_ns


@dataclass(frozen=True)
class Costs:
    """Of the kernel, ns: a wait of a job with all that follows from it, and a yield to another task."""

    wait_ns: int
    yield_ns: int


def locked_ns(system: System, overheads: Overheads | None) -> int:
    """The longest locked section of the kernel and the application."""
    return (overheads.lock_ns if overheads else 0) + services.locked_ns(system)


def longest_ns(system: System, overheads: Overheads | None, task: Task) -> int:
    """Its longest hold; if that is enforced, with what it executes with the kernel locked, which no timer ends."""
    kernel_ns = overheads.lock_ns if overheads else 0
    beyond_ns = kernel_ns + services.locked_by_ns(system, task.name) if task.enforced else 0
    return system.hold_ns(task.name) + beyond_ns


def expiries_ns(system: System, overheads: Overheads | None) -> int:
    """Interrupts of timers that background tasks, threads and demoted tasks have armed, each one, before better tasks
    became ready: none executes, and so arms another, while a better task is ready. What tasks with deadlines wait for
    is declared (`waits`), and the kernel holds those with a budget to it until they are demoted."""
    if overheads is None:
        return 0
    free = sum(task.separation_ns is None or task.on_budget == "demote" for task in system.tasks)
    return (free + system.threads) * max(overheads.release_ns.values(), default=0)


def resumed_ns(system: System, overheads: Overheads | None) -> int:
    """What every wait of a job lets others do before it goes on: each may be in a section once more, one in a locked
    section of the kernel, and timers may have been armed."""
    sections_ns = sum(longest_ns(system, overheads, task) for task in system.tasks)
    return locked_ns(system, overheads) + sections_ns + expiries_ns(system, overheads)


def own_ns(overheads: Overheads, kind: str, quantum: bool) -> int:
    """The switch to a task of a band of that kind, and away from it. `quantum`: with the timer of a time slice."""
    return overheads.job_ns(kind) + (overheads.timer_ns if quantum else 0)


def costs(system: System, bands: Sequence[Band], overheads: Overheads | None, board: Board, task: Task) -> Costs:
    """What the kernel charges a task."""
    kind = next((band.kind for band in bands if task.name in band.tasks), "fixed")
    quantum = any(band.quantum_ns for band in bands)
    if overheads is not None:
        own = own_ns(overheads, kind, quantum)
        wait = own + overheads.release_ns[kind] + overheads.timer_ns
    else:
        own = wait = 0 if board.zero_overheads else UNMEASURED * measured.unseen(board.name)
    return Costs(min(wait + resumed_ns(system, overheads), COST_MAX_NS), min(own, COST_MAX_NS))


def fields(
    system: System, bands: Sequence[Band], overheads: Overheads | None, board: Board, task: Task
) -> Iterator[str]:
    """Of the task's struct takt_budget in system.c: what kernel/src/budget.c charges, and what it does not."""
    charged = costs(system, bands, overheads, board, task)
    locks = sum(task.name in mutex.lockers for mutex in system.mutexes)
    yield f".suspension_ns = UINT64_C({task.suspension_ns})"
    yield f".wait_ns = {charged.wait_ns}u"
    yield f".yield_ns = {charged.yield_ns}u"
    yield f".waits = {min(task.waits, 65535)}"
    yield f".locks = {min(locks, 65535)}"
