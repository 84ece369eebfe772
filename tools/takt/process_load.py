# SPDX-License-Identifier: Apache-2.0
"""What faults of processes take from all others in a proof. docs/overheads.md, The use."""

from __future__ import annotations

from takt import processes
from takt.durations import MAX_NS
from takt.model import Overheads, Process, ProcessCosts, System

STEP_NS = 1_000_000
PIECE = 1024
"""Between the pieces of an end and a new start, and bytes of memory in one: kernel/process/restart.c."""

RESTART_PIECES = 4
"""Beside those of its memory a restart has at least: a task ends, objects are as at the start, what it left broken is
mended, a task starts."""


def fault_load(system: System, overheads: Overheads | None) -> list[tuple[int, int]]:
    """What faults of processes take from all others: longest execution and least distance of each source, ns.

    Pieces, which all processes share; and each process, whatever others do meanwhile, any number at one instant.
    """
    if not system.protection or overheads is None or overheads.processes is None:
        return []
    costs = overheads.processes
    load = [(costs.piece_ns, STEP_NS)]
    load += [(_fault_ns(system, process, costs), faults_apart_ns(system, process)) for process in system.processes]
    attaches = any(process.devices for process in system.processes) or any(shared.attach for shared in system.shared)
    if attaches and costs.regions_ns > costs.piece_ns:  # the piece after it comes in 1 ms, that before it 2 ms earlier
        load.append((costs.regions_ns - costs.piece_ns, 2 * STEP_NS))
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


def faults_apart_ns(system: System, process: Process) -> int:
    """From a fault of the process to its next, at least: what its restart takes, or the kernel waits for."""
    if process.on_fault != "restart" or process.restarts_max == 0:
        return MAX_NS  # there is no next
    memory = sum(system.task(name).stack for name in process.tasks) + process.memory
    return max(process.faults_apart_ns or 0, (RESTART_PIECES + max(-(-memory // PIECE), 1)) * STEP_NS)


def _mutexes(system: System, process: Process) -> int:
    """How many its tasks can hold, but for those that it creates; with the call of a rendezvous that each may serve,
    which the kernel keeps as one."""
    own = set(process.tasks)
    having = processes.rights(system, process)
    serves = any(rendezvous.name in having for rendezvous in system.rendezvous)
    served = len(process.tasks) + process.threads if serves else 0
    return served + sum(not own.isdisjoint(user.task for user in mutex.users) for mutex in system.mutexes)
