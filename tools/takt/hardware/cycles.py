# SPDX-License-Identifier: Apache-2.0
"""What the task manager takes in cycles, by simulation: from an event to NEXT and to the interrupt, and for an access.

An access is made at Ibex's bus or by CSRs, and lasts from the cycle in which it is asked for to that of its answer,
both counted. Each is made after each kind of change, at every distance from it, so what is seen is the least and the
most.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from takt.hardware import registers
from takt.hardware.simulate import Parameters, Simulation

BUS, CSR = "memory-mapped", "CSR"
WAYS = {BUS: "rtm_at_ibex", CSR: "rtm_at_csr"}
NUMBERS = {"SELECT": 16, "RELEASE": 17}  # of rtm_csr.sv
ABOUT, BEST, IDLE = 2, 1, 0  # records: the one that is accessed, the best ready task, the idle task
EVENT = 3  # that ABOUT waits for, where it does
LIMIT = 1 << 12  # cycles: what takes longer never ends


@dataclass(frozen=True)
class Access:
    """To a word of the record ABOUT or of the unit; RELEASE is a read of an event, SELECT only CSRs have."""

    kind: str
    name: str
    write: bool = False
    data: int = 0


def accesses(way: str) -> list[Access]:
    """Every one that there is, by what it has to wait for."""
    level = 3 << 24
    found = [Access("write", row.name, True, {"KEY": level, "EVENT": EVENT}.get(row.name, 0)) for row in _map().record]
    found += [Access("read", row.name) for row in _map().record if "r" in row.access]
    found += [Access("write", "RUNNING", True, _some(IDLE))]
    found += [Access("read", name) for name in ("RUNNING", "NOW", "INFO")]
    found += [Access("NEXT, TAKE", "NEXT"), Access("NEXT, TAKE", "TAKE"), Access("AFTER", "AFTER")]
    found += [Access("release", "RELEASE", data=EVENT), Access("release", "RELEASE", data=EVENT + 1)]
    found += [Access("error", "INFO", True), Access("error", "STATUS", True, 1 << 30)]
    return [*found, Access("SELECT", "SELECT", True, ABOUT)] if way == CSR else found


@cache
def _map() -> registers.Registers:
    return registers.load()


def _some(index: int) -> int:
    return 1 << 31 | index


class Port:
    """A task manager, fresh, with two tasks; time is what `now` says."""

    def __init__(self, parameters: Parameters, way: str) -> None:
        self.parameters = parameters
        self.way = way
        self.now = 1
        self._simulation = Simulation(parameters, WAYS[way])
        self.out = self._simulation.out
        self._selected: int | None = None
        self._bits = {bit.name: 1 << bit.bit for bit in _map().status}
        self.idle(1)
        for index in range(parameters.records):
            for name in ("KEY", "EVENT", "WAKE"):
                self.record(index, name, {"KEY": 3 << 24}.get(name, 0))
        for index, key in ((IDLE, 2 << 24), (BEST, 1 << 24)):
            self.record(index, "KEY", key)
        self.record(IDLE, "STATUS", self._bits["VALID"])
        self.record(ABOUT, "STATUS", 0)

    def close(self) -> None:
        self._simulation.close()

    def idle(self, cycles: int) -> None:
        for _ in range(cycles):
            self._simulation.step(self.now)

    def record(self, index: int, name: str, data: int) -> int:
        """Writes a word of a record; the cycles."""
        self.select(index)
        return self._do(True, self._address(name, index), data)

    def status(self, index: int, *bits: str) -> int:
        return self.record(index, "STATUS", sum(self._bits[bit] for bit in bits))

    def select(self, index: int) -> int:
        """Which record the window of CSRs shows: an access of its own there, none on the bus."""
        if self.way == BUS or self._selected == index:
            return 0
        self._selected = index
        return self.do(Access("SELECT", "SELECT", True, index))

    def do(self, access: Access) -> int:
        """The cycles that it takes."""
        if access.name == "RELEASE" and self.way == BUS:
            return self._do(False, _map().release_address(access.data), 0)
        if access.name in NUMBERS:
            return self._do(True, NUMBERS[access.name], access.data)
        return self._do(access.write, self._address(access.name, ABOUT), access.data)

    def _address(self, name: str, index: int) -> int:
        known = _map()
        unit = {row.name: row.word for row in known.unit}
        if name in unit:
            return unit[name] if self.way == CSR else known.unit_address(name)
        word = next(row.word for row in known.record if row.name == name)
        return 8 + word if self.way == CSR else known.record_address(index, name)

    def _do(self, write: bool, address: int, data: int) -> int:
        """The bus takes a request once, in the cycle that says so; an instruction on CSRs is held to its end."""
        asked = True
        for cycles in range(1, LIMIT):
            out = self._simulation.step(self.now, asked, write, address, data)
            asked = asked and not out.ready
            if out.done:
                return cycles
        raise AssertionError("an access was not answered")

    def until(self, signal: str, index: int) -> int:
        """The cycles, from the last one on, to the one in which `settled` or `switch` is on, and NEXT this record."""
        for cycles in range(1, LIMIT):
            self.idle(1)
            if getattr(self.out, signal) and self.out.some and self.out.next == index:
                return cycles
        raise AssertionError(f"{signal} never occurred")


@contextmanager
def _port(parameters: Parameters, way: str) -> Iterator[Port]:
    port = Port(parameters, way)
    try:
        yield port
    finally:
        port.close()


@dataclass
class Range:
    """Of cycles."""

    least: int = LIMIT
    most: int = 0

    def add(self, cycles: int) -> None:
        self.least, self.most = min(self.least, cycles), max(self.most, cycles)


def events(parameters: Parameters) -> dict[str, int | dict[str, int]]:
    """From an event to NEXT: from the cycle in which a command changes a record, in which a release begins, in which a
    time has come; and from a command to the interrupt."""
    with _port(parameters, BUS) as port:
        found: dict[str, int | dict[str, int]] = {}
        for key, signal in (("next_cycles", "settled"), ("interrupt_cycles", "switch")):
            _rest(port)
            port.status(BEST, "VALID")
            found[key] = port.until(signal, BEST)
        _rest(port)
        _wait(port)
        found["release_cycles"] = port.do(Access("release", "RELEASE", data=EVENT)) - 2 + port.until("settled", BEST)
        expiry = Range()
        for phase in range(2 * parameters.records):
            _rest(port)
            _sleep(port)
            port.idle(phase)
            port.now += 1
            expiry.add(port.until("settled", BEST) - 1)
        return {**found, "expiry_cycles": vars(expiry)}


def _rest(port: Port) -> None:
    """IDLE runs, BEST is not ready, ABOUT waits for EVENT, and NEXT and AFTER are known."""
    for index in (BEST, ABOUT):
        port.status(index)
    port.status(ABOUT, "VALID", "EVENT")
    port.record(ABOUT, "EVENT", EVENT)
    port.do(Access("AFTER", "AFTER"))
    port.do(Access("NEXT, TAKE", "TAKE"))
    port.idle(1)


def _wait(port: Port) -> None:
    """BEST waits for the event."""
    port.status(BEST, "VALID", "EVENT")
    port.record(BEST, "EVENT", EVENT)
    port.do(Access("AFTER", "AFTER"))


def _sleep(port: Port) -> None:
    """BEST waits for the next time."""
    port.record(BEST, "WAKE", port.now + 1)
    port.status(BEST, "VALID", "DELAYED")
    port.do(Access("AFTER", "AFTER"))


def access_cycles(parameters: Parameters, way: str) -> dict[str, dict[str, int]]:
    """The least and the most of each kind of access."""
    ranges: dict[str, Range] = {}
    with _port(parameters, way) as port:
        for access in accesses(way):
            ranges.setdefault(access.kind, Range())
            for change, gaps in _changes(parameters):
                for gap in range(gaps):
                    _rest(port)
                    _change(port, change)
                    port.idle(gap)
                    ranges[access.kind].add(port.do(access))
    return {kind: vars(cycles) for kind, cycles in ranges.items()}


def _changes(parameters: Parameters) -> list[tuple[str, int]]:
    """And how many cycles behind it may matter: until NEXT and AFTER are settled; a time comes within a round."""
    settled = 2 * parameters.settle_cycles + 4
    return [("none", 1), ("write", settled), ("release", settled), ("expiry", parameters.records + settled)]


def _change(port: Port, change: str) -> None:
    """The window of CSRs shows ABOUT afterwards."""
    if change == "write":
        port.select(ABOUT)
        port.status(ABOUT, "VALID", "EVENT", "SUSPENDED")
    elif change == "release":
        _wait(port)
        port.select(ABOUT)
        port.do(Access("release", "RELEASE", data=EVENT))
    elif change == "expiry":
        _sleep(port)  # once before, so that the visits are where they always are
        port.now += 1
        port.until("settled", BEST)
        _rest(port)
        _sleep(port)
        port.select(ABOUT)
        port.now += 1
    port.select(ABOUT)
