# SPDX-License-Identifier: Apache-2.0
"""Threads with deadlines that a process starts: admitted, refused, and held to what they declared: admitted/."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Takt
from running import SECOND_EMULATED, only_full

FOLDER = Path(__file__).parent / "admitted"


@only_full
@pytest.mark.parametrize("board_name", SECOND_EMULATED)
def test_what_is_admitted_runs_and_the_declared_task_misses_nothing(takt: Takt, board_name: str) -> None:
    said = takt("run", FOLDER, "--board", board_name)
    text = said.out + said.err
    assert "admitted: all are right" in text, text
    assert text.count("Process fault:") == 1
    assert "task 3 used up its budget" in text, "the second thread"
    steady = re.search(r"steady +(\d+) +-", text)
    assert steady is not None, "it missed nothing"
    assert int(steady[1]) >= 49
