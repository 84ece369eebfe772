# SPDX-License-Identifier: Apache-2.0
"""From trace events to lanes: what executed when, every job with its release and response, messages of the log and
spans, and where records were lost, within limits of size."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from takt.trace import log_lines
from takt.trace.records import IDLE, NONE, UNKNOWN, Entry, Event, Names, Trace
from takt.trace.replay import INTERRUPTS, Condition, History, State

DETAIL_PIECES = 60_000  # executions kept at full resolution
FIRST_NS = 2_000_000_000  # at least so much of the beginning is kept, if it fits ...
AROUND_NS = 500_000_000  # ... and this much on both sides of the first miss
BINS = 1000  # of the whole run at coarser resolution
MESSAGE_PIECES = 4  # executions that take as many bytes as a message
TEXT_MAX = 200  # characters of a message


@dataclass
class Job:
    """One job. `release_ns`: when it should have been released, as far as the trace's header tells."""

    number: int
    release_ns: int
    complete_ns: int | None = None
    deadline_ns: int | None = None
    missed: bool = False


@dataclass(frozen=True)
class Piece:
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
    gaps: list[Piece] = field(default_factory=list)  # where records were lost; detail: how many


# Details of states: READY, SUSPENDED, DELAYED, or BLOCKED + the object.
READY, SUSPENDED, DELAYED, BLOCKED = range(4)


def _detail(condition: Condition) -> int | None:
    """None: nothing to draw."""
    if condition.state is State.BLOCKED:
        return DELAYED if condition.object == NONE else BLOCKED + condition.object
    return {State.READY: READY, State.SUSPENDED: SUSPENDED}.get(condition.state)


def lanes(entries: Iterable[Entry], names: Names) -> Lanes:
    """Reconstructs the schedule of a trace."""
    kept = list(entries)
    history = History(kept, names)
    found = Lanes(history.end_ns)
    for one in history.executions:
        found.pieces.setdefault(one.actor, []).append(Piece(one.start_ns, one.end_ns, one.detail))
    for task, start_ns, end_ns, condition in history.spans:
        detail = _detail(condition)
        if detail is not None:
            found.states.setdefault(task, []).append(Piece(start_ns, end_ns, detail))
        if condition.heir_of != NONE:
            found.heirs.setdefault(task, []).append(Piece(start_ns, end_ns, condition.heir_of))
    open_holds: dict[tuple[int, int], int] = {}
    for entry in kept:
        if entry.event in (Event.LOCK, Event.UNLOCK):
            _hold(found, open_holds, entry)
        elif entry.event is Event.RELEASE:
            found.jobs.setdefault(entry.task, []).append(_released(entry, names))
        elif entry.event in (Event.COMPLETE, Event.MISS):
            _ended(found.jobs.setdefault(entry.task, []), entry, names)
        elif entry.event is Event.LOST_RECORDS:
            for (task, mutex), since_ns in open_holds.items():
                found.holds.setdefault(task, []).append(Piece(since_ns, entry.time_ns, mutex))
            open_holds.clear()
    _log(found, Trace(names, tuple(kept)))
    found.gaps = _gaps(kept, found.end_ns)
    return found


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


def _gaps(entries: list[Entry], end_ns: int) -> list[Piece]:
    """From the last record before those that were lost to the first after them."""
    found: list[Piece] = []
    for entry, after in itertools.zip_longest(entries, entries[1:]):
        if entry.event is Event.LOST_RECORDS:
            until_ns = end_ns if after is None or after.event >= Event.STAT_JOBS else after.time_ns
            found.append(Piece(entry.time_ns, until_ns, entry.value))
    return found


def _hold(found: Lanes, open_holds: dict[tuple[int, int], int], entry: Entry) -> None:
    key = (entry.task, entry.object)
    if entry.event is Event.LOCK:
        open_holds[key] = entry.time_ns
    elif key in open_holds:
        start_ns = open_holds.pop(key)
        found.holds.setdefault(entry.task, []).append(Piece(start_ns, entry.time_ns, entry.object))


def _released(entry: Entry, names: Names) -> Job:
    relative_ns = names.deadline_ns(entry.task)
    exact = entry.value and relative_ns is not None
    release_ns = max(0, entry.value - (relative_ns or 0)) if exact else entry.time_ns
    return Job(entry.job or 0, release_ns, deadline_ns=entry.value or None)


def _ended(jobs: list[Job], entry: Entry, names: Names) -> None:
    """A job that completed or missed. Of one whose release is among lost records only a miss is kept."""
    if not jobs or (entry.job is not None and jobs[-1].number != entry.job):
        if entry.event is Event.COMPLETE:
            return
        release_ns = max(0, entry.time_ns - (names.deadline_ns(entry.task) or 0))
        jobs.append(Job(entry.job or 0, release_ns, deadline_ns=entry.time_ns))
    if entry.event is Event.COMPLETE:
        jobs[-1].complete_ns = entry.time_ns
    else:
        jobs[-1].missed = True


def windows(found: Lanes, miss_ns: int | None) -> list[tuple[int, int]]:
    """The spans kept at full resolution: everything when it fits, otherwise the beginning and around the first miss."""
    spans = [row for rows in found.marks.values() for row in rows]
    starts = sorted(piece.start_ns for pieces in [*found.pieces.values(), *spans] for piece in pieces)
    said = [piece.start_ns for pieces in found.messages.values() for piece in pieces]
    starts = sorted([*starts, *said * MESSAGE_PIECES])
    if len(starts) <= DETAIL_PIECES:
        return [(0, found.end_ns)]
    first = (
        max(FIRST_NS, starts[DETAIL_PIECES * 2 // 3])
        if miss_ns is not None
        else max(FIRST_NS, starts[DETAIL_PIECES - 1])
    )
    first = min(first, starts[DETAIL_PIECES - 1], found.end_ns)
    if miss_ns is None or miss_ns + AROUND_NS <= first:
        return [(0, first)]
    around = (max(first, miss_ns - AROUND_NS), min(found.end_ns, miss_ns + AROUND_NS))
    return [(0, around[1])] if around[0] == first else [(0, first), around]


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
        "numbers": numbers if numbers != [*range(first, first + len(jobs))] else [],  # where records were lost
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


def bins(found: Lanes, names: Names) -> dict[str, Any]:
    """The whole run in equal parts: the share of each that a lane executed, 0 to 99, and the misses in it."""
    count = max(1, min(BINS, found.end_ns))
    width = -(-found.end_ns // count) if found.end_ns else 1
    return {
        "width": width,
        "shares": [_shares(found.pieces.get(lane, []), width, count) for lane in _order(found, names)],
        "misses": sorted(
            (job.release_ns, lane, job.number) for lane, jobs in found.jobs.items() for job in jobs if job.missed
        )[:1000],
    }


def _shares(pieces: list[Piece], width: int, count: int) -> list[int]:
    busy = [0] * count
    for piece in pieces:
        at = piece.start_ns
        while at < piece.end_ns:
            column = min(at // width, count - 1)
            upto = piece.end_ns if column == count - 1 else min(piece.end_ns, (column + 1) * width)
            busy[column] += upto - at
            at = upto
    return [min(99, -(-99 * part // width)) for part in busy]
