# SPDX-License-Identifier: Apache-2.0
"""`takt bench reflect`: its keys and sums. No time is tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from takt.bench.studies import reflect


def test_the_keys_are_documented(takt: Takt) -> None:
    said = takt("bench", "reflect", "--rounds", "1", "--values", "3", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert set(keys(document)) == documented("bench reflect")
    assert [row["bytes"] for row in document["rows"]] == list(reflect.SIZES)
    assert all(row["ratios"]["futex"] == 1 and min(row["ratios"].values()) > 0 for row in document["rows"])


def test_the_median_round_counts() -> None:
    rounds = [{("area", 8): [9, area, 1], ("futex", 8): [7, 5, 1]} for area in (6, 5, 9)]
    assert reflect.ratio(rounds, "area", 8) == 6 / 5


def test_the_table() -> None:
    row = {"bytes": 64, "ratios": {"area": 1.104, "deep": 1.3, "futex": 1.0, "unix": 1.7, "udp": 2.5}}
    assert reflect.table({"rows": [row]}).rows == [["64 bytes", "1.10", "1.30", "1.00", "1.70", "2.50"]]


def test_a_value_that_does_not_come(takt: Takt, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "local"
    program.write_text("#!/bin/sh\necho take: nothing >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(reflect, "build", lambda: program)
    said = takt("bench", "reflect")
    assert (said.code, said.out, said.err) == (1, "", "takt: take: nothing\n")
