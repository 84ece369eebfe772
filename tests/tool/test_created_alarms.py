# SPDX-License-Identifier: Apache-2.0
"""Alarms that a process creates: what the proof counts for them, and what is generated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from takt.declare import processes, quotas, services
from takt.declare.schema.model import Band, Overheads, Process, System, Task
from takt.declare.service_kinds.alarm import Alarm
from takt.image.tables import process_code
from takt.image.tables.generate import timers_needed
from takt.prove.analysis import analyse
from takt.support import compile

MS = 10**6
TASKS = (
    Task("high", 2 * MS, period_ns=20 * MS, deadline_ns=20 * MS),
    Task("woken", MS, min_interarrival_ns=50 * MS, deadline_ns=50 * MS),
)
BANDS = (Band("fixed", (("high",), ("woken",))),)
KIND = {"fixed": 0}
COSTS = Overheads("b", "standard", "fixed", 4, 0, 20_000, 0, {"fixed": 80_000}, KIND, KIND)  # 0.1 ms for an expiry


def system(protection: bool = False, **keys: object) -> System:
    one = replace(Process("one", ("high", "woken"), alarms=2, alarms_apart_ns=5 * MS), **keys)  # type: ignore[arg-type]
    return processes.protect(System(Path("system.toml"), "test", "b", "dm", TASKS, processes=(one,)), protection)


@pytest.mark.parametrize("protection", [False, True])
def test_each_counts_as_a_declared_alarm_of_its_distance(protection: bool) -> None:
    created = system(protection)
    declared = tuple(Alarm(f"a{number}", 5 * MS, 0, None, None, 0) for number in range(2))
    none = system(protection, alarms=0, alarms_apart_ns=None)
    assert services.timer_load(created, COSTS) == services.timer_load(none.having(Alarm, declared), COSTS)
    assert services.timer_load(created, COSTS) == [(100_000, 5 * MS)] * 2
    assert services.timer_load(none, COSTS) == []
    assert timers_needed(created) == timers_needed(none) + 2


def test_they_delay_every_task() -> None:
    compile.host_library()
    found = [analyse(of, BANDS, COSTS).tasks[0].response_ns for of in (system(alarms=0), system())]
    assert found[0] is not None
    assert found[1] == found[0] + 2 * 100_000


def test_a_slot_of_each_and_the_distance_of_the_process() -> None:
    created = system(True)
    assert quotas.created_kinds(created) == {"one.alarms[0]": "alarm", "one.alarms[1]": "alarm"}
    assert quotas.storage_names(created.processes[0]) == ["takti_alarms_one"]
    text = "\n".join(process_code.tables(created, process_code.Sizes.unknown(), 0, True))
    assert ".alarms_apart_ns = {UINT64_C(5000000)}" in text
    assert text.count(".kind = TAKT_OBJECT_FREE | TAKT_OBJECT_ALARM, .owner = 0") == 2
    direct = "\n".join(quotas.direct(system(), 0))
    assert ".alarms_apart_ns = {&(const uint64_t){UINT64_C(5000000)}}" in direct
    assert "alarms_apart_ns" not in "\n".join(quotas.direct(system(alarms=0, threads=1, memory=512), 0))
