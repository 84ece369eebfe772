# SPDX-License-Identifier: Apache-2.0
"""Processes of a declaration: reading and checks, the tasks of their interrupts, and access rights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from takt.declare import services
from takt.declare.code import constructors, table
from takt.declare.schema import source_files
from takt.declare.schema.kinds import known_type
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Device, Interrupt, Overheads, Process, Shared, System, Task
from takt.declare.schema.processes import DURATIONS, check_alarms, check_managed, check_once, refuse_budgets
from takt.declare.schema.reader import Document, located
from takt.declare.service_kinds.alarm import Alarm, alarmed
from takt.declare.service_kinds.alarm import task_name as alarm_task
from takt.declare.service_kinds.condition import Condition
from takt.declare.service_kinds.mutex import Mutex, created_mutexes
from takt.declare.service_kinds.rendezvous import Rendezvous
from takt.declare.service_kinds.ring import Ring
from takt.declare.service_kinds.signal_queue import SignalQueue
from takt.declare.service_kinds.slot import Slot
from takt.declare.service_kinds.state_copies import State, reading
from takt.declare.service_kinds.watchdog import Watchdog
from takt.declare.service_table import SERVICES
from takt.support.c.board_layouts import MESSAGE_BUFFER_HEAD
from takt.support.c.kernel import BUFFER_ALIGNMENT, PIPE_CAPACITY_MIN, PROCESS_MESSAGE_MAX, Right
from takt.support.errors import UserError, did_you_mean

USE, GIVE, MANAGE = Right.USE, Right.GIVE, Right.MANAGE

BOARD = {"console": "TAKT_BOARD_CONSOLE", "serial": "TAKT_BOARD_SERIAL"}
"""Of the board's own: key of [[process]] and its bit of enum takt_board_right."""

LINE_WCET_NS = 2_000
"""An interrupt that masks its line and releases a task, where its board was not measured (overheads): an estimate."""

BUFFER_LEAST = {
    "mailboxes": BUFFER_ALIGNMENT,
    "priority_mailboxes": MESSAGE_BUFFER_HEAD + BUFFER_ALIGNMENT,
    "pipes": PIPE_CAPACITY_MIN,
}
"""Bytes of `buffers` that each takes at least."""


def read(document: Document, tables: dict[str, Any], built: tuple[Path, ...]) -> dict[str, tuple[Any, ...]]:
    """Fields of System. `built`: its sources. UserError: a file is not there, or is not built."""
    folder = document.path.resolve().parent

    processes = []
    for index, values in enumerate(tables["process"]):
        times = {f"{key}_ns": values[key] for key in DURATIONS}
        rest = {key: value for key, value in values.items() if f"{key}_ns" not in times}
        processes.append(Process(**{**rest, **times, **table.of_process(document, index, values, built)}))
    names = tables["system"]["shared_sources"]
    where = ("system", "shared_sources")
    return {
        "shared_sources": source_files.declared(document, folder, "[system]", where, names, among=built),
        "processes": tuple(processes),
        "shared": tuple(Shared(**values) for values in tables["shared"]),
        "devices": tuple(Device(**values) for values in tables["device"]),
    }


def _named(document: Document, where: Where, label: str, names: tuple[str, ...], known: list[str], kind: str) -> None:
    """UserError: a name is unknown or is listed twice."""
    for number, name in enumerate(names):
        if name not in known:
            hint = did_you_mean(name, known) or f"the name of a {kind}"
            document.fail((*where, number), f'{label}: {where[-1]}: no such {kind} "{name}"', hint)
        if name in names[:number]:
            document.fail((*where, number), f'{label}: {where[-1]}: "{name}" is named twice', "name it once")


def check(document: Document, system: System) -> None:
    """Checks between the tables of processes and all others, with and without protection."""
    names = [process.name for process in system.processes]
    objects = [item.name for service, _, item in services.objects(system) if service.handled]
    tasks = [task.name for task in system.tasks]
    started = [one.name for one in system.managed]
    for index, process in enumerate(system.processes):
        where, label = ("process", index), f'[[process]] "{process.name}"'
        _named(document, (*where, "tasks"), label, process.tasks, tasks, "task")
        _named(document, (*where, "devices"), label, process.devices, [one.name for one in system.devices], "device")
        for key in ("uses", "gives"):
            _named(document, (*where, key), label, getattr(process, key), [*objects, *tasks], "task or object")
        _named(document, (*where, "manages"), label, process.manages, [*objects, *tasks, *started], "task or object")
        check_managed(document, system, index, process, services.object_kinds(system))
        if process.name in names[:index]:
            document.fail((*where, "name"), f"{label}: another process has this name", f'"{process.name}_{index}"')
        for key, value in (("restarts_max", process.restarts_max), ("faults_apart", process.faults_apart_ns)):
            needed = process.on_fault == "restart" or (key == "faults_apart" and process.name in started)
            if value is not None and not needed:
                problem = f'{label}: {key} requires on_fault = "restart"'
                document.fail((*where, key), problem, 'on_fault = "restart", or remove it')
        check_once(document, system, index, process)
        _empty(document, system, index, process)
        _created(document, index, process)
        check_alarms(document, system, index, process)
        constructors.check(document, system, index, (*objects, *tasks, *(one.name for one in system.interrupts)))
        _budgets(document, system, index, process)
    for index, shared in enumerate(system.shared):
        where, label = ("shared", index), f'[[shared]] "{shared.name}"'
        _named(document, (*where, "write"), label, shared.write, names, "process")
        _named(document, (*where, "read"), label, shared.read, names, "process")
        twice = next((name for name in shared.read if name in shared.write), None)
        if twice is not None:
            document.fail((*where, "read"), f'{label}: read: "{twice}" writes it, and so reads it', "name it in write")
        if shared.size is None and shared.type is None:
            document.fail(where, f"{label}: neither size nor type", 'size = 256, or type = "struct picture"')
        if shared.type is not None and shared.include is None and not known_type(shared.type):
            problem = f'{label}: type = "{shared.type}": no include declares this type'
            document.fail((*where, "type"), problem, 'include = "shared.h", or a type of C')
        if not shared.write and not shared.attach:
            document.fail(where, f"{label}: no process writes it", f'write = ["{names[0] if names else "driver"}"]')
    for index, item in enumerate(system.interrupts):
        _interrupt(document, system, index, item, names)
    _alarms(document, system, names)
    _sources(document, system)


def _alarms(document: Document, system: System, names: list[str]) -> None:
    for index, item in enumerate(system.of(Alarm)):
        if item.process is not None:
            _alarm(document, system, index, item, names)


def _alarm(document: Document, system: System, index: int, item: Alarm, names: list[str]) -> None:
    where, label = ("alarm", index), f'[[alarm]] "{item.name}"'
    if item.process not in names:
        hint = did_you_mean(item.process or "", names) or f'[[process]] with name = "{item.process}"'
        document.fail((*where, "process"), f'{label}: process = "{item.process}": no such process', hint)
    taken = alarm_task(item.name)
    if taken in (*services.object_kinds(system), *(task.name for task in system.tasks)):
        problem = f'{label}: with process its task is called "{taken}", and there is one of this name'
        document.fail((*where, "name"), problem, "another name for one of them")


def _empty(document: Document, system: System, index: int, process: Process) -> None:
    """UserError: a process without a task (its files belong to the kernel) has keys that then have no effect."""
    if process.tasks or system.interrupts or system.of(Alarm):
        return  # an interrupt or alarm can give it one, now or by one line
    keys = ("threads", "memory", "mutexes", "conditions", "semaphores", "events", *BUFFER_LEAST, "alarms", "buffers")
    written = {key: bool(getattr(process, key)) for key in (*keys, "budgets")}
    written |= {"on_fault": process.on_fault != "stop", "start": process.start != "boot"}
    written["constructors_wcet"] = process.constructors_wcet_ns is not None
    for key in (key for key, is_written in written.items() if is_written):
        problem = f'[[process]] "{process.name}": {key}, but it has no task: its files are the kernel\'s'
        document.fail(("process", index, key), problem, f"tasks, or no {key}")


def _created(document: Document, index: int, process: Process) -> None:
    """UserError: objects that a process may create without memory for them, or memory without such objects."""
    where, label = ("process", index), f'[[process]] "{process.name}"'
    holders = [key for key in BUFFER_LEAST if getattr(process, key)]
    least = sum(BUFFER_LEAST[key] * getattr(process, key) for key in holders)
    if holders and process.buffers < least:
        have = f"buffers = {process.buffers}" if process.buffers else "no buffers"
        problem = f"{label}: {' and '.join(holders)}, and {have} for their messages"
        document.fail((*where, holders[0]), problem, f"buffers = {least} or more")
    if process.mutex_hold_ns is not None and not process.mutexes:
        problem = f"{label}: mutex_hold is of mutexes that it creates, and it may create none"
        document.fail(
            (*where, "mutex_hold"), problem, "mutexes = 1, or no mutex_hold; a [[mutex]] has a hold of its own"
        )
    if process.buffers and not holders:
        problem = f"{label}: buffers, and no mailboxes or pipes that would take them"
        document.fail((*where, "buffers"), problem, "mailboxes = 1 or pipes = 1, or no buffers")
    if process.deadline_threads > process.threads:
        problem = f"{label}: deadline_threads = {process.deadline_threads}, and threads = {process.threads}"
        document.fail((*where, "deadline_threads"), problem, f"threads = {process.deadline_threads} or more")
    if process.threads and not process.memory:
        problem = f"{label}: threads, and no memory for their stacks"
        document.fail((*where, "threads"), problem, f"memory = {512 * process.threads}, or no threads")


def _budgets(document: Document, system: System, index: int, process: Process) -> None:
    """UserError: budgets in a process whose tasks have no jobs. A handler of an interrupt becomes a job."""
    released = [task.name for task in system.tasks if task.separation_ns is not None]
    mine = any(name in released for name in process.tasks)
    handles = any(item.process == process.name for item in system.interrupts)
    handles = handles or any(item.process == process.name for item in system.of(Alarm))
    if process.budgets and process.tasks and not mine and not handles:
        problem = f'[[process]] "{process.name}": budgets, but a budget limits a job, and none of its tasks has jobs'
        document.fail(("process", index, "budgets"), problem, "a task with a period, or no budgets")


def _interrupt(document: Document, system: System, index: int, item: Interrupt, names: list[str]) -> None:
    where, label = ("interrupt", index), f'[[interrupt]] "{item.name}"'
    if item.process is None:
        return
    if item.process not in names:
        hint = did_you_mean(item.process, names) or f'[[process]] with name = "{item.process}"'
        document.fail((*where, "process"), f'{label}: process = "{item.process}": no such process', hint)
    tasks, lines = (task.name for task in system.tasks), (one.name for one in system.interrupts)
    taken = line_name(item.name)
    if taken in (*services.object_kinds(system), *tasks, *lines):
        problem = f'{label}: with process its line is called "{taken}", and there is one of this name'
        document.fail((*where, "name"), problem, "rename one of them")
    if not item.kernel:
        problem = f"{label}: kernel = false, but it has to release the task of its process"
        document.fail((*where, "kernel"), problem, "kernel = true, or without process")
    if item.deadline_ns is not None and item.deadline_ns > item.min_interarrival_ns:
        problem = f"{label}: deadline is longer than min_interarrival: its line is masked until the handler ends"
        document.fail((*where, "deadline"), problem, "no longer")


def _sources(document: Document, system: System) -> None:
    for number, source in enumerate(system.shared_sources):
        owner = next((process.name for process in system.processes if source in process.sources), None)
        if owner is not None:
            problem = f'[system]: shared_sources: "{source.name}" is in process "{owner}" too'
            document.fail(("system", "shared_sources", number), problem, "one of them")
        if source not in system.sources:
            problem = f'[system]: shared_sources: "{source.name}" is not among sources'
            document.fail(("system", "shared_sources", number), problem, "name it there too")
    for index, process in enumerate(system.processes):
        for number, source in enumerate(process.sources):
            if source not in system.sources:
                problem = f'[[process]] "{process.name}": sources: "{source.name}" is not among those of [system]'
                document.fail(("process", index, "sources", number), problem, "name it there too")


def protect(system: System, protection: bool | None = None) -> System:
    """The system as it is built: with protection (None: as declared) each interrupt of a process becomes one that only
    releases, and a task that calls its handler. UserError: it uses a feature that protection does not support."""
    protection = system.protection if protection is None else protection
    system = replace(system, protection=protection)
    if not protection:
        refuse_budgets(system)
        return system
    system = _budgeted(constructors.constructed(_inhabited(alarmed(_released(system)))))
    _refuse(system)
    return system


def _inhabited(system: System) -> System:
    """The system without processes that have no task: their files belong to the kernel. So `process` of an interrupt
    alone decides whether its handler is in user mode."""
    kept = tuple(process for process in system.processes if process.tasks)
    names = {process.name for process in kept}
    shared = tuple(
        replace(
            item,
            read=tuple(name for name in item.read if name in names),
            write=tuple(name for name in item.write if name in names),
        )
        for item in system.shared
    )
    return replace(system, processes=kept, shared=shared)


def _budgeted(system: System) -> System:
    """The system with the budgets that processes declare for their tasks. A background task has none; its critical
    sections are watched, unless its process creates mutexes that have no hold."""
    names = {name for process in system.processes if process.budgets for name in process.tasks}
    names |= set(constructors.tasks(system))  # an endless loop in a constructor is a fault of its process
    creating = [process for process in system.processes if process.mutexes]
    created = {name for process in creating if process.mutex_hold_ns is None for name in process.tasks}
    locks = {task for mutex in (*system.of(Mutex), *created_mutexes(system)) for task in mutex.lockers}
    watched = {
        task.name: replace(task, on_budget="stop")
        for task in system.tasks
        if task.name in (names & locks) - created and task.separation_ns is None
    }
    named = {
        task.name: replace(task, on_budget="stop", budget_ns=task.wcet_ns)
        for task in system.tasks
        if task.name in names and task.separation_ns is not None and task.on_budget == "none"
    }
    marks = dict.fromkeys(map(_budget_mark, named), "wcet")
    changed = {**watched, **named}
    tasks = tuple(changed.get(task.name, task) for task in system.tasks)
    return replace(system, tasks=tasks, metadata={**system.metadata, **marks})


def _budget_mark(name: str) -> str:
    return f"budget {name}"


def budget_is_wcet(system: System, task: Task) -> bool:
    """Whether the task's budget is its wcet because of `budgets` of its process; no other value can be declared
    then."""
    return _budget_mark(task.name) in system.metadata


def line_ns(system: System, overheads: Overheads | None, interrupt: Interrupt) -> int | None:
    """The measured execution time of a process's interrupt; None: not measured, or an interrupt of no process."""
    if overheads is None or overheads.processes is None or not system.protection or interrupt.process is None:
        return None
    return overheads.processes.line_ns


def line_name(name: str) -> str:
    """The name of the interrupt's line."""
    return f"{name}_line"


def _released(system: System) -> System:
    tasks, interrupts = list(system.tasks), []
    processes = {process.name: process for process in system.processes}
    for item in system.interrupts:
        if item.process is None:
            interrupts.append(item)
            continue
        other = next((task for task in system.tasks if task.trigger == f"interrupt {item.name}"), None)
        if other is not None:
            problem = f'[[task]] "{other.name}": trigger = "interrupt {item.name}": its handler is a process\'s'
            raise located(system, other.name, problem, "a semaphore that the handler posts")
        if system.bands:
            problem = f'[[interrupt]] "{item.name}": with process, the task of its handler would be in no [[band]]'
            raise located(system, item.name, problem, 'scheduler = "auto", or a handler of the kernel\'s')
        tasks.append(
            Task(
                name=item.name,
                wcet_ns=item.wcet_ns,
                min_interarrival_ns=item.min_interarrival_ns,
                deadline_ns=item.deadline_ns or item.min_interarrival_ns,
                offset_ns=0,
                trigger=f"interrupt {line_name(item.name)}",
                stack=item.stack,
            )
        )
        owner = processes[item.process]
        processes[owner.name] = replace(owner, tasks=(*owner.tasks, item.name))
        interrupts.append(replace(item, name=line_name(item.name), wcet_ns=LINE_WCET_NS))
    return replace(system, tasks=tuple(tasks), interrupts=tuple(interrupts), processes=tuple(processes.values()))


def _refuse(system: System) -> None:
    if not system.processes:
        problem = "[system]: protection = true, and there is no [[process]]"
        raise located(system, "protection", problem, "[[process]] with name and tasks, or protection = false")
    owned = {name for process in system.processes for name in process.tasks}
    for task in system.tasks:
        if task.name not in owned:
            problem = f'[[task]] "{task.name}" is in no process'
            raise located(system, task.name, problem, "name it in tasks of one, or protection = false")
    wanted = sum(process.deadline_threads for process in system.processes)
    if system.runtime_tasks < wanted:
        problem = f"[system]: runtime_tasks = {system.runtime_tasks}, and processes may have {wanted} deadline_threads"
        raise located(system, "protection", problem, f"runtime_tasks = {wanted}")
    if system.scheduler == "cooperative":
        raise cooperative(system)
    for service, _, item in services.objects(system):
        if not (service.handled or service.in_memory):
            problem = f'[[{service.kind}]] "{item.name}": processes cannot have this service yet'
            raise located(system, item.name, problem, "a mailbox, or protection = false")
        key = "" if service.size is None else service.size.key
        size = getattr(item, key, None) or 0
        if services.copied(service, system) and size > PROCESS_MESSAGE_MAX:
            problem = f'[[{service.kind}]] "{item.name}": {key} = {size} is too long for processes'
            hint = f"{PROCESS_MESSAGE_MAX} or less, and [[shared]] for what is longer; or protection = false"
            raise located(system, item.name, problem, hint)
        wrong = service.in_process(item) if service.in_process is not None else None
        if wrong is not None:
            raise located(system, item.name, f'[[{service.kind}]] "{item.name}": {wrong[0]}', wrong[1])
    _refuse_pointers(system)


def _refuse_pointers(system: System) -> None:
    """UserError: kernel code would rely on data that a process writes, or a process would follow another's pointer."""
    owned = {name for process in system.processes for name in process.tasks}
    follows = "is outside of all processes, but would rely on data that a process writes"
    mend = "process in the [[interrupt]], so that its handler is a task; or a mailbox"
    for ring in system.of(Ring):
        outside = [name for name in (ring.writer, ring.reader) if name not in owned]
        if len(outside) == 1:
            raise located(system, ring.name, f'[[ring]] "{ring.name}": "{outside[0]}" {follows}', mend)
    for state in system.of(State):
        outside = [reader.task for reader in state.readers if reader.task not in owned]
        if state.writer in owned and outside:
            raise located(system, state.name, f'[[state]] "{state.name}": "{outside[0]}" {follows}', mend)
    for rendezvous in (item for item in system.of(Rendezvous) if not item.copied):
        having = [process.name for process in system.processes if rendezvous.name in rights(system, process)]
        if len(having) > 1:
            problem = f'[[rendezvous]] "{rendezvous.name}": processes "{having[0]}" and "{having[1]}":'
            problem += " a call hands over a pointer into its caller's memory"
            raise located(system, rendezvous.name, problem, "request and reply, the bytes that the kernel then copies")


def cooperative(system: System) -> UserError:
    """Jobs of a cooperative system run on one stack."""
    return located(
        system, "scheduler", 'scheduler "cooperative" with protection: its jobs share one stack', '"auto", or "dm"'
    )


def objects(system: System) -> Iterator[tuple[str, str]]:
    """Name and kind (enum takt_object_kind without its prefix) of all objects with handles, in order: tasks first.
    Slots for created objects follow (quotas.handle_slots)."""
    yield from ((task.name, "TASK") for task in system.tasks)
    for service, _, item in services.objects(system):
        if service.handled:
            yield item.name, service.structure(item).upper()
    yield from ((shared.name, "SHARED") for shared in system.shared if shared.attach)
    yield from ((device.name, "DEVICE") for device in system.devices)
    yield from ((item.name, "INTERRUPT") for item in system.interrupts if item.process is not None)
    yield from ((process.name, "PROCESS") for process in system.managed)


def handles(system: System) -> dict[str, int]:
    """Handle of each task and object, by name: its index, and generation 1."""
    return {name: index | 1 << 16 for index, (name, _) in enumerate(objects(system))}


def rights(system: System, process: Process) -> dict[str, int]:
    """The rights of a process, by name of the object; objects without any right are left out."""
    found: dict[str, int] = {}
    given = (*_of_tasks(system, process), *_of_objects(system, process), *_declared(process))
    for name, right in (*given, *_of_processes(system, process)):
        found[name] = found.get(name, 0) | right
    return found


def _of_tasks(system: System, process: Process) -> Iterator[tuple[str, int]]:
    """Its own tasks, and the objects that trigger them."""
    kinds = {service.kind: USE for service in SERVICES if service.releases and service.handled}
    triggers = kinds | {"alarm": USE | MANAGE}
    for name in process.tasks:
        yield name, USE | GIVE | MANAGE
        kind, _, trigger = (system.task(name).trigger or "").partition(" ")
        if kind in triggers:
            yield trigger, triggers[kind]


def _of_objects(system: System, process: Process) -> Iterator[tuple[str, int]]:
    """Objects whose tables name the tasks that use them."""
    own = set(process.tasks)
    for mutex in system.of(Mutex):
        if any(user.task in own for user in mutex.users):
            yield mutex.name, USE
            yield from ((one.name, USE | GIVE) for one in system.of(Condition) if one.mutex == mutex.name)
    yield from ((one.name, USE) for one in system.of(State) if process.name in reading(system, one))
    yield from ((one.name, USE | GIVE | MANAGE) for one in system.of(Watchdog) if one.task in own)
    yield from ((one.name, USE) for one in system.of(SignalQueue) if one.owner in own)
    yield from ((one.name, USE) for one in system.of(Slot) if one.owner in own)
    for shared in system.shared:
        if shared.attach and process.name in (*shared.read, *shared.write):
            yield shared.name, USE | (GIVE if process.name in shared.write else 0)
    yield from ((one.name, USE) for one in system.interrupts if one.process == process.name)
    yield from ((one.mark, USE) for one in system.injections if one.task in own)
    for service, _, item in services.objects(system):
        if (service.queued or service.drained) and any(sender.task in own for sender in item.senders):
            yield item.name, GIVE


def _of_processes(system: System, process: Process) -> Iterator[tuple[str, int]]:
    """Processes that it starts and stops, itself among them."""
    for other in system.managed:
        if other == process or other.name in process.manages:
            yield other.name, USE | MANAGE


def _declared(process: Process) -> Iterator[tuple[str, int]]:
    """Rights that the process's own table declares."""
    yield from ((name, USE) for name in (*process.uses, *process.devices))
    yield from ((name, GIVE) for name in process.gives)
    yield from ((name, MANAGE) for name in process.manages)


def users(system: System, name: str, gives: bool = False) -> list[str | None]:
    """Of each process its name, if it may use the object, or with `gives` use it or give to it."""
    right = USE | GIVE if gives else USE
    return [process.name if rights(system, process).get(name, 0) & right else None for process in system.processes]


def owner(system: System, name: str) -> str:
    """The C of takt_object.owner: the process that alone has rights to it. Marks stay as they are after a restart."""
    mark = any(name == injection.mark for injection in system.injections)
    having = [index for index, process in enumerate(system.processes) if name in rights(system, process)]
    return str(having[0]) if len(having) == 1 and not mark else "UINT8_MAX"


def accessors(system: System, name: str) -> dict[str, bool]:
    """Processes that reach the memory of a state message, ring or shared memory, and whether they write it."""
    owner = {task: process.name for process in system.processes for task in process.tasks}
    found: dict[str, bool] = {}

    def reaches(actor: str, writes: bool) -> None:
        if actor in owner:
            found[owner[actor]] = found.get(owner[actor], False) or writes

    for shared in system.shared:
        if shared.name == name:
            return {**dict.fromkeys(shared.read, False), **dict.fromkeys(shared.write, True)}
    for state in system.of(State):
        if state.name == name:
            reaches(state.writer, True)
            for reader in state.readers:
                reaches(reader.task, False)
    for ring in system.of(Ring):
        if ring.name == name:
            reaches(ring.writer, True)
            reaches(ring.reader, True)
    return found
