# SPDX-License-Identifier: Apache-2.0
"""A declaration as the analysis takes it (docs/decisions/0030-created-mutexes.md): mutexes that processes create are
mutexes of all tasks of the process, if their longest section is declared, and its threads are background tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from takt.declare import quotas
from takt.declare.schema.model import Process, System, Task
from takt.declare.service_kinds.mutex import Mutex, created_mutexes, thread_names


def in_proof(system: System) -> System:
    """The view; of a system without such mutexes itself. Of the view itself."""
    mutexes = tuple(created_mutexes(system))
    if not mutexes:
        return system
    view = system.having(Mutex, (*system.of(Mutex), *mutexes))
    threads = (_thread(system, process, name) for process in system.processes for name in thread_names(process))
    return replace(view, tasks=(*system.tasks, *threads), processes=tuple(map(_without, system.processes)))


def watched(system: System) -> Iterator[tuple[Process, Task]]:
    """Processes whose threads are stopped in sections that are longer, each with one that stands for all of them."""
    for process in system.processes:
        if system.protection and process.budgets and thread_names(process):
            yield process, _thread(system, process, thread_names(process)[0])


def budgets(system: System, fields: Callable[[Task], Iterable[str]]) -> Iterator[str]:
    """C of what is watched of them; `fields`: of the budget of a task."""
    for process, one in watched(system):
        name = quotas.thread_budget(process)
        yield f"extern const struct takt_budget {name};"
        yield f"const struct takt_budget {name} = {{{', '.join(fields(one))}}};"


def sections(system: System) -> int:
    """How many may have to end while a task or thread waits in them."""
    threads = sum(process.threads for process, _ in watched(system))
    return threads + sum(task.enforced for task in system.tasks) if system.protection else 0


def _thread(system: System, process: Process, name: str) -> Task:
    on_budget = "stop" if system.protection and process.budgets else "none"
    return Task(name, 0, style="loop", stack=0, on_budget=on_budget)


def _without(process: Process) -> Process:
    if process.mutex_hold_ns is None:
        return process
    return replace(process, mutexes=0, mutex_hold_ns=None, threads=0)
