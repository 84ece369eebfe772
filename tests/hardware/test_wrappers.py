# SPDX-License-Identifier: Apache-2.0
"""The task manager at Ibex's bus, near and far, and behind the window of CSRs: random commands against its oracle."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rtm_lockstep import CLAIM, COMMAND, LockStep
from rtm_model import MAP, SOME
from rtm_player import Player
from running import only_full
from takt.hardware.simulate import Parameters, Simulation

SIZE = Parameters(16, 4, level_width=3, order_width=7, event_width=4)
COMMANDS = 2_000
DELAY = 3
SELECT, RELEASE = 16, 17


class Wrapped(LockStep):
    """The unit is inside: the oracle gets a command in the cycle in which the unit ends it, not when the answer
    is there."""

    def __init__(self, now: int, top: str, *options: str) -> None:
        super().__init__(SIZE, now)
        self.rtl.close()
        self.rtl = Simulation(SIZE, top, *options)
        self.asked: tuple[bool, int, int] | None = None
        self.expected: tuple[int, bool] | None = None
        self.wrong = 0

    def _cycle(self, command: tuple[bool, int, int] | None = None) -> bool:
        ended = super()._cycle(command)
        out = self.rtl.out
        if (out.slot == COMMAND and not out.waits) or out.slot == CLAIM:
            assert self.asked is not None, "a command that nobody gave, or twice"
            self.expected, self.asked = self.model.command(*self.asked, self.now), None
            self._changed()
        return ended

    def answered(self) -> tuple[int, bool]:
        """What is answered in this cycle, which must be what the oracle said."""
        said = self.rtl.out.data, bool(self.rtl.out.error)
        assert (said, self.asked) == (self.expected, None)
        self.wrong += said[1]
        self.expected = None
        return said


class Bus(Wrapped):
    """Each access is held until it is granted."""

    def __init__(self, now: int, delay: int) -> None:
        super().__init__(now, "rtm_at_ibex", f"-GDelay={delay}")
        self.delay = delay

    def do(self, write: bool, address: int, data: int = 0) -> tuple[int, bool]:
        self.asked = write, address, data
        assert not self._cycle((write, address, data))
        while not self.rtl.out.ready:
            assert not self._cycle((write, address, data))
        cycles = 1
        while not self._cycle():
            cycles += 1
        assert 2 * self.delay < cycles <= 2 * self.delay + 4 * self.parameters.settle_cycles + 8
        self.command_cycles = max(self.command_cycles, cycles)
        return self.answered()


class Window(Wrapped):
    """Commands as instructions; those that the window has no CSR for are tried with one that is not there."""

    def __init__(self, now: int) -> None:
        super().__init__(now, "rtm_at_csr")
        self.selected = 0

    def instruction(self, number: int, write: bool, data: int) -> tuple[int, bool]:
        cycles = 0
        while not self._cycle((write, number, data)):
            cycles += 1
            assert cycles <= 4 * self.parameters.settle_cycles + 8, "no answer"
        return self.answered()

    def select(self, index: int) -> None:
        fits = index < self.parameters.records
        self.expected = 0, not fits
        self.instruction(SELECT, True, index)
        self.selected = index if fits else self.selected
        self.expected = self.selected, False
        self.instruction(SELECT, False, 0)

    def do(self, write: bool, address: int, data: int = 0) -> tuple[int, bool]:
        base, release = MAP.map["globals"], MAP.map["release"]
        if address % 4 == 0 and address < base:
            self.select(address // 32)
            address = 32 * self.selected + address % 32
            self.asked = write, address, data
            return self.instruction(8 + address % 32 // 4, write, data)
        if address % 4 == 0 and address < base + 32:
            self.asked = write, address, data
            return self.instruction((address - base) // 4, write, data)
        event = (address - release) // 4
        if address % 4 == 0 and address >= release and not write and event < 1 << self.parameters.event_width:
            self.asked = False, address, 0
            return self.instruction(RELEASE, True, event)
        self.expected = 0, True
        return self.instruction(RELEASE if write else 18, address >= release, 1 << self.parameters.event_width)


WRAPPERS: dict[str, Callable[[int], Wrapped]] = {
    "bus": lambda now: Bus(now, 0),
    "far": lambda now: Bus(now, DELAY),
    "csr": Window,
}


@only_full  # test_lockstep.py has those of the unit alone
@pytest.mark.parametrize("name", WRAPPERS)
def test_random_commands(name: str) -> None:
    player = Player(SIZE, 0)
    player.step = step = WRAPPERS[name](player.step.now)
    player.begin()
    step.compare()
    for _ in range(COMMANDS):
        player.turn()
    step.compare()
    assert step.wrong > COMMANDS // 100
    assert {player.seen[f"{word}", "2 ready"] > 0 for word in ("NEXT", "AFTER", "TAKE")} == {True}


@only_full  # two simulators are built
def test_what_an_access_takes() -> None:
    """The cycles of the delay go in front and behind, nothing else is later."""
    for delay in (0, DELAY):
        player = Player(SIZE, 1)
        player.step = step = Bus(player.step.now, delay)
        player.begin()
        step.idle(step.round)
        step.command_cycles = 0
        assert step.do(False, MAP.unit_address("NEXT")) == (0, False)
        assert step.do(True, MAP.unit_address("RUNNING"), SOME | 3) == (0, False)
        assert step.command_cycles == 1 + 2 * delay
