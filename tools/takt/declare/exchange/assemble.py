# SPDX-License-Identifier: Apache-2.0
"""From what a reader found to a declaration: names that C takes, bands from priorities, mutexes, servers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from takt.declare.exchange.model import Found, Job, Source, quoted
from takt.declare.schema import boards, c_names
from takt.declare.schema.kinds import IDENTIFIER
from takt.declare.schema.model import Band, Interrupt, Server, System, Task
from takt.declare.service_kinds.mutex import LOCKS_MAX, Hold, Mutex
from takt.declare.tables import BURST_MAX
from takt.support.c.kernel import LEVELS_MAX
from takt.support.errors import UserError

NAME_MAX = 63
NON_PREEMPTIVE = "not_preempted"
"""The mutex that jobs which are not preempted hold as a whole."""


@dataclass
class Names:
    """Identifiers of C for the names of a file, each once. `renamed`: those that are not the file's."""

    used: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)

    def of(self, name: str, in_c: bool = False) -> str:
        """A free identifier, the name itself where that is one. `in_c`: an object of this name is in C."""
        wanted = re.sub(r"[^A-Za-z0-9_]+", "_", name, flags=re.ASCII).strip("_")[:NAME_MAX] or "task"
        wanted = wanted if wanted[0].isalpha() else f"t_{wanted}"[:NAME_MAX]
        found, number = wanted, 1
        while found in self.used or not _usable(found, in_c):
            found = f"{wanted[: NAME_MAX - 1 - len(str(number))]}_{number}"
            number += 1
        self.used.add(found)
        if found != name:
            self.renamed[name] = found
        return found


def _usable(name: str, in_c: bool) -> bool:
    try:
        IDENTIFIER.read(name)
    except UserError:
        return False
    return not in_c or c_names.taken(name) is None


def assemble(source: Source, found: Found, board: str, name: str) -> tuple[System, dict[str, str]]:
    """The declaration, and the names that were changed. UserError: the file describes none."""
    _refuse(source, found)
    names = Names()
    task_names = {job.name: names.of(job.name) for job in found.jobs}
    tasks = tuple(_task(job, task_names[job.name]) for job in found.jobs)
    served = {server.serves: server for server in found.servers}
    server_names = {server.name: names.of(server.name) for server in found.servers}
    servers = tuple(
        Server(
            name=server_names[one.name],
            kind=one.kind,
            budget_ns=one.budget_ns,
            period_ns=one.period_ns,
            deadline_ns=one.deadline_ns or one.period_ns,
            serves=(task_names[one.serves],),
        )
        for one in found.servers
    )
    ranks = [
        *((task_names[job.name], job.priority, job.by_deadline) for job in found.jobs if _ranked(job, served)),
        *((server_names[one.name], one.priority, one.by_deadline) for one in found.servers),
    ]
    bands = _bands(source, found, ranks)
    resource_names = {one.name: names.of(one.name, in_c=True) for one in found.resources}
    lock = _whole_jobs(found, task_names, bands, names)
    mutexes = [_mutex(found, index, task_names, resource_names, lock) for index in range(len(found.resources))]
    system = System(
        path=source.path,
        name=name,
        board=board,
        scheduler="bands" if bands else "auto",
        tasks=tasks,
        bands=bands,
        servers=servers,
        interrupts=tuple(_interrupts(source, found, board, names)),
        objects=(*mutexes, *([lock] if lock else [])),
    )
    return system, names.renamed


def _ranked(job: Job, served: Iterable[str]) -> bool:
    background = job.period_ns is None and job.min_interarrival_ns is None
    return job.name not in served and not background


def _refuse(source: Source, found: Found) -> None:
    if not found.jobs:
        source.fail(0, "no task that could be declared", "a file with at least one task")
    source.limit(len(found.jobs), found.jobs[-1].line)
    things: tuple[tuple[str, Sequence[object]], ...] = (
        ("task", found.jobs),
        ("resource", found.resources),
        ("server", found.servers),
    )
    for kind, items in things:
        lines: dict[str, int] = {}
        for item in items:
            name, line = str(getattr(item, "name")), int(getattr(item, "line"))  # noqa: B009 (three classes)
            if name in lines:
                source.fail(line, f"{kind} {quoted(name)} is there twice, first in line {lines[name]}", "another name")
            lines[name] = line
    for job in found.jobs:
        if job.burst > BURST_MAX:
            source.fail(
                job.line, f"task {quoted(job.name)}: a burst of {job.burst}; at most {BURST_MAX}", "a smaller burst"
            )


def _task(job: Job, name: str) -> Task:
    return Task(
        name=name,
        wcet_ns=job.wcet_ns,
        period_ns=job.period_ns,
        min_interarrival_ns=job.min_interarrival_ns,
        deadline_ns=job.deadline_ns,
        offset_ns=job.offset_ns or None,
        jitter_ns=job.jitter_ns,
        suspension_ns=job.suspension_ns,
        waits=job.waits,
        burst=job.burst,
        burst_distance_ns=job.burst_distance_ns,
    )


def _bands(source: Source, found: Found, ranks: Sequence[tuple[str, Fraction | None, bool]]) -> tuple[Band, ...]:
    """The bands that the priorities describe; none: no task has one."""
    given = [rank for rank in ranks if rank[1] is not None]
    if not given:
        return ()
    if len(given) < len(ranks):
        name = next(name for name, priority, _ in ranks if priority is None)
        source.fail(0, f"{quoted(name)} has no priority, but others have", "a priority for each, or for none")
    levels: dict[tuple[Fraction, bool], list[str]] = {}
    for name, priority, by_deadline in given:
        levels.setdefault((priority or Fraction(0), by_deadline), []).append(name)
    if len(levels) > LEVELS_MAX - 1:
        source.fail(0, f"{len(levels)} priorities; the kernel has at most {LEVELS_MAX - 1}", "equal ones")
    bands: list[Band] = []
    for (_, by_deadline), members in sorted(levels.items(), key=lambda item: -item[0][0]):
        if by_deadline:
            bands.append(Band("edf", (tuple(members),)))
        elif bands and bands[-1].kind == "fixed":
            bands[-1] = replace(bands[-1], groups=(*bands[-1].groups, tuple(members)))
        else:
            bands.append(Band("fixed", (tuple(members),), found.quantum_ns or None))
    return tuple(bands)


def _mutex(found: Found, index: int, tasks: dict[str, str], resources: dict[str, str], lock: Mutex | None) -> Mutex:
    one = found.resources[index]
    whole = set() if lock is None else {job.name for job in found.jobs if not job.preemptive}
    users = []
    for use in one.users:
        within = tuple(resources[name] for name in use.within)
        within += (lock.name,) if lock is not None and use.task in whole else ()
        locks = use.locks if use.locks is not None and use.locks <= LOCKS_MAX else None
        users.append(Hold(tasks[use.task], use.hold_ns, within, locks))
    return Mutex(resources[one.name], tuple(users), one.protocol)


def _whole_jobs(found: Found, tasks: dict[str, str], bands: Sequence[Band], names: Names) -> Mutex | None:
    """A mutex whose ceiling is above every task, which jobs that are not preempted hold from beginning to end."""
    whole = [job for job in found.jobs if not job.preemptive]
    if not whole:
        return None
    ruled = [job for job in found.jobs if job.period_ns is not None or job.min_interarrival_ns is not None]
    if bands and bands[0].kind == "fixed":
        tops = [job for job in ruled if tasks[job.name] in bands[0].groups[0]]
    else:
        first = [job for job in ruled if not bands or tasks[job.name] in bands[0].tasks]
        tops = [min(first, key=lambda job: job.deadline_ns or 0)] if first else []
    users = [Hold(tasks[job.name], job.wcet_ns, (), 1) for job in whole]
    users += [Hold(tasks[job.name], 0) for job in tops if job.preemptive]
    found.note(f"jobs that are not preempted hold the mutex {NON_PREEMPTIVE} from beginning to end")
    return Mutex(names.of(NON_PREEMPTIVE, in_c=True), tuple(users), "ceiling")


def _interrupts(source: Source, found: Found, board: str, names: Names) -> Iterable[Interrupt]:
    has = boards.load(board)
    free = [number for number in range(has.interrupts) if number not in has.interrupts_taken]
    if len(found.devices) > len(free):
        line = found.devices[len(free)].line
        source.fail(line, f"{len(found.devices)} interrupts; {board} has {len(free)}", "fewer, or --board host")
    for number, one in zip(free, found.devices, strict=False):
        yield Interrupt(names.of(one.name), number, one.min_interarrival_ns, one.wcet_ns)
