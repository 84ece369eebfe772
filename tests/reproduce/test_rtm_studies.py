# SPDX-License-Identifier: Apache-2.0
"""The studies beside the grid of `takt reproduce rtm`: wait states of the memory, many seeds, a public suite."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from takt.bench import documents
from takt.bench.studies import rtm, rtm_kernels, rtm_runs
from takt.bench.studies.rtm_runs import Run, Seen
from takt.reproduce import rtm_page
from takt.reproduce.rtm_studies import kernel_share, seeds, suite, waits
from takt.sweep import experiments

SPAN_NS = 320_000_000


def seen_of(percent: float, run: Run, late: int = 0) -> Seen:
    """All of it in the first category; with the seed the longest response and the most jitter grow."""
    counted = dict.fromkeys(rtm.CATEGORIES[run.kernel], 0)
    counted[next(iter(counted))] = round(percent / 100 * SPAN_NS / rtm_runs.CYCLE_NS)
    return Seen(SPAN_NS, late, [7000, 7000, 8000 + 20 * run.seed], [0, 40 * run.seed], counted)


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Runs, which follow a rule: each wait state is a percent more, each seed a hundredth, the task manager takes half
    of all away, and with 4 wait states frames are late."""
    runs: list[Run] = []

    def execute(run: Run) -> Seen:
        runs.append(run)
        waited = run.fetch_waits + run.data_waits
        percent = (10 + waited + run.seed / 100) / (2 if run.kind == "manager" else 1)
        return seen_of(percent, run, late=int(waited == 4))

    monkeypatch.setattr(rtm_runs, "execute", execute)
    monkeypatch.setattr(experiments, "build", lambda some: None)
    return runs


def test_rows_that_are_there_are_not_computed_again(tmp_path: Path, simulated: list[Run]) -> None:
    wanted = waits.runs()
    first = experiments.rows_of(wanted[:5], tmp_path / "rows", 1)
    again = experiments.rows_of(wanted[:9], tmp_path / "rows", 1)
    assert again[:5] == first
    assert simulated == wanted[:9]
    assert [{name: row[name] for name in asdict(wanted[0])} for row in again] == [asdict(run) for run in wanted[:9]]


def test_a_memory_makes_a_run_another_one(tmp_path: Path, simulated: list[Run]) -> None:
    """And its simulator has it."""
    without, with_it = waits.runs()[0], waits.runs()[-1]
    assert without.waits() == ["--fetch-waits", "0", "--data-waits", "0"]
    assert with_it.waits() == ["--fetch-waits", "0", "--data-waits", "2"]
    same = Run(**{**asdict(without), "data_waits": 2})
    rows = experiments.rows_of([without, same], tmp_path / "rows", 1)
    assert rows[0]["cycles"] != rows[1]["cycles"]
    assert experiments.rows_of([same], tmp_path / "rows", 1) == rows[1:]


def test_what_the_task_manager_changes_by_wait_states(tmp_path: Path, simulated: list[Run]) -> None:
    found = waits.measure(tmp_path / "rows")
    assert len(found["rows"]) == len(waits.runs())
    rows = {(row[0], row[1]): row[2:] for row in waits.table(found, waits.CHANNELS[0]).rows}
    assert rows["classic", "software"] == ["10.01", "12.01", "late", "12.01", "12.01"]
    assert rows["classic", "manager"] == ["5.00", "6.00", "late", "6.00", "6.00"]
    assert rows["classic", "change, %"] == ["-50", "-50", None, "-50", "-50"]
    assert {kernel for kernel, _ in rows} == set(rtm_kernels.KERNELS)


def test_seeds_of_one_configuration_are_a_mean() -> None:
    """And it is late if one of them is."""
    runs = (Run("classic", "software", rtm.CODEC, 2, seed, 2, 100) for seed in (1, 2))
    rows: list[dict[str, Any]] = [{**asdict(run), "span_ns": SPAN_NS, "late": run.seed - 1} for run in runs]
    for row, count in zip(rows, (1_000_000, 3_000_000), strict=True):
        row.update(cycles={"tick": count}, responses={}, jitter={})
    (found,) = kernel_share.together(rows, ("kernel", "kind"))
    assert found == {"kernel": "classic", "kind": "software", "late": 1, "percent": 12.5}


def test_how_far_seeds_differ(tmp_path: Path, simulated: list[Run]) -> None:
    """Of 40 seeds and of 3: shares 10.01 to 10.40, the longest response 401 to 440 cycles, the most jitter 2 to 80."""
    found = seeds.measure(tmp_path / "rows")
    assert len(simulated) == len(set(simulated)) == 8 * (40 + 3)
    assert {run.periods * rtm_runs.HYPERPERIOD_MS for run in simulated} == {320, 1120}
    tables = {name: seeds.table(found, name).rows[0] for name in seeds.TITLES}
    assert tables["percent"][2:6] == ["10.020", "10.205", "10.010", "10.400"]
    assert tables["response_cycles"][2:] == ["350", "350", "350", "350", "0"]
    assert tables["response_cycles_max"][2:6] == ["403", "420", "401", "440"]
    assert tables["jitter_cycles_max"][2:6] == ["6", "41", "2", "80"]
    deviation = 2 * (sum((seed - 20.5) ** 2 for seed in range(1, 41)) / 39) ** 0.5
    assert tables["jitter_cycles_max"][6:] == [f"{deviation:.0f}"]
    nos = next(row for row in found["rows"] if (row["kernel"], row["kind"]) == ("nos", "manager"))
    nos["many"]["response_cycles_max"][7] = 880
    lines = {(row[0], row[1]): row[2:] for row in seeds.changes(found).rows}
    assert lines["classic", seeds.TITLES["percent"]] == ["-50", "-50"]
    assert lines["nos", seeds.TITLES["response_cycles_max"]] == ["+0", "+100"]
    assert len(lines) == 4 * len(seeds.TITLES)


def test_the_suite_has_a_column_for_each_number_of_channels(tmp_path: Path, simulated: list[Run]) -> None:
    table = suite.table(suite.measure(tmp_path / "rows"))
    assert table.heads[2:] == ["1", "2"]
    assert table.rows[0] == ["classic", "software", "10.01", "10.01"]
    assert {run.codec for run in simulated} == {"coremark performance"}
    assert [Run("nos", "software", codec, 1, 1, 1, 100).options()["codec"] for codec in rtm_runs.SUITE] == [8, 9]


@pytest.mark.parametrize("study", rtm_page.STUDIES, ids=lambda study: str(study.NAME))
def test_the_kept_documents_are_of_the_runs_that_are_wanted(study: Any) -> None:
    kept: dict[str, Any] = documents.results(study.NAME)
    names = [
        name for name in ("kernel", "kind", "codec", "channels", "fetch_waits", "data_waits") if name in kept["rows"][0]
    ]
    rows = [tuple(row[name] for name in names) for row in kept["rows"]]
    assert rows == list(dict.fromkeys(tuple(asdict(run)[name] for name in names) for run in study.runs()))
    assert kept["tick_us"] == rtm.TICK_US


def test_a_wait_state_is_a_number(takt: Takt) -> None:
    assert takt("bench", "rtm", "--data-waits", "-1").code == 2
    assert takt("bench", "rtm", "--fetch-waits", "101").code == 2
