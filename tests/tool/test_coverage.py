# SPDX-License-Identifier: Apache-2.0
"""The floors of coverage: what falls below one is found, and so is a room that nobody saw."""

from __future__ import annotations

from typing import Any

import pytest
from takt.dev import coverage, testing


def summary(**branches: int) -> dict[str, Any]:
    """gcovr's summary of one file of a thousand lines and branches in each room; `branches`: how many were taken."""
    files = []
    for room in coverage.FLOORS:
        taken = branches.get(room.replace("/", "_"), 1000)
        counts = {"line_covered": 1000, "line_total": 1000, "branch_covered": taken, "branch_total": 1000}
        files.append({"filename": f"{room}/src/file.c", **counts})
    return {"files": files}


def test_full_coverage_is_above_every_floor() -> None:
    assert coverage.fallen(coverage.by_room(summary())) == []


@pytest.mark.parametrize("room", coverage.FLOORS)
def test_a_room_just_below_its_floor_is_found(room: str) -> None:
    enough = round(10 * coverage.FLOORS[room].branches)
    name = room.replace("/", "_")
    assert coverage.fallen(coverage.by_room(summary(**{name: enough}))) == []
    found = coverage.fallen(coverage.by_room(summary(**{name: enough - 1})))
    assert [line.split(":")[0] for line in found] == [room]


def test_a_room_that_was_not_seen_is_found() -> None:
    assert len(coverage.fallen(coverage.by_room({"files": []}))) == len(coverage.FLOORS)


def test_coverage_runs_only_when_asked_for() -> None:
    def names(*given: str, full: bool = False) -> list[str]:
        return [part.name for part in testing.selected(given, full)]

    assert "coverage" not in names()
    assert "coverage" in names(full=True)
    assert names("coverage") == ["coverage"]
