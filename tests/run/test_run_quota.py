# SPDX-License-Identifier: Apache-2.0
"""What processes take at run time: the same source does the same with protection and without, on every board."""

from __future__ import annotations

import json

import pytest
from command_line import Takt
from running import BOARDS
from takt import boards, build
from takt.declaration import load, with_board
from takt.provision import ROOT

FOLDER = ROOT / "tests" / "protection" / "quota"
JOBS = 6
STEPS = 17  # of a job: maker.c says of each whether it went as it should


@pytest.mark.parametrize("mode", ["--protection", "--no-protection"])
@pytest.mark.parametrize("board", BOARDS)
def test_all_that_a_process_may_take_and_no_more(takt: Takt, board: str, mode: str) -> None:
    said = takt("run", FOLDER, "--board", board, mode, "--json")
    assert said.code == 0, said.out + said.err
    system = with_board(load(FOLDER / "system.toml", mode == "--protection"), board)
    folder = build.folder_of(system, boards.load(board), json.loads(said.out)["scheduler"])
    assert (folder / "run" / "console.txt").read_text() == ("+" * STEPS + "\n") * JOBS
