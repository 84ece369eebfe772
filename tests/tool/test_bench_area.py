# SPDX-License-Identifier: Apache-2.0
"""`takt bench area`: that the figures that are kept are of this RTL, and what is said of the targets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt, documented, keys
from running import only_full
from takt.bench.documents import results
from takt.hardware import area, area_page, synthesis
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
    monkeypatch.setattr(synthesis, "synthesize", None)
    assert synthesis.measure(area.design(LITTLE), ()) == found, "it is kept"


@only_full
def test_the_figures_are_as_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a twentieth, so that small changes of the RTL need no hour of placing."""
    kept = next(row for row in results("area")["rows"] if row["records"] == 16 and not row["cuts"])
    found = synthesis.measure(area.design(Parameters(16, 2)), ())
    for key in ("lut6", "lut6_ff", "kge"):
        assert found[key] == pytest.approx(kept[key], rel=0.05)


def test_the_keys_are_documented() -> None:
    ibex = {key: row()[key] for key in (*area.MAPPED, *area.PLACED)}
    assert set(keys({**results("area"), "ibex": ibex})) == documented("bench area")


def row(**changes: Any) -> dict[str, Any]:
    whole = next(row for row in results("area")["rows"] if row["records"] == area_page.TARGET_RECORDS and row["cuts"])
    return {**whole, **changes}


def access(way: str, least: int, most: int) -> dict[str, Any]:
    return {"way": way, "kind": "read", "least": least, "most": most}


ROWS = [
    row(lut6=5400, mhz=[90.0, 100.0], next_cycles=2, accesses=[access("memory-mapped", 2, 9), access("CSR", 2, 5)]),
    row(lut6=2970, mhz=[50.0], next_cycles=3, cuts=0, accesses=[access("memory-mapped", 2, 6), access("CSR", 3, 5)]),
]
CELLS = {"records": 64, "banks": 4, "cuts": 0, "kge": 30.0, "mhz": 450.0}


def test_what_is_said_of_targets() -> None:
    said = "\n".join(area_page.verdict({"rows": ROWS, "ibex": None, "cells": None}))
    assert "LUT6: missed by 10% (2970, 64 records, 4 rows; target 2700)" in said
    assert "MHz: met, by 1 of 2 shapes (100, 64 records, 4 rows, 4 cuts; target 100)" in said
    assert "cycles to NEXT: met, by 1 of 2 shapes (2, 64 records, 4 rows, 4 cuts; target 2)" in said
    assert "cycles of a memory-mapped access: met, by 1 of 2 shapes (6, 64 records, 4 rows; target 6)" in said
    why = area_page.reference()["why"]
    assert f"by CSR: missed by 3 (5, 64 records, 4 rows, 4 cuts; target 2): {why['csr_cycles']}" in said
    assert f"varies: missed by 4 (4, 64 records, 4 rows; target 0): {why['varying_cycles']}" in said
    assert "small" not in said


def test_what_is_said_of_a_library() -> None:
    document = {"rows": ROWS, "ibex": None, "cells": {"library": "small", "rows": [CELLS], "ibex": None}}
    said = "\n".join(area_page.verdict(document))
    assert "kGE of small: missed by 50% (30, 64 records, 4 rows; target 20)" in said
    assert "MHz of small: missed by 10% (450, 64 records, 4 rows; target 500)" in said
    first, second = area_page.missed(document)
    assert first.startswith("64 records, 4 rows, 4 cuts: LUT6 by 100%, bits of memory by 75%, ")
    assert "small" not in first
    assert "LUT6 by 10%, bits of memory by 75%, MHz by 50%, kGE of small by 50%, MHz of small by 10%, " in second
    assert "cycles to NEXT by 1, " in second


def test_every_target_that_is_missed_says_why() -> None:
    missed = [line for line in area_page.verdict(results("area")) if ": missed" in line]
    assert [line for line in missed if "): " not in line] == []
    assert len(missed) == len(area_page.reference()["why"])


def test_what_is_not_measured_is_kept() -> None:
    """And dropped where the RTL is another."""
    kept = results("area")
    bare = [{key: value for key, value in row.items() if key not in area.PLACED} for row in kept["rows"]]
    ibex = {key: kept["ibex"][key] for key in area.MAPPED}
    document = {**kept, "rows": bare, "ibex": ibex, "cells": None}
    assert area.merged(document, kept) == kept
    assert area.merged({**document, "cells": {"library": "x", "rows": [], "ibex": None}}, kept)["cells"]["rows"] == []
    found = area.merged({**document, "rows": [{**bare[0], "lut6": 1}, *bare[1:]], "ibex": {**ibex, "kge": 1}}, kept)
    assert found["rows"] == [{**bare[0], "lut6": 1}, *kept["rows"][1:]]
    assert found["ibex"] == {**ibex, "kge": 1}
    assert found["cells"] == {**kept["cells"], "rows": kept["cells"]["rows"][1:], "ibex": None}
    placed = [{**bare[0], **dict.fromkeys(area.PLACED, 1)}, *bare[1:]]
    assert area.merged({**document, "rows": placed}, kept)["rows"] == [placed[0], *kept["rows"][1:]]
    assert area.merged(document, {**kept, "cells": None})["cells"] is None


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
    table = area_page.limits({"rows": [row(**{**found, "mhz": [98.8]})], "ibex": None})
    assert table.rows[0][1] == "u_a.u_b to the command port"


def test_the_command(takt: Takt, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(area, "measure", lambda *asked: {**results("area"), "asked": [str(each) for each in asked]})
    path = tmp_path / "x.lib"
    path.touch()
    said = takt("bench", "area", "--json", "--records", "16,64", "--place", "64", "--liberty", str(path))
    assert json.loads(said.out)["asked"] == ["[16, 64]", "['64']", "True", str(path)]
    assert takt("bench", "area").out.startswith("Area and clock of the task manager")
    for wrong in (("--records", "17"), ("--place", "all"), ("--records", "16", "--update"), ("--liberty", "none.lib")):
        assert takt("bench", "area", *wrong).code == 2


def test_a_bad_library_is_one_message(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "x.lib"
    path.write_text("library (x) {", encoding="utf-8")
    said = takt("bench", "area", "--liberty", str(path))
    assert (said.code, said.out) == (2, "")
    assert f"{path}: not a library of cells in Liberty's format: line 1: it ends too early\n  try: " in said.err
    assert "Traceback" not in said.err


def test_an_rbe_is_a_part_of_a_register_file() -> None:
    """Of 1000 bits of memory that are 13 kGE a register file of 2048 would be 26.6 kGE, and 2600 RBE."""
    shape = {"records": 64, "banks": 1, "cuts": 0}
    cells = {"library": "x", "rows": [{**shape, "kge": 10.24, "memory_kge": 13.0}]}
    document = {"rows": [{**shape, "memory_bits": 1000}], "cells": cells}
    assert area_page.gates_of_rbe(document) == pytest.approx(13 * 2048 / 2600)
    (cited, block, ours) = area_page.rbe_table(document).rows
    assert cited[-2:] == ["2600", "1.00"]
    assert block[0] == "RTM as in seed 001*"
    assert ours[-2:] == ["2270", "0.87"]
    assert "are 2560 bits" in area_page.rbe_note(document)
