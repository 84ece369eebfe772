# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce can`: tables 7.3 and 7.4, and the printed update of identifiers on a simulated bus."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from can_files import compiled
from command_line import Takt
from running import only_full
from takt.bench import documents
from takt.reproduce.can import command, costs, study
from takt.support.errors import UserError

counted = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    document: dict[str, Any] = documents.results(command.KEPT)
    return document


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("benchmarks/canbus/printed_update.c", tmp_path_factory.mktemp("update") / "printed_update")


def test_costs_are_divided_by_a_message_with_a_mailbox_of_its_own() -> None:
    rows: list[costs.Row] = [
        {"table": "7.3", "name": "a", "words": "x", "us": 3.0, "here": {"one": 1}},
        {"table": "7.3", "name": costs.BASE, "words": "y", "us": 12.0, "here": {"one": 1, "two": 1}},
        {"table": "7.4", "name": "b", "words": "z", "here": {"two/20": 0.1, "two": -0.1}},
    ]
    assert costs.operations(rows) == ["nothing", "one", "two", "two/20"]
    found = costs.costs(rows, {"nothing": 10, "one": 60, "two": 160, "two/20": 460})
    assert [(row["instructions"], row["here"], row["seed"]) for row in found] == [
        (50, 0.25, 0.25),
        (200, 1, 1),
        (30, 0.15, None),
    ]
    assert [row["us"] for row in found] == [3, 12, None]


def test_costs_of_the_seed_add_up() -> None:
    """As 7.5.3 has them: 16.8 us, 73.3 and 1.55 for each that waits, 184.4 an epoch with 5 messages."""
    rows = study.reference()["costs"]
    us = {row["name"]: row["us"] for row in rows if "us" in row}
    assert us[costs.BASE] == pytest.approx(us["identifier"] + us["transfer"] + 6)
    parts = ("identifier", "insert", "preempt", "transfer", "interrupt")
    assert us["queued"] == pytest.approx(sum(us[name] for name in parts) + 10 * us["each"])
    assert us["epoch"] == pytest.approx(us["begin"] + 2 * (us["receive"] + us["lookup"]) + 5 * us["rewrite"])


def test_what_is_kept_has_every_row(kept: dict[str, Any]) -> None:
    rows = study.reference()["costs"]
    assert [row["words"] for row in kept["costs"]] == [row["words"] for row in rows]
    assert {(row["variant"], row["streams"]) for row in kept["update"]} == {
        (variant, streams) for variant in costs.VARIANTS for streams in costs.STREAMS
    }


@only_full
@counted
def test_a_message_that_waits_costs_the_one_behind_it(tmp_path: Path) -> None:
    folder = costs.build()
    few, many = (costs.instructions(folder / "operations", f"queued/{waiting}") for waiting in (10, 20))
    assert 5 <= (many - few) / 10 <= 50
    assert few < costs.instructions(folder / "operations", "preempt/10")
    with pytest.raises(UserError, match="WAITING of 0 to"):
        costs.instructions(folder / "operations", "queued/999")


def test_without_a_signal_all_are_in_time(program: Path) -> None:
    for streams in costs.STREAMS:
        found = costs.update(program, "ideal", streams, 1, 300)
        names = ("late", "inverted", "lost", "unheard", "apart")
        assert {name: found[name] for name in names} == dict.fromkeys(names, 0)
        assert found["epochs"] == 300
        assert found["frames"] > 300 * streams / 2  # a period is at most 3 ms


def test_the_update_changes_identifiers_where_a_message_is_ready(program: Path) -> None:
    """With the bus overloaded there always is one: as good as without a signal."""
    ideal, second = (costs.update(program, variant, 20, 1, 300) for variant in ("ideal", "second"))
    assert second["unheard"] < 10
    assert second["apart"] == 0
    assert second["inverted"] < second["frames"] / 50
    assert second["frames"] > 0.95 * ideal["frames"]


def test_the_update_fails_where_none_is(program: Path) -> None:
    found = {
        variant: costs.update(program, variant, 12, 3, 300) for variant in ("first", "second", "skew", "disturbed")
    }
    for one in found.values():
        assert one["unheard"] > 30
        assert one["inverted"] > 50
    assert found["first"]["apart"] == found["second"]["apart"] == 0
    assert found["disturbed"]["inverted"] > found["second"]["inverted"]


def test_misuse_of_the_programs(program: Path) -> None:
    with pytest.raises(UserError, match="VARIANT, STREAMS of 1 to 20"):
        costs.update(program, "nothing", 12, 1, 300)


def test_without_callgrind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="valgrind, which counts instructions, is not installed"):
        costs.instructions(tmp_path / "operations", "tick")


@only_full
@counted
def test_the_command(takt: Takt, kept: dict[str, Any]) -> None:
    """What is simulated is as kept; instructions depend on the compiler."""
    said = takt("reproduce", "can", "--costs", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert document["cases"] == {}
    assert document["update"] == kept["update"]
    assert [row["words"] for row in document["costs"]] == [row["words"] for row in kept["costs"]]
