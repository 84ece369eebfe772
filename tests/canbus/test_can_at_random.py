# SPDX-License-Identifier: Apache-2.0
"""Errors at random: the probability of a missed deadline, beside a bus that is simulated frame by frame."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice, takewhile
from pathlib import Path

import pytest
from can_files import document, write
from can_texts import HEADER, LATE
from command_line import Takt
from takt.can import check, controllers, lengths
from takt.can.at_random import misses, rate, upward
from takt.can.at_random.words import number
from takt.can.check import Answer
from takt.can.messages import Message

SEED = 20260730
BIT_NS, FRAME_NS, ERROR_NS = 2_000, 270_000, 62_000  # at 500 kbit/s: of 8 bytes, and of an error
MS = 1_000_000


@dataclass
class Naive:
    """A message of the simulation: it is queued at each of `queued`, and sent at `ended`."""

    node: int
    queued: list[int]
    ended: list[int]


def simulated(messages: Sequence[Naive], errors: Iterator[float], fifo: bool, end_ns: float) -> None:
    """Lowest index first; a frame in which an error comes is lost as a whole, and then an error frame follows."""
    now, error = -1e6, next(errors)  # what comes before any is queued
    while now < end_ns:
        heads = [(one.queued[len(one.ended)], index) for index, one in enumerate(messages)
                 if len(one.ended) < len(one.queued)]  # fmt: skip
        if not heads:
            return
        ready = [(at, index) for at, index in heads if at <= now]
        if fifo:  # of each node the oldest only
            ready = list({messages[index].node: (at, index) for at, index in sorted(ready, reverse=True)}.values())
        if not ready:
            later = min(heads)[0]
            now = error + ERROR_NS if error < later else later
            error = next(errors) if error < later else error
            continue
        sent = messages[min(index for _, index in ready)]
        end, lost = now + FRAME_NS, False
        while error < end:
            end = end if error < now + FRAME_NS and lost else max(end, error) + ERROR_NS
            lost, error = True, next(errors)
        now = end
        if not lost:
            sent.ended.append(int(now))


def poisson_times(source: random.Random, per_second: float, start_ns: float) -> Iterator[float]:
    now = start_ns
    while True:
        now += source.expovariate(per_second) * 1e9
        yield now


def bus(*periods_ms: float, deadline_ms: float, jitter_ms: float = 0, target: int = -2, fifo: bool = False) -> Answer:
    """Of 8 bytes each, one with this deadline; the last one blocks them."""
    count = len(periods_ms)
    messages = [
        Message(f"m{index}", index, False, (f"n{index % 2}",), 8, period_ns=int(period * MS),
                jitter_ns=int(jitter_ms * MS), deadline_ns=int((deadline_ms if index == target % count else 1000) * MS))
        for index, period in enumerate(periods_ms)
    ]  # fmt: skip
    queues = controllers.parse(("fifo",), messages) if fifo else controllers.ALL_BY_PRIORITY
    return check.answer(messages, check.Question(lengths.Rate(500_000), controllers=queues))


def observed(asked: Answer, per_second: float, episodes: int, target: int = -2, fifo: bool = False) -> int:
    """Misses of a message if all are queued as late as can be, when the last has just begun. In the order of arrival
    the target is queued last."""
    source, missed = random.Random(SEED), 0
    due_ns = asked.rows[target].deadline_ns - asked.rows[target].jitter_ns + 2
    for _ in range(episodes):
        messages = [
            Naive(index % 2, [0] if row is asked.rows[-1] else
                  [1 + (row is asked.rows[target]), *range(row.period_ns - row.jitter_ns, 100 * MS, row.period_ns)], [])
            for index, row in enumerate(asked.rows)
        ]  # fmt: skip
        simulated(messages, poisson_times(source, per_second, -1e6), fifo, due_ns)
        ended = messages[target].ended
        missed += not ended or ended[0] > due_ns
    return missed


CASES = (  # with 0, 0, 1 and 2 errors that are tolerated
    (bus(2, 3, 10, 50, deadline_ms=1.4), 100, 0.3),
    (bus(3, 3, 3, 50, deadline_ms=2, jitter_ms=0.6), 300, 0.3),
    (bus(1, 5, 5, 50, deadline_ms=2), 200, 0.15),
    (bus(2, 3, 10, 50, deadline_ms=1.8), 300, 0.05),
)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_bus_in_simulation_misses_no_more_often(case: int) -> None:
    asked, per_second, tight = CASES[case]
    found = misses.misses(asked, rate.parse(f"random:{per_second}/s"))[-2]
    bound, episodes = float(found.probability), 2500
    missed = observed(asked, per_second, episodes)
    assert missed <= episodes * bound + 4 * math.sqrt(episodes * bound)
    assert missed >= max(10, tight * episodes * bound)  # what is compared is near the bound


def test_other_queues_than_those_by_priority() -> None:
    """The first of the bus waits for its node's, and they for those of the other: the busy period is that of all."""
    asked = bus(*[20] * 7, 50, deadline_ms=2.2, target=0, fifo=True)
    found = misses.misses(asked, rate.parse("random:60/s"))[0]
    missed, bound = observed(asked, 60, 1500, target=0, fifo=True), float(found.probability)
    assert found.tolerated == 0
    assert 0.4 * bound < missed / 1500 < bound


def test_a_busy_period_with_errors() -> None:
    """Each error at the end of a frame, one after another from the end of the frame that blocks."""
    asked = bus(2, 3, 10, 50, deadline_ms=10, jitter_ms=0.5)
    level = misses.Level(asked.rows[:3], FRAME_NS, ERROR_NS)
    for count in range(8):
        messages = [Naive(0, [1, *range(row.period_ns - row.jitter_ns + 1, 100 * MS, row.period_ns)], [])
                    for row in asked.rows[:3]]  # fmt: skip
        lost = [FRAME_NS * (2 + k) + ERROR_NS * k - 1 for k in range(count)]
        simulated([*messages, Naive(0, [0], [])], iter([*lost, math.inf]), False, 50 * MS)
        ends = sorted(end for one in messages for end in one.ended)
        queued = sorted(at for one in messages for at in one.queued)
        busy = next(end for index, end in enumerate(ends) if queued[index + 1] >= end)
        assert busy == level.window_ns(count) - level.carried_ns


@pytest.mark.parametrize("depth", [misses.DEPTH, 2])
def test_the_probability_is_that_of_the_windows(monkeypatch: pytest.MonkeyPatch, depth: int) -> None:
    """Drawn errors: a miss is a k > K whose k-th error, backwards from the deadline, lies within its window."""
    monkeypatch.setattr(misses, "DEPTH", depth)
    level = misses.Level(bus(50, 60, deadline_ms=50).rows, 0, ERROR_NS)
    windows = [level.window_ns(k) for k in range(40)]
    source, draws, missed = random.Random(SEED), 20_000, 0
    for _ in range(draws):
        times = takewhile(lambda time: time <= windows[-1], poisson_times(source, 1500, 0))
        missed += any(time <= windows[k] for k, time in enumerate(times, 1) if k > 1)
    found = float(misses.probability(level, 1, rate.parse("random:1500/s"), 500_000))
    near = 4 * math.sqrt(draws * found * (1 - found))
    assert missed <= draws * found + near
    assert depth == 2 or missed >= draws * found - near
    assert 0.2 < found < 0.9


def exponential(mean: Fraction) -> Fraction:
    """e^-mean, to 60 digits."""
    term, total, count = Fraction(1), Fraction(0), 0
    while term > Fraction(1, 10**70):
        total += term
        count += 1
        term = term * mean / count
    return 1 / total


@pytest.mark.parametrize("mean", ["1e-9", "0.3", "7.25"])
def test_terms_and_tails_are_rounded_up(mean: str) -> None:
    exact, terms = exponential(Fraction(mean)), list(islice(upward.poisson(Decimal(mean)), 60))
    sums = []
    for count, term in enumerate(terms):
        assert 1 <= Fraction(term) / exact < 1 + Fraction(1, 10**37)
        sums.append(exact)
        exact = exact * Fraction(mean) / (count + 1)
    for count in range(20):
        least = sum(sums[count:]) if count else 1
        assert least <= Fraction(upward.tail(Decimal(mean), count, terms[count]))
    assert Fraction(upward.tail(Decimal(mean), 20, terms[20])) < sum(sums[20:]) * Fraction(11, 10)


def test_bits_that_are_disturbed_are_no_more_than_the_distribution_has() -> None:
    for chance in ("0.1", "0.01"):
        bits, share = 12, Fraction(chance)
        mean = rate.mean(rate.parse(f"random:{chance}"), (bits - 1) * BIT_NS, 500_000)  # the next bit may be in it, too
        terms = list(islice(upward.poisson(mean), bits + 2))
        for count in range(1, bits + 1):
            exact = sum(math.comb(bits, k) * share**k * (1 - share) ** (bits - k) for k in range(count, bits + 1))
            assert exact <= Fraction(upward.tail(mean, count, terms[count]))


def test_windows_beyond_those_that_are_summed() -> None:
    """Their common bound is above the sum of their own."""
    level = misses.Level(CASES[1][0].rows[:3], FRAME_NS, ERROR_NS)
    given = rate.parse("random:600/s")
    total = Decimal(0)
    for k in range(9, 60):
        mean = rate.mean(given, level.window_ns(k), 500_000)
        total += upward.tail(mean, k, next(islice(upward.poisson(mean), k, None)))
    assert total <= misses._beyond(level, 9, given, 500_000) < 1
    assert all(level.window_ns(k) <= k * level.slope_ns(9) for k in range(9, 300))


def test_the_command(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)
    said = takt("can", "check", str(path), "--bitrate", "1M", "--errors", "random:1e-6")
    assert said.code == 0
    assert said.out.startswith("Proved without errors: 10 messages")
    assert "Errors at random (1e-6 of the bits) leave no response a bound: what is proved is" in said.out
    found = document(takt("can", "check", str(path), "--bitrate", "1M", "--errors", "random:1e-6", "--json"))
    assert found["errors_at_random"] == {"per_second": None, "per_bit": 1e-6}
    chances = {one["name"]: one["miss_probability"] for one in found["messages"]}
    worst = max(chances, key=lambda name: chances[name])
    assert f"at most {number(Decimal(chances[worst]))} ({worst}, " in said.out
    hourly = sum(chances[one["name"]] * 3.6e12 / one["period_ns"] for one in found["messages"])
    assert found["misses_per_hour"] == pytest.approx(hourly)
    tolerated = {one["name"]: one["errors_tolerated"] for one in found["messages"]}[worst]
    for errors, code in ((tolerated, 0), (tolerated + 1, 1)):
        assert takt("can", "check", str(path), "--bitrate", "1M", "--errors", f"{errors}/100s").code == code


def test_what_is_late_without_errors_has_no_probability_below_1(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)
    asked = ("can", "check", str(path), "--bitrate", "500k", "--errors", "random:2/s")
    said = takt(*asked)
    assert said.code == 1
    assert "With them 1 of 10 messages have no probability of a miss below 1." in said.out
    quick = next(one for one in document(takt(*asked, "--json"))["messages"] if one["name"] == "quick")
    assert (quick["errors_tolerated"], quick["miss_probability"]) == (-1, 1)


@pytest.mark.parametrize(
    ("given", "problem", "hint"),
    [
        ("random:", '--errors: "random:" is no rate of random errors', "random:1e-7 (of the bits), or random:10/s"),
        ("random:10/m", '--errors: "random:10/m" is no rate', "random:10/s"),
        ("random:2", "--errors: random:2", "above 0, at most 0.1 of the bits"),
        ("random:0/s", "--errors: random:0/s", "above 0, at most 1000000/s"),
    ],
)
def test_a_rate_that_is_none(takt: Takt, tmp_path: Path, given: str, problem: str, hint: str) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)
    said = takt("can", "check", str(path), "--bitrate", "1M", "--errors", given)
    assert (said.code, said.out) == (2, "")
    assert problem in said.err
    assert hint in said.err


def test_other_commands_want_a_bound(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)
    for words in (("assign", str(path)), ("explain", str(path), "quick"), ("simulate", str(path))):
        said = takt("can", *words, "--bitrate", "1M", "--errors", "random:1e-6")
        assert said.code == 2
        assert "--errors: random:1e-6 is no bound" in said.err
