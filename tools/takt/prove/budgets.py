# SPDX-License-Identifier: Apache-2.0
"""The kernel's work for a job, as a proof counts it and as a budget charges it: one module for both.

A proof counts the waits that a task declares (`waits`) and one contended lock for each mutex that it uses. The kernel
charges a task whose budget it enforces for what is beyond that, with the same figures, so that the task takes no more
of the processor than its budget whatever it does. docs/decisions/0014-budgets.md

The load of faults of processes on all other tasks in a proof is here, too: docs/overheads.md, The use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takt.declare import lock_order, processes, services
from takt.declare.code.constructors import faults_apart_ns
from takt.declare.schema.boards import Board
from takt.declare.schema.model import Band, Overheads, Process, ProcessCosts, System, Task
from takt.declare.schema.service import FIFO
from takt.declare.service_kinds.mutex import Mutex, hold_ns
from takt.declare.service_kinds.rendezvous import Rendezvous
from takt.prove import created
from takt.prove import overheads as measured
from takt.support.c.kernel import (
    BUDGET_COST_MAX_NS,
    BUDGET_WAITS_MAX,
    RESTART_REGIONS_NS,
    RESTART_STEP_NS,
)

UNMEASURED = 4
"""Stretches of unseen kernel time (overheads.unseen) that a wait costs where no overheads are in the proof."""


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
    return hold_ns(system, task.name) + beyond_ns


def expiries_ns(system: System, overheads: Overheads | None) -> int:
    """Interrupts of timers that background tasks, threads and demoted tasks have armed, each one, before better tasks
    became ready: none executes, and so arms another, while a better task is ready. What tasks with deadlines wait for
    is declared (`waits`), and the kernel holds those with a budget to it until they are demoted."""
    if overheads is None:
        return 0
    free = sum(task.separation_ns is None or task.on_budget == "demote" for task in system.tasks)
    return (free + system.threads) * max(overheads.release_ns.values(), default=0)


def resumed_ns(system: System, overheads: Overheads | None) -> int:
    """The delay after every wait of a job: each other task may be in a section once more, one in a locked
    section of the kernel, and timers may have been armed."""
    system = created.in_proof(system)
    sections_ns = sum(longest_ns(system, overheads, task) for task in system.tasks)
    return locked_ns(system, overheads) + sections_ns + expiries_ns(system, overheads)


def own_ns(overheads: Overheads, kind: str, quantum: bool) -> int:
    """The switch to a task of a band of that kind, and away from it. `quantum`: with the timer of a time slice."""
    return overheads.job_ns(kind) + (overheads.timer_ns if quantum else 0)


def handed_ns(system: System, overheads: Overheads | None, mutex: str, task: str, kind: str, own_ns: int) -> int:
    """What a section of a task adds to a delay besides what it executes: for each mutex with waiters in FIFO order that
    it locks there, this one too, what one more contended lock costs, since the kernel hands it over once more."""
    fifo = {item.name for item in system.of(Mutex) if item.waiters == FIFO} if overheads else set()
    if overheads is None or not fifo:
        return 0
    inner = {edge.inner for edge in lock_order.nestings(system) if edge.task == task and edge.outer == mutex}
    return len(({mutex} | inner) & fifo) * (own_ns + overheads.release_ns[kind] + overheads.fifo_ns)


def costs(system: System, bands: Sequence[Band], overheads: Overheads | None, board: Board, task: Task) -> Costs:
    """The kernel's charge for a task."""
    server = system.server_of(task.name)
    name = task.name if server is None else server.name
    kind = next((band.kind for band in bands if name in band.tasks), "fixed")
    quantum = any(band.quantum_ns for band in bands)
    if overheads is not None:
        own = own_ns(overheads, kind, quantum)
        wait = own + overheads.release_ns[kind] + overheads.timer_ns + overheads.fifo_ns
    else:
        own = wait = 0 if board.zero_overheads else UNMEASURED * measured.unseen(board.name)
    resumed = 0 if server is not None else resumed_ns(system, overheads)  # the proof of a server has no waits
    return Costs(min(wait + resumed, BUDGET_COST_MAX_NS), min(own, BUDGET_COST_MAX_NS))


def fields(
    system: System, bands: Sequence[Band], overheads: Overheads | None, board: Board, task: Task
) -> Iterator[str]:
    """Of the task's struct takt_budget in system.c: what kernel/jobs/budget.c charges, and the rest."""
    charged = costs(system, bands, overheads, board, task)
    served = system.server_of(task.name) is not None  # each of its waits is charged to its server
    locks = 0 if served else sum(mutex.locks[task.name] for mutex in created.in_proof(system).of(Mutex))
    yield f".suspension_ns = UINT64_C({task.suspension_ns})"
    yield f".wait_ns = {charged.wait_ns}u"
    yield f".yield_ns = {charged.yield_ns}u"
    yield f".waits = {0 if served else min(task.waits, BUDGET_WAITS_MAX)}"
    yield f".locks = {min(locks, BUDGET_WAITS_MAX)}"


def fault_load(system: System, overheads: Overheads | None) -> list[tuple[int, int]]:
    """The load of faults of processes on all other tasks: longest execution and least distance of each source, ns.

    Sources: the steps of restarts, shared by all processes; and each process, in any number at one time.
    """
    if not system.protection or overheads is None or overheads.processes is None:
        return []
    costs = overheads.processes
    load = [(costs.piece_ns, RESTART_STEP_NS)]
    load += [(_fault_ns(system, process, costs), faults_apart_ns(system, process)) for process in system.processes]
    attaches = any(process.devices for process in system.processes) or any(shared.attach for shared in system.shared)
    if attaches and costs.regions_ns > costs.piece_ns:  # the piece after it comes in 1 ms, that before it 2 ms earlier
        load.append((costs.regions_ns - costs.piece_ns, RESTART_REGIONS_NS))
    return load


def _fault_ns(system: System, process: Process, costs: ProcessCosts) -> int:
    """A fault of the process, with the timer's interrupts that are not pieces.

    A mutex that others wait for is given up by one that comes before any task runs, so a task that waits for it waits
    for these interrupts and nothing else. Each mutex that its tasks can hold goes so once a fault at most: it is broken
    then, or handed on to a task that lives. A wait for `faults_apart` ends with one that does less than that.
    """
    interrupts = _mutexes(system, process) + (process.faults_apart_ns is not None)
    tasks = len(process.tasks) + process.threads
    return costs.fault_ns + (tasks - 1) * costs.fault_task_ns + interrupts * costs.mutex_ns


def _mutexes(system: System, process: Process) -> int:
    """How many its tasks can hold, except those that it creates; with the call of a rendezvous that each may serve,
    which the kernel keeps as one."""
    own = set(process.tasks)
    having = processes.rights(system, process)
    serves = any(having.get(rendezvous.name, 0) & processes.USE for rendezvous in system.of(Rendezvous))
    served = len(process.tasks) + process.threads if serves else 0
    return served + sum(not own.isdisjoint(user.task for user in mutex.users) for mutex in system.of(Mutex))


@dataclass(frozen=True)
class Admission:
    """What admission at run time counts, ns; pairs: in fixed levels and in edf. `load`: longest execution and least
    distance of each source above all levels. `wait_ns`, `yield_ns`: of the budgets of threads."""

    load: tuple[tuple[int, int], ...]
    blocking_ns: int
    lock_ns: int
    release_ns: tuple[int, ...]
    complete_ns: tuple[int, ...]
    timer_ns: int
    wait_ns: int
    yield_ns: int


def admission(system: System, bands: Sequence[Band], overheads: Overheads | None, board: Board) -> Admission:
    """The same for every job: no less than takt.prove.analysis counts for any."""
    load = [*services.timer_load(system, overheads), *fault_load(system, overheads)]
    for item in system.interrupts:
        extra = overheads.interrupt_ns if overheads is not None and item.kernel else 0
        line_ns = processes.line_ns(system, overheads, item)
        load.append((item.wcet_ns + extra if line_ns is None else line_ns, item.min_interarrival_ns))
    view = created.in_proof(system)
    blocking_ns = sum(hold_ns(view, task.name) for task in view.tasks)
    release, complete, timer_ns = [0, 0], [0, 0], 0
    if overheads is not None:
        kinds = ("fixed", "edf")
        release = [overheads.release_ns.get(kind, 0) for kind in kinds]
        lockers = [task for mutex in view.of(Mutex) for task in mutex.lockers]
        locks = max(map(lockers.count, lockers), default=0)  # contended ones, of every task as many as of any
        complete = [
            (1 + locks) * overheads.job_ns(kind) + locks * overheads.release_ns[kind]
            if kind in overheads.complete_ns
            else 0
            for kind in kinds
        ]
        timer_ns = overheads.timer_ns
        if system.protection:
            enforced = [_enforced_ns(system, overheads) + overheads.complete_ns.get(kind, 0) for kind in kinds]
            complete = [ns and ns + more for ns, more in zip(complete, enforced, strict=True)]
            timer_ns += 2 * overheads.timer_ns + max(task.miss_wcet_ns for task in system.tasks)
    if system.protection:
        blocking_ns += expiries_ns(system, overheads)
    charged = [costs(system, bands, overheads, board, task) for task in system.tasks]
    return Admission(
        load=tuple(load),
        blocking_ns=blocking_ns,
        lock_ns=locked_ns(system, overheads),
        release_ns=tuple(release),
        complete_ns=tuple(complete),
        timer_ns=timer_ns,
        wait_ns=max(one.wait_ns for one in charged),
        yield_ns=max(one.yield_ns for one in charged),
    )


def _enforced_ns(system: System, overheads: Overheads) -> int:
    """What a budget that ends adds to a job: the section or call that is in progress, and acknowledging a line."""
    longest = max(longest_ns(system, overheads, task) for task in system.tasks)
    ack_ns = overheads.processes.ack_ns if overheads.processes is not None and system.interrupts else 0
    return max(longest, overheads.lock_ns + services.locked_ns(system)) + ack_ns
