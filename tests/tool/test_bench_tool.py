# SPDX-License-Identifier: Apache-2.0
"""`takt bench tool`: the declarations are as said, and what is kept is within the lines."""

from __future__ import annotations

import json
from fractions import Fraction
from math import gcd
from pathlib import Path

from command_line import Takt, documented, keys
from takt.bench import documents
from takt.bench.tool import waits
from takt.declare import declaration
from takt.declare.service_kinds.mutex import Mutex

KEPT = documents.results("tool")["rows"]


def test_the_kept_figures_are_of_these_rows_and_most_are_within_their_lines() -> None:
    assert [(row["name"], row["line"]) for row in KEPT] == [(row.name, row.line_s) for row in waits.rows()]
    assert all(row["within"] == (row["seconds"] <= row["line"]) for row in KEPT)
    assert {row["name"] for row in KEPT if not row["within"]} <= {"flight, second run", "24 h of troublesome"}


def test_the_declarations_are_as_said(tmp_path: Path) -> None:
    loads = {}
    for row in waits.rows():
        if row.system:
            path = tmp_path / "system.toml"
            path.write_text(row.system)
            system = declaration.load(path)
            load = sum((Fraction(task.wcet_ns, task.period_ns or 1) for task in system.tasks), Fraction(0))
            loads[row.name] = (len(system.tasks), len(system.of(Mutex)), system.scheduler, float(1 - load))
    counts = [found[:3] for found in loads.values()]
    assert counts == [(100, 100, "dm"), (100, 0, "auto"), (300, 0, "dm"), (300, 0, "edf"), (1000, 0, "auto")]
    refuted, near, *_ = [found[3] for found in loads.values()]
    assert -0.03 < refuted < 0
    assert 1e-9 <= near < 2e-9


def test_no_two_periods_have_a_common_divisor() -> None:
    periods = [period for period, _ in waits.near_full_load(30)]
    assert all(gcd(one, other) == 1 for i, one in enumerate(periods) for other in periods[:i])


def test_a_row_is_measured(takt: Takt) -> None:
    said = takt("bench", "tool", "--row", "help", "--json")
    document = json.loads(said.out)
    assert (said.code, set(keys(document))) == (0, documented("bench tool"))
    (row,) = document["rows"]
    assert (row["name"], row["command"], row["line"]) == ("help", "./takt --help", 0.25)
    assert row["seconds"] > 0
    assert row["within"] == (row["seconds"] <= row["line"])
    assert takt("bench", "tool", "--row", "halp").code == 2
