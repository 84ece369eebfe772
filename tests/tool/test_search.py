# SPDX-License-Identifier: Apache-2.0
"""The search for a list of bands against trying every list."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import ceil
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from running import FULL
from takt.bench.studies.search import UTILIZATIONS
from takt.declare.schema.model import Band, Interrupt, Overheads, System, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.prove import analysis, breakdown, schedulers
from takt.prove.band_search import Shape
from takt.prove.choose import Choice, Prover, choose
from takt.support import compile

US, MS = 1_000, 1_000_000


@pytest.fixture(autouse=True, scope="module")
def _library() -> None:
    compile.host_library()


class Measured:
    """Overheads that depend on the kinds of bands there are."""

    def __init__(self, chance: random.Random) -> None:
        self.fixed, self.both = self._draw(chance), self._draw(chance)

    @staticmethod
    def _draw(chance: random.Random) -> Overheads:
        def by_kind() -> dict[str, int]:
            fixed = chance.randint(0, 60) * US
            dearer = chance.choice([0, 0, 1, 5, 30, -10 if fixed > 10 * US else 2]) * US
            return {"fixed": fixed, "edf": fixed + dearer}

        lock, interrupt = chance.randint(0, 40) * US, chance.randint(0, 20) * US
        return Overheads("b", "lean", "bands", 64, interrupt, 10 * US, lock, by_kind(), by_kind(), by_kind())

    def of(self, bands: tuple[Band, ...], _: bool) -> Overheads:
        return self.both if any(band.kind == "edf" for band in bands) else self.fixed


def random_system(chance: random.Random) -> System:
    count = chance.randint(1, 8)
    shares = [chance.random() + 0.05 for _ in range(count)]
    load = chance.uniform(0.6, 1.0) / sum(shares)
    tasks = []
    for index, share in enumerate(shares):
        period = chance.randint(4, 60) * MS
        deadline = period if chance.random() < 0.5 else chance.randint(period // 2 // MS, period // MS) * MS
        wcet = max(US, min(deadline, int(share * load * period)))
        jitter = chance.randint(0, deadline // 8) if chance.random() < 0.1 else 0
        on_miss = chance.choice(("continue", "notify"))
        tasks.append(Task(f"t{index}", wcet, period_ns=period, deadline_ns=deadline, jitter_ns=jitter, on_miss=on_miss))
    mutexes = []
    for number in range(chance.choice((0, 0, 0, 1, 2))):
        users = [task for task in tasks if chance.random() < 0.5]
        holds = tuple(Hold(task.name, chance.randint(1, min(task.wcet_ns, 2 * MS))) for task in users)
        mutexes += [Mutex(f"m{number}", holds)] if holds else []
    interrupts = (Interrupt("i", 1, 5 * MS, 100 * US),) if chance.random() < 0.3 else ()
    background = (Task("idle", 0),) if chance.random() < 0.3 else ()
    return System(Path("x"), "x", "host", "auto", (*tasks, *background), objects=tuple(mutexes), interrupts=interrupts)


def every_list(system: System, bands_max: int) -> Iterator[tuple[Band, ...]]:
    """All lists of at most so many bands over the tasks by deadline, and all csd."""
    names = [task.name for task in schedulers.by_deadline(system)]
    declared = [task.name for task in system.tasks]
    rest = tuple(name for name in declared if name not in names)
    for number in range(1, len(names) + 1):
        for cuts in combinations(range(1, len(names)), number - 1):
            edges = (0, *cuts, len(names))
            pieces = [tuple(names[low:high]) for low, high in pairwise(edges)]
            for kinds in product(("fixed", "edf"), repeat=number):
                csd = set(kinds[:-1]) == {"edf"} and kinds[-1] == "fixed"
                if number > bands_max and not csd:
                    continue
                bands = [
                    Band(kind, (tuple(sorted(piece, key=declared.index)),))
                    if kind == "edf"
                    else Band(kind, tuple((name,) for name in piece))
                    for kind, piece in zip(kinds, pieces, strict=True)
                ]
                yield (*bands, Band("fixed", (rest,))) if rest else tuple(bands)


def price(system: System, bands: tuple[Band, ...], overheads: Overheads | None) -> Fraction:
    """What the kernel takes of the processor; unmeasured: the number of tasks in edf bands."""
    kinds = {name: band.kind for band in bands for name in band.tasks}
    jobs = [task for task in system.tasks if task.period_ns]
    if overheads is None:
        return Fraction(sum(kinds[task.name] == "edf" for task in jobs))
    uses = [user.task for mutex in system.of(Mutex) for user in mutex.users]
    total = sum((Fraction(overheads.interrupt_ns, item.min_interarrival_ns) for item in system.interrupts), Fraction(0))
    for task in jobs:
        kind = kinds[task.name]
        once = overheads.release_ns[kind] + overheads.switch_ns[kind] + overheads.complete_ns[kind]
        watched = overheads.timer_ns if task.on_miss == "notify" else 0
        total += Fraction(once * (1 + uses.count(task.name)) + watched, task.period_ns or 1)
    return total


Key = tuple[Fraction, int]


def exhaustive(prover: Prover, system: System) -> Key | None:
    """Cost and number of bands of the best list that is proved, of all; None: none is."""
    lists = [*every_list(system, prover.bands_max), schedulers.plain_bands(system, "rm") or ()]
    keyed = [((price(system, bands, prover.costs(bands, False)), len(bands)), bands) for bands in lists]
    for key, bands in sorted(keyed, key=lambda pair: pair[0]):
        overheads = prover.costs(bands, False)
        if analysis.analyse(system, bands, overheads, responses=False).verdict is Verdict.FEASIBLE:
            return key
    return None


def key(prover: Prover, choice: Choice) -> Key | None:
    overheads = prover.costs(choice.bands, False)
    return (price(prover.system, choice.bands, overheads), len(choice.bands)) if choice.proved else None


@pytest.mark.parametrize("part", range(10 if FULL else 2))
def test_the_search_finds_what_trying_every_list_finds(part: int) -> None:
    """1000 sets in all (--full; else 200) of up to 8 tasks, half of them with overheads."""
    proved = searched = 0
    for seed in range(100 * part, 100 * part + 100):
        chance = random.Random(seed)
        system = random_system(chance)
        bands_max = chance.randint(2, 4)
        prover = Prover(system, Measured(chance).of, bands_max=bands_max) if seed % 2 else Prover(system)
        choice = choose(prover, "auto")
        assert key(prover, choice) == exhaustive(prover, system), f"seed {seed}"
        proved += choice.proved
        searched += choice.proved and choice.scheduler != "dm"
    assert 20 < proved < 100
    assert searched > 5


def test_what_failed_excludes_only_more_of_the_same() -> None:
    tasks = tuple(Task(f"t{index}", US, period_ns=MS, deadline_ns=MS) for index in range(4))
    search = Prover(System(Path("x"), "x", "host", "auto", tasks)).search(lambda _: None)
    search.failing.append((3, 0b0001))
    assert search.known_to_fail(Shape("EF", (1, 4)))
    assert search.known_to_fail(Shape("EF", (2, 4)))
    assert not search.known_to_fail(Shape("FEF", (1, 2, 4)))
    assert not search.known_to_fail(Shape("E", (4,)))


def grown(system: System, steps: int) -> System:
    """All wcets times one factor, up, and sections within them."""
    load = sum(Fraction(task.wcet_ns, task.period_ns) for task in system.tasks if task.period_ns)
    factor = Fraction(steps, breakdown.STEPS) / load
    tasks = tuple(replace(task, wcet_ns=ceil(task.wcet_ns * factor)) for task in system.tasks)
    wcets = {task.name: task.wcet_ns for task in tasks}
    mutexes = tuple(
        replace(item, users=tuple(replace(user, hold_ns=min(user.hold_ns, wcets[user.task])) for user in item.users))
        for item in system.of(Mutex)
    )
    return replace(system.having(Mutex, mutexes), tasks=tasks)


def breaks_at(prover: Prover, bands: tuple[Band, ...]) -> int:
    """The last step at which a list is proved."""
    low, high = 0, breakdown.STEPS
    while low < high:
        middle = (low + high + 1) // 2
        item = grown(prover.system, middle)
        proved = analysis.analyse(item, bands, prover.costs(bands, False), responses=False).verdict is Verdict.FEASIBLE
        low, high = (middle, high) if proved else (low, middle - 1)
    return low


def test_the_goal_breakdown_finds_the_highest_of_all_lists() -> None:
    """And among those that hold as far the cheapest."""
    better = 0
    for seed in range(60) if FULL else range(25, 50):
        chance = random.Random(f"breakdown {seed}")
        system = random_system(chance)
        if len(system.tasks) > 5:
            continue
        prover = Prover(system, Measured(chance).of)
        lists = [*every_list(system, prover.bands_max), schedulers.plain_bands(system, "rm") or ()]
        steps = {bands: breaks_at(prover, bands) for bands in lists}
        found = breakdown.most(prover)
        highest = max(steps.values())
        assert breaks_at(prover, found.bands) == highest == breakdown.of(prover, found), f"seed {seed}"
        best = [bands for bands in lists if steps[bands] == highest]
        prices = [(price(system, bands, prover.costs(bands, False)), len(bands)) for bands in best]
        assert (price(system, found.bands, prover.costs(found.bands, False)), len(found.bands)) == min(prices)
        plain = [steps[schedulers.plain_bands(system, name) or ()] for name in ("dm", "edf")]
        better += highest > max(plain)
    assert better > (3 if FULL else 2)


def test_csd_with_more_bands_is_never_better() -> None:
    """What joining neighbours of one kind rests on: whatever holds cut holds as one, mutexes and jitter or not."""
    cut = 0
    for seed in range(400):
        chance = random.Random(f"csd {seed}")
        system = random_system(chance)
        prover = Prover(system)
        tasks = schedulers.by_deadline(system)
        if len(tasks) > 2:
            total = chance.randint(2, len(tasks) - 1)
            bands = schedulers.csd_bands(system, (chance.randint(1, total - 1), total))
            if prover.proves(bands):
                assert prover.proves(schedulers.csd_bands(system, (total,))), f"seed {seed}"
                cut += 1
    assert cut > 50


def test_the_keys_of_the_benchmark_are_documented(takt: Takt) -> None:
    for goal in ("overhead", "breakdown"):
        document = json.loads(takt("bench", "search", "--tasks", "6", "--sets", "1", "--goal", goal, "--json").out)
        rows = {key for key in keys(document) if not key.startswith("rows[].lists.")}
        assert rows == documented("bench search")
        assert [row["utilization"] for row in document["rows"]] == [*UTILIZATIONS, *UTILIZATIONS]
