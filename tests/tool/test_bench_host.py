# SPDX-License-Identifier: Apache-2.0
"""`takt bench host`: its task sets, and that it does not compare speeds of different schedules. No time is tested."""

from __future__ import annotations

import itertools
import json
import struct
from collections.abc import Callable

import pytest
from command_line import Takt, documented, keys
from running import only_full
from takt.bench.studies import simulation
from takt.bench.studies.simulation import Case, DifferenceError, Facts
from takt.support.compile import locked
from takt.support.errors import UserError
from takt.trace.records import Event

ONE = ("bench", "host", "--tasks", "5", "--jobs", "300", "--rounds", "1", "--no-instructions", "--json")


@pytest.fixture
def simso() -> None:
    """SimSo is there; without a package registry in reach the test is skipped."""
    try:
        with locked(simulation.FOLDER):
            simulation.Simso().provide()
    except UserError as error:
        pytest.skip(str(error))


@pytest.fixture
def one_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "UTILIZATIONS", (0.95,))


CASES = list(simulation.cases(simulation.TASKS, simulation.UTILIZATIONS))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_set_has_one_right_schedule(case: Case) -> None:
    """No two priorities are equal under rm, no two absolute deadlines under edf."""
    assert len({task.period_ns for task in case.tasks}) == len(case.tasks)
    assert all(task.period_ns % simulation.MS == 0 for task in case.tasks)
    assert len({task.deadline_ns % simulation.MS for task in case.tasks}) == len(case.tasks)
    assert all(0 < task.wcet_ns <= task.deadline_ns <= task.period_ns for task in case.tasks)
    utilization = sum(task.wcet_ns / task.period_ns for task in case.tasks)
    assert utilization == pytest.approx(case.utilization, abs=1e-5)


def test_the_same_sets_under_both_schedulers_every_time() -> None:
    assert list(simulation.cases(simulation.TASKS, simulation.UTILIZATIONS)) == CASES
    for size, utilization in itertools.product(simulation.TASKS, simulation.UTILIZATIONS):
        rm, edf = (simulation.case(name, size, utilization) for name in ("rm", "edf"))
        assert (rm.tasks, len(rm.tasks)) == (edf.tasks, size)


@only_full
@pytest.mark.usefixtures("simso", "one_set")
def test_both_find_the_same_schedule(takt: Takt) -> None:
    """The set misses deadlines under rm; and the keys are those of the docs."""
    said = takt(*ONE)
    assert said.code == 0, said.err
    document = json.loads(said.out)
    rows = document["rows"]
    assert [(row["tasks"], row["scheduler"], row["proved"]) for row in rows] == [(5, "rm", False), (5, "edf", True)]
    assert rows[0]["misses"] > 0 == rows[1]["misses"]
    assert all(270 <= row["jobs"] <= 330 for row in rows)
    for row in rows:
        row["instructions"] = {"takt": 1, "takt_traced": 1, "simso": 1}
    assert set(keys(document)) == documented("bench host")


@only_full
@pytest.mark.usefixtures("simso", "one_set")
def test_another_schedule_is_not_compared(takt: Takt, monkeypatch: pytest.MonkeyPatch) -> None:
    """A nanosecond more of the last task, here only."""
    real: Callable[[Case, str], str] = simulation.declared

    def longer(case: Case, preset: str) -> str:
        wcet_ns = case.tasks[-1].wcet_ns
        return real(case, preset).replace(f'"{wcet_ns} ns"', f'"{wcet_ns + 1} ns"')

    monkeypatch.setattr(simulation, "declared", longer)
    said = takt(*ONE)
    assert (said.code, said.out) == (1, "")
    assert "takt: 5 tasks, rm, utilization 0.95: responses_ns of t4: " in said.err


SEEN = Facts((3, 2), (0, 1), (10, 20))


def test_facts_agree() -> None:
    simulation.compare("set", SEEN, SEEN)
    simulation.compare("set", Facts((3, 2), (0, 1), None), SEEN)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (Facts((3, 1), (0, 1), (10, 20)), "set: jobs of t1: 1 here, 2 by SimSo"),
        (Facts((3, 2), (1, 1), (10, 20)), "set: misses of t0: 1 here, 0 by SimSo"),
        (Facts((3, 2), (0, 1), (10, 21)), "set: responses_ns of t1: 21 here, 20 by SimSo"),
    ],
)
def test_facts_differ(other: Facts, said: str) -> None:
    with pytest.raises(DifferenceError, match=said):
        simulation.compare("set", other, SEEN)


def stream(*records: tuple[Event, int, int]) -> bytes:
    """A board's stream of (event, task, value)."""
    return b"".join(struct.pack("<IBBHQ", 0, event, 255, task, value) for event, task, value in records)


FIGURES = ((Event.STAT_JOBS, 0, 1), (Event.STAT_MISSES, 0, 0), (Event.STAT_RESPONSE_MAX, 0, 7))
JOB = ((Event.RELEASE, 0, 0), (Event.RUN, 0, 0), (Event.COMPLETE, 0, 0))


def test_figures_of_a_stream() -> None:
    assert simulation.facts_of(stream(*JOB, *FIGURES), 1, True) == Facts((1,), (0,), (7,))
    assert simulation.facts_of(stream(*FIGURES), 1, False) == Facts((1,), (0,), None)


@pytest.mark.parametrize(
    ("records", "traced"),
    [(FIGURES, True), ((*JOB, *FIGURES), False), ((*JOB, (Event.LOST_RECORDS, 0, 1), *FIGURES), True)],
)
def test_a_trace_that_is_not_as_said(records: tuple[tuple[Event, int, int], ...], traced: bool) -> None:
    with pytest.raises(DifferenceError):
        simulation.facts_of(stream(*records), 1, traced)
