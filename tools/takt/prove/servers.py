# SPDX-License-Identifier: Apache-2.0
"""A declaration with servers as the analysis takes it (docs/decisions/0029-servers.md): a sporadic task stands for each
server, with its name, and the tasks that it serves are background tasks, which they are without budget."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, replace

from takt.declare.schema.model import Overheads, Server, System, Task
from takt.declare.service_kinds.mutex import Mutex
from takt.prove import analysis_library as c
from takt.prove import budgets
from takt.support.c.kernel import SERVER_PARTS

USES_MAX = SERVER_PARTS + 1
"""Times at which a sporadic budget, which is in parts, may end in a period, or come back."""

KINDS = {"deferrable": 0, "polling": 1, "sporadic": 2}  # enum takt_analysis_server_kind


def in_proof(system: System) -> System:
    """The view; of a system without servers itself. Of the view itself."""
    if not system.servers or stands_in(system, system.servers[0].name):
        return system
    tasks = (_in_background(task) if system.server_of(task.name) else task for task in system.tasks)
    return replace(system, tasks=(*tasks, *map(_task, system.servers)))


def stands_in(system: System, name: str) -> Server | None:
    """In a view: the server that a task stands for."""
    if all(task.name != name for task in system.tasks):
        return None
    return next((server for server in system.servers if server.name == name), None)


def _task(server: Server) -> Task:
    return Task(
        server.name, server.budget_ns, min_interarrival_ns=server.period_ns, deadline_ns=server.deadline_ns, stack=0
    )


def _in_background(task: Task) -> Task:
    """Its holds are watched as those of a task with a budget."""
    return Task(task.name, 0, task.entry, task.style, stack=task.stack, on_budget="demote")


def longest_ns(view: System, overheads: Overheads | None, server: Server) -> int:
    """What may be executed when the budget ends: the rest of a section, or of a call."""
    kernel_ns = overheads.lock_ns if overheads else 0
    return max(kernel_ns, *(budgets.longest_ns(view, overheads, view.task(name)) for name in server.serves))


def wait_ns(overheads: Overheads, kind: str, quantum: bool) -> int:
    """The most that the kernel charges a server for one act of a served task: a wait that ends by its timeout."""
    return budgets.own_ns(overheads, kind, quantum) + overheads.release_ns[kind] + overheads.timer_ns


def execution_ns(view: System, overheads: Overheads | None, server: Server, kind: str, quantum: bool) -> int:
    """All that the server takes in a period at its level: the budget, what goes on when that or a part of it ends, the
    last act that is charged, the switch to it, and from it at the end."""
    end_ns = longest_ns(view, overheads, server)
    if overheads is not None:
        end_ns += budgets.own_ns(overheads, kind, quantum) + overheads.complete_ns[kind]
        end_ns += wait_ns(overheads, kind, quantum)
    return server.budget_ns + _ends(server) * end_ns


def _ends(server: Server) -> int:
    return USES_MAX if server.kind == "sporadic" else 1


def release_ns(overheads: Overheads | None, server: Server, kind: str) -> int:
    """Above all bands in a period: the interrupts in which the budget comes back and ends, each with the keys of all
    that is served, as they are measured; a section is watched."""
    if overheads is None:
        return 0
    interrupt_ns = overheads.release_ns[kind] + len(server.serves) * overheads.key_ns[kind]
    return _ends(server) * (2 * interrupt_ns + overheads.timer_ns)


def releases(system: System, overheads: Overheads | None, kind: str) -> Iterator[tuple[int, int, int]]:
    """Of each served sporadic task the load above all bands: execution, least distance, and how many come besides at
    once. `system` is the declaration, not the view."""
    for server in system.servers:
        for task in (system.task(name) for name in server.serves):
            each_ns = task.miss_wcet_ns
            if overheads is not None:
                each_ns += overheads.release_ns[kind]
                each_ns += overheads.timer_ns if task.on_miss in ("notify", "stop") else 0
            if task.min_interarrival_ns and each_ns:
                more = task.burst - 1 - (-task.jitter_ns // task.min_interarrival_ns)
                yield each_ns, task.min_interarrival_ns, more


def waited_for(system: System) -> Iterator[tuple[Server, int]]:
    """Servers with the numbers of mutexes for which their tasks wait, or that they hold under a ceiling without
    budget."""
    for number, mutex in enumerate(system.of(Mutex)):
        for server in system.servers:
            mine = set(server.serves).intersection(mutex.lockers)
            if mine and (mutex.protocol == "ceiling" or not mine.issuperset(mutex.lockers)):
                yield server, number


def load(server: Server, task: c.Task) -> None:
    """Makes a task stand for a server. One that takes more than its period is left as it is: it overloads."""
    c.load().takt_analysis_server_load(KINDS[server.kind], task)


_WHY = {
    c.UNBOUNDED: "its tasks want more than its budget, or that is not executed within a period",
    c.LIMIT: "the limit of iterations was reached",
    c.OVERFLOW: "it is longer than 2^63 ns",
}


@dataclass(frozen=True)
class Bounds:
    """Of a server: the bound of each sporadic task that it serves, or `why` there is none."""

    responses_ns: dict[str, int]
    why: str = ""


def unknown(system: System, server: Server) -> str:
    """Why nothing is known of the work of a server; empty: it is known."""
    for task in (system.task(name) for name in server.serves):
        if task.min_interarrival_ns is None:
            return f"{task.name} has no min_interarrival"
        if task.suspension_ns:
            return f"{task.name} waits (suspension)"
        used = next((mutex.name for mutex in system.of(Mutex) if task.name in mutex.lockers), None)
        if used is not None:
            return f"{task.name} locks {used}"
    return ""


def bounds(system: System, server: Server, of: c.Set, index: int, response_ns: int | None, charged_ns: int) -> Bounds:
    """`index` and `response_ns`: of the task that stands for it, with its jitter. `charged_ns`: to the budget, for each
    job besides its execution."""
    why = unknown(system, server)
    if why or response_ns is None:
        return Bounds({}, why or "its budget has no bound")
    tasks = [system.task(name) for name in server.serves]
    jobs = (c.Task * len(tasks))(*(_job(task, charged_ns) for task in tasks))
    shape = c.Server(server.budget_ns, response_ns, KINDS[server.kind], index, SERVER_PARTS)
    found = ctypes.c_uint64()
    status = c.load().takt_analysis_served(of, shape, jobs, len(jobs), found)
    if status != c.OK:
        return Bounds({}, _WHY[c.Status(status)])
    return Bounds({task.name: found.value + task.jitter_ns for task in tasks})


def _job(task: Task, charged_ns: int) -> c.Task:
    return c.Task(
        wcet_ns=task.wcet_ns + charged_ns,
        period_ns=task.min_interarrival_ns,
        deadline_ns=task.jitter_ns + 1,
        jitter_ns=task.jitter_ns,
        burst_more=task.burst - 1,
        distance_ns=task.burst_distance_ns,
    )
