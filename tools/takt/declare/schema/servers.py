# SPDX-License-Identifier: Apache-2.0
"""Servers of aperiodic work: the part of the schema, and its checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from takt.declare.schema.kinds import IDENTIFIER, NAME, POSITIVE_DURATION, Key, Table, choice, list_of
from takt.declare.schema.model import Server, System, Task
from takt.declare.schema.reader import Document, located
from takt.support.durations import show
from takt.support.errors import did_you_mean

KINDS = ("deferrable", "sporadic", "polling")

SERVER = Table(
    "server",
    "A server: the background and sporadic tasks that it serves execute together for at most `budget` in each `period`"
    " at the server's priority, and beyond that below all tasks with deadlines. Whatever they do, the other tasks meet"
    " no more than that. It is scheduled as a sporadic task of that wcet and minimum inter-arrival time, and `[[band]]`"
    " tables name it in place of the tasks that it serves. Served sporadic tasks have a deadline only if they declare"
    " one. Not with `protection`, `runtime_tasks`, the task manager or `cooperative`"
    " (docs/decisions/0029-servers.md).",
    (
        NAME,
        Key(
            "kind",
            choice(*KINDS),
            "When the budget comes back. `deferrable`: all of it at each multiple of the period; what is left is lost"
            " then. `polling`: the same, and what is left is lost as soon as no served task is ready. `sporadic`: what"
            " was used, one period after the time at which its use could begin.",
            required=True,
        ),
        Key("budget", POSITIVE_DURATION, "Execution per period, less than the period.", required=True),
        Key("period", POSITIVE_DURATION, "Time after which the budget comes back.", required=True),
        Key(
            "deadline",
            POSITIVE_DURATION,
            "Of the budget, from the time at which it is there and a served task is ready; no longer than the period."
            " It ranks the server as that of a task does.",
            default_text="the period",
        ),
        Key(
            "serves",
            list_of(IDENTIFIER),
            "The tasks: background tasks, and sporadic ones without `on_budget`; each of one server.",
            required=True,
        ),
    ),
)


def read(values: Sequence[dict[str, Any]]) -> tuple[Server, ...]:
    """The [[server]] tables."""
    return tuple(
        Server(
            name=one["name"],
            kind=one["kind"],
            budget_ns=one["budget"],
            period_ns=one["period"],
            deadline_ns=one["deadline"] or one["period"],
            serves=one["serves"],
        )
        for one in values
    )


def without_deadlines(document: Document, servers: Sequence[Server], tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The tasks; a sporadic one that is served has a deadline only if its table has one."""
    served = {name for server in servers for name in server.serves}
    undue = {raw.get("name") for raw in document.data.get("task", []) if "deadline" not in raw}
    return tuple(
        replace(task, deadline_ns=None) if task.name in served & undue and task.period_ns is None else task
        for task in tasks
    )


def check(document: Document, system: System) -> None:
    """UserError: a server that cannot be."""
    owner: dict[str, str] = {}
    for index, server in enumerate(system.servers):
        label = f'[[server]] "{server.name}"'
        if server.budget_ns >= server.period_ns:
            problem = f"budget {show(server.budget_ns)} is not shorter than its period {show(server.period_ns)}"
            document.fail(("server", index, "budget"), f"{label}: {problem}", "less than the period")
        if server.deadline_ns > server.period_ns:
            problem = f"{label}: deadline {show(server.deadline_ns)} is longer than its period {show(server.period_ns)}"
            document.fail(("server", index, "deadline"), problem, f'at most "{show(server.period_ns)}"')
        for number, name in enumerate(server.serves):
            _check_served(document, system, index, number)
            if name in owner:
                which = "twice" if owner[name] == server.name else f'"{owner[name]}" serves it already'
                which = f'serves "{name}" twice' if which == "twice" else f'serves "{name}": {which}'
                document.fail(("server", index, "serves", number), f"{label}: {which}", "one server for each task")
            owner[name] = server.name
        for item in system.objects:
            pinc: tuple[str, ...] = getattr(item, "pinc", ())  # of slots
            used = set(server.serves).intersection((*pinc, getattr(item, "owner", "")))
            if used and pinc:
                problem = (
                    f'{label}: serves "{min(used)}": its priority would go with the messages of slot "{item.name}"'
                )
                document.fail(("server", index, "serves"), problem, "no pinc, or a task that no server serves")
        if system.runtime_tasks:
            problem = f"{label}: is not possible with runtime_tasks: the admission test does not cover it"
            document.fail(("server", index), problem, "runtime_tasks = 0, or no server")


_LATE = ("on_miss", "miss_handler", "miss_wcet")  # of a job with a deadline


def _check_served(document: Document, system: System, index: int, number: int) -> None:
    server = system.servers[index]
    name, where = server.serves[number], ("server", index, "serves", number)
    label = f'[[server]] "{server.name}": serves "{name}"'
    tasks = {task.name: at for at, task in enumerate(system.tasks)}

    def fail(problem: str, hint: str) -> NoReturn:
        document.fail(where, f"{label}{problem}", hint)

    if name not in tasks:
        fail(": no such task", did_you_mean(name, tasks) or f'[[task]] with name = "{name}"')
    task = system.tasks[tasks[name]]
    if task.period_ns is not None:
        fail(", which is periodic: its deadline is to be proved", "a sporadic or a background task")
    raw = document.data["task"][tasks[name]]
    for key in ("on_budget", "budget"):
        if key in raw and raw[key] != "none":
            problem = f'[[task]] "{name}": {key}, but "{server.name}" serves it, whose budget limits it'
            document.fail(("task", tasks[name], key), problem, f"remove {key}")
    for key in _LATE if task.deadline_ns is None else ():
        if key in raw:
            problem = f'[[task]] "{name}": {key} requires a deadline, which a served task has only if it is declared'
            document.fail(("task", tasks[name], key), problem, f"a deadline, or remove {key}")


def refuse_protection(system: System) -> None:
    """UserError: processes have no servers."""
    if system.protection and system.servers:
        name = system.servers[0].name
        problem = f'[[server]] "{name}": is not possible with protection'
        raise located(system, name, problem, "protection = false, or no server")


def refuse_engine(system: System) -> None:
    """UserError: the driver of the task manager was not tested with servers."""
    if system.servers:
        name = system.servers[0].name
        problem = f'[[server]] "{name}": is not possible with engine rtm'
        raise located(system, name, problem, "--engine software")
