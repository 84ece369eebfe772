# SPDX-License-Identifier: Apache-2.0
"""From trace events to lanes: who executed when, every job with its release and response, within limits of size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from takt.trace import IDLE, NONE, Entry, Event, Names

INTERRUPTS = -1  # lane of all interrupts
DETAIL_PIECES = 60_000  # executions kept at full resolution
FIRST_NS = 2_000_000_000  # at least so much of the beginning is kept, if it fits ...
AROUND_NS = 500_000_000  # ... and this much on both sides of the first miss
BINS = 1000  # of the whole run at coarser resolution


@dataclass
class Job:
    """One job. `release_ns`: when it should have been released, as far as the declaration tells."""

    number: int
    release_ns: int
    complete_ns: int | None = None
    missed: bool = False


@dataclass(frozen=True)
class Piece:
    """One uninterrupted execution. `detail`: the job, or of an interrupt its number."""

    start_ns: int
    end_ns: int
    detail: int


@dataclass
class Lanes:
    """Everything by lane: task index, IDLE or INTERRUPTS."""

    end_ns: int = 0
    pieces: dict[int, list[Piece]] = field(default_factory=dict)
    jobs: dict[int, list[Job]] = field(default_factory=dict)
    holds: dict[int, list[Piece]] = field(default_factory=dict)  # detail: the mutex


@dataclass(frozen=True)
class Timing:
    """What a declaration knows of a task; all None when there is only a trace."""

    period_ns: int | None = None
    offset_ns: int = 0
    deadline_ns: int | None = None


class _Walk:
    """One pass over the events."""

    def __init__(self, timings: Sequence[Timing]) -> None:
        self.timings = timings
        self.lanes = Lanes()
        self.running: tuple[int, int] | None = None  # lane and job of who has the processor
        self.since_ns = 0
        self.completed = NONE  # the task that has just completed a job and not yet given way
        self.nested: list[int] = []  # interrupts that are active
        self.lost: dict[int, int] = {}
        self.open_holds: dict[tuple[int, int], int] = {}

    def close(self, now_ns: int) -> None:
        """Ends the piece that runs."""
        if self.nested:
            self.add(INTERRUPTS, now_ns, self.nested[-1])
        elif self.running is not None:
            self.add(self.running[0], now_ns, self.running[1])
        self.since_ns = now_ns

    def add(self, lane: int, now_ns: int, detail: int) -> None:
        if now_ns <= self.since_ns:
            return
        pieces = self.lanes.pieces.setdefault(lane, [])
        if pieces and pieces[-1].end_ns == self.since_ns and pieces[-1].detail == detail:
            pieces[-1] = Piece(pieces[-1].start_ns, now_ns, detail)  # an interrupt that took no time
        else:
            pieces.append(Piece(self.since_ns, now_ns, detail))

    def step(self, entry: Entry) -> None:
        event, now_ns, task = entry.event, entry.time_ns, entry.task
        if event is Event.RUN:
            self.close(now_ns)
            self.running = (task, entry.job if entry.job is not None else 0)
            self.completed = NONE
        elif event is Event.INTERRUPT:
            self.close(now_ns)
            self.nested.append(entry.object)
        elif event is Event.INTERRUPT_END:
            self.close(now_ns)
            self.nested[-1:] = []
        elif event is Event.COMPLETE:
            self.close(now_ns)
            self.running, self.completed = None, task
            self.job(task).complete_ns = now_ns
        elif event is Event.RELEASE:
            self.release(entry)
        elif event is Event.MISS:
            self.job(task).missed = True
        elif event is Event.LOST:
            self.lost[task] = self.lost.get(task, 0) + 1
        elif event in (Event.LOCK, Event.UNLOCK):
            self.hold(entry)
        elif event is Event.LOST_RECORDS:
            self.running, self.nested = None, []

    def job(self, task: int) -> Job:
        jobs = self.lanes.jobs.setdefault(task, [])
        if not jobs:
            jobs.append(Job(0, 0))
        return jobs[-1]

    def release(self, entry: Entry) -> None:
        number = entry.job if entry.job is not None else 0
        timing = self.timings[entry.task] if entry.task < len(self.timings) else Timing()
        release_ns = entry.time_ns
        if timing.period_ns is not None:
            release_ns = timing.offset_ns + (number + self.lost.get(entry.task, 0)) * timing.period_ns
        self.lanes.jobs.setdefault(entry.task, []).append(Job(number, release_ns))
        if entry.task == self.completed:  # it goes on with its next job and no RUN is told
            self.running = (entry.task, number)
            self.since_ns = entry.time_ns

    def hold(self, entry: Entry) -> None:
        key = (entry.task, entry.object)
        if entry.event is Event.LOCK:
            self.open_holds[key] = entry.time_ns
        elif key in self.open_holds:
            start_ns = self.open_holds.pop(key)
            self.lanes.holds.setdefault(entry.task, []).append(Piece(start_ns, entry.time_ns, entry.object))


def lanes(entries: Iterable[Entry], timings: Sequence[Timing] = ()) -> Lanes:
    """Reconstructs the schedule of a trace. `timings`: by task index, for the instants at which releases were due."""
    walk = _Walk(timings)
    now_ns = 0
    for entry in entries:
        if entry.event < Event.STAT_JOBS:
            walk.step(entry)
            now_ns = max(now_ns, entry.time_ns)
        elif entry.event is Event.STAT_END:
            now_ns = max(now_ns, entry.value)
    walk.close(now_ns)
    walk.lanes.end_ns = now_ns
    return walk.lanes


def windows(found: Lanes, miss_ns: int | None) -> list[tuple[int, int]]:
    """The spans kept at full resolution: everything when it fits, otherwise the beginning and around the first miss."""
    starts = sorted(piece.start_ns for pieces in found.pieces.values() for piece in pieces)
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
    """One span for the page: per lane differences of instants in ns, so that the text stays short."""
    low, high = span
    order = [*range(len(names.tasks)), INTERRUPTS, IDLE]
    return {"from": low, "to": high, "lanes": [_lane(found, lane, low, high) for lane in order]}


def _lane(found: Lanes, lane: int, low: int, high: int) -> dict[str, Any]:
    jobs = [job for job in found.jobs.get(lane, []) if low <= job.release_ns < high]
    first = jobs[0].number if jobs else 0
    return {
        "pieces": _packed(found.pieces.get(lane, []), low, high),
        "holds": _packed(found.holds.get(lane, []), low, high),
        "firstJob": first,
        "releases": _differences([job.release_ns for job in jobs], low),
        "responses": [None if job.complete_ns is None else job.complete_ns - job.release_ns for job in jobs],
        "missed": [job.number for job in jobs if job.missed],
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


def _differences(instants: list[int], low: int) -> list[int]:
    return [now - before for before, now in zip([low, *instants], instants, strict=False)]


def bins(found: Lanes, names: Names) -> dict[str, Any]:
    """The whole run in equal parts: the share of each that a lane executed, 0 to 99, and the misses in it."""
    count = max(1, min(BINS, found.end_ns))
    width = -(-found.end_ns // count) if found.end_ns else 1
    order = [*range(len(names.tasks)), INTERRUPTS, IDLE]
    return {
        "width": width,
        "shares": [_shares(found.pieces.get(lane, []), width, count) for lane in order],
        "misses": sorted(
            (job.release_ns, lane, job.number) for lane, jobs in found.jobs.items() for job in jobs if job.missed
        )[:1000],
    }


def _shares(pieces: list[Piece], width: int, count: int) -> list[int]:
    busy = [0] * count
    for piece in pieces:
        at = piece.start_ns
        while at < piece.end_ns:
            place = min(at // width, count - 1)
            upto = piece.end_ns if place == count - 1 else min(piece.end_ns, (place + 1) * width)
            busy[place] += upto - at
            at = upto
    return [min(99, -(-99 * part // width)) for part in busy]
