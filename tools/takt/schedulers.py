# SPDX-License-Identifier: Apache-2.0
"""From a scheduler's name to bands: rm, dm, edf, csd2, csd3 ..., csd, cooperative, auto, and explicit bands.

A search tries candidates from the cheapest on, where the cost is the sum over tasks of overhead / period, and takes the
first that proves. Cost depends only on how many tasks are in edf bands; as long as overheads are unmeasured it counts
as growing with that number. Among candidates of equal cost: dm, csd2, csd3 ..., edf, then the shortest upper bands.

csdN cuts the deadline-ordered list. Whether the edf band of tasks i to j meets its deadlines depends on the *sets*
above and below, not on how those are cut, so a search judges each (i, j) once instead of every list of cuts; whatever
it finds is proved as a whole before it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from takt import services
from takt.errors import UserError, did_you_mean
from takt.model import Band, Overheads, System, Task, Verdict
from takt.reader import shown_path
from takt.schema import CSD

if TYPE_CHECKING:
    from takt.analysis import Proof

Judge = Callable[[tuple[Band, ...], bool], "Proof"]
"""Proves a list of bands; the flag says cooperative."""

Costs = Callable[[tuple[Band, ...], bool], Overheads | None]
"""What the kernel takes under a list of bands; None as long as it is unmeasured."""


def unmeasured(bands: tuple[Band, ...], cooperative: bool) -> None:
    """Costs of a board without any."""


@dataclass(frozen=True)
class Choice:
    """A scheduler that was proved, refuted or left undecided. `scheduler` is never auto or csd unless none fits."""

    scheduler: str
    bands: tuple[Band, ...]
    cooperative: bool
    proof: Proof


def by_deadline(system: System) -> list[Task]:
    """Tasks with a deadline, shortest first; ties in declaration order."""
    return sorted(
        (task for task in system.tasks if task.separation_ns is not None), key=lambda task: task.deadline_ns or 0
    )


def by_period(system: System) -> list[Task]:
    """Tasks with a deadline, by period or minimum inter-arrival; ties in declaration order."""
    return sorted(
        (task for task in system.tasks if task.separation_ns is not None), key=lambda task: task.separation_ns or 0
    )


def _fixed(tasks: list[Task]) -> list[Band]:
    return [Band("fixed", tuple((task.name,) for task in tasks))] if tasks else []


def _edf(system: System, tasks: list[Task]) -> list[Band]:
    chosen = {task.name for task in tasks}
    names = tuple(task.name for task in system.tasks if task.name in chosen)
    return [Band("edf", (names,))] if names else []


def _with_background(system: System, bands: list[Band]) -> tuple[Band, ...]:
    """Background tasks that no band names: one more fixed band at the end, all of them equals."""
    placed = {name for band in bands for name in band.tasks}
    rest = tuple(task.name for task in system.tasks if task.name not in placed)
    return (*bands, Band("fixed", (rest,))) if rest else tuple(bands)


def csd_bands(system: System, cuts: tuple[int, ...]) -> tuple[Band, ...]:
    """Edf bands of the deadline-ordered tasks [0, cuts[0]), [cuts[0], cuts[1]) ..., the rest in a fixed band."""
    tasks = by_deadline(system)
    edges = [0, *cuts]
    upper = [band for low, high in pairwise(edges) for band in _edf(system, tasks[low:high])]
    return _with_background(system, upper + _fixed(tasks[edges[-1] :]))


def plain_bands(system: System, name: str) -> tuple[Band, ...] | None:
    """Bands of a scheduler that leaves nothing to choose; None for csdN, csd and auto."""
    if name == "bands":
        return _with_background(system, list(system.bands))
    if name == "rm":
        return _with_background(system, _fixed(by_period(system)))
    if name in ("dm", "cooperative"):
        return _with_background(system, _fixed(by_deadline(system)))
    if name == "edf":
        return _with_background(system, _edf(system, by_deadline(system)))
    return None


def candidates(system: System, count: int) -> Iterator[tuple[Band, ...]]:
    """Every csd-`count` of the system, fewest tasks in edf bands first, then the shortest upper bands."""
    for total in range(count - 1, len(by_deadline(system))):
        for cuts in _cuts(0, count - 1, total):
            yield csd_bands(system, cuts)


def _cuts(start: int, bands: int, total: int) -> Iterator[tuple[int, ...]]:
    if bands == 1:
        yield (total,)
        return
    for cut in range(start + 1, total - bands + 2):
        for rest in _cuts(cut, bands - 1, total):
            yield (cut, *rest)


def check_cooperative(system: System) -> None:
    """Refuses what cannot be cooperative: jobs that block, or never end. Raises UserError."""
    for task in system.tasks:
        if task.style == "loop":
            _refuse_cooperative(system, task.name, f'[[task]] "{task.name}" has style = "loop"', 'style = "entry"')
        if task.on_budget != "none":
            problem = f'[[task]] "{task.name}" has on_budget = "{task.on_budget}"'
            _refuse_cooperative(system, task.name, problem, "remove it")
        if task.separation_ns is None and task.wcet_ns == 0:
            problem = f'background [[task]] "{task.name}" may run as long as it likes'
            _refuse_cooperative(system, task.name, problem, "a wcet: the longest that it runs without giving way")
    for kind, name, hint in services.blocking(system):
        _refuse_cooperative(system, name, f'[[{kind}]] "{name}" blocks', hint)


def _refuse_cooperative(system: System, name: str, problem: str, hint: str) -> None:
    line = system.metadata.get(f"line {name}", "")
    raise UserError(
        f"{shown_path(system.path)}:{line}: {problem}, and cooperative jobs run to their end and never block",
        f"{hint}, or another scheduler",
    )


def known(name: str) -> bool:
    """Whether `name` is a scheduler's name."""
    return name in ("auto", "rm", "dm", "edf", "csd", "cooperative", "bands") or _csd_number(name) is not None


def _csd_number(name: str) -> int | None:
    match = re.fullmatch(CSD, name)
    return int(match[1]) if match else None


def choose(system: System, name: str, judge: Judge, costs: Costs = unmeasured) -> Choice:
    """The scheduler of that name, judged; a search judges until one proves. Raises UserError: no such scheduler."""
    if not known(name):
        names = ("auto", "rm", "dm", "edf", "csd2", "csd3", "csd", "cooperative")
        raise UserError(
            f'no scheduler "{name}"',
            f"{did_you_mean(name, names)} (rm, dm, edf, csd2, csd3 ..., csd, cooperative, auto)",
        )
    if name == "bands" and not system.bands:
        raise UserError(f"--scheduler bands: {system.path} has no [[band]] tables", "auto, or write the bands")
    if name == "cooperative":
        check_cooperative(system)
    bands = plain_bands(system, name)
    if bands is not None:
        return Choice(name, bands, name == "cooperative", judge(bands, name == "cooperative"))
    search = _Search(system, judge, costs)
    number = _csd_number(name)
    if number is not None:
        return search.csd(number)
    return search.best_csd() if name == "csd" else search.auto()


@dataclass
class _Search:
    """One search. Remembered: `pieces`, which edf bands (first, last, tasks in edf bands) hold their deadlines;
    `wholes`, judged lists of bands by cuts; `dead_ends`, (first, bands, tasks in edf bands) without cuts that hold."""

    system: System
    judge: Judge
    costs: Costs
    pieces: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    wholes: dict[tuple[int, ...], Choice] = field(default_factory=dict)
    dead_ends: set[tuple[int, int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tasks = by_deadline(self.system)

    def csd(self, number: int) -> Choice:
        """The cheapest csd-`number` that proves; when none does, the most promising one, as judged."""
        if len(self.tasks) < number:
            have = f"{len(self.tasks)} with a deadline" if self.tasks else "none with a deadline"
            raise UserError(
                f"csd{number} needs at least {number} tasks, one for each band; there are {have}", "fewer bands, or dm"
            )
        totals = self.totals(range(number - 1, len(self.tasks)))
        return self.first(number, totals) or self.failed(number)

    def best_csd(self) -> Choice:
        if len(self.tasks) < 2:
            raise UserError("csd needs at least two tasks with a deadline", "dm")
        for total in self.totals(range(1, len(self.tasks))):
            for number in range(2, total + 2):
                found = self.first(number, [total])
                if found:
                    return found
        return self.failed(2)

    def auto(self) -> Choice:
        """The cheapest of dm, csd2, csd3 ..., edf. When none proves: an undecided one, else edf, which proves most."""
        tried: list[Choice] = []
        for found in self.in_order():
            if found.proof.verdict is Verdict.FEASIBLE:
                return found
            tried.append(found)
        undecided = [choice for choice in (*tried, *self.wholes.values()) if choice.proof.verdict is Verdict.UNDECIDED]
        return (undecided or tried)[-1]

    def in_order(self) -> Iterator[Choice]:
        """The candidates of auto, judged: dm, those of csdN that prove, edf; by cost once overheads are measured."""
        everything = len(self.tasks)
        if self.overheads(everything) is None:
            yield self.plain("dm")
            for number in range(2, everything + 1):
                yield from self.proved(number, self.totals(range(number - 1, everything)))
            yield self.plain("edf")
            return
        for total in self.totals(range(everything + 1)):
            if total in (0, everything):
                yield self.plain("edf" if total else "dm")
            for number in range(2, total + 2 if total < everything else 0):
                yield from self.proved(number, [total])

    def plain(self, name: str) -> Choice:
        bands = plain_bands(self.system, name) or ()
        return Choice(name, bands, False, self.judge(bands, False))

    def proved(self, number: int, totals: list[int]) -> list[Choice]:
        found = self.first(number, totals)
        return [found] if found else []

    def totals(self, numbers: range) -> list[int]:
        """Numbers of tasks in edf bands, the cheapest first."""
        return sorted(numbers, key=lambda total: (self.cost(total), total))

    def overheads(self, total: int) -> Overheads | None:
        """Of the kernel that the first `total` in edf bands need."""
        return self.costs(csd_bands(self.system, (total,)), False)

    def cost(self, total: int) -> Fraction:
        """Sum over tasks of overhead / period with the first `total` in edf bands; `total` itself if unmeasured."""
        overheads = self.overheads(total)
        if overheads is None:
            return Fraction(total)
        kinds = ["edf"] * total + ["fixed"] * (len(self.tasks) - total)
        return sum(
            (
                Fraction(overheads.release_ns[kind] + overheads.job_ns(kind), task.separation_ns or 1)
                for kind, task in zip(kinds, self.tasks, strict=True)
            ),
            Fraction(0),
        )

    def first(self, number: int, totals: list[int]) -> Choice | None:
        """The first csd-`number` that proves, with as many tasks in edf bands as `totals` say in turn."""
        for total in totals:
            if not self.fixed_holds(total):
                continue
            for cuts in self.holding_cuts(0, number - 1, total):
                whole = self.whole(cuts)
                if whole.proof.verdict is Verdict.FEASIBLE:
                    return whole
        return None

    def fixed_holds(self, total: int) -> bool:
        return self.all_hold(self.whole((total,)).proof, self.tasks[total:])

    def holding_cuts(self, start: int, bands: int, total: int) -> Iterator[tuple[int, ...]]:
        """Cuts of [start, total) into edf bands of which each holds its deadlines, the shortest upper bands first."""
        if (start, bands, total) in self.dead_ends:
            return
        found = False
        if bands == 1 and self.piece_holds(start, total, total):
            found = True
            yield (total,)
        for cut in range(start + 1, total - bands + 2) if bands > 1 else ():
            if self.piece_holds(start, cut, total):
                for rest in self.holding_cuts(cut, bands - 1, total):
                    found = True
                    yield (cut, *rest)
        if not found:
            self.dead_ends.add((start, bands, total))

    def piece_holds(self, low: int, high: int, total: int) -> bool:
        """Whether an edf band of tasks [low, high) holds its deadlines below [0, low) and above the rest."""
        if (low, high, total) not in self.pieces:
            cuts = tuple(cut for cut in (low, high, total) if cut > 0)
            whole = self.whole(tuple(sorted(set(cuts))))
            self.pieces[low, high, total] = self.all_hold(whole.proof, self.tasks[low:high])
        return self.pieces[low, high, total]

    def whole(self, cuts: tuple[int, ...]) -> Choice:
        if cuts not in self.wholes:
            bands = csd_bands(self.system, cuts)
            self.wholes[cuts] = Choice(f"csd{len(cuts) + 1}", bands, False, self.judge(bands, False))
        return self.wholes[cuts]

    @staticmethod
    def all_hold(proof: Proof, tasks: list[Task]) -> bool:
        verdicts = {task.name: task.verdict for task in proof.tasks}
        return all(verdicts[task.name] is Verdict.FEASIBLE for task in tasks)

    def failed(self, number: int) -> Choice:
        """What to show when no csd-`number` proves: an undecided one, or that with the most tasks in edf bands."""
        undecided = [
            choice
            for cuts, choice in self.wholes.items()
            if len(cuts) == number - 1 and choice.proof.verdict is Verdict.UNDECIDED
        ]
        if undecided:
            return undecided[0]
        last = len(self.tasks) - 1
        return self.whole((*range(1, number - 1), last))
