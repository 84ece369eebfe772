# SPDX-License-Identifier: Apache-2.0
"""Systems whose answer is published or can be worked out by hand: fixed and edf bands, cooperative jobs, reasons.
Times in ms unless a name says otherwise. What else takes a task's time: test_analysis_delays.py.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_systems import COSTS, MS, NS, edf, fixed, names, numbered, responses, system, task
from takt.declare.schema.model import Band, Task, Verdict
from takt.prove.analysis import AnalysisError, analyse

TABLE_4_1 = [(1, 4), (1, 5), (1, 6), (1, 7), (0.5, 8), (0.5, 20), (0.5, 30), (0.5, 50), (0.5, 100), (0.5, 130)]
TABLE_7_2 = [  # wcet, period, deadline
    *[(3, 200, 5), (2, 25), (5, 25), (1, 40), (3, 40), (5, 50), (8, 59), (9, 80), (2, 80), (5, 100)],
    *[(1, 200), (1, 200), (1, 200), (3, 200), (3, 200), (1, 1000), (1, 1000)],
]


def test_table_4_1_under_rm() -> None:
    """Seed 000, 4.2.2: tasks 1-4 run twice before task 5, then task 1 a third time: 9 ms before task 5."""
    of = numbered(TABLE_4_1)
    proof = analyse(of, (fixed(*names(of)),), None)
    assert proof.verdict == Verdict.INFEASIBLE
    assert [one.name for one in proof.tasks if one.verdict != Verdict.FEASIBLE] == ["t5"]
    assert proof.reason == "task t5: worst-case response 9.5 ms exceeds its deadline 8 ms"


@pytest.mark.parametrize("top", [5, 10])
def test_table_4_1_under_edf_and_csd(top: int) -> None:
    of = numbered(TABLE_4_1)
    bands = (edf(*names(of)[:top]), *([fixed(*names(of)[top:])] if top < 10 else []))
    proof = analyse(of, bands, None)
    assert proof.verdict == Verdict.FEASIBLE
    assert all(one.response_ns and one.deadline_ns and one.response_ns <= one.deadline_ns for one in proof.tasks)
    assert round(float(proof.utilization), 2) == 0.88
    assert "every deadline holds; the least slack has task " in proof.reason


def test_table_7_2_under_dm() -> None:
    of = numbered(TABLE_7_2)
    proof = analyse(of, (fixed(*names(of)),), None)
    assert proof.verdict == Verdict.FEASIBLE
    assert responses(proof) == [3, 5, 10, 11, 14, 19, 34, 47, 49, 74, 75, 98, 99, 138, 141, 142, 143]


@pytest.mark.parametrize("upper", [(3, 5), (2, 4)])
def test_second_job_of_a_lower_edf_band(upper: tuple[float, float]) -> None:
    """The printed test of seed 000, 4.3.4, looks at first jobs only and accepts these; they miss at 18 ms."""
    lower = [(1, 6), (2, 9)] if upper == (3, 5) else [(1, 6), (3, 9)]
    of = numbered([upper, *lower])
    proof = analyse(of, (edf("t1"), edf("t2", "t3")), None)
    assert [one.verdict for one in proof.tasks][:1] == [Verdict.FEASIBLE]
    assert proof.verdict == Verdict.INFEASIBLE
    assert "in the edf band of t2, t3: the jobs with deadlines up to t = 18 ms need " in proof.reason
    assert proof.tasks[2].response_ns is not None
    assert proof.tasks[2].response_ns > 9 * MS


def test_reason_of_an_edf_band_adds_up() -> None:
    """Above, t1 runs in [0, 3), [5, 8), [10, 13) and [15, 18): 6 ms of 18 are left, 7 are needed."""
    proof = analyse(numbered([(3, 5), (1, 6), (2, 9)]), (edf("t1"), edf("t2", "t3")), None)
    assert "need 7 ms, but only 6 ms fits" in proof.reason


def test_edf_bound_is_not_the_deadline() -> None:
    """t2 waits for one job of t1; t1 waits for t2 only if due no earlier, and then t2 is done when t1 arrives."""
    proof = analyse(numbered([(1, 4), (2, 6)]), (edf("t1", "t2"),), None)
    assert responses(proof) == [1, 3]
    assert proof.verdict == Verdict.FEASIBLE


def test_an_overloaded_band_leaves_those_above_alone() -> None:
    proof = analyse(numbered([(1, 4), (1, 5), (9, 10)]), (edf("t1", "t2"), fixed("t3")), None)
    assert [one.verdict for one in proof.tasks] == [Verdict.FEASIBLE, Verdict.FEASIBLE, Verdict.INFEASIBLE]
    assert proof.tasks[2].response_ns is None
    assert proof.reason == "task t3: with everything of higher priority, the load is 135 % of the processor"
    proof = analyse(numbered([(1, 4), (1, 5), (9, 10)]), (fixed("t1"), edf("t2", "t3")), None)
    assert [one.verdict for one in proof.tasks] == [Verdict.FEASIBLE, Verdict.INFEASIBLE, Verdict.INFEASIBLE]
    assert proof.reason.startswith("in the edf band of t2, t3: with everything of higher priority, the load is 135 %")


def test_full_load_is_exact() -> None:
    """1/2 + 1/3 + 1/6 = 1 has no exact binary fraction; one more nanosecond is too much."""
    of = numbered([(1, 2), (1, 3), (1, 6)])
    assert analyse(of, (edf(*names(of)),), None).verdict == Verdict.FEASIBLE
    over = system(*of.tasks[:2], Task("t3", wcet_ns=MS + 1, period_ns=6 * MS, deadline_ns=6 * MS))
    assert analyse(over, (edf(*names(of)),), None).verdict == Verdict.INFEASIBLE


def test_full_load_just_below_one() -> None:
    """U = 1 - 1e-6: the analytic end of the search is 160 s away, the busy period ends after 6 ms."""
    of = system(
        *numbered([(1, 2), (1, 3, 2.5)]).tasks, Task("t3", wcet_ns=MS - 6, period_ns=6 * MS, deadline_ns=6 * MS)
    )
    assert analyse(of, (edf(*names(of)),), None, responses=False, iterations=1000).verdict == Verdict.FEASIBLE


def test_equals_count_as_higher() -> None:
    of = numbered([(1, 10), (2, 10), (3, 10)])
    proof = analyse(of, (Band("fixed", (("t1", "t2"), ("t3",))),), None)
    assert responses(proof) == [3, 3, 6]


def test_jitter() -> None:
    """Tindell: a task released 2 ms late is followed 2 ms early."""
    of = system(task("t1", 1, 5, jitter_ns=2 * MS), task("t2", 3, 20))
    assert responses(analyse(of, (fixed("t1", "t2"),), None)) == [3, 5]


def test_cooperative_jobs_are_not_preempted() -> None:
    of = system(task("t1", 1, 10), task("t2", 2, 20), task("t3", 5, 40))
    proof = analyse(of, (fixed("t1", "t2", "t3"),), None, cooperative=True)
    assert responses(proof) == [6 - NS, 8 - NS, 8]  # what blocks began before


def test_cooperative_start_at_an_arrival() -> None:
    """At 4 ms the processor falls free and t1 arrives again: t3 starts at 6 ms."""
    of = system(task("t1", 2, 4), task("t2", 2, 8), task("t3", 1, 16))
    assert responses(analyse(of, (fixed("t1", "t2", "t3"),), None, cooperative=True)) == [4 - NS, 5 - NS, 7]


def test_cooperative_background_needs_a_wcet() -> None:
    of = system(task("t1", 1, 10), Task("log", wcet_ns=0))
    proof = analyse(of, (fixed("t1"),), None, cooperative=True)
    assert proof.verdict == Verdict.INFEASIBLE
    assert "task log" in proof.reason
    of = system(task("t1", 1, 10), Task("log", wcet_ns=3 * MS))
    assert responses(analyse(of, (fixed("t1"),), None, cooperative=True)) == [4 - NS, None]


def test_a_load_just_over_one_is_not_called_one() -> None:
    of = system(task("t1", 5, 10), task("t2", 500.000001, 1000))
    assert "the load is a little over 100 %" in analyse(of, (edf("t1", "t2"),), None).reason


def test_the_second_job_is_the_late_one() -> None:
    """Lehoczky 1990: (26, 70) and (62, 100): responses of the jobs of t2 are 114, 102, 116, 104, 118, 106, 94."""
    of = system(task("t1", 26, 70), task("t2", 62, 100, 118))
    proof = analyse(of, (fixed("t1", "t2"),), None)
    assert responses(proof) == [26, 118]
    assert proof.verdict == Verdict.FEASIBLE
    late = system(of.tasks[0], replace(of.tasks[1], deadline_ns=118 * MS - 1))
    assert analyse(late, (fixed("t1", "t2"),), None).verdict == Verdict.INFEASIBLE


def test_a_refuted_band_without_bounds_stays_refuted() -> None:
    """Few iterations refute the band at its first deadlines, but do not get through its busy period."""
    of = numbered([(3, 10), (4, 13, 9), (4, 14, 12), (1, 1000)])
    bands = (fixed("t1"), edf("t2", "t3"), fixed("t4"))
    for iterations in range(1, 200):
        proof = analyse(of, bands, None, iterations=iterations)
        verdicts = [one.verdict for one in proof.tasks[1:3]]
        assert (proof.verdict == Verdict.INFEASIBLE) == (Verdict.INFEASIBLE in verdicts)
        assert ("undecided" in proof.reason) == (proof.verdict == Verdict.UNDECIDED)
    assert proof.verdict == Verdict.INFEASIBLE
    assert None not in responses(proof)


def test_a_busy_period_that_does_not_fit_is_undecided() -> None:
    """A load of 1 - 2^-61: the processor is not free before the periods have nearly met again."""
    rows = ((2**60 - 1, 2**59 - 1), (2**60 + 2**40, 2**59 + 2**39))
    tasks = [Task(f"t{i}", wcet, period_ns=period, deadline_ns=period) for i, (period, wcet) in enumerate(rows)]
    assert analyse(system(*tasks), (edf("t0", "t1"),), None).verdict == Verdict.FEASIBLE  # by the load alone
    tasks[0] = replace(tasks[0], deadline_ns=2**60 - 2)
    proof = analyse(system(*tasks), (edf("t0", "t1"),), None)
    assert proof.verdict == Verdict.UNDECIDED
    assert proof.reason == (
        "in the edf band of t0, t1: undecided, a busy period is longer than 2^63 ns; nothing is proved or refuted"
    )


def test_search_without_bounds() -> None:
    of = numbered(TABLE_4_1)
    proof = analyse(of, (fixed(*names(of)),), None, responses=False)
    assert (proof.verdict, set(responses(proof))) == (Verdict.INFEASIBLE, {None})
    assert proof.reason == "task t5: its response exceeds its deadline 8 ms"
    assert analyse(of, (edf(*names(of)),), None, responses=False).reason == "every deadline holds"


def test_what_is_refused() -> None:
    of = numbered([(1, 4), (1, 5)])
    with pytest.raises(AnalysisError, match="task t2 is in no band"):
        analyse(of, (fixed("t1"),), None)
    with pytest.raises(AnalysisError, match="background task log is not below task t1"):
        analyse(system(Task("log", wcet_ns=0), task("t1", 1, 4)), (fixed("log", "t1"),), None)
    with pytest.raises(AnalysisError, match="exceeds the limit of the analysis"):
        analyse(system(task("t1", 1, 1e13)), (fixed("t1"),), None)
    of = numbered([(1, 100)] * 9)
    with pytest.raises(AnalysisError, match="were measured with at most 8"):
        analyse(of, (fixed(*names(of)),), COSTS)
