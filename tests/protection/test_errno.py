# SPDX-License-Identifier: Apache-2.0
"""Each process has its own thread-local storage of the C library, errno in it; without protection all have one."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_EMULATED

ERRNO = Path(__file__).parent / "errno"


@pytest.mark.parametrize("board_name", FIRST_EMULATED)
@pytest.mark.parametrize(("option", "word"), [("--protection", "alone"), ("--no-protection", "mixed")])
def test_errno_is_a_processes_own(takt: Takt, board_name: str, option: str, word: str) -> None:
    said = takt("run", ERRNO, "--board", board_name, option)
    assert said.code == 0, said.out + said.err
    assert f"a {word}" in said.out + said.err
    assert f"b {word}" in said.out + said.err
