# SPDX-License-Identifier: Apache-2.0
"""Mutexes that a process creates, with `mutex_hold`: what the proof counts for them, and what is generated."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from takt.declare import declaration, processes, quotas
from takt.declare.schema import boards
from takt.declare.schema.model import Band, Process, System, Task
from takt.declare.service_kinds import mutex
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.image.tables.generate import timers_needed
from takt.prove import budgets, created
from takt.prove.analysis import analyse
from takt.support import compile
from takt.support.errors import UserError

MS = 10**6
TASKS = tuple(Task(name, 10 * MS, period_ns=1000 * MS, deadline_ns=1000 * MS) for name in ("high", "mid", "low"))
BANDS = (Band("fixed", (("high",), ("mid",), ("low",))),)


def system(protection: bool = False, **keys: object) -> System:
    """A process of the first and the last task, another one between them."""
    pair = replace(Process("pair", ("high", "low"), mutexes=2, mutex_hold_ns=3 * MS), **keys)  # type: ignore[arg-type]
    other = Process("other", ("mid",))
    of = System(Path("system.toml"), "test", "b", "dm", TASKS, processes=(pair, other))
    return processes.protect(of, protection)


def responses(of: System) -> list[float | None]:
    compile.host_library()
    found = analyse(of, BANDS, None).tasks
    return [task.response_ns and task.response_ns / MS for task in found]


def test_a_section_delays_the_tasks_between_its_owner_and_the_process() -> None:
    assert responses(system(mutex_hold_ns=None)) == [10, 20, 30]
    assert responses(system()) == [13, 23, 30]
    assert responses(system(mutexes=1)) == [13, 23, 30]
    assert responses(system(threads=2, memory=1024)) == [19, 29, 36]  # each thread may be in one
    assert responses(system(mutex_hold_ns=30 * MS)) == [20, 30, 30]  # no longer than a job


def test_a_section_may_be_in_one_of_a_declared_mutex() -> None:
    """That of another process's task is in the bound of `high`, which waits for `low`, and that for it."""
    shared = Mutex("m", (Hold("mid", 5 * MS), Hold("low", 4 * MS)))
    assert responses(system().having(Mutex, (shared,))) == [18, 24, 30]


def test_with_a_budget_the_hold_is_charged_in_place_of_a_second_budget() -> None:
    assert mutex.hold_ns(system(True, budgets=True, mutex_hold_ns=None), "low") == 10 * MS
    assert mutex.hold_ns(system(True, budgets=True), "low") == 3 * MS
    assert mutex.hold_ns(system(True, budgets=True), "mid") == 0
    assert responses(system(True, budgets=True)) == [10 + 3 + 3, 10 + 3 + 10 + 3, 10 + 3 + 10 + 10 + 3]


def test_background_tasks_and_threads_are_watched_in_their_sections() -> None:
    endless = Task("endless", 0)
    of = replace(system(budgets=True, threads=2, memory=1024), tasks=(*TASKS, endless))
    of = replace(of, processes=(replace(of.processes[0], tasks=("high", "low", "endless")), of.processes[1]))
    watched = processes.protect(of, True)
    assert (watched.task("endless").on_budget, mutex.hold_ns(watched, "endless")) == ("stop", 3 * MS)
    assert [(process.name, thread.on_budget) for process, thread in created.watched(watched)] == [("pair", "stop")]
    assert mutex.hold_ns(watched, mutex.thread_names(watched.processes[0])[0]) == 3 * MS
    without = processes.protect(replace(of, processes=(replace(of.processes[0], mutex_hold_ns=None),)), False)
    assert not list(created.watched(without))
    unwatched = replace(of.processes[0], mutex_hold_ns=None)
    fewer = processes.protect(replace(of, processes=(unwatched, of.processes[1])), True)
    assert timers_needed(watched) == timers_needed(fewer) + 3  # of `endless`, and of each thread


def test_a_wait_of_a_job_may_be_followed_by_a_section_of_each_thread() -> None:
    assert budgets.resumed_ns(system(), None) == 6 * MS
    assert budgets.resumed_ns(system(threads=2, memory=1024), None) == 12 * MS


TEXT = """
[system]
board = "host"
[[task]]
name = "a"
period = "10 ms"
wcet = "1 ms"
[[process]]
name = "p"
tasks = ["a"]
mutex_hold = "1 ms"
"""


def test_a_hold_of_no_mutex_is_refused(tmp_path: Path) -> None:
    (tmp_path / "system.toml").write_text(TEXT, encoding="utf-8")
    with pytest.raises(UserError, match=re.escape('[[process]] "p": mutex_hold is of mutexes that it creates')):
        declaration.load(tmp_path / "system.toml")


def test_an_owner_of_a_slot_that_inherits_from_messages_locks_no_created_mutex(tmp_path: Path) -> None:
    more = 'mutexes = 1\n[[slot]]\nname = "s"\nowner = "a"\nmessage_size = 4\ncapacity = 2\npinc = ["a"]\n'
    (tmp_path / "system.toml").write_text(TEXT + more, encoding="utf-8")
    with pytest.raises(UserError, match=r'pinc: "a" locks "p\.mutexes'):
        declaration.load(tmp_path / "system.toml")


def test_created_objects_have_names_and_kinds_in_traces() -> None:
    of = system(events=1)
    assert quotas.created_kinds(of) == {
        "pair.mutexes[0]": "mutex",
        "pair.mutexes[1]": "mutex",
        "pair.events[0]": "events",
    }
    unbounded = system(mutex_hold_ns=None)  # a wait for one is not in the proof
    assert set(quotas.created_kinds(unbounded).values()) == {"created mutex"}


def test_admission_counts_sections_of_threads() -> None:
    host = boards.load("host")
    assert budgets.admission(system(), BANDS, None, host).blocking_ns == 6 * MS
    assert budgets.admission(system(threads=2, memory=1024), BANDS, None, host).blocking_ns == 12 * MS
