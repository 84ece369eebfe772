# SPDX-License-Identifier: Apache-2.0
"""Queries on the objects that tasks share, for other parts of the tool; answered from the table in service_table.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from takt.declare.schema import service_calls
from takt.declare.schema.kinds import known_type
from takt.declare.schema.model import Overheads, System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import FIFO, PRIORITY, Context, Costs, Item, Service
from takt.declare.schema.service_calls import Size
from takt.declare.service_kinds import senders, state, state_copies
from takt.declare.service_table import SERVICES
from takt.support.c.kernel import PROCESS_MESSAGE_MAX
from takt.support.errors import did_you_mean
from takt.support.files import fault_of, is_regular


def objects(system: System) -> Iterator[tuple[Service, int, Item]]:
    """Every object, with its kind and its index in that; in the order of trace ids."""
    for service in SERVICES:
        for index, item in enumerate(service.objects(system)):
            yield service, index, item


def object_kinds(system: System) -> dict[str, str]:
    """The kind of each object by name, in the order of trace ids."""
    return {item.name: service.kind for service, _, item in objects(system)}


def read(document: Document, values: dict[str, Any]) -> dict[str, tuple[Item, ...]]:
    """Fields of System. Raises UserError."""
    for service in SERVICES:
        for index, one in enumerate(values[service.kind]):
            if service.size is not None:
                _check_type(document, service, service.size, one, index)
    found = (
        service.model(**one) if service.read is None else service.read(document, one, index)
        for service in SERVICES
        for index, one in enumerate(values[service.kind])
    )
    return {"objects": tuple(found)}


def _check_type(document: Document, service: Service, size: Size, values: dict[str, Any], index: int) -> None:
    where, label = (service.kind, index), f'[[{service.kind}]] "{values["name"]}"'
    name, header = values["type"], values["include"]
    if values[size.key] is None and name is None:
        document.fail(where, f"{label}: neither {size.key} nor type", f'{size.key} = 16, or type = "struct sample"')
    if name is None and header is not None:
        document.fail((*where, "include"), f"{label}: include requires type", "add type, or remove it")
    if name is not None and header is None and not known_type(name):
        problem = f'{label}: type = "{name}": no include declares this type'
        document.fail((*where, "type"), problem, 'include = "sample.h", or a type of C')
    folder = document.path.resolve().parent
    if header is not None and not is_regular(folder / header):
        near = _in_folders(document, header) or did_you_mean(
            header, sorted(path.name for path in folder.glob("*.h") if is_regular(path))
        )
        problem = f'{label}: include = "{header}" {fault_of(folder / header)}'
        document.fail((*where, "include"), problem, near or "a file of this folder")


def _in_folders(document: Document, header: str) -> str:
    """What to write for a header that `include` of [build] finds, from the folder of the application; or ""."""
    folders = document.data.get("build", {}).get("include", [])
    paths = (f"{folder.rstrip('/')}/{header}" for folder in folders if isinstance(folder, str))
    root = document.path.resolve().parent
    return next((f'include = "{path}"' for path in paths if is_regular(root / path)), "")


def check(document: Document, system: System) -> None:
    """Checks names that tables refer to. Raises UserError."""
    tasks = [task.name for task in system.tasks]
    known = {
        "task": ("task", tasks),
        "actor": ("task or interrupt", [*tasks, *(item.name for item in system.interrupts)]),
        **{one.kind: (one.kind, [item.name for item in one.objects(system)]) for one in SERVICES},
    }
    for service, index, item in objects(system):
        for key, kind in service.names:
            shown, names = known[kind]
            value = getattr(item, key)
            for name in value if isinstance(value, tuple) else () if value is None else (value,):
                if name not in names:
                    problem = f'[[{service.kind}]] "{item.name}": {key} = "{name}": no such {shown}'
                    hint = did_you_mean(name, names) or f'[[{kind}]] with name = "{name}"'
                    document.fail((service.kind, index, key), problem, hint)
    for service, index, item in objects(system):
        service.check(document, system, index, item)
        if service.queued or service.drained:
            senders.check(document, system, service.kind, index, item)
    _check_calls(document, system)


def _check_calls(document: Document, system: System) -> None:
    """UserError: the name of a call in the generated header is used elsewhere."""
    kinds = object_kinds(system)
    functions = {task.entry for task in system.tasks} | {item.handler for item in system.interrupts}
    functions |= {item.handler for _, _, item in handlers(system)} | {task.miss_handler for task in system.tasks}
    owners: dict[str, str] = {}
    for service, index, item in objects(system):
        for call in service_calls.of(service.calls, item):
            name = call.name(item)
            taken = f"{kinds[name]} of this name" if name in kinds else "entry or handler" if name in functions else ""
            taken = f'call of "{owners[name]}"' if name in owners else taken
            if taken:
                problem = f'[[{service.kind}]] "{item.name}": its call {name} is also the {taken}'
                document.fail((service.kind, index, "name"), problem, f'"{item.name}_{service.kind}"')
            owners[name] = item.name


def handlers(system: System) -> Iterator[tuple[Service, int, Item]]:
    """Objects that may have a handler."""
    return ((service, index, item) for service, index, item in objects(system) if service.handler is not None)


def blocking(system: System) -> Iterator[tuple[str, str, str]]:
    """Kind and name of objects that tasks can only wait for, and what to use instead."""
    triggers = {task.trigger for task in system.tasks}
    for service, _, item in objects(system):
        trigger = f"{service.kind} {item.name}"
        if service.blocks and (trigger not in triggers or service.calls_wait):
            helps = service.releases and not service.calls_wait
            hint = f'a task with trigger = "{trigger}"' if helps else "remove it: jobs are not preempted"
            yield service.kind, item.name, hint


def fifo_waiters(system: System) -> bool:
    """Whether tasks wait for an object in FIFO order."""
    return any(getattr(item, "waiters", PRIORITY) == FIFO for _, _, item in objects(system))


def timers(system: System) -> int:
    """The number of timers of objects that may be armed at once, those that processes may create among them."""
    created = sum(process.alarms for process in system.processes)
    return sum(service.timers for service, _, _ in objects(system)) + created


def calls(system: System) -> bool:
    """Whether there is an object whose calls have longer locked sections than jobs and delays."""
    return any(service.locks for service, _, _ in objects(system))


def timer_load(system: System, overheads: Overheads | None) -> list[tuple[int, int]]:
    """The load of objects above all bands: longest execution and least distance of each source, ns.

    Each interrupt of the timer counts as one that releases a job (`release_ns`) and arms a timer (`timer_ns`), an
    action on a task as a switch and the end of a job.
    """
    costs = Costs()
    if overheads is not None:
        release_ns = max(overheads.release_ns.values(), default=0)
        costs = Costs(release_ns + overheads.timer_ns, max(map(overheads.job_ns, overheads.release_ns), default=0))
    load = [part for service, _, item in objects(system) for part in service.load(item, system, costs)]
    for process in system.processes:
        load += [(costs.interrupt_ns, process.alarms_apart_ns or 0)] * process.alarms
    return [(wcet_ns, separation_ns) for wcet_ns, separation_ns in load if wcet_ns > 0]


def locked_ns(system: System) -> int:
    """The longest time that the application executes with the kernel locked."""
    return max(_handlers_ns(system), state_copies.locked_ns(system))


def locked_by_ns(system: System, task: str) -> int:
    """The longest time that one task executes with the kernel locked: the end of its budget may be noticed that
    late."""
    return max(_handlers_ns(system), state_copies.locked_by_ns(system, task))


def _handlers_ns(system: System) -> int:
    return max((service.locked_ns(item) for service, _, item in objects(system)), default=0)


def proved(system: System) -> list[Item]:
    """Objects that a proof depends on, except mutexes."""
    return [item for service, _, item in objects(system) if service.proved]


def structures(system: System, of: Callable[[Service], bool] = lambda _: True) -> Iterator[str]:
    """Declares the objects, or those of some kinds, for takt_app.h."""
    for service, _, item in objects(system):
        if of(service):
            yield f"extern struct takt_{service.structure(item)} {item.name};"


def copied(service: Service, system: System) -> bool:
    """Whether the kernel copies its messages for processes, in a trap, during which no task runs."""
    return system.protection and service.copied


def declarations(system: System) -> Iterator[str]:
    """Calls and counters for takt_app.h."""
    yield ""
    yield from state.counters(system)
    for service, _, item in objects(system):
        if service.size is not None:
            how = replace(service.size, limit=PROCESS_MESSAGE_MAX) if copied(service, system) else service.size
            yield from service_calls.size(service.kind, how, item)
    for service, _, item in objects(system):
        for call in service_calls.of(service.calls, item):
            yield ""
            yield from call.text(item, system)


def includes(system: System) -> Iterator[str]:
    """Headers of the application that types are from, each once."""
    typed: Iterator[Item] = (item for service, _, item in objects(system) if service.size is not None)
    items = (*typed, *system.shared)
    yield from dict.fromkeys(f'#include "{item.include}"' for item in items if item.include is not None)


def parameter(service: Service, item: Item) -> str:
    """The parameter of its handler."""
    return (service.handler or "").format(type=getattr(item, "type", None) or "void")


def prototypes(system: System) -> Iterator[str]:
    """Prototypes of the handlers that the application defines."""
    found = dict.fromkeys(
        (getattr(item, "called", None) or item.handler, parameter(service, item))
        for service, _, item in handlers(system)
    )
    yield from (f"void {handler}({taken});" for handler, taken in found if handler is not None)


def definitions(context: Context) -> Iterator[str]:
    """For system.c."""
    for service, _, item in objects(context.system):
        if context.system.protection and service.in_memory:
            continue
        yield from service.define(item, context)


def starts(system: System) -> Iterator[str]:
    """Statements at time 0."""
    for service, _, item in objects(system):
        yield from service.start(item)
