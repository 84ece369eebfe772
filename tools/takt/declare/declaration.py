# SPDX-License-Identifier: Apache-2.0
"""Reads system.toml into model.System: the schema's checks, then those between tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from takt.declare import channels as declared
from takt.declare import memory_need, missed, processes, services, symbols
from takt.declare import tables as schema
from takt.declare.buses import controllers, driven
from takt.declare.buses import read as buses
from takt.declare.chains import read as chains
from takt.declare.code import table as build_table
from takt.declare.code import thread_locals
from takt.declare.console import table as console_table
from takt.declare.schema import boards, levels, reader, servers
from takt.declare.schema.kinds import Table
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Band, Interrupt, System, Task
from takt.declare.schema.reader import Document
from takt.declare.service_kinds import state_copies
from takt.support.durations import show
from takt.support.errors import UserError, closest, did_you_mean
from takt.support.files import fault_of
from takt.support.names import shown
from takt.support.provision import ROOT

DEFAULT_APPLICATION = ROOT / "apps" / "flight"
FILE_NAME = "system.toml"


def find(application: str | None) -> Path:
    """The system.toml of APP: a folder that holds one, or such a file; None: the flight program."""
    path = Path(application) if application is not None else DEFAULT_APPLICATION
    if path.is_dir():
        path = path / FILE_NAME
        if not path.exists():
            name = shown(str(path.parent))
            if path.is_symlink():
                raise UserError(f"{name}: its {FILE_NAME} {fault_of(path)}", "a file of that name")
            raise UserError(f"{name} holds no {FILE_NAME}", f"takt new {name}/first, or name the folder that has one")
    if not path.exists():
        raise UserError(f"{shown(str(path))} {fault_of(path)}", f"a folder with a {FILE_NAME}, or such a file")
    return path


def load(path: Path, protection: bool | None = None) -> System:
    """The declaration, validated. `metadata["line OBJECT"]` is the line of each named object. Raises UserError.

    `protection`: instead of the declared one.
    """
    document = reader.load(path)
    console = console_table.expand(document)
    if "can" in document.data:
        driven.expand(document)
    tables = read_tables(document)
    if tables["node"] or tables["channel"]:
        declared.plant(document, tables)
    system = _system(document, tables)
    for check in _CHECKS:
        check(document, system)
    system = processes.protect(system, protection)
    servers.refuse_protection(system)
    bands = tuple(_edf_in_one_group(band, system) for band in system.bands)
    system = replace(system, bands=bands, console=console, thread_local=thread_locals.read(system))
    return _on_board(state_copies.settle(system, {}))


def _edf_in_one_group(band: Band, system: System) -> Band:
    """Sorts the tasks of edf bands by declaration: the order in the list has no effect."""
    if band.kind == "fixed":
        return band
    return Band("edf", (tuple(name for name in system.names if name in band.tasks),))


def read_tables(document: Document) -> dict[str, Any]:
    """Checked values by table name: a dictionary for [system], a list of them for each of the others."""
    names = {table.name: table for table in schema.TABLES}
    for name in document.data:
        if name not in names:
            document.fail((name,), f'unknown table or key "{name}"', did_you_mean(name, names))
    return {name: _read_one(document, table) for name, table in names.items()}


def _read_one(document: Document, table: Table) -> Any:
    if not table.many:
        return reader.read_table(document, table, document.data.get(table.name, {}), (table.name,))
    raw = document.data.get(table.name, [])
    if not isinstance(raw, list):
        document.fail(
            (table.name,), f"[{table.name}]: expected an array of tables", f"{table.header}, with two brackets"
        )
    return [reader.read_table(document, table, element, (table.name, index)) for index, element in enumerate(raw)]


def _system(document: Document, tables: dict[str, Any]) -> System:
    head = tables["system"]
    folder = document.path.resolve().parent
    tasks = tuple(_task(document, values, ("task", index)) for index, values in enumerate(tables["task"]))
    served_by = servers.read(tables["server"])
    sources = build_table.sources(document, folder, tables)
    return System(
        path=document.path,
        name=head["name"] or shown(folder.name),
        board=head["board"],
        scheduler=head["scheduler"] or ("bands" if tables["band"] else "auto"),
        tasks=servers.without_deadlines(document, served_by, tasks),
        bands=tuple(Band(values["kind"], values["tasks"], values["quantum"]) for values in tables["band"]),
        servers=served_by,
        interrupts=tuple(_interrupt(values) for values in tables["interrupt"]),
        console=None,
        thread_local=False,
        node="",
        **services.read(document, tables),
        engine=boards.SOFTWARE,
        preset=head["preset"],
        duration_ns=head["duration"],
        runtime_tasks=head["runtime_tasks"],
        offsets=head["offsets"],
        quantum_ns=head["quantum"],
        sources=sources,
        build=build_table.read(document, tables["build"]),
        plant=build_table.plant(document, folder, head["plant"]),
        **processes.read(document, tables, sources),
        **(buses.read(document, tables) if tables["can"] or tables["message"] else {}),
        **(chains.read(document, tables["chain"]) if tables["chain"] else {}),
        protection=head["protection"],
        heap=head["heap"],
        metadata=_lines(document),
    )


def _task(document: Document, values: dict[str, Any], where: Where) -> Task:
    label = f'[[task]] "{values["name"]}"'
    if values["period"] is not None and values["min_interarrival"] is not None:
        document.fail(
            (*where, "min_interarrival"), f"{label}: period and min_interarrival exclude each other", "keep one"
        )
    separation = values["period"] if values["period"] is not None else values["min_interarrival"]
    raw = document.data["task"][where[1]]
    if separation is None:
        _refuse_keys(document, label, where, raw, _OF_JOBS)
    elif values["wcet"] is None:
        document.fail(where, f'{label}: "wcet" is missing', 'the longest execution of a job, such as wcet = "1.2 ms"')
    elif values["wcet"] == 0:
        document.fail(
            (*where, "wcet"),
            f"{label}: wcet = {reader.show_value(raw['wcet'])}: must be longer than zero",
            'at least "1 ns"',
        )
    if values["period"] is not None:
        _refuse_keys(document, label, where, raw, ("trigger", "pending_max", "burst"))
    if values["min_interarrival"] is not None:
        _refuse_keys(document, label, where, raw, ("offset",))
    if values["burst"] == 1:
        _refuse_keys(document, label, where, raw, ("burst_distance",))
    if not values["suspension"]:
        _refuse_keys(document, label, where, raw, ("waits",))
    if values["on_budget"] == "none":
        _refuse_keys(document, label, where, raw, ("budget",))
    if values["style"] == "loop" and values["entry"] is None:
        document.fail(
            (*where, "style"), f'{label}: style = "loop" needs an entry', 'entry = "NAME", or leave style out'
        )
    deadline = values["deadline"] if values["deadline"] is not None else separation
    task = Task(
        name=values["name"],
        wcet_ns=values["wcet"] or 0,
        entry=values["entry"],
        style=values["style"],
        period_ns=values["period"],
        min_interarrival_ns=values["min_interarrival"],
        burst=values["burst"],
        burst_distance_ns=values["burst_distance"],
        deadline_ns=deadline,
        offset_ns=values["offset"],
        jitter_ns=values["jitter"],
        suspension_ns=values["suspension"],
        waits=(values["waits"] or 1) if values["suspension"] else 0,
        on_miss=values["on_miss"],
        miss_handler=values["miss_handler"],
        miss_wcet_ns=values["miss_wcet"],
        trigger=values["trigger"],
        pending_max=values["pending_max"] or 0,
        stack=values["stack"],
        no_heap=values["no_heap"],
        on_budget=values["on_budget"],
        budget_ns=None if values["on_budget"] == "none" else values["budget"] or values["wcet"],
    )
    return replace(task, pending_max=max(1, task.behind)) if values["pending_max"] is None else task


_OF_JOBS = (
    *("deadline", "offset", "jitter", "suspension", "waits"),
    *("on_miss", "miss_handler", "miss_wcet", "trigger", "pending_max", "on_budget", "budget", "burst"),
    "burst_distance",
)

_NEEDS = {
    "budget": "on_budget",
    "burst": "min_interarrival",
    "burst_distance": "burst",
    "deadline": "a period or min_interarrival",
    "jitter": "a period or min_interarrival",
    "on_budget": "a period or min_interarrival",
    **dict.fromkeys(("on_miss", "miss_handler", "miss_wcet"), "a deadline"),
    "offset": "a period",
    "suspension": "a period or min_interarrival",
    "waits": "suspension",
    "trigger": "min_interarrival",
    "pending_max": "min_interarrival",
}


def _refuse_keys(document: Document, label: str, where: Where, raw: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if name in raw:
            needs = _NEEDS[name]
            document.fail((*where, name), f"{label}: {name} requires {needs}", f"add {needs}, or remove {name}")


def _interrupt(values: dict[str, Any]) -> Interrupt:
    return Interrupt(
        name=values["name"],
        number=values["number"],
        min_interarrival_ns=values["min_interarrival"],
        wcet_ns=values["wcet"],
        kernel=values["kernel"],
        handler=values["handler"],
        process=values["process"],
        deadline_ns=values["deadline"],
        stack=values["stack"],
        every_ns=values["every"],
    )


_APART = ("process", "node", "channel")  # which may be called as a task


def _lines(document: Document) -> dict[str, str]:
    """The lines that later messages name: of each named object, and of [system] scheduler."""
    lines: dict[str, str] = {}
    for table in schema.TABLES:
        for index, raw in enumerate(document.data.get(table.name, []) if table.many else []):
            if "name" in raw and table.name not in _APART:
                lines[f"line {raw['name']}"] = str(document.lines.get((table.name, index), ""))
    there = (key for key in ("scheduler", "protection") if ("system", key) in document.lines)
    return lines | {f"line {key}": str(document.lines[("system", key)]) for key in there}


# Checks between tables. Each takes the document, for lines, and the system.


def _check_board(document: Document, system: System) -> None:
    known = boards.names()
    if system.board not in known:
        document.fail(
            ("system", "board"), f'[system]: board = "{system.board}": no such board', closest(system.board, known)
        )


def _check_some_task(document: Document, system: System) -> None:
    if not system.tasks:
        wanted = '[[task]] with name = "control", period = "20 ms", wcet = "1 ms"'
        document.fail(
            (), "no [[task]]", "takt reflect admit: it has channels" if "channel" in document.data else wanted
        )


def _objects(system: System) -> Iterator[tuple[str, int, str]]:
    yield from (("task", index, task.name) for index, task in enumerate(system.tasks))
    yield from (("server", index, server.name) for index, server in enumerate(system.servers))
    yield from (("interrupt", index, item.name) for index, item in enumerate(system.interrupts))
    yield from ((service.kind, index, item.name) for service, index, item in services.objects(system))
    yield from (("shared", index, item.name) for index, item in enumerate(system.shared))
    yield from (("device", index, item.name) for index, item in enumerate(system.devices))
    yield from (("can", index, item.name) for index, item in enumerate(system.buses))
    yield from (("message", index, item.name) for index, item in enumerate(system.messages))
    yield from (("chain", index, item.name) for index, item in enumerate(system.chains))


def _check_unique_names(document: Document, system: System) -> None:
    seen: dict[str, str] = {}
    for kind, index, name in _objects(system):
        if name in seen:
            document.fail(
                (kind, index, "name"), f'[[{kind}]] "{name}": the name is taken by a {seen[name]}', f'"{name}_{kind}"'
            )
        seen[name] = kind


def _check_tasks(document: Document, system: System) -> None:
    for index, task in enumerate(system.tasks):
        where: Where = ("task", index)
        label = f'[[task]] "{task.name}"'
        separation, deadline = task.separation_ns, task.deadline_ns
        if separation is None or deadline is None:
            continue
        if task.burst > 1:
            _check_burst(document, system, task, where)
        elif deadline > separation:
            _check_long_deadline(document, system, task, where)
        if task.suspension_ns:
            _check_suspension(document, system, task, where)
        if task.budget_ns is not None and task.budget_ns < task.wcet_ns:
            problem = f"budget {show(task.budget_ns)} is shorter than the wcet {show(task.wcet_ns)}"
            document.fail((*where, "budget"), f"{label}: {problem}", "leave it out: the wcet")
        if task.jitter_ns and system.runtime_tasks:
            problem = "jitter is not possible with runtime_tasks: the admission test does not cover it"
            document.fail((*where, "jitter"), f"{label}: {problem}", "a deadline shorter by it, or runtime_tasks = 0")
        if task.budget_ns is not None and system.runtime_tasks and not system.protection:
            problem = "on_budget is not possible with runtime_tasks: the admission test does not cover budgets"
            document.fail((*where, "on_budget"), f"{label}: {problem}", "one of them")


def _check_burst(document: Document, system: System, task: Task, where: Where) -> None:
    label = f'[[task]] "{task.name}": burst = {task.burst}'
    apart = task.min_interarrival_ns or 1
    if task.burst_distance_ns > apart:
        problem = f"burst_distance {show(task.burst_distance_ns)} is longer than min_interarrival {show(apart)}"
        document.fail((*where, "burst_distance"), f"{label}: {problem}", f'at most "{show(apart)}"')
    if task.on_miss == "skip":
        problem = "policy skip would drop the releases of a burst behind a job that is in time"
        document.fail((*where, "on_miss"), f"{label}: {problem}", 'on_miss = "continue"')
    if system.runtime_tasks:
        problem = "is not possible with runtime_tasks: the admission test does not cover it"
        document.fail((*where, "burst"), f"{label} {problem}", "burst = 1, or runtime_tasks = 0")
    if task.entry is None and task.trigger is None and system.protection:
        problem = "is not possible for a synthetic load with protection: it releases itself"
        document.fail((*where, "burst"), f"{label} {problem}", "an entry, or a trigger")
    if task.behind > schema.PENDING_MAX:
        problem = f"{task.behind} releases may come behind a job that is in time; at most {schema.PENDING_MAX} can wait"
        document.fail((*where, "burst"), f"{label}: {problem}", "a smaller burst, or a shorter deadline")
    if task.pending_max < task.behind:
        problem = f"{task.behind} releases may come behind a job that is in time, and pending_max is {task.pending_max}"
        document.fail((*where, "pending_max"), f"{label}: {problem}", f"at least {task.behind}, or leave it out")


def _check_long_deadline(document: Document, system: System, task: Task, where: Where) -> None:
    """Checks of a task whose deadline is longer than its period: it may be released before a job has ended in
    time."""
    separation, deadline = task.separation_ns or 1, task.deadline_ns or 0
    which = "period" if task.period_ns is not None else "min_interarrival"
    label = f'[[task]] "{task.name}": deadline {show(deadline)} is longer than {which} {show(separation)}'
    shorter = f'deadline = "{show(separation)}", or leave it out'
    if task.on_miss == "skip":
        problem = "policy skip would drop releases behind a job that is in time"
        document.fail((*where, "on_miss"), f"{label}: {problem}", f'on_miss = "continue", or {shorter}')
    if system.runtime_tasks:
        problem = "with runtime_tasks a stopped task's time is given away at its next release"
        document.fail((*where, "deadline"), f"{label}: {problem}", shorter)
    behind = deadline // separation
    if task.min_interarrival_ns is None:
        return
    if behind > schema.PENDING_MAX:
        problem = f"{behind} releases may come behind a job that is in time, and at most {schema.PENDING_MAX} can wait"
        document.fail((*where, "deadline"), f"{label}: {problem}", f'"{show(schema.PENDING_MAX * separation)}"')
    if task.pending_max < behind:
        problem = f"{behind} releases may come behind a job that is in time, and pending_max is {task.pending_max}"
        document.fail((*where, "pending_max"), f"{label}: {problem}", f"at least {behind}, or leave it out")


def _check_suspension(document: Document, system: System, task: Task, where: Where) -> None:
    label = f'[[task]] "{task.name}": suspension'
    if system.runtime_tasks:
        problem = "is not possible with runtime_tasks: the admission test does not cover it"
        document.fail((*where, "suspension"), f"{label} {problem}", "one of them")
    if task.on_budget == "demote":
        problem = 'with on_budget = "demote": a demoted job that waits is not in the proof'
        document.fail((*where, "suspension"), f"{label} {problem}", 'on_budget = "stop" or "notify"')


def _check_triggers(document: Document, system: System) -> None:
    for index, task in enumerate(system.tasks):
        if task.trigger is None:
            continue
        kind, name = task.trigger.split(" ")
        known = [found for other, _, found in _objects(system) if other == kind]
        if name not in known:
            problem = f'[[task]] "{task.name}": trigger = "{task.trigger}": no such {kind}'
            hint = did_you_mean(name, known) or f'[[{kind}]] with name = "{name}"'
            document.fail(("task", index, "trigger"), problem, hint)
        _check_trigger(document, system, index, task)


def _check_trigger(document: Document, system: System, index: int, task: Task) -> None:
    where: Where = ("task", index, "trigger")
    label = f'[[task]] "{task.name}": trigger = "{task.trigger}"'
    other = next((before.name for before in system.tasks[:index] if before.trigger == task.trigger), None)
    if other is not None:
        document.fail(where, f'{label}: it triggers "{other}" already', "one task for both, or a mailbox between")
    silent = [interrupt.name for interrupt in system.interrupts if not interrupt.kernel]
    if task.trigger is not None and task.trigger.removeprefix("interrupt ") in silent:
        document.fail(where, f"{label}: that interrupt may not call the kernel", "kernel = true in its [[interrupt]]")


def _check_interrupts(document: Document, system: System) -> None:
    seen: dict[int, str] = {}
    for index, interrupt in enumerate(system.interrupts):
        label = f'[[interrupt]] "{interrupt.name}"'
        if interrupt.number in seen and interrupt.name not in document.made:  # which come last
            problem = f'{label}: number {interrupt.number} is taken by "{seen[interrupt.number]}"'
            document.fail(("interrupt", index, "number"), problem, "the other's number, or one handler for both")
        seen[interrupt.number] = interrupt.name
        if interrupt.every_ns is not None and interrupt.every_ns < interrupt.min_interarrival_ns:
            problem = f"{label}: every is shorter than min_interarrival, the least time between two"
            document.fail(("interrupt", index, "every"), problem, "no shorter")


def _check_scheduler(document: Document, system: System) -> None:
    where = ("system", "scheduler")
    if system.scheduler == "bands" and not system.bands:
        document.fail(where, '[system]: scheduler = "bands" needs [[band]] tables', '"auto", or write the bands')
    if system.bands and system.scheduler != "bands":
        problem = f'[system]: scheduler = "{system.scheduler}" and [[band]] tables exclude each other'
        document.fail(where, problem, 'remove the [[band]] tables, or scheduler = "bands"')


def _check_bands(document: Document, system: System) -> None:
    names, endless_names = system.names, {task.name for task in system.tasks if task.separation_ns is None}
    owner: dict[str, int] = {}
    endless: str | None = None  # a background task in a group before this one
    for index, band in enumerate(system.bands):
        where: Where = ("band", index, "tasks")
        label = f"[[band]] number {index + 1} ({band.kind})"
        levels.check_kind(document, band, index, label)
        for number, group in enumerate(band.groups):
            for name in group:
                server = system.server_of(name)
                if name not in names:
                    document.fail((*where, number), f'{label}: tasks: no such task "{name}"', did_you_mean(name, names))
                if server is not None:
                    document.fail((*where, number), f'{label}: tasks: "{server.name}" serves "{name}"', server.name)
                if name in owner:
                    document.fail(
                        (*where, number),
                        f'{label}: task "{name}" is in band number {owner[name] + 1} too',
                        "name it once",
                    )
                owner[name] = index
            background = [name for name in group if name in endless_names]
            if band.kind == "edf" and background:
                problem = f'{label}: "{background[0]}" has no deadline, so it cannot be in an edf band'
                document.fail((*where, number), problem, "a fixed band after it, or give it a period")
            ruled = next((name for name in group if name not in endless_names), None)
            endless = endless or next(iter(background), None)
            if endless is not None and ruled is not None:
                problem = f'{label}: background task "{endless}" comes before or beside "{ruled}", which has a deadline'
                document.fail((*where, number), problem, "background tasks last, in a group of their own")
    for kind, index, name in _objects(system) if system.bands else ():
        if name in set(names) - endless_names - owner.keys() and system.server_of(name) is None:
            document.fail((kind, index), f'[[{kind}]] "{name}" is in no [[band]]', "name it in one")


def _check_flows(document: Document, system: System) -> None:
    if system.buses or system.messages:
        buses.check(document, system)
        driven.check(document, system)
    if system.chains:
        chains.check(document, system)


def _on_board(system: System) -> System:
    system = console_table.on_board(system)
    return controllers.on_board(system) if system.buses else system


_CHECKS: tuple[Callable[[Document, System], None], ...] = (
    _check_board,
    _check_some_task,
    _check_unique_names,
    symbols.check,
    _check_tasks,
    _check_triggers,
    missed.check,
    servers.check,
    services.check,
    processes.check,
    memory_need.check,
    _check_flows,
    _check_interrupts,
    _check_scheduler,
    levels.check_quantum,
    _check_bands,
)


def with_board(system: System, board: str | None) -> System:
    """The system for another board (the --board option)."""
    if board is None:
        return system
    if board not in (known := boards.names()):
        raise UserError(f"--board {board}: no such board", closest(board, known))
    return _on_board(replace(system, board=board))
