# SPDX-License-Identifier: Apache-2.0
"""A process that another starts, stops and starts again, and that stops itself; without protection, too: start/."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS

FOLDER = Path(__file__).parent / "start"


@pytest.mark.parametrize("protection", ["--protection", "--no-protection"])
@pytest.mark.parametrize("board_name", BOARDS)
def test_a_process_runs_when_another_has_started_it_and_no_longer(takt: Takt, board_name: str, protection: str) -> None:
    said = takt("run", FOLDER, "--board", board_name, protection)
    assert "start: all are right" in said.out + said.err, said.out + said.err
    assert said.code == 0, said.out + said.err
