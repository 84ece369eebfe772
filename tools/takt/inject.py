# SPDX-License-Identifier: Apache-2.0
"""`takt run --inject`: a task commits a fault, by real code in its own context, and the others go on.

Nothing of it is in an image that is built without. The task takes a semaphore of its own to do so once: that is the
kernel's, so a restart of the process, whose memory is made anew, does not bring it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from takt import durations
from takt.boards import Board
from takt.durations import brief, show
from takt.errors import UserError, did_you_mean
from takt.model import Injection, Semaphore, System, Task
from takt.process_faults import STARTS_AGAIN, ProcessFault
from takt.service_code import u64
from takt.trace import Event, Trace

if TYPE_CHECKING:
    from takt.prove import Proved

KINDS = {"stray": "stray", "overflow": "overflow", "illegal": "illegal", "hang": "budget", "assert": "assert"}
"""What can be injected, and the cause (takt.process_faults) with which the process is stopped."""

_FORM = "TASK:stray|overflow|illegal|hang|assert@TIME, such as monitor:stray@12.5s"
_NOWHERE = 0xF000_0000  # where no board has anything
_ILLEGAL = {"armv7m": "udf #0", "rv32": ".2byte 0"}  # both architectures promise that these never mean anything
_STEP_NS = 1_000_000  # of a loop on `host`, where time only passes in takt_work


def parse(texts: tuple[str, ...], system: System, board: Board, duration_ns: int) -> tuple[Injection, ...]:
    """What --inject says. UserError: it says nothing that this system can do on this board."""
    return tuple(
        Injection(*_parse(text, system, board, duration_ns), f"takti_inject_{number}")
        for number, text in enumerate(texts)
    )


def _parse(text: str, system: System, board: Board, duration_ns: int) -> tuple[str, str, int]:
    name, colon, rest = text.partition(":")
    kind, at, time = rest.partition("@")
    label = f'--inject "{text}"'
    if not colon or not at:
        raise UserError(f"{label}: not of the form", _FORM)
    tasks = [task.name for task in system.tasks]
    if name not in tasks:
        line = any(item.name == name and item.process is not None for item in system.interrupts)
        hint = "--protection: its handler is a task of a process then" if line else did_you_mean(name, tasks)
        raise UserError(f'{label}: no such task "{name}"', hint or f"one of {', '.join(tasks)}")
    if kind not in KINDS:
        raise UserError(f'{label}: no such fault "{kind}"', did_you_mean(kind, KINDS) or f"one of {', '.join(KINDS)}")
    try:
        at_ns = durations.parse(time)
    except UserError as error:
        raise UserError(f"{label}: {error.problem}", error.hint) from None
    if at_ns >= duration_ns:
        raise UserError(f"{label}: the run ends at {show(duration_ns)}", "an earlier time, or a longer --duration")
    _possible(label, system, board, name, kind)
    return name, kind, at_ns


def _possible(label: str, system: System, board: Board, name: str, kind: str) -> None:
    """UserError: not here."""
    task = system.task(name)
    if board.port == "host" and kind in ("stray", "overflow", "illegal"):
        problem = f"{label}: on host memory is not protected, nor is the processor told of such a fault"
        raise UserError(problem, "hang or assert; or --board mps2-an385")
    if kind == "overflow" and not system.protection:
        raise UserError(f"{label}: without protection nothing guards a stack", "--protection")
    if task.separation_ns is None or task.style == "loop":
        what = 'a loop (style = "loop")' if task.style == "loop" else "a background task"
        raise UserError(f'{label}: "{name}" is {what}: no job begins then', "a task whose jobs are released")
    if task.serves is not None:
        raise UserError(f'{label}: "{name}" serves a rendezvous: its jobs are not its own', "the task that calls it")
    if system.preset == "lean":
        problem = f"{label}: preset lean keeps no trace: nobody would see whether tasks go on"
        raise UserError(problem, 'preset = "standard"')


def into(proved: Proved, injections: tuple[Injection, ...]) -> Proved:
    """The same proof, of an image in which tasks are made to fail."""
    marks = tuple(Semaphore(injection.mark, initial=1, maximum=1) for injection in injections)
    system = replace(proved.system, semaphores=(*proved.system.semaphores, *marks), injections=(*injections,))
    return replace(proved, system=system)


def functions(system: System, tasks: tuple[str, ...]) -> Iterator[str]:
    """C functions that the statements of these tasks call."""
    if any(one.kind == "overflow" and one.task in tasks for one in system.injections):
        yield "\n/* Each call leaves its return address on the stack. */"
        yield "static __attribute__((noinline, noclone)) uint32_t takti_inject_overflow(uint32_t depth)\n{"
        yield "    uint32_t below = depth == UINT32_MAX ? 0 : takti_inject_overflow(depth + 1);"
        yield '    __asm volatile("" : "+r"(below)); /* so that it stays a recursion */'
        yield "    return below + 1;\n}"


def statements(system: System, board: Board, task: str) -> list[str]:
    """C statements at the beginning of each job of a task: where it is made to fail."""
    found = []
    for one in system.injections:
        if one.task == task:
            due = f"takt_now() >= {u64(one.at_ns)} && takt_semaphore_try_wait(&{one.mark}) == TAKT_OK"
            found += [f"if ({due}) {{", f"    {_statement(system, board, one.kind)}", "}"]
    return found


def bodies(system: System, board: Board, own: dict[str, list[str]]) -> dict[str, list[str]]:
    """Statements of the generated jobs of processes, by task. `own`: those without injections."""
    made = {}
    for task in system.tasks:
        before = statements(system, board, task.name)
        if before:
            made[task.name] = [*before, *own.get(task.name, [f"{task.entry}(argument);"])]
    return {**own, **made}


def entry(system: System, task: str) -> str | None:
    """The C function in place of the entry of a task without protection; None: its own."""
    return f"takti_injected_{task}" if any(one.task == task for one in system.injections) else None


def entries(system: System, board: Board, own: Callable[[Task], str]) -> Iterator[str]:
    """C of those functions. `own`: the entry of a task."""
    for task in system.tasks:
        name = entry(system, task.name)
        if name is not None:
            yield f"static void {name}(void *argument)\n{{"
            yield from (f"    {line}" for line in statements(system, board, task.name))
            yield f"    {own(task)}(argument);\n}}\n"


def _statement(system: System, board: Board, kind: str) -> str:
    from takt import link_script

    if kind == "stray":  # the kernel's memory begins where the board's does
        address = link_script.memories(board)["ram"].base if system.protection else _NOWHERE
        return f"*(volatile uint32_t *)UINT32_C({address:#x}) = 0;"
    return {
        "overflow": "(void)takti_inject_overflow(0);",
        "illegal": f'__asm volatile("{_ILLEGAL.get(board.port, "")}");',
        "hang": f"for (;;) {{ takt_work({u64(_STEP_NS)}); }}" if board.port == "host" else "for (;;) { }",
        "assert": "takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);",
    }[kind]


@dataclass(frozen=True)
class Injected:
    """What came of an injection. `fault`: None: nothing stopped the task. `jobs`: that the task has completed since its
    process started again; None: it did not."""

    injection: Injection
    fault: ProcessFault | None
    jobs: int | None
    silent: tuple[str, ...] = ()  # tasks of the process that had the time for a job since then, and completed none

    @property
    def what(self) -> str:
        return f"{self.injection.kind} of {self.injection.task} at {show(self.injection.at_ns)}"

    def breaches(self, system: System) -> Iterator[str]:
        """Where it did not go as a system with processes should."""
        if self.fault is None:
            why = ""
            if self.injection.kind == "hang" and system.task(self.injection.task).budget_ns is None:
                why = " (it has no budget: on_budget in [[task]], or budgets in [[process]])"
            yield f"{self.what} was injected, and no such fault was caught{why}"
        elif self.fault.restarted:
            for name in self.silent:
                yield f"{name} completed no job after the {self.what}, for which its process was restarted"

    def as_json(self) -> dict[str, Any]:
        return {
            "task": self.injection.task,
            "kind": self.injection.kind,
            "at_ns": self.injection.at_ns,
            "fault_ns": None if self.fault is None else self.fault.time_ns,
            "restart_jobs": self.jobs,
        }

    def line(self) -> str:
        """For people."""
        if self.fault is None:
            return f"{self.what}: not caught"
        many = f"{self.jobs} job{'' if self.jobs == 1 else 's'} since the restart"
        after = "its process stays stopped" if self.jobs is None else many
        return f"{self.what}: caught at {brief(self.fault.time_ns)}, {after}"


def verdict(injected: tuple[Injected, ...]) -> str:
    """Of a run in which all went as it should."""
    count = len(injected)
    caught = "the fault was caught" if count == 1 else f"{count} faults were caught"
    restarted = any(one.jobs is not None for one in injected)
    return f"{caught}, and what was restarted completed jobs again" if restarted else caught


def judge(system: System, faults: tuple[ProcessFault, ...], trace: Trace, end_ns: int) -> tuple[Injected, ...]:
    """Each injection with the fault that it caused. `end_ns`: of the run."""
    left = list(faults)
    found = []
    for one in sorted(system.injections, key=lambda one: one.at_ns):
        fits = (
            fault
            for fault in left
            if fault.task == one.task and fault.kind[0] == KINDS[one.kind] and fault.time_ns >= one.at_ns
        )
        fault = next(fits, None)
        if fault is None:
            found.append(Injected(one, None, None))
            continue
        left.remove(fault)
        found.append(_after(system, one, fault, trace, end_ns))
    return tuple(found)


def stopped(system: System, injected: tuple[Injected, ...]) -> set[str]:
    """Tasks of the processes that were to fail, and did."""
    names = {one.fault.process for one in injected if one.fault is not None}
    return {name for process in system.processes if process.name in names for name in process.tasks}


def _after(system: System, one: Injection, fault: ProcessFault, trace: Trace, end_ns: int) -> Injected:
    """What the tasks of the process did since its restart."""
    process = next(process for process in system.processes if process.name == fault.process)
    number = system.processes.index(process)
    names = {place: task.name for place, task in enumerate(system.tasks) if task.name in process.tasks}
    deadlines = {name: system.task(name).deadline_ns or 0 for name in process.tasks}
    begun: set[str] = set()
    completed = dict.fromkeys(process.tasks, 0)
    again = False
    for entry in trace.entries:
        if entry.event is Event.PROCESS and entry.object == number and entry.time_ns >= fault.time_ns:
            again = again or entry.value == STARTS_AGAIN
        name = names.get(entry.task) if again else None
        if name is not None and entry.event is Event.COMPLETE:
            completed[name] += 1
        elif name is not None and entry.event is Event.RELEASE and entry.time_ns + deadlines[name] <= end_ns:
            begun.add(name)
    silent = tuple(name for name in process.tasks if not completed[name] and (name in begun or name == one.task))
    return Injected(one, fault, completed[one.task] if again else None, silent)
