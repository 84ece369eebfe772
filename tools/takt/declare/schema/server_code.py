# SPDX-License-Identifier: Apache-2.0
"""C of servers: kernel/include/takt/server.h."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from takt.declare.schema.levels import Level
from takt.declare.schema.model import System, Task
from takt.declare.schema.service import u64


def limited(system: System, task: Task) -> bool:
    """Whether a task has a struct takt_budget."""
    return task.on_budget != "none" or system.server_of(task.name) is not None


def definitions(system: System) -> Iterator[str]:
    """The servers, and the tasks of each."""
    index = {task.name: number for number, task in enumerate(system.tasks)}
    for server in system.servers:
        tasks = ", ".join(f"&takt_tasks[{number}]" for number in sorted(index[name] for name in server.serves))
        yield f"static struct takt_task *const takti_served_{server.name}[] = {{{tasks}}};"
    if system.servers:
        yield f"static struct takt_server takti_servers[{len(system.servers)}] = {{"
        for server in system.servers:
            times = {"budget": server.budget_ns, "period": server.period_ns, "deadline": server.deadline_ns}
            fields = [f".{name}_ns = {u64(value)}" for name, value in times.items()]
            fields += [f".tasks = takti_served_{server.name}", f".task_count = {len(server.serves)}"]
            yield f"    {{{', '.join([*fields, f'.kind = TAKT_SERVER_{server.kind.upper()}'])}}},"
        yield "};"


def policy(system: System, task: Task) -> Iterator[str]:
    """Fields of the budget of a task."""
    server = system.server_of(task.name)
    yield f".policy = TAKT_BUDGET_{task.on_budget.upper() if server is None else 'SERVER'}"
    if server is not None:
        yield f".server = {{&takti_servers[{system.servers.index(server)}]}}"


def fields(system: System) -> Iterator[str]:
    """Of the table of the system."""
    if system.servers:
        yield f"    .servers = {{takti_servers}},\n    .server_count = {{{len(system.servers)}}},"


def with_served(system: System, levels: Sequence[Level]) -> dict[str, int]:
    """The level of each task by its name: of a served one, that of its server."""
    found = {name: number for number, level in enumerate(levels) for name in level.tasks}
    return found | {name: found[server.name] for server in system.servers for name in server.serves}


def deadline(task: Task) -> str:
    """Of the configuration of a task: a job of a served one may have none that is declared."""
    if task.deadline_ns is None and task.separation_ns is not None:
        return "TAKT_FOREVER / 2"
    return u64(task.deadline_ns or 0)
