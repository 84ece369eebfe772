# SPDX-License-Identifier: Apache-2.0
"""`takt bench area`: that the figures that are kept are of this RTL, and what is said of the targets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt, documented, keys
from running import only_full
from takt.bench import area
from takt.bench.docs import results
from takt.hardware import synthesis
from takt.hardware.simulate import Parameters

LITTLE = Parameters(4, 2, level_width=1, order_width=4, event_width=1)


@only_full
def test_a_little_one_is_mapped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(synthesis, "BUILD", tmp_path)
    found = synthesis.measure(area.design(LITTLE), ())
    assert area.memory_bits(LITTLE) == 4 * (2 * (5 + 1) + 32)
    # Six bits of status of each record, the command, the time that is looked at, and more.
    assert 24 + 46 + 32 < found["lut6_ff"] < 300
    assert found["kge"] > 6 * found["lut6_ff"] / 1000
    monkeypatch.setattr(synthesis, "_synthesize", None)
    assert synthesis.measure(area.design(LITTLE), ()) == found, "it is kept"


@only_full
def test_the_figures_are_as_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a twentieth, so that small changes of the RTL need no hour of placing."""
    kept = next(row for row in results("area")["rows"] if row["records"] == 16 and not row["cuts"])
    found = synthesis.measure(area.design(Parameters(16, 2)), ())
    for key in ("lut6", "lut6_ff", "kge"):
        assert found[key] == pytest.approx(kept[key], rel=0.05)


def test_the_keys_are_documented() -> None:
    shape = {"records", "banks", "cuts", "next_cycles", "memory_bits"}
    ibex = {key: value for key, value in row().items() if key not in shape}
    assert set(keys({**results("area"), "ibex": ibex})) == documented("bench area")


def row(**changes: Any) -> dict[str, Any]:
    whole = next(row for row in results("area")["rows"] if row["records"] == area.TARGET_RECORDS and row["cuts"])
    return {**whole, **changes}


def test_what_is_said_of_targets() -> None:
    rows = [row(lut6=5400, mhz=[90.0, 100.0], next_cycles=2), row(lut6=2970, mhz=[50.0], next_cycles=3, cuts=0)]
    said = "\n".join(area.verdict({"rows": rows, "ibex": None}))
    assert "LUT6: missed by 10% (2970, 64 records, 4 rows; target 2700)" in said
    assert "MHz: met, by 1 of 2 shapes (100, 64 records, 4 rows, 4 cuts; target 100)" in said
    assert "cycles to NEXT: met, by 1 of 2 shapes (2, 64 records, 4 rows, 4 cuts; target 2)" in said


def test_a_report_of_nextpnr() -> None:
    steps = [
        {"type": "clk-to-q", "delay": 1.0, "from": {"cell": "u_a.u_b.q"}, "to": {"cell": "u_a.u_b.q"}},
        {"type": "routing", "delay": 3.0, "from": {"cell": "u_a.u_b.q"}, "to": {"cell": "data_LUT4"}},
    ]
    report = {
        "utilization": {"TRELLIS_COMB": {"used": 7}, "TRELLIS_FF": {"used": 8}},
        "fmax": {"clk_i": {"achieved": 98.76}},
        "critical_paths": [
            {"from": "<async>", "to": "posedge clk_i", "path": []},
            {
                "from": "posedge clk_i",
                "to": "posedge clk_i",
                "path": [{**step, "to": {"cell": "data_LUT4"}} for step in steps],
            },
        ],
    }
    found = synthesis._of_report(report)
    assert (found["mhz"], found["lut4"], found["ff"], found["path_routing_percent"]) == (98.8, 7, 8, 75.0)
    table = area.limits({"rows": [row(**{**found, "mhz": [98.8]})], "ibex": None})
    assert table.rows[0][1] == "u_a.u_b to the command port"


def test_the_command(takt: Takt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        area, "measure", lambda records, place, ibex: {**results("area"), "asked": [records, place, ibex]}
    )
    said = takt("bench", "area", "--json", "--records", "16,64", "--place", "64")
    assert json.loads(said.out)["asked"] == [[16, 64], ["64"], True]
    assert takt("bench", "area").out.startswith("What the task manager takes")
    for wrong in (("--records", "17"), ("--place", "all"), ("--records", "16", "--update")):
        assert takt("bench", "area", *wrong).code == 2
