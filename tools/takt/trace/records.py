# SPDX-License-Identifier: Apache-2.0
"""Trace files: a JSON line that names things, then the records of takt/trace.h. Format and events: docs/trace.md.

`read` gives the events of a file with absolute times and names, `columns` prints them, one a line. Standard library
only, as what it imports of ours: the debugger's Python decodes a ring in memory with it (tools/takt/gdb).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from takt.support import files
from takt.support.c.traces import FAR, IDLE, NO_BAND, NO_JOB, NONE, RECORD, TIMER, WIDE, Event
from takt.support.errors import UserError
from takt.support.files import shown_path, write_whole
from takt.support.names import line_of
from takt.trace import log

__all__ = ["IDLE", "NONE", "NO_BAND", "NO_JOB", "TIMER", "Event"]  # and what is defined here

FORMAT = "takt-trace"
VERSION = 2
RECORD_SIZE = RECORD.size
NAMES_MAX = IDLE  # tasks, and objects
UNKNOWN = NONE + 1  # the task of a message whose caller is among lost records

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
_INTERRUPTS = frozenset({Event.INTERRUPT, Event.INTERRUPT_END})
_KNOWN = frozenset(int(event) for event in Event)


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
    takt: str = ""  # version of Takt that built the image; "": one from before versions
    log: dict[int, log.Message] = field(default_factory=dict)  # by the number in records
    strings: dict[int, str] = field(default_factory=dict)  # by address: those that messages of the log refer to

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

    def kind(self, number: int) -> str:
        """What a task waits for: `delay` for no object."""
        if number == NONE:
            return "delay"
        return self.kinds[number] if number < len(self.kinds) else "other"

    def deadline_ns(self, index: int) -> int | None:
        """Of a task, relative; None: it has none, or it is not known."""
        return self.deadlines_ns[index] if index < len(self.deadlines_ns) else None

    def budget(self, index: int) -> Budget | None:
        """Of a task; None: it has none, or it is not known."""
        return self.budgets[index] if index < len(self.budgets) else None

    def process(self, index: int) -> str:
        """The name of the process with that index."""
        return self.processes[index] if index < len(self.processes) else f"process {index}"

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
        self.now_ns = now_ns
        self._runs = _Runs(NONE if from_start else UNKNOWN)
        self._held = b""
        self._first = 0  # bytes before those held

    def feed(self, data: bytes, last: bool = False) -> Iterator[Entry]:
        """The entries of the next whole records, all of which are to be taken. Of the last event some may follow,
        unless these are the `last` ones: then it comes with them. ValueError: as `decode`."""
        data = self._held + data
        end = len(data) if last else _complete(data)
        first, self._first = self._first, self._first + end
        self._held = data[end:]
        now = self.now_ns
        for offset in range(0, end, RECORD_SIZE):
            delta, code, band, task, job, target, value = RECORD.unpack_from(data, offset)
            if code not in _KNOWN:
                raise ValueError(f"{_where(first + offset)}: unknown event {code}")
            event = Event(code)
            if event is Event.TIME:
                before, now = now, WIDE.unpack_from(data, offset)[4]
                if now < before:
                    raise ValueError(f"{_where(first + offset)}: time goes back to {now} ns")
                continue
            if event in (Event.DEADLINE, Event.LOG_WORDS):
                continue
            now += delta
            if event is Event.LOG:
                yield Entry(now, event, self._runs.caller(), None, None, NONE, task, _words(data, offset))
                continue
            self._runs.step(event, task)
            known_band = None if band == NO_BAND else band
            known_job = None if job == NO_JOB else job
            if event is Event.RELEASE:
                yield Entry(now, event, task, known_job, known_band, NONE, _deadline_ns(data, offset, now))
            elif event in _WIDE_EVENTS:
                yield Entry(now, event, task, None, known_band, NONE, WIDE.unpack_from(data, offset)[4])
            else:
                yield Entry(now, event, task, known_job, known_band, target, value)
        self.now_ns = now


def _where(offset: int) -> str:
    return f"record {offset // RECORD_SIZE} (byte {offset} of the records)"


def _complete(data: bytes) -> int:
    """Bytes of whole records up to an event of which more may follow; all if there is none."""
    end = len(data) - len(data) % RECORD_SIZE
    offset = end - RECORD_SIZE
    while offset >= 0 and data[offset + 4] in (Event.TIME, Event.LOG_WORDS):
        offset -= RECORD_SIZE
    return offset if offset >= 0 and data[offset + 4] in (Event.LOG, Event.RELEASE) else end


class _Runs:
    """Which task runs, as far as some records tell: messages of the log do not say whose they are."""

    def __init__(self, running: int) -> None:
        self.running, self.interrupts = running, 0

    def step(self, event: Event, task: int) -> None:
        if event is Event.RUN:
            self.running = task
        elif event is Event.INTERRUPT:
            self.interrupts += 1
        elif event is Event.INTERRUPT_END:
            self.interrupts = max(self.interrupts - 1, 0)
        elif event is Event.LOST_RECORDS:
            self.running, self.interrupts = UNKNOWN, 0

    def caller(self) -> int:
        """NONE: an interrupt, or what runs before the first task."""
        return NONE if self.interrupts else self.running


def _words(data: bytes, offset: int) -> tuple[int, ...]:
    """Those of the message of the log whose record is at `offset`."""
    words = list(struct.unpack_from("<II", data, offset + 8))
    for follows in range(offset + RECORD_SIZE, len(data) - RECORD_SIZE + 1, RECORD_SIZE):
        if data[follows + 4] == Event.LOG_WORDS:
            words += struct.unpack_from("<II", data, follows + 8)
        elif data[follows + 4] != Event.TIME:
            break
    return tuple(words)


def _deadline_ns(data: bytes, offset: int, now_ns: int) -> int:
    """Of the job whose release is the record at `offset`; 0: the record that tells it is lost."""
    left_ns = WIDE.unpack_from(data, offset)[4] >> 32
    if left_ns != FAR:
        return int(now_ns + left_ns)
    for follows in range(offset + RECORD_SIZE, min(offset + 4 * RECORD_SIZE, len(data)), RECORD_SIZE):
        _delta, code, _band, _task, value = WIDE.unpack_from(data, follows)
        if code != Event.TIME:
            return int(value) if code == Event.DEADLINE else 0
    return 0


def sound(data: bytes) -> int:
    """Bytes of the records before the first that is damaged; all where none is."""
    whole = len(data) - len(data) % RECORD_SIZE
    now = 0
    for number, (delta, code, _band, _task, value) in enumerate(WIDE.iter_unpack(data[:whole])):
        if code not in _KNOWN or (code == Event.TIME and value < now):
            return number * RECORD_SIZE
        now = value if code == Event.TIME else now + (0 if code in (Event.DEADLINE, Event.LOG_WORDS) else delta)
    return whole


def last_time(data: bytes, now_ns: int) -> int:
    """The time of the last of some whole records, which follow one at `now_ns`."""
    for delta, event, _band, _task, value in WIDE.iter_unpack(data):
        now_ns = value if event == Event.TIME else now_ns + delta
    return now_ns


def encode(entries: Iterable[Entry]) -> bytes:
    """Records that `decode` reads back, as the kernel would write them."""
    out = bytearray()
    now = 0
    for entry in entries:
        if not 0 <= entry.time_ns - now < 1 << 32:
            out += WIDE.pack(0, Event.TIME, NO_BAND, NONE, entry.time_ns)
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
            words = [*entry.words, 0, 0][: max(len(entry.words) + len(entry.words) % 2, 2)]
            pairs = [words[i] | words[i + 1] << 32 for i in range(0, len(words), 2)]
            out += WIDE.pack(head[0], entry.event, NO_BAND, entry.value, pairs[0])
            out += b"".join(WIDE.pack(0, Event.LOG_WORDS, NO_BAND, NONE, pair) for pair in pairs[1:])
        elif entry.event in _WIDE_EVENTS:
            out += WIDE.pack(*head, entry.value)
        else:
            out += RECORD.pack(*head, job, entry.object, entry.value)
        now = entry.time_ns
    return bytes(out)


def write(path: Path, names: Names, records: bytes) -> None:
    """A trace file of the records that a board sent."""
    write_whole(path, names.header() + records)


def read(path: Path) -> Trace:
    """A trace file. UserError: it cannot be read, is no trace, is of another version, or is damaged."""
    content = files.read(path, hint="a file that `takt run` wrote")
    line, newline, records = content.partition(b"\n")
    names = _names(path, line) if newline else None
    if names is None:
        raise UserError(f"{shown_path(path)}: not a Takt trace", "a trace.takt that `takt run` wrote")
    try:
        return Trace(names, tuple(decode(records)))
    except ValueError as error:
        raise UserError(f"{shown_path(path)}: damaged trace: {error}", "run again, which writes a new file") from None


def _names(path: Path, line: bytes) -> Names | None:
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
            log={int(number): _message(value) for number, value in fields.get("log", {}).items()},
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


def columns(trace: Trace) -> Iterator[str]:
    """The text form: aligned columns, times in ms with all their digits."""
    names = trace.names
    width = max([len("task"), *(len(name) for name in names.tasks)])
    yield f"{'time (ms)':>16}  {'event':<18}  {'task':<{width}}  {'job':>6}  {'band':>4}  object"
    for entry in trace.entries:
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
