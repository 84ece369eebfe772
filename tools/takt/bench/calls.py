# SPDX-License-Identifier: Apache-2.0
"""`takt bench calls`: of every public call who may make it, what it waits for, its instructions, and its stack.

Contexts and waits are what the headers say (takt.image.contracts; kernel/test/unit/contract_test.c holds them
against the
kernel). Instructions are the longest of the call's scenarios in benchmarks/calls, where so many other tasks are in the
worst states that we know. Stack is the longest way through the call graph (takt.image.stack).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from takt.bench.kernel import BOARDS
from takt.bench.kernel import FOLDER as KERNEL
from takt.image import contracts
from takt.image.contracts import Call
from takt.image.stack_bounds import ASSEMBLY, HINTS, INDIRECT, NOT_BELOW, TWICE
from takt.support.errors import UserError
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

FOLDER = ROOT / "benchmarks" / "calls"
TASKS = (4, 16, 64)
FIXED = "fixed"
SCHEDS: dict[str, tuple[str, ...]] = {FIXED: (), "budgets": ("budget.h",)}
"""Kinds of kernel, and the headers whose calls only they have. But for the first, a file of benchmarks/calls each."""
STACK_BOARD, STACK_TOOLS = "mps2-an385", "arm-none-eabi-"

NOT_MEASURED = {
    "takt_start": "comes before everything",
    "takt_hook_idle": "is the application's",
    "takt_hook_fault": "is the application's",
    "takt_fault_raise": "ends the system",
    "takt_fault_raise_exception": "ends the system",
    "takt_work": "takes what it is told to",
    "takt_kernel_broken": "is for tests and for who looks for a fault: grows with all that there is",
    "takt_trace_statistics": "is for the end of a run: grows with the tasks of the table and their stacks",
}
NO_STACK = {
    "takt_start": "the board's",
    "takt_hook_idle": "idle's",
    "takt_hook_fault": "whoever's, for good",
    "takt_fault_raise": "whoever's, for good",
    "takt_fault_raise_exception": "whoever's, for good",
}

HINTED = "hinted, "  # how scenarios begin in which hints were given

Found = Mapping[str, int]
"""Instructions by "call: scenario"."""


def image(board: str, sched: str, flags: str = "") -> Path:
    """What measures the calls that are of this kind of kernel in SCHEDS."""
    from takt.bench import images

    own = {FOLDER / f"{name}.c" for name in SCHEDS if name != FIXED}
    all_others = set(FOLDER.glob("*.c")) - own - {FOLDER / "system.c"}
    sources = sorted(all_others) if sched == FIXED else [FOLDER / f"{sched}.c"]
    includes = [KERNEL, KERNEL / board]
    return images.with_takt(board, "lean", sched, FOLDER, [*sources, KERNEL / board / "target.c"], includes, flags)


def sched_of(call: Call) -> str:
    return next((sched for sched, headers in SCHEDS.items() if call.header in headers), FIXED)


def stacks(calls: list[Call], hints: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Bytes, of each that is called on a task's stack, on the Cortex-M3. `hints`: HINTS, or all of them nothing."""
    from takt.image import stack

    graphs = {}
    for sched in SCHEDS:
        graphs[sched] = stack.Graph(indirect={**INDIRECT, **hints}, twice=TWICE, not_below=NOT_BELOW)
        stack.read(graphs[sched], image(STACK_BOARD, sched, stack.FLAGS), STACK_TOOLS, ASSEMBLY)
    found = {}
    for call in calls:
        if call.name not in NO_STACK:
            inlined = f"inlined_{call.name}"
            graph = graphs[sched_of(call)]
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
        raise UserError(f"{name}: no scenario in {FOLDER.relative_to(ROOT)}", "or a reason in NOT_MEASURED")
    scenario = max(own, key=lambda key: own[key])
    return own[scenario], scenario


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


def measure(board: str) -> dict[str, Any]:
    """The document of `takt bench calls --json` (docs/json.md)."""
    from takt.bench import images

    calls = contracts.calls()
    built = [image(board, sched) for sched in SCHEDS]
    runs: list[Found] = []
    for tasks in TASKS:
        of_each = (images.run(board, path, {"tasks": tasks}) for path in built)
        runs.append({key: value for found in of_each for key, value in found.items()})
    strange = {key.partition(": ")[0] for key in runs[0]} - {call.name for call in calls}
    if strange:
        raise UserError(f"{', '.join(sorted(strange))}: measured, but no header has it")
    needed = stacks(calls, dict.fromkeys(HINTS, ()))
    hinted = stacks(calls, HINTS)
    rows = [row(call, runs, needed.get(call.name), hinted.get(call.name)) for call in calls]
    return {"board": board, "tasks": list(TASKS), "stack_board": STACK_BOARD, "rows": rows}


def who(found: Mapping[str, Any]) -> str:
    """Contexts, as the header has them."""
    words = "any" if tuple(found["contexts"]) == contracts.ANY else ", ".join(found["contexts"])
    remark = found["remark"]
    return words if not remark else f"{words} {remark}" if remark.startswith("that ") else f"{words}, {remark}"


def cells(found: Mapping[str, Any]) -> list[Cell]:
    figures: list[Cell] = list(found["instructions"]) or ["-"] * len(TASKS)
    return [found["call"], who(found), found["blocks"], *figures, "-" if found["stack"] is None else found["stack"]]


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
        f"Instructions of {document['board']}, preset lean, fixed bands, with 4, 16 and 64 other tasks: the longest of"
        " some scenarios (`./takt bench calls --json` names it), from the call to its return, or until a task runs that"
        " it lets run. In them the others wait for the object, each with a timeout, and sleep; whoever waits comes last"
        " among them, and its timeout where that is dearest; whoever is woken has the timeout that is dearest to"
        " cancel. They are the worst that we know, not a proof. A task makes the call, and no interrupt comes.",
        "Nobody has given a hint, but in the last table: there all others have hinted at one mutex, or one at the first"
        " of a chain of them. `takt_semaphore_post` stands there for every call that wakes one task, and"
        " `takt_semaphore_flush` for every one that wakes all; the stack of any call is with hints at most"
        f" {more_with_hints(document)} bytes more. Calls of takt/budget.h are measured in a kernel with budgets,"
        " all others in one without.",
        "Who unlocks a mutex, or deletes a ceiling, holds as many as there are others; so many alarms wait in a queue."
        " Messages are of 8 bytes, mailboxes and slots of 8 of them, sorted in before the last; a signal is the ninth"
        " in its queue, and of the second number that is wanted; a pipe moves 8 bytes, for or from tasks with one each;"
        " `many` is four items. Rings and state messages are in line.",
        f"Stack is in bytes of {document['stack_board']}, on the caller's: the longest way through the call graph, with"
        " the context that a switch leaves, 40 bytes. On top come 76 bytes for interrupts, and the handlers and hooks"
        " of the application's that a call makes. That of a task start has a proof in it (`runtime_tasks`).",
        "No figure: "
        + "; ".join(f"`{found['call']}` {found['not_measured']}" for found in document["rows"] if found["not_measured"])
        + ".",
    )


def markdown(document: dict[str, Any]) -> str:
    """docs/calls.md."""
    head = (
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        "<!-- Written by `takt bench docs` from benchmarks/measured/calls.json: do not edit. -->\n"
        "# Calls\n\n"
        "Every call of a kernel without processes: who may make it, what it waits for, what it takes at worst. `any` is"
        " a task, an interrupt that may call the kernel, and `takt_system.init`; a test makes each call from each of"
        " them. [The reference](reference/index.md) says what a call does, and has these figures beside it. Calls of"
        " tasks of processes, in `process.h` and `create.h`, are not measured.\n"
    )
    return "\n\n".join([head.rstrip(), *notes(document), *(section(table) for table in tables(document))]) + "\n"


def section(table: Table) -> str:
    return f"## {table.title}\n\n" + table.markdown().partition("\n\n")[2]


def add_command(group: click.Group) -> None:
    from takt.support.options import json_option

    @group.command(name="calls")
    @click.option("--board", type=click.Choice(BOARDS), default=BOARDS[0], show_default=True, help="An emulated board.")
    @click.option("--update", is_flag=True, help="Instead: write the kept figures (benchmarks/measured) anew.")
    @json_option
    def command(board: str, update: bool, as_json: bool) -> int:
        """Every call of the kernel: contexts, waits, worst-case instructions with 4, 16 and 64 other tasks, stack."""
        from takt.bench import documents
        from takt.support import console

        if update and board != BOARDS[0]:
            raise UserError(f"the kept figures are of {BOARDS[0]}", "no --board")
        document = measure(board)
        if update:
            documents.keep(documents.FOLDER / "calls.json", document)
        elif as_json:
            console.print_json(document)
        else:
            click.echo("\n\n".join([*(table.text() for table in tables(document)), *notes(document)]))
        return 0
