# SPDX-License-Identifier: Apache-2.0
"""Bounds of chains beside a simulator of preemptive processors that draws every execution, jitter, read and write.

TAKT_SETS: how many random systems (default 400, with --full 20000). A failure names the seed of its system.
"""

from __future__ import annotations

import ctypes
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import pytest
from chain_jobs import Task, observed, responses_hold, simulate
from takt.support.c.analysis import CHAIN_MAX, TIME_MAX_NS, ChainBounds, ChainStep, Status

SYSTEMS = int(os.environ.get("TAKT_SETS", "20000" if os.environ.get("TAKT_TEST_FULL") else "400"))
ITERATIONS = 10_000
NONE = 2**64 - 1


def bounds_of(
    library: ctypes.CDLL, steps: Sequence[dict[str, int]], iterations: int = ITERATIONS
) -> tuple[Status, int, int]:
    found = ChainBounds(1, 1)
    rows = (ChainStep * max(1, len(steps)))(*(ChainStep(**step) for step in steps))
    status = library.takt_analysis_chain(
        rows, ctypes.c_size_t(len(steps)), ctypes.c_uint32(iterations), ctypes.byref(found)
    )
    return Status(status), found.reaction_ns, found.age_ns


@dataclass
class Case:
    tasks: list[Task]
    path: list[int]
    steps: list[dict[str, int]]
    by_cause: bool


def draw(rng: random.Random, fixed: bool = False) -> Case:
    """A system that is feasible, and a chain in it. `fixed`: one processor, exact times, no jitter."""
    while True:
        processors = 1 if fixed else rng.choice((1, 1, 2))
        count = rng.randint(2, 5)
        tasks = []
        for priority in rng.sample(range(count), count):
            period, longest = rng.choice((4, 5, 6, 8, 10, 12, 15, 20)), rng.randint(1, 4)
            shortest = longest if fixed else rng.randint(1, longest)
            jitter = 0 if fixed else rng.choice((0, 0, rng.randint(0, 3)))
            task = Task(
                rng.randrange(processors), priority, period, rng.randrange(2 * period), shortest, longest, jitter
            )
            tasks.append(task)
        path = rng.sample(range(count), rng.randint(1, count))
        by_cause = not fixed and rng.random() < 0.2
        tasks[path[0]].sporadic = by_cause
        if responses_hold(tasks):
            return Case(tasks, path, steps_of(tasks, path, by_cause, rng), by_cause)


def steps_of(tasks: Sequence[Task], path: Sequence[int], by_cause: bool, rng: random.Random) -> list[dict[str, int]]:
    known = rng.random() < 0.7  # the offsets
    steps = []
    for place, index in enumerate(path):
        task = tasks[index]
        after = tasks[path[place + 1]] if place + 1 < len(path) else None
        ahead = after is not None and after.processor == task.processor and task.priority < after.priority
        steps.append(
            {
                "period_ns": 0 if by_cause and place == 0 else task.period,
                "offset_ns": task.offset,
                "response_ns": task.response,
                "jitter_ns": task.jitter,
                "clock": 1 + task.processor if known else 0,
                "ahead": int(ahead),
            }
        )
    return steps


def test_no_run_exceeds_a_bound(library: ctypes.CDLL) -> None:
    shares: list[float] = []
    for seed in range(SYSTEMS):
        rng = random.Random(seed)
        case = draw(rng)
        status, reaction, age = bounds_of(library, case.steps)
        assert status == Status.OK, seed
        least, oldest = 0, 0
        for _ in range(3):
            phases = [0, rng.randrange(60)]
            jobs = simulate(rng, case.tasks, 240, phases)
            found = observed(jobs, case.path, case.by_cause)
            least, oldest = max(least, found[0]), max(oldest, found[1])
        assert least <= reaction, f"seed {seed}: a reaction of {least}, bound {reaction}"
        if age == NONE:
            assert case.by_cause, seed
            assert len(case.path) > 1, seed
        else:
            assert oldest <= age, f"seed {seed}: an age of {oldest}, bound {age}"
        shares.append(least / reaction)
    assert median(shares) > 0.6


def test_known_times_come_close_to_what_is_seen(library: ctypes.CDLL) -> None:
    """With offsets and exact execution times; the sum over the steps is far above."""
    followed, summed = [], []
    for seed in range(min(SYSTEMS, 200)):
        rng = random.Random(seed)
        case = draw(rng, fixed=True)
        steps = [{**step, "clock": 1} for step in case.steps]
        _, reaction, age = bounds_of(library, steps)
        _, sum_reaction, sum_age = bounds_of(library, steps, 0)
        assert (reaction, age) <= (sum_reaction, sum_age), seed
        assert age <= sum_age, seed
        least, oldest = observed(simulate(rng, case.tasks, 400, [0]), case.path, False)
        assert least <= reaction, seed
        assert oldest <= age, seed
        if len(case.path) > 1:
            followed.append(least / reaction)
            summed.append(least / sum_reaction)
    assert median(followed) > 0.8
    assert median(followed) > median(summed) + 0.05


def step(period: int, response: int, **more: int) -> dict[str, int]:
    return {"period_ns": period, "response_ns": response, **more}


def test_sums_by_hand(library: ctypes.CDLL) -> None:
    """Davare and others 2007: the sum of periods and responses; the age is without the last period."""
    chain = [step(10, 4), step(20, 7), step(5, 2)]
    assert bounds_of(library, chain) == (Status.OK, 48, 43)
    assert bounds_of(library, chain[:1]) == (Status.OK, 14, 4)
    # No job of the second begins while one of the first is pending: its release counts, not its completion.
    assert bounds_of(library, [step(10, 4, ahead=1, jitter_ns=1), *chain[1:]]) == (Status.OK, 45, 40)
    # The cause itself starts the first step, whose output stays as long as there is no other.
    assert bounds_of(library, [step(0, 4), *chain[1:]]) == (Status.OK, 38, NONE)
    assert bounds_of(library, [step(0, 4)]) == (Status.OK, 4, 4)


def test_followed_by_hand(library: ctypes.CDLL) -> None:
    """A job at 0, 10, 20 ... writes by 4; one at 5, 25, 45 ... reads it, ready by 12."""
    chain = [step(10, 4, clock=1), step(20, 7, offset_ns=5, clock=1)]
    # The job at 10, whose cause came just after 0, is used by that at 25: ready at 32.
    assert bounds_of(library, chain) == (Status.OK, 32, 12)
    # On clocks that differ: each part by itself.
    chain[1]["clock"] = 2
    assert bounds_of(library, chain) == (Status.OK, 14 + 27, 14 + 7)
    # The consumer arrives with the producer, which goes first.
    assert bounds_of(library, [step(10, 4, clock=1, ahead=1), step(10, 7, clock=1)]) == (Status.OK, 17, 7)
    assert bounds_of(library, [step(10, 4, clock=1), step(10, 7, clock=1)]) == (Status.OK, 27, 17)


def test_shorter_jobs_may_take_longer(library: ctypes.CDLL) -> None:
    """The longest executions are not the worst for a chain: here the reader comes before a writer that takes long, and
    late enough when it takes short."""
    tasks = [Task(0, 0, 10, 0, 1, 4, 0), Task(0, 1, 10, 0, 1, 4, 0), Task(0, 2, 20, 0, 1, 1, 0)]
    assert responses_hold(tasks)
    seen = set()
    for seed in range(200):
        rng = random.Random(seed)
        seen.add(observed(simulate(rng, tasks, 200, [0]), [1, 0], False)[0])
    case = steps_of(tasks, [1, 0], False, random.Random(0))
    _, reaction, _ = bounds_of(library, [{**one, "clock": 1} for one in case])
    assert len(seen) > 1
    assert max(seen) <= reaction


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [step(10, 0)],
        [step(10, 4), step(0, 4)],
        [step(10, 4, jitter_ns=5)],
        [step(TIME_MAX_NS + 1, 4)],
        [step(10, TIME_MAX_NS + 1)],
        [step(10, 4, offset_ns=TIME_MAX_NS + 1)],
        [step(10, 4)] * (CHAIN_MAX + 1),
    ],
)
def test_what_breaks_a_rule_is_refused(library: ctypes.CDLL, steps: list[dict[str, int]]) -> None:
    assert bounds_of(library, steps) == (Status.INVALID, 1, 1)


def test_the_largest_numbers(library: ctypes.CDLL) -> None:
    largest = step(TIME_MAX_NS, TIME_MAX_NS, offset_ns=TIME_MAX_NS)
    assert bounds_of(library, [largest])[:2] == (Status.OK, 2 * TIME_MAX_NS)
    assert bounds_of(library, [largest] * CHAIN_MAX)[0] == Status.OVERFLOW
    assert bounds_of(library, [step(0, 4), *[largest] * (CHAIN_MAX - 1)])[0] == Status.OVERFLOW
    assert bounds_of(library, [{**largest, "clock": 1}] * 3)[0] == Status.OVERFLOW
    coprime = [step(2**61 - 1, 5, clock=1), step(2**31 - 1, 5, clock=1), step(3, 2, clock=1)]
    assert bounds_of(library, coprime) == bounds_of(library, coprime, 0)
