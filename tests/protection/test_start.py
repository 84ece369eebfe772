# SPDX-License-Identifier: Apache-2.0
"""A process that another starts, stops and starts again, and that stops itself; without protection, too: start/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Takt, documented
from running import SECOND_MODE

FOLDER = Path(__file__).parent / "start"


@pytest.mark.parametrize(("board_name", "protection"), SECOND_MODE)
def test_a_process_runs_when_another_has_started_it_and_no_longer(
    takt: Takt, board_name: str, protection: bool
) -> None:
    said = takt("run", FOLDER, "--board", board_name, "--protection" if protection else "--no-protection")
    assert "start: all are right" in said.out + said.err, said.out + said.err
    assert said.code == 0, said.out + said.err


def test_the_calls_are_in_the_document(takt: Takt) -> None:
    """In their order; of a start also when the tasks of the process started."""
    calls = json.loads(takt("run", FOLDER, "--board", "host", "--protection", "--json").out)["process_calls"]
    keys = {f"process_calls[].{key}" for call in calls for key in call}
    assert keys == {key for key in documented("run") if key.startswith("process_calls[].")}
    assert calls[0]["call"] == "start"
    assert calls[0]["ran_ns"] > calls[0]["time_ns"]
    assert [call["time_ns"] for call in calls] == sorted(call["time_ns"] for call in calls)
    assert all(call["ran_ns"] is None for call in calls if call["call"] == "stop")
