# SPDX-License-Identifier: Apache-2.0
"""boards/B/overheads.toml: the costs of kernel operations on a board, maxima measured by `takt bench overheads`.

format = 2
instruction = "64 ns"               # the board's time for one
tasks = [4, 8]                      # an array below has one figure for each: with up to so many tasks
[[entry]]                           # one for each preset, kernel/config/sched/ and kind of band
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

docs/overheads.md explains each figure.

`lock_services` is measured with calls that wake one task and hand it a few words. A process may make calls that wake
all waiters of an object, as a broadcast does, and send messages of up to PROCESS_MESSAGE_MAX bytes: `instructions`.
How many tasks and threads may wait for it follows from the rights of their processes, how long a message is from its
table. Without protection the rights are not known: docs/CAVEATS.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from takt.declare import missed, processes, quotas, services
from takt.declare.buses import can_costs
from takt.declare.code import thread_locals
from takt.declare.schema import boards, levels, reader
from takt.declare.schema.kinds import BOOLEAN, POSITIVE_DURATION, Key, Kind, Table, choice, integer, list_of, toml_type
from takt.declare.schema.model import Band, Overheads, Process, ProcessCosts, System
from takt.declare.schema.service import FIFO, Item
from takt.declare.service_kinds.mutex import Mutex
from takt.declare.service_kinds.signal_pool import SignalPool
from takt.declare.service_kinds.state_copies import State
from takt.declare.tables import PRESETS
from takt.support import files
from takt.support.c.kernel import MESSAGE_MAX, PIPE_CAPACITY_MIN, PROCESS_MESSAGE_MAX, PROCESS_NUMBERS_MAX
from takt.support.c.ports import CHARGE_NS
from takt.support.errors import UserError
from takt.support.files import write_whole

FORMAT = 2
KINDS = (
    ("fixed", "fixed"),
    ("bands", "fixed"),
    ("bands", "edf"),
    ("cooperative", "fixed"),
    ("budgets", "fixed"),
    ("budgets", "edf"),
    ("servers", "fixed"),
    ("servers", "edf"),
)
"""Kernels and the kinds of bands in them. That of servers is the one of budgets with TAKT_SERVERS."""

OPERATIONS = {
    "release": "Release of a job by the timer's interrupt, the task that runs goes on.",
    "switch": "The switch to a released job.",
    "complete": "End of a job, the switch to the next included.",
    "timer": "A deadline that is watched: armed, and expired or cancelled.",
    "interrupt": "An interrupt that calls the kernel, without the call itself.",
    "lock": "Longest locked section of jobs and delays.",
    "lock_services": "The same where mutexes, semaphores or mailboxes are declared.",
    "block": "A task leaves the ready queue.",
    "unblock": "A task enters the ready queue.",
    "select": "The first of the ready queue.",
}

PROTECTED = {
    "line": "An interrupt of a process: it masks its line and releases its task.",
    "ack": "Added to the job of that task: the call and the line that opens at its end.",
    "fault": "A process of one task faults.",
    "fault_task": "Added for each further task of it, most of them waiting.",
    "piece": "The longest step of its end and restart, in the timer's interrupt, except the next two.",
    "mutex": "The one that gives up a mutex which others wait for.",
    "regions": "The step that detaches memory.",
}
"""Operations that there are with tasks in processes only."""

SERVED = {"key": "The key of a task changes because the budget of its server ends or comes back."}
"""Operations that there are with servers only. The interrupt of such a change is a release and these."""

UNPROTECTED_KERNELS = ("cooperative", "servers")
"""Kernels that processes cannot have."""

_FIGURES = list_of(integer(0, 10_000_000))


def _services(value: object) -> dict[str, tuple[int, ...]]:
    if not isinstance(value, dict):
        raise UserError(f"expected a table of calls, found {toml_type(value)}", "[entry.services]")
    return {name: _FIGURES.read(figures) for name, figures in value.items()}


_ENTRY = Table(
    "entry",
    "Instructions of one preset, kernel and kind of band.",
    (
        Key("preset", choice(*PRESETS), "The preset.", required=True),
        Key(
            "kernel",
            choice(*dict.fromkeys(kernel for kernel, _ in KINDS)),
            "Folder of kernel/config/sched/, or servers: budgets that tasks share.",
            required=True,
        ),
        Key("band", choice("fixed", "edf"), "Kind of the band that the tasks are in.", required=True),
        Key("protection", BOOLEAN, "With tasks in processes.", default=False),
        *(Key(name, _FIGURES, doc, required=True) for name, doc in OPERATIONS.items()),
        *(Key(name, _FIGURES, doc) for name, doc in (PROTECTED | SERVED).items()),
        Key("services", Kind("table of arrays", _services), "Calls by name.", default={}),
    ),
)

_FILE = Table(
    "",
    "The file.",
    (
        Key("format", integer(FORMAT, FORMAT), "Version of this format.", required=True),
        Key("instruction", POSITIVE_DURATION, "The board's time for an instruction.", required=True),
        Key("tasks", list_of(integer(1, 65535)), "Numbers of tasks of the measurements.", required=True),
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
        """An upper bound on the cost of a call for each task that it wakes: a whole call that wakes one, with the
        switch."""
        whole = [figure for name, figure in self.services.items() if name.endswith("_to_waiter")]
        return max(whole, default=self.instructions["release"] + self.instructions["complete"])


EntryKey = tuple[str, str, str]
"""Preset, kernel, kind of band."""


@dataclass(frozen=True)
class Measured:
    """A board's file. `entries`: by key, one for each of `tasks`, which rise. `protected`: those with tasks in
    processes."""

    board: str
    instruction_ns: int
    tasks: tuple[int, ...]
    entries: dict[EntryKey, tuple[Entry, ...]]
    protected: dict[EntryKey, tuple[Entry, ...]] = field(default_factory=dict)

    def has(self, preset: str) -> bool:
        return any(key[0] == preset for key in self.entries)

    def of(self, system: System, bands: Iterable[Band], cooperative: bool = False) -> Overheads:
        """The overheads for a proof of `system` under `bands`: the least entry measured with at least as many timers.
        With protection that with tasks in processes, if its kernel was measured so.

        UserError: it has more.
        """
        bands = tuple(bands)
        kernel = levels.kernel_kind(system, bands, cooperative)
        if kernel == "plain":
            kernel = "fixed"  # without jobs there is nothing to prove, and nothing else is in a plain one
        if system.servers:
            kernel = "servers"
        number = self.column(system)

        def of(measured: dict[EntryKey, tuple[Entry, ...]]) -> dict[str, Entry]:
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
        copied_ns = read_locked_ns(system, self.instruction_ns)
        unseen_ns = unseen(self.board) if kernel in ("budgets", "servers") else 0
        pointer, block = thread_locals.instructions(system, boards.load(self.board).port, cooperative)
        fifo_ns = fifo_instructions(system) * self.instruction_ns

        def by_band(name: str) -> dict[str, int]:
            return {band: (entry.instructions[name] + pointer) * self.instruction_ns for band, entry in found.items()}

        def stretch_by_band(name: str) -> dict[str, int]:
            return {band: figure_ns + unseen_ns for band, figure_ns in by_band(name).items()}

        def shared(name: str) -> int:
            return (max((figures[name] for figures in used), default=0) + pointer) * self.instruction_ns

        costs = ProcessCosts(*(shared(name) for name in PROTECTED)) if with_processes else None
        if costs is not None:
            costs = replace(costs, piece_ns=costs.piece_ns + block * self.instruction_ns)
        return Overheads(
            board=self.board,
            preset=system.preset,
            kernel=kernel,
            tasks_max=self.tasks[number],
            interrupt_ns=shared("interrupt") + unseen_ns,
            timer_ns=shared("timer") + unseen_ns,
            lock_ns=max(
                shared(lock) + instructions(system, wake) * self.instruction_ns,
                copied_ns and wake * self.instruction_ns + copied_ns,
                heap_instructions(system, boards.load(self.board).port) * self.instruction_ns,
                can_costs.locked_ns(system, boards.load(self.board)) if system.driven else 0,
            )
            + fifo_ns
            + block * self.instruction_ns,
            release_ns=stretch_by_band("release"),
            switch_ns=by_band("switch"),
            complete_ns=stretch_by_band("complete"),
            processes=costs,
            key_ns=by_band("key") if system.servers else {},
            fifo_ns=fifo_ns,
        )

    def column(self, system: System) -> int:
        """Where in the arrays a system finds its figures: its timers decide, watched deadlines have one more each."""
        timers = len(system.tasks) + sum(map(missed.watched, system.tasks)) + 2 * system.runtime_tasks
        timers += system.threads + len(system.servers)
        timers += services.timers(system)
        for number, tasks in enumerate(self.tasks):
            if timers <= tasks:
                return number
        raise UserError(
            f"overheads of {self.board} are measured for up to {self.tasks[-1]} tasks, threads and watched deadlines, "
            f"but {files.shown_path(system.path)} has {timers}",
            "--overheads none",
        )


def unseen(board: str) -> int:
    """TAKT_PORT_CHARGE_NS of a board's port: the part of each stretch of execution that a budget misses, ns."""
    return CHARGE_NS[boards.load(board).port]


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


def _entries(document: reader.Document, file: dict[str, Any], protection: bool) -> dict[EntryKey, tuple[Entry, ...]]:
    tasks = file["tasks"]
    if list(tasks) != sorted(set(tasks)):
        document.fail(("tasks",), "the numbers are not in increasing order", "the smallest first, each once")
    entries: dict[EntryKey, tuple[Entry, ...]] = {}
    for index, values in enumerate(file["entry"]):
        entry_key = (values["preset"], values["kernel"], values["band"])
        where = ("entry", index)
        if values["protection"] is not protection:
            continue
        if entry_key in entries:
            document.fail(where, f"[[entry]] {', '.join(entry_key)} occurs twice", "keep one")
        arrays = {name: values[name] for name in _operations(entry_key, protection)}
        missing = next((name for name, figures in arrays.items() if figures is None), None)
        if missing is not None:
            of = "protection = true" if protection else f'kernel = "{entry_key[1]}"'
            document.fail(where, f"[[entry]]: {of}, but {missing} is missing", "takt bench overheads")
        for name, figures in (*arrays.items(), *values["services"].items()):
            if len(figures) != len(tasks):
                problem = f"[[entry]]: {name} has {len(figures)} figures, but `tasks` has {len(tasks)} numbers"
                document.fail(where, problem, "one figure for each number of tasks")
            if 0 in figures and (name, entry_key[1]) != ("switch", "cooperative"):
                problem = f"[[entry]] {', '.join(entry_key)}: {name} is 0: it was not measured"
                document.fail(where, problem, "takt bench overheads")
        entries[entry_key] = tuple(
            Entry(
                {name: figures[column] for name, figures in arrays.items()},
                {name: figures[column] for name, figures in values["services"].items()},
            )
            for column in range(len(tasks))
        )
    return entries


def _operations(key: EntryKey, protection: bool) -> dict[str, str]:
    """What is measured of an entry."""
    return OPERATIONS | (PROTECTED if protection else {}) | (SERVED if key[1] == "servers" else {})


def write(path: Path, measured: Measured) -> None:
    """Writes the file, whole."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by `./takt bench overheads`. Guest instructions, the margin included: docs/overheads.md.",
        f"format = {FORMAT}",
        f'instruction = "{measured.instruction_ns} ns"',
        f"tasks = {list(measured.tasks)}",
    ]
    kinds = ((measured.entries, False), (measured.protected, True))
    for key, entries, protection in (
        (key, entries, protection) for found, protection in kinds for key, entries in found.items()
    ):
        marks = ["protection = true"] if protection else []
        preset, kernel, band = key
        lines += ["", "[[entry]]", f'preset = "{preset}"', f'kernel = "{kernel}"', f'band = "{band}"', *marks]
        lines += [
            f"{name} = {[entry.instructions[name] for entry in entries]}" for name in _operations(key, protection)
        ]
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
        raise UserError(f"benchmarks/overheads does not support {board.name}", f"one of {able}")


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
    return f"overheads: none (not measured on {board.name}: the proof does not count the kernel's own time)"


COPY = 5
"""Instructions for a byte of a message: the library's loop has 4 on both ports."""
MEASURED_SIZE = 16
"""Bytes of the longest message that lock_services was measured with (queue_16 of `takt bench kernel`)."""
INSERT = 10
"""Instructions for each task that goes before one in a queue: signalled tasks queue for the condition's mutex."""
FLUSHED = 6
"""The same unit, for a message that is flushed: it leaves two lists, and its buffer is freed."""
LOOK = 16
"""Instructions for each waiter of a mutex with waiters in FIFO order, to find the best: the most that was measured on
both boards, in edf bands, is 15 (tests/tool/test_bench_fifo.py)."""
FIFO_CALL = 24
"""The same for a wait and a wake in a kernel that has waiters in FIFO order, whatever waits: 21."""
HEAP_CALL = {"armv7m": 426, "rv32": 668}
"""Instructions of the longest call of the heap, by port: what was measured of a process (tests/tool/test_bench_heap.py)
and 5 %. Without protection it is shorter by the trap."""
WORD = 4
"""Bytes, on boards."""
TURN = 300
"""Instructions of a turn in which a piece of a pipe comes in and goes out."""
TURNS = PROCESS_MESSAGE_MAX // PIPE_CAPACITY_MIN + 1
"""With protection a pipe holds PIPE_CAPACITY_MIN bytes or more."""


@dataclass(frozen=True)
class Longer:
    """By how much a call is longer than one that was measured: tasks that it wakes besides one, those that they go
    behind in another queue, bytes that it copies besides a few, and turns of a pipe."""

    woken: int = 0
    behind: int = 0
    copied: int = 0
    turns: int = 0

    def instructions(self, wake: int) -> int:
        """`wake`: to wake one task."""
        return self.woken * wake + self.behind * INSERT + self.copied * COPY + self.turns * TURN


def fifo_instructions(system: System) -> int:
    """What a call that ends or begins a wait takes more in the kernel of a system with waiters in FIFO order."""
    return looks(system) * LOOK + FIFO_CALL if services.fifo_waiters(system) else 0


def heap_instructions(system: System, port: str) -> int:
    """The longest locked section of `malloc` and its like, where there is a heap."""
    return HEAP_CALL.get(port, max(HEAP_CALL.values())) if system.heap_size else 0


def looks(system: System) -> int:
    """How many waiters of mutexes with waiters in FIFO order are looked at, at most, when keys change: once when a
    waiter comes or leaves, and once for the next owner."""
    return 2 * sum(len(mutex.lockers) for mutex in system.of(Mutex) if mutex.waiters == FIFO)


def calls(system: System) -> Iterator[Longer]:
    """The longest calls for each object, and for those that each process may create."""
    if not system.protection:
        return
    rights = [(process, processes.rights(system, process)) for process in system.processes]
    pools = system.of(SignalPool)
    released = {task.trigger for task in system.tasks}  # no task can wait for a semaphore or events that release a task
    for service, _, item in services.objects(system):
        kind = service.kind
        if service.waited and not (kind in ("semaphore", "events") and f"{kind} {item.name}" in released):
            waits = processes.USE | (processes.GIVE if service.givers_wait else 0)
            having = [found.get(item.name, 0) for _, found in rights]
            users = sum(_tasks(process) for process, found in rights if found.get(item.name, 0) & waits)
            give = service.gives_all and any(right & processes.GIVE for right in having)
            wakes = give or any(right & processes.MANAGE for right in having)
            sizes = [_size(kind, one) for one in (pools if kind == "signal_queue" else (item,))]
            held = item.capacity if kind == "slot" else sum(pool.count for pool in pools)
            yield _longer(kind, max(users - 1, 0) if wakes or kind == "slot" else 0, max(sizes, default=0), held)
    for process in system.processes:
        others = max(_tasks(process) - 2, 0)  # the caller is one of them
        if process.threads:
            yield Longer(woken=others)  # the task that joins one
        for key, created in quotas.CREATED.items():
            if getattr(process, key):
                yield _longer(created.kind.lower(), others, PROCESS_MESSAGE_MAX)


def instructions(system: System, wake: int) -> int:
    """The excess of the longest locked section of a call over a measured one; `wake`: for each task woken."""
    return max((call.instructions(wake) for call in calls(system)), default=0)


def read_locked_ns(system: System, instruction_ns: int) -> int:
    """The longest copy of a state message with the kernel locked: a process may have any that it may read copied so,
    byte by byte, whether it is a slow reader or not. 0: there is none."""
    if not system.protection:
        return 0
    having = [processes.rights(system, process) for process in system.processes]
    states = [state for state in system.of(State) if any(state.name in found for found in having)]
    return max((_copy_ns(state, instruction_ns) for state in states), default=0)


def _copy_ns(state: State, instruction_ns: int) -> int:
    """If only a type is declared, the time of its readers for each word is counted once for each byte."""
    read_ns = max((read.read_ns for read in state.readers), default=0)
    if state.message_size is not None:
        return max(state.message_size * COPY * instruction_ns, read_ns)
    return WORD * read_ns or MESSAGE_MAX * COPY * instruction_ns


def _tasks(process: Process) -> int:
    return len(process.tasks) + process.threads


def _size(kind: str, item: Item) -> int:
    """Bytes of a message, or of a signal of a pool; the most that there may be, if a type says it, and of a pipe."""
    if kind == "rendezvous":
        return int(max(item.request, item.reply))
    return int(getattr(item, "message_size", None) or getattr(item, "data_size", None) or PROCESS_MESSAGE_MAX)


def _longer(kind: str, others: int, size: int, held: int = 0) -> Longer:
    """`others`: tasks that may wait besides one. `held`: signals among which a receiver looks for its numbers, or
    buffers of a slot, all of which its owner may flush, each for one of those that wait; it may close it, too. A
    message is copied twice where one waits to send the next."""
    beyond = max(size - MEASURED_SIZE, 0)
    longer = {
        "condition": Longer(woken=others, behind=others * (others + 1) // 2),
        "mailbox": Longer(woken=others, copied=2 * beyond),
        "priority_mailbox": Longer(woken=others, copied=others * size + 2 * beyond),
        "pipe": Longer(woken=others, copied=2 * beyond, turns=TURNS),
        "rendezvous": Longer(woken=others, copied=size),  # none was measured
        "signal_queue": Longer(behind=held * PROCESS_NUMBERS_MAX, copied=2 * size),  # in, and out to a receiver
        "slot": Longer(woken=others, behind=held * (others + FLUSHED), copied=2 * size),
    }
    return longer.get(kind, Longer(woken=others))
