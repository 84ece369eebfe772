# SPDX-License-Identifier: Apache-2.0
"""Reads what tests/trace/witness.c writes: random systems, their traces, and what the kernel knew in between."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from takt import trace
from takt.replay import State
from takt.trace import NO_JOB, Names

TASKS_MAX, LEVELS_MAX, MUTEXES, MUTEX_ID = 8, 16, 4, 10

_SYSTEM = struct.Struct(f"<QII{LEVELS_MAX}s{LEVELS_MAX}s")
_TASK = struct.Struct("<QIHBBBBHxxxx")

PLACES = (State.STOPPED, State.RELEASE, State.BLOCKED, State.READY)  # enum place of witness.c


@dataclass(frozen=True)
class Kernel:
    """What the kernel says of itself, after `written` records."""

    written: int
    running: int
    tasks: tuple[dict[str, object], ...]


def systems(data: bytes, scheduler: str) -> Iterator[tuple[int, Names, bytes, list[Kernel]]]:
    """Seed, names, records and witnesses of each system that the program ran."""
    at, begun = 0, False
    seed, names, tasks = 0, Names("host", "", ()), 0
    records, witnesses = bytearray(), list[Kernel]()
    while True:
        tag, at = data[at : at + 1], at + 1
        if tag == b"R":
            records += data[at : at + trace.RECORD_SIZE]
            at += trace.RECORD_SIZE
        elif tag == b"W":
            running = int.from_bytes(data[at : at + 8], "little")
            lines = (kernel_task(data, at + 8 + index * _TASK.size) for index in range(tasks))
            witnesses.append(Kernel(len(records) // trace.RECORD_SIZE, running, tuple(lines)))
            at += 8 + TASKS_MAX * _TASK.size
        else:
            if begun:
                yield seed, names, bytes(records), witnesses
            if tag != b"N":
                assert tag == b"E"
                return
            begun, records, witnesses = True, bytearray(), []
            seed, tasks, levels, bands, edf = _SYSTEM.unpack_from(data, at)
            at += _SYSTEM.size
            kinds = {bands[level]: "edf" if edf[level] else "fixed" for level in range(levels)}
            described = tuple({"kind": kinds.get(band, "fixed"), "tasks": []} for band in range(max(bands) + 1))
            names = Names("host", scheduler, tuple(f"task {index}" for index in range(tasks)), (), described)


def kernel_task(data: bytes, at: int) -> dict[str, object]:
    deadline_ns, job, target, state, level, suspended, stopping, mutexes = _TASK.unpack_from(data, at)
    place = PLACES[state]
    if place is State.STOPPED:
        return {"place": place}
    return {
        "place": place,
        "object": target if place is State.BLOCKED else None,
        "suspended": bool(suspended),
        "stopping": bool(stopping),
        "job": None if job == NO_JOB else job,
        "level": level,
        "deadline": deadline_ns,
        "mutexes": [MUTEX_ID + place for place in range(MUTEXES) if mutexes >> place & 1],
    }
