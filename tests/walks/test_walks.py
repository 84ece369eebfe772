# SPDX-License-Identifier: Apache-2.0
"""The walks of ARCHITECTURE.md are what runs do, and short: a reader goes to no file of the kernel more than twice."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from walks.record import PAGE, WALKS, Stop, block, table, visits, walked

# Of each walk: stops, and visits of a file.
LIMITS = {"report": (68, 2), "post": (40, 2), "packet": (40, 3)}

stops = cache(walked)


@pytest.mark.parametrize("name", WALKS)
def test_the_page_has_it(name: str) -> None:
    found = block(name).search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    assert found[0] == table(name, stops(name)), "./takt docs writes it anew"


@pytest.mark.parametrize("name", WALKS)
def test_it_is_short(name: str) -> None:
    files = Counter(file for file, _ in visits(stops(name)))
    stops_max, visits_max = LIMITS[name]
    assert len(stops(name)) <= stops_max
    assert {file: times for file, times in files.items() if times > visits_max} == {}


def test_visits_are_runs() -> None:
    walk = [Stop("a", "x.c"), Stop("b", "x.c"), Stop("c", "y.h"), Stop("d", "x.c")]
    assert visits(walk) == [("x.c", ["a", "b"]), ("y.h", ["c"]), ("x.c", ["d"])]
