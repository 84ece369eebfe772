# SPDX-License-Identifier: Apache-2.0
"""The declaration as data: system.toml, validated, in integer nanoseconds.

Every command works on these classes; only `declaration.py` reads the file. Absolute times count from takt_start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Verdict(StrEnum):
    """The result of a proof for a task or a system."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNDECIDED = "undecided"  # an iteration limit was reached


def arrivals(span_ns: int, apart_ns: int, burst: int = 1, distance_ns: int = 0) -> int:
    """The most arrivals in a span, both ends included, of which `burst` may come at once, or `distance_ns` apart."""
    most = span_ns // apart_ns + burst
    return min(most, span_ns // distance_ns + 1) if burst > 1 and distance_ns else most


@dataclass(frozen=True)
class Task:
    """One [[task]] table. A task with neither period nor min_interarrival is a background task: no deadline."""

    name: str
    wcet_ns: int  # >= 0; for a background task 0 means "as long as it likes"
    entry: str | None = None  # C function; None: a synthetic load that executes for exactly wcet_ns
    style: str = "entry"  # "entry": called once per job; "loop": never returns, calls takt_job_wait
    period_ns: int | None = None
    min_interarrival_ns: int | None = None  # a sporadic task
    burst: int = 1  # releases that may come at once; a window has at most burst - 1 + ceil(window / min_interarrival)
    burst_distance_ns: int = 0  # least time between any two of them
    deadline_ns: int | None = None  # relative; the period unless declared, and may exceed it; None for background
    offset_ns: int | None = None  # first release; None: 0 (and the analysis assumes nothing about it)
    jitter_ns: int = 0  # greatest delay between arrival and release
    suspension_ns: int = 0  # the longest that a job waits in calls that block, mutexes aside, all its waits together
    waits: int = 0  # of a job at most; 0: it never waits
    on_miss: str = "continue"  # continue | skip | stop | notify
    miss_handler: str | None = None  # notify: C function, called in the timer's interrupt
    miss_wcet_ns: int = 0  # of the handler
    trigger: str | None = None  # sporadic: kind and name of an object, such as "interrupt uart"; None: the program
    pending_max: int = 1  # releases that may wait when they come too close; more are lost and counted
    stack: int = 1024  # bytes
    on_budget: str = "none"  # none | notify | demote | stop
    budget_ns: int | None = None  # None: on_budget is none, or only sections of a background task are watched
    no_heap: bool = False  # its code may not reach malloc

    @property
    def serves(self) -> str | None:
        """The alarm queue whose handlers its jobs call."""
        kind, _, name = (self.trigger or "").partition(" ")
        return name if kind == "alarm_queue" else None

    @property
    def behind(self) -> int:
        """The most releases that come within its deadline, after one: they wait while its job is in time."""
        return arrivals(self.deadline_ns or 0, self.separation_ns or 1, self.burst, self.burst_distance_ns) - 1

    @property
    def enforced(self) -> bool:
        """Whether the kernel keeps its jobs within their budget and its sections within their hold."""
        return self.on_budget in ("demote", "stop")

    @property
    def separation_ns(self) -> int | None:
        """Least time between two releases: period or minimum inter-arrival; None for a background task."""
        return self.period_ns if self.period_ns is not None else self.min_interarrival_ns


@dataclass(frozen=True)
class Server:
    """One [[server]] table: the tasks that it serves execute for `budget_ns` in each period at its priority."""

    name: str  # which bands name in place of its tasks
    kind: str  # deferrable | sporadic | polling
    budget_ns: int  # > 0, less than the period
    period_ns: int
    deadline_ns: int  # of the budget; at most the period
    serves: tuple[str, ...]  # background tasks, and sporadic ones: those have a deadline only if they declare one


@dataclass(frozen=True)
class Band:
    """One band, highest first in a list of them. `groups`: priority order; tasks of one group are equals (FIFO)."""

    kind: str  # "fixed" | "edf"
    groups: tuple[tuple[str, ...], ...]  # edf: exactly one group, in declaration order
    quantum_ns: int | None = None  # fixed: time slice among equals

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(name for group in self.groups for name in group)


@dataclass(frozen=True)
class Interrupt:
    name: str
    number: int
    min_interarrival_ns: int
    wcet_ns: int
    kernel: bool = True  # may it call the kernel?
    handler: str | None = None  # C function; None: a synthetic handler that executes for exactly wcet_ns
    process: str | None = None  # its task calls the handler; None: the kernel's interrupt does
    deadline_ns: int | None = None  # with `process`, of that task, as the next
    stack: int = 1024  # bytes
    every_ns: int | None = None  # as which boards play it; None: as often as it may come
    console: bool = False  # the board's console raises it, for each character
    bus: str = ""  # the [[can]] whose controller raises it


@dataclass(frozen=True)
class ConsoleInput:
    """[console]: what the console's line brings."""

    character_ns: int  # between two characters at least
    wcet_ns: int | None  # of the handler; None: the board's
    typed: Path | None = None  # what the line brings in a run in virtual time; None: nothing


@dataclass(frozen=True)
class Injection:
    """A fault that a task is made to do: `kind` of takt.observe.inject.KINDS, in its first job that begins at
    `at_ns` or later. `mark`: the semaphore that it takes to do so once."""

    task: str
    kind: str
    at_ns: int
    mark: str


@dataclass(frozen=True)
class Process:
    """Memory with tasks in it. `uses`, `gives`, `manages`: names of objects, in addition to those whose tables name
    it."""

    name: str
    tasks: tuple[str, ...]
    sources: tuple[Path, ...] = ()  # files that are its own
    include: tuple[Path, ...] = ()  # folders, before those of [build]
    defines: tuple[str, ...] = ()  # besides those of [build]
    memory: int = 0  # bytes that it may allocate
    heap: int = 0  # bytes for malloc
    threads: int = 0  # that it may start at a time
    deadline_threads: int = 0  # of these, with a period, under admission
    mutexes: int = 0  # that it may have created at a time; and so on
    mutex_hold_ns: int | None = None  # the longest section of these, whose owners inherit; None: they do not
    conditions: int = 0
    semaphores: int = 0
    events: int = 0
    mailboxes: int = 0
    priority_mailboxes: int = 0
    pipes: int = 0
    alarms: int = 0
    alarms_apart_ns: int | None = None  # least time between two expiries of each of these
    buffers: int = 0  # bytes that mailboxes and pipes which it creates hold
    devices: tuple[str, ...] = ()
    console: bool = False  # may write there
    serial: bool = False  # may use the line
    uses: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    manages: tuple[str, ...] = ()
    start: str = "boot"  # or "on call"
    on_fault: str = "stop"  # or "restart"
    restarts_max: int | None = None  # None: no limit
    faults_apart_ns: int | None = None  # no task of it runs sooner after a fault; None: as soon as its restart allows
    constructors_wcet_ns: int | None = None  # with protection, of all its static objects together; None: it has none
    constructors_deadline_ns: int | None = None
    constructors_stack: int | None = None  # bytes
    budgets: bool = False  # its tasks with deadlines, unless they say otherwise, are stopped at the end of their wcet


@dataclass(frozen=True)
class Shared:
    """Memory of several processes. `read`, `write`: names of processes."""

    name: str
    size: int | None  # bytes; None: those of `type`
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()  # they read too
    attach: bool = False  # mapped by takt_shared_attach, not from the start
    kernel: bool = False  # files of no process may use it, although processes write it
    type: str | None = None
    include: str | None = None


@dataclass(frozen=True)
class Device:
    """Registers, at `base`, `size` bytes of them."""

    name: str
    base: int
    size: int


@dataclass(frozen=True)
class Build:
    """[build], but its sources, which are System.sources. Paths are not resolved."""

    include: tuple[Path, ...] = ()  # folders
    defines: tuple[str, ...] = ()  # "NAME" or "NAME=value"
    c_flags: tuple[str, ...] = ()
    cxx_flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    libraries: tuple[Path | str, ...] = ()  # files, and names that the compiler knows, in the order of the link
    c_standard: int = 11
    cxx_standard: int = 17
    exceptions: bool = False
    rtti: bool = False
    cxx_library: bool = False


@dataclass(frozen=True)
class Bus:
    """One [[can]] table: a CAN bus that the system is a node of. Texts: as `takt can check` reads its options."""

    name: str
    bitrate: int  # bit/s
    data_bitrate: int | None  # of FD frames; None: they do not change it
    fd: bool  # every message is an FD frame
    errors: str | None  # None: there are none
    drift_ppm: int  # by how much clocks of nodes may be wrong
    controller: str  # how this system queues
    others: tuple[str, ...]  # how other nodes queue
    identifiers: str | None  # that `auto` may give; None: all
    file: str | None  # describes the messages of other nodes
    file_bus: str | None  # of a file with several
    variants: bool  # of several senders in the file one sends
    node: str  # what the file calls this system
    period_ns: int | None  # of messages of the file without a cycle time
    jitter: str | None  # of those without one
    driver: bool  # the system drives its controller
    interface: str | None  # of the machine; None: the board's own controller
    scheduler: str  # fixed: identifiers; mts: those of fast messages carry deadlines
    epoch_ns: int | None  # of mts; None: chosen
    masters: int | None
    handlers: str | None


@dataclass(frozen=True)
class Protection:
    """End-to-end protection of a message; what is of the end that receives from `max_lost` on."""

    profile: int  # of AUTOSAR: 1, 2, 5
    data_id: int | tuple[int, ...]  # profile 2: one for each counter
    mode: str  # of profile 1: both | alternating | low | nibble
    max_lost: int
    window: int  # checks
    max_errors: int
    fresh_ns: int | None  # None: of any age


@dataclass(frozen=True)
class Message:
    """One [[message]] table: of a task of this system (`sender`), of another node (`origin`), or the copy of one of
    another bus (`forwards`), with its length and period."""

    name: str
    bus: str
    sender: str | None
    origin: str | None
    receivers: tuple[str, ...]
    size: int  # bytes
    identifier: int | None  # None: `auto`
    extended: bool
    period_ns: int | None  # None: that of the task
    jitter_ns: int  # of another node's
    deadline_ns: int | None  # from the release of the job that sends it; None: best effort
    queue: int | None  # received messages that wait; None: the last value alone
    forwards: str | None = None  # the message that the driver copies from another bus
    called: str | None = None  # in the program, where that is another name
    protection: Protection | None = None

    @property
    def is_sent(self) -> bool:
        """By this system."""
        return self.origin is None

    @property
    def call(self) -> str:
        """The function that sends it."""
        return f"takt_can_send_{self.called or self.name}"


@dataclass(frozen=True)
class Chain:
    """[[chain]]: from a cause to an effect, over tasks and messages."""

    name: str
    path: tuple[str, ...]
    reaction_ns: int | None  # limits; None: no limit
    age_ns: int | None


@dataclass(frozen=True)
class System:
    """A whole declaration."""

    path: Path  # the system.toml it came from
    name: str  # the folder's name unless [system] name says otherwise
    board: str
    scheduler: str  # auto | rm | dm | edf | csd | csd2 ... | cooperative | bands (explicit [[band]] tables)
    tasks: tuple[Task, ...]  # in declaration order
    bands: tuple[Band, ...] = ()  # only with explicit [[band]] tables
    objects: tuple[Any, ...] = ()  # what tasks share: of the classes of service_kinds/
    interrupts: tuple[Interrupt, ...] = ()
    console: ConsoleInput | None = None  # its interrupt is one of `interrupts`, its pipe one of `objects`
    servers: tuple[Server, ...] = ()
    preset: str = "standard"  # lean | standard | debug
    duration_ns: int = 1_000_000_000  # how long `takt run` runs by default
    runtime_tasks: int = 0  # tasks that may be started at run time under admission
    offsets: bool = False  # whether the proof uses them
    quantum_ns: int | None = None  # time slice among background tasks that no band names; None: FIFO
    sources: tuple[Path, ...] = ()  # files of the application that are compiled: schema/source_files.py
    build: Build = Build()
    thread_local: bool = False  # its code has thread-local variables, or reads errno: code/thread_locals.py
    plant: str | None = None  # Python file that plays the outside world in `takt run`, or None
    engine: str = "software"  # finds the next task and expiry: boards.Board.engines
    protection: bool = False  # tasks belong to processes, in user mode
    heap: int = 0  # bytes for malloc, without protection; 0: those of processes
    shared_sources: tuple[Path, ...] = ()  # C files that all processes execute
    processes: tuple[Process, ...] = ()
    shared: tuple[Shared, ...] = ()
    devices: tuple[Device, ...] = ()
    buses: tuple[Bus, ...] = ()
    messages: tuple[Message, ...] = ()
    chains: tuple[Chain, ...] = ()
    injections: tuple[Injection, ...] = ()  # of `takt run --inject`
    node: str = ""  # that it is of a network, where several nodes run this system
    metadata: dict[str, str] = field(default_factory=dict)  # "line NAME"; "budget TASK": processes.budget_is_wcet

    def derived(self, of: Callable[[System], T]) -> T:
        """What a function makes of this system alone, once: a system never changes."""
        found: dict[Any, Any] = self.__dict__.setdefault("_derived", {})
        if of not in found:
            found[of] = of(self)
        return cast(T, found[of])

    def task(self, name: str) -> Task:
        return self.derived(_tasks_by_name)[name]

    def message(self, name: str) -> Message:
        return next(one for one in self.messages if one.name == name)

    @property
    def driven(self) -> list[Bus]:
        """CAN buses whose controllers the system drives."""
        return [bus for bus in self.buses if bus.driver]

    @property
    def names(self) -> tuple[str, ...]:
        """Of tasks and servers, which bands name."""
        return (*(task.name for task in self.tasks), *(server.name for server in self.servers))

    def server_of(self, task: str) -> Server | None:
        """The server that serves it."""
        return next((server for server in self.servers if task in server.serves), None)

    def of(self, kind: type[T]) -> tuple[T, ...]:
        """The objects of one kind, in declaration order."""
        by_kind = self.derived(_objects_by_kind)
        if kind not in by_kind:
            by_kind[kind] = tuple(item for item in self.objects if isinstance(item, kind))
        return by_kind[kind]

    def having(self, kind: type[T], items: Iterable[T]) -> System:
        """The same system with other objects of one kind."""
        return replace(self, objects=(*(item for item in self.objects if not isinstance(item, kind)), *items))

    @property
    def kernel_sources(self) -> tuple[Path, ...]:
        """C files of the application that are of no process: they run in the kernel's mode."""
        owned = {*self.shared_sources, *(source for process in self.processes for source in process.sources)}
        return tuple(source for source in self.sources if source not in owned)

    @property
    def plant_path(self) -> Path | None:
        """Of its plant, absolute; None: it has none."""
        return self.path.resolve().parent / self.plant if self.plant is not None else None

    @property
    def managed(self) -> tuple[Process, ...]:
        """Processes that calls start and stop: not started with the system, or another process may stop them."""
        named = {name for process in self.processes for name in process.manages}
        return tuple(one for one in self.processes if one.start == "on call" or one.name in named)

    @property
    def heap_size(self) -> int:
        """Bytes of the one heap of a system without protection, or of all heaps of its processes; 0: none."""
        own = 0 if self.protection else self.heap
        return own or sum(process.heap for process in self.processes)

    @property
    def threads(self) -> int:
        """That processes may start."""
        return sum(process.threads for process in self.processes)

    @property
    def budgets(self) -> bool:
        """Whether the kernel watches the budget of any task."""
        admits = self.protection and self.runtime_tasks > 0  # a process may lie about a thread's wcet
        return admits or bool(self.servers) or any(task.on_budget != "none" for task in self.tasks)


def _tasks_by_name(system: System) -> dict[str, Task]:
    return {task.name: task for task in reversed(system.tasks)}


def _objects_by_kind(_system: System) -> dict[type, tuple[Any, ...]]:
    """Of the kinds that were asked for."""
    return {}


@dataclass(frozen=True)
class ProcessCosts:
    """Overheads of processes, ns; docs/overheads.md. `line_ns`: an interrupt that masks its line and releases its task.
    `ack_ns`: added to that task's job for it. `fault_ns`, `fault_task_ns`: a process of one task faults, each
    further task. `piece_ns`, `mutex_ns`, `regions_ns`: the timer's interrupts by which it ends and starts again."""

    line_ns: int
    ack_ns: int
    fault_ns: int
    fault_task_ns: int
    piece_ns: int
    mutex_ns: int
    regions_ns: int


@dataclass(frozen=True)
class Overheads:
    """Kernel time per operation in ns, for the proof of one system (overheads.Measured.of); docs/overheads.md.

    `release_ns`: the timer's interrupt that releases one job. `switch_ns`: more when that job runs at once.
    `complete_ns`: end of a job, selection, switch to the next task. `timer_ns`: a watched deadline. `interrupt_ns`:
    entry and exit of an interrupt that calls the kernel. `lock_ns`: the longest locked section. Those of a job by the
    kind of its band ("fixed", "edf"). `kernel`: folder of kernel/config/sched/. For up to `tasks_max` tasks.
    """

    board: str
    preset: str
    kernel: str
    tasks_max: int
    interrupt_ns: int
    timer_ns: int
    lock_ns: int
    release_ns: dict[str, int]
    switch_ns: dict[str, int]
    complete_ns: dict[str, int]
    processes: ProcessCosts | None = None  # measured with tasks in processes
    key_ns: dict[str, int] = field(default_factory=dict)  # with servers: the key of a served task changes
    fifo_ns: int = 0  # what a wait takes more where waiters are in FIFO order, also to find the best of them

    def job_ns(self, kind: str) -> int:
        """Kernel time that a job adds to its execution: the switch to it and its end."""
        return self.switch_ns[kind] + self.complete_ns[kind]
