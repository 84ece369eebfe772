# SPDX-License-Identifier: Apache-2.0
"""How many copies a state message has, and which readers lock the kernel while they read: seed 000, 3.4.2, by the
proof.

docs/decisions/0015-state-depth.md says why no read is overtaken with this number. Times come from `bounds`, the proved
bounds on response times by task; a missing bound is replaced by the deadline, which is no shorter if it holds. Steps:

1. `hopeful`: only readers without any bound are slow. Their locked reads are in the proof (services.locked_ns).
2. The proof's bounds give the copies that each reader needs. A reader that needs too many becomes slow, and the system
   is proved again with its locked read, until no reader becomes slow (state_message_fixpoint.settled). So the last
   proof covers exactly the locked reads, and there is at most one proof more than readers.
3. Without a proof, the copies follow from the deadlines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from takt.declare.schema.model import Interrupt, System, Task
from takt.support.durations import show

Bounds = Mapping[str, int | None]
"""Bounds on response times of tasks, from arrival to completion, ns; None or missing: the deadline is used."""

COPIES_MIN = 2  # one has the newest value, the other is being written
WORD_SIZE = 4  # bytes, on the smallest machine
_OF_A_WORD = frozenset("char short int float bool int8_t uint8_t int16_t uint16_t int32_t uint32_t".split())


@dataclass(frozen=True)
class Read:
    """A reader of a state message, a task or interrupt, and the longest that it executes in one read."""

    task: str
    read_ns: int


@dataclass(frozen=True)
class State:
    """A state message. `writer`: a task or interrupt. Set by state_copies.settle: `copies`, and `slow`, the readers
    that copy with the kernel locked."""

    name: str
    message_size: int | None  # bytes
    writer: str
    depth: int | None = None  # declared copies; None: by the readers
    depth_max: int = 10  # copies that a reader may need before it locks the kernel
    writes: int = 1  # the most in one job of the writer
    readers: tuple[Read, ...] = ()
    type: str | None = None
    include: str | None = None
    copies: int = 0
    slow: tuple[str, ...] = ()


def reading(system: System, item: State) -> list[str]:
    """Names of the processes that may read a state message: those of its readers; of one without, its writer's."""
    tasks = {reader.task for reader in item.readers} or {item.writer}
    return [process.name for process in system.processes if tasks.intersection(process.tasks)]


class Basis(StrEnum):
    """The basis of the number of copies."""

    DECLARED = "declared"  # the program says so
    BOUNDS = "bounds"  # proved bounds on responses
    DEADLINES = "deadlines"  # valid only if they hold


@dataclass(frozen=True)
class Need:
    """What a reader needs of a state message.

    `lasts_ns`: the longest from the beginning to the end of one read; None: no bound. `writes`: the most writes that
    overlap one read; None: there may be any number.
    """

    reader: str
    read_ns: int
    lasts_ns: int | None
    writes: int | None

    @property
    def copies(self) -> int | None:
        """The copies with which it is not overtaken."""
        return None if self.writes is None else max(COPIES_MIN, self.writes + 1)


@dataclass(frozen=True)
class Depth:
    """A state message with its number of copies."""

    state: State
    basis: Basis
    needs: tuple[Need, ...]

    def as_json(self) -> dict[str, object]:
        """An element of `states` of `takt check --json` (docs/json.md)."""
        return {
            "name": self.state.name,
            "depth": self.state.copies,
            "basis": self.basis.value,
            "writer": self.state.writer,
            "readers": [
                {
                    "name": need.reader,
                    "read_ns": need.read_ns,
                    "lasts_ns": need.lasts_ns,
                    "writes": need.writes,
                    "depth": need.copies,
                    "locked": need.reader in self.state.slow,
                }
                for need in self.needs
            ],
        }

    def lines(self) -> Iterator[str]:
        """In plain words: the number of copies and its basis, then each reader."""
        basis = {
            Basis.DECLARED: "as declared",
            Basis.BOUNDS: "by the proved response bounds",
            Basis.DEADLINES: "by the deadlines",
        }[self.basis]
        yield f"state {self.state.name}: {self.state.copies} copies, {basis}"
        for need in self.needs:
            yield f"  {self._reason(need)}"

    def _reason(self, need: Need) -> str:
        state = self.state
        if one_word(state):
            return f"{need.reader}: one word is read by one instruction"
        if need.writes is None:
            why = f"no bound on the writes of {state.writer} during its read"
        elif need.lasts_ns is None:
            why = f"at most {_count(need.writes)} of {state.writer} during its read"
        else:
            why = f"its read lasts {show(need.lasts_ns)} at most, {_count(need.writes)} of {state.writer}"
        asks = "" if need.copies is None else f": {need.copies} copies"
        if need.reader not in state.slow:
            return f"{need.reader}: {why}{asks}"
        more = f", more than {limit(state)}" if need.copies is not None and exceeds(state, need) else ""
        return f"{need.reader}: {why}{asks}{more}; it reads with the kernel locked for {show(need.read_ns)}"


def _count(writes: int) -> str:
    return f"{writes} write{'' if writes == 1 else 's'}"


def limit(state: State) -> int:
    """The most copies that a reader may need before it is slow."""
    return state.depth_max if state.depth is None else state.depth


def exceeds(state: State, need: Need) -> bool:
    """Whether a reader needs more copies than the limit."""
    return need.copies is None or need.copies > limit(state)


def lockable(system: System, state: State) -> bool:
    """Whether a lock keeps its writer from writing: not an interrupt that the kernel never masks."""
    writer = _actor(system, state.writer)
    return isinstance(writer, Task) or writer.kernel


def unguarded(system: System) -> bool:
    """Whether some reader may need a lock, by the deadlines, that does not keep the writer from writing."""
    return any(
        exceeds(state, need)
        for state in system.of(State)
        if not lockable(system, state)
        for need in needs(system, state, {})
    )


def most_writes(lasts_ns: int, period_ns: int, within_ns: int, writes: int) -> int:
    """The most writes that overlap a span of `lasts_ns`, if each job of the writer makes up to `writes` within
    `within_ns` of its arrival, and arrivals are `period_ns` apart: the writes of jobs that arrive within lasts_ns +
    within_ns."""
    return writes * (1 + (lasts_ns + within_ns) // period_ns)


def one_word(state: State) -> bool:
    """Whether the message surely fits a machine word, so that no read is ever between two writes."""
    known = state.message_size is not None and state.message_size <= WORD_SIZE
    return known or state.type in _OF_A_WORD


def needs(system: System, state: State, bounds: Bounds) -> tuple[Need, ...]:
    """The needs of each reader."""
    return tuple(_need(system, state, read, bounds) for read in state.readers)


def _need(system: System, state: State, read: Read, bounds: Bounds) -> Need:
    writer, reader = _actor(system, state.writer), _actor(system, read.task)
    lasts_ns, writes = None, None
    if read.task == state.writer or one_word(state):
        writes = 0
    elif isinstance(reader, Interrupt):
        writes = 1 if isinstance(writer, Task) else None  # a task is preempted, in a write at worst
    else:
        lasts_ns = _lasts_ns(reader, read, bounds)
        if lasts_ns is not None and (isinstance(writer, Interrupt) or writer.separation_ns is not None):
            writes = most_writes(lasts_ns, *_pace(writer, bounds), state.writes)
    return Need(read.task, read.read_ns, lasts_ns, writes)


def fewest_copies(system: System, state: State, read: Read) -> int | None:
    """The fewest copies of a reader with a shorter deadline, down to its wcet; None: an interrupt has no deadline."""
    if isinstance(_actor(system, read.task), Interrupt):
        return None
    return max(COPIES_MIN, 1 + most_writes(read.read_ns, *_pace(_actor(system, state.writer), {}), state.writes))


def _actor(system: System, name: str) -> Task | Interrupt:
    actors: tuple[Task | Interrupt, ...] = (*system.tasks, *system.interrupts)
    return next(item for item in actors if item.name == name)


def _within_ns(task: Task, bounds: Bounds) -> int | None:
    bound = bounds.get(task.name)
    return task.deadline_ns if bound is None else bound


def _lasts_ns(reader: Task, read: Read, bounds: Bounds) -> int | None:
    """A job is delayed for at most its response time minus its wcet, possibly all of it during the read."""
    within_ns = _within_ns(reader, bounds)
    return None if within_ns is None else within_ns - min(reader.wcet_ns, within_ns) + read.read_ns


def _pace(writer: Task | Interrupt, bounds: Bounds) -> tuple[int, int]:
    """Least distance of arrivals, and the longest time from an arrival to a write. A pending interrupt is handled
    once, however often it was requested meanwhile: its distance is used as its response time. A burst is as arrivals
    that are late by as many distances."""
    if isinstance(writer, Interrupt):
        return writer.min_interarrival_ns, writer.min_interarrival_ns
    apart_ns = writer.separation_ns or 1
    return apart_ns, (_within_ns(writer, bounds) or 0) + (writer.burst - 1) * apart_ns


def _locked_readers(system: System, state: State, slow: tuple[str, ...]) -> tuple[str, ...]:
    """Readers with the kernel locked: the slow ones, or all if one of them is an interrupt, which NAME_read cannot test
    (state.py)."""
    known = {task.name for task in system.tasks}
    return slow if known.issuperset(slow) else tuple(read.task for read in state.readers)


def hopeful(system: System) -> System:
    """The system whose slow readers are those without a bound, for a first proof."""

    def start(state: State) -> State:
        endless = tuple(need.reader for need in needs(system, state, {}) if need.writes is None)
        return replace(state, slow=_locked_readers(system, state, endless))

    return system.having(State, map(start, system.of(State)))


def settle(system: System, bounds: Bounds) -> System:
    """The system with the copies of each state message; readers that need too many become slow."""
    return system.having(State, (_settled(system, state, bounds) for state in system.of(State)))


def _settled(system: System, state: State, bounds: Bounds) -> State:
    asked = needs(system, state, bounds)
    slow = tuple(need.reader for need in asked if need.reader in state.slow or exceeds(state, need))
    slow = _locked_readers(system, state, slow)
    most = max((need.copies or 0 for need in asked if need.reader not in slow), default=COPIES_MIN)
    return replace(state, copies=state.depth or most, slow=slow)


def slow(system: System) -> list[tuple[str, ...]]:
    """The slow readers of each state message."""
    return [state.slow for state in system.of(State)]


def depths(system: System, bounds: Bounds, proved: bool) -> tuple[Depth, ...]:
    """The depth of each state message. `proved`: the bounds are proved, and hold at run time."""

    def basis(state: State) -> Basis:
        if state.depth is not None:
            return Basis.DECLARED
        return Basis.BOUNDS if proved else Basis.DEADLINES

    return tuple(Depth(state, basis(state), needs(system, state, bounds)) for state in system.of(State))


def locked_ns(system: System) -> int:
    """The longest locked read of a slow reader."""
    return max((read.read_ns for _, read in _locked(system)), default=0)


def locked_by_ns(system: System, task: str) -> int:
    """The longest locked read of one reader."""
    return max((read.read_ns for _, read in _locked(system) if read.task == task), default=0)


def longest_copy(system: System) -> tuple[State, Read] | None:
    """The longest read with the kernel locked, if there is one."""
    return max(_locked(system), key=lambda pair: pair[1].read_ns, default=None)


def _locked(system: System) -> Iterator[tuple[State, Read]]:
    return ((state, read) for state in system.of(State) for read in state.readers if read.task in state.slow)


def writes_max(system: System, state: State, duration_ns: int) -> int | None:
    """The most writes in a run of `duration_ns`, one in takt_app_init included; None: no reader is declared."""
    if not state.readers:
        return None
    period_ns, _ = _pace(_actor(system, state.writer), {})
    return state.writes * (1 + duration_ns // period_ns) + 1
