# SPDX-License-Identifier: Apache-2.0
"""The study file of `takt sweep`: which task sets are judged under what (docs/sweep.md).

The study is a list of points, the same in every run: all combinations of tasks, divisor, overheads and utilization.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from takt.bench.studies import workloads
from takt.declare.schema import boards, reader
from takt.declare.schema.kinds import BOOLEAN, DURATION, FILE, Key, Kind, Table, choice, integer, list_of, toml_type
from takt.declare.tables import PRESETS
from takt.prove import overheads, schedulers
from takt.support import durations
from takt.support.c.kernel import HINT_SET_MAX
from takt.support.errors import UserError, did_you_mean
from takt.support.files import read_text
from takt.sweep import sections
from takt.sweep.sections import Sections

GENERATORS = ("seed000", "uunifast", "waters", "file")
SCHEDULERS = ("rm", "dm", "edf", "csd2", "csd3", "csd", "cooperative", "auto")
MUTEXES_MAX = 100
TASKS_MAX, SETS_MAX, DIVISOR_MAX, ROWS_MAX = 200, 1_000_000, 1000, 10_000_000
PERIOD_LEAST_NS, PERIOD_MOST_NS = 1_000_000, 1_000_000_000


def _utilization(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise UserError(f"expected a number, found {toml_type(value)}", "0.8")
    if not 0 < value <= 1:
        raise UserError("it must be above 0 and at most 1, the utilization of one processor", "0.8")
    return float(value)


def _scheduler(value: Any) -> str:
    if not isinstance(value, str) or not schedulers.known(value) or value == "bands":
        raise UserError(
            f"{reader.show_value(value)} is not a scheduler of a study",
            did_you_mean(value if isinstance(value, str) else "", SCHEDULERS),
        )
    return value


def _share(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 1:
        raise UserError("expected a number above 0, at most 1", "0.5")
    return float(value)


SHARE = Kind("number above 0, at most 1", _share)
UTILIZATION = Kind("number above 0, at most 1", _utilization)
SCHEDULER = Kind("scheduler", _scheduler)

STUDY = Table(
    "",
    "A study.",
    (
        Key("generator", choice(*GENERATORS), "Where the task sets come from.", required=True),
        Key("schedulers", list_of(SCHEDULER), "Under which each set is judged, as in system.toml.", required=True),
        Key("n", list_of(integer(1, TASKS_MAX)), "Tasks in a set. Not of a file."),
        Key("sets", integer(1, SETS_MAX), "Task sets at each point. Not of a file."),
        Key("utilizations", list_of(UTILIZATION), "Sums of wcet / period at which sets are judged."),
        Key("breakdown", BOOLEAN, "Instead: up to which utilization each set is proved.", default=False),
        Key("divisors", list_of(integer(1, DIVISOR_MAX)), "By which all periods are divided.", default=(1,)),
        Key("overheads", list_of(choice("none", *boards.names())), "Boards whose kernel's time counts, or none.",
            default=("none",)),
        Key("preset", choice(*PRESETS), "Of the kernel that was measured.", default="lean"),
        Key("period_min", DURATION, "uunifast: the shortest period.", default_text="1 ms"),
        Key("period_max", DURATION, "uunifast: the longest period.", default_text="1 s"),
        Key("file", FILE, "file: CSV of C,T,D, relative to the study."),
        Key("mutexes", integer(1, MUTEXES_MAX), "Of a set; its jobs lock `locks` of them one after the other."),
        Key("locks", integer(1, HINT_SET_MAX), "Of each job.", default=1),
        Key("held", SHARE, "The part of each job in its sections.", default=0.2),
        Key("needed", SHARE, "The part of a section that an early release leaves.", default=0.5),
        Key("ways", list_of(choice(*sections.WAYS)), "How the locks are charged.", default=sections.WAYS),
        Key("seed", integer(0, 2**62), "Another number: other sets.", default=1),
    ),
    many=False,
)  # fmt: skip


@dataclass(frozen=True)
class Point:
    """What a number of sets have in common. `tasks`: None: those of the file. `utilization`: None: breakdown, or as
    the file says. `overheads`: a board or none."""

    tasks: int | None
    divisor: int
    overheads: str
    utilization: float | None


@dataclass(frozen=True)
class Study:
    """A study file. `rows`: of its CSV file, by set."""

    generator: str
    schedulers: tuple[str, ...]
    tasks: tuple[int, ...]
    sets: int
    utilizations: tuple[float, ...]
    breakdown: bool
    divisors: tuple[int, ...]
    overheads: tuple[str, ...]
    preset: str
    periods_ns: tuple[int, int]
    seed: int
    rows: tuple[tuple[workloads.Row, ...], ...] = ()
    sections: Sections | None = None

    @property
    def cases(self) -> list[tuple[str, str | None]]:
        """Each scheduler, and way to lock, that a set is judged under."""
        return list(product(self.schedulers, self.sections.ways if self.sections else (None,)))

    @property
    def points(self) -> list[Point]:
        tasks: tuple[int | None, ...] = self.tasks or (None,)
        return [
            Point(count, divisor, board, utilization)
            for board, count, divisor, utilization in product(
                self.overheads, tasks, self.divisors, self.utilizations or (None,)
            )
        ]

    @property
    def size(self) -> int:
        """Rows in all."""
        return len(self.points) * self.sets * len(self.cases)

    def facts(self) -> dict[str, Any]:
        """What results depend on besides the program, for comparison: by key of the file."""
        facts = asdict(self)
        facts["n"], facts["file"] = facts.pop("tasks"), _digest(facts.pop("rows"))
        facts["period_min"], facts["period_max"] = facts.pop("periods_ns")
        measured = [boards.folder_of(name) / "overheads.toml" for name in self.overheads if name != "none"]
        facts["measured overheads"] = _digest([read_text(path) for path in measured])
        document: dict[str, Any] = json.loads(json.dumps(facts))
        return document

    def set_seed(self, point: Point, number: int) -> int:
        """Of the set with that number. Points with as many tasks and the same utilization have the same sets, so that
        divisors, overheads and schedulers are compared on them."""
        words = f"{self.seed} {self.generator} {point.tasks} {point.utilization} {number}"
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:7], "big")


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def digest(facts: dict[str, Any]) -> str:
    """The hash that a results folder keeps."""
    return _digest([[name, facts[name]] for name in sorted(facts)])


def load(path: Path) -> Study:
    """UserError: malformed, contradictory, or nothing was measured for it."""
    document = reader.load(path)
    values = reader.read_table(document, STUDY, document.data, ())
    _refuse_mixed(document, values)
    rows: tuple[tuple[workloads.Row, ...], ...] = ()
    if values["generator"] == "file":
        rows = tuple(map(tuple, workloads.read(path.parent / values["file"]).values()))
    periods = (values["period_min"], values["period_max"])
    least, most = (given if given is not None else usual for given, usual in zip(periods, _USUAL, strict=True))
    study = Study(
        generator=values["generator"],
        schedulers=values["schedulers"],
        tasks=values["n"] or (),
        sets=len(rows) or values["sets"],
        utilizations=values["utilizations"] or (),
        breakdown=values["breakdown"],
        divisors=values["divisors"],
        overheads=values["overheads"],
        preset=values["preset"],
        periods_ns=(least, most),
        seed=values["seed"],
        rows=rows,
        sections=_sections(values),
    )
    _refuse_impossible(document, study)
    return study


def _sections(values: dict[str, Any]) -> Sections | None:
    if values["mutexes"] is None:
        return None
    return Sections(values["mutexes"], values["locks"], values["held"], values["needed"], values["ways"])


_USUAL = (PERIOD_LEAST_NS, PERIOD_MOST_NS)


def _refuse_mixed(document: reader.Document, values: dict[str, Any]) -> None:
    """Keys that do not go together, or are missing."""
    from_file = values["generator"] == "file"
    wanted: tuple[str, ...] = ("file",) if from_file else ("n", "sets")
    unwanted: tuple[str, ...] = ("n", "sets") if from_file else ("file",)
    for name in wanted:
        if values[name] is None:
            document.fail(("generator",), f'generator = "{values["generator"]}" needs "{name}"', f"{name} = ...")
    if values["generator"] != "uunifast":
        unwanted += ("period_min", "period_max")
    for name in unwanted:
        if values[name] is not None:
            document.fail((name,), f'"{name}" is not a key for generator = "{values["generator"]}"', "remove it")
    if values["breakdown"] and values["utilizations"]:
        document.fail(("breakdown",), "breakdown = true and utilizations exclude each other", "write two studies")
    if not values["breakdown"] and not values["utilizations"] and not from_file:
        document.fail((), 'neither "utilizations" nor breakdown = true', "utilizations = [0.7, 0.8, 0.9]")
    for name in ("locks", "held", "needed", "ways"):
        if values["mutexes"] is None and name in document.data:
            document.fail((name,), f'"{name}" needs "mutexes"', "mutexes = 4")
    for name in ("schedulers", "n", "utilizations", "divisors", "overheads", "ways"):
        if values[name] and len(set(values[name])) < len(values[name]):
            document.fail(
                (name,), f"{name} = {reader.show_value(values[name])}: a value occurs twice", "each value once"
            )


def _refuse_impossible(document: reader.Document, study: Study) -> None:
    """What would fail in the middle of the study."""
    counts = study.tasks or tuple(len(rows) for rows in study.rows)
    for name in study.schedulers:
        least = 2 if name == "csd" else schedulers.csd_number(name) or 1
        if min(counts) < least:
            problem = f"{name} needs at least {least} tasks, but a set has {min(counts)}"
            document.fail(("schedulers",), problem, "fewer bands, or more tasks")
    if study.size > ROWS_MAX:
        document.fail(
            ("sets",), f"the study has {study.size} rows", f"at most {ROWS_MAX} rows; split it into several studies"
        )
    if study.sections:
        try:
            sections.refuse(study.sections, study.schedulers, study.overheads, study.preset, max(counts))
        except UserError as error:
            document.fail(("mutexes",), error.problem, error.hint)
    shortest, longest = study.periods_ns
    if not PERIOD_LEAST_NS // 1000 <= shortest <= longest:
        problem = f"periods from {durations.show(shortest)} to {durations.show(longest)}"
        document.fail(("period_min",), problem, 'period_min of at least "1 us", period_max not below period_min')
    deadlines = [row.deadline_ns for rows in study.rows for row in rows]
    if deadlines and min(deadlines) < 1000 * max(study.divisors):
        problem = f"a deadline of {durations.show(min(deadlines))} divided by {max(study.divisors)} is below 1 us"
        document.fail(("divisors",), problem, "a smaller divisor, or longer deadlines")
    for name in study.overheads:
        if name == "none":
            continue
        measured = overheads.load(boards.load(name), study.preset)
        if measured is None:
            problem = f"overheads of {name} are not measured for preset {study.preset}"
            document.fail(("overheads",), problem, 'overheads = ["none"], or another board or preset')
        if max(counts) > measured.tasks[-1]:
            problem = (
                f"overheads of {name} are measured for up to {measured.tasks[-1]} tasks, but a set has {max(counts)}"
            )
            document.fail(("overheads",), problem, 'overheads = ["none"], or fewer tasks')
