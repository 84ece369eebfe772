# SPDX-License-Identifier: Apache-2.0
"""takt_analysis_part: some levels of a set, with those above in the way; by hand, and all parts against the whole."""

from __future__ import annotations

import ctypes
import random

import pytest
from analysis_sets import FEASIBLE, INFEASIBLE, UNDECIDED, Row, make_set
from takt.prove.analysis_library import DEADLINE, EQUAL, INVALID, OK, Set, load


def part(of: Set, first: int, end: int) -> tuple[int, int, int]:
    """Of takt_analysis_part: status, verdict, and which task is not feasible."""
    verdict, failing = ctypes.c_int(), ctypes.c_size_t()
    status = load().takt_analysis_part(of, first, end, verdict, failing)
    return status, verdict.value, failing.value


# By hand: 0 and 3 hold; the edf level of 1 and 2 does not (2 + 3 ms within 4, and 1 ms above); 4 has 1 ms of its 2.
ROWS = [
    Row(1, 4, level=0),
    Row(2, 8, 4, level=1, order=DEADLINE),
    Row(3, 8, 4, level=1, order=DEADLINE),
    Row(0, 8, level=2),
    Row(2, 8, level=3),
]


@pytest.mark.parametrize(
    ("first", "end", "expected"),
    [
        (0, 1, (OK, FEASIBLE, 1)),
        (1, 3, (OK, INFEASIBLE, 1)),
        (0, 5, (OK, INFEASIBLE, 1)),
        (3, 4, (OK, FEASIBLE, 4)),
        (3, 5, (OK, INFEASIBLE, 4)),
        (2, 2, (INVALID, UNDECIDED, 2)),
        (0, 2, (INVALID, UNDECIDED, 0)),
        (1, 0, (INVALID, UNDECIDED, 1)),
        (0, 6, (INVALID, UNDECIDED, 0)),
        (5, 5, (OK, FEASIBLE, 5)),
    ],
)
def test_parts(first: int, end: int, expected: tuple[int, int, int]) -> None:
    assert part(make_set(ROWS), first, end) == expected


def test_a_broken_set() -> None:
    assert part(make_set([Row(1, 4, level=1), Row(1, 4, level=0)]), 0, 2) == (INVALID, UNDECIDED, 0)


def test_a_level_of_equals_names_the_one_that_fails() -> None:
    equals = [Row(2, 10, 10, level=0), Row(2, 10, 3, level=0), Row(2, 10, 10, level=0)]
    assert part(make_set(equals), 0, 3) == (OK, INFEASIBLE, 1)


def test_undecided_is_said() -> None:
    assert part(make_set([Row(2, 4, level=0), Row(3, 8, level=1)], iterations=1), 0, 2) == (OK, UNDECIDED, 1)


def test_all_parts_hold_where_the_whole_does() -> None:
    seen = set()
    for seed in range(300):
        chance = random.Random(seed)
        rows: list[Row] = []
        level = -1
        for index in range(5):
            order = chance.choice((EQUAL, DEADLINE))
            level += index == 0 or order == EQUAL or rows[-1].order == EQUAL or chance.random() < 0.3
            period = chance.randint(10, 40)
            rows.append(Row(chance.randint(1, 9), period, chance.randint(period // 2, period), level, order))
        whole = make_set(rows)
        verdict = ctypes.c_int()
        assert load().takt_analysis_feasible(whole, verdict, None, None) == OK
        borders = [index for index in range(5) if index == 0 or rows[index].level != rows[index - 1].level]
        ends = [*borders[1:], 5]
        verdicts = [part(whole, first, end)[1] for first, end in zip(borders, ends, strict=True)]
        assert (verdict.value == FEASIBLE) == all(one == FEASIBLE for one in verdicts)
        assert part(whole, 0, 5)[1] == verdict.value
        seen.add(verdict.value)
    assert seen == {FEASIBLE, INFEASIBLE}
