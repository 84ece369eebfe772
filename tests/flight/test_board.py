# SPDX-License-Identifier: Apache-2.0
"""The whole flight, kernel and all, by `takt run`."""

from __future__ import annotations

import pytest
from flying import Flown, copy, fly
from running import FULL

MANAGER = "ibex-soc on its task manager"
EMULATED = ("mps2-an385", "rv32-virt", "ibex-soc", MANAGER) if FULL else ()  # the first two fly in test_crashes.py
BOARDS = ("host", *EMULATED)


@pytest.fixture(scope="module")
def flights() -> dict[str, Flown]:
    """The whole flight on each board."""
    folder = copy("flight")
    options = {MANAGER: ("ibex-soc", "--engine", "rtm")}
    return {board: fly(folder, *options.get(board, (board,))) for board in BOARDS}


@pytest.mark.parametrize("board", BOARDS)
def test_flies_within_the_proof(flights: dict[str, Flown], board: str) -> None:
    flown = flights[board]
    assert flown.plant["success"], flown.plant["reasons"]
    assert flown.code == 0
    assert flown.result["within_proof"]
    assert flown.result["misses"] == 0
    assert all(task["lost"] == 0 and task["jobs"] > 0 for task in flown.result["tasks"])


@pytest.mark.parametrize("board", EMULATED)
def test_the_boards_fly_alike(flights: dict[str, Flown], board: str) -> None:
    host, emulated = flights["host"].plant, flights[board].plant
    for figure in ("climb_m", "turn_deg", "altitude_error_m_max", "heading_error_deg_max"):
        assert host[figure] == pytest.approx(emulated[figure], abs=0.3), figure
