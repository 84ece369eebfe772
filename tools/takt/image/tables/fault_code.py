# SPDX-License-Identifier: Apache-2.0
"""The C that has a task commit a fault, for `takt run --inject`; takt.observe.inject judges what came of it.

Nothing of it is in an image that is built without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from takt.declare.schema.boards import Board
from takt.declare.schema.model import Injection, System, Task
from takt.declare.schema.service import u64
from takt.declare.service_kinds.semaphore import Semaphore

if TYPE_CHECKING:
    from takt.prove.proof import Proved

OVERFLOW = "takti_inject_overflow"  # the function that does
_NOWHERE = 0xF000_0000  # where no board has anything
_ILLEGAL = {"armv7m": "udf #0", "rv32": ".2byte 0"}  # both architectures promise that these never mean anything
_STEP_NS = 1_000_000  # of a loop on `host`, where time only passes in takt_work


def into(proved: Proved, injections: tuple[Injection, ...]) -> Proved:
    """The same proof, of an image in which tasks are made to fail."""
    marks = tuple(Semaphore(injection.mark, initial=1, maximum=1) for injection in injections)
    system = replace(proved.system, objects=(*proved.system.objects, *marks), injections=(*injections,))
    return replace(proved, system=system)


def functions(system: System, tasks: tuple[str, ...]) -> Iterator[str]:
    """C functions that the statements of these tasks call."""
    if any(one.kind == "overflow" and one.task in tasks for one in system.injections):
        yield "\n/* Each call leaves its return address on the stack. */"
        yield f"static __attribute__((noinline, noclone)) uint32_t {OVERFLOW}(uint32_t depth)\n{{"
        yield f"    uint32_t below = depth == UINT32_MAX ? 0 : {OVERFLOW}(depth + 1);"
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
    from takt.declare.schema import boards

    if kind == "stray":  # the kernel's memory begins where the board's does
        address = boards.memories(board)["ram"].base if system.protection else _NOWHERE
        return f"*(volatile uint32_t *)UINT32_C({address:#x}) = 0;"
    return {
        "overflow": f"(void){OVERFLOW}(0);",
        "illegal": f'__asm volatile("{_ILLEGAL.get(board.port, "")}");',
        "hang": f"for (;;) {{ takt_work({u64(_STEP_NS)}); }}" if board.port == "host" else "for (;;) { }",
        "assert": "takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);",
    }[kind]
