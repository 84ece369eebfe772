# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce semaphores`: what is kept is what the board says, and what is worked out from it."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt, documented, keys
from takt.bench import documents, kernel
from takt.reproduce import csd, page, semaphores


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    """Two queues; counts are exact."""
    return semaphores.measure((3, 15), repeats=semaphores.REPEATS)


def test_what_is_kept_is_what_the_board_says(measured: dict[str, Any]) -> None:
    kept = documents.results("reproduction-semaphores")
    assert kept["repeats"] == semaphores.REPEATS
    assert measured["rows"] == [row for row in kept["rows"] if row["tasks"] in (3, 15)]
    assert measured["statements"] == kept["statements"]
    assert measured["where"] == kept["where"]


def test_the_rows_are_those_of_bench_kernel(measured: dict[str, Any]) -> None:
    """The same operation in a run with all rows: t1 is that of `mutex_contended` except its loop."""
    golden = json.loads(kernel.golden_path(semaphores.BOARD).read_text(encoding="utf-8"))["fixed, 4 others"]
    known = semaphores.of(measured["rows"], "fixed", "lean")[15]
    assert (known["t2"], known["t3"]) == (golden["contended_plain"][0], golden["contended_hinted"][0])
    assert known["t1"] == pytest.approx(golden["mutex_contended"][0], abs=4)


def test_the_profile_accounts_for_every_instruction(measured: dict[str, Any]) -> None:
    for item in measured["where"]:
        row = semaphores.of(measured["rows"], item["band"], "lean")[semaphores.PROFILED]
        wanted = row["t2"] if item["row"] == "contended_plain" else row["t3"]
        assert sum(item["functions"].values()) == pytest.approx(wanted, abs=4)


ROWS = [
    {"band": "edf", "preset": "lean", "tasks": tasks, "plain": 40.0 + tasks, "hinted": 40.0, "percent": 5.0}
    for tasks in (3, 13)
]


def test_what_a_task_more_costs() -> None:
    assert semaphores.grown(ROWS, "edf", "lean", "plain") == 1.0
    assert semaphores.grown(ROWS, "edf", "lean", "hinted") == 0.0


def test_with_a_hint_it_takes_what_the_seed_says_it_does(measured: dict[str, Any]) -> None:
    """t1 - (t2 - t3), and figure 5.11."""
    for row in measured["rows"]:
        assert row["hinted"] == pytest.approx(row["t1"] - row["t2"] + row["t3"], abs=0.001)
        assert row["percent"] == pytest.approx(100 - 100 * row["hinted"] / row["t1"], abs=0.1)


def test_a_line_that_would_press_the_others_together_is_named(measured: dict[str, Any]) -> None:
    def slower(row: dict[str, Any]) -> dict[str, Any]:
        if (row["band"], row["preset"]) != ("fixed", "lean"):
            return row
        return {**row, "hinted": 2.5 * row["plain"], "percent": -150.0}

    document = {**measured, "rows": [slower(row) for row in measured["rows"]]}
    text = semaphores.pictures(document)["reproduction-5.11.svg"]
    assert "below the picture: fixed band, preset lean, where" in text
    assert "take 2.5 times as long with a hint" in text
    assert ("edf, as the seed says" in text, "fixed, lean" in text) == (True, False)
    said = "In a fixed band of preset lean a lock and an unlock take 2.5 times as long with a hint as without"
    assert said in page.worse(document)


def test_where_a_hint_is_nothing_it_takes_nothing(measured: dict[str, Any]) -> None:
    """In a fixed band; in preset lean to the instruction. In an edf band a hint saves little in standard, and costs a
    little in lean: kernels without budgets or protection are not built so."""
    for row in measured["rows"]:
        if row["band"] == "fixed":
            assert row["percent"] == (0 if row["preset"] == "lean" else pytest.approx(0, abs=2))
        else:
            assert 2 < row["percent"] < 10 if row["preset"] == "standard" else -4 < row["percent"] < 5
    assert "below the picture: fixed" not in semaphores.pictures(measured)["reproduction-5.11.svg"]


def test_no_line_is_below_where_all_save() -> None:
    assert page.worse({"rows": ROWS}) == "No line is below the picture."


def test_the_page_says_how_to_get_its_figures(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands on it are those that made what is kept, not whatever they do without a number."""
    kept: dict[str, Any] = {name: documents.results(f"reproduction-{name}") for name in ("csd", "semaphores")}
    changed = {**kept["csd"], "workloads": 321, "seeds": [4, 5]}, {**kept["semaphores"], "repeats": 54}
    called: list[Any] = []

    def measure(name: str, *words: Any, repeats: int = 0) -> Any:
        called.append(words or repeats)
        return kept[name]

    monkeypatch.setattr(csd, "measure", partial(measure, "csd"))
    monkeypatch.setattr(semaphores, "measure", partial(measure, "semaphores"))
    for curves, locks in ((kept["csd"], kept["semaphores"]), changed):
        text = next(text for path, text in page.files(tmp_path, curves, locks).items() if path.suffix == ".md")
        for line in re.findall(r"^    ./takt (reproduce .*)", text, re.MULTILINE):
            assert takt(*line.split(), "--json").code == 0
        number, seeds = called.pop(0)
        assert (number, list(seeds)) == (curves["workloads"], curves["seeds"])
        assert called.pop(0) == locks["repeats"]


def test_the_keys_are_documented(
    takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: dict[str, Any]
) -> None:
    monkeypatch.setattr(semaphores, "measure", lambda repeats: measured)
    said = takt("reproduce", "semaphores", "--json", "--out", tmp_path)
    assert said.code == 0, said.err
    found = {key for key in keys(json.loads(said.out)) if not key.startswith("where[].functions.")}
    assert found == documented("reproduce semaphores")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reproduction-5.11.svg", "reproduction-5.9-5.10.svg"]
    table = takt("reproduce", "semaphores", "--out", tmp_path)
    assert "Figure 5.10: lock and unlock in a band of kind fixed" in table.out


def test_misuse(takt: Takt) -> None:
    assert takt("reproduce", "semaphores", "--repeats", "0").code == 2
    said = takt("reproduce", "csdd")
    assert said.code == 2
