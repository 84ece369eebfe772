# SPDX-License-Identifier: Apache-2.0
"""Reads what tests/trace/witness.c writes: random systems, their traces, and what the kernel knew in between."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from takt.dev import debug_information
from takt.support.c.kernel import FOREVER, BudgetPolicy
from takt.trace import records as trace
from takt.trace.records import NO_JOB, Budget, Names
from takt.trace.replay import State

_NAMES = ("TASKS_MAX", "LEVELS_MAX", "MUTEXES", "MUTEX_ID")
_FACTS = debug_information.read('#include "tests/trace/witness.c"', {name: name for name in _NAMES})
TASKS_MAX, LEVELS_MAX, MUTEXES, MUTEX_ID = _FACTS.values.values()

_BUDGETS, _SYSTEM, _TASK = (
    struct.Struct(_FACTS.structures[tag].format()) for tag in ("budget_line", "system_line", "task_line")
)
_WITNESS = struct.Struct(_FACTS.structures["witness"].format())  # its tasks are bytes

_PLACES = {"STOPPED": State.STOPPED, "RELEASE": State.RELEASE, "BLOCKED": State.BLOCKED, "CAN_RUN": State.READY}
PLACES = {number: _PLACES[name] for name, number in _FACTS.enumerations["place"].items()}


@dataclass(frozen=True)
class Kernel:
    """What the kernel says of itself, after `written` records."""

    written: int
    now_ns: int
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
            now_ns, running, lines_of_tasks = _WITNESS.unpack_from(data, at)
            at += _WITNESS.size
            lines = (kernel_task(lines_of_tasks, index * _TASK.size) for index in range(tasks))
            witnesses.append(Kernel(len(records) // trace.RECORD_SIZE, now_ns, running, tuple(lines)))
        else:
            if begun:
                yield seed, names, bytes(records), witnesses
            if tag != b"N":
                assert tag == b"E"
                return
            begun, records, witnesses = True, bytearray(), []
            seed, declared, tasks, levels, bands, edf = _SYSTEM.unpack_from(data, at)
            at += _SYSTEM.size
            kinds = {bands[level]: "edf" if edf[level] else "fixed" for level in range(levels)}
            described = tuple({"kind": kinds.get(band, "fixed"), "tasks": []} for band in range(max(bands) + 1))
            budgets = tuple(map(budget, _BUDGETS.iter_unpack(declared)))[:tasks]
            called = tuple(f"task {index}" for index in range(tasks))
            names = Names("host", scheduler, called, (), described, budgets=budgets)


def budget(declared: tuple[int, int, int]) -> Budget | None:
    budget_ns, hold_ns, policy = declared
    return Budget(budget_ns, hold_ns, BudgetPolicy(policy).name.lower()) if budget_ns else None


def kernel_task(data: bytes, at: int) -> dict[str, object]:
    deadline_ns, left_ns, section_ns, job, target, state, level, suspended, stopping, mutexes, demoted = (
        _TASK.unpack_from(data, at)
    )
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
        "mutexes": [MUTEX_ID + index for index in range(MUTEXES) if mutexes >> index & 1],
        "budget": None if left_ns == FOREVER else left_ns,
        "section": None if section_ns == FOREVER else section_ns,
        "demoted": bool(demoted),
    }
