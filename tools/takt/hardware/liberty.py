# SPDX-License-Identifier: Apache-2.0
"""Reads of a Liberty file (.lib) what area and timing need: areas, loads, functions, and tables of delays.

Tables are those of the nonlinear delay model: by a transition and by a load, or by two transitions. Units are those of
the library, whose unit of time is converted to picoseconds. The text is read by Yosys' parser (package lln-libparse).
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.support import children, files, provision
from takt.support.errors import UserError
from takt.support.files import shown_path

Group = Mapping[str, Any]  # id, args, value, children: attributes too, as libparse has it

TRY = "a library of standard cells as text (.lib, neither compressed nor .db)"
LIMIT_S = 120  # a second for a library of a hundred cells
_QUOTES = re.compile(r'"[^"]*"|/\*[^\0]*?\*/|//[^\n\0]*|(")')  # and comments; the last is one that does not end
_ERROR = re.compile(r"Syntax error in liberty file on line (\d+)\.\s*(.*)")
_NOTHING = "neither a group nor an attribute of one"
_LOGIC = re.compile(r"\s*([A-Za-z_]\w*|\S)")
_PICOSECONDS = {"fs": 0.001, "ps": 1.0, "ns": 1000.0, "us": 1e6}
_FEMTOFARADS = {"ff": 1.0, "pf": 1000.0, "nf": 1e6}
_LOAD = "total_output_net_capacitance"
_INDEX = ("index_1", "index_2")
EDGES = ("rise", "fall")


@dataclass(frozen=True)
class Table:
    """`values[i][j]` at `first[i]`, `second[j]`; what has one index, or none, has one value of the others."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    def at(self, first: float, second: float) -> float:
        """Linear between the table's points and beyond the last of them; before the first it is the first."""
        row, by_row = _locate(self.first, first)
        column, by_column = _locate(self.second, second)
        found = [_between(self.values[i], column, by_column) for i in (row, min(row + 1, len(self.values) - 1))]
        return found[0] + (found[1] - found[0]) * by_row


def _locate(index: Sequence[float], value: float) -> tuple[int, float]:
    """Between which points, and how far from the one to the next."""
    if len(index) == 1:
        return 0, 0.0
    at = min(max(bisect_right(index, value) - 1, 0), len(index) - 2)
    return at, max((value - index[at]) / (index[at + 1] - index[at]), 0.0)


def _between(row: Sequence[float], at: int, by: float) -> float:
    return row[at] + (row[min(at + 1, len(row) - 1)] - row[at]) * by


@dataclass(frozen=True)
class Arc:
    """From a pin to the one that has it. `tables`: delay and transition, or for a setup the constraint, by edge."""

    related: str
    kind: str  # timing_type
    sense: str
    tables: Mapping[str, Table]


@dataclass(frozen=True)
class Pin:
    name: str
    output: bool
    load: float
    function: str
    arcs: tuple[Arc, ...]


@dataclass(frozen=True)
class Cell:
    name: str
    area: float
    flip_flop: bool
    pins: Mapping[str, Pin]

    @property
    def input_load(self) -> float:
        """Of the input that takes most."""
        return max((pin.load for pin in self.pins.values() if not pin.output), default=0.0)

    def truth(self) -> tuple[bool, ...]:
        """Of its output, the values for all values of the inputs, in the order of their names. ValueError: a function
        that is none."""
        inputs = sorted(pin.name for pin in self.pins.values() if not pin.output)
        (output,) = (pin for pin in self.pins.values() if pin.output)
        cases = itertools.product((False, True), repeat=len(inputs))
        try:
            return tuple(_Logic(output.function, dict(zip(inputs, case, strict=True))).value() for case in cases)
        except ValueError as error:
            raise ValueError(f"cell {self.name}: {error}") from None


class _Logic:
    """A Liberty function for certain inputs: ! ' and ^ bind the closest, then * & and nothing between, then + |."""

    def __init__(self, text: str, inputs: Mapping[str, bool]) -> None:
        self._tokens = _LOGIC.findall(text)
        self._inputs = {**inputs, "0": False, "1": True}

    def value(self) -> bool:
        found = self._any()
        if self._tokens:
            raise ValueError(f"a function with {self._tokens[0]}")
        return found

    def _peek(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _any(self) -> bool:
        found = self._all()
        while self._peek() in ("+", "|"):
            self._tokens.pop(0)
            found = self._all() or found
        return found

    def _all(self) -> bool:
        found = self._odd()
        while self._peek() and self._peek() not in "+|)":
            if self._peek() in "*&":
                self._tokens.pop(0)
            found = self._odd() and found
        return found

    def _odd(self) -> bool:
        found = self._one()
        while self._peek() == "^":
            self._tokens.pop(0)
            found ^= self._one()
        return found

    def _one(self) -> bool:
        token = self._tokens.pop(0) if self._tokens else ""
        if token == "!":
            return not self._one()
        if token == "(":
            found = self._any()
            if not self._tokens or self._tokens.pop(0) != ")":
                raise ValueError("a function without a )")
        elif token in self._inputs:
            found = self._inputs[token]
        else:
            raise ValueError(f"a function with {token or 'nothing'}")
        while self._peek() == "'":
            self._tokens.pop(0)
            found = not found
        return found


class Library:
    """Cells, read when they are asked for."""

    def __init__(self, group: Group) -> None:
        self.name = next(iter(_names(group)), "?")
        self._group = group
        self._cells = {name: cell for cell in _groups(group, "cell") for name in _names(cell)}
        self._read: dict[str, Cell] = {}
        self._templates = {name: each for each in _groups(group, "lu_table_template") for name in _names(each)}
        self.picoseconds = _unit(_value(group, "time_unit", "1ns"), _PICOSECONDS)
        self.femtofarads = _unit("".join(_values(group, "capacitive_load_unit")) or "1pf", _FEMTOFARADS)

    def __contains__(self, name: str) -> bool:
        return name in self._cells

    def cell(self, name: str) -> Cell:
        """ValueError: there is none, or nothing to be made of it."""
        if name not in self._cells:
            raise ValueError(f"the library has no cell for {name}")
        if name not in self._read:
            try:
                self._read[name] = self._cell(name)
            except ValueError as error:
                raise ValueError(f"cell {name}: {error}") from None
        return self._read[name]

    def flip_flops(self) -> list[str]:
        return [name for name, cell in self._cells.items() if _groups(cell, "ff")]

    def smallest(self, truth: tuple[bool, ...]) -> Cell | None:
        """The gate with one output that does this."""
        directions = ["input"] * (len(truth).bit_length() - 1) + ["output"]
        found = []
        for name, group in self._cells.items():
            pins = sorted(_value(pin, "direction") for pin in _groups(group, "pin") for _ in _names(pin))
            if pins == directions and not _groups(group, "ff", "latch", "statetable"):
                cell = self.cell(name)
                if cell.area > 0 and cell.truth() == truth:
                    found.append(cell)
        return min(found, key=lambda cell: cell.area, default=None)

    def _cell(self, name: str) -> Cell:
        group = self._cells[name]
        pins = {pin: self._pin(each, pin) for each in _groups(group, "pin") for pin in _names(each)}
        return Cell(name, float(_value(group, "area", "0")), bool(_groups(group, "ff")), pins)

    def _pin(self, group: Group, name: str) -> Pin:
        arcs = tuple(
            self._arc(timing, related)
            for timing in _groups(group, "timing")
            for related in _value(timing, "related_pin").split()
        )
        output = _value(group, "direction") == "output"
        load = _value(group, "capacitance") or _value(self._group, "default_input_pin_cap", "0")
        return Pin(name, output, 0.0 if output else float(load), _value(group, "function", "0"), arcs)

    def _arc(self, group: Group, related: str) -> Arc:
        kinds = [name for edge in EDGES for name in (f"cell_{edge}", f"{edge}_transition", f"{edge}_constraint")]
        tables = {table["id"]: self._table(table) for table in _groups(group, *kinds)}
        return Arc(related, _value(group, "timing_type", "combinational"), _value(group, "timing_sense"), tables)

    def _table(self, group: Group) -> Table:
        template = next((self._templates[name] for name in _names(group) if name in self._templates), None)
        variable = _value(template, "variable_1") if template else ""
        index = [_numbers(_values(group, name) or (_values(template, name) if template else [])) for name in _INDEX]
        flat = _numbers(_values(group, "values"))
        sizes = [max(len(each), 1) for each in index]
        if len(flat) != sizes[0] * sizes[1]:
            raise ValueError(f"a table {group['id']} of {len(flat)} values for {sizes[0]} by {sizes[1]}")
        values = tuple(tuple(flat[at : at + sizes[1]]) for at in range(0, len(flat), sizes[1]))
        first, second = (each or (0.0,) for each in index)
        if variable in (_LOAD, "related_pin_transition"):  # the other way round than most have it
            return Table(second, first, tuple(zip(*values, strict=True)))
        return Table(first, second, values)


def _groups(group: Group, *kinds: str) -> list[Group]:
    return [each for each in group.get("children", []) if each["id"] in kinds]


def _names(group: Group) -> list[str]:
    return [_bare(name) for name in group.get("args", [])]


def _values(group: Group, name: str) -> list[str]:
    """Of an attribute: one if it is simple, none if it is not there; the last counts."""
    found = next(reversed(_groups(group, name)), {})
    return [_bare(found["value"])] if "value" in found else _names(found)


def _value(group: Group, name: str, default: str = "") -> str:
    return next(iter(_values(group, name)), default)


def _bare(value: str) -> str:
    return value.strip('"')


def _unit(text: str, units: Mapping[str, float]) -> float:
    """`10ps`: ten of such units."""
    found = re.fullmatch(r"([\d.]+)([a-z]+)", text.lower().replace(" ", ""))
    if found is None or found[2] not in units:
        raise ValueError(f"a unit of {text}")
    return float(found[1]) * units[found[2]]


def _numbers(values: Sequence[str]) -> tuple[float, ...]:
    return tuple(
        float(number) for value in values for number in re.split(r"[\s,\\]+", value.strip(" ,\\\n\t")) if number
    )


def parse(text: str) -> Library:
    """ValueError when it is none."""
    libraries = _groups(_read(text), "library")
    if len(libraries) != 1:
        raise ValueError(f"it has {'several libraries' if libraries else 'no group library'}")
    return Library(libraries[0])


def _read(text: str) -> Group:
    """A group of all that is in it. The parser reads one group and leaves the rest: `end` tells that it came to there.
    It ends its process where there is nothing, fails where groups are too deep, and never ends in a string that does
    not: so it has a process of its own, and no such string. ValueError: no Liberty."""
    provision.require_python("liberty")
    for found in _QUOTES.finditer(text):
        if found[1]:
            raise ValueError(f"line {_line(text, found.start())}: a string without its closing quote")
    command = [sys.executable, "-m", "libparse", "/dev/stdin"]
    whole = f"file () {{ {text}\nend () {{ }} }}"
    try:
        done = children.run(command, given=whole.encode("ascii", "replace").decode(), within_s=LIMIT_S)
    except subprocess.TimeoutExpired:
        raise ValueError(f"the parser did not finish within {LIMIT_S} s") from None
    if done.returncode != 0:
        raise ValueError(_problem(done, _line(text.rstrip(), len(text))))
    file: Group = json.loads(done.stdout)
    if not _groups(file, "end"):
        raise ValueError("it has one } too many")
    return file


def _line(text: str, at: int) -> int:
    return 1 + text.count("\n", 0, at)


def _problem(done: subprocess.CompletedProcess[str], last: int) -> str:
    found = _ERROR.match(done.stderr)
    if found is None:
        last_words = done.stderr.strip().rpartition("\n")[2]
        return f"the parser fails: {last_words or f'exit code {done.returncode}'}"
    says = {"": _NOTHING, "Unexpected token: v": _NOTHING, "Unexpected end of file": "it ends too early"}
    return f"line {min(int(found[1]), last)}: {says.get(found[2], found[2])}"


def load(path: Path) -> Library:
    """UserError when there is no library of cells in the file."""
    try:
        return parse(files.read_text(path, hint=TRY))
    except ValueError as error:
        raise UserError(f"{shown_path(path)}: not a library of cells in Liberty's format: {error}", TRY) from None
