# SPDX-License-Identifier: Apache-2.0
"""Writes the constant tables of a system: system.c and takt_app.h, from the declaration and its bands.

A task without `entry` gets a synthetic job that executes for its wcet, the kernel's work to begin and end it included
(SYNTHETIC_KERNEL_NS, where kernel operations take time). A sporadic one that nothing triggers,
or an object that no source of the application could use, is released at its minimum inter-arrival, the worst arrivals
that its declaration allows. An interrupt without
`handler` executes for its wcet. On an emulated board a device raises every declared interrupt at its minimum
inter-arrival. On `host`, where C code takes no time, a job or handler executes for its wcet before its function is
called, unless the application calls takt_work itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from takt.declare import bursts, missed, processes, quotas, services
from takt.declare.buses import can_costs
from takt.declare.schema import server_code
from takt.declare.schema.boards import Board
from takt.declare.schema.levels import demoted_level, levels, thread_level
from takt.declare.schema.model import Band, Interrupt, Overheads, System, Task
from takt.declare.schema.reader import located
from takt.declare.schema.service import Context, u64
from takt.declare.service_kinds.alarm import Alarm
from takt.declare.service_kinds.mutex import hold_ns
from takt.declare.service_kinds.state import watched
from takt.image.tables import admission, can_code, cxx_tasks, fault_code, heap, process_code
from takt.prove import budgets, created
from takt.prove.board_memory import ADMISSION_STACK, IDLE_STACK, trace_records
from takt.support import files
from takt.support.c.board import INTERRUPTS_MAX
from takt.support.errors import UserError
from takt.support.files import HEAD, write_if_changed
from takt.support.version import version

if TYPE_CHECKING:
    from takt.declare.service_kinds.state_copies import Depth
    from takt.prove.bus.buses import BusProof
    from takt.prove.proof import Proved

LEVEL_WORD = 32
NO_STACK = 128  # cooperative: jobs run on the idle task's stack, and this is only there to hold their unused contexts
SYNTHETIC_KERNEL_NS = 32_000  # of each synthetic job and of each of its waits, at most a quarter of the job
BACKGROUND_SLICE_NS = 1_000_000  # a synthetic background task without wcet works in pieces of this length

FILES = ("system.c", "takt_app.h")


def timers_needed(system: System) -> int:
    """Timers that may be armed at once: per task, thread, watched deadline, alarm, watchdog, restart of a process,
    section in which a task waits, server; slice, budget, runner/run.c's.

    A task that is started at run time may be of any kind.
    """
    tasks = len(system.tasks) + sum(missed.watched(task) for task in system.tasks)
    restarts = len(system.processes) if system.protection else 0
    more = system.budgets + len(system.servers) + created.sections(system) + system.threads + restarts + 2
    return tasks + 2 * system.runtime_tasks + services.timers(system) + more


def object_ids(system: System) -> dict[str, int]:
    """Trace ids."""
    return {name: number for number, name in enumerate(services.object_kinds(system))}


def generate(
    system: System,
    bands: Sequence[Band],
    folder: Path,
    *,
    board: Board,
    cooperative: bool = False,
    overheads: Overheads | None = None,
    proof: str = "",
    depths: Sequence[Depth] = (),
    buses: Sequence[BusProof] = (),
) -> str:
    """Writes folder/system.c and folder/takt_app.h, touching them only when they change.

    The image carries the hash of `proof`, the text of the proof, and of these files: what is returned, 16 hex digits.
    `depths`: what is said of state messages. `buses`: what is proved of those that the system drives.
    """
    writer = _Writer(system, tuple(bands), board, cooperative, overheads, "", tuple(buses))
    header = _text(_header(system, depths))
    others = {name: _text(lines) for name, lines in writer.others()}
    texts = (proof, header, _text(writer.source()), *others.values())
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    for name, text in {"takt_app.h": header, **others}.items():
        write_if_changed(folder / name, text)
    write_if_changed(folder / "system.c", _text(replace(writer, digest=digest).source()))
    return digest


def write_header(system: System, folder: Path) -> None:
    """Writes folder/takt_app.h as it is before a proof, which may change the readers that lock the kernel."""
    write_if_changed(folder / "takt_app.h", _text(_header(system)))


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def generate_proved(proved: Proved, folder: Path) -> str:
    """As `generate`, all of it from a proof."""
    return generate(
        proved.system,
        proved.bands,
        folder,
        board=proved.board,
        cooperative=proved.choice.cooperative,
        overheads=proved.overheads,
        proof=proved.text(),
        depths=proved.depths,
        buses=proved.buses if proved.system.buses else (),
    )


def _header(system: System, depths: Sequence[Depth] = ()) -> Iterator[str]:
    """What the application's C files include."""
    yield f'{HEAD}#ifndef TAKT_APP_H\n#define TAKT_APP_H\n\n#include "takt/takt.h"\n'
    headers = list(services.includes(system))
    if system.driven:
        headers.append('#include "takt/can_service.h"')
    yield from [*headers, ""] if headers else headers
    yield "TAKT_C_BEGIN\n"
    yield from process_code.app_header(system) if system.protection else process_code.tasks(system)
    yield ""
    for depth in depths:
        yield "/*\n" + "\n".join(f" * {line}" for line in depth.lines()) + "\n */"
    if not system.protection:
        yield from services.structures(system)
        yield from quotas.direct_header(system)
    yield from services.declarations(system)
    yield from can_code.header(system) if system.buses else ()
    yield "\n/* What the application defines. */"
    entries = dict.fromkeys(task.entry for task in system.tasks if task.entry is not None)
    handlers = dict.fromkeys(item.handler for item in system.interrupts if item.handler is not None)
    yield from (f"void {entry}(void *argument);" for entry in entries)
    yield from (f"void {handler}(void);" for handler in handlers)
    yield from services.prototypes(system)
    yield from missed.prototypes(system)
    yield "\n/* Called before time 0; kernel calls that do not block are allowed. May be left out. */"
    yield "void takt_app_init(void);"
    yield '\n/* Called in an interrupt when a job of a task with on_budget = "notify" uses it up. May be left out. */'
    yield "void takt_app_budget(struct takt_task *task);\n\nTAKT_C_END\n\n#endif"


def calls_work(sources: Sequence[Path]) -> bool:
    """Whether the application charges its own execution."""
    return any(re.search(r"\btakt_work\s*\(", files.read_text(source)) for source in sources)


def work_ns(task: Task, board: Board) -> int:
    """What a synthetic job of the task executes by itself."""
    kernel_ns = 0 if board.zero_overheads else min(SYNTHETIC_KERNEL_NS * (1 + task.waits), task.wcet_ns // 4)
    return task.wcet_ns - kernel_ns if task.entry is None else 0


@dataclass(frozen=True)
class _Writer:
    system: System
    bands: tuple[Band, ...]
    board: Board
    cooperative: bool
    overheads: Overheads | None
    digest: str
    buses: tuple[BusProof, ...] = ()

    def source(self) -> Iterator[str]:
        port = "kernel/process/process.h" if self.system.protection else "kernel/port.h"
        yield f'{HEAD}#include "takt_app.h"\n\n#include "{port}"\n#include "takt/board.h"'
        if self.system.console is not None:
            yield '#include "takt/console.h"'
        yield '#include "takt/admission.h"\n' if self.system.runtime_tasks else ""
        yield f"/* Built with Takt {version()}. */\n"
        yield "/* The proof and these tables: the first 64 bits of their SHA-256. runner/run.c checks it. */"
        yield f"const uint64_t takt_proof_hash = UINT64_C(0x{self.digest});\n"
        yield from self.objects()
        yield from process_code.externs(self.system) if self.system.protection else self.synthetic()
        yield from self.storage()
        yield from self.configs()
        yield from can_code.tables(self.system, self.board, self.buses) if self.system.buses else ()
        yield from self.interrupts()
        yield from self.tables()

    def others(self) -> Iterator[tuple[str, Iterator[str]]]:
        """Further files of a protected system, except processes.c and processes.ld (takt.image.protected)."""
        if self.system.protection:
            bodies = self.bodies()
            for process in self.system.processes:
                yield f"process_{process.name}.c", process_code.process_source(self.system, process, bodies)
            for group in process_code.groups(self.system):
                yield f"{group.name}.c", process_code.shared_source(group, self.context())

    def context(self) -> Context:
        ranks = levels(self.bands, self.system)
        handles, users = processes.handles(self.system), partial(processes.users, self.system)
        return Context(self.system, object_ids(self.system), ranks, self.alarm, users, handles.__getitem__)

    def triggered(self, kind: str, name: str) -> int | None:
        wanted = f"{kind} {name}"
        return next((index for index, task in enumerate(self.system.tasks) if task.trigger == wanted), None)

    def objects(self) -> Iterator[str]:
        yield from services.definitions(self.context())
        yield ""

    def synthetic(self) -> Iterator[str]:
        """The jobs of tasks without entry, and on `host` those that charge their wcet first."""
        yield from quotas.direct(self.system, thread_level(self.bands, self.system))
        for entry in self.charged():
            yield f"static void takti_charged_{entry}(void *argument)\n{{"
            yield f"    takt_work(takt_task_running()->config->wcet_ns);\n    {entry}(argument);\n}}\n"
        loads = [task for task in self.system.tasks if task.entry is None and task.serves is None]
        if any(task.wcet_ns and not self.apart(task) for task in loads):
            work = ", ".join(u64(work_ns(task, self.board)) for task in self.system.tasks)
            yield f"static const uint64_t takti_synthetic_work_ns[{len(self.system.tasks)}] = {{{work}}};\n"
            yield "static void takti_synthetic_job(void *argument)\n{"
            yield "    const uint64_t *work_ns = argument;\n    takt_work(*work_ns);\n}\n"
        for task in loads:
            if self.apart(task):
                yield from bursts.function(self.system, task) if bursts.bursting(task) else ()
                yield f"static void takti_waiting_{task.name}(void *argument)\n{{\n    (void)argument;"
                yield from (f"    {line}" for line in self.waiting(task))
                yield "}\n"
        if any(not task.wcet_ns for task in loads):
            yield "static void takti_synthetic_background(void *argument)\n{\n    (void)argument;"
            yield "    for (;;) { /* takes whatever is left */"
            yield f"        takt_work({u64(BACKGROUND_SLICE_NS)});\n    }}\n}}\n"
        yield from fault_code.entries(self.system, self.board, self.own_entry)

    def apart(self, task: Task) -> bool:
        """Whether a synthetic job has a function of its own."""
        return bool(task.waits or bursts.bursting(task) or self.ending(task))

    def ending(self, task: Task) -> list[str]:
        return can_code.ending(self.system, task) if self.system.buses else []

    def waiting(self, task: Task) -> Iterator[str]:
        """Statements of a synthetic job that waits as long and as often as it may, and of one that comes in bursts."""
        own_ns = work_ns(task, self.board)
        if bursts.bursting(task):
            yield f"takti_burst_{task.name}(takt_job_release_ns());"
        if not task.waits:
            calls_ns = can_costs.calls_ns(self.system, task.name, self.board) if self.system.driven else 0
            yield f"takt_work({u64(max(0, own_ns - calls_ns))});"
            yield from self.ending(task)
            return
        part_ns = own_ns // (task.waits + 1)
        yield f"for (unsigned waits = {task.waits}; waits > 0; waits--) {{"
        yield f"    takt_work({u64(part_ns)});"
        yield f"    takt_delay({u64(task.suspension_ns // task.waits)});"
        yield "}"
        yield f"takt_work({u64(own_ns - task.waits * part_ns)});"
        yield from self.ending(task)

    def bodies(self) -> dict[str, list[str]]:
        """Statements of the jobs that are generated for tasks of processes, by task."""
        works = self.board.port == "host" and not calls_work(self.system.sources)
        own = process_code.bodies(self.system, works, self.statements)
        return fault_code.bodies(self.system, self.board, own)

    def statements(self, task: Task) -> list[str]:
        """Of a synthetic job."""
        if task.waits:
            return list(self.waiting(task))
        work = f"takt_work({u64(work_ns(task, self.board) if task.wcet_ns else BACKGROUND_SLICE_NS)});"
        return [work] if task.wcet_ns else ["for (;;) {", f"    {work}", "}"]

    def charged(self) -> dict[str, None]:
        """Entries that do not charge virtual time themselves, each once."""
        if self.board.port != "host" or calls_work(self.system.sources):
            return {}
        jobs = (task for task in self.system.tasks if task.style == "entry" and task.separation_ns is not None)
        return dict.fromkeys(task.entry for task in jobs if task.entry is not None)

    def storage(self) -> Iterator[str]:
        yield f"struct takt_task takt_tasks[{len(self.system.tasks)}];"
        yield from heap.unprotected(self.system)
        yield from cxx_tasks.tables(self.system)
        yield from server_code.definitions(self.system)
        if self.system.budgets:
            yield "__attribute__((weak)) void takt_app_budget(struct takt_task *task)\n{\n    (void)task;\n}\n"
        for name, size in self.stacks().items():
            if self.system.protection and name != "takti_idle_stack":
                continue
            yield f"static uint8_t {name}[{size}] __attribute__((aligned(8)));"
        for task in self.system.tasks:
            if self.sporadic(task):
                yield bursts.arrivals(task)
            yield from missed.definitions(task, self.board.port == "host" and not calls_work(self.system.sources))
            if server_code.limited(self.system, task):
                yield f"static struct takt_budget takti_budget_{task.name} = {{{', '.join(self.budget(task))}}};"
        yield from created.budgets(self.system, self.budget)
        yield f"static struct takt_task_statistics takti_statistics[{len(self.system.tasks)}];"
        yield ""

    def budget(self, task: Task) -> Iterator[str]:
        yield f".full_ns = {'TAKT_FOREVER' if task.budget_ns is None else u64(task.budget_ns)}"
        yield f".hold_ns = {u64(hold_ns(self.system, task.name))}"
        yield from budgets.fields(self.system, self.bands, self.overheads, self.board, task)
        yield ".hook = takt_app_budget"
        yield from server_code.policy(self.system, task)
        if task.on_budget == "demote" or self.system.server_of(task.name):
            yield f".level = {demoted_level(self.bands, self.system)}"

    def stacks(self) -> dict[str, int]:
        """Bytes of each stack by C name. A cooperative system runs every job on the idle task's."""
        tasks = {f"takti_stack_{task.name}": task.stack for task in self.system.tasks}
        if self.cooperative:
            return {"takti_no_stack": NO_STACK, "takti_idle_stack": IDLE_STACK + max(tasks.values())}
        more = ADMISSION_STACK if self.system.protection and self.system.runtime_tasks else 0
        return {**tasks, "takti_idle_stack": IDLE_STACK + more}

    def sporadic(self, task: Task) -> bool:
        """Released by a call; a synthetic task that nothing triggers is released by time instead, or if it has bursts
        by itself."""
        triggered = task.trigger is not None and not self.nobody_sends(task.trigger)
        called = task.entry is not None or triggered or task.burst > 1
        return task.min_interarrival_ns is not None and called

    def nobody_sends(self, trigger: str) -> bool:
        """Whether it is an object that only calls of the application use, and there is none."""
        kind = trigger.split(" ", maxsplit=1)[0]
        return not self.system.sources and kind not in ("interrupt", "alarm", "alarm_queue", "message")

    def configs(self) -> Iterator[str]:
        level_of = server_code.with_served(self.system, levels(self.bands, self.system))
        yield f"static const struct takt_task_config takti_configs[{len(self.system.tasks)}] = {{"
        for index, task in enumerate(self.system.tasks):
            yield f"    [{index}] = {{{', '.join(self.fields(index, task, level_of[task.name]))}}},"
        yield "};\n"

    def fields(self, index: int, task: Task, level: int) -> Iterator[str]:
        stack = "takti_no_stack" if self.cooperative else f"takti_stack_{task.name}"
        queue = task.serves
        entry = self.entry(task)
        release = "BACKGROUND" if task.separation_ns is None else "SPORADIC" if self.sporadic(task) else "PERIODIC"
        yield f'.name = "{task.name}"'
        yield f".entry = {entry}"
        loaded = task.entry is None and queue is None and task.wcet_ns > 0 and not self.apart(task)
        loaded = loaded and not self.system.protection
        yield f".argument = (void *)&takti_synthetic_work_ns[{index}]" if loaded else ".argument = NULL"
        yield f".stack = {stack}"
        yield f".period_ns = {u64(task.separation_ns or 0)}"
        yield f".deadline_ns = {server_code.deadline(task)}"
        yield f".offset_ns = {u64(task.offset_ns or 0)}"
        yield f".wcet_ns = {u64(task.wcet_ns)}"
        yield f".statistics = &takti_statistics[{index}]"
        if release == "SPORADIC":
            yield f".arrivals = &takti_arrivals_{task.name}"
        if server_code.limited(self.system, task):
            yield f".budget = &takti_budget_{task.name}"
        yield f".stack_size = sizeof {stack}"
        yield f".index = {index}"
        yield f".release = TAKT_{release}"
        yield f".style = TAKT_STYLE_{task.style.upper() if task.entry else 'ENTRY'}"
        yield from missed.fields(task)
        yield f".level = {level}"
        if self.system.protection:
            yield f".process = &takti_processes[{process_code.process_of(self.system, task.name)}]"

    def entry(self, task: Task) -> str:
        """The C function that a task runs."""
        if self.system.protection:
            return process_code.job(task.name) if task.name in self.bodies() else task.entry or ""
        return fault_code.entry(self.system, task.name) or self.own_entry(task)

    def own_entry(self, task: Task) -> str:
        """Of a system without protection, that which `inject` wraps."""
        synthetic = "takti_synthetic_job" if task.wcet_ns else "takti_synthetic_background"
        synthetic = f"takti_waiting_{task.name}" if self.apart(task) else synthetic
        entry = task.entry or (synthetic if task.serves is None else f"takti_serve_{task.serves}")
        if task.entry in self.charged() and task.style == "entry" and task.separation_ns is not None:
            entry = f"takti_charged_{task.entry}"
        return entry

    def interrupts(self) -> Iterator[str]:
        handled = [item for item in self.system.interrupts if item.process is None or not self.system.protection]
        for item in handled:
            yield from self.handler(item)
        yield "__attribute__((weak)) void takt_app_init(void)\n{\n}\n"
        yield "static void takti_init(void)\n{"
        if self.system.protection:
            yield "    takti_processes_init();"
        for item in handled:
            yield f"    takt_port_irq_attach({item.number}, takti_interrupt_{item.name}, {str(item.kernel).lower()});"
        yield from services.starts(self.system)
        yield from bursts.starts(self.system)
        yield "    takt_app_init();"
        self.refuse_numbers()
        if self.system.console is not None:
            yield f"    takt_board_console_start({u64(self.system.console.character_ns)});"
        yield from can_code.starts(self.system) if self.system.buses else ()
        own = [item for item in self.system.interrupts if item.console or item.bus]
        devices = [item for item in self.system.interrupts if item not in own] if self.board.emulated else []
        if len(devices) > INTERRUPTS_MAX:
            problem = f"{len(devices)} interrupts; {self.board.name} raises at most {INTERRUPTS_MAX}"
            raise UserError(problem, "fewer, or a real board")
        for item in devices:
            yield f"    takt_board_interrupt_every({item.number}, 0, {u64(item.every_ns or item.min_interarrival_ns)});"
        yield "}\n"

    def refuse_numbers(self) -> None:
        """UserError: the board has no such interrupt, or needs it for itself."""
        for item in self.system.interrupts:
            free = [n for n in range(self.board.interrupts) if n not in self.board.interrupts_taken]
            if item.number not in free:
                why = "needs it for itself" if item.number in self.board.interrupts_taken else "has no such interrupt"
                used = {other.number for other in self.system.interrupts}
                hint = next((str(n) for n in free if n not in used), "")
                problem = f'[[interrupt]] "{item.name}": number = {item.number}: {self.board.name} {why}'
                raise located(self.system, item.name, problem, hint)

    def handler(self, item: Interrupt) -> Iterator[str]:
        yield f"static void takti_interrupt_{item.name}(void)\n{{"
        yield from self.handling("interrupt", item, "")
        yield "}\n"

    def alarm(self, item: Alarm) -> Iterator[str]:
        yield from self.handling("alarm", item, "alarm")

    def handling(self, kind: str, item: Interrupt | Alarm, argument: str) -> Iterator[str]:
        """What a handler does."""
        received = isinstance(item, Interrupt) and item.console
        driven = item.bus if isinstance(item, Interrupt) else ""
        synthetic = item.handler is None and not received and not driven
        charged = synthetic or (self.board.port == "host" and not calls_work(self.system.sources))
        if charged and item.wcet_ns:
            yield f"    takt_work({u64(item.wcet_ns)});"
        if item.handler is not None:
            yield f"    {item.handler}({argument});"
        if received:
            yield "    takt_console_receive();"
        if driven:
            yield can_code.handling(driven)
        target = self.triggered(kind, item.name)
        if target is not None:
            yield f"    takt_job_release(&takt_tasks[{target}]);"

    def tables(self) -> Iterator[str]:
        ranks = levels(self.bands, self.system)
        words: list[list[str]] = [[] for _ in range(-(-len([*ranks, None]) // LEVEL_WORD))]
        for number, level in enumerate(ranks):
            if level.edf:
                words[number // LEVEL_WORD].append(f"TAKT_BITMAP_BIT({number})")
        yield f"static const uint8_t takti_level_bands[] = {{{', '.join(str(level.band) for level in ranks)}}};"
        sliced = any(level.quantum_ns for level in ranks)
        if sliced:
            quanta = ", ".join(u64(level.quantum_ns) for level in ranks)
            yield f"static const uint64_t takti_level_quanta_ns[] = {{{quanta}}};"
        if self.system.runtime_tasks:
            yield from admission.table(self.system, self.bands, self.overheads, self.board)
        capacity = trace_records(self.system, self.board)
        if capacity:
            yield f"static struct takt_trace_record takti_trace_records[{capacity}];"
        yield ""
        yield f"TAKT_TIMERS_DEFINE(takti_timers, {timers_needed(self.system)});\n"
        edf_levels = sum(level.edf for level in ranks)
        if edf_levels:
            tasks_max = len(self.system.tasks) + self.system.runtime_tasks + self.system.threads
            yield f"TAKT_EDF_DEFINE(takti_edf, {edf_levels}, {tasks_max});\n"
        yield "const struct takt_system takt_system = {"
        yield f"    .configs = takti_configs,\n    .tasks = takt_tasks,\n    .task_count = {len(self.system.tasks)},"
        yield f"    .edf_levels = {{{', '.join(' | '.join(word) or '0' for word in words)}}},"
        yield f"    .edf = {'&takti_edf' if edf_levels else 'NULL'},"
        yield "    .level_bands = takti_level_bands,"
        yield f"    .level_quanta_ns = {'takti_level_quanta_ns' if sliced else 'NULL'},"
        yield "    .timers = &takti_timers,\n    .init = takti_init,"
        yield "    .idle_stack = takti_idle_stack,\n    .idle_stack_size = sizeof takti_idle_stack,"
        if capacity:
            yield f"    .trace_records = takti_trace_records,\n    .trace_capacity = {capacity},"
        yield f"    .admission = {'&takti_admission' if self.system.runtime_tasks else 'NULL'},"
        yield from process_code.fields(self.system) if self.system.protection else ()
        yield from server_code.fields(self.system)
        yield "};"
        yield from watched(self.system, object_ids(self.system))


def entries(system: System, board: Board) -> dict[str, str]:
    """The C function that each task runs, by task; those that are generated as "system.c:NAME"."""
    writer = _Writer(system, (), board, False, None, "")
    names = {task.name: writer.entry(task) for task in system.tasks}
    own = "" if system.protection else "system.c:"  # jobs that are generated for processes are not static
    return {task: f"{own}{name}" if name.startswith("takti_") else name for task, name in names.items()}
