# SPDX-License-Identifier: Apache-2.0
"""From trace events to lanes: what executed when, every job with its release and response, messages of the log and
spans, and where records are missing, within limits of size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from takt.support.c.replay import EVENT, INTERRUPTS, NO_TIME, PIECE, Choice
from takt.support.c.replay import State as Doing
from takt.trace import log_lines
from takt.trace.library import Reader
from takt.trace.records import IDLE, NO_JOB, NONE, UNKNOWN, Entries, Entry, Event, Names, Trace

DETAIL_PIECES = 60_000  # executions kept at full resolution; a message counts as four (replay.h), as many bytes
FIRST_NS = 2_000_000_000  # at least so much of the beginning is kept, if it fits ...
AROUND_NS = 500_000_000  # ... and this much on both sides of the first miss
TEXT_MAX = 200  # characters of a message


@dataclass
class Job:
    """One job. `release_ns`: when it should have been released, as far as the trace's header tells."""

    number: int
    release_ns: int
    complete_ns: int | None = None
    deadline_ns: int | None = None
    missed: bool = False


class Piece(NamedTuple):
    """A stretch of time. `detail`: the job, of an interrupt its number, of a hold the mutex, of a state what it is."""

    start_ns: int
    end_ns: int
    detail: int


@dataclass
class Lanes:
    """Everything by lane: task index, IDLE or INTERRUPTS; of messages UNKNOWN too."""

    end_ns: int = 0
    pieces: dict[int, list[Piece]] = field(default_factory=dict)
    jobs: dict[int, list[Job]] = field(default_factory=dict)
    holds: dict[int, list[Piece]] = field(default_factory=dict)
    states: dict[int, list[Piece]] = field(default_factory=dict)  # of tasks that do not execute but would go on
    heirs: dict[int, list[Piece]] = field(default_factory=dict)  # detail: the task that is inherited from
    messages: dict[int, list[Piece]] = field(default_factory=dict)  # detail: index in `said`
    marks: dict[int, list[list[Piece]]] = field(default_factory=dict)  # spans by depth; detail: index in `said`
    said: dict[tuple[str, str, str], int] = field(default_factory=dict)  # level, where and text; of a span its name
    gaps: list[Piece] = field(default_factory=list)  # where records are missing; detail: how many


# Details of states: READY, SUSPENDED, DELAYED, or BLOCKED + the object.
READY, SUSPENDED, DELAYED, BLOCKED = range(4)


_DRAWN = {
    Doing.READY: READY,
    Doing.SUSPENDED: SUSPENDED,
    Doing.BLOCKED: DELAYED,
}


class Source(log_lines.Events, Protocol):
    """A trace: takt.trace.records.Trace, or Recorded of takt.trace.segments."""

    def through(self, reader: Reader, until_ns: int | None = None) -> Iterator[None]:
        """Has a reader read it; at each stop, what is given is to be taken. `until_ns`: what is later may be left out,
        gaps between segments aside."""


# As numbers, which are compared with those of rows in a fraction of the time.
_RELEASE, _COMPLETE, _LOCK, _UNLOCK = map(int, (Event.RELEASE, Event.COMPLETE, Event.LOCK, Event.UNLOCK))
_LOG, _WORDS, _LOST = map(int, (Event.LOG, Event.LOG_WORDS, Event.LOST_RECORDS))
_ENDS, _OF_LOG = {_COMPLETE, int(Event.MISS)}, {int(Event.STOP), _LOST}
_EXECUTES, _BLOCKED = int(Doing.EXECUTES), int(Doing.BLOCKED)

_WITHIN = (Event.RELEASE, Event.COMPLETE, Event.MISS, Event.LOCK, Event.UNLOCK, Event.LOG, Event.STOP)


def read(source: Source) -> Reader:
    """A trace from its beginning to its end, for `windows` and `bins`."""
    reader = Reader(source.names.declared())
    for _ in source.through(reader):
        pass
    return reader


def lanes(source: Source, spans: Sequence[tuple[int, int]] = ((0, NO_TIME),), whole: Reader | None = None) -> Lanes:
    """Reconstructs the schedule in some spans of a trace. `whole`: has read it all; None: nothing is left out."""
    names = source.names
    reader, made, log = Reader(names.declared(), pieces=True), Entries(), list[Entry]()
    late_ns = max((deadline or 0 for deadline in names.deadlines_ns), default=0)  # ends of the last jobs
    for low, high in spans:
        reader.choose_time(low, min(high + late_ns, NO_TIME))
    for event in _WITHIN:
        reader.give(event, Choice.GIVE_WITHIN)
    reader.give(Event.LOST_RECORDS, Choice.GIVE_AFTER)
    found = Lanes()
    events = _Events(found, names)
    until_ns = None  # what is drawn of all of it: misses, and where records are missing
    if whole is not None and not whole.totals.gaps and not whole.totals.missed:
        until_ns = max((high + late_ns for _, high in spans), default=0)
    for _ in source.through(reader, until_ns):
        log += made.of(memoryview(events.add(reader.events())))
        _add_pieces(found, reader.pieces())
    log += made.rest()
    found.end_ns = int(reader.totals.end_ns)
    events.end()
    _log(found, Trace(names, tuple(log)))
    return found


def _add_pieces(found: Lanes, rows: memoryview) -> None:
    pieces, states = found.pieces, found.states
    for start_ns, end_ns, lane, detail, state, waited, heir, _ in PIECE.iter_unpack(rows):
        if state == _EXECUTES:
            pieces.setdefault(lane, []).append(Piece(start_ns, end_ns, detail))
            continue
        shown = _DRAWN.get(state)
        if shown is not None:
            shown = BLOCKED + waited if state == _BLOCKED and waited != NONE else shown
            states.setdefault(lane, []).append(Piece(start_ns, end_ns, shown))
        if heir != NONE:
            found.heirs.setdefault(lane, []).append(Piece(start_ns, end_ns, heir))


class _Events:
    """Jobs, what tasks hold, and where records are missing, from rows of events: a report has so many of them that an
    object for each is most of its time."""

    def __init__(self, found: Lanes, names: Names) -> None:
        self._found, self._names = found, names
        self._open_holds: dict[tuple[int, int], int] = {}
        self._gap: tuple[int, int] | None = None  # since when, and how many records, until the next event
        self._of_log = False  # the last event: words may follow

    def add(self, rows: memoryview) -> bytes:
        """Returns those of which the log is made."""
        of_log, at, size = bytearray(), 0, EVENT.size
        jobs, holds = self._found.jobs, self._open_holds
        for time_ns, value, _, task, job, target, event, _, _ in EVENT.iter_unpack(rows):
            if self._gap is not None and event != _WORDS:
                self._end_gap(time_ns)
            if event == _LOCK:
                holds[task, target] = time_ns
            elif event == _UNLOCK:
                self._unlock(time_ns, task, target)
            elif event == _RELEASE:
                jobs.setdefault(task, []).append(_released(time_ns, value, task, job, self._names))
            elif event in _ENDS:
                _ended(jobs.setdefault(task, []), event, time_ns, task, job, self._names)
            elif event == _LOST:
                self._lose(time_ns, value)
            self._of_log = event == _LOG or (event == _WORDS and self._of_log)
            if self._of_log or event in _OF_LOG:
                of_log += rows[at : at + size]
            at += size
        return bytes(of_log)

    def _unlock(self, time_ns: int, task: int, mutex: int) -> None:
        start_ns = self._open_holds.pop((task, mutex), None)
        if start_ns is not None:
            self._found.holds.setdefault(task, []).append(Piece(start_ns, time_ns, mutex))

    def _lose(self, time_ns: int, count: int) -> None:
        for (task, mutex), since_ns in self._open_holds.items():
            self._found.holds.setdefault(task, []).append(Piece(since_ns, time_ns, mutex))
        self._open_holds.clear()
        self._gap = time_ns, count

    def _end_gap(self, until_ns: int) -> None:
        """From the last record before those that are missing to the first after them."""
        if self._gap is not None:
            since_ns, count = self._gap
            self._found.gaps.append(Piece(since_ns, until_ns, count))
        self._gap = None

    def end(self) -> None:
        """No event follows."""
        self._end_gap(self._found.end_ns)


def _log(found: Lanes, trace: Trace) -> None:
    for line in log_lines.lines(trace):
        text = line.text if len(line.text) <= TEXT_MAX else f"{line.text[:TEXT_MAX]}…"
        number = found.said.setdefault((line.level, line.where, text), len(found.said))
        found.messages.setdefault(_lane_of(line.task), []).append(Piece(line.time_ns, line.time_ns, number))
    for span in log_lines.spans(trace, found.end_ns):
        rows = found.marks.setdefault(_lane_of(span.task), [])
        rows += [[] for _ in range(span.depth + 1 - len(rows))]
        number = found.said.setdefault(("" if span.ended else "unended", "", span.name), len(found.said))
        rows[span.depth].append(Piece(span.start_ns, span.end_ns, number))


def _lane_of(task: int) -> int:
    return INTERRUPTS if task == NONE else task


def _released(time_ns: int, deadline_ns: int, task: int, job: int, names: Names) -> Job:
    relative_ns = names.deadline_ns(task)
    exact = deadline_ns and relative_ns is not None
    release_ns = max(0, deadline_ns - (relative_ns or 0)) if exact else time_ns
    return Job(0 if job == NO_JOB else job, release_ns, deadline_ns=deadline_ns or None)


def _ended(jobs: list[Job], event: int, time_ns: int, task: int, job: int, names: Names) -> None:
    """A job that completed or missed. Of one whose release is among missing records only a miss is kept."""
    if not jobs or job not in (NO_JOB, jobs[-1].number):
        if event == _COMPLETE:
            return
        release_ns = max(0, time_ns - (names.deadline_ns(task) or 0))
        jobs.append(Job(0 if job == NO_JOB else job, release_ns, deadline_ns=time_ns))
    if event == _COMPLETE:
        jobs[-1].complete_ns = time_ns
    else:
        jobs[-1].missed = True


def windows(reader: Reader, miss_ns: int | None) -> list[tuple[int, int]]:
    """The spans kept at full resolution: everything when it fits, otherwise the beginning and around the first miss.
    `reader`: has read it all."""
    end_ns, begun = int(reader.totals.end_ns), reader.begun()
    if sum(begun) <= DETAIL_PIECES:
        return [(0, end_ns)]
    fits_ns = _time_of(reader, begun, DETAIL_PIECES)
    part_ns = fits_ns if miss_ns is None else _time_of(reader, begun, DETAIL_PIECES * 2 // 3)
    first = min(max(FIRST_NS, part_ns), fits_ns, end_ns)
    if miss_ns is None or miss_ns + AROUND_NS <= first:
        return [(0, first)]
    around = (max(first, miss_ns - AROUND_NS), min(end_ns, miss_ns + AROUND_NS))
    return [(0, around[1])] if around[0] == first else [(0, first), around]


def _time_of(reader: Reader, begun: Sequence[int], count: int) -> int:
    """Until when so many pieces begin, as if those of a part of the time came evenly."""
    width_ns, before = int(reader.totals.bin_ns), 0
    for number, more in enumerate(begun):
        if before + more > count:
            return (number * more + count - before) * width_ns // more
        before += more
    return int(reader.totals.end_ns)


def detail(found: Lanes, names: Names, span: tuple[int, int]) -> dict[str, Any]:
    """One span for the page: per lane differences of times in ns, so that the text stays short."""
    low, high = span
    return {"from": low, "to": high, "lanes": [_lane(found, lane, low, high) for lane in _order(found, names)]}


def _order(found: Lanes, names: Names) -> list[int]:
    unknown = UNKNOWN in found.messages or UNKNOWN in found.marks
    return [*range(len(names.tasks)), INTERRUPTS, IDLE, *([UNKNOWN] if unknown else [])]


def _lane(found: Lanes, lane: int, low: int, high: int) -> dict[str, Any]:
    jobs = [job for job in found.jobs.get(lane, []) if low <= job.release_ns < high]
    first = jobs[0].number if jobs else 0
    numbers = [job.number for job in jobs]
    more = {
        "numbers": numbers if numbers != [*range(first, first + len(jobs))] else [],  # where records are missing
        "messages": _packed(found.messages.get(lane, []), low, high),
        "spans": [_packed(row, low, high) for row in found.marks.get(lane, [])],
    }
    return {
        "pieces": _packed(found.pieces.get(lane, []), low, high),
        "holds": _packed(found.holds.get(lane, []), low, high),
        "states": _packed(found.states.get(lane, []), low, high),
        "heirs": _packed(found.heirs.get(lane, []), low, high),
        "firstJob": first,
        "releases": _differences([job.release_ns for job in jobs], low),
        "deadlines": [None if job.deadline_ns is None else job.deadline_ns - job.release_ns for job in jobs],
        "responses": [None if job.complete_ns is None else job.complete_ns - job.release_ns for job in jobs],
        "missed": [job.number for job in jobs if job.missed],
        **{key: value for key, value in more.items() if value},
    }


def _packed(pieces: list[Piece], low: int, high: int) -> list[int]:
    """[gap since the end before, length, change of detail] of each piece that begins in the span."""
    out: list[int] = []
    at, last = low, 0
    for piece in pieces:
        if low <= piece.start_ns < high:
            out += [piece.start_ns - at, piece.end_ns - piece.start_ns, piece.detail - last]
            at, last = piece.end_ns, piece.detail
    return out


def _differences(times: list[int], low: int) -> list[int]:
    return [now - before for before, now in zip([low, *times], times, strict=False)]


def bins(reader: Reader, found: Lanes, names: Names) -> dict[str, Any]:
    """The whole run in equal parts: the share of each that a lane executed, 0 to 99, and the first misses. `reader`:
    has read it all."""
    width_ns = int(reader.totals.bin_ns)
    count = max(1, -(-int(reader.totals.end_ns) // width_ns))
    lanes_of = {INTERRUPTS: len(names.tasks), IDLE: len(names.tasks) + 1}
    return {
        "width": width_ns,
        "shares": [
            [min(99, -(-99 * part // width_ns)) for part in reader.busy(lanes_of.get(lane, lane))[:count]]
            if lane != UNKNOWN
            else [0] * count
            for lane in _order(found, names)
        ],
        "misses": sorted(
            (job.release_ns, lane, job.number) for lane, jobs in found.jobs.items() for job in jobs if job.missed
        )[:1000],
    }
