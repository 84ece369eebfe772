# SPDX-License-Identifier: Apache-2.0
"""`takt bench calls`: for every public call its contexts, whether it blocks, its instructions, and its stack.

Contexts and blocking come from the headers (takt.image.contracts; kernel/test/unit/core/contract_test.c compares them
with the kernel). Instructions are the maximum over the call's scenarios in benchmarks/calls, in which 4, 16 or 64 other
tasks are in the worst states that we know. Stack is the longest path through the call graph (takt.image.stack)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from takt.bench.kernel import BOARDS
from takt.bench.kernel import FOLDER as KERNEL
from takt.declare.schema import boards
from takt.image import contracts
from takt.image.contracts import Call
from takt.image.stack_bounds import ASSEMBLY, HINTS, INDIRECT, NOT_BELOW, TWICE
from takt.support.errors import UserError
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

FOLDER = ROOT / "benchmarks" / "calls"
TASKS = (4, 16, 64)
CONSOLE = (
    ROOT / "runner" / "include" / "takt" / "console.h",
    ROOT / "library" / "shell" / "include" / "takt" / "shell.h",
)
"""Headers above the kernel that have rows too."""
FIXED, BANDS, BUDGETS = "fixed", "bands", "budgets"
SCHEDS: dict[str, tuple[str, ...]] = {FIXED: (), BANDS: ("hint.h",), BUDGETS: ("budget.h",)}
"""Kinds of kernel, and the headers whose calls only they have. Of the second, figures of those and with hints are
kept."""
STACK_BOARD = "mps2-an385"

NOT_MEASURED = {
    "takt_start": "runs before the first task",
    "takt_hook_idle": "is defined by the application",
    "takt_hook_fault": "is defined by the application",
    "takt_fault_raise": "ends the system",
    "takt_fault_raise_exception": "ends the system",
    "takt_work": "takes the time of its argument",
    "takt_kernel_broken": "is for tests and debugging: it grows with the number of all objects",
    "takt_trace_statistics": "is for the end of a run: it grows with the declared tasks and their stacks",
    "takt_log_put": "does nothing in preset lean",
    "takt_log_put_words": "does nothing in preset lean",
    "takt_console_receive": "is for the generated handler, whose time is `console_wcet` of board.toml",
    "takt_shell_step": "writes to the console, and calls the application's commands",
    "takt_shell_say": "writes to the console",
    "takt_shell_say_number": "writes to the console",
}
NO_STACK = {
    "takt_start": "the board's",
    "takt_hook_idle": "idle's",
    "takt_hook_fault": "the caller's, without a return",
    "takt_fault_raise": "the caller's, without a return",
    "takt_fault_raise_exception": "the caller's, without a return",
    "takt_log_put": "none in preset lean",
    "takt_log_put_words": "none in preset lean",
    "takt_console_receive": "that of interrupts",
    "takt_shell_step": "its commands' and the board's",
    "takt_shell_say": "the board's",
    "takt_shell_say_number": "the board's",
}

HINTED = "hinted, "  # the beginning of scenarios in which hints were given

Found = Mapping[str, int]
"""Instructions by "call: scenario"."""


def image(board: str, sched: str, flags: str = "") -> Path:
    """The image that measures the calls of this kind of kernel in SCHEDS."""
    from takt.bench import images

    all_others = set(FOLDER.glob("*.c")) - {FOLDER / f"{name}.c" for name in (BUDGETS, "fifo", "system")}
    sources = [FOLDER / f"{sched}.c"] if sched == BUDGETS else sorted(all_others)
    includes = [KERNEL, KERNEL / board]
    sources.append(KERNEL / board / "target.c")
    return images.with_takt(board, "lean", sched, FOLDER, sources, includes, flags, hints=sched == BANDS)


def fifo_image(board: str, sched: str, fifo: bool) -> Path:
    """That of benchmarks/calls/fifo.c, with the kernel that has waiters in FIFO order or without."""
    from takt.bench import images

    sources, includes = [FOLDER / "fifo.c", KERNEL / board / "target.c"], [KERNEL, KERNEL / board]
    return images.with_takt(board, "lean", sched, FOLDER, sources, includes, "-DBENCHMARK_FIFO", fifo=fifo)


def sched_of(call: Call) -> str:
    return next((sched for sched, headers in SCHEDS.items() if call.header in headers), FIXED)


def stacks(calls: list[Call], hints: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Bytes, of each that is called on a task's stack, on the Cortex-M3. `hints`: HINTS, or all of them nothing."""
    from takt.image import stack

    graphs = {}
    for sched in SCHEDS:
        graphs[sched] = stack.Graph(indirect={**INDIRECT, **hints}, twice=TWICE, not_below=NOT_BELOW)
        built = image(STACK_BOARD, sched, stack.FLAGS)
        stack.read(graphs[sched], built, boards.load(STACK_BOARD).tools, ASSEMBLY, [built.parent])
    found = {}
    for call in calls:
        if call.name not in NO_STACK:
            inlined = f"inlined_{call.name}"
            sched = sched_of(call)
            graph = graphs[BANDS if sched == FIXED and any(hints.values()) else sched]
            found[call.name] = graph.most(inlined if inlined in graph.frames else call.name)
    return found


def of_call(found: Found, name: str, hinted: bool) -> Found:
    """Instructions by scenario."""
    own = {key.partition(": ")[2]: value for key, value in found.items() if key.partition(": ")[0] == name}
    return {key: value for key, value in own.items() if key.startswith(HINTED) == hinted}


def longest(found: Found, name: str) -> tuple[int, str]:
    """Instructions and scenario, without hints. UserError: there is none."""
    own = of_call(found, name, False)
    if not own:
        raise UserError(
            f"{name}: no scenario in {FOLDER.relative_to(ROOT)}", "add a scenario, or a reason in NOT_MEASURED"
        )
    scenario = max(own, key=lambda key: own[key])
    return own[scenario], scenario


def kept(sched: str, key: str, own: Mapping[str, str]) -> bool:
    """Whether the figure `key`, measured in this kind of kernel, is that of a row. `own`: the kind by call."""
    name, _, scenario = key.partition(": ")
    return sched == (BANDS if scenario.startswith(HINTED) else own.get(name, sched))


def row(call: Call, runs: list[Found], stack: int | None, hinted_stack: int | None) -> dict[str, Any]:
    measured = [] if call.name in NOT_MEASURED else [longest(found, call.name) for found in runs]
    hinted = [of_call(found, call.name, True) for found in runs]
    return {
        "call": call.name,
        "header": call.header,
        "contexts": list(call.contexts),
        "remark": call.remark,
        "blocks": call.blocks,
        "instructions": [value for value, _ in measured],
        "scenarios": [scenario for _, scenario in measured],
        "not_measured": NOT_MEASURED.get(call.name),
        "stack": stack,
        "hinted": [max(found.values()) for found in hinted if found],
        "hinted_stack": hinted_stack,
    }


def public() -> list[Call]:
    """Those that have a row."""
    return [*contracts.calls(), *contracts.calls(headers=CONSOLE)]


def measure(board: str) -> dict[str, Any]:
    """The document of `takt bench calls --json` (docs/json.md)."""
    from takt.bench import images

    calls = public()
    built = {sched: image(board, sched) for sched in SCHEDS}
    own = {call.name: sched_of(call) for call in calls}
    runs: list[Found] = []
    for tasks in TASKS:
        of_each = {sched: images.run(board, path, {"tasks": tasks}) for sched, path in built.items()}
        figures = [(sched, key, value) for sched, found in of_each.items() for key, value in found.items()]
        runs.append({key: value for sched, key, value in figures if kept(sched, key, own)})
    strange = {key.partition(": ")[0] for key in runs[0]} - {call.name for call in calls}
    if strange:
        raise UserError(f"{', '.join(sorted(strange))}: measured, but not declared in any header")
    needed = stacks(calls, dict.fromkeys(HINTS, ()))
    hinted = stacks(calls, HINTS)
    rows = [row(call, runs, needed.get(call.name), hinted.get(call.name)) for call in calls]
    return {"board": board, "tasks": list(TASKS), "stack_board": STACK_BOARD, "rows": rows}


def shown_contexts(found: Mapping[str, Any]) -> str:
    """The contexts as the header writes them."""
    words = "any" if tuple(found["contexts"]) == contracts.ANY else ", ".join(found["contexts"])
    remark = found["remark"]
    return words if not remark else f"{words} {remark}" if remark.startswith("that ") else f"{words}, {remark}"


def cells(found: Mapping[str, Any]) -> list[Cell]:
    figures: list[Cell] = list(found["instructions"]) or ["-"] * len(TASKS)
    stack = "-" if found["stack"] is None else found["stack"]
    return [found["call"], shown_contexts(found), found["blocks"], *figures, stack]


def tables(document: dict[str, Any]) -> list[Table]:
    """One for each header."""
    heads = ["", "context", "blocks", *map(str, document["tasks"]), "stack"]
    by_header: dict[str, list[list[Cell]]] = {}
    for found in document["rows"]:
        by_header.setdefault(found["header"], []).append(cells(found))
    found = [Table(f"takt/{header}", heads, rows, words=3) for header, rows in by_header.items()]
    hinted = [[row["call"], *row["hinted"], row["hinted_stack"]] for row in document["rows"] if row["hinted"]]
    return [*found, Table("Where hints were given", [heads[0], *heads[3:]], hinted)]


def more_with_hints(document: dict[str, Any]) -> int:
    return max(int(row["hinted_stack"] - row["stack"]) for row in document["rows"] if row["stack"] is not None)


def notes(document: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"Instructions on {document['board']}, preset lean, fixed bands, with 4, 16 and 64 other tasks: the maximum of"
        " several scenarios (`./takt bench calls --json` names the worst), from the call to its return, or until a task"
        " runs that the call made ready. In the scenarios the other tasks wait for the object, each with a timeout, or"
        " sleep. A call that blocks inserts the task behind all other waiters, with its timeout at the most expensive"
        " position of the queue of expiries; a call that wakes a task wakes the one whose timeout is the most expensive"
        " to cancel. These are the worst cases that we know, not a proof. A task makes the call, and no interrupt"
        " occurs.",
        "No task has given a hint, except in the last table: there all other tasks have given a hint for one mutex, or"
        " one task for the first mutex of a chain. `takt_semaphore_post` represents every call that wakes one task, and"
        " `takt_semaphore_flush` every call that wakes all; with hints, a call needs at most"
        f" {more_with_hints(document)} bytes more stack. These, and calls of takt/hint.h, are measured in a kernel with"
        " edf bands, which are empty, built so that it heeds hints: without budgets or protection it would not."
        " Calls of takt/budget.h are measured in a kernel"
        " with budgets.",
        "A task that unlocks a mutex, or deletes a ceiling, holds as many mutexes as there are other tasks; an alarm"
        " queue holds as many alarms. Messages have 8 bytes; mailboxes and slots hold 8, and a message is inserted"
        " before the last one. A signal is the ninth in its queue, and has the second of two requested numbers. A pipe"
        " moves 8 bytes, for or from tasks that transfer one byte each; `many` is four items. Rings and state messages"
        " are inline functions. 8 bytes of the console are read. The calls of the heap are in [heap.md](heap.md), those"
        " of the log in [log.md](log.md).",
        f"Stack is in bytes of {document['stack_board']}, on the caller's stack: the longest path through the call"
        " graph, with the 40 bytes of the context that a switch saves. 76 bytes for interrupts are to be added, and the"
        " application's handlers and hooks that a call invokes. The stack of a task start includes a proof"
        " (`runtime_tasks`).",
        "Calls without a figure: "
        + "; ".join(f"`{found['call']}` {found['not_measured']}" for found in document["rows"] if found["not_measured"])
        + ".",
    )


def markdown(document: dict[str, Any]) -> str:
    """docs/calls.md."""
    head = (
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        "<!-- Written by `takt bench docs` from benchmarks/measured/calls.json: do not edit. -->\n"
        "# Calls\n\n"
        "Every call of a kernel without processes: the contexts that may make it, its blocking, and its worst case."
        " `any` is a task, an interrupt that may call the kernel, and `takt_system.init`; a test makes each call from"
        " each of these contexts. [The reference](reference/index.md) describes each call, with these figures. Calls of"
        " tasks of processes, in `process.h` and `create.h`, are not measured.\n"
    )
    return "\n\n".join([head.rstrip(), *notes(document), *(section(table) for table in tables(document))]) + "\n"


def section(table: Table) -> str:
    return f"## {table.title}\n\n" + table.markdown().partition("\n\n")[2]


def add_command(group: click.Group) -> None:
    from takt.support.options import choice_option, json_option

    @group.command(name="calls")
    @choice_option("--board", BOARDS, BOARDS[0], "The emulated board to measure on.")
    @click.option("--update", is_flag=True, help="Replace the stored figures (benchmarks/measured).")
    @json_option
    def command(board: str, update: bool, as_json: bool) -> int:
        """Measure every kernel call: contexts, blocking, worst-case instructions with 4, 16, 64 other tasks, stack."""
        from takt.bench import documents
        from takt.support import console

        if update and board != BOARDS[0]:
            raise UserError(f"the stored figures are of {BOARDS[0]}", "leave out --board")
        document = measure(board)
        if update:
            documents.keep(documents.FOLDER / "calls.json", document)
        elif as_json:
            console.print_json(document)
        else:
            click.echo("\n\n".join([*(table.text() for table in tables(document)), *notes(document)]))
        return 0
