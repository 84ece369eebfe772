# SPDX-License-Identifier: Apache-2.0
"""Objects that processes create at run time: C of the slots for them, and C of all handles without protection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from takt.declare import processes, services
from takt.declare.schema.model import Process, Shared, System


def shared_type(item: Shared, prefix: str = "") -> str:
    """Declares shared memory."""
    if item.type is not None:
        return f"{item.type} {prefix}{item.name} __attribute__((aligned(8)))"
    return f"uint8_t {prefix}{item.name}[{item.size}] __attribute__((aligned(8)))"


def shared_memory(system: System, extern: str = "extern ") -> Iterator[str]:
    """Declares shared memory that is there from the start."""
    for item in system.shared:
        if not item.attach:
            yield f"{extern}{shared_type(item)};"


@dataclass(frozen=True)
class _Created:
    """Objects that a process may create: kind (enum takt_object_kind), structure, and the field with the id."""

    kind: str
    struct: str
    id: str


CREATED = {
    "mutexes": _Created("MUTEX", "takt_mutex", ".id"),
    "conditions": _Created("CONDITION", "takt_condition", ".waiting.id"),
    "semaphores": _Created("SEMAPHORE", "takt_semaphore", ".id"),
    "events": _Created("EVENTS", "takt_events", ".id"),
    "mailboxes": _Created("MAILBOX", "takt_created_mailbox", ".mailbox.id"),
    "priority_mailboxes": _Created("PRIORITY_MAILBOX", "takt_created_priority_mailbox", ".mailbox.id"),
    "pipes": _Created("PIPE", "takt_created_pipe", ".pipe.id"),
    "alarms": _Created("ALARM", "takt_created_alarm", ".alarm.id"),
}
"""By the key of [[process]]."""


def handle_slots(process: Process) -> list[tuple[str, str]]:
    """The handle slots of a process's quota, in order: the kind, and the C name of the object."""
    found = [("TASK", f"takti_threads_{process.name}[{number}]") for number in range(process.threads)]
    for key, one in CREATED.items():
        found += [(one.kind, f"takti_{key}_{process.name}[{number}]") for number in range(getattr(process, key))]
    return found


def created_kinds(system: System) -> dict[str, str]:
    """The kind of each object that processes may create by a name for it, in the order of trace ids, which follow those
    of declared objects. Waits for a mutex without declared hold are not in a proof, so that is a kind of its own."""
    found: dict[str, str] = {}
    for process in system.processes:
        for key, one in CREATED.items():
            bounded = key != "mutexes" or process.mutex_hold_ns is not None
            kind = one.kind.lower() if bounded else "created mutex"
            found |= {f"{process.name}.{key}[{number}]": kind for number in range(getattr(process, key))}
    return found


def storage_names(process: Process) -> list[str]:
    """The C names of the objects that a process may create; all are in the kernel's memory."""
    keys = [key for key in ("threads", *CREATED, "buffers") if getattr(process, key)]
    return [f"takti_{key}_{process.name}" for key in keys]


def storage(system: System) -> Iterator[str]:
    """Definitions of the objects that processes may create."""
    index, name = len(system.tasks), len(services.object_kinds(system))
    for process in system.processes:
        if process.threads:
            rows = ", ".join(f"{{.index = {index + number}}}" for number in range(process.threads))
            yield f"static struct takt_thread takti_threads_{process.name}[{process.threads}] = {{{rows}}};"
            index += process.threads
        for key, one in CREATED.items():
            count = getattr(process, key)
            if count:
                rows = ", ".join(f"{{{one.id} = {name + number}}}" for number in range(count))
                yield f"static struct {one.struct} takti_{key}_{process.name}[{count}] = {{{rows}}};"
                name += count
        if process.buffers:
            yield f"static uint8_t takti_buffers_{process.name}[{process.buffers}] __attribute__((aligned(8)));"


def objects(system: System) -> Iterator[str]:
    """Elements of takti_objects for the handle slots."""
    for index, process in enumerate(system.processes):
        for kind, at in handle_slots(process):
            flags = f".generation = 1, .kind = TAKT_OBJECT_FREE | TAKT_OBJECT_{kind}, .owner = {index}"
            yield f"    {{.object = &{at}, {flags}}},"


def creates(system: System) -> bool:
    """Whether processes start threads or create objects at run time."""
    return any(handle_slots(process) for process in system.processes)


def _attached(system: System) -> list[Shared]:
    return [shared for shared in system.shared if shared.attach]


def direct_header(system: System) -> Iterator[str]:
    """Declarations for takt_app.h without protection: memory that is shared, attached and mapped, as processes see
    it."""
    yield from shared_memory(system)
    lines = [processes.line_name(item.name) for item in system.interrupts if item.process is not None]
    if _attached(system) or system.devices or lines or system.managed:
        yield '#include "takt/process.h"\n'
    yield from (f"extern struct takt_shared {item.name};" for item in _attached(system))
    yield from (f"extern struct takt_region {item.name};" for item in system.devices)
    for name in lines:
        yield f"extern struct takt_process_interrupt {name};"
    started = system.managed
    if started:
        yield f"extern struct takt_process takti_processes[{len(started)}];"
    for number, process in enumerate(started):
        yield f"#define PROCESS_{process.name} (&takti_processes[{number}])"


def inherits(process: Process) -> Iterator[str]:
    """Fields of takt_quota and takt_process_config: whether owners of mutexes that it creates inherit."""
    if process.mutex_hold_ns is not None:
        yield ".mutexes_inherit = true"


def alarms_apart(process: Process) -> str:
    """C of the least time between two expiries of an alarm that it creates. A system without alarms has no field for
    it."""
    return f"UINT64_C({process.alarms_apart_ns or 0})"


def creates_alarms(system: System) -> bool:
    """Whether a process may create alarms."""
    return any(process.alarms for process in system.processes)


def thread_budget(process: Process) -> str:
    """The C name of what the kernel watches of each of its threads."""
    return f"takti_budget_threads_{process.name}"


def direct(system: System, level: int) -> Iterator[str]:
    """Definitions for system.c without protection: the quotas of processes. They are linked only if they are used."""
    yield from shared_memory(system, "")
    if system.processes:
        yield '#include "takt/create.h"\n'
    for item in _attached(system):
        yield f"static {shared_type(item, 'takti_memory_')};"
        at = f"(uintptr_t)&takti_memory_{item.name}, sizeof takti_memory_{item.name}"
        region = f"{{{at}, TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, 0}}"
        yield f"struct takt_shared {item.name} = {{.region = {region}}};"
    for device in system.devices:
        access = "TAKT_ACCESS_READ | TAKT_ACCESS_WRITE"
        yield f"struct takt_region {device.name} = {{{device.base:#x}u, {device.size:#x}u, {access}, 1}};"
    for interrupt in system.interrupts:
        if interrupt.process is not None:
            name = processes.line_name(interrupt.name)
            yield f"struct takt_process_interrupt {name} = {{.number = {interrupt.number}}};"
    used = _attached(system) or any(one.memory or handle_slots(one) for one in system.processes)
    if not system.processes or not used:
        yield from _started(system, quota=False)
        return
    yield from storage(system)
    for process in system.processes:
        if process.memory:
            yield f"static uint8_t takti_quota_{process.name}[{process.memory}] __attribute__((aligned(TAKT_GRANULE)));"
        if handle_slots(process):
            yield f"static struct takt_object takti_handle_slots_{process.name}[] = {{"
            yield from objects(replace(system, processes=(process,)))
            yield "};"
    yield "static struct takt_quota takti_quotas[] = {"
    for process in system.processes:
        yield f"    {{{', '.join(_quota(process, level))}}},"
    yield "};"
    owner = {name: index for index, process in enumerate(system.processes) for name in process.tasks}
    of_tasks = ", ".join(str(owner.get(task.name, "UINT8_MAX")) for task in system.tasks)
    yield f"static const uint8_t takti_quotas_of_tasks[] = {{{of_tasks}}};"
    yield "extern const struct takt_quotas takt_quotas;"
    yield "const struct takt_quotas takt_quotas = {takti_quotas, takti_quotas_of_tasks};\n"
    yield from _started(system, quota=True)


def _started(system: System, quota: bool) -> Iterator[str]:
    """The table of processes that calls start and stop. `quota`: whether they have some."""
    started, tasks = system.managed, [task.name for task in system.tasks]
    if not started:
        return
    for process in started:
        indices = ", ".join(str(tasks.index(name)) for name in process.tasks) or "0"
        yield f"static const uint16_t takti_tasks_{process.name}[] = {{{indices}}};"
    yield f"struct takt_process takti_processes[{len(started)}] = {{"
    for process in started:
        fields = [f".tasks = takti_tasks_{process.name}", f".task_count = {len(process.tasks)}"]
        fields += [f".quota = &takti_quotas[{system.processes.index(process)}]"] if quota else []
        fields += [".on_call = true"] if process.start == "on call" else []
        fields += [f".index = {system.processes.index(process)}"]
        yield f"    {{{', '.join(fields)}}},"
    yield "};"
    table = f"{{takti_processes, {len(started)}}}"
    yield f"const struct takt_managed_processes takt_managed_processes = {table};\n"


def _quota(process: Process, level: int) -> Iterator[str]:
    if process.memory:
        yield f".memory = (uintptr_t)takti_quota_{process.name}"
        yield f".memory_size = {process.memory}"
    if process.buffers:
        yield f".buffers = takti_buffers_{process.name}"
        yield f".buffers_size = {process.buffers}"
    if handle_slots(process):
        yield f".slots = takti_handle_slots_{process.name}"
        yield f".slot_count = {len(handle_slots(process))}"
    yield f".thread_level = {level}"
    yield from inherits(process)
    if process.alarms:
        yield f".alarms_apart_ns = {{&(const uint64_t){{{alarms_apart(process)}}}}}"
