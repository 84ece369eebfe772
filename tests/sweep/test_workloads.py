# SPDX-License-Identifier: Apache-2.0
"""The generators of task sets: their distributions, their sums, and what a file may say."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import pytest
from takt.bench.studies import workloads
from takt.bench.studies.workloads import MS, WATERS, Workload
from takt.support.errors import UserError

RANGE = (1 * MS, 1000 * MS)


def drawn(generator: str, count: int, number: int) -> Workload:
    chance = random.Random(f"{generator} {number}")
    if generator == "uunifast":
        return workloads.uunifast(chance, count, RANGE)
    return workloads.seed000(chance, count) if generator == "seed000" else workloads.waters(chance, count)


@pytest.mark.parametrize("generator", ["seed000", "uunifast", "waters"])
@pytest.mark.parametrize("count", [1, 2, 10, 100])
def test_sums_and_order(generator: str, count: int) -> None:
    for number in range(20):
        item = drawn(generator, count, number)
        assert len(item.periods_ns) == len(item.shares) == count
        assert list(item.periods_ns) == sorted(item.periods_ns)
        assert all(0 <= share <= 1 for share in item.shares)
        assert math.fsum(item.shares) == pytest.approx(1, abs=1e-12)
        tasks = item.system(0.8).tasks
        whole = sum(Fraction(task.wcet_ns, task.period_ns or 1) for task in tasks)
        slack = sum(Fraction(1, task.period_ns or 1) for task in tasks)  # a wcet is a whole ns, and not 0
        assert abs(whole - Fraction(8, 10)) <= slack + Fraction(1, 10**12)
        assert all(task.deadline_ns == task.period_ns for task in tasks)


def test_shares_are_even_over_all_that_have_the_sum() -> None:
    """The share of each of n tasks has the distribution 1 - (1 - x)^(n - 1): mean 1 / n, and this much below 0.1."""
    count = 5
    found = [drawn("uunifast", count, number).shares for number in range(4000)]
    for index in range(count):
        column = [shares[index] for shares in found]
        assert fmean(column) == pytest.approx(1 / count, abs=0.012)
        assert fmean(share < 0.1 for share in column) == pytest.approx(1 - 0.9 ** (count - 1), abs=0.03)


def test_periods_of_uunifast_are_log_uniform() -> None:
    periods = [period for number in range(400) for period in drawn("uunifast", 20, number).periods_ns]
    assert RANGE[0] <= min(periods) <= max(periods) <= RANGE[1]
    for low in (1, 10, 100):
        part = fmean(low * MS <= period < 10 * low * MS for period in periods)
        assert part == pytest.approx(1 / 3, abs=0.03)


def test_periods_of_seed000_have_one_two_or_three_digits() -> None:
    periods = [period // MS for number in range(200) for period in drawn("seed000", 20, number).periods_ns]
    assert (min(periods), max(periods) <= 999) == (5, True)
    for digits in (1, 2, 3):
        assert fmean(len(str(period)) == digits for period in periods) == pytest.approx(1 / 3, abs=0.03)


def test_runnables_of_waters() -> None:
    """Periods as often as the source says; loads in the ratio of times that it allows."""
    sets = [drawn("waters", 20, number) for number in range(500)]
    periods = [period // MS for item in sets for period in item.periods_ns]
    whole = sum(kind.percent for kind in WATERS)
    assert whole == 85
    for kind in WATERS:
        assert fmean(period == kind.period_ms for period in periods) == pytest.approx(kind.percent / whole, abs=0.02)
    kinds = {kind.period_ms * MS: kind for kind in WATERS}
    for item in sets:
        loads = [share * period for share, period in zip(item.shares, item.periods_ns, strict=True)]
        bounds = [kinds[period] for period in item.periods_ns]
        low = max(load / kind.longest_us for load, kind in zip(loads, bounds, strict=True))
        high = min(load / kind.least_us for load, kind in zip(loads, bounds, strict=True))
        assert low <= high * (1 + 1e-9), "no factor brings every time between its least and its longest"


def test_a_divisor_divides_periods_and_deadlines() -> None:
    item = Workload((10 * MS, 20 * MS), (0.5, 0.5), (5 * MS, 20 * MS)).divided(2)
    assert (item.periods_ns, item.deadlines_ns) == ((5 * MS, 10 * MS), (2_500_000, 10 * MS))
    assert workloads.seed000(random.Random(3), 9, 3) == workloads.seed000(random.Random(3), 9).divided(3)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    path.write_text("\ufeffset,C,T,D\na,1 ms,10 ms,\nb,2 ms,8 ms,5 ms\na, 1.5 ms, 5 ms, 4 ms\n", encoding="utf-8")
    found = workloads.read(path)
    assert list(found) == ["a", "b"]
    item, whole = workloads.of_rows(found["a"])
    assert (item.periods_ns, item.deadlines_ns) == ((5 * MS, 10 * MS), (4 * MS, 10 * MS))
    assert whole == pytest.approx(0.4)
    assert [task.wcet_ns for task in item.system(whole).tasks] == [1_500_000, MS]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: the columns are missing"),
        ("C,D\n1 ms,2 ms\n", ":1: the columns are C,D"),
        ("C,T,T\n1 ms,2 ms,2 ms\n", ":1: the columns are C,T,T"),
        ("C,T\n", ": no task"),
        ("C,T,D\n1 ms,2 ms\n", ":2: 3 cells are needed"),
        ("C,T\n1 ms,2 ms,3 ms\n", ":2: 2 cells are needed"),
        ("C,T\n1 ms,2 ms\n1,2 ms\n", ":3: C = 1: the unit is missing"),
        ("C,T\n" + "1" * 200_000 + ",2 ms\n", ":2: not CSV: field larger"),
        ("C,T\n0 ms,2 ms\n", ":2: C = 0 ms, D = 2 ms, T = 2 ms"),
        ("C,T,D\n1 ms,2 ms,3 ms\n", ":2: C = 1 ms, D = 3 ms, T = 2 ms"),
        ("C,T,D\n2 ms,4 ms,1 ms\n", ":2: C = 2 ms, D = 1 ms, T = 4 ms"),
    ],
)
def test_a_malformed_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "sets.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        workloads.read(path)
    assert message in str(caught.value)
    assert caught.value.hint


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe")
    for name, said in (("nowhere.csv", "cannot be read"), ("bytes.csv", "bytes.csv: cannot be read: not UTF-8")):
        with pytest.raises(UserError, match=said):
            workloads.read(tmp_path / name)
