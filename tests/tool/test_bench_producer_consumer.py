# SPDX-License-Identifier: Apache-2.0
"""`takt bench producer_consumer`: counts that are known by calculation, and the figures that are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from command_line import Takt, documented, keys
from running import FULL, HOST_AND_FIRST
from takt.bench import producer_consumer as bench
from takt.bench.documents import results
from takt.bench.producer_consumer import CHANNELS, HOST, Program, Reading

ITEMS = 10
ONE = {"number": "", "producers": 1, "consumers": 1, "period_ms": 250, "consumer_period_ms": 250, "items": ITEMS}
FIVE = {**ONE, "producers": 5, "consumer_period_ms": 50}


def late(run: Program) -> bool:
    """Whether the consumer's first release comes after the producer's: system.c's congruence."""
    producer = (run.seed * 1664525 + 1013904223) % 2**32
    consumer = (producer * 1664525 + 1013904223) % 2**32
    return consumer >> 8 > producer >> 8


def runs(shape: dict[str, Any], scheduler: str, layouts: int) -> dict[str, list[Program]]:
    """By channel."""
    found: dict[str, list[Program]] = {name: [] for name in CHANNELS}
    for run in bench.programs(HOST, shape, layouts):
        if run.scheduler == scheduler:
            found[CHANNELS[run.channel]].append(run)
    return found


@pytest.mark.parametrize("scheduler", bench.SCHEDULERS if FULL else ["fixed"])
def test_the_counts_of_one_producer_are_known(scheduler: str) -> None:
    """Both get the processor once a period and give it back; a consumer that comes first finds nothing once more."""
    by_channel = runs(ONE, scheduler, 4)
    found = bench.run_all([run for some in by_channel.values() for run in some])
    assert {late(run) for run in by_channel["mailbox"]} == {False, True}
    for run in by_channel["mailbox"]:
        early = not late(run)
        assert found[run]["switches"] == 4 * ITEMS - 1 + 2 * early
        assert found[run]["calls"] == 3 * ITEMS - 1 + early
    for run, mailbox in zip(by_channel["ring"], by_channel["mailbox"], strict=True):
        assert found[run]["calls"] == 0
        assert found[run]["switches"] == found[mailbox]["switches"]
        assert found[run]["locks"] == found[mailbox]["locks"] - found[mailbox]["calls"]
    for run in by_channel["mailbox, woken"]:
        assert found[run]["calls"] == 2 * ITEMS
        assert found[run]["switches"] == 3 * ITEMS - 1


def test_nothing_but_work_takes_time_on_the_host() -> None:
    some = [run for alike in runs(FIVE, "edf", 1).values() for run in alike]
    for run, found in bench.run_all(some).items():
        assert 0 <= bench.besides_work_ns(run, found) < bench.TURN_US[HOST] * 1000


def test_the_keys_are_documented(takt: Takt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        bench,
        "figures",
        lambda: [{**ONE, "number": number, "quantity": "switches", "said": ""} for number in bench.READ],
    )
    said = takt("bench", "producer_consumer", "--no-boards", "--layouts", "1", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert set(keys(document)) == documented("bench producer_consumer")
    assert bench.readings(document).markdown().count("\n| 1/") == len(bench.READINGS)
    said = takt("bench", "producer_consumer", "--no-boards", "--layouts", "1")
    assert said.out.startswith("By how many percent fewer")


def counts(row: Mapping[str, Any], board: str) -> list[float]:
    return [row["instructions"][board]] if board != HOST else [row[name] for name in ("switches", "locks", "calls")]


@pytest.mark.parametrize("board", HOST_AND_FIRST)
def test_the_figures_are_as_kept(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the smallest: figure 5-6."""
    kept = results("producer_consumer")
    figure = next(figure for figure in bench.figures() if figure["number"] == "5-6")
    monkeypatch.setattr(bench, "figures", lambda: [figure])
    boards, layouts = ((), kept["layouts"]) if board == HOST else ((board,), 1)
    found = bench.measure(boards, layouts)["figures"][0]["rows"]
    rows = next(kept for kept in kept["figures"] if kept["number"] == "5-6")["rows"]
    assert [counts(row, board) for row in found] == [counts(row, board) for row in rows]


def test_what_is_compared_with_the_seed() -> None:
    rows = [
        {"scheduler": scheduler, "channel": channel, "switches": switches, "locks": locks}
        for scheduler, channel, switches, locks in (
            ("fixed", "mailbox", 100.0, 40.0),
            ("fixed", "ring", 80.0, 30.0),
            ("edf", "mailbox", 75.0, 50.0),
            ("edf", "ring", 20.0, 10.0),
        )
    ]
    assert bench.lower_percent({"quantity": "switches", "rows": rows}) == {"mailbox": 25.0, "ring": 75.0}
    assert bench.lower_percent({"quantity": "locks", "rows": rows}) == {"fixed": 25.0, "edf": 80.0}


def test_edf_saves_switches_where_many_producers_overlap() -> None:
    """As in the seed: none with one producer, more than a fifth with fifteen; and rings save a quarter of the locks."""
    kept = {figure["number"]: bench.lower_percent(figure) for figure in results("producer_consumer")["figures"]}
    assert set(kept["5-1"].values()) == {0}
    assert kept["5-4"]["mailbox"] > 20
    assert min(kept["5-9"].values()) > 25


@pytest.mark.parametrize(("order", "more"), [("consumers last", -1), ("consumers first", 1), ("all alike", -1)])
def test_the_switches_of_a_reading_are_known(order: str, more: int) -> None:
    """Released together, each runs once in a round, and the task below once; a consumer that comes first takes what the
    round before made."""
    reading = Reading(order=order, together=True)
    shape = {**FIVE, "consumer_period_ms": FIVE["period_ms"]}
    (fixed,) = (run for run in bench.read_programs(shape, 4, reading) if run.scheduler == "fixed")
    assert bench.run_all([fixed])[fixed]["switches"] == 7 * ITEMS + more


def test_a_reading_is_of_its_own_runs() -> None:
    reading = Reading(produce=bench.HEAVY)
    figure = {**FIVE, "number": "5-2"}
    runs = bench.read_programs(figure, 2, reading)
    assert {(run.produce_us, run.consume_us, run.options()["order"]) for run in runs} == {(250_000 // 6, 2500, 0)}
    found = {run: {"switches": 100 if run.scheduler == "fixed" else 75} for run in runs}
    row = bench._reading(figure, 2, reading, found)
    assert (row["fixed"], row["edf"], row["lower_percent"]) == (2.0, 1.5, 25.0)


def test_what_the_page_says_of_the_readings_is_kept() -> None:
    rows = results("producer_consumer")["readings"]
    assert len(rows) == len(bench.READ) * len(bench.READINGS)
    for row in rows:
        assert row["lower_percent"] == pytest.approx(100 * (1 - row["edf"] / row["fixed"]), abs=0.1)
