# SPDX-License-Identifier: Apache-2.0
"""Where no code has thread-local variables of its own, those of the C library are one for the tasks of each process, or
without protection for all tasks."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_EMULATED

TOKENS = Path(__file__).parent / "tokens"


@pytest.mark.parametrize("board_name", FIRST_EMULATED)
@pytest.mark.parametrize(("option", "word"), [("--protection", "alone"), ("--no-protection", "mixed")])
def test_what_strtok_keeps_is_a_processes_own(takt: Takt, board_name: str, option: str, word: str) -> None:
    said = takt("run", TOKENS, "--board", board_name, option)
    assert said.code == 0, said.out + said.err
    assert f"a {word}" in said.out + said.err
    assert f"b {word}" in said.out + said.err
