# SPDX-License-Identifier: Apache-2.0
"""`takt bench schedulers`: its proof is that of `takt check`, its search finds the best cuts."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from takt.bench.kernel import BOARDS
from takt.bench.studies import breakdown, schedulers
from takt.bench.studies.breakdown import STEPS, Cost, Costs, Cuts, Judge
from takt.bench.studies.workloads import Workload
from takt.declare.schema import boards
from takt.declare.schema.model import Band, Overheads, System, Task, Verdict
from takt.prove import analysis
from takt.support import compile

GROWING = Costs(
    plain=Cost(20_000, 10_000),
    fixed=Cost(21_000, 10_500),
    edf=tuple(Cost(22_000 + 900 * count, 12_000 + 300 * count) for count in range(64)),
    lock=30_000,
    lock_bands=33_000,
)


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    compile.host_library()


def proved(item: Workload, cuts: Cuts, steps: int, costs: Costs) -> bool:
    """The same by `takt check`'s own way, which knows one price for each kind of band."""
    names = [f"t{index}" for index in range(len(item.periods_ns))]
    tasks = tuple(
        Task(name, max(1, round(share * steps * period_ns / STEPS)), period_ns=period_ns, deadline_ns=period_ns)
        for name, period_ns, share in zip(names, item.periods_ns, item.shares, strict=True)
    )
    bands = [Band("edf", (tuple(names[start:end]),)) for start, end in zip((0, *cuts), cuts, strict=False)]
    fixed = names[cuts[-1] if cuts else 0 :]
    bands += [Band("fixed", tuple((name,) for name in fixed))] if fixed else []
    lock = costs.lock_bands if cuts else costs.lock
    price = {"fixed": costs.fixed if cuts else costs.plain, "edf": costs.edf[0]}
    release_ns = {kind: cost.release for kind, cost in price.items()}
    complete_ns = {kind: cost.own for kind, cost in price.items()}
    overheads = Overheads("b", "lean", "bands", 64, 0, 0, lock, release_ns, dict.fromkeys(price, 0), complete_ns)
    system = System(Path("x"), "x", "b", "bands", tasks, tuple(bands))
    return analysis.analyse(system, system.bands, overheads, responses=False).verdict is Verdict.FEASIBLE


def flat(costs: Costs) -> Costs:
    return replace(costs, edf=costs.edf[:1] * len(costs.edf))


@pytest.mark.parametrize("cuts", [(), (12,), (5,), (1, 5), (4, 12)], ids=str)
def test_it_breaks_where_check_refutes(cuts: Cuts) -> None:
    costs = flat(GROWING)
    for number in range(4):
        item = breakdown.workload(12, number, 2)
        steps, _ = breakdown.best(Judge(item, costs), [cuts])
        assert 0 < steps < STEPS
        assert proved(item, cuts, steps, costs)
        assert not proved(item, cuts, steps + 1, costs)


def test_the_search_finds_what_trying_everything_finds() -> None:
    for number in range(6):
        item = breakdown.workload(9, number, 3)
        judge = Judge(item, GROWING)
        found = breakdown.breakdown(item, GROWING)
        for bands, name in ((1, "csd2"), (2, "csd3")):
            every = [breakdown.best(judge, [cuts])[0] for cuts in combinations(range(1, 10), bands)]
            steps, cuts = found[name]
            assert (steps, breakdown.best(judge, [cuts])[0]) == (max(every), max(every))


def test_longer_queues_cost_more_here() -> None:
    """With the same price for every length two edf bands only lose; with these prices they win somewhere."""
    items = [breakdown.workload(30, number, 3) for number in range(3)]
    growing = [breakdown.breakdown(item, GROWING) for item in items]
    even = [breakdown.breakdown(item, flat(GROWING)) for item in items]
    assert all(found["csd3"][0] > found["edf"][0] for found in growing)
    assert all(found["csd3"][0] <= found["edf"][0] for found in even)


def test_periods_have_one_two_or_three_digits() -> None:
    seen = [period // 1_000_000 for number in range(50) for period in breakdown.workload(20, number, 1).periods_ns]
    assert (min(seen), max(seen) > 950) == (5, True)
    digits = [sum(len(str(period)) == length for period in seen) / len(seen) for length in (1, 2, 3)]
    assert digits == pytest.approx([1 / 3] * 3, abs=0.05)
    halves = breakdown.workload(20, 7, 2).periods_ns
    assert halves == tuple(period // 2 for period in breakdown.workload(20, 7, 1).periods_ns)


def test_the_keys_are_documented(takt: Takt) -> None:
    said = takt("bench", "schedulers", "--workloads", "1", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert set(keys(document)) == documented("bench schedulers")
    assert [row["tasks"] for row in document["rows"]] == list(schedulers.COUNTS) * len(breakdown.DIVISORS)


def test_every_board_that_is_shown_has_overheads() -> None:
    assert set(BOARDS) <= set(schedulers.BOARDS)
    assert all((boards.folder_of(name) / "overheads.toml").exists() for name in schedulers.BOARDS)


def test_one_row() -> None:
    found = [
        {"rm": (1000, ()), "edf": (1200, (5,)), "csd2": (1200, (5,)), "csd3": (1300, (2, 5))},
        {"rm": (1000, ()), "edf": (800, (5,)), "csd2": (900, (5,)), "csd3": (950, (2, 5))},
    ]
    row = schedulers.row_of(1, 5, found)
    assert (row["rm"], row["edf"], row["csd3"]) == (0.5, 0.5, 0.5625)
    assert (row["wins"], row["gain"], row["gain_max"]) == (0.5, 0.025, 0.05)
    assert schedulers.overhead_saved(row) == pytest.approx(0.125)
