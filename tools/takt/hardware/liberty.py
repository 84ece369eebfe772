# SPDX-License-Identifier: Apache-2.0
"""Reads of a Liberty file (.lib) what area and timing need: areas, loads, functions, and tables of delays.

Tables are those of the nonlinear delay model: by a transition and by a load, or by two transitions. Units are those of
the library, whose unit of time is told in picoseconds. The text is read by the package liberty-parser.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt import provision
from takt.errors import UserError

if TYPE_CHECKING:
    from liberty.parser import ExceptionWithLineNum
    from liberty.types import Group

TRY = "bring a library of standard cells, as text (.lib, neither packed nor .db)"
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
        from lark.exceptions import LarkError
        from liberty.boolean_functions import parse_boolean_function
        from sympy import Symbol
        from sympy.logic.boolalg import truth_table

        inputs = sorted(pin.name for pin in self.pins.values() if not pin.output)
        (output,) = (pin for pin in self.pins.values() if pin.output)
        try:
            logic = parse_boolean_function(output.function)
        except LarkError:
            raise ValueError(f"cell {self.name}: a function that is none: {output.function}") from None
        unknown = sorted({symbol.name for symbol in logic.free_symbols} - set(inputs))
        if unknown:
            raise ValueError(f"cell {self.name}: a function with {unknown[0]}, which is no input")
        return tuple(bool(value) for _, value in truth_table(logic, [Symbol(name) for name in inputs]))


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
            raise ValueError(f"no cell of the library stands for {name}")
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
        tables = {table.group_name: self._table(table) for table in _groups(group, *kinds)}
        return Arc(related, _value(group, "timing_type", "combinational"), _value(group, "timing_sense"), tables)

    def _table(self, group: Group) -> Table:
        template = next((self._templates[name] for name in _names(group) if name in self._templates), None)
        variable = _value(template, "variable_1") if template else ""
        index = [_numbers(_values(group, name) or (_values(template, name) if template else [])) for name in _INDEX]
        flat = _numbers(_values(group, "values"))
        sizes = [max(len(each), 1) for each in index]
        if len(flat) != sizes[0] * sizes[1]:
            raise ValueError(f"a table {group.group_name} of {len(flat)} values for {sizes[0]} by {sizes[1]}")
        values = tuple(tuple(flat[at : at + sizes[1]]) for at in range(0, len(flat), sizes[1]))
        first, second = (each or (0.0,) for each in index)
        if variable in (_LOAD, "related_pin_transition"):  # the other way round than most have it
            return Table(second, first, tuple(zip(*values, strict=True)))
        return Table(first, second, values)


def _groups(group: Group, *kinds: str) -> list[Group]:
    return [each for each in group.groups if each.group_name in kinds]


def _names(group: Group) -> list[str]:
    return [_bare(name) for name in group.args]


def _values(group: Group, name: str) -> list[str]:
    """Of an attribute: one if it is simple, none if it is not there; the last counts."""
    found: Any = next(reversed(group.get_attributes(name)), [])
    return [_bare(value) for value in (found if isinstance(found, list) else [found])]


def _value(group: Group, name: str, default: str = "") -> str:
    return next(iter(_values(group, name)), default)


def _bare(value: object) -> str:
    return str(value).strip('"')


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


class _Characters(Iterator[str]):
    """EOFError when the end was told often enough: for the end of an expression the package would ask for ever."""

    def __init__(self, text: str) -> None:
        self._left = iter(text)
        self._ends = 0

    def __next__(self) -> str:
        for character in self._left:
            return character
        self._ends += 1
        raise EOFError if self._ends > 100 else StopIteration


def parse(text: str) -> Library:
    """ValueError when it is none."""
    provision.require_python("setuptools")
    provision.require_python("liberty")
    from liberty.parser import ExceptionWithLineNum, read_liberty_chars

    try:
        groups = [group for group in read_liberty_chars(_Characters(text)) if group.group_name == "library"]
    except ExceptionWithLineNum as error:
        raise ValueError(_problem(error)) from None
    if len(groups) != 1:
        raise ValueError(f"there {'are several libraries' if groups else 'is no group library'} in it")
    return Library(groups[0])


def _problem(error: ExceptionWithLineNum) -> str:
    from liberty.parser import UnexpectedEndOfFile, UnexpectedToken

    line = max(error.line_num + (error.char_num > 0), 1)  # it has read to where a token ends, or the line
    match error.e:
        case UnexpectedToken(expected=expected, actual=actual) if actual:
            return f"line {line}: {''.join(expected)} should be here, not {''.join(actual)[:20]!r}"
        case UnexpectedToken() | UnexpectedEndOfFile() | EOFError():
            return f"line {line}: it ends too soon"
    return f"line {line}: neither a group nor an attribute of one"


def load(path: Path) -> Library:
    """UserError when there is no library of cells in the file."""
    try:
        return parse(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{path}: no library of cells in Liberty's form: {reason}", TRY) from None
