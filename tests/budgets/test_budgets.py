# SPDX-License-Identifier: Apache-2.0
"""Random proved systems on the host port, of which one or two tasks overrun at random, in and out of sections.

The kernel enforces budgets and holds: nobody else misses. Without budgets somebody does.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from kernel_sources import host_sources
from takt.bench.studies import workloads
from takt.declare.schema import levels
from takt.declare.schema.model import Band, Interrupt, System, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex, hold_ns
from takt.prove import analysis, schedulers
from takt.support import compile
from takt.support.c.kernel import BudgetPolicy
from takt.support.provision import ROOT

SYSTEMS = 2000 if os.environ.get("TAKT_TEST_FULL") else 40  # of each kind
KINDS = ("fixed", "edf", "csd")
POLICIES = {policy.name.lower(): int(policy) for policy in BudgetPolicy}
SECONDS = 1_000_000_000
OVERRUN_PERCENT = 40
STEPS = 9  # of the search for the utilization
PERIODS_US = (1_000, 30_000)
ROOMS = (
    "",
    "kernel/include",
    "kernel/config/preset/lean",
    "kernel/config/sched/budgets",
    "ports/host",
    "analysis/include",
)


@dataclass(frozen=True)
class Case:
    """A proved system, its bands, the tasks that overrun, and first releases."""

    seed: int
    system: System
    bands: tuple[Band, ...]
    culprits: frozenset[str]
    offsets_ns: tuple[int, ...]
    worst: bool  # every job takes what it may, and all are released together

    def numbers(self, enforce: bool) -> list[int]:
        """What overrun.c reads."""
        ranks = levels.levels(self.bands, self.system)
        level_of = {name: number for number, level in enumerate(ranks) for name in level.tasks}
        demoted = len([level for level in ranks if level.tasks])
        source = self.system.interrupts[0] if self.system.interrupts else Interrupt("none", 1, 0, 0)
        edf = sum(1 << number for number, level in enumerate(ranks) if level.edf)
        found = [self.seed, 2 * SECONDS, source.min_interarrival_ns, source.wcet_ns, edf, demoted, len(level_of)]
        for task, offset in zip(self.system.tasks, self.offsets_ns, strict=True):
            uses = [
                (number, user.hold_ns)
                for number, mutex in enumerate(self.system.of(Mutex))
                for user in mutex.users
                if user.task == task.name
            ]
            found += [level_of[task.name], task.period_ns or 0, task.deadline_ns or 0, offset, task.wcet_ns]
            found += [(100 if self.worst else OVERRUN_PERCENT) if task.name in self.culprits else 0]
            watched = enforce and task.on_budget != "none"
            found += [POLICIES[task.on_budget], task.budget_ns or 0] if watched else [0, 0]
            found += [
                hold_ns(self.system, task.name),
                int(self.worst),
                len(uses),
                *(number for use in uses for number in use),
            ]
        return found


def random_mutexes(chance: random.Random, tasks: list[Task]) -> tuple[Mutex, ...]:
    """Holds as parts of the wcet; a task with several may nest them in this order."""
    mutexes = []
    for number in range(chance.choice((0, 1, 1, 2, 2, 3, 4))):
        users = chance.sample(tasks, chance.randint(2, min(4, len(tasks))))
        holds = tuple(Hold(task.name, max(1, round(task.wcet_ns * chance.uniform(0.05, 0.9)))) for task in users)
        mutexes.append(Mutex(f"m{number}", holds))
    return tuple(mutexes)


def random_system(chance: random.Random, utilization: float) -> System:
    count = chance.randint(2, 8)
    low, high = (math.log(limit) for limit in PERIODS_US)
    tasks = []
    for number, share in enumerate(workloads.shares(chance, count, utilization)):
        period = round(math.exp(chance.uniform(low, high))) * 1000
        wcet = max(10, round(share * period))
        policy = chance.choice(("none", "demote", "demote", "stop"))
        deadline = max(wcet, round(period * chance.choice((1.0, 1.0, chance.uniform(0.5, 1.0)))))
        budget = None if policy == "none" else round(wcet * chance.choice((1.0, chance.uniform(1.0, 1.2))))
        tasks.append(
            Task(f"t{number}", wcet, period_ns=period, deadline_ns=deadline, on_budget=policy, budget_ns=budget)
        )
    tasks[-1] = replace(tasks[-1], on_budget="demote", budget_ns=tasks[-1].wcet_ns)
    source = Interrupt("source", 1, chance.randint(500, 5000) * 1000, chance.randint(1, 50) * 1000)
    interrupts = (source,) if chance.random() < 0.5 else ()
    mutexes = random_mutexes(chance, tasks)
    return System(Path("random.toml"), "random", "host", "auto", tuple(tasks), objects=mutexes, interrupts=interrupts)


def bands_of(chance: random.Random, system: System, kind: str) -> tuple[Band, ...]:
    if kind != "csd":
        return schedulers.plain_bands(system, "dm" if kind == "fixed" else "edf") or ()
    count = len(system.tasks)
    cuts = sorted(chance.sample(range(1, count + 1), min(count - 1, chance.randint(1, 2)) or 1))
    return schedulers.csd_bands(system, tuple(cuts))


def drawn(seed: int, kind: str, utilization: float) -> tuple[random.Random, System, tuple[Band, ...]]:
    """The system of that number, scaled."""
    chance = random.Random(f"budgets {kind} {seed}")
    system = random_system(chance, utilization)
    return chance, system, bands_of(chance, system, kind)


def proved(seed: int, kind: str) -> Case:
    """A system close to the highest utilization that is still proved."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        _, system, bands = drawn(seed, kind, middle)
        holds = analysis.analyse(system, bands, None, responses=False).verdict is Verdict.FEASIBLE
        low, high = (middle, high) if holds else (low, middle)
    assert low > 0, (kind, seed)
    chance, system, bands = drawn(seed, kind, low)
    able = [task.name for task in system.tasks if task.enforced]
    culprits = frozenset(chance.sample(able, min(len(able), chance.randint(1, 2))))
    worst = chance.random() < 0.5
    offsets = tuple(0 if worst else chance.randrange(task.period_ns or 1) for task in system.tasks)
    return Case(seed, system, bands, culprits, offsets, worst)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("budgets") / "overrun"
    sources = [Path(__file__).with_name("overrun.c"), *host_sources()]
    sources.remove(ROOT / "kernel/jobs/admission.c")
    includes = [f"-I{ROOT / room}" for room in ROOMS]
    command = ["gcc", "-std=gnu11", "-O2", "-g", "-Wall", "-DTAKT_LEVELS=32", "-DTAKT_CACHE_LINE=64"]
    subprocess.run([*command, *includes, "-o", str(path), *map(str, sources)], check=True)
    return path


def misses(runner: Path, cases: list[Case], enforce: bool) -> tuple[list[dict[str, int]], int]:
    """The misses of the tasks that do not overrun, by case; how often budgets were used up in all."""
    lines = [str(len(cases)), *(" ".join(map(str, case.numbers(enforce))) for case in cases)]
    done = subprocess.run([str(runner)], input="\n".join(lines), capture_output=True, text=True, check=True)
    found, exhausted = [], 0
    for case, line in zip(cases, done.stdout.splitlines(), strict=True):
        times, *counts = map(int, line.split())
        exhausted += times
        names = (task.name for task in case.system.tasks)
        found.append({name: n for name, n in zip(names, counts, strict=True) if n and name not in case.culprits})
    return found, exhausted


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_else_misses(runner: Path, kind: str) -> None:
    compile.host_library()
    cases = [proved(seed, kind) for seed in range(SYSTEMS)]
    found, exhausted = misses(runner, cases, enforce=True)
    assert [(case.seed, late) for case, late in zip(cases, found, strict=True) if late] == []
    assert exhausted > 20 * SYSTEMS
    without, none = misses(runner, cases, enforce=False)
    assert none == 0
    assert sum(map(bool, without)) > SYSTEMS / 4
