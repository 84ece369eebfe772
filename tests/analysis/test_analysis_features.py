# SPDX-License-Identifier: Apache-2.0
"""Declarations with what makes the analysis only sound, against two schedulers that know nothing of it: the naive
simulator and the kernel on the host port. Jobs that wait, sections that nobody interrupts, deadlines beyond the period,
mutexes, jitter, interrupts, equals with time slices, in any list of bands: no accepted task misses, no bound is
exceeded. Here the proof is that of the tool, from takt.declare.schema.model to the bounds.

TAKT_SETS / 50: how many systems of each kind (default 100, with --full 2000).
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from takt.declare.schema.model import Band, Interrupt, System, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.prove import analysis

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
SETS = int(os.environ.get("TAKT_SETS", "100000" if FULL else "5000")) // 50
RUNS = 12
STEPS = 5
KINDS = ("waits", "uninterrupted", "long deadlines", "everything")
PLAYERS = ("simulator", "kernel")
NO_CEILINGS, NO_SERVERS, NOT_SERVED = (0,), (0,), 0


@dataclass(frozen=True)
class Case:
    """A system. `sections`: of each task, start, end and mutex. `uninterrupted`: a mutex, or -1."""

    seed: int
    system: System
    bands: tuple[Band, ...]
    sections: dict[str, tuple[tuple[int, int, int], ...]]
    uninterrupted: int

    def numbers(self) -> Iterator[int]:
        """What play.c reads."""
        places = [(level, band.kind, name) for level, band, name in self.levels()]
        quantum = max(band.quantum_ns or 0 for band in self.bands)
        longest = max(task.separation_ns or 0 for task in self.system.tasks)
        count = len(places) + len(self.system.interrupts)
        yield from (self.seed, RUNS, 12 * longest, count, self.uninterrupted, quantum, *NO_CEILINGS, *NO_SERVERS)
        for level, kind, name in places:
            task = self.system.task(name)
            yield from (level, int(kind == "edf"), task.wcet_ns, task.deadline_ns or 0, task.separation_ns or 0)
            yield from (task.jitter_ns, task.suspension_ns, task.waits, len(self.sections[name]))
            yield from (number for section in self.sections[name] for number in section)
            yield NOT_SERVED
        for item in self.system.interrupts:
            yield from (-1, 0, item.wcet_ns, 0, item.min_interarrival_ns, 0, 0, 0, 0, NOT_SERVED)

    def levels(self) -> Iterator[tuple[int, Band, str]]:
        groups = [(band, group) for band in self.bands for group in band.groups]
        for level, (band, group) in enumerate(groups):
            yield from ((level, band, name) for name in group)


def random_bands(chance: random.Random, tasks: list[Task]) -> tuple[Band, ...]:
    """One to three bands over the tasks in order of deadline; fixed ones with equals and slices."""
    names = [task.name for task in sorted(tasks, key=lambda task: task.deadline_ns or 0)]
    cuts = sorted(chance.sample(range(1, len(names)), min(len(names) - 1, chance.randint(0, 2))))
    bands = []
    quantum = chance.choice((None, chance.randint(3, 40)))
    for start, end in zip([0, *cuts], [*cuts, len(names)], strict=True):
        part = names[start:end]
        if chance.random() < 0.5:
            bands.append(Band("edf", (tuple(part),)))
            continue
        groups: list[tuple[str, ...]] = []
        for name in part:
            if groups and chance.random() < 0.25:
                groups[-1] = (*groups[-1], name)
            else:
                groups.append((name,))
        bands.append(Band("fixed", tuple(groups), quantum))
    return tuple(bands)


def random_tasks(chance: random.Random, kind: str, utilization: float) -> list[Task]:
    count = chance.randint(2, 6)
    unit = chance.randint(40, 120)
    shares = [chance.random() + 0.05 for _ in range(count)]
    every = kind == "everything"
    tasks = []
    for number, share in enumerate(shares):
        period = unit * chance.choice((2, 3, 4, 5, 6, 8, 10, 12, 15, 20))
        wcet = max(4, round(period * utilization * share / sum(shares)))
        deadline = period if chance.random() < 0.5 else chance.randint(period // 3 + 1, period)
        if kind == "long deadlines" or (every and chance.random() < 0.3):
            deadline = chance.randint(period // 2, 4 * period)
        waits, suspension = 0, 0
        if kind in ("waits", "everything") and chance.random() < 0.5:
            waits, suspension = chance.randint(1, 3), max(1, round(period * chance.uniform(0.02, 0.35)))
        jitter = chance.randint(0, deadline // 4) if every and chance.random() < 0.3 else 0
        task = Task(f"t{number}", wcet, period_ns=period, deadline_ns=deadline, jitter_ns=jitter)
        tasks.append(replace(task, waits=waits, suspension_ns=suspension))
    return tasks


def random_case(seed: int, kind: str, utilization: float) -> Case:
    chance = random.Random(f"features {kind} {seed}")
    tasks = random_tasks(chance, kind, utilization)
    uninterrupted = 3 if kind == "uninterrupted" or (kind == "everything" and chance.random() < 0.3) else -1
    if uninterrupted >= 0:
        tasks = [replace(task, jitter_ns=0) for task in tasks]
    bands = random_bands(chance, tasks)
    sections: dict[str, tuple[tuple[int, int, int], ...]] = {}
    users: dict[int, list[Hold]] = {}
    for task in tasks:
        found = []
        if kind != "long deadlines" and chance.random() < 0.6:
            mutexes = [3] if kind == "uninterrupted" else [0, 1, 2, uninterrupted]
            mutex = chance.choice([number for number in mutexes if number >= 0])
            start, end = sorted(round(task.wcet_ns * chance.random()) for _ in range(2))
            if start < end:
                found.append((start, end, mutex))
                users.setdefault(mutex, []).append(Hold(task.name, end - start))
        sections[task.name] = tuple(found)
    if uninterrupted in users:
        lift(users[uninterrupted], tasks, bands[0])
    protocol = {number: "ceiling" if number == uninterrupted else "inherit" for number in users}
    shared = tuple(Mutex(f"m{number}", tuple(holds), protocol[number]) for number, holds in users.items())
    interrupts: tuple[Interrupt, ...] = ()
    if kind == "everything" and chance.random() < 0.4:
        interrupts = (Interrupt("source", 1, chance.randint(40, 400), chance.randint(1, 5)),)
    system = System(
        Path("random.toml"), "random", "host", "bands", tuple(tasks), bands, objects=shared, interrupts=interrupts
    )
    return Case(seed, system, bands, sections, uninterrupted)


def lift(users: list[Hold], tasks: list[Task], first: Band) -> None:
    """The ceiling from the users of the mutex up to where no interrupt comes, as docs/system-toml.md says."""
    best = min((task for task in tasks if task.name in first.groups[0]), key=lambda task: task.deadline_ns or 0)
    if best.name not in [user.task for user in users]:
        users.append(Hold(best.name, 0))


def proved(seed: int, kind: str) -> Case:
    """Near where the proof breaks down, on either side."""
    low, high = 0.0, 1.2
    for _ in range(STEPS):
        middle = (low + high) / 2
        case = random_case(seed, kind, middle)
        holds = analysis.analyse(case.system, case.bands, None, responses=False).verdict is Verdict.FEASIBLE
        low, high = (middle, high) if holds else (low, middle)
    return random_case(seed, kind, low * random.Random(seed).choice((0.9, 1.0, 1.0, 1.05)))


@pytest.fixture(scope="session")
def cases() -> dict[str, list[Case]]:
    return {kind: [proved(seed, kind) for seed in range(SETS)] for kind in KINDS}


def play(program: Path, cases: list[Case]) -> list[dict[str, tuple[int, bool]]]:
    """Of each case, by task: the longest response, and whether it missed."""
    text = "\n".join([str(len(cases)), *(" ".join(map(str, case.numbers())) for case in cases)])
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    found = []
    for case, line in zip(cases, done.stdout.splitlines(), strict=True):
        numbers = list(map(int, line.split()))
        names = [name for _, _, name in case.levels()]
        found.append({name: (numbers[2 * i], bool(numbers[2 * i + 1])) for i, name in enumerate(names)})
    return found


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("kind", KINDS)
def test_sound(cases: dict[str, list[Case]], players: dict[str, Path], kind: str, player: str) -> None:
    accepted = reached = bounded = 0
    for case, seen in zip(cases[kind], play(players[player], cases[kind]), strict=True):
        proof = analysis.analyse(case.system, case.bands, None)
        accepted += proof.verdict is Verdict.FEASIBLE
        for task in proof.tasks:
            response, missed = seen[task.name]
            assert not (missed and task.verdict is Verdict.FEASIBLE), (case.seed, task, response)
            if task.response_ns is not None:
                assert response <= task.response_ns, (case.seed, task, response)
                bounded += 1
                reached += response == task.response_ns
    print(f"{kind}, {player}: {accepted} of {SETS} accepted, {reached / bounded:.1%} of the bounds reached")
    assert SETS / 4 < accepted < SETS
    assert reached > bounded / 10
