# SPDX-License-Identifier: Apache-2.0
"""The longest path from a flip-flop to a flip-flop in a netlist of a library's cells, before layout: no wires.

Delays are those of the library's tables for each cell's load, the sum of the inputs that it drives, and for the slowest
transition at its input. All clocks' edges come at once, as fast as the tables have them. Paths from and to pins of the
design do not count, nor do resets.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path as File
from typing import Any

from takt.hardware.liberty import EDGES, Arc, Cell, Library
from takt.support.files import read_text

Net = int
Edge = tuple[Net, str]  # rise or fall
_STARTS = ("rising_edge", "falling_edge")
_SETUPS = ("setup_rising", "setup_falling")


@dataclass(frozen=True)
class Path:
    """`begin` and `end`: what the flip-flops at its ends drive; `stages`: the cells on it but the last flip-flop."""

    picoseconds: float
    begin: str
    end: str
    stages: tuple[str, ...]


@dataclass(frozen=True)
class Instance:
    cell: Cell
    nets: Mapping[str, Net]  # by pin; constants and what is open are left out

    def inputs(self) -> list[tuple[str, Net]]:
        return [(pin, net) for pin, net in self.nets.items() if not self.cell.pins[pin].output]

    def outputs(self) -> list[tuple[str, Net]]:
        return [(pin, net) for pin, net in self.nets.items() if self.cell.pins[pin].output]


@dataclass
class Signal:
    """When an edge is there at the latest, how long it takes at most, from which cell, and which edge made it."""

    time: float
    transition: float
    cell: str
    cause: Edge | None


def longest(netlist: File, top: str, library: Library) -> Path | None:
    """Of what yosys wrote with write_json, flat; None when no flip-flop reaches one. ValueError: a cell that the
    library does not have, a loop of gates, a table that is missing."""
    module = json.loads(read_text(netlist))["modules"][top]
    timer = Timer([_instance(cell, library) for cell in module["cells"].values()])
    found = timer.longest()
    if found is None:
        return None
    time, begin, end, stages = found
    names = _names(module)
    return Path(time * library.picoseconds, names.get(begin, ""), names.get(end, ""), stages)


def _instance(row: Mapping[str, Any], library: Library) -> Instance:
    cell = library.cell(row["type"])
    nets = {pin: bits[0] for pin, bits in row["connections"].items() if bits and isinstance(bits[0], int)}
    return Instance(cell, {pin: net for pin, net in nets.items() if pin in cell.pins})


def _names(module: Mapping[str, Any]) -> dict[Net, str]:
    """The designer's name of each net where there is one, else yosys'."""
    found: dict[Net, str] = {}
    for name, row in sorted(module["netnames"].items(), key=lambda pair: -pair[1].get("hide_name", 0)):
        found |= {net: name if len(row["bits"]) == 1 else f"{name}[{at}]" for at, net in enumerate(row["bits"])}
    return found


class Timer:
    """When each edge of each net is there, as far as flip-flops cause it, counted from the clock's edge."""

    def __init__(self, instances: list[Instance]) -> None:
        self._flip_flops = [each for each in instances if each.cell.flip_flop]
        self._gates = [each for each in instances if not each.cell.flip_flop]
        self._loads: dict[Net, float] = {}
        for each in instances:
            for pin, net in each.inputs():
                self._loads[net] = self._loads.get(net, 0.0) + each.cell.pins[pin].load
        self._signals: dict[Edge, Signal] = {}
        for each in self._flip_flops:
            self._start(each)
        for each in self._in_order():
            self._pass(each)

    def longest(self) -> tuple[float, Net, Net, tuple[str, ...]] | None:
        """How long, in the library's unit, from what a flip-flop drives to what one drives, through which cells."""
        ends = [(*end, each) for each in self._flip_flops for end in self._ends(each)]
        if not ends:
            return None
        time, edge, last = max(ends, key=lambda end: end[0])
        stages, at = [], edge
        while True:
            signal = self._signals[at]
            stages.append(signal.cell)
            if signal.cause is None:
                break
            at = signal.cause
        return time, at[0], next((net for _, net in last.outputs()), edge[0]), tuple(reversed(stages))

    def _ends(self, flip_flop: Instance) -> Iterator[tuple[float, Edge]]:
        """With the time that it has to be there before the clock."""
        for pin, net in flip_flop.inputs():
            for arc, edge in itertools.product(flip_flop.cell.pins[pin].arcs, EDGES):
                signal, setup = self._signals.get((net, edge)), arc.tables.get(f"{edge}_constraint")
                if arc.kind in _SETUPS and signal is not None and setup is not None:
                    yield signal.time + setup.at(signal.transition, 0.0), (net, edge)

    def _start(self, flip_flop: Instance) -> None:
        for pin, net in flip_flop.outputs():
            for arc, edge in itertools.product(flip_flop.cell.pins[pin].arcs, EDGES):
                if arc.kind in _STARTS:
                    self._add(flip_flop.cell, arc, (net, edge), None)

    def _pass(self, gate: Instance) -> None:
        for pin, net in gate.outputs():
            for arc in gate.cell.pins[pin].arcs:
                for source, edge in _edges(arc):
                    cause = gate.nets.get(arc.related, -1), source
                    if cause in self._signals:
                        self._add(gate.cell, arc, (net, edge), cause)

    def _add(self, cell: Cell, arc: Arc, to: Edge, cause: Edge | None) -> None:
        begin, slow = (0.0, 0.0) if cause is None else (self._signals[cause].time, self._signals[cause].transition)
        net, edge = to
        try:
            delay, transition = arc.tables[f"cell_{edge}"], arc.tables[f"{edge}_transition"]
        except KeyError:
            raise ValueError(f"cell {cell.name}: no delays from {arc.related}, {edge}") from None
        load = self._loads.get(net, 0.0)
        found = Signal(begin + delay.at(slow, load), transition.at(slow, load), cell.name, cause)
        before = self._signals.setdefault(to, found)
        slowest = max(before.transition, found.transition)
        latest = found if found.time > before.time else before
        latest.transition = slowest
        self._signals[to] = latest

    def _in_order(self) -> Iterator[Instance]:
        """Each gate behind those that drive it."""
        driver = {net: at for at, gate in enumerate(self._gates) for _, net in gate.outputs()}
        before = {at: {driver[net] for _, net in gate.inputs() if net in driver} for at, gate in enumerate(self._gates)}
        try:
            yield from (self._gates[at] for at in TopologicalSorter(before).static_order())
        except CycleError:
            raise ValueError("a loop of gates") from None


def _edges(arc: Arc) -> Iterator[tuple[str, str]]:
    """Which edge of its input makes which of its output."""
    for source, edge in itertools.product(EDGES, EDGES):
        never = "negative_unate" if source == edge else "positive_unate"
        if arc.kind in ("combinational", f"combinational_{edge}") and arc.sense != never:
            yield source, edge
