# SPDX-License-Identifier: Apache-2.0
"""Processes that calls start and stop: the rights to do so, and what the proof counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from takt.declare import declaration, processes
from takt.declare.code.constructors import faults_apart_ns
from takt.prove.schedulers import started_anew
from takt.support.c.kernel import Right
from takt.support.durations import MAX_NS

FOLDER = Path(__file__).parents[1] / "protection" / "start"
MS = 10**6


def test_the_right_to_start_and_stop() -> None:
    system = declaration.load(declaration.find(str(FOLDER)))
    rights = {process.name: processes.rights(system, process).get("guest", 0) for process in system.processes}
    assert rights == {"manager": Right.USE | Right.MANAGE, "guest": Right.USE | Right.MANAGE}
    assert ("guest", "PROCESS") in list(processes.objects(system))
    assert "manager" not in dict(processes.objects(system))
    quiet = replace(system, processes=tuple(replace(one, manages=(), start="boot") for one in system.processes))
    assert not quiet.managed


def test_stops_count_as_faults() -> None:
    """Once per least time of a restart, although the process does not restart after a fault."""
    system = declaration.load(declaration.find(str(FOLDER)))
    manager, guest = system.processes
    assert guest.on_fault == manager.on_fault == "stop"
    assert faults_apart_ns(system, manager) == MAX_NS
    stacks = sum(system.task(name).stack for name in guest.tasks)
    assert faults_apart_ns(system, guest) == (4 + -(-(stacks + guest.memory) // 1024)) * MS
    longer = replace(guest, faults_apart_ns=50 * MS)
    system = replace(system, processes=(manager, longer))
    assert faults_apart_ns(system, longer) == 50 * MS


def test_offsets_of_their_tasks_are_not_used() -> None:
    system = declaration.load(declaration.find(str(FOLDER)))
    assert started_anew(system) == {"sample", "serve", "leave"}
