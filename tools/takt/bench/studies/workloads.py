# SPDX-License-Identifier: Apache-2.0
"""Random task sets: periods and shares of the processor, the same for the same source of chance.

- seed000: periods of one, two or three digits of milliseconds with equal chances (seed 000, 4.4.1), shares by UUniFast.
- seed000_times: the same periods, execution times uniform and independent of them. The seed does not say how it draws
  them; its figures are met best so (docs/reproduction.md).
- uunifast: shares evenly distributed over all that have one sum (Bini and Buttazzo, "Measuring the performance of
  schedulability tests", 2005), periods log-uniform in a range (Emberson, Stafford and Davis, "Techniques for the
  synthesis of multiprocessor tasksets", 2010).
- waters: a task is a runnable of an engine control system (Kramer, Ziegenbein and Hamann, "Real world automotive
  benchmarks for free", WATERS 2015). The share of its period's runnables is its chance; its time is
  log-uniform between the least and the longest of its period's. The shares sum up to 85 %: what follows the engine's
  angle has no period and is left out.
- what a file says: `read`.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from takt.declare.schema.model import System, Task
from takt.support import durations, files
from takt.support.errors import UserError
from takt.support.files import shown_path

US, MS = 1_000, 1_000_000
DIGITS_MS = (range(5, 10), range(10, 100), range(100, 1000))
SIZE_MAX = 100_000_000  # bytes of a file of sets
TASKS_MAX = 1000  # of a set in a file


@dataclass(frozen=True)
class Runnables:
    """Those of one period: `percent` of all, and between which times they execute."""

    period_ms: int
    percent: int
    least_us: float
    longest_us: float


WATERS = (
    Runnables(1, 3, 0.34, 30),
    Runnables(2, 2, 0.32, 41),
    Runnables(5, 2, 0.36, 83),
    Runnables(10, 25, 0.21, 310),
    Runnables(20, 25, 0.25, 291),
    Runnables(50, 3, 0.29, 93),
    Runnables(100, 20, 0.21, 420),
    Runnables(200, 1, 0.22, 22),
    Runnables(1000, 4, 0.37, 0.46),
)


@dataclass(frozen=True)
class Workload:
    """Tasks, shortest period first. `shares`: of the processor; their sum is 1. `deadlines_ns`: empty: the periods."""

    periods_ns: tuple[int, ...]
    shares: tuple[float, ...]
    deadlines_ns: tuple[int, ...] = ()

    def divided(self, divisor: int) -> Workload:
        """The same with all periods and deadlines divided by a factor."""
        return replace(
            self,
            periods_ns=tuple(period_ns // divisor for period_ns in self.periods_ns),
            deadlines_ns=tuple(deadline_ns // divisor for deadline_ns in self.deadlines_ns),
        )

    def system(self, utilization: float) -> System:
        """The set as a declaration. Wcets are whole ns, none 0: their sum is off by half a ns a task at most."""
        deadlines = self.deadlines_ns or self.periods_ns
        tasks = tuple(
            Task(f"t{index}", max(1, round(share * utilization * period)), period_ns=period, deadline_ns=deadline)
            for index, (period, share, deadline) in enumerate(
                zip(self.periods_ns, self.shares, deadlines, strict=True), start=1
            )
        )
        return System(Path("sweep"), "sweep", "host", "auto", tasks)


def shares(chance: random.Random, count: int, whole: float) -> Iterator[float]:
    """Random utilizations that sum up to `whole`, evenly distributed over all that do (UUniFast)."""
    for left in range(count - 1, 0, -1):
        rest = whole * chance.random() ** (1 / left)
        yield whole - rest
        whole = rest
    yield whole


def log_uniform(chance: random.Random, least: float, most: float) -> float:
    """A number whose logarithm is evenly distributed."""
    return math.exp(chance.uniform(math.log(least), math.log(most)))


def _periods000(chance: random.Random, count: int, divisor: int = 1) -> tuple[int, ...]:
    return tuple(sorted(chance.choice(chance.choice(DIGITS_MS)) * MS // divisor for _ in range(count)))


def seed000(chance: random.Random, count: int, divisor: int = 1) -> Workload:
    periods = _periods000(chance, count, divisor)
    return Workload(periods, tuple(shares(chance, count, 1.0)))


def seed000_times(chance: random.Random, count: int) -> Workload:
    periods = _periods000(chance, count)
    loads = [(1 - chance.random()) / period for period in periods]  # none 0
    whole = math.fsum(loads)
    return Workload(periods, tuple(load / whole for load in loads))


def uunifast(chance: random.Random, count: int, periods_ns: tuple[int, int]) -> Workload:
    """`periods_ns`: the shortest and the longest."""
    low, high = periods_ns
    drawn = (round(log_uniform(chance, low, high)) for _ in range(count))
    periods = sorted(min(max(period, low), high) for period in drawn)
    return Workload(tuple(periods), tuple(shares(chance, count, 1.0)))


def waters(chance: random.Random, count: int) -> Workload:
    kinds = chance.choices(WATERS, [kind.percent for kind in WATERS], k=count)
    kinds.sort(key=lambda kind: kind.period_ms)
    loads = [log_uniform(chance, kind.least_us, kind.longest_us) / (kind.period_ms * 1000) for kind in kinds]
    whole = math.fsum(loads)
    return Workload(tuple(kind.period_ms * MS for kind in kinds), tuple(load / whole for load in loads))


@dataclass(frozen=True)
class Row:
    """A task in a file."""

    wcet_ns: int
    period_ns: int
    deadline_ns: int


def of_rows(rows: Sequence[Row]) -> tuple[Workload, float]:
    """The set, and its utilization."""
    ordered = sorted(rows, key=lambda row: row.period_ns)
    whole = sum((Fraction(row.wcet_ns, row.period_ns) for row in ordered), Fraction(0))
    parts = tuple(float(Fraction(row.wcet_ns, row.period_ns) / whole) for row in ordered)
    periods, deadlines = (row.period_ns for row in ordered), (row.deadline_ns for row in ordered)
    return Workload(tuple(periods), parts, tuple(deadlines)), float(whole)


def read(path: Path) -> dict[str, list[Row]]:
    """The sets of a file by name: CSV with the columns C, T and D (durations; D empty: T), and `set` if there are more
    than one. UserError: what is wrong with it, and in which line."""
    name = shown_path(path)
    hint = "a CSV file of C,T,D"
    try:
        lines = files.read(path, SIZE_MAX, hint).decode("utf-8-sig").splitlines()  # spreadsheets write a mark
    except UnicodeDecodeError:
        raise UserError(f"{name}: cannot be read: not UTF-8", hint) from None
    table = csv.DictReader(lines, skipinitialspace=True)
    columns = list(table.fieldnames or [])
    if not {"C", "T"} <= set(columns) <= {"set", "C", "T", "D"} or len(columns) != len(set(columns)):
        problem = f"{name}:1: the columns are {','.join(columns) or 'missing'}"
        raise UserError(problem, "the first line must be C,T,D or set,C,T,D")
    found: dict[str, list[Row]] = {}
    for cells in _rows(table, name):
        where = f"{name}:{table.line_num}"
        if None in cells or None in cells.values():
            raise UserError(f"{where}: {len(columns)} cells are needed", f"one each for {','.join(columns)}")
        rows = found.setdefault(cells.get("set", "1"), [])
        rows.append(_row(cells, where))
        if len(rows) > TASKS_MAX:
            raise UserError(f"{where}: more than {TASKS_MAX} tasks in a set", "a column `set` with a number of the set")
    if not found:
        raise UserError(f"{name}: no task", "a line for each task below C,T,D")
    return found


def _rows(table: csv.DictReader[str], name: str) -> Iterator[dict[str, str]]:
    try:
        yield from table
    except csv.Error as error:
        raise UserError(f"{name}:{table.line_num + 1}: not CSV: {error}", "a CSV file of C,T,D") from None


def _row(cells: dict[str, str], where: str) -> Row:
    times: dict[str, int] = {}
    for column in ("C", "T", "D"):
        text = cells.get(column, "")
        try:
            times[column] = times["T"] if column == "D" and not text.strip() else durations.parse(text)
        except UserError as error:
            raise UserError(f"{where}: {column} = {text}: {error.problem}", error.hint) from None
    if not 0 < times["C"] <= times["D"] <= times["T"]:
        raise UserError(
            f"{where}: C = {cells['C']}, D = {cells.get('D') or cells['T']}, T = {cells['T']}", "0 < C <= D <= T"
        )
    return Row(times["C"], times["T"], times["D"])
