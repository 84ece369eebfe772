# SPDX-License-Identifier: Apache-2.0
"""Limits and remedies against the whole verdict on a changed declaration: at the limit it proves, one step on it does
not, and no smaller change proves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from running import FULL
from takt.declare.schema.model import Band, Interrupt, Overheads, System, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.declare.tables import PENDING_MAX
from takt.prove import analysis, schedulers
from takt.prove.breakdown import last
from takt.prove.choose import Choice, Prover, choose
from takt.prove.distance import repair, sensitivity
from takt.prove.distance.repair import Change
from takt.support import compile

SYSTEMS = 100 if FULL else 25

US, MS = 1_000, 1_000_000
BY_KIND = {"fixed": 20 * US, "edf": 26 * US}
OVERHEADS = Overheads("b", "lean", "bands", 64, 10 * US, 15 * US, 40 * US, BY_KIND, BY_KIND, BY_KIND)


@pytest.fixture(autouse=True, scope="module")
def _library() -> None:
    compile.host_library()


def random_system(chance: random.Random, low: float, high: float, mutexes: bool) -> System:
    count = chance.randint(2, 6)
    shares = [chance.random() + 0.05 for _ in range(count)]
    load = chance.uniform(low, high) / sum(shares)
    tasks = []
    for index, share in enumerate(shares):
        period = chance.randint(4, 60) * MS
        deadline = period if chance.random() < 0.6 else chance.randint(period // 2, period)
        deadline = chance.randint(period, 3 * period) if chance.random() < 0.15 else deadline
        wcet = max(US, min(deadline, int(share * load * period)))
        jitter = chance.randint(0, deadline // 8) if mutexes and chance.random() < 0.3 else 0
        budget = wcet + 10 * US if mutexes and chance.random() < 0.2 else None
        on_budget = "stop" if budget else "none"
        tasks.append(
            Task(
                f"t{index}",
                wcet,
                period_ns=period,
                deadline_ns=deadline,
                jitter_ns=jitter,
                budget_ns=budget,
                on_budget=on_budget,
            )
        )
        if chance.random() < 0.15:
            tasks[-1] = replace(tasks[-1], suspension_ns=period // 20, waits=chance.randint(1, 2))
    users = [task for task in tasks if mutexes and chance.random() < 0.6]
    holds = tuple(Hold(task.name, chance.randint(1, min(task.wcet_ns, MS))) for task in users)
    interrupts = (Interrupt("i", 1, 5 * MS, 200 * US),) if chance.random() < 0.3 else ()
    return System(
        Path("x"),
        "x",
        "host",
        "auto",
        tuple(tasks),
        objects=(Mutex("m", holds),) if holds else (),
        interrupts=interrupts,
    )


def of_task(system: System, name: str, **new: int) -> System:
    return replace(system, tasks=tuple(replace(t, **new) if t.name == name else t for t in system.tasks))  # type: ignore[arg-type]


def prover_of(system: System, chance: random.Random) -> Prover:
    overheads = OVERHEADS if chance.random() < 0.5 else None
    return Prover(system, lambda bands, cooperative: overheads)


def proves(prover: Prover, bands: tuple[Band, ...], system: System) -> bool:
    """By the test alone: near full load the bounds may be found within an iteration limit that the test runs into."""
    return analysis.analyse(system, bands, prover.costs(bands, False), responses=False).verdict is Verdict.FEASIBLE


def shorter(system: System, task: Task, period_ns: int) -> System:
    """A deadline that was no longer than the period stays so."""
    deadline_ns = task.deadline_ns or 0
    follows = deadline_ns <= (task.period_ns or 0)
    return of_task(
        system, task.name, period_ns=period_ns, deadline_ns=min(deadline_ns, period_ns) if follows else deadline_ns
    )


def longer(system: System, task: Task, wcet_ns: int) -> System:
    """Of a task whose budget is enforced its budget, which is what the proof counts."""
    return of_task(system, task.name, **({"budget_ns": wcet_ns} if task.enforced else {"wcet_ns": wcet_ns}))


def check_limits(prover: Prover, choice: Choice, asked: str, chance: random.Random) -> int:
    """How many periods end where the scheduler that was asked for places the tasks so that they are not proved."""
    system, bands, placed_anew = prover.system, choice.bands, 0
    found = sensitivity.sensitivity(prover, choice, asked)
    assert [item.name for item in found.limits] == [task.name for task in system.tasks]
    for task, item in zip(system.tasks, found.limits, strict=True):
        wcet_ns = (task.budget_ns or 0) if task.enforced else task.wcet_ns
        assert proves(prover, bands, longer(system, task, item.wcet_ns_max))
        assert not proves(prover, bands, longer(system, task, item.wcet_ns_max + 1))
        assert choose(prover.of(shorter(system, task, item.period_ns_min)), asked).proved
        ends = (1, task.jitter_ns + 1)
        beyond = shorter(system, task, item.period_ns_min - 1) if item.period_ns_min not in ends else None
        if beyond and proves(prover, bands, beyond):
            placed_anew += 1
            assert not item.monotone
            assert not choose(prover.of(beyond), asked).proved
        assert proves(prover, bands, of_task(system, task.name, jitter_ns=item.jitter_ns_max))
        assert item.jitter_ns_max + 1 == task.deadline_ns or not proves(
            prover, bands, of_task(system, task.name, jitter_ns=item.jitter_ns_max + 1)
        )
        if item.monotone:
            between = [
                longer(system, task, chance.randint(wcet_ns, item.wcet_ns_max)),
                shorter(system, task, chance.randint(item.period_ns_min, task.period_ns or 0)),
                of_task(system, task.name, jitter_ns=chance.randint(task.jitter_ns, item.jitter_ns_max)),
            ]
            assert all(proves(prover, bands, changed) for changed in between)
    return placed_anew


@pytest.mark.parametrize("mutexes", [False, True] if FULL else [True])
def test_at_the_limit_it_proves_and_one_more_not(mutexes: bool) -> None:
    """Systems, or as many as are proved, under each kind of list: with the bands that were proved, but a shorter
    period with those that the scheduler then has."""
    checked = placed_anew = 0
    for seed in range(SYSTEMS):
        chance = random.Random(f"{seed} {mutexes}")
        prover = prover_of(random_system(chance, 0.3, 0.9, mutexes), chance)
        asked = chance.choice(("dm", "edf", "csd2", "auto"))
        choice = choose(prover, asked)
        if choice.proved:
            placed_anew += check_limits(prover, choice, asked, chance)
            checked += 1
    assert checked > SYSTEMS // 2
    assert placed_anew


def test_with_deadlines_beyond_periods_a_limit_is_found_by_bisection() -> None:
    """Near full load it is decided only where the periods have a short cycle."""
    first = Task("t0", 273_063, period_ns=6_240_000, deadline_ns=8_401_315, jitter_ns=1_877_564)
    second = Task("t1", 496_202, min_interarrival_ns=5_730_300, deadline_ns=5_730_300)
    prover = Prover(System(Path("system.toml"), "s", "host", "auto", (first, second)))
    choice = choose(prover, "auto")

    def holds(by: int) -> bool:
        changed = replace(prover.system, tasks=(replace(first, period_ns=6_240_000 - by), second))
        return prover.of(changed).proves(choice.bands)

    shortest = sensitivity.sensitivity(prover, choice, "auto").limits[0].period_ns_min
    assert 6_240_000 - shortest == last(holds, 0, 6_240_000 - 1)


def test_a_sporadic_period_is_one_that_may_be_declared() -> None:
    """No more releases within a longer deadline than can wait behind a job."""
    task = Task("t", US, min_interarrival_ns=100 * MS, deadline_ns=300 * MS, pending_max=3)
    prover = Prover(System(Path("x"), "x", "host", "dm", (task,)))
    shortest = sensitivity.sensitivity(prover, choose(prover, "dm"), "dm").limits[0].period_ns_min
    assert 300 * MS // shortest == PENDING_MAX < 300 * MS // (shortest - 1)


def test_all_wcets_together() -> None:
    for seed in range(SYSTEMS):
        chance = random.Random(seed)
        prover = prover_of(random_system(chance, 0.2, 0.8, False), chance)
        asked = chance.choice(("dm", "edf"))
        choice = choose(prover, asked)
        if not choice.proved:
            continue
        scale = sensitivity.sensitivity(prover, choice, asked).scale_max
        assert scale is not None
        for step, expected in ((0, True), (1, False)):
            factor = scale + Fraction(step, sensitivity.SCALE)
            tasks = (
                replace(task, wcet_ns=task.wcet_ns * factor.numerator // factor.denominator)
                for task in prover.system.tasks
            )
            assert proves(prover, choice.bands, replace(prover.system, tasks=tuple(tasks))) is expected, f"seed {seed}"


def test_blocking_by_the_order_of_deadlines_is_said_not_to_be_monotone() -> None:
    tasks = tuple(Task(name, MS, period_ns=20 * MS, deadline_ns=20 * MS) for name in ("a", "b"))
    system = System(Path("x"), "x", "host", "edf", tasks, objects=(Mutex("m", (Hold("a", MS), Hold("b", MS))),))
    prover = Prover(system)
    assert not any(item.monotone for item in sensitivity.sensitivity(prover, choose(prover, "edf"), "edf").limits)
    assert all(item.monotone for item in sensitivity.sensitivity(prover, choose(prover, "dm"), "dm").limits)


# How each number of a declaration is changed by a part of itself: written again, apart from takt.prove.distance.repair.
def turned(system: System, part: Fraction) -> Iterator[tuple[str, System]]:
    """Every single number changed by at most this part of it, towards less work."""

    def less(ns: int) -> int:
        return max(0, ns - int(part * ns))

    def more(ns: int) -> int:
        return ns + int(part * ns)

    for task in system.tasks:
        period, deadline = task.period_ns or 0, task.deadline_ns or 0
        wcet_ns = max(1, less(task.wcet_ns))
        holds = tuple(
            replace(
                mutex,
                users=tuple(
                    replace(user, hold_ns=min(user.hold_ns, wcet_ns)) if user.task == task.name else user
                    for user in mutex.users
                ),
            )
            for mutex in system.of(Mutex)
        )
        yield f"{task.name} suspension", of_task(system, task.name, suspension_ns=less(task.suspension_ns))
        yield f"{task.name} wcet", of_task(system, task.name, wcet_ns=wcet_ns).having(Mutex, holds)
        follows = {"deadline_ns": more(period)} if deadline == period else {}
        yield f"{task.name} period", of_task(system, task.name, period_ns=more(period), **follows)
        yield f"{task.name} deadline", of_task(system, task.name, deadline_ns=more(deadline))
        yield f"{task.name} jitter", of_task(system, task.name, jitter_ns=less(task.jitter_ns))
    for item in system.interrupts:
        yield "interrupt", replace(system, interrupts=(replace(item, wcet_ns=less(item.wcet_ns)),))
        rarer = replace(item, min_interarrival_ns=more(item.min_interarrival_ns))
        yield "interrupt", replace(system, interrupts=(rarer,))


def single(found: tuple[Change, ...]) -> Change | None:
    return next((item for item in found if item.knob.kind != "scale"), None)


def check_changes(prover: Prover, asked: str, found: tuple[Change, ...]) -> None:
    def proved(system: System) -> bool:
        return choose(prover.of(system), asked).proved

    assert [item.relative for item in found] == sorted(item.relative for item in found)
    for item in found:
        assert proved(item.knob.make(item.to))
        towards = 1 if item.to < item.knob.now else -1
        assert not proved(item.knob.make(item.to + towards))
    best = single(found)
    if best:
        proving = dict(turned(prover.system, best.relative))
        assert any(proved(system) for system in proving.values())
        barely = best.relative * Fraction(999_999, 1_000_000)
        assert [name for name, system in turned(prover.system, barely) if proved(system)] == []


@pytest.mark.parametrize("asked", ["dm", "edf", "auto", "csd2"] if FULL else ["dm"])
def test_no_smaller_change_proves(asked: str) -> None:
    checked = 0
    for seed in range(40):
        chance = random.Random(f"{seed} {asked}")
        prover = prover_of(random_system(chance, 0.85, 1.3, False), chance)
        choice = choose(prover, asked)
        if not choice.proved:
            found = repair.changes(prover, choice, asked, True)
            assert {item.knob.kind for item in found} >= {"scale"}
            check_changes(prover, asked, found)
            checked += single(found) is not None
    assert checked > 10


@pytest.mark.parametrize("asked", ["rm", "dm", "edf"])
def test_with_mutexes_and_jitter_what_is_named_proves(asked: str) -> None:
    for seed in range(40 if FULL else 15):
        chance = random.Random(f"{seed} {asked}")
        prover = prover_of(random_system(chance, 0.7, 1.1, True), chance)
        choice = choose(prover, asked)
        for item in () if choice.proved else repair.changes(prover, choice, asked, True):
            assert choose(prover.of(item.knob.make(item.to)), asked).proved
            back = item.to + (1 if item.to < item.knob.now else -1)
            assert back == item.knob.now or not choose(prover.of(item.knob.make(back)), asked).proved


def test_an_interrupt_may_have_to_go() -> None:
    system = System(
        Path("x"), "x", "host", "dm", (Task("a", 6 * MS, period_ns=10 * MS, deadline_ns=6 * MS),),
        interrupts=(Interrupt("i", 1, 20 * MS, 10 * US),),
    )  # fmt: skip
    prover = Prover(system)
    found = single(repair.changes(prover, choose(prover, "dm"), "dm", True))
    assert found
    assert (found.knob.name, found.knob.key, found.to) == ("a", "wcet", 6 * MS - 10 * US)
    zero = replace(system, tasks=(replace(system.tasks[0], deadline_ns=6 * MS, wcet_ns=6 * MS),))
    knob = next(knob for knob in repair.singles(zero) if knob.kind == "interrupt")
    assert choose(Prover(knob.make(0)), "dm").proved


def test_a_hold_may_be_shortened() -> None:
    tasks = (
        Task("a", MS, period_ns=4 * MS, deadline_ns=2 * MS),
        Task("b", 50 * MS, period_ns=400 * MS, deadline_ns=400 * MS),
    )
    mutex = Mutex("m", (Hold("a", 100 * US), Hold("b", 1100 * US)))
    prover = Prover(System(Path("x"), "x", "host", "dm", tasks, objects=(mutex,)))
    found = single(repair.changes(prover, choose(prover, "dm"), "dm", True))
    assert found
    assert (found.knob.kind, found.knob.task) in (("mutex", "b"), ("task", None))
    assert found.relative == min(Fraction(100, 1100), Fraction(100, 2000))


def test_a_section_is_no_longer_than_the_wcet_it_is_in() -> None:
    tasks = tuple(Task(name, 4 * MS, period_ns=20 * MS, deadline_ns=20 * MS) for name in ("a", "b"))
    mutex = Mutex("m", (Hold("a", 3 * MS), Hold("b", MS)))
    system = System(Path("x"), "x", "host", "dm", tasks, objects=(mutex,))
    knob = next(knob for knob in repair.singles(system) if (knob.name, knob.key) == ("a", "wcet"))
    assert [user.hold_ns for user in knob.make(2 * MS).of(Mutex)[0].users] == [2 * MS, MS]


def test_what_auto_finds_instead() -> None:
    pair = tuple(
        Task(name, wcet * MS, period_ns=period * MS, deadline_ns=period * MS)
        for name, period, wcet in (("a", 10, 5), ("b", 14, 7))
    )
    prover = Prover(System(Path("x"), "x", "host", "dm", pair))
    found = repair.another_scheduler(prover, "dm")
    assert found
    assert found.scheduler == "edf"
    assert repair.another_scheduler(prover, "auto") is None


def test_deadlock_is_not_mended_by_numbers() -> None:
    pair = tuple(Task(name, MS, period_ns=10 * MS, deadline_ns=10 * MS) for name in "ab")
    mutexes = (
        Mutex("m", (Hold("a", US), Hold("b", US, ("n",)))),
        Mutex("n", (Hold("a", US, ("m",)), Hold("b", US))),
    )
    prover = Prover(System(Path("x"), "x", "host", "dm", pair, objects=mutexes))
    choice = choose(prover, "dm")
    assert not choice.proved
    assert repair.changes(prover, choice, "dm", True) == ()
    assert choose(prover, "auto").scheduler == "edf"
    assert schedulers.plain_bands(prover.system, "edf") == choose(prover, "auto").bands
