# SPDX-License-Identifier: Apache-2.0
"""boards/B/overheads.toml: what kernel operations cost on a board, maxima that `takt bench overheads` measured.

format = 2
instruction = "64 ns"               # the board's time for one
tasks = [4, 8]                      # an array below has one figure for each: with up to so many tasks
[[entry]]                           # one for each preset, kernel/sched/ and kind of band
preset = "standard"
kernel = "bands"
band = "edf"
release = [310, 330]                # in instructions, like all below
...
[entry.services]                    # calls; not in a proof
semaphore_pair = [150, 150]
[[entry]]                           # the same with tasks in processes, and what those add
protection = true
...
line = [480, 490]

docs/overheads.md says what each figure is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from takt import boards, files, levels, missed, provision, quotas, reader, services, woken
from takt.errors import UserError
from takt.files import read_text, write_whole
from takt.keys import Key, Table
from takt.kinds import BOOLEAN, POSITIVE_DURATION, Kind, choice, integer, list_of, toml_type
from takt.model import Band, Overheads, ProcessCosts, System
from takt.schema import PRESETS

FORMAT = 2
KINDS = (
    ("fixed", "fixed"),
    ("bands", "fixed"),
    ("bands", "edf"),
    ("cooperative", "fixed"),
    ("budgets", "fixed"),
    ("budgets", "edf"),
)
"""Kernels and the kinds of bands in them."""

OPERATIONS = {
    "release": "Release of a job by the timer's interrupt, the task that runs goes on.",
    "switch": "What the switch to a released job adds.",
    "complete": "End of a job, the switch to the next included.",
    "timer": "A deadline that is watched: armed, and expired or cancelled.",
    "interrupt": "An interrupt that calls the kernel, without what it calls.",
    "lock": "Longest locked section of jobs and delays.",
    "lock_services": "The same where mutexes, semaphores or mailboxes are declared.",
    "block": "A task leaves the ready queue.",
    "unblock": "A task enters the ready queue.",
    "select": "The first of the ready queue.",
}

PROTECTED = {
    "line": "An interrupt of a process: it masks its line and releases its task.",
    "ack": "What that task adds to its job: the call and the line that opens at its end.",
    "fault": "A process of one task faults.",
    "fault_task": "What each further task of it adds, most of them waiting.",
    "piece": "The longest of the timer's interrupts by which it ends and starts again, but for the next two.",
    "mutex": "The one that gives up a mutex which others wait for.",
    "regions": "The one that takes away what was attached.",
}
"""Operations that there are with tasks in processes only."""

UNPROTECTED_KERNELS = ("cooperative",)
"""Kernels that processes cannot have."""

_FIGURES = list_of(integer(0, 10_000_000))


def _services(value: object) -> dict[str, tuple[int, ...]]:
    if not isinstance(value, dict):
        raise UserError(f"a table of calls is wanted, this is {toml_type(value)}", "[entry.services]")
    return {name: _FIGURES.read(figures) for name, figures in value.items()}


_ENTRY = Table(
    "entry",
    "Instructions of one preset, kernel and kind of band.",
    (
        Key("preset", choice(*PRESETS), "The preset.", required=True),
        Key("kernel", choice(*dict.fromkeys(kernel for kernel, _ in KINDS)), "Folder of kernel/sched/.", required=True),
        Key("band", choice("fixed", "edf"), "Kind of the band that the tasks are in.", required=True),
        Key("protection", BOOLEAN, "With tasks in processes.", default=False),
        *(Key(name, _FIGURES, doc, required=True) for name, doc in OPERATIONS.items()),
        *(Key(name, _FIGURES, doc) for name, doc in PROTECTED.items()),
        Key("services", Kind("table of arrays", _services), "Calls by name.", default={}),
    ),
)

_FILE = Table(
    "",
    "The file.",
    (
        Key("format", integer(FORMAT, FORMAT), "Version of this format.", required=True),
        Key("instruction", POSITIVE_DURATION, "The board's time for an instruction.", required=True),
        Key("tasks", list_of(integer(1, 65535)), "Measured with up to so many tasks.", required=True),
        Key("entry", Kind("array of tables", lambda value: value), "One for each kind.", required=True, table=_ENTRY),
    ),
    many=False,
)


@dataclass(frozen=True)
class Entry:
    """Instructions, for up to some number of tasks: `instructions` by OPERATIONS, `services` by call."""

    instructions: dict[str, int]
    services: dict[str, int]

    @property
    def wake(self) -> int:
        """No less than what a call takes for each task that it wakes: a whole one that wakes one, with the switch."""
        whole = [figure for name, figure in self.services.items() if name.endswith("_to_waiter")]
        return max(whole, default=self.instructions["release"] + self.instructions["complete"])


Place = tuple[str, str, str]
"""Preset, kernel, kind of band."""


@dataclass(frozen=True)
class Measured:
    """A board's file. `entries`: by place, one for each of `tasks`, which rise. `protected`: those with tasks in
    processes."""

    board: str
    instruction_ns: int
    tasks: tuple[int, ...]
    entries: dict[Place, tuple[Entry, ...]]
    protected: dict[Place, tuple[Entry, ...]] = field(default_factory=dict)

    def has(self, preset: str) -> bool:
        return any(place[0] == preset for place in self.entries)

    def of(self, system: System, bands: Iterable[Band], cooperative: bool = False) -> Overheads:
        """What a proof of `system` under `bands` adds: the least entry measured with at least as many timers. With
        protection that with tasks in processes, if its kernel was measured so.

        UserError: it has more.
        """
        bands = tuple(bands)
        kernel = levels.kernel_kind(system, bands, cooperative)
        if kernel == "plain":
            kernel = "fixed"  # without jobs there is nothing to prove, and nothing else is in a plain one
        number = self.column(system)

        def of(measured: dict[Place, tuple[Entry, ...]]) -> dict[str, Entry]:
            return {
                band: entries[number]
                for (preset, kind, band), entries in measured.items()
                if (preset, kind) == (system.preset, kernel)
            }

        with_processes = of(self.protected) if system.protection else {}
        found = with_processes or of(self.entries)
        kinds = {"fixed" if cooperative else band.kind for band in bands}
        used = [entry.instructions for band, entry in found.items() if band in kinds]
        wake = max((entry.wake for band, entry in found.items() if band in kinds), default=0)
        longer = services.calls(system) or any(getattr(one, key) for one in system.processes for key in quotas.CREATED)
        lock = "lock_services" if longer else "lock"
        copied_ns = woken.read_locked_ns(system, self.instruction_ns)
        unseen_ns = unseen(self.board) if kernel == "budgets" else 0

        def by_band(name: str) -> dict[str, int]:
            return {band: entry.instructions[name] * self.instruction_ns for band, entry in found.items()}

        def stretch_by_band(name: str) -> dict[str, int]:
            return {band: figure_ns + unseen_ns for band, figure_ns in by_band(name).items()}

        def shared(name: str) -> int:
            return max((figures[name] for figures in used), default=0) * self.instruction_ns

        costs = ProcessCosts(*(shared(name) for name in PROTECTED)) if with_processes else None
        return Overheads(
            board=self.board,
            preset=system.preset,
            kernel=kernel,
            tasks_max=self.tasks[number],
            interrupt_ns=shared("interrupt") + unseen_ns,
            timer_ns=shared("timer") + unseen_ns,
            lock_ns=max(
                shared(lock) + woken.instructions(system, wake) * self.instruction_ns,
                copied_ns and wake * self.instruction_ns + copied_ns,
            ),
            release_ns=stretch_by_band("release"),
            switch_ns=by_band("switch"),
            complete_ns=stretch_by_band("complete"),
            processes=costs,
        )

    def column(self, system: System) -> int:
        """Where in the arrays a system finds its figures: its timers decide, watched deadlines have one more each."""
        timers = len(system.tasks) + sum(map(missed.watched, system.tasks)) + 2 * system.runtime_tasks
        timers += system.threads
        timers += services.timers(system)
        for number, tasks in enumerate(self.tasks):
            if timers <= tasks:
                return number
        raise UserError(
            f"overheads of {self.board} are measured for up to {self.tasks[-1]} tasks, threads and watched deadlines, "
            f"{files.shown_path(system.path)} has {timers}",
            "--overheads none",
        )


def unseen(board: str) -> int:
    """TAKT_PORT_CHARGE_NS of a board's port: what a budget does not see of each stretch of execution, ns."""
    header = provision.ROOT / "ports" / boards.load(board).port / "takt_port_inline.h"
    found = re.search(r"#define TAKT_PORT_CHARGE_NS (\d+)u", read_text(header))
    return int(found[1]) if found else 0


def load(board: boards.Board, preset: str) -> Measured | None:
    """The overheads of a board for a preset; None: not measured, or none by construction. UserError: malformed file."""
    if board.zero_overheads or not (board.folder / "overheads.toml").exists():
        return None
    measured = read(board)
    for kernel, band in KINDS if measured.has(preset) else ():
        if (preset, kernel, band) not in measured.entries:
            document = reader.load(board.folder / "overheads.toml")
            document.fail(("entry",), f"no entry of {preset}, kernel {kernel}, band {band}", "takt bench overheads")
    return measured if measured.has(preset) else None


def read(board: boards.Board) -> Measured:
    """A board's file, which is there. UserError: malformed."""
    document = reader.load(board.folder / "overheads.toml")
    file = reader.read_table(document, _FILE, document.data, ())
    found = {protection: _entries(document, file, protection) for protection in (False, True)}
    return Measured(board.name, file["instruction"], file["tasks"], found[False], found[True])


def _entries(document: reader.Document, file: dict[str, Any], protection: bool) -> dict[Place, tuple[Entry, ...]]:
    tasks = file["tasks"]
    if list(tasks) != sorted(set(tasks)):
        document.fail(("tasks",), "the numbers do not rise", "the least first, each once")
    entries: dict[Place, tuple[Entry, ...]] = {}
    for index, values in enumerate(file["entry"]):
        place = (values["preset"], values["kernel"], values["band"])
        where = ("entry", index)
        if values["protection"] is not protection:
            continue
        if place in entries:
            document.fail(where, f"[[entry]] {', '.join(place)} is there twice", "keep one")
        arrays = {name: values[name] for name in (*OPERATIONS, *(PROTECTED if protection else ()))}
        missing = next((name for name, figures in arrays.items() if figures is None), None)
        if missing is not None:
            document.fail(where, f"[[entry]]: protection = true, and no {missing}", "takt bench overheads")
        for name, figures in (*arrays.items(), *values["services"].items()):
            if len(figures) != len(tasks):
                problem = f"[[entry]]: {name} has {len(figures)} figures, tasks {len(tasks)}"
                document.fail(where, problem, "one for each")
            if 0 in figures and (name, place[1]) != ("switch", "cooperative"):
                problem = f"[[entry]] {', '.join(place)}: {name} is 0: nothing was measured"
                document.fail(where, problem, "takt bench overheads")
        entries[place] = tuple(
            Entry(
                {name: figures[column] for name, figures in arrays.items()},
                {name: figures[column] for name, figures in values["services"].items()},
            )
            for column in range(len(tasks))
        )
    return entries


def write(path: Path, measured: Measured) -> None:
    """Writes the file, whole."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by `./takt bench overheads`. Guest instructions, the margin included: docs/overheads.md.",
        f"format = {FORMAT}",
        f'instruction = "{measured.instruction_ns} ns"',
        f"tasks = {list(measured.tasks)}",
    ]
    kinds = ((measured.entries, (), OPERATIONS), (measured.protected, ("protection = true",), OPERATIONS | PROTECTED))
    for (preset, kernel, band), entries, marks, operations in (
        (place, entries, marks, operations) for found, marks, operations in kinds for place, entries in found.items()
    ):
        lines += ["", "[[entry]]", f'preset = "{preset}"', f'kernel = "{kernel}"', f'band = "{band}"', *marks]
        lines += [f"{name} = {[entry.instructions[name] for entry in entries]}" for name in operations]
        services = [name for name in entries[0].services if all(name in entry.services for entry in entries)]
        lines += ["[entry.services]"] if services else []
        lines += [f"{name} = {[entry.services[name] for entry in entries]}" for name in services]
    write_whole(path, "\n".join(lines) + "\n")


def refuse_unmeasurable(board: boards.Board, supported: bool) -> None:
    """UserError: a board whose overheads `takt bench overheads` cannot measure."""
    able = ", ".join(name for name in boards.names() if boards.load(name).emulated)
    if board.zero_overheads:
        raise UserError(f"kernel operations take no time on {board.name}: nothing to measure", f"one of {able}")
    if not supported:
        raise UserError(f"benchmarks/overheads does not know {board.name}", f"one of {able}")


def describe(board: boards.Board, used: Overheads | None, left_out: bool) -> str:
    """`none` or `measured` with the reason, as the text of check and run says it."""
    if used is not None:
        return (
            f"overheads: measured ({board.name}, preset {used.preset}, kernel {used.kernel}, "
            f"{'' if used.processes is None else 'with processes, '}up to {used.tasks_max} tasks)"
        )
    if board.zero_overheads:
        return f"overheads: none (kernel operations take no time on {board.name})"
    if left_out:
        return "overheads: none (left out: --overheads none)"
    return f"overheads: none (not measured on {board.name}: the proof leaves the kernel's own time out)"
