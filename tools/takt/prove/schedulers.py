# SPDX-License-Identifier: Apache-2.0
"""From a scheduler's name to bands: rm, dm, edf, cooperative, and explicit bands. Searches: takt.prove.choose.

csdN cuts the deadline-ordered list into N - 1 edf bands and a fixed one.
"""

from __future__ import annotations

import re
from itertools import pairwise

from takt.declare import services
from takt.declare.schema.model import Band, System, Task
from takt.declare.schema.reader import located
from takt.declare.service_kinds.watchdog import Watchdog
from takt.declare.tables import CSD
from takt.prove import servers
from takt.support.errors import UserError
from takt.support.files import shown_path


def by_deadline(system: System) -> list[Task]:
    """Tasks with a deadline and those that stand for servers, shortest first; ties in declaration order."""
    return sorted(_released(system), key=lambda task: task.deadline_ns or 0)


def by_period(system: System) -> list[Task]:
    """The same by period or minimum inter-arrival."""
    return sorted(_released(system), key=lambda task: task.separation_ns or 0)


def _released(system: System) -> list[Task]:
    return [task for task in servers.in_proof(system).tasks if task.separation_ns is not None]


def fixed_bands(tasks: list[Task]) -> list[Band]:
    """One fixed band in this order; none without tasks."""
    return [Band("fixed", tuple((task.name,) for task in tasks))] if tasks else []


def edf_bands(system: System, tasks: list[Task]) -> list[Band]:
    """One edf band; none without tasks."""
    chosen = {task.name for task in tasks}
    names = tuple(name for name in system.names if name in chosen)
    return [Band("edf", (names,))] if names else []


def with_background(system: System, bands: list[Band]) -> tuple[Band, ...]:
    """Background tasks that no band names: one more fixed band at the end, all of them equals, in turns if declared."""
    listed = {name for band in bands for name in band.tasks}
    free = (task.name for task in system.tasks if system.server_of(task.name) is None)
    rest = tuple(name for name in free if name not in listed)
    return (*bands, Band("fixed", (rest,), system.quantum_ns)) if rest else tuple(bands)


def csd_bands(system: System, cuts: tuple[int, ...]) -> tuple[Band, ...]:
    """Edf bands of the deadline-ordered tasks [0, cuts[0]), [cuts[0], cuts[1]) ..., the rest in a fixed band."""
    tasks = by_deadline(system)
    edges = [0, *cuts]
    upper = [band for low, high in pairwise(edges) for band in edf_bands(system, tasks[low:high])]
    return with_background(system, upper + fixed_bands(tasks[edges[-1] :]))


def plain_bands(system: System, name: str) -> tuple[Band, ...] | None:
    """Bands of a scheduler that leaves nothing to choose; None for csdN, csd and auto."""
    if name == "bands":
        return with_background(system, list(system.bands))
    if name == "rm":
        return with_background(system, fixed_bands(by_period(system)))
    if name in ("dm", "cooperative"):
        return with_background(system, fixed_bands(by_deadline(system)))
    if name == "edf":
        return with_background(system, edf_bands(system, by_deadline(system)))
    return None


def check_cooperative(system: System) -> None:
    """UserError: the system cannot be cooperative, as jobs block or never end."""
    if system.quantum_ns is not None:
        problem = "[system]: quantum ends the turn of a task, but cooperative jobs run to their end"
        raise UserError(f"{shown_path(system.path)}: {problem}", "remove it, or another scheduler")
    for server in system.servers:
        problem = f'[[server]] "{server.name}": a server preempts what it serves, but cooperative jobs run to their end'
        raise located(system, server.name, problem, "another scheduler")
    for task in system.tasks:
        if task.style == "loop":
            _refuse_cooperative(system, task.name, f'[[task]] "{task.name}" has style = "loop"', 'style = "entry"')
        if task.suspension_ns:
            _refuse_cooperative(system, task.name, f'[[task]] "{task.name}" waits (suspension)', "remove it")
        if task.on_budget != "none":
            problem = f'[[task]] "{task.name}" has on_budget = "{task.on_budget}"'
            _refuse_cooperative(system, task.name, problem, "remove it")
        if task.separation_ns is None and task.wcet_ns == 0:
            problem = f'background [[task]] "{task.name}" has no wcet'
            _refuse_cooperative(
                system, task.name, problem, "declare a wcet: the longest time that it runs without yielding"
            )
    for kind, name, hint in services.blocking(system):
        _refuse_cooperative(system, name, f'[[{kind}]] "{name}" blocks', hint)


def _refuse_cooperative(system: System, name: str, problem: str, hint: str) -> None:
    problem = f"{problem}, but cooperative jobs run to their end and never block"
    raise located(system, name, problem, f"{hint}, or another scheduler")


def known(name: str) -> bool:
    """Whether `name` is a scheduler's name."""
    return name in ("auto", "rm", "dm", "edf", "csd", "cooperative", "bands") or csd_number(name) is not None


def csd_number(name: str) -> int | None:
    """N of csdN."""
    match = re.fullmatch(CSD, name)
    return int(match[1]) if match else None


def started_anew(system: System) -> set[str]:
    """Tasks that may be started anew while the system runs, by a restart of their process or by a watchdog."""
    restarted = {item.task for item in system.of(Watchdog) if item.action == "restart"}
    for process in system.processes:
        again = system.protection and process.on_fault == "restart"
        restarted.update(process.tasks if again or process in system.managed else ())
    return restarted


def transactions(system: System) -> list[list[str]]:
    """Tasks of one period whose distances the proof uses, as declared: their offsets.

    Not tasks that may be started anew.
    """
    if not system.offsets:
        return []
    restarted = started_anew(system)
    groups: dict[int, list[str]] = {}
    for task in system.tasks:
        if task.period_ns is not None and task.name not in restarted:
            groups.setdefault(task.period_ns, []).append(task.name)
    return [names for names in groups.values() if len(names) > 1]
