# SPDX-License-Identifier: Apache-2.0
"""From a scheduler's name to a list of bands that is proved, refuted or left undecided: auto, csd and csdN search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from takt.declare import lock_order
from takt.declare.schema.model import Band, Overheads, System, Task, Verdict
from takt.prove import schedulers
from takt.prove.analysis import ITERATIONS, Problem, Proof, analyse, endless
from takt.prove.band_costs import BandCosts, Costs
from takt.prove.band_search import BANDS_MAX, Progress, Search, Shape
from takt.prove.reasons.steps import Ended, Steps
from takt.support.errors import UserError, closest
from takt.support.files import shown_path


def unmeasured(bands: tuple[Band, ...], cooperative: bool) -> Overheads | None:
    """Costs of a board without any."""


CHEAPER, CHEAPER_EACH = 5, 1_000_000
"""The steps for the search for a list that costs less than edf, which proves it: a part of them, as a divisor, and more
for each task."""


@dataclass(frozen=True)
class Prover:
    """The criteria for a list of bands."""

    system: System
    costs: Costs = unmeasured
    iterations: int = ITERATIONS
    bands_max: int = BANDS_MAX  # of the lists that auto tries, csd aside
    steps: Steps = field(default_factory=Steps)

    def judge(self, bands: tuple[Band, ...], cooperative: bool = False, responses: bool = True) -> Proof:
        return analyse(
            self.system,
            bands,
            self.costs(bands, cooperative),
            cooperative=cooperative,
            responses=responses,
            iterations=self.iterations,
            steps=self.steps,
        )

    def proves(self, bands: tuple[Band, ...], cooperative: bool = False) -> bool:
        """The verdict alone, which takes much less than bounds of responses. Ended: it is not proved before no steps
        are left."""
        if lock_order.cycle(self.system) or (cooperative and endless(self.system)):
            return False
        costs = self.costs(bands, cooperative)
        holds = Problem(self.system, bands, costs, cooperative, self.iterations, self.steps).feasible()
        if not holds:
            self.steps.check()
        return holds

    def of(self, system: System) -> Prover:
        """The same for another system."""
        return replace(self, system=system)

    def search(self, progress: Progress) -> Search:
        return Search(BandCosts(self.system, self.costs, self.iterations, self.steps), self.proves, progress)


@dataclass(frozen=True)
class Choice:
    """A scheduler that was proved, refuted or left undecided. `scheduler` is never auto or csd unless none fits.

    `tried`: lists of bands that were judged. `complete`: all that the search has to try; if not, no steps were left.
    """

    scheduler: str
    bands: tuple[Band, ...]
    cooperative: bool
    proof: Proof
    tried: int = 1
    complete: bool = True

    @property
    def proved(self) -> bool:
        return self.proof.verdict is Verdict.FEASIBLE


def choose(prover: Prover, name: str, progress: Progress = lambda _: None) -> Choice:
    """The scheduler of that name, judged. Raises UserError: no such scheduler, or it does not fit."""
    system = prover.system
    if not schedulers.known(name):
        names = ("auto", "rm", "dm", "edf", "csd2", "csd3", "csd", "cooperative")
        raise UserError(f'no scheduler "{name}"', closest(name, names))
    if name == "bands" and not system.bands:
        raise UserError(
            f"--scheduler bands: {shown_path(system.path)} has no [[band]] tables",
            "--scheduler auto, or add [[band]] tables",
        )
    if name == "cooperative":
        schedulers.check_cooperative(system)
    bands = schedulers.plain_bands(system, name)
    if bands is not None:
        return Choice(name, bands, name == "cooperative", prover.judge(bands, name == "cooperative"))
    if name == "auto":
        return auto(prover, progress)
    return _csd(prover, schedulers.csd_number(name), progress)


def auto(prover: Prover, progress: Progress = lambda _: None) -> Choice:
    """The best list of all (takt.prove.band_search), rm included. None proves: one undecided, else edf, which
    proves most. edf also where it proves and the search for a list that costs less takes too long; Ended: too long, and
    edf does not prove it."""
    tasks = schedulers.by_deadline(prover.system)
    if lock_order.cycle(prover.system):
        return choose(prover, "edf" if tasks else "dm")
    if schedulers.transactions(prover.system):
        return _by_offsets(prover)
    search = prover.search(progress)
    known = bool(tasks) and prover.proves(schedulers.plain_bands(prover.system, "edf") or ())
    try:
        left = prover.steps.left
        with prover.steps.part(left // CHEAPER + CHEAPER_EACH * len(tasks) if known else left):
            found = search.best(prover.bands_max)
    except Ended:
        if not known:
            raise
        return replace(choose(prover, "edf"), tried=search.tried + 1, complete=False)
    if found is None or (search.cost(found), len(found.kinds)) > (search.cost(_all_fixed(tasks)), 1):
        by_period = choose(prover, "rm")
        if by_period.proved and schedulers.by_period(prover.system) != tasks:
            return replace(by_period, tried=search.tried + 1)
    return _judged(prover, search, found or next(reversed(search.undecided), None), "edf")


def unfinished(prover: Prover, name: str) -> Choice:
    """What a search for bands that found no end says: edf, or of csd the list with the most tasks in edf bands."""
    count, edf = len(schedulers.by_deadline(prover.system)), "edf"
    number = (schedulers.csd_number(name) or 2) if name.startswith("csd") else 1
    if number == 1:
        return replace(choose(prover, edf if count else "dm"), complete=False)
    bands = schedulers.csd_bands(prover.system, (*range(1, number - 1), count - 1))
    return Choice(f"csd{number}", bands, False, prover.judge(bands), complete=False)


def _by_offsets(prover: Prover) -> Choice:
    """The first that is proved of dm, rm, csd2 with one task in its edf band and more, and edf: bounds with offsets say
    nothing of other lists. None proves: edf."""
    tasks = schedulers.by_deadline(prover.system)
    tried = 0
    for name in ("dm", "rm"):
        tried += 1
        found = choose(prover, name)
        if found.proved:
            return replace(found, tried=tried)
    for count in range(1, len(tasks)):
        tried += 1
        bands = schedulers.csd_bands(prover.system, (count,))
        if prover.proves(bands):
            return Choice("csd2", bands, False, prover.judge(bands), tried)
    return replace(choose(prover, "edf"), tried=tried + 1)


def _all_fixed(tasks: list[Task]) -> Shape:
    return Shape("F", (len(tasks),)) if tasks else Shape("", ())


def _csd(prover: Prover, bands: int | None, progress: Progress) -> Choice:
    """None proves: one undecided, else that with the most tasks in edf bands."""
    count = len(schedulers.by_deadline(prover.system))
    have = f"{count} with a deadline" if count else "none with a deadline"
    if bands is None and count < 2:
        raise UserError("csd needs at least two tasks with a deadline", "--scheduler dm")
    if bands is not None and count < bands:
        raise UserError(
            f"csd{bands} needs at least {bands} tasks, one for each band; there are {have}",
            "fewer bands, or --scheduler dm",
        )
    number = bands or 2
    last = Shape("E" * (number - 1) + "F", (*range(1, number - 1), count - 1, count))
    search = prover.search(progress)
    if lock_order.cycle(prover.system):
        return _judged(prover, search, last, "")
    return _judged(prover, search, search.csd(bands) or (search.undecided or [last])[0], "")


def _judged(prover: Prover, search: Search, shape: Shape | None, otherwise: str) -> Choice:
    if shape is None:
        return replace(choose(prover, otherwise), tried=max(1, search.tried))
    bands = search.bands(shape)
    return Choice(shape.name, bands, False, prover.judge(bands), max(1, search.tried))
