# SPDX-License-Identifier: Apache-2.0
"""The C of a protected system's processes: their stacks and generated jobs, what they share, and the kernel's tables.

Files: process_NAME.c, with what is a process's own; shared_NUMBER.c, of each group of processes with the same rights on
memory; processes.c, which is the kernel's, with the sizes that a first link measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from takt.declare import processes, quotas, services
from takt.declare.code import constructors
from takt.declare.schema.model import Process, System, Task
from takt.declare.schema.service import Context, bytes_of, u64
from takt.declare.service_kinds.alarm import Alarm
from takt.declare.service_kinds.pool import Pool, blocks
from takt.declare.service_kinds.ring import Ring
from takt.declare.service_kinds.signal_pool import SignalPool, copies_type
from takt.declare.service_kinds.slot import Slot
from takt.declare.service_kinds.slot import copies_type as slot_copies_type
from takt.declare.service_kinds.state import overtaken
from takt.declare.service_kinds.state_copies import State, reading
from takt.image.tables import fault_code, heap
from takt.prove import created
from takt.support.c.calls import CALLS, MULTIWORD
from takt.support.files import HEAD

SHARED_TEXT = "shared_text"


@dataclass(frozen=True)
class Group:
    """Memory that the same processes reach in the same way. `items`: pairs of a kind and an object of the model."""

    index: int
    rights: tuple[tuple[str, bool], ...]  # process and whether it writes
    items: tuple[tuple[str, Any], ...]
    attach: bool = False

    @property
    def name(self) -> str:
        return f"shared_{self.index}"

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(item.name for _, item in self.items)


def groups(system: System) -> list[Group]:
    """In the order in which the declaration needs them: state messages, rings, shared memory."""
    found: dict[tuple[tuple[str, bool], ...], list[tuple[str, Any]]] = {}
    alone: list[tuple[tuple[tuple[str, bool], ...], list[tuple[str, Any]], bool]] = []
    items: list[tuple[str, Any]] = [("state", item) for item in system.of(State)]
    items += [("ring", item) for item in system.of(Ring)]
    for kind, item in [*items, *(("shared", item) for item in system.shared)]:
        rights = tuple(sorted(processes.accessors(system, item.name).items()))
        if kind == "shared" and item.attach:
            alone.append((rights, [(kind, item)], True))
        else:
            found.setdefault(rights, []).append((kind, item))
    parts = [(rights, members, False) for rights, members in found.items()] + alone
    return [Group(index, rights, tuple(members), attach) for index, (rights, members, attach) in enumerate(parts)]


def text_of(process: Process) -> str:
    """The name of its code, as of a region."""
    return f"text_{process.name}"


def memory_of(process: Process) -> str:
    """Of its memory."""
    return f"memory_{process.name}"


def job(task: str) -> str:
    """The entry of a task whose job is generated."""
    return f"takti_job_{task}"


def stack(task: str) -> str:
    return f"takti_stack_{task}"


def bodies(system: System, works: bool, synthetic: Callable[[Task], list[str]]) -> dict[str, list[str]]:
    """Statements of the jobs that are generated, by task: synthetic ones, those of interrupts' handlers, and where code
    takes no time (`works`) those that charge their wcet first."""
    lines = {item.name: item for item in system.interrupts if item.process is not None}
    alarms = {item.name: item for item in system.of(Alarm) if item.called is not None}
    found = {}
    for task in system.tasks:
        line = lines.get((task.trigger or "").removeprefix("interrupt "))
        charged = [f"takt_work({u64(task.wcet_ns)});"] if works and task.separation_ns is not None else []
        alarm = alarms.get((task.trigger or "").removeprefix("alarm "))
        if task.name in constructors.tasks(system):
            found[task.name] = [*charged, *constructors.statements(task.name)]
        elif alarm is not None:
            found[task.name] = [*charged, f"{alarm.called}(&{alarm.name});"]
        elif line is not None:
            handled = [*charged, f"{line.handler}();"] if line.handler else synthetic(task)
            found[task.name] = [*handled, f"takt_irq_ack(&{line.name});"]
        elif task.entry is None:
            found[task.name] = synthetic(task)
        elif charged and task.style == "entry":
            found[task.name] = [*charged, f"{task.entry}(argument);"]
    return found


def process_source(system: System, process: Process, bodies: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """process_NAME.c. `bodies`: statements of the jobs that are generated, by task."""
    yield f'{HEAD}#include "takt_app.h"\n'
    for name in process.tasks:
        size = system.task(name).stack
        yield f'uint8_t {stack(name)}[{size}] __attribute__((aligned(32), section(".takt_stack.{name}")));'
    yield from heap.memory(process)
    for pool in system.of(Pool):
        if process.name in processes.users(system, pool.name):
            yield f"{blocks(pool, process.name)};"
    for signals in system.of(SignalPool):
        if process.name in processes.users(system, signals.name):
            yield f"{copies_type(signals, process.name)};"
    for slot in system.of(Slot):
        if process.name in processes.users(system, slot.name, gives=True):
            yield f"{slot_copies_type(slot, process.name)};"
    for state in system.of(State):
        if process.name in reading(system, state):
            yield f"uint32_t {overtaken(state)};"
    yield from fault_code.functions(system, process.tasks)
    for name in process.tasks:
        if name in bodies:
            yield f"\nvoid {job(name)}(void *argument);\nvoid {job(name)}(void *argument)\n{{\n    (void)argument;"
            yield from (f"    {statement}" for statement in bodies[name])
            yield "}"


def shared_source(group: Group, context: Context) -> Iterator[str]:
    """shared_NUMBER.c: memory that a group of processes shares; constant data of it is in the text that all may read.

    Constants have names of their own in C: for their users their type is that of systems without processes."""
    yield f'{HEAD}#include "takt_app.h"\n\n#include "takt/process.h"\n'
    for kind, item in group.items:
        if kind == "shared":
            yield f"{quotas.shared_type(item, 'takti_memory_' if item.attach else '')};"
            continue
        constant, size = (
            f"takti_{kind}_{item.name}",
            bytes_of(item.message_size if kind == "state" else item.item_size, item.type),
        )
        extent = f"{size}, {item.copies if kind == 'state' else item.capacity}"
        yield f"static TAKTI_{kind.upper()}_STORAGE({item.name}, {extent});"
        yield f'extern const struct takt_{kind} {constant} __asm__("{item.name}");'
        yield f"const struct takt_{kind} {constant} = TAKTI_{kind.upper()}_OF({item.name}_storage, {extent});"


def externs(system: System) -> Iterator[str]:
    """For system.c: what is in other files."""
    yield f"extern struct takt_process takti_processes[{len(system.processes)}];"
    yield f"extern struct takt_object takti_objects[{object_count(system)}];"
    yield f"extern const struct takt_process_config takti_process_configs[{len(system.processes)}];"
    yield "void takti_processes_init(void);"
    for task in system.tasks:
        yield f"extern uint8_t {stack(task.name)}[{task.stack}];"
        yield f"void {job(task.name)}(void *argument);"
    yield ""


def fields(system: System) -> Iterator[str]:
    """Of takt_system."""
    yield f"    .object_count = {object_count(system)},\n    .objects = takti_objects,"
    yield f"    .process_count = {len(system.processes)},\n    .processes = takti_processes,"
    yield "    .process_configs = takti_process_configs,"


def process_of(system: System, task: str) -> int:
    """The index of the process of a task."""
    return next(index for index, process in enumerate(system.processes) if task in process.tasks)


@dataclass(frozen=True)
class Sizes:
    """What a link measured: granted bytes of regions by name; of processes their bytes of data and of zeros. `calls`:
    names of those that processes make; None: any."""

    regions: Mapping[str, int]
    data: Mapping[str, int]
    zero: Mapping[str, int]
    calls: tuple[str, ...] | None = None

    @staticmethod
    def unknown(calls: tuple[str, ...] | None = None) -> Sizes:
        """Before a link that measures: the tables have the same form."""
        return Sizes({}, {}, {}, calls)


def region_names(system: System, process: Process) -> list[str]:
    """Of a process, in the order of the processor's regions: from the start, then those that it attaches and
    maps."""
    mine = [group for group in groups(system) if process.name in dict(group.rights)]
    first = [group.name for group in mine if not group.attach]
    later = [group.name for group in mine if group.attach]
    return [SHARED_TEXT, text_of(process), memory_of(process), *first, *later, *process.devices]


_READ, _WRITE, _EXECUTE = "TAKT_ACCESS_READ", "TAKT_ACCESS_WRITE", "TAKT_ACCESS_EXECUTE"


def tables(system: System, sizes: Sizes, level: int, copies: bool) -> Iterator[str]:
    """processes.c. `level`: of threads. `copies`: shared memory has to be set up from what is loaded elsewhere."""
    yield f'{HEAD}#include "takt_app.h"\n\n#include "kernel/process/process.h"\n#include "takt/create.h"\n'
    yield "#include <string.h>\n"
    yield f"struct takt_process takti_processes[{len(system.processes)}];"
    yield f"extern const struct takt_process_config takti_process_configs[{len(system.processes)}];"
    yield "void takti_processes_init(void);\n"
    everything = list(processes.objects(system))
    grouped = groups(system)
    names = [SHARED_TEXT, *(group.name for group in grouped)]
    names += [name for process in system.processes for name in (text_of(process), memory_of(process))]
    yield "/* The linker script's. */"
    yield from (f"extern uint8_t takti_base_{name}[];" for name in names)
    yield from (f"extern uint8_t takti_load_{memory_of(process)}[];" for process in system.processes)
    yield from (f"extern uint8_t takti_tls_{process.name}[];" for process in system.processes)
    yield ""
    yield from _objects(system, sizes, everything)
    for process in system.processes:
        yield from _process(system, sizes, process, [name for name, _ in everything], grouped)
    for process, _ in created.watched(system):
        yield f"extern const struct takt_budget {quotas.thread_budget(process)};"
    yield f"\nconst struct takt_process_config takti_process_configs[{len(system.processes)}] = {{"
    for index, process in enumerate(system.processes):
        yield f"    {{{', '.join(_config(system, sizes, index, process, level))}}},"
    yield "};\n"
    yield from heap.tables(system)
    yield from _calls(system, sizes.calls)
    for process in system.managed:
        index = system.processes.index(process)
        yield f"struct takt_process *const takti_process_{process.name} = &takti_processes[{index}];"
    started = [group for group in grouped if copies and not group.attach]
    for group in started:
        yield f"extern uint8_t takti_data_end_{group.name}[], takti_zero_end_{group.name}[];"
        yield f"extern const uint8_t takti_load_{group.name}[];"
    yield "\n/* What several processes share, once: a restart leaves it as it is. */"
    yield "void takti_processes_init(void)\n{"
    for group in started:
        base, end, zero = (f"takti_{symbol}_{group.name}" for symbol in ("base", "data_end", "zero_end"))
        yield f"    memcpy({base}, takti_load_{group.name}, (size_t)({end} - {base}));"
        yield f"    memset({end}, 0, (size_t)({zero} - {end}));"
    yield "}"
    if not copies:
        yield "\n/* What processes begin with, as long as it is there. */"
        yield "__attribute__((constructor)) static void takti_loads_make(void)\n{"
        for process in system.processes:
            name = memory_of(process)
            yield f"    extern uint8_t takti_data_end_{name}[];"
            size = f"(size_t)(takti_data_end_{name} - takti_base_{name})"
            yield f"    memcpy(takti_load_{name}, takti_base_{name}, {size});"
        yield "}"


def stubs() -> dict[str, str]:
    """Of each call: the symbol of its trap, by its name."""
    return {name: f"takt_{'trap' if name in MULTIWORD else 'user'}_{name}" for name in CALLS}


def _calls(system: System, names: tuple[str, ...] | None) -> Iterator[str]:
    """The table of the calls that processes make, so that only these are linked, and what one of them needs for each
    task. None: the kernel's own table is of all."""
    if names is None or "hint_next_set" in names:
        tasks = len(system.tasks) + sum(process.threads for process in system.processes)
        yield f"struct takti_hint_copy takti_hint_copies[{tasks}];"
    if names is None:
        return
    yield from (f"TAKTI_ENTRY_DECLARE({name}, {name})" for name in names)
    yield "const takti_call_entry takti_call_table[TAKTI_CALL_COUNT] = {"
    yield from (f"    TAKTI_TABLE_ENTRY(TAKTI_CALL_{name}, {name})" for name in names)
    yield "};\n"


def object_count(system: System) -> int:
    """Of takt_system."""
    return len(list(processes.objects(system))) + sum(len(quotas.handle_slots(process)) for process in system.processes)


def _objects(system: System, sizes: Sizes, everything: Sequence[tuple[str, str]]) -> Iterator[str]:
    for device in system.devices:
        access = f".access = {_READ} | {_WRITE}, .device = 1"
        yield f"static const struct takt_region takti_device_{device.name} = {{"
        yield f"    .base = {device.base:#x}u, .size = {device.size:#x}u, {access}}};"
    yield from quotas.storage(system)
    yield from services.structures(system, lambda service: service.only_processes)
    for item in system.interrupts:
        if item.process is not None:
            target = next(n for n, task in enumerate(system.tasks) if task.trigger == f"interrupt {item.name}")
            yield f"TAKT_PROCESS_INTERRUPT_DEFINE({item.name}, {item.number}, &takt_tasks[{target}]);"
    for group in groups(system):
        if group.attach:
            shared = group.items[0][1]
            access = f".access = {_READ} | {_WRITE}"
            size = sizes.regions.get(group.name, 0)
            region = f"{{(uintptr_t)takti_base_{group.name}, {size}u, {access}}}"
            yield f"struct takt_shared {shared.name} = {{.region = {region}}};"
    yield f"\nstruct takt_object takti_objects[{object_count(system)}] = {{"
    indices = {process.name: index for index, process in enumerate(system.processes)}
    for index, (name, kind) in enumerate(everything):
        at = {
            "TASK": f"&takt_tasks[{index}]",
            "DEVICE": f"(void *)&takti_device_{name}",
            "PROCESS": f"&takti_processes[{indices.get(name)}]",
        }.get(kind, f"&{name}")
        owner = processes.owner(system, name)
        yield f"    {{.object = {at}, .generation = 1, .kind = TAKT_OBJECT_{kind}, .owner = {owner}}}, /* {name} */"
    yield from quotas.objects(system)
    yield "};\n"


def _process(
    system: System, sizes: Sizes, process: Process, everything: list[str], grouped: Sequence[Group]
) -> Iterator[str]:
    may = processes.rights(system, process)
    own = [7 if other == process else 0 for other in system.processes for _ in quotas.handle_slots(other)]
    rights = ", ".join(map(str, [*(may.get(name, 0) for name in everything), *own]))
    yield f"\nstatic const uint8_t takti_rights_{process.name}[] = {{{rights}}};"
    indices = ", ".join(str([task.name for task in system.tasks].index(name)) for name in process.tasks)
    yield f"static const uint16_t takti_tasks_{process.name}[] = {{{indices}}};"
    yield f"static const struct takt_region takti_regions_{process.name}[] = {{"
    reach = {SHARED_TEXT: f"{_READ} | {_EXECUTE}", text_of(process): f"{_READ} | {_EXECUTE}"}
    reach[memory_of(process)] = f"{_READ} | {_WRITE}"
    for group in grouped:
        reach[group.name] = f"{_READ} | {_WRITE}" if dict(group.rights).get(process.name) else _READ
    for name in _from_start(system, process):
        yield f"    {{(uintptr_t)takti_base_{name}, {sizes.regions.get(name, 0)}u, {reach[name]}, 0}},"
    yield "};"


def _from_start(system: System, process: Process) -> list[str]:
    later = {group.name for group in groups(system) if group.attach} | {device.name for device in system.devices}
    return [name for name in region_names(system, process) if name not in later]


def _config(system: System, sizes: Sizes, index: int, process: Process, level: int) -> Iterator[str]:
    yield f'.name = "{process.name}"'
    yield f".regions = takti_regions_{process.name}"
    yield f".rights = takti_rights_{process.name}"
    yield f".data_load = takti_load_{memory_of(process)}"
    yield f".data_size = {sizes.data.get(process.name, 0)}"
    yield f".zero_size = {sizes.zero.get(process.name, 0)}"
    yield f".quota_size = {process.memory}"
    yield f".tls = takti_tls_{process.name}"
    yield f".tasks = takti_tasks_{process.name}"
    yield f".task_count = {len(process.tasks)}"
    later = sum(len(quotas.handle_slots(other)) for other in system.processes[index:])
    yield f".slot_first = {object_count(system) - later}"
    yield f".slot_count = {len(quotas.handle_slots(process))}"
    if process.buffers:
        yield f".buffers = takti_buffers_{process.name}"
        yield f".buffers_size = {process.buffers}"
    yield f".thread_level = {level}"
    yield from quotas.inherits(process)
    if process.alarms:
        yield f".alarms_apart_ns = {{{quotas.alarms_apart(process)}}}"
    if process in dict(created.watched(system)):
        yield f".thread_budget = {{&{quotas.thread_budget(process)}}}"
    yield f".board = {' | '.join(processes.BOARD[key] for key in processes.BOARD if getattr(process, key)) or '0'}"
    yield f".region_count = {len(_from_start(system, process))}"
    yield f".index = {index}"
    yield f".on_fault = TAKT_ON_FAULT_{process.on_fault.upper()}"
    yield f".restarts_max = {'TAKT_RESTARTS_UNLIMITED' if process.restarts_max is None else process.restarts_max}"
    if process.deadline_threads:
        yield f".deadline_threads = {process.deadline_threads}"
    if process.faults_apart_ns is not None:
        yield f".faults_apart_ns = {process.faults_apart_ns}"
    if process.start == "on call":
        yield ".on_call = {true}"
    name = constructors.task_name(process.name)
    if name in constructors.tasks(system):
        yield f".constructs = {{{process.tasks.index(name) + 1}}}"


def app_header(system: System) -> Iterator[str]:
    """What takt_app.h says of tasks and objects: to the kernel's files what they are, to those of processes handles."""
    yield "#if TAKT_IN_PROCESS"
    yield '#include "takt/process.h"\n'
    yield "/* In a process the addresses of these are handles: index and generation, and nothing is there. */"
    yield '#define TAKTI_HANDLE(name) __asm__("takt_handle_" #name)'
    yield '#define TAKTI_OF_PROCESS(name) __asm__(#name "_" TAKTI_PROCESS)'
    for task in system.tasks:
        yield f"extern struct takt_task takti_task_{task.name} TAKTI_HANDLE({task.name});"
        yield f"#define TASK_{task.name} (&takti_task_{task.name})"
    structs = {
        item.name: service.struct(item) if service.struct else service.kind
        for service, _, item in services.objects(system)
    }
    for name, kind in processes.objects(system):
        if kind == "STATE":
            yield f"extern const struct takt_state takti_handle_{name} TAKTI_HANDLE({name});"
        elif kind == "PROCESS":
            yield f"extern struct takt_process takti_process_{name} TAKTI_HANDLE({name});"
            yield f"#define PROCESS_{name} (&takti_process_{name})"
        elif kind in _STRUCTS:
            yield f"extern struct {_STRUCTS[kind]} {name} TAKTI_HANDLE({name});"
        elif kind != "TASK":
            yield f"extern struct takt_{structs[name]} {name} TAKTI_HANDLE({name});"
    yield "#define TAKTI_STATE(name) (&takti_handle_##name)"
    yield "#else"
    yield "#define TAKTI_OF_PROCESS(name)"
    yield "#define TAKTI_STATE(name) (&name)"
    yield from tasks(system)
    for process in system.managed:
        yield f"extern struct takt_process *const takti_process_{process.name};"
        yield f"#define PROCESS_{process.name} takti_process_{process.name}"
    yield from services.structures(
        system, lambda service: service.handled and not (service.in_memory or service.only_processes)
    )
    yield "#endif"
    yield "/* What is used where it lies. */"
    yield from services.structures(system, lambda service: service.in_memory)
    yield from quotas.shared_memory(system)


def tasks(system: System) -> Iterator[str]:
    """The tasks, in the order of the declaration."""
    yield "/* The tasks, in the order of the declaration. */"
    yield f"extern struct takt_task takt_tasks[{len(system.tasks)}];"
    yield from (f"#define TASK_{task.name} (&takt_tasks[{index}])" for index, task in enumerate(system.tasks))


_STRUCTS = {"SHARED": "takt_shared", "DEVICE": "takt_region", "INTERRUPT": "takt_process_interrupt"}


def files(system: System) -> list[str]:
    """Names of the files that a protected system has besides."""
    own = [f"process_{process.name}.c" for process in system.processes]
    return [*own, *(f"{group.name}.c" for group in groups(system)), "processes.c"]
