# SPDX-License-Identifier: Apache-2.0
"""The RTL and its oracle side by side, cycle by cycle: every answer, NEXT and the interrupt are compared, and every
expiry is held against the time that the record waits for. Only the order of expiries is the RTL's to choose."""

from __future__ import annotations

from rtm_model import Model
from takt.hardware.simulate import Parameters, Simulation

COMMAND, CLAIM, EXPIRE = 1, 2, 3  # slot_e in rtm.sv


class LockStep:
    """One task manager. `now` is the time, the others how long it took at most: from a change to
    NEXT, from a command to its answer."""

    def __init__(self, parameters: Parameters, now: int) -> None:
        self.parameters = parameters
        self.rtl = Simulation(parameters)
        self.model = Model(parameters)
        self.now = now
        self.settled_cycles = 0
        self.command_cycles = 0
        self._since_change = 0
        self._best: int | None = None
        self._dirty = True

    @property
    def round(self) -> int:
        """The cycles in which every record has been looked at, when nothing else happens."""
        return 2 * self.parameters.records + 8

    def _cycle(self, command: tuple[bool, int, int] | None = None) -> bool:
        """A cycle. Returns whether a command ended in it."""
        out = self.rtl.step(self.now, command is not None, *(command or (False, 0, 0)))
        if self._dirty:
            self._best, self._dirty = self.model.next(), False
        self._since_change += 1
        if out.settled:
            assert (out.next if out.some else None) == self._best
        else:
            self.settled_cycles = max(self.settled_cycles, self._since_change)
        assert bool(out.switch) == (bool(out.settled) and self._best != self.model.running)
        if out.slot == EXPIRE:
            record = self.model.records[out.index]
            assert not record.due_to_wait or self.model.has_come(record.wake, self.now), "early"
            self.model.end_of_wait(out.index)
            self._changed()
        if self.parameters.classic and self._since_change == 1:
            for index in self.model.due(self.now):
                self.model.end_of_wait(index)
                self._changed()
        return bool(out.done)

    def _changed(self) -> None:
        self._dirty = True
        self._since_change = 0

    def idle(self, cycles: int) -> None:
        for _ in range(cycles):
            assert not self._cycle()

    def wait(self, until: int) -> None:
        """To a time, at once, and then until every expiry has had its turn."""
        self.now = until % (1 << 32)
        self.idle(self.round)
        assert self.model.due(self.now) == [], "late"

    def do(self, write: bool, address: int, data: int = 0) -> tuple[int, bool]:
        """A command from its begin to its answer."""
        while not self.rtl.out.ready:
            assert not self._cycle()
        ended = self._cycle((write, address, data))
        assert not ended
        cycles = 0
        while not ended:
            cycles += 1
            assert cycles <= 4 * self.parameters.settle_cycles + 8, "no answer"
            ended = self._cycle()
        self.command_cycles = max(self.command_cycles, cycles)
        said = self.rtl.out.data, bool(self.rtl.out.error)
        assert said == self.model.command(write, address, data, self.now)
        self._changed()
        return said

    def compare(self) -> None:
        """Reads every field of every record."""
        for index in range(self.parameters.records):
            for word in (0, 12, 16, 20):
                self.do(False, 32 * index + word)
