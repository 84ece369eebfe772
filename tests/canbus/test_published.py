# SPDX-License-Identifier: Apache-2.0
"""`takt can check` on DBC files that others wrote: those of opendbc, with cantools as the oracle of what they say."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from can_files import opendbc
from command_line import Takt
from running import only_full
from takt.can import bounds, check
from takt.can.files import read
from takt.can.lengths import Rate
from takt.support import provision
from takt.support.c.analysis import Status
from takt.support.errors import UserError

FORD = "ford_lincoln_base_pt.dbc"
SUMS_MAX = 40


@pytest.fixture(scope="module")
def files() -> list[Path]:
    return opendbc()


@pytest.fixture(scope="module")
def ford(files: list[Path]) -> Path:
    return next(path for path in files if path.name == FORD)


@only_full
@pytest.mark.parametrize(
    ("bitrate", "jitter", "late", "least", "load"),
    [("500k", "0ms", 12, 0.4455, 0.7424), ("500k", "10%", 16, 0.5455, 0.7424), ("250k", "0ms", None, None, 1.4848)],
)
def test_the_ford_bus(
    takt: Takt, ford: Path, bitrate: str, jitter: str, late: int | None, least: float | None, load: float
) -> None:
    said = takt("can", "check", ford, "--bitrate", bitrate, "--jitter", jitter, "--json")
    assert said.code == 1
    found: dict[str, Any] = json.loads(said.out)
    assert len(found["messages"]) == 150
    assert len(found["without_period"]) == 181
    assert found["load"] == pytest.approx(load, abs=1e-4)
    assert found["load_unstuffed"] == pytest.approx(load * 111 / 135, abs=1e-4)
    if late is not None:
        assert sum(not one["feasible"] for one in found["messages"]) == late
        assert found["largest_by_deadline"] == pytest.approx(least, abs=1e-4)
        return
    assert found["largest_by_deadline"] is None
    rate = found["least_bitrate_by_deadline"]
    said = takt("can", "check", ford, "--bitrate", bitrate)
    assert "No assignment of identifiers helps: the load 1.485 exceeds the bus." in said.out
    assert f"{rate // 1000} kbit/s in the order of the deadlines" in said.out


@only_full
def test_each_file_is_analysed_or_refused_at_a_line(takt: Takt, files: list[Path]) -> None:
    assert len(files) == 115
    analysed = 0
    for path in files:
        said = takt("can", "check", path, "--bitrate", "500k", "--period", "100ms", "--json")
        if said.code == 2:
            assert re.search(rf"{re.escape(path.name)}(:\d+: |: no messages in it)", said.err), said.err
        else:
            analysed += 1
            assert json.loads(said.out)["messages"]
    assert analysed >= 94


@only_full
def test_what_the_files_say_is_what_cantools_reads(files: list[Path]) -> None:
    provision.require_python("can")
    import cantools.database

    compared = 0
    for path in files:
        try:
            ours = read.load(path)
            theirs: Any = cantools.database.load_file(path, strict=False)
        except (UserError, cantools.database.UnsupportedDatabaseFormatError):
            continue
        compared += 1
        assert {(one.identifier, one.extended): (one.name, one.size, one.senders, one.period_ns) for one in ours} == {
            (one.frame_id, one.is_extended_frame): (
                one.name,
                one.length,
                tuple(one.senders),
                one.cycle_time * 1_000_000 if one.cycle_time else None,
            )
            for one in theirs.messages
        }, path.name
    assert compared >= 80


@only_full
def test_the_work_of_the_analysis(ford: Path) -> None:
    """Of 150 messages with six periods each bound takes a few sums of six terms."""
    asked = check.answer(read.load(ford), check.Question(Rate(500_000), check.Jitter(Fraction(1, 10))))
    frames = [row.frame for row in asked.rows]
    assert {one.status for one in bounds.responses(frames, 2_000, iterations=SUMS_MAX)} == {Status.OK}
