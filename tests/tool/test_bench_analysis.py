# SPDX-License-Identifier: Apache-2.0
"""`takt bench analysis`: its sets, its comparison, its keys, and what the kept figures show. No time is tested."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from takt.bench import documents
from takt.bench.studies import analysis
from takt.bench.studies.analysis import Case, DifferenceError, Run
from takt.support.errors import UserError

CASES = [Case(20, load, deadlines) for load in analysis.UTILIZATIONS for deadlines in analysis.DEADLINES]
KEPT = documents.results("analysis")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_sets_are_as_said(case: Case) -> None:
    low, high = analysis.PERIODS_NS
    for number in range(20):
        tasks = case.task_set(number)
        assert tasks == case.task_set(number)
        assert [task[2] for task in tasks] == sorted(task[2] for task in tasks)
        assert sum(wcet / period for wcet, period, _ in tasks) == pytest.approx(case.utilization, abs=1e-5)
        for wcet, period, deadline in tasks:
            assert 1 <= wcet <= deadline <= period
            assert low <= period <= high
            assert deadline >= period // 2 if case.deadlines == "short" else deadline == period
    assert len({tuple(case.task_set(number)) for number in range(20)}) == 20


def test_what_is_written_and_read() -> None:
    assert analysis.text_of([[(1, 4, 4), (2, 6, 5)], [(3, 9, 9)]]) == "2\n1 4 4\n2 6 5\n1\n3 9 9\n"
    assert analysis.parse("0.25\n1 3\n3\n") == Run(0.25, ((1, 3), (3,)))


def test_other_answers_are_reported() -> None:
    ours = Run(1.0, ((1, 3), (3, 7)))
    analysis.compare("sets", ours, Run(9.0, ours.answers))
    with pytest.raises(DifferenceError, match="sets: set 1, task 0: 3 here, 4 by the crate"):
        analysis.compare("sets", ours, Run(1.0, ((1, 3), (4, 7))))


def test_bounds_tell_what_is_feasible() -> None:
    sets = [[(1, 4, 4), (2, 6, 5)]] * 2
    assert analysis.feasible(sets, Run(1.0, ((1, 5), (1, 6)))).answers == ((1,), (0,))


@pytest.fixture(scope="module")
def program() -> Path:
    return analysis.build(False)


def test_the_program_answers(program: Path, tmp_path: Path) -> None:
    """By hand."""
    path = tmp_path / "sets"
    path.write_text(analysis.text_of([[(1, 4, 4), (2, 6, 6), (3, 13, 13)]]))
    assert analysis.run(program, "takt-fixed", path, 0).answers == ((1, 3, 10),)
    path.write_text(analysis.text_of([[(1, 2, 2), (2, 4, 4)], [(2, 4, 3), (2, 4, 3)]]))
    assert analysis.run(program, "takt-edf", path, 0).answers == ((2, 4), (4, 4))
    assert analysis.run(program, "takt-test", path, 0).answers == ((1,), (0,))


@pytest.mark.parametrize(("text", "said"), [("1\n3 2 2\n", "no answer"), ("101\n", "too many"), ("1\n3 2\n", "whole")])
def test_the_program_gives_up(program: Path, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "sets"
    path.write_text(text)
    with pytest.raises(DifferenceError, match=said):
        analysis.run(program, "takt-fixed", path, 0)


def test_the_keys_are_documented(takt: Takt) -> None:
    said = takt("bench", "analysis", "--tasks", "20", "--rounds", "1", "--no-instructions", "--no-peer", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    rows = document["rows"]
    assert [row["analysis"] for row in rows] == list(analysis.ANALYSES) * len(CASES)
    assert all(row["sets"] == analysis.SETS[20] and row["seconds"] > 0 for row in rows)
    assert document["ratio_min"] == {"fixed": None, "edf": None}
    rows[0]["peer"] = KEPT["rows"][0]["peer"]
    assert set(keys(document)) == documented("bench analysis")


def test_a_difference_ends_it(takt: Takt, monkeypatch: pytest.MonkeyPatch) -> None:
    """The edf bounds and the test are held against each other without a peer too."""
    real = analysis.feasible

    def other(sets: list[list[analysis.Task]], bounds: Run) -> Run:
        return Run(0.0, tuple((1 - verdict[0],) for verdict in real(sets, bounds).answers))

    monkeypatch.setattr(analysis, "feasible", other)
    monkeypatch.setattr(analysis, "TURN_S", 0.0)
    said = takt("bench", "analysis", "--tasks", "20", "--rounds", "1", "--no-instructions", "--no-peer")
    assert (said.code, said.out) == (1, "")
    assert "takt: 20 tasks, utilization 0.8, deadlines periods, test: set 0, task 0: 1 here, 0 by the crate" in said.err


def test_the_kept_figures_reach_their_lines() -> None:
    """Twice the crate under fixed priorities, a hundred times under edf, a hundred times SimSo's jobs."""
    rows = KEPT["rows"]
    kinds = {(row["analysis"], row["tasks"], row["utilization"], row["deadlines"]) for row in rows}
    assert len(rows) == len(kinds) == 3 * len(analysis.SETS) * len(CASES)
    for name in analysis.AGAINST_PEER:
        ratios = [row["peer"]["ratio"] for row in rows if row["analysis"] == name]
        assert KEPT["ratio_min"][name] == min(ratios) >= analysis.LINES[name]
    assert KEPT["rounds"] >= 3
    assert documents.results("host")["ratio_min"] >= analysis.LINES["simulation"]


def test_the_crate_is_pinned() -> None:
    lock = tomllib.loads((analysis.SOURCE / "Cargo.lock").read_text(encoding="utf-8"))
    pinned = {package["name"]: package for package in lock["package"]}
    name, version = KEPT["peer"].split()
    assert pinned[name]["version"] == version
    assert all("checksum" in package for package in pinned.values() if package["name"] != "peer")


def test_a_line_for_each_kind_of_sets() -> None:
    table = analysis.table({**KEPT, "rows": KEPT["rows"][:3]})
    fixed, edf, test = KEPT["rows"][:3]
    assert len(table.rows) == 1
    assert table.rows[0][0] == "20 tasks, 0.8, periods"
    assert table.rows[0][3] == f"{fixed['peer']['ratio']:.3g}"
    assert table.rows[0][7] == f"{edf['peer']['ratio']:.3g}"
    assert table.rows[0][9] == f"{test['seconds']:.3g}"
    assert len(table.rows[0]) == len(table.heads)
    alone = [{**row, "peer": None} for row in KEPT["rows"][:3]]
    assert analysis.table({**KEPT, "rows": alone}).rows[0][2:5] == [None, None, None]
    assert analysis.summary({"ratio_min": {"fixed": None, "edf": None}}) == "Nothing was measured beside it."


@pytest.mark.skipif(not os.environ.get("TAKT_TEST_FULL"), reason="builds the crate: only with TAKT_TEST_FULL=1")
def test_the_crate_gives_the_same_answers(tmp_path: Path) -> None:
    try:
        program = analysis.build(True)
    except UserError as error:
        pytest.skip(str(error))
    path = tmp_path / "sets"
    for case in CASES:
        path.write_text(analysis.text_of([case.task_set(1000 + number) for number in range(20)]))
        for name in analysis.AGAINST_PEER:
            ours, peers = (analysis.run(program, f"{side}-{name}", path, 0) for side in ("takt", "peer"))
            analysis.compare(f"{case}, {name}", ours, peers)
