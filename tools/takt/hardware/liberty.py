# SPDX-License-Identifier: Apache-2.0
"""Reads of a Liberty file (.lib) what area and timing need: areas, loads, functions, and tables of delays.

Tables are those of the nonlinear delay model: by a transition and by a load, or by two transitions. Units are those of
the library, whose unit of time is told in picoseconds.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from takt.errors import UserError

_TOKEN = re.compile(r'(?:\s|\\\n|/\*.*?\*/|//[^\n]*)*(?:("(?:[^"\\]|\\.)*")|([(){}:;,])|([^\s(){}:;,"\\]+)|$)', re.S)
_LOGIC = re.compile(r"\s*([A-Za-z_]\w*|\S)")
_PICOSECONDS = {"fs": 0.001, "ps": 1.0, "ns": 1000.0, "us": 1e6}
_FEMTOFARADS = {"ff": 1.0, "pf": 1000.0, "nf": 1e6}
_LOAD = "total_output_net_capacitance"
EDGES = ("rise", "fall")


@dataclass
class Group:
    """`kind (names) { ... }`. A simple attribute has one value, a complex one several."""

    kind: str
    names: list[str]
    attributes: dict[str, list[str]] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def value(self, name: str, default: str = "") -> str:
        return self.attributes.get(name, [default])[0]

    def each(self, *kinds: str) -> Iterator[Group]:
        return (group for group in self.groups if group.kind in kinds)


class _Reader:
    """Token by token. ValueError with a line where the text is no Liberty."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._new_line = False  # in front of the token
        self.token = self._next()

    def _next(self) -> str:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise self.error("a string or a comment does not end")
        self._new_line = "\n" in self._text[self._at : found.start(found.lastindex or 0)]
        self._at = found.end()
        return found[1] or found[2] or found[3] or ""

    def take(self, wanted: str = "") -> str:
        token = self.token
        if not token or (wanted and token != wanted):
            raise self.error(f"{wanted or 'more'} should be here, not {token or 'the end'}")
        self.token = self._next()
        return token

    def error(self, problem: str) -> ValueError:
        return ValueError(f"line {1 + self._text.count(chr(10), 0, self._at)}: {problem}")

    def statement(self, into: Group) -> None:
        """An attribute or a group, with the ; behind it, if there is one."""
        name = self.take()
        if self.token == ":":
            into.attributes[name] = [self._simple(name)]
        else:
            names = self._names()
            if self.token == "{":
                into.groups.append(self._body(Group(name, names)))
            else:
                into.attributes[name] = names
        if self.token == ";":
            self.take()

    def _simple(self, name: str) -> str:
        """To the ; or, as some have it, to the end of the line."""
        self.take(":")
        words = [_bare(self.take())]
        while self.token not in (";", "}") and not self._new_line:
            if self.token in (":", "{"):
                raise self.error(f"a ; is missing behind {name}")
            words.append(_bare(self.take()))
        return " ".join(words)

    def _names(self) -> list[str]:
        self.take("(")
        names = []
        while self.token != ")":
            names.append(_bare(self.take()))
            if self.token == ",":
                self.take()
        self.take(")")
        return names

    def _body(self, group: Group) -> Group:
        self.take("{")
        while self.token != "}":
            self.statement(group)
        self.take("}")
        return group


def _bare(token: str) -> str:
    return token[1:-1] if token.startswith('"') else token


def parse(text: str) -> Group:
    """The group `library`. ValueError when it is none."""
    reader = _Reader(text)
    file = Group("file", [])
    while reader.token:
        reader.statement(file)
    libraries = list(file.each("library"))
    if len(libraries) != 1:
        raise ValueError("there is no group library in it" if not libraries else "there are several libraries in it")
    return libraries[0]


@dataclass(frozen=True)
class Table:
    """`values[i][j]` at `first[i]`, `second[j]`; what has one index, or none, has one value of the others."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    def at(self, first: float, second: float) -> float:
        """Linear between the table's points and beyond the last of them; before the first it is the first."""
        row, by_row = _place(self.first, first)
        column, by_column = _place(self.second, second)
        found = [_between(self.values[i], column, by_column) for i in (row, min(row + 1, len(self.values) - 1))]
        return found[0] + (found[1] - found[0]) * by_row


def _place(index: Sequence[float], value: float) -> tuple[int, float]:
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
        self.name = group.names[0] if group.names else "?"
        self._group = group
        self._cells = {cell.names[0]: cell for cell in group.each("cell") if cell.names}
        self._read: dict[str, Cell] = {}
        self._templates = {each.names[0]: each for each in group.each("lu_table_template") if each.names}
        self.picoseconds = _unit(group.value("time_unit", "1ns"), _PICOSECONDS)
        self.femtofarads = _unit("".join(group.attributes.get("capacitive_load_unit", ["1", "pf"])), _FEMTOFARADS)

    def __contains__(self, name: str) -> bool:
        return name in self._cells

    def cell(self, name: str) -> Cell:
        """ValueError: there is none, or nothing to be made of it."""
        if name not in self._cells:
            raise ValueError(f"no cell of the library stands for {name}")
        if name not in self._read:
            try:
                self._read[name] = self._cell(self._cells[name])
            except ValueError as error:
                raise ValueError(f"cell {name}: {error}") from None
        return self._read[name]

    def flip_flops(self) -> list[str]:
        return [name for name, cell in self._cells.items() if any(cell.each("ff"))]

    def smallest(self, truth: tuple[bool, ...]) -> Cell | None:
        """The gate with one output that does this."""
        directions = ["input"] * (len(truth).bit_length() - 1) + ["output"]
        found = []
        for name, group in self._cells.items():
            pins = sorted(pin.value("direction") for pin in group.each("pin") for _ in pin.names)
            if pins == directions and not any(group.each("ff", "latch", "statetable")):
                cell = self.cell(name)
                if cell.area > 0 and cell.truth() == truth:
                    found.append(cell)
        return min(found, key=lambda cell: cell.area, default=None)

    def _cell(self, group: Group) -> Cell:
        pins = [self._pin(pin, name) for pin in group.each("pin") for name in pin.names]
        return Cell(
            group.names[0],
            float(group.value("area", "0")),
            any(group.each("ff")),
            {pin.name: pin for pin in pins},
        )

    def _pin(self, group: Group, name: str) -> Pin:
        arcs = tuple(
            self._arc(timing, related)
            for timing in group.each("timing")
            for related in timing.value("related_pin").split()
        )
        output = group.value("direction") == "output"
        load = group.value("capacitance") or self._group.value("default_input_pin_cap", "0")
        return Pin(name, output, 0.0 if output else float(load), group.value("function", "0"), arcs)

    def _arc(self, group: Group, related: str) -> Arc:
        kinds = [name for edge in EDGES for name in (f"cell_{edge}", f"{edge}_transition", f"{edge}_constraint")]
        tables = {table.kind: self._table(table) for table in group.each(*kinds)}
        return Arc(related, group.value("timing_type", "combinational"), group.value("timing_sense"), tables)

    def _table(self, group: Group) -> Table:
        template = self._templates.get(group.names[0] if group.names else "", Group("", []))
        variables = [template.value(f"variable_{n}") for n in (1, 2)]
        index = [
            _numbers(group.attributes.get(f"index_{n}", template.attributes.get(f"index_{n}", []))) for n in (1, 2)
        ]
        rows = [_numbers([row]) for row in group.attributes.get("values", [])]
        sizes = [max(len(each), 1) for each in index]
        flat = [number for row in rows for number in row]
        if len(flat) != sizes[0] * sizes[1]:
            raise ValueError(f"a table {group.kind} of {len(flat)} values for {sizes[0]} by {sizes[1]}")
        values = tuple(tuple(flat[at : at + sizes[1]]) for at in range(0, len(flat), sizes[1]))
        first, second = (each or (0.0,) for each in index)
        if variables[0] in (_LOAD, "related_pin_transition"):  # the other way round than most have it
            return Table(second, first, tuple(zip(*values, strict=True)))
        return Table(first, second, values)


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


def load(path: Path) -> Library:
    """UserError when there is no library of cells in the file."""
    try:
        return Library(parse(path.read_text(encoding="utf-8", errors="replace")))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{path}: no library of cells in Liberty's form: {reason}") from None
