# SPDX-License-Identifier: Apache-2.0
"""From the trace alone, at every time: every task's state, key, mutexes, job and what is left of its budget, as the
kernel itself has them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from running import FULL
from takt.trace import records as trace
from takt.trace.records import Event, Names
from takt.trace.replay import Replay, State, Task
from witnesses import Kernel, systems

SYSTEMS = 1500 if FULL else 25
PROFILES = {
    "bands": ("mixed", "inherit", "jobs", "slices", "sync", "messages", "slots", "signals", "pipes"),
    "fixed": ("inherit", "jobs", "sync", "slots", "ceiling"),
    "budgets": ("budgets", "budgets_sync", "budgets_calls", "budgets_hints", "cycles"),
    "plain": ("plain", "plain_sync"),
    "cooperative": ("cooperative",),
}
KINDS = PROFILES if FULL else ("bands", "budgets")
RUNS = [(kind, profile) for kind in KINDS for profile in PROFILES[kind]]


def rebuilt(task: Task) -> dict[str, object]:
    if task.base_state is State.STOPPED:
        return {"place": task.base_state}
    return {
        "place": task.base_state,
        "object": task.object if task.base_state is State.BLOCKED else None,
        "suspended": task.suspended,
        "stopping": task.stopping,
        "job": task.job,
        "level": task.level,
        "deadline": task.key_deadline_ns,
        "mutexes": sorted(task.mutexes),
        "budget": None if task.budget is None else task.budget.left_ns,
        "section": None if task.budget is None else task.budget.section_ns,
        "demoted": task.budget is not None and task.budget.demoted,
    }


def expected(truth: dict[str, object], task: Task) -> dict[str, object]:
    """What the kernel knows, except what waits took off a task's section: less is left than the trace says."""
    left, section = task.budget, truth.get("section")
    if left is None or not left.waited or left.section_ns is None or not isinstance(section, int):
        return truth
    return {**truth, "section": max(section, left.section_ns)}


def compare(seed: int, names: Names, records: bytes, witnesses: list[Kernel]) -> int:
    """Steps through the records; at each witness both say the same. Returns how many tasks were compared."""
    replay, compared, done = Replay(names), 0, 0
    entries = trace.decode(records)
    for kernel in witnesses:
        for number in range(done, kernel.written):
            if records[number * trace.RECORD_SIZE + 4] not in MERGED:
                replay.step(next(entries))
        done = kernel.written
        replay.advance(kernel.now_ns)
        where = f"seed {seed}, after record {done - 1}"
        assert (replay.running, where) == (kernel.running, where)
        for index, truth in enumerate(kernel.tasks):
            assert (rebuilt(replay.task(index)), index, where) == (expected(truth, replay.task(index)), index, where)
            compared += 1
    assert done == len(records) // trace.RECORD_SIZE
    return compared


MERGED = (Event.TIME, Event.DEADLINE)  # the reader gives no entry of its own for these


@pytest.mark.parametrize(("kind", "profile"), RUNS)
def test_the_trace_alone_tells_what_the_kernel_knows(
    witness: Callable[[str], Path], kind: str, profile: str, record_property: Callable[[str, object], None]
) -> None:
    first = int(os.environ.get("TAKT_SEED", "1")) * 10**6
    said = subprocess.run([witness(kind), profile, str(first), str(SYSTEMS)], stdout=subprocess.PIPE, check=True)
    found = list(systems(said.stdout, kind))
    compared = sum(compare(seed, names, records, witnesses) for seed, names, records, witnesses in found)
    record_property("compared", compared)
    assert len(found) == SYSTEMS
    assert compared > 100 * SYSTEMS
