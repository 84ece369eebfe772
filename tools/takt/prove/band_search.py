# SPDX-License-Identifier: Apache-2.0
"""The cheapest list of bands that holds every deadline: exactly the result of trying every list.

Candidates: every list of fixed and edf bands over the tasks in the order of their deadlines with at most BANDS_MAX
bands, dm, edf, and csd-x for every x. The best costs the least processor time, then has the fewest bands, then is dm,
csd or edf, then has the shortest upper bands.

Two neighbours of one kind cost what they cost as one band, and as one they hold whatever they hold as two. (Fixed: it
is the same. Edf: let the lower of the two finish its demand up to t at s = F(dbf2(t) + B) <= t. Jobs of the upper one
that are due by t arrive before s, then they are in s, or later, then they are demand of a window of t - s, which the
test of the upper band covers. A task that may block in one band and not in two is in s with its whole wcet.) So the
best is a list of *runs*, alternately fixed and edf; only csdN, which asks for N bands, is cut further.

Runs come in order of cost from a queue (A*), so the first that hold are the cheapest. The queue stays short, as a run
that fails with all other tasks at their cheapest, and no task blocking an edf run, is in no list that holds; the least
cost of the rest comes from a table; and a fixed task that fails under some tasks in edf bands fails under these and
more, where edf costs more.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from takt.declare.schema.model import Band, Verdict
from takt.prove.band_costs import EDF, FIXED, MODES, BandCosts, Mode, Run
from takt.prove.reasons.steps import LIST_STEPS
from takt.prove.schedulers import by_deadline, edf_bands, fixed_bands, with_background

BANDS_MAX = 3
"""The most bands in the lists that auto tries by default, csd-x aside."""

Progress = Callable[[float], None]
"""Called with the progress of a search, 0 to 1."""

_PLAIN = (FIXED, EDF, EDF + FIXED)  # dm, edf, csd: before other lists of the same cost and length


class Shape(NamedTuple):
    """A list of bands: the kind of each and where it ends in the order of deadlines."""

    kinds: str
    ends: tuple[int, ...]

    @property
    def runs(self) -> list[Run]:
        starts = (0, *self.ends)[:-1]
        return [Run(*run) for run in zip(starts, self.ends, self.kinds, strict=True)]

    @property
    def edf_mask(self) -> int:
        return sum((1 << run.end) - (1 << run.start) for run in self.runs if run.kind == EDF)

    @property
    def name(self) -> str:
        """Of the scheduler; `bands` if it has none."""
        if self.kinds in ("", FIXED):
            return "dm"
        if self.kinds == EDF:
            return "edf"
        csd = self.kinds == EDF * (len(self.kinds) - 1) + FIXED
        return f"csd{len(self.kinds)}" if csd else "bands"


@dataclass
class Search:
    """One search. `prove`: the final verdict on a list that holds. `tried`: lists that were tried, and bands cut from
    them; `undecided`: lists that may hold."""

    costs: BandCosts
    prove: Callable[[tuple[Band, ...]], bool]
    progress: Progress = lambda _: None
    tried: int = 0
    undecided: list[Shape] = field(default_factory=list)
    failing: list[tuple[int, int]] = field(default_factory=list)
    """A position that fails in a fixed band, with the tasks that were in edf bands then, a bit each."""

    def bands(self, shape: Shape) -> tuple[Band, ...]:
        system, tasks = self.costs.system, by_deadline(self.costs.system)
        bands: list[Band] = []
        for start, end, kind in shape.runs:
            bands += edf_bands(system, tasks[start:end]) if kind == EDF else fixed_bands(tasks[start:end])
        return with_background(system, bands)

    def cost(self, shape: Shape) -> int:
        """The load of the list, in parts of BandCosts.whole."""
        mode = self._mode(shape.kinds)
        return mode.base + sum(mode.cost(run) for run in shape.runs)

    def _mode(self, kinds: str) -> Mode:
        return self.costs.modes[next(mode for mode in MODES if set(mode) == set(kinds or FIXED))]

    def best(self, bands_max: int = BANDS_MAX) -> Shape | None:
        """The best of all candidates; None: none is proved."""
        lists = _Queue(self.costs, bands_max, self.progress)
        return next((shape for shape in lists if self.held(shape)), None)

    def csd(self, bands: int | None) -> Shape | None:
        """The best csd with `count` bands; None: with any number."""
        mode, count = self.costs.modes[EDF + FIXED], self.costs.count
        reach = _Reach(mode)
        shapes = [Shape(EDF + FIXED, (total, count)) for total in range((bands or 2) - 1, count)]
        for shape in sorted(shapes, key=lambda shape: (self.cost(shape), shape.ends)):
            total = shape.ends[0]
            if reach.of(EDF, 0) < total or reach.of(FIXED, total) < count or self.costs.overloaded(self.cost(shape)):
                continue
            held = self.held(shape, bands)
            if held:
                return held
        return None

    def held(self, shape: Shape, bands: int | None = None) -> Shape | None:
        """The list if it holds, with its edf run cut into bands for a given number of bands; None: it does not hold."""
        mode = self._mode(shape.kinds)
        if self.known_to_fail(shape):
            return None
        mode.put(shape.runs)
        self.tried += 1
        undecided = False
        for run in sorted(shape.runs, key=lambda run: run.kind == EDF):
            answer = mode.judge(run.start, run.end)
            undecided |= answer.verdict is Verdict.UNDECIDED
            if answer.verdict is Verdict.INFEASIBLE:
                if run.kind == FIXED and EDF in shape.kinds and mode.edf_costs_more:
                    self.failing.append((answer.position, shape.edf_mask))
                return None
        held = shape if not bands else self._cut(mode, shape, bands)
        if undecided and (held is None or not bands):
            self.undecided.append(shape)
            return None
        return held if held and self.prove(self.bands(held)) else None

    def known_to_fail(self, shape: Shape) -> bool:
        """Whether a position in a fixed band failed before, with some of the same tasks in edf bands."""
        mask = shape.edf_mask
        return any(not mask >> position & 1 and edf & ~mask == 0 for position, edf in self.failing)

    def _cut(self, mode: Mode, shape: Shape, bands: int) -> Shape | None:
        """A csd with the given number of bands."""
        ends = _Cutter(self, mode, shape.runs[0]).ends(0, bands - 1)
        return Shape(EDF * (bands - 1) + FIXED, (*ends, shape.ends[-1])) if ends else None


@dataclass
class _Cutter:
    """Cuts of one edf run into bands that hold. Remembered: `holds`, by first and end; `dead_ends`, by first and
    number of bands."""

    search: Search
    mode: Mode
    run: Run
    holds: dict[tuple[int, int], bool] = field(default_factory=dict)
    dead_ends: set[tuple[int, int]] = field(default_factory=set)

    def ends(self, start: int, bands: int) -> tuple[int, ...] | None:
        """The ends of the given number of bands from `start` on, the shortest upper ones; None: they do not hold."""
        if (start, bands) in self.dead_ends:
            return None
        last = self.run.end - bands + 1
        for end in range(start + 1 if bands > 1 else last, last + 1):
            if self._holds(start, end):
                rest = self.ends(end, bands - 1) if bands > 1 else ()
                if rest is not None:
                    return (end, *rest)
        self.dead_ends.add((start, bands))
        return None

    def _holds(self, start: int, end: int) -> bool:
        if (start, end) not in self.holds:
            self.mode.put_piece(self.run, start, end)
            self.search.tried += 1
            self.holds[start, end] = self.mode.judge(start, end).verdict is Verdict.FEASIBLE
        return self.holds[start, end]


class _Reach:
    """How far a run from a position may go, everything around it at its cheapest."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.edf: dict[int, int] = {}
        self.last = 0

    def of(self, kind: str, start: int) -> int:
        if kind == FIXED:
            return self.fixed[start]
        if start not in self.edf:
            self.edf[start] = self._edf(start)
        return self.edf[start]

    @cached_property
    def fixed(self) -> list[int]:
        """For each position, the first from there on that fails in a fixed band."""
        mode, position = self.mode, 0
        fails: list[int] = []
        mode.put_floor()
        while position < mode.count:
            answer = mode.judge(position, mode.count)
            sure = answer.verdict is not Verdict.UNDECIDED
            if sure:
                fails += [answer.position] * (answer.position - len(fails) + 1)
            position = answer.position + 1
        return (fails + [mode.count] * (mode.count - len(fails) + 1))[: mode.count + 1]

    def _edf(self, start: int) -> int:
        """By bisection, as more tasks in an edf band fail where fewer do; first all, then about as far as last time."""
        good, bad = start, self.mode.count + 1
        for guess in (self.mode.count, self.last, self.last + 1):
            if good < guess < bad:
                good, bad = (good, guess) if self._fails(start, guess) else (guess, bad)
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (good, middle) if self._fails(start, middle) else (middle, bad)
        self.last = good
        return good

    def _fails(self, start: int, end: int) -> bool:
        self.mode.put_hopeful(start, end)
        return self.mode.judge(start, end).verdict is Verdict.INFEASIBLE


class _Node(NamedTuple):
    """Runs so far, in the order of the queue: by the least cost of the whole list, and its least length."""

    cost: int
    bands: int
    other: bool  # than dm, csd and edf
    ends: tuple[int, ...]
    kinds: str


class _Queue:
    """All lists of runs that may hold, the best first."""

    def __init__(self, ground: BandCosts, bands_max: int, progress: Progress) -> None:
        self.costs = ground
        self.progress = progress
        self.bands_max = {kinds: max(bands_max, len(kinds)) if len(kinds) > 1 else 1 for kinds in ground.modes}
        self.reaches = {kinds: _Reach(mode) for kinds, mode in ground.modes.items()}
        self.rest = {kinds: self._least(kinds) for kinds in ground.modes}

    def __iter__(self) -> Iterator[Shape]:
        if self.costs.count == 0:
            yield Shape("", ())
            return
        heap: list[tuple[_Node, str]] = []
        for mode in self.costs.modes:
            self._extend(heap, mode, _Node(0, 0, False, (), ""))
        low = heap[0][0].cost if heap else 0
        while heap:
            self.costs.steps.take(LIST_STEPS)
            self.costs.steps.check()
            node, mode = heapq.heappop(heap)
            if self.costs.whole is not None and self.costs.whole > low:
                self.progress(float((node.cost - low) / (self.costs.whole - low)))
            if node.ends[-1] == self.costs.count:
                yield Shape(node.kinds, node.ends)
            else:
                self._extend(heap, mode, node)

    def _least(self, kinds: str) -> list[dict[tuple[int, str], int]]:
        """[n][start, kind]: the least that at most n runs from `start` to the end cost, the first of this kind."""
        mode, reach, count = self.costs.modes[kinds], self.reaches[kinds], self.costs.count
        least: list[dict[tuple[int, str], int]] = [{}]
        if len(kinds) == 1:
            return least
        for _ in range(min(self.bands_max[kinds], count)):
            found: dict[tuple[int, str], int] = {}
            for kind in kinds:
                other = FIXED if kind == EDF else EDF
                weight = mode.weight[kind]
                for start in range(count):
                    self.costs.steps.check()
                    last = reach.of(kind, start)
                    ends = [
                        weight[end] + (0 if end == count else least[-1][end, other])
                        for end in range(start + 1, last + 1)
                        if end == count or (end, other) in least[-1]
                    ]
                    if ends:
                        found[start, kind] = min(ends) - weight[start]
            least.append(found)
        return least

    def _extend(self, heap: list[tuple[_Node, str]], mode: str, node: _Node) -> None:
        """Puts the node with every next run into the queue."""
        start, count = node.ends[-1] if node.ends else 0, self.costs.count
        left = min(self.bands_max[mode], count) - len(node.kinds) - 1
        spent = self._spent(mode, node)
        for kind in mode:
            if left < 0 or node.kinds.endswith(kind):
                continue
            weight = self.costs.modes[mode].weight[kind]
            other = FIXED if kind == EDF else EDF
            for end in range(start + 1, self.reaches[mode].of(kind, start) + 1):
                kinds = node.kinds + kind
                whole = end == count
                if whole and len(kinds) < len(mode):
                    continue
                rest = 0 if whole else self.rest[mode][left].get((end, other))
                if rest is None:
                    continue
                cost = spent + weight[end] - weight[start] + rest
                if self.costs.overloaded(cost):
                    continue
                plain = kinds in _PLAIN or (not whole and kinds == EDF)
                bands = len(kinds) + (not whole)
                heapq.heappush(heap, (_Node(cost, bands, not plain, (*node.ends, end), kinds), mode))

    def _spent(self, kinds: str, node: _Node) -> int:
        mode = self.costs.modes[kinds]
        return mode.base + sum(mode.cost(run) for run in Shape(node.kinds, node.ends).runs)
