# SPDX-License-Identifier: Apache-2.0
"""`takt bench processes`: what protection costs. Calls, switches and interrupts of a kernel with processes beside one
without, the memory of a task and a process, and a driver as a process beside the same in the kernel's handler.

The rows are those of benchmarks/kernel, built both ways: in a process (benchmarks/protected) each call is a trap that
goes through the kernel's own table and checks. `across`: the runner of the rows is alone in its process.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import click

from takt.bench.kernel import BOARDS, PRESETS, Figures, Run, figures, results
from takt.support.c.benchmarks import Set
from takt.support.files import read_text
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table, ratio
from takt.trace.records import IDLE, Entry, Event

REPEATS = 100
TASKS = 4
CALLS = (
    *("null", "now", "semaphore_post", "semaphore_wait", "mutex_lock", "mutex_unlock"),
    *("mailbox_send", "mailbox_receive", "state_write", "state_read"),
)
"""Calls that return to their caller, and a state message, which is no call."""
SWITCHES = (
    *("yield", "resume_runs", "suspend_self", "semaphore_to_waiter", "semaphore_take_blocks", "queue_8_to_waiter"),
    *("event_to_waiter", "mutex_contended", "delay_insert", "interrupt_to_task"),
)
"""Ways to another task. The last: an interrupt that the kernel handles wakes a task."""
HANDLER = ("interrupt_to_handler", "handler_returns")
"""Until the handler's first instruction, and from there to what was interrupted; with protection it is a task."""
GOALS = {"mps2-an385": 60, "rv32-virt": 50}
"""A null call may take at most this number of instructions more than a function."""
SWITCH_GOAL = 1.5
BYTES = ("task_bytes", "task_constant_bytes", "process_bytes", "process_constant_bytes", "object_bytes")
FLIGHT = ROOT / "apps" / "flight"
FLIGHT_NS = 5 * 10**9
LINE = '\nprocess = "line"'
"""Of apps/flight/system.toml, which makes the handler of the serial line's interrupt a task."""


@dataclass(frozen=True)
class Rows:
    """Of one board, by way of building."""

    direct: Figures
    within: Figures
    across: Figures

    def row(self, name: str) -> dict[str, Any]:
        return {
            "operation": name,
            "direct": self.direct[name].mean,
            "within": self.within[name].mean,
            "across": self.across[name].mean,
        }


def runs(board: str, repeats: int) -> dict[str, list[Run]]:
    """By the fields of Rows: the usual rows, and the set of calls."""
    found = {}
    for name, protection, within in (("direct", False, 0), ("within", True, 1), ("across", True, 0)):
        options = {"repeats": repeats, "tasks": TASKS, "within": within}
        both = (options, options | {"set": Set.CALLS})
        found[name] = [Run(board, PRESETS[0], tuple(each.items()), protection=protection) for each in both]
    return found


def measure_rows(board: str, repeats: int = REPEATS) -> tuple[Rows, dict[str, dict[str, int]]]:
    """Instructions, and bytes of tasks and processes without and with protection."""
    wanted = runs(board, repeats)
    printed = results([run for pair in wanted.values() for run in pair])
    rows = Rows(**{name: figures(printed[one]) | figures(printed[two]) for name, (one, two) in wanted.items()})
    sizes = {
        kind: {name: value for name, value in printed[wanted[way][1]].items() if name in BYTES}
        for kind, way in (("without", "direct"), ("with", "across"))
    }
    return rows, sizes


def measure(board: str, repeats: int = REPEATS) -> dict[str, Any]:
    """The document of `takt bench processes --json` (docs/json.md)."""
    rows, sizes = measure_rows(board, repeats)
    return {
        "board": board,
        "repeats": repeats,
        "rows": [rows.row(name) for name in ("function", *CALLS, *SWITCHES, *HANDLER)],
        "bytes": sizes,
        "drivers": measure_drivers(board),
    }


def measure_drivers(board: str) -> list[dict[str, Any]]:
    """The interrupt of the serial line of apps/flight, in each form."""
    from takt.declare import declaration
    from takt.declare.schema import boards
    from takt.image import build
    from takt.observe import run
    from takt.prove import proof
    from takt.support.compile import BUILD
    from takt.support.files import write_whole

    folder = BUILD / "benchmark-drivers"
    kernel = folder / "flight"
    shutil.copytree(FLIGHT, kernel, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    text = read_text(FLIGHT / "system.toml")
    before, _, after = text.partition(LINE)
    write_whole(kernel / "system.toml", f"{before}\n{after.partition(chr(10))[2]}")
    found = []
    for form, application, protection in (
        ("no protection", FLIGHT, False),
        ("the kernel's handler", kernel, True),
        ("a driver process", FLIGHT, True),
    ):
        system = declaration.with_board(declaration.load(declaration.find(str(application)), protection), board)
        proved = proof.prove(system)
        instruction_ns = _instruction_ns(boards.load(board))
        seen = run.run(proved, FLIGHT_NS, run.DEFAULT_SEED).trace.entries
        tasks = {task.name: index for index, task in enumerate(system.tasks)}
        number = next(item.number for item in system.interrupts if item.name.startswith("link"))
        costs = interrupt_costs(seen, number, tasks.get("link"), tasks["attitude"])
        figures = {name: round(value / instruction_ns) for name, value in costs.items()}
        found.append({"form": form, **figures, "code": build.build(proved).text})
    return found


def _instruction_ns(board: Any) -> int:
    from takt.prove import overheads

    return overheads.read(board).instruction_ns


def interrupt_costs(entries: Iterable[Entry], number: int, driver: int | None, reader: int) -> dict[str, float]:
    """Of each interrupt of this number, ns: `handler`, in the interrupt; `driver`, in the task that it releases;
    `busy`, of all that the processor does; `latency` until a job of the reader runs, the mean, and `latency_max`."""
    count, handler, task, idle = 0, 0, 0, 0
    latencies: list[int] = []
    came: int | None = None
    active: list[int] = []
    running, before_ns = IDLE, 0
    for entry in entries:
        if entry.event >= Event.STAT_JOBS:
            break
        elapsed, before_ns = entry.time_ns - before_ns, entry.time_ns
        if active:
            handler += elapsed if active[-1] == number else 0
        else:
            task += elapsed if running == driver else 0
            idle += elapsed if running == IDLE else 0
        if entry.event is Event.RUN:
            running = entry.task
            if running == reader and came is not None:
                latencies.append(entry.time_ns - came)
                came = None
        elif entry.event is Event.INTERRUPT:
            active.append(entry.object)
            if entry.object == number:
                count, came = count + 1, entry.time_ns
        elif entry.event is Event.INTERRUPT_END and active:
            active.pop()
    return {
        "handler": handler / count,
        "driver": task / count,
        "busy": (before_ns - idle) / count,
        "latency": sum(latencies) / len(latencies),
        "latency_max": max(latencies),
    }


def null_call(document: dict[str, Any]) -> float:
    """Instructions that a null call takes more than a function."""
    by_name = {row["operation"]: row for row in document["rows"]}
    return float(by_name["null"]["across"] - by_name["function"]["across"])


def tables(document: dict[str, Any]) -> list[Table]:
    by_name = {row["operation"]: row for row in document["rows"]}
    calls: list[list[Cell]] = [
        [name, row["direct"], row["within"], row["within"] - row["direct"], ratio(row["within"], row["direct"])]
        for name, row in ((name, by_name[name]) for name in CALLS)
    ]
    switches: list[list[Cell]] = [
        [name, row["direct"], row["within"], row["across"], ratio(row["across"], row["within"])]
        for name, row in ((name, by_name[name]) for name in (*SWITCHES, *HANDLER))
    ]
    without, protected = document["bytes"]["without"], document["bytes"]["with"]
    sizes: list[list[Cell]] = [[name.replace("_", " "), without.get(name), protected[name]] for name in BYTES]
    drivers: list[list[Cell]] = [
        [
            row["form"],
            *(row[name] for name in ("handler", "driver", "busy", "latency", "latency_max")),
            row["code"],
        ]
        for row in document["drivers"]
    ]
    board = document["board"]
    return [
        Table(f"{board}: calls that return to their caller", ["", "direct", "trap", "more", "ratio"], calls),
        Table(f"{board}: until another task goes on", ["", "direct", "within", "across", "across / within"], switches),
        Table(f"{board}: bytes of each, preset {PRESETS[0]}", ["", "without", "with protection"], sizes),
        Table(
            f"{board}: the serial line of apps/flight, each interrupt",
            ["", "handler", "driver", "busy", "latency", "longest", "image, bytes"],
            drivers,
        ),
    ]


def notes(document: dict[str, Any]) -> tuple[str, ...]:
    by_name = {row["operation"]: row for row in document["rows"]}
    call = by_name["null"]["across"] / by_name["function"]["across"]
    switch = by_name["yield"]["across"] / by_name["yield"]["within"]
    return (
        f"{document['board']}: a null call takes {null_call(document):.0f} instructions more than a function, which is"
        f" {by_name['function']['across']:.0f} (goal: under {GOALS[document['board']]}); a switch across processes"
        f" {switch:.2f} times one within (goal: {SWITCH_GOAL}). Seed 000, 3.6: 1.8 us more than a subroutine's 0.2 us,"
        f" so 10 times it (here {call:.1f} times), and at most 2.1 times (9.2 us, and less than 10 us more).",
    )


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    return "\n\n".join([*(table.markdown() for table in tables(document)), *notes(document)])


def add_command(group: click.Group) -> None:
    from takt.support.options import choice_option, count_option, json_option

    @group.command(name="processes")
    @choice_option("--board", BOARDS, BOARDS[0], "The emulated board to measure on.")
    @count_option("--repeats", REPEATS, "Runs of each operation.")
    @json_option
    def command(board: str, repeats: int, as_json: bool) -> int:
        """Measure the cost of protection: calls, switches, memory, and a driver as a process. Two minutes.

        Guest instructions of an emulated board, preset lean, fixed bands; preset standard for the serial line.
        """
        from takt.support import console

        document = measure(board, repeats)
        if as_json:
            console.print_json(document)
        else:
            click.echo("\n\n".join([*(table.text() for table in tables(document)), *notes(document)]))
        return 0
