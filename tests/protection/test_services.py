# SPDX-License-Identifier: Apache-2.0
"""Services between two processes from user mode, and the same sources without protection: services/."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import SECOND_MODE

FOLDER = Path(__file__).parent / "services"


@pytest.mark.parametrize(("board_name", "protection"), SECOND_MODE)
def test_what_comes_back_is_what_the_other_process_answered(takt: Takt, board_name: str, protection: bool) -> None:
    said = takt("run", FOLDER, "--board", board_name, "--protection" if protection else "--no-protection")
    assert "services: all are right" in said.out + said.err, said.out + said.err
    assert said.code == 0, said.out + said.err
