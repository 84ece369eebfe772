# SPDX-License-Identifier: Apache-2.0
"""Trace files: a JSON line that names things, then the records of takt/trace.h. Format and events: docs/trace.md.

`read` gives the events of a file with absolute times and names, `columns` prints them, one a line. Standard library
only, as what it imports of ours: the debugger's Python decodes a ring in memory with it (tools/takt/gdb).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from takt.support.c.replay import EVENT, KIND_DELAY, KIND_OTHER, UNKNOWN, Error, Totals
from takt.support.c.traces import FAR, IDLE, NO_BAND, NO_JOB, NONE, RECORD, TIMER, WIDE, Event
from takt.support.errors import UserError
from takt.support.files import shown_path, write_whole
from takt.support.names import line_of
from takt.trace import log
from takt.trace.library import EVENTS, Declared, Reader

__all__ = ["IDLE", "NONE", "NO_BAND", "NO_JOB", "TIMER", "UNKNOWN", "Event"]  # and what is defined here

FORMAT = "takt-trace"
VERSION = 2
COOPERATIVE = "cooperative"  # the scheduler whose tasks are left at the end of a job only
RECORD_SIZE = RECORD.size
NAMES_MAX = IDLE  # tasks, and objects

_WIDE_EVENTS = frozenset(
    {
        Event.TIME,
        Event.LOST_RECORDS,
        Event.DEADLINE,
        Event.LOG_WORDS,
        *(event for event in Event if event >= Event.STAT_JOBS),
    }
)
_VALUES = frozenset(
    {
        *(Event.OVERRUN, Event.LOST, Event.READY, Event.KEY, Event.POST, Event.START),
        *(Event.ALARM, Event.WATCHDOG, Event.BUDGET, Event.PROCESS, Event.REFUSE),
    }
)
_NO_OBJECT = frozenset({*_WIDE_EVENTS, Event.FAULT, Event.RELEASE, Event.KEY})
_OF_OBJECTS = frozenset({Event.STAT_WRITES, Event.STAT_OVERTAKEN})  # `task` is the object's id
_OF_MESSAGES = frozenset(event for event in Event if Event.STAT_MESSAGES <= event <= Event.STAT_MESSAGE_LATE)
_INTERRUPTS = frozenset({Event.INTERRUPT, Event.INTERRUPT_END})
OF_LOG = frozenset({Event.LOG, Event.LOST_RECORDS, Event.STOP})
"""Events that tell of messages and spans of the log."""
_EVENTS = {int(event): event for event in Event}


class Budget(NamedTuple):
    """What a task declares: how long each job may execute and each section may last, and `on_budget`."""

    budget_ns: int
    hold_ns: int
    on_budget: str  # notify | demote | stop


@dataclass(frozen=True)
class Names:
    """The first line of a trace file: what the numbers in its records mean."""

    board: str
    scheduler: str
    tasks: tuple[str, ...]
    objects: tuple[str, ...] = ()  # mutexes, semaphores, mailboxes by trace id
    bands: tuple[dict[str, Any], ...] = ()  # {"kind", "tasks"}, highest first
    interrupts: dict[int, str] = field(default_factory=dict)  # by number
    kinds: tuple[str, ...] = ()  # of the objects: "mutex", "semaphore" ...
    deadlines_ns: tuple[int | None, ...] = ()  # of the tasks, relative; None: a background task
    budgets: tuple[Budget | None, ...] = ()  # of the tasks
    processes: tuple[str, ...] = ()  # none: a system without protection
    segment: int = 1  # number of the file, of a trace in several
    takt: str = ""  # version of Takt that built the image; "": one from before versions
    log: dict[int, log.Message] = field(default_factory=dict)  # by the number in records
    strings: dict[int, str] = field(default_factory=dict)  # by address: those that messages of the log refer to
    messages: tuple[str, ...] = ()  # of CAN buses that the system drives

    def header(self) -> bytes:
        """The first line of a file."""
        fields = {
            "format": FORMAT,
            "version": VERSION,
            "takt": self.takt,
            "board": self.board,
            "scheduler": self.scheduler,
            "tasks": list(self.tasks),
            "objects": list(self.objects),
            "kinds": list(self.kinds),
            "deadlines_ns": list(self.deadlines_ns),
            "budgets": [None if budget is None else budget._asdict() for budget in self.budgets],
            "bands": list(self.bands),
            "processes": list(self.processes),
            "interrupts": {str(number): name for number, name in sorted(self.interrupts.items())},
        }
        if self.messages:
            fields["messages"] = list(self.messages)
        if self.segment > 1:
            fields["segment"] = self.segment
        if self.log:
            fields["log"] = {str(number): list(message) for number, message in sorted(self.log.items())}
            fields["strings"] = {str(address): text for address, text in sorted(self.strings.items())}
        return json.dumps(fields).encode() + b"\n"

    def task(self, index: int) -> str | None:
        """The name of the task with that index; None: NONE, UNKNOWN."""
        if index in (NONE, UNKNOWN):
            return None
        if index == IDLE:
            return "idle"
        return self.tasks[index] if index < len(self.tasks) else f"task {index}"

    def lender(self, index: int) -> str | None:
        """Whose priority a task has: of a `key`. None: its own."""
        return "message or ceiling" if index == IDLE else self.task(index)

    def deadline_ns(self, index: int) -> int | None:
        """Of a task, relative; None: it has none, or it is not known."""
        return self.deadlines_ns[index] if index < len(self.deadlines_ns) else None

    def budget(self, index: int) -> Budget | None:
        """Of a task; None: it has none, or it is not known."""
        return self.budgets[index] if index < len(self.budgets) else None

    def declared(self, from_start: bool = True) -> Declared:
        """What a reader of the trace is made with; kinds of objects are numbered as in `causes`."""
        causes = self.causes()
        return Declared(
            tasks=len(self.tasks),
            kinds=bytes(causes.index(kind) if kind in causes else KIND_OTHER for kind in self.kinds),
            edf=bytes(band["kind"] == "edf" for band in self.bands),
            budgets=tuple(
                (0, 0, False, False)
                if budget is None
                else (budget.budget_ns, budget.hold_ns, budget.on_budget == "demote", budget.on_budget != "notify")
                for budget in map(self.budget, range(len(self.tasks)))
            ),
            cooperative=self.scheduler == COOPERATIVE,
            from_start=from_start,
        )

    def causes(self) -> tuple[str, ...]:
        """For what tasks wait: kinds of objects."""
        return tuple(sorted({*self.kinds}))[:KIND_DELAY]

    def process(self, index: int) -> str:
        """The name of the process with that index."""
        return self.processes[index] if index < len(self.processes) else f"process {index}"

    def message(self, index: int) -> str:
        """The name of a message of a CAN bus."""
        return self.messages[index] if index < len(self.messages) else f"message {index}"

    def object(self, event: Event, number: int) -> str | None:
        """The name of what an event is about, by its id; None: NONE."""
        if event is Event.PROCESS:
            return self.process(number)
        if event in _INTERRUPTS:
            return "timer" if number == TIMER else self.interrupts.get(number, f"interrupt {number}")
        if number == NONE:
            return None
        return self.objects[number] if number < len(self.objects) else f"object {number}"


class Entry(NamedTuple):
    """One event at an absolute time. `value`: the record's value field, or the 64 bits of a wide event.

    Of a release `value` is the job's deadline, absolute; 0: not known. Of a message of the log `value` is its number,
    and `words` are its arguments.
    """

    time_ns: int
    event: Event
    task: int  # index, NONE or IDLE; of a message of the log UNKNOWN too
    job: int | None
    band: int | None
    object: int  # NONE in wide events
    value: int
    words: tuple[int, ...] = ()

    def named(self, names: Names) -> dict[str, Any]:
        """The keys of `takt trace --json`, `value` among them where it says something."""
        line: dict[str, Any] = {
            "time_ns": self.time_ns,
            "event": self.event.name.lower(),
            "task": names.task(self.task),
            "job": self.job,
            "band": self.band,
            "object": None if self.event in _NO_OBJECT else names.object(self.event, self.object),
        }
        has_value = self.event in _VALUES or (self.event is Event.RECEIVE and self.value != 0)
        if self.event in _WIDE_EVENTS or has_value:
            line["value"] = self.value
        elif self.event is Event.RELEASE:
            line["value"] = self.value or None
        elif self.event is Event.FAULT:
            line["value"] = self.object  # a line number has more bits than a record's value
        if self.event is Event.KEY:
            line["object"] = names.lender(self.object)
        if self.event in _OF_OBJECTS:
            line["task"], line["object"] = None, names.object(self.event, self.task)
        if self.event in _OF_MESSAGES:
            line["task"], line["object"] = None, names.message(self.task)
        if self.event is Event.LOG:
            line |= self._message(names)
        return line

    def _message(self, names: Names) -> dict[str, Any]:
        """Of a message of the log: `event` says whether it begins or ends a span."""
        message = names.log.get(self.value)
        if message is None:
            return {"level": None, "where": None, "text": f"message {self.value}: {' '.join(map(hex, self.words))}"}
        if message.level.startswith("mark"):
            return {"event": message.level, "text": message.format}
        text = log.text(message, self.words, names.strings)
        return {"level": message.level, "where": message.where(), "text": text}


@dataclass(frozen=True)
class Trace:
    """A trace: what its numbers mean, and its events."""

    names: Names
    entries: tuple[Entry, ...]  # in order; TIME and DEADLINE records are already applied and left out

    def of_log(self) -> Iterator[Entry]:
        """What takt.trace.log_lines reads."""
        yield from self.entries

    def through(self, reader: Reader, until_ns: int | None = None) -> Iterator[None]:
        """Has a reader take it; at each stop, what is given is to be taken. `until_ns`: as of segments.Recorded."""
        del until_ns  # it is all there
        kept = iter(self.entries)
        while part := rows(itertools.islice(kept, EVENTS)):
            while part:
                part = part[reader.take(part) * EVENT.size :]
                yield
        reader.finish()
        yield

    def statistic(self, event: Event, task: int) -> int | None:
        """A task's figure at the end of the run, None when the trace has none."""
        return next((entry.value for entry in self.entries if entry.event == event and entry.task == task), None)


def decode(data: bytes, now: int = 0, from_start: bool = True) -> Iterator[Entry]:
    """Entries of whole records, the first of which comes after one at the time `now`, ns. `from_start`: it is the first
    of the run.

    ValueError: a record that no Takt writes, with its number in the message.
    """
    if len(data) % RECORD_SIZE:
        raise ValueError(f"the last record is cut: {len(data) % RECORD_SIZE} of {RECORD_SIZE} bytes")
    return Decoder(now, from_start).feed(data, last=True)


class Decoder:
    """Entries of records that come in parts. `now_ns`: the time of the last record, or that before the first."""

    def __init__(self, now_ns: int = 0, from_start: bool = True) -> None:
        self._reader = Reader(Declared(from_start=from_start))
        for event in Event:
            self._reader.give(event)
        self._entries = Entries()
        self._held = b""
        if now_ns:
            self._reader.feed(time_record(now_ns))
        self._before = int(self._reader.totals.records)

    @property
    def now_ns(self) -> int:
        return int(self._reader.totals.now_ns)

    def feed(self, data: bytes, last: bool = False) -> Iterator[Entry]:
        """The entries of the next whole records, all of which are to be taken. Of the last event some may follow,
        unless these are the `last` ones: then it comes with them. ValueError: as `decode`."""
        data = self._held + data
        for taken in self._reader.chunks(data):
            self._held = data[taken:]
            yield from self._entries.of(self._reader.events())
        if last:
            self._reader.finish()
            yield from self._entries.of(self._reader.events())
        if last or self._reader.totals.error:
            yield from self._entries.rest()
        refuse_damage(self._reader.totals, self._before, 0)


def refuse_damage(totals: Totals, before: int, size: int) -> None:
    """ValueError: of `size` bytes of records, which come after `before` others, one is damaged, or the last one cut."""
    if totals.error == Error.MEMORY:
        raise MemoryError
    number = totals.records - before
    where = f"record {number} (byte {number * RECORD_SIZE} of the records)"
    if totals.error == Error.UNKNOWN_EVENT:
        raise ValueError(f"{where}: unknown event {totals.damage}")
    if totals.error == Error.TIME_BACK:
        raise ValueError(f"{where}: time goes back to {totals.damage} ns")
    if size % RECORD_SIZE:
        raise ValueError(f"the last record is cut: {size % RECORD_SIZE} of {RECORD_SIZE} bytes")


class Entries:
    """Entries of the rows that a reader gives. A message of the log comes when its words are all there."""

    def __init__(self) -> None:
        self._message: Entry | None = None

    def of(self, rows: memoryview) -> Iterator[Entry]:
        for time_ns, value, words, task, job, target, event, band, _ in EVENT.iter_unpack(rows):
            if event == Event.LOG_WORDS:
                if self._message is not None:
                    self._message = self._message._replace(words=self._message.words + _pair(words))
                continue
            yield from self.rest()
            known_band, known_job = (None if band == NO_BAND else band), (None if job == NO_JOB else job)
            entry = Entry(time_ns, _EVENTS[event], task, known_job, known_band, target, value)
            if event == Event.LOG:
                self._message = entry._replace(words=_pair(words))
            else:
                yield entry

    def rest(self) -> Iterator[Entry]:
        """The message whose words may not have been all."""
        message, self._message = self._message, None
        if message is not None:
            yield message


def _pair(words: int) -> tuple[int, int]:
    return words & 0xFFFFFFFF, words >> 32


def rows(entries: Iterable[Entry]) -> bytes:
    """What a reader takes."""
    out = bytearray()
    for entry in entries:
        job = NO_JOB if entry.job is None else entry.job
        band = NO_BAND if entry.band is None else entry.band
        first, *more = _pairs(entry.words) or [0]
        out += EVENT.pack(entry.time_ns, entry.value, first, entry.task, job, entry.object, entry.event, band, 0)
        for pair in more:
            out += EVENT.pack(entry.time_ns, 0, pair, NONE, NO_JOB, NONE, Event.LOG_WORDS, NO_BAND, 0)
    return bytes(out)


def _pairs(words: tuple[int, ...]) -> list[int]:
    """Each two as one number, as records have them."""
    even = [*words, 0][: len(words) + len(words) % 2]
    return [even[at] | even[at + 1] << 32 for at in range(0, len(even), 2)]


def time_record(now_ns: int) -> bytes:
    """A record that says the time."""
    return WIDE.pack(0, Event.TIME, NO_BAND, NONE, now_ns)


def encode(entries: Iterable[Entry]) -> bytes:
    """Records that `decode` reads back, as the kernel would write them."""
    out = bytearray()
    now = 0
    for entry in entries:
        if not 0 <= entry.time_ns - now < 1 << 32:
            out += time_record(entry.time_ns)
            now = entry.time_ns
        band = NO_BAND if entry.band is None else entry.band
        head = (entry.time_ns - now, entry.event, band, entry.task)
        job = NO_JOB if entry.job is None else entry.job
        if entry.event is Event.RELEASE:
            near = 0 <= entry.value - entry.time_ns < FAR
            out += WIDE.pack(*head, job | (entry.value - entry.time_ns if near else FAR) << 32)
            if not near and entry.value:
                out += WIDE.pack(0, Event.DEADLINE, NO_BAND, entry.task, entry.value)
        elif entry.event is Event.LOG:
            pair, *more = _pairs(entry.words) or [0]
            out += WIDE.pack(head[0], entry.event, NO_BAND, entry.value, pair)
            out += b"".join(WIDE.pack(0, Event.LOG_WORDS, NO_BAND, NONE, pair) for pair in more)
        elif entry.event in _WIDE_EVENTS:
            out += WIDE.pack(*head, entry.value)
        else:
            out += RECORD.pack(*head, job, entry.object, entry.value)
        now = entry.time_ns
    return bytes(out)


def write(path: Path, names: Names, records: bytes) -> None:
    """A trace file of the records that a board sent."""
    write_whole(path, names.header() + records)


def names_of_line(path: Path, line: bytes) -> Names | None:
    """None: not the first line of a trace."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        return None
    if fields.get("version") != VERSION:
        hint = "read it with the version of takt that wrote it, or run again"
        raise UserError(
            f"{shown_path(path)}: trace format version {fields.get('version')!a:.60}; this takt reads {VERSION}", hint
        )
    try:
        return Names(
            board=_text(fields["board"]),
            scheduler=_text(fields["scheduler"]),
            tasks=_texts(fields["tasks"]),
            objects=_texts(fields["objects"]),
            kinds=_texts(fields["kinds"]),
            deadlines_ns=tuple(_count(value) for value in fields["deadlines_ns"]),
            budgets=tuple(_budget(value) for value in fields.get("budgets", ())),  # not in those of before
            bands=tuple(
                {"kind": _text(band["kind"]), "tasks": list(_texts(band["tasks"]))} for band in fields["bands"]
            ),
            interrupts={int(number): _text(name) for number, name in fields["interrupts"].items()},
            processes=_texts(fields.get("processes", [])),  # not in those of before
            takt=_text(fields.get("takt", "")),  # not in those of before
            segment=_segment(fields.get("segment", 1)),
            log={int(number): _message(value) for number, value in fields.get("log", {}).items()},
            messages=_texts(fields.get("messages", [])),
            strings={int(address): str(text) for address, text in fields.get("strings", {}).items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"{shown_path(path)}: damaged trace: its first line: {error!s:.120}", "run again, which writes a new file"
        ) from None


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise TypeError(f"expected a name, found {value!a:.60}")
    return value


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or len(values) > NAMES_MAX:
        raise TypeError(f"expected a list of at most {NAMES_MAX} names")
    return tuple(_text(value) for value in values)


def _count(value: object) -> int | None:
    if value is not None and (not isinstance(value, int) or not 0 <= value < 1 << 64):
        raise TypeError(f"expected nanoseconds, found {value!a:.60}")
    return value


def _segment(value: object) -> int:
    if not isinstance(value, int) or not 1 <= value < 1 << 32:
        raise TypeError(f"expected the number of a segment, found {value!a:.60}")
    return value


def _budget(value: object) -> Budget | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise TypeError(f"expected a budget, found {value!a:.60}")
    budget_ns, hold_ns = _count(value["budget_ns"]), _count(value["hold_ns"])
    if budget_ns is None or hold_ns is None:
        raise TypeError("expected nanoseconds, found None")
    return Budget(budget_ns, hold_ns, _text(value["on_budget"]))


def _message(value: object) -> log.Message:
    if not isinstance(value, list) or len(value) != len(log.Message._fields) or value[0] not in log.LEVELS:
        raise TypeError(f"expected a message of the log, found {value!a:.60}")
    level, module, file, line, text, sizes = value
    if not all(isinstance(part, str) for part in (module, file, text)):
        raise TypeError(f"expected a message of the log, found {value!a:.60}")
    return log.Message(level, module, file, int(line), text, tuple(int(size) for size in sizes))


def columns(names: Names, entries: Iterable[Entry]) -> Iterator[str]:
    """The text form: aligned columns, times in ms with all their digits."""
    width = max([len("task"), *(len(name) for name in names.tasks)])
    yield f"{'time (ms)':>16}  {'event':<18}  {'task':<{width}}  {'job':>6}  {'band':>4}  object"
    for entry in entries:
        line = entry.named(names)
        detail = line["object"] or ""
        if "value" in line:
            detail = f"{detail} {line['value']}".strip()
        if "text" in line:
            head = f"{line['level']} {line['where']}: " if line.get("level") else ""
            detail = head + line_of(line["text"])
        job = "" if entry.job is None else str(entry.job)
        band = "" if entry.band is None else str(entry.band)
        time = f"{entry.time_ns // 1_000_000}.{entry.time_ns % 1_000_000:06d}"
        yield f"{time:>16}  {line['event']:<18}  {line['task'] or '':<{width}}  {job:>6}  {band:>4}  {detail}".rstrip()
