# SPDX-License-Identifier: Apache-2.0
"""A task set as comma-separated values: a header, then a row for each task. Read as spreadsheets and scripts write it
(a byte order mark, semicolons with decimal commas, tabs, Latin-1, UTF-16), and written."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from takt.declare.exchange import numbers
from takt.declare.exchange.model import Found, Job, Left, Source, quoted
from takt.declare.schema.model import Band, System, Task
from takt.declare.service_kinds.mutex import Mutex
from takt.declare.services import objects

_ALIASES = {
    "name": "name task task_name taskname",
    "period": "period t cycle cycle_time period_time recurrence",
    "min_interarrival": "min_interarrival mit interarrival minimum_interarrival min_inter_arrival inter_arrival",
    "deadline": "deadline d relative_deadline",
    "wcet": "wcet c execution execution_time capacity cost computation computation_time worst_case_execution_time",
    "priority": "priority prio p pri",
    "jitter": "jitter j release_jitter max_jitter",
    "offset": "offset o phase start start_time",
    "suspension": "suspension self_suspension suspension_time",
    "waits": "waits",
    "burst": "burst",
    "burst_distance": "burst_distance",
    "policy": "policy scheduling",
    "processor": "processor core cpu ecu",
}
_COLUMNS = {alias: name for name, aliases in _ALIASES.items() for alias in aliases.split()}
_TIMES = ("period", "min_interarrival", "deadline", "wcet", "jitter", "offset", "suspension", "burst_distance")
# Columns that say nothing on which a bound depends.
_HARMLESS = frozenset(
    "bcet best_case_execution_time acet average_execution_time utilization utilisation u load response response_time"
    " wcrt r slack laxity comment comments description note notes remark remarks".split()
)
_DELIMITERS = ",;\t|"
_HEADER = re.compile(r"(.*?)\s*(?:[\[(]\s*([^\])]*?)\s*[\])])?")
_VALUE = re.compile(r"([-+0-9.eE]*[0-9.])\s*([^\W\d_]*)")
_EDF = ("edf", "deadline")
_FIXED = ("fixed", "fp", "rm", "dm", "priority", "")


@dataclass(frozen=True)
class _Column:
    """A known column: what it is, the unit that its header names, where it is."""

    name: str
    label: str
    unit: str | None
    index: int


def read(source: Source, data: bytes) -> Found:
    """The tasks of a file. UserError: it is none, with its line."""
    found = Found("CSV")
    text = _text(source, found, data)
    rows = _rows(source, text)
    try:
        line, header, delimiter = next(rows)
    except StopIteration:
        source.fail(0, "the file is empty", "a header such as: name,period [ms],deadline [ms],wcet [ms],priority")
    columns = _columns(source, found, line, header)
    cells = [
        (line, {name: row[column.index].strip() for name, column in columns.items()})
        for line, row, _ in _same_width(source, rows, len(header))
    ]
    source.limit(len(cells), cells[-1][0] if cells else 0)
    if "processor" in columns and cells:
        names = [row["processor"] for _, row in cells]
        chosen = source.chosen(names, cells[0][0])
        for line, row in cells:
            if row["processor"] != chosen:
                found.leave(line, f"task {quoted(row['name'])}: on processor {quoted(row['processor'])}", False)
        cells = [(line, row) for line, row in cells if row["processor"] == chosen]
    for line, row in cells:
        found.jobs.append(_job(_Row(source, line, row, columns, delimiter in ";\t")))
    if "priority" in columns:
        found.note("the task with the greatest number in the column priority is the most urgent")
    return found


def _text(source: Source, found: Found, data: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError as error:
                source.fail(0, f"not {encoding.removesuffix('-sig').upper()} (byte {error.start})", "save it as UTF-8")
            break
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
            found.note("it is not UTF-8 and was read as Latin-1")
    if "\0" in text:
        source.fail(text.count("\n", 0, text.index("\0")) + 1, "a NUL: it is no text file", "save it as CSV")
    return text


def _rows(source: Source, text: str) -> Iterator[tuple[int, list[str], str]]:
    """Line, cells and delimiter of each row that is not blank and no comment."""
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    delimiter = max(_DELIMITERS, key=lambda one: sum(_named(cell)[0] in _COLUMNS for cell in first.split(one)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            source.fail(line, f"not CSV: {error}", "a text in quotes ends with a quote")
        if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#"):
            yield line, row, delimiter
        line = reader.line_num + 1


def _same_width(
    source: Source, rows: Iterator[tuple[int, list[str], str]], width: int
) -> Iterator[tuple[int, list[str], str]]:
    for line, row, delimiter in rows:
        if len(row) != width:
            source.fail(line, f"{len(row)} cells, but the header has {width}", "a cell for each column, empty or not")
        yield line, row, delimiter


def _named(cell: str) -> tuple[str, str | None]:
    """A column's name as the table has it, and the unit in its header."""
    match = _HEADER.fullmatch(cell.strip().strip('"').lower())
    name, unit = (match[1], match[2]) if match else (cell, None)
    name = re.sub(r"[\s.\-]+", "_", name.strip())
    stem, _, last = name.rpartition("_")
    if unit is None and stem in _COLUMNS and numbers.unit_ns(last):
        return stem, last
    return name, unit


def _columns(source: Source, found: Found, line: int, header: list[str]) -> dict[str, _Column]:
    columns: dict[str, _Column] = {}
    for index, cell in enumerate(header):
        name, unit = _named(cell)
        known = _COLUMNS.get(name)
        if known is None:
            if cell.strip():
                found.leave(line, f"column {quoted(cell.strip())}", name not in _HARMLESS)
            continue
        if known in columns:
            problem = f"columns {quoted(columns[known].label)} and {quoted(cell.strip())} are both {known}"
            source.fail(line, problem, "one of them")
        if unit and known in _TIMES and numbers.unit_ns(unit) is None:
            source.fail(line, f"column {quoted(cell.strip())}: unknown unit {quoted(unit)}", "ns, us, ms or s")
        columns[known] = _Column(known, cell.strip(), unit if known in _TIMES else None, index)
    for wanted in ("name", "wcet"):
        if wanted not in columns:
            hint = "a header such as: name,period [ms],deadline [ms],wcet [ms],priority"
            source.fail(line, f"no column is the {wanted}", hint)
    return columns


@dataclass(frozen=True)
class _Row:
    source: Source
    line: int
    cells: dict[str, str]
    columns: dict[str, _Column]
    decimal_comma: bool

    def text(self, name: str) -> str:
        return self.cells.get(name, "")

    def time_ns(self, name: str) -> Fraction | None:
        """The cell as a time; None: it is empty, or there is no such column."""
        cell = self.text(name)
        if not cell:
            return None
        if self.decimal_comma:
            cell = cell.replace(",", ".")
        match = _VALUE.fullmatch(cell)
        digits, unit = (match[1], match[2]) if match else (cell, "")
        value = numbers.number(self.source, self.line, name, digits)
        if value == 0:
            return value
        wanted = unit or self.columns[name].unit or self.source.unit
        if wanted is None:
            hint = f"--unit ms, or {name} [ms] in the header (ns, us, ms, s, min)"
            self.source.fail(self.line, f"{name} = {quoted(cell)}: the unit is missing", hint)
        scale = numbers.unit_ns(wanted)
        if scale is None:
            self.source.fail(self.line, f"{name} = {quoted(cell)}: unknown unit {quoted(wanted)}", "ns, us, ms or s")
        return value * scale

    def longest(self, name: str, positive: bool = False) -> int:
        value = self.time_ns(name)
        return 0 if value is None else numbers.longest(self.source, self.line, name, value, positive)

    def shortest(self, name: str) -> int | None:
        value = self.time_ns(name)
        return None if value is None else numbers.shortest(self.source, self.line, name, value, positive=True)

    def whole(self, name: str, low: int, high: int) -> int:
        cell = self.text(name)
        return numbers.whole(self.source, self.line, name, cell, low, high) if cell else low


def _job(row: _Row) -> Job:
    name, line, source = row.text("name"), row.line, row.source
    if not name:
        source.fail(line, "the name is empty", "a name for each task")
    period, apart = row.shortest("period"), row.shortest("min_interarrival")
    if period is not None and apart is not None:
        source.fail(line, f"task {quoted(name)} has a period and a min_interarrival", "one of them")
    background = period is None and apart is None
    if background:
        given = next((one for one in ("deadline", "jitter", "offset", "suspension") if row.text(one)), None)
        if given:
            source.fail(line, f"task {quoted(name)}: {given}, but no period", "a period, or none of them")
    elif not row.text("wcet"):
        source.fail(line, f"task {quoted(name)}: the wcet is empty", "its longest execution time")
    policy = row.text("policy").lower()
    if policy not in _EDF + _FIXED:
        source.fail(line, f"policy = {quoted(row.text('policy'))}: expected fixed or edf", "fixed")
    if apart is not None and row.text("offset"):
        source.fail(line, f"task {quoted(name)}: an offset, but it is sporadic", "a period, or no offset")
    suspension = row.longest("suspension")
    priority = row.text("priority")
    return Job(
        name=name,
        line=line,
        wcet_ns=row.longest("wcet", positive=not background),
        period_ns=period,
        min_interarrival_ns=apart,
        deadline_ns=row.shortest("deadline") or period or apart,
        jitter_ns=row.longest("jitter"),
        offset_ns=row.longest("offset"),
        suspension_ns=suspension,
        waits=row.whole("waits", 1, 255) if suspension else 0,
        burst=row.whole("burst", 1, 1 << 20),
        burst_distance_ns=row.longest("burst_distance"),
        priority=numbers.number(source, line, "priority", priority) if priority else None,
        by_deadline=policy in _EDF,
    )


_WRITTEN = ("name", "period", "min_interarrival", "deadline", "wcet", "priority", "policy", "jitter", "offset")
_RARE = ("suspension", "waits", "burst", "burst_distance")


def write(system: System, bands: tuple[Band, ...]) -> tuple[str, list[Left]]:
    """The file, times in microseconds, and what of the system it does not say."""
    ranks = {name: rank for rank, (name, _) in _ranks(bands)}
    policies = {name: kind for _, (name, kind) in _ranks(bands)}
    rows = [_cells(task, ranks, policies) for task in system.tasks if system.server_of(task.name) is None]
    used = [name for name in (*_WRITTEN, *_RARE) if name in _WRITTEN or any(row.get(name) for row in rows)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(f"{name} [us]" if name in _TIMES else name for name in used)
    for row in rows:
        writer.writerow(row.get(name, "") for name in used)
    return out.getvalue(), list(_not_said(system, bands))


def _ranks(bands: tuple[Band, ...]) -> Iterator[tuple[int, tuple[str, str]]]:
    groups = [(band.kind, group) for band in bands for group in band.groups]
    for number, (kind, group) in enumerate(groups):
        yield from ((len(groups) - number, (name, kind)) for name in group)


def _cells(task: Task, ranks: dict[str, int], policies: dict[str, str]) -> dict[str, str]:
    ruled = task.separation_ns is not None
    return {
        "name": task.name,
        "period": _us(task.period_ns),
        "min_interarrival": _us(task.min_interarrival_ns),
        "deadline": _us(task.deadline_ns),
        "wcet": _us(task.wcet_ns or None),
        "priority": str(ranks[task.name]) if ruled and task.name in ranks else "",
        "policy": policies.get(task.name, "") if ruled else "",
        "jitter": _us(task.jitter_ns or None),
        "offset": _us(task.offset_ns or None),
        "suspension": _us(task.suspension_ns or None),
        "waits": str(task.waits) if task.waits else "",
        "burst": str(task.burst) if task.burst > 1 else "",
        "burst_distance": _us(task.burst_distance_ns or None),
    }


def _us(value_ns: int | None) -> str:
    if value_ns is None:
        return ""
    text = f"{value_ns // 1000}.{value_ns % 1000:03d}"
    return text.rstrip("0").rstrip(".")


def _not_said(system: System, bands: tuple[Band, ...]) -> Iterator[Left]:
    lines = system.metadata

    def left(name: str, what: str, optimistic: bool = True) -> Left:
        return Left(int(lines.get(f"line {name}") or 0), what, optimistic)

    for service, _, item in objects(system):
        yield left(item.name, f'[[{service.kind}]] "{item.name}"', isinstance(item, Mutex) or service.kind != "events")
    for server in system.servers:
        yield left(server.name, f'[[server]] "{server.name}" and the tasks that it serves')
    for interrupt in system.interrupts:
        yield left(interrupt.name, f'[[interrupt]] "{interrupt.name}"')
    yield from of_tasks(system, bands)


def of_tasks(system: System, bands: tuple[Band, ...]) -> Iterator[Left]:
    """What no other format says of tasks."""
    for task in system.tasks:
        line = int(system.metadata.get(f"line {task.name}") or 0)
        if task.miss_wcet_ns:
            yield Left(line, f'[[task]] "{task.name}": miss_wcet', True)
        if task.on_budget != "none":
            yield Left(line, f'[[task]] "{task.name}": on_budget = "{task.on_budget}"', True)
        if task.on_miss not in ("continue", "notify"):
            yield Left(line, f'[[task]] "{task.name}": on_miss = "{task.on_miss}"', False)
    if system.offsets:
        yield Left(0, "[system] offsets: other tools do not use them for a bound", False)
    if any(band.quantum_ns for band in bands):
        yield Left(0, "time slices among equals: they are FIFO there", False)
    if system.runtime_tasks:
        yield Left(0, "[system] runtime_tasks", True)
    if system.protection:
        yield Left(0, "[system] protection: processes, their interrupts and faults", True)
