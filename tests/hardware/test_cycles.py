# SPDX-License-Identifier: Apache-2.0
"""What the task manager takes in cycles, by simulation, against what follows from rows and cuts."""

from __future__ import annotations

from typing import Any

import pytest
from running import only_full
from takt.bench.documents import results
from takt.hardware import area, cycles
from takt.hardware.simulate import Parameters

SIZE = Parameters(16, 4, level_width=3, order_width=7, event_width=4, cuts=0b010)


def events(size: Parameters) -> dict[str, Any]:
    """A sweep, and the cycle that changes a record; a release is a sweep and the claim more. A time that has come is
    seen when its record is visited, compared, and then has its turn."""
    sweep = size.settle_cycles
    return {
        "next_cycles": sweep + 1,
        "interrupt_cycles": sweep + 1,
        "release_cycles": 2 * sweep + 2,
        "expiry_cycles": {"least": sweep + 3, "most": sweep + 2 + size.records},
    }


def accesses(size: Parameters, way: str) -> dict[str, Any]:
    """Two cycles, and as many as there are to wait: an expiry may change a record in the first of them. A release
    begins a sweep in any case; the claim is a cycle more than nobody."""
    sweep = size.settle_cycles
    always = {"least": 2, "most": 2}
    return {
        **dict.fromkeys(("write", "read", "error"), always),
        "NEXT, TAKE": {"least": 2, "most": sweep + 2},
        "AFTER": {"least": 2, "most": 2 * sweep + 2},
        "release": {"least": sweep + 2, "most": sweep + 3},
        **({"SELECT": {"least": 1, "most": 1}} if way == cycles.CSR else {}),
    }


@only_full  # two simulators are built
@pytest.mark.parametrize("way", cycles.WAYS)
def test_what_is_measured(way: str) -> None:
    assert cycles.access_cycles(SIZE, way) == accesses(SIZE, way)
    if way == cycles.BUS:
        assert cycles.events(SIZE) == events(SIZE)


def shapes() -> list[tuple[Parameters, dict[str, Any]]]:
    known = [parameters for some in area.SIZES.values() for parameters in some]
    return list(zip(known, results("area")["rows"], strict=True))


def kept_accesses(row: dict[str, Any], way: str) -> dict[str, Any]:
    return {
        access["kind"]: {key: access[key] for key in ("least", "most")}
        for access in row["accesses"]
        if access["way"] == way
    }


def test_what_is_kept_follows_from_rows_and_cuts() -> None:
    for size, row in shapes():
        assert {key: row[key] for key in events(size)} == events(size)
        for way in cycles.WAYS:
            assert kept_accesses(row, way) == accesses(size, way)


@only_full
def test_what_is_kept_is_measured() -> None:
    for size, row in shapes()[:4]:
        assert cycles.events(size) == {key: row[key] for key in events(size)}
        for way in cycles.WAYS:
            assert cycles.access_cycles(size, way) == kept_accesses(row, way)


def test_every_register_is_accessed() -> None:
    named = {access.name for access in cycles.accesses(cycles.CSR)}
    known = cycles._map()
    assert {row.name for row in known.record} | {row.name for row in known.unit} - {"TICK"} <= named
