# SPDX-License-Identifier: Apache-2.0
"""Random commands to the RTL and to its oracle (tests/support/rtm_model.py), at several sizes."""

from __future__ import annotations

import os

import pytest
from rtm_model import EDF, MAP, SOME, VALID
from rtm_player import Player
from takt.hardware.simulate import Parameters

FULL = os.environ.get("TAKT_TEST_FULL") == "1"
COMMANDS = 60_000 if FULL else 6_000

SIZES = {
    "folded": Parameters(16, 4, level_width=3, order_width=7, event_width=4, cuts=0b010),
    "classic": Parameters(16, 1, level_width=8, order_width=8, event_width=8, classic=True),
    "64": Parameters(64, 4, cuts=0b01010),
    "8": Parameters(8),
    "2": Parameters(2, level_width=1, order_width=8, event_width=1, cuts=0b11),
    "8 rows of 2": Parameters(16, 8, cuts=0b11),
    "128": Parameters(128),
    "128 at once": Parameters(128, 1, cuts=0b11111111),
    "128, classic": Parameters(128, classic=True),
}
if not FULL:
    SIZES = {"folded": SIZES["folded"]}  # each is a compilation
VALID_STATES = ("ready", "delayed", "waiting", "waiting with a limit")
STATES = ("invalid", *VALID_STATES, *(f"{state}, suspended" for state in VALID_STATES))

NAMES = ("STATUS", "SET", "CLEAR", "KEY", "EVENT", "WAKE", "SLEEP", "WAIT", "read")
UNIT = ("NEXT", "AFTER", "TAKE", "RUNNING", "NOW", "INFO", "TICK")
# Every command in every state of what it concerns.
WANTED = {
    *((name, state) for name in NAMES for state in STATES),
    *(("release", state) for state in ("nobody", *(state for state in STATES if "waiting" in state))),
    *((name, f"{ready} ready") for name in UNIT for ready in (0, 1, 2)),
    ("wrong", "error"),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(4 if FULL else 1))
def test_random_commands(size: str, seed: int) -> None:
    player = Player(SIZES[size], seed)
    player.begin()
    player.step.compare()
    for _ in range(COMMANDS):
        player.turn()
    player.step.compare()
    comes_round = not SIZES[size].classic and 2 << SIZES[size].order_width < COMMANDS
    wraps = {("wrap", "edf"), ("wrap", "fixed")} if comes_round else set()
    assert sorted((WANTED | wraps) - set(player.seen)) == []
    # A release that comes before a change has settled takes its turn first.
    assert player.step.settled_cycles <= 2 * SIZES[size].settle_cycles + 3
    # No answer is later than one that waits for AFTER (test_cycles.py), the cycle that asks counted.
    assert 1 + player.step.command_cycles <= 2 * SIZES[size].settle_cycles + 2


@pytest.mark.parametrize("size", SIZES)
def test_what_a_change_takes(size: str) -> None:
    """To NEXT and to the interrupt: as many cycles as rows and cuts, and the one that writes the record."""
    player = Player(SIZES[size], 1)
    player.begin()
    step = player.step
    levels = [level for level in (5, 3, 1, 0) if not level >> SIZES[size].level_width]
    for offset, level in zip((-1, 0, 1), levels, strict=False):
        index = offset % SIZES[size].records
        step.do(True, MAP.record_address(index, "KEY"), level << 24)
        step.idle(step.round)
        step.do(True, MAP.record_address(index, "STATUS"), VALID | EDF)
        cycles = 0
        while not step.rtl.out.settled or not cycles:
            step.idle(1)
            cycles += 1
        assert cycles == SIZES[size].settle_cycles + 1
        assert step.rtl.out.switch
        assert step.do(False, MAP.unit_address("TAKE")) == (SOME | index, False)
        step.idle(1)
        assert not step.rtl.out.switch
    assert step.command_cycles == 1, "nothing had to wait"
