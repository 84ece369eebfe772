# SPDX-License-Identifier: Apache-2.0
"""Systems whose answer is published or can be worked out by hand. Times in ms unless a name says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from takt.declare.schema.model import (
    Alarm,
    AlarmQueue,
    Band,
    Hold,
    Interrupt,
    Mutex,
    Overheads,
    PriorityMailbox,
    Slot,
    System,
    Task,
    Verdict,
    Watchdog,
)
from takt.prove.analysis import AnalysisError, Proof, analyse

MS = 1_000_000
TABLE_4_1 = [(1, 4), (1, 5), (1, 6), (1, 7), (0.5, 8), (0.5, 20), (0.5, 30), (0.5, 50), (0.5, 100), (0.5, 130)]
TABLE_7_2 = [  # wcet, period, deadline
    *[(3, 200, 5), (2, 25), (5, 25), (1, 40), (3, 40), (5, 50), (8, 59), (9, 80), (2, 80), (5, 100)],
    *[(1, 200), (1, 200), (1, 200), (3, 200), (3, 200), (1, 1000), (1, 1000)],
]


def task(name: str, wcet: float, period: float, deadline: float | None = None, **more: object) -> Task:
    times = {"wcet_ns": round(wcet * MS), "period_ns": round(period * MS)}
    return Task(name=name, deadline_ns=round((deadline or period) * MS), **times, **more)  # type: ignore[arg-type]


def system(*tasks: Task, **more: object) -> System:
    return System(Path("system.toml"), "test", "host", "bands", tasks, **more)  # type: ignore[arg-type]


def numbered(rows: Sequence[tuple[float, ...]]) -> System:
    return system(*(task(f"t{i + 1}", *row) for i, row in enumerate(rows)))


def fixed(*names: str) -> Band:
    return Band("fixed", tuple((name,) for name in names))


def edf(*names: str) -> Band:
    return Band("edf", (names,))


def responses(proof: Proof) -> list[float | None]:
    return [None if one.response_ns is None else one.response_ns / MS for one in proof.tasks]


def names(of: System) -> list[str]:
    return [one.name for one in of.tasks]


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
    assert proof.reason == "task t3: together with all that goes before, the load is 135 % of the processor"
    proof = analyse(numbered([(1, 4), (1, 5), (9, 10)]), (fixed("t1"), edf("t2", "t3")), None)
    assert [one.verdict for one in proof.tasks] == [Verdict.FEASIBLE, Verdict.INFEASIBLE, Verdict.INFEASIBLE]
    assert proof.reason.startswith("in the edf band of t2, t3: together with all that goes before, the load is 135 %")


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


def test_blocking_by_one_mutex() -> None:
    """Sha, Rajkumar and Lehoczky: the middle task is blocked too, by inheritance; the lowest is not."""
    mutex = Mutex("m", (Hold("t1", MS // 2), Hold("t3", 2 * MS)))
    of = system(*numbered([(1, 10), (2, 20), (4, 40)]).tasks, mutexes=(mutex,))
    assert responses(analyse(of, (fixed("t1", "t2", "t3"),), None)) == [3, 5, 7]


def test_blocking_by_several_mutexes() -> None:
    """t1 can wait for t2's section of a and for t3's of b, but for one section of each task and each mutex only."""
    mutexes = (
        Mutex("a", (Hold("t1", 0), Hold("t2", MS), Hold("t3", MS))),
        Mutex("b", (Hold("t1", 0), Hold("t3", 2 * MS))),
    )
    of = system(*numbered([(1, 20), (2, 30), (4, 40)]).tasks, mutexes=mutexes)
    proof = analyse(of, (fixed("t1", "t2", "t3"),), None)
    assert responses(proof) == [4, 5, 7]


def test_blocking_through_a_chain() -> None:
    """t1 waits for t2, which waits for t3's section of b: both count, though t1 does not use b."""
    mutexes = (Mutex("a", (Hold("t1", 0), Hold("t2", 2 * MS))), Mutex("b", (Hold("t2", MS), Hold("t3", 3 * MS))))
    of = system(*numbered([(1, 20), (2, 30), (4, 40)]).tasks, mutexes=mutexes)
    assert responses(analyse(of, (fixed("t1", "t2", "t3"),), None))[0] == 1 + 2 + 3


def test_blocking_by_a_background_task() -> None:
    background = Task("log", wcet_ns=0)
    mutex = Mutex("m", (Hold("t1", 0), Hold("log", 2 * MS)))
    of = system(background, task("t1", 1, 10), mutexes=(mutex,))
    proof = analyse(of, (fixed("t1"),), None)
    assert responses(proof) == [None, 3]
    assert proof.verdict == Verdict.FEASIBLE


def test_blocking_in_an_edf_band() -> None:
    """Only deadlines before that of the holder suffer: t2 may delay t1, not the reverse."""
    mutex = Mutex("m", (Hold("t1", MS), Hold("t2", 2 * MS)))
    of = system(task("t1", 1, 10, 3), task("t2", 3, 20), mutexes=(mutex,))
    assert analyse(of, (edf("t1", "t2"),), None).verdict == Verdict.FEASIBLE
    late = system(task("t1", 1, 10, 2.9), task("t2", 3, 20), mutexes=(mutex,))
    proof = analyse(late, (edf("t1", "t2"),), None)
    assert [one.verdict for one in proof.tasks] == [Verdict.INFEASIBLE, Verdict.FEASIBLE]
    assert "t = 2.9 ms need 3 ms, but only 2.9 ms fits" in proof.reason
    assert proof.reason.endswith("; task t1: worst-case response 3 ms exceeds its deadline 2.9 ms")


def test_alarms_and_watchdogs_lie_above_all() -> None:
    """By hand: 4 ms of its own; an alarm of 1 ms every 4 ms comes twice; and a watchdog's handler of 0.5 ms once."""
    alarm = Alarm("lamp", 4 * MS, 4 * MS, 0, "came", MS)
    assert analyse(system(task("t1", 4, 20), alarms=(alarm,)), (fixed("t1"),), None).tasks[0].response_ns == 6 * MS
    watchdog = Watchdog("guard", "t1", 50 * MS, "notify", "late", MS // 2)
    of = system(task("t1", 4, 20), watchdogs=(watchdog,))
    assert analyse(of, (fixed("t1"),), None).tasks[0].response_ns == 4 * MS + MS // 2


def test_the_timer_of_an_alarm_and_two_of_a_watchdog_are_charged() -> None:
    costs = Overheads("board", "standard", "fixed", 8, 0, 20, 0, {"fixed": 100}, {"fixed": 1000}, {"fixed": 2000})
    bare = system(task("t1", 4, 20))
    alarm = Alarm("lamp", 100 * MS, 0, None, None, 0)
    watchdog = Watchdog("guard", "t1", 100 * MS, "stop", None, 0)

    def response(of: System) -> int:
        return analyse(of, (fixed("t1"),), costs).tasks[0].response_ns or 0

    assert response(replace(bare, alarms=(alarm,))) - response(bare) == 100 + 20
    assert response(replace(bare, watchdogs=(watchdog,))) - response(bare) == 2 * (100 + 20) + 3000


def test_a_queued_alarm_s_handler_is_in_the_job_that_serves_it() -> None:
    """Above all bands it leaves only the timer's interrupt, which takes nothing without overheads."""
    alarm = Alarm("lamp", 4 * MS, 4 * MS, 0, "came", MS, "house")
    served = system(task("t1", 4, 20), alarms=(alarm,), alarm_queues=(AlarmQueue("house"),))
    assert analyse(served, (fixed("t1"),), None).tasks[0].response_ns == 4 * MS
    costs = Overheads("board", "standard", "fixed", 8, 0, 20, 0, {"fixed": 100}, {"fixed": 1000}, {"fixed": 2000})
    bare = analyse(replace(served, alarms=()), (fixed("t1"),), costs).tasks[0].response_ns or 0
    assert (analyse(served, (fixed("t1"),), costs).tasks[0].response_ns or 0) - bare == 2 * (100 + 20)


def test_an_owner_that_inherits_is_above_all_twice_more() -> None:
    """By hand: 4 ms of t1 and two jobs of t2, 2 ms each; t2 itself after that: 4 + 2 + 2 * 2."""
    of = system(task("t1", 4, 20), task("t2", 2, 40))
    slot = Slot("orders", "t2", 8, 4, pinc=("t2", "t1"))
    for slots, responses in (((), [4 * MS, 6 * MS]), ((slot,), [8 * MS, 10 * MS])):
        proof = analyse(replace(of, slots=slots), (fixed("t1", "t2"),), None)
        assert [one.response_ns for one in proof.tasks] == responses
    background = system(task("t1", 4, 20), Task("t2", 0), Task("t3", 0))
    lent = replace(background, slots=(Slot("orders", "t3", 8, 4, pinc=("t2",)),))
    assert analyse(lent, (fixed("t1"), fixed("t2", "t3")), None).tasks[0].response_ns == 4 * MS


def test_a_handler_with_the_kernel_locked_delays_everybody() -> None:
    of = system(task("t1", 4, 20), priority_mailboxes=(PriorityMailbox("wishes", 8, 4, "came", MS),))
    assert analyse(of, (fixed("t1"),), None).tasks[0].response_ns == 5 * MS


def test_interrupts_lie_above_all() -> None:
    interrupt = Interrupt("uart", 5, min_interarrival_ns=4 * MS, wcet_ns=MS)
    of = system(task("t1", 4, 20), interrupts=(interrupt,))
    assert responses(analyse(of, (fixed("t1"),), None)) == [6]
    assert responses(analyse(of, (edf("t1"),), None)) == [6]
    assert analyse(of, (edf("t1"),), None).load == Fraction(9, 20)


def test_jitter() -> None:
    """Tindell: a task released 2 ms late is followed 2 ms early."""
    of = system(task("t1", 1, 5, jitter_ns=2 * MS), task("t2", 3, 20))
    assert responses(analyse(of, (fixed("t1", "t2"),), None)) == [3, 5]


def test_cooperative_jobs_are_not_preempted() -> None:
    of = system(task("t1", 1, 10), task("t2", 2, 20), task("t3", 5, 40))
    proof = analyse(of, (fixed("t1", "t2", "t3"),), None, cooperative=True)
    assert responses(proof) == [6, 8, 8]


def test_cooperative_start_at_an_arrival() -> None:
    """At 4 ms the processor falls free and t1 arrives again: t3 starts at 6 ms."""
    of = system(task("t1", 2, 4), task("t2", 2, 8), task("t3", 1, 16))
    assert responses(analyse(of, (fixed("t1", "t2", "t3"),), None, cooperative=True)) == [4, 5, 7]


def test_cooperative_background_needs_a_wcet() -> None:
    of = system(task("t1", 1, 10), Task("log", wcet_ns=0))
    proof = analyse(of, (fixed("t1"),), None, cooperative=True)
    assert proof.verdict == Verdict.INFEASIBLE
    assert "task log" in proof.reason
    of = system(task("t1", 1, 10), Task("log", wcet_ns=3 * MS))
    assert responses(analyse(of, (fixed("t1"),), None, cooperative=True)) == [4, None]


COSTS = Overheads(
    board="test",
    preset="standard",
    kernel="bands",
    tasks_max=8,
    interrupt_ns=1_000,
    timer_ns=20_000,
    lock_ns=300_000,
    release_ns={"fixed": 4_000_000, "edf": 5_000_000},
    switch_ns={"fixed": 50_000, "edf": 60_000},
    complete_ns={"fixed": 550_000, "edf": 640_000},
)


def test_overheads_enter_once_each() -> None:
    """1 + its switch and end + two releases (that of the lower task too) + one deadline timer + a locked section."""
    of = system(task("t1", 1, 50, on_miss="notify"), task("t2", 1, 50))
    proof = analyse(of, (fixed("t1", "t2"),), COSTS)
    assert responses(proof)[0] == pytest.approx(1 + 0.6 + 2 * 4 + 0.02 + 0.3)
    assert responses(proof)[1] == pytest.approx(2 + 2 * 0.6 + 2 * 4 + 0.02 + 0.3)
    assert proof.utilization == Fraction(2, 50)
    assert proof.load == Fraction(11_220, 50_000)


def test_overheads_of_each_kind_and_of_mutexes() -> None:
    mutex = Mutex("m", (Hold("t1", 0), Hold("t2", MS)))
    interrupts = (Interrupt("uart", 5, 1000 * MS, MS), Interrupt("fast", 6, 1000 * MS, MS, kernel=False))
    of = system(task("t1", 1, 100), task("t2", 1, 100), mutexes=(mutex,), interrupts=interrupts)
    proof = analyse(of, (edf("t1"), fixed("t2")), COSTS)
    upper, lower = 1 + 0.7 + (5 + 0.7), 1 + 0.6 + (4 + 0.6)
    above = 5 + 4 + 2 + 0.001 + 0.3
    assert responses(proof)[0] == pytest.approx(upper + above + 1)
    assert responses(proof)[1] == pytest.approx(upper + lower + above)


def test_a_load_just_over_one_is_not_called_one() -> None:
    of = system(task("t1", 5, 10), task("t2", 500.000001, 1000))
    assert "the load is a little over 100 %" in analyse(of, (edf("t1", "t2"),), None).reason


def test_a_wait_counts_as_execution_of_its_task() -> None:
    """t2 after t1's 1 + 3 and its own 2 + 1; in an edf band the same; nothing for who does not wait."""
    waiting = {"suspension_ns": 3 * MS, "waits": 2}
    of = system(task("t1", 1, 10, **waiting), task("t2", 2, 20, suspension_ns=MS, waits=1))
    assert responses(analyse(of, (fixed("t1", "t2"),), None)) == [4, 7]
    assert responses(analyse(of, (edf("t1", "t2"),), None)) == [4, 7]
    plain = system(task("t1", 1, 10), task("t2", 2, 20))
    assert responses(analyse(plain, (fixed("t1", "t2"),), None)) == [1, 3]


def test_after_every_wait_each_of_the_others_may_hold_a_mutex_again() -> None:
    """t1: 1 of its own, 3 of waits, and the sections of t2 and t3 at its release and after each of two waits."""
    mutexes = (Mutex("m", (Hold("t1", 1), Hold("t2", MS), Hold("t3", 2 * MS))),)
    of = system(task("t1", 1, 40, suspension_ns=3 * MS, waits=2), task("t2", 1, 80), task("t3", 2, 90), mutexes=mutexes)
    first = analyse(of, (fixed("t1", "t2", "t3"),), None).tasks[0].response_ns
    assert first == 4 * MS + 3 * 3 * MS + 2  # and its own section, of a nanosecond, twice


def test_waits_cost_the_kernel_s_time() -> None:
    """By hand: a switch away and back, a locked section and a wake with its timer for each of two waits; a wake each of
    a job released before, for both waits and the one of t2."""
    costs = Overheads("board", "standard", "fixed", 8, 0, 20, 7, {"fixed": 100}, {"fixed": 1000}, {"fixed": 2000})
    of = system(task("t1", 1, 40, suspension_ns=3 * MS, waits=2), task("t2", 1, 80, suspension_ns=MS, waits=1))
    first = analyse(of, (fixed("t1", "t2"),), costs).tasks[0].response_ns
    own = MS + 3000 + 3 * MS + 2 * (3000 + 7)
    wakes = (2 + 1) * 120
    assert first == own + 2 * 100 + wakes + 7 + wakes
    longer = system(*of.tasks[:1], replace(of.tasks[1], deadline_ns=240 * MS))
    assert analyse(longer, (fixed("t1", "t2"),), costs).tasks[0].response_ns == first + 2 * 120


def test_a_load_with_waits_says_so() -> None:
    proof = analyse(system(task("t1", 1, 10, suspension_ns=11 * MS, waits=1)), (fixed("t1"),), None)
    assert proof.reason == (
        "task t1: together with all that goes before, the load is 120 % of the processor, waits of jobs counted as"
        " execution"
    )


def test_who_only_lifts_a_ceiling_locks_nothing() -> None:
    mutex = Mutex("m", (Hold("t1", 0), Hold("t3", 2 * MS)), "ceiling")
    of = system(task("t1", 1, 100), task("t2", 2, 200), task("t3", 4, 400), mutexes=(mutex,))
    assert responses(analyse(of, (fixed("t1", "t2", "t3"),), None)) == [3, 5, 7]
    bare = analyse(replace(of, mutexes=()), (fixed("t1", "t2", "t3"),), COSTS).tasks[0].response_ns or 0
    assert analyse(of, (fixed("t1", "t2", "t3"),), COSTS).tasks[0].response_ns == bare + 2 * MS


def test_the_second_job_is_the_late_one() -> None:
    """Lehoczky 1990: (26, 70) and (62, 100): responses of the jobs of t2 are 114, 102, 116, 104, 118, 106, 94."""
    of = system(task("t1", 26, 70), task("t2", 62, 100, 118))
    proof = analyse(of, (fixed("t1", "t2"),), None)
    assert responses(proof) == [26, 118]
    assert proof.verdict == Verdict.FEASIBLE
    late = system(of.tasks[0], replace(of.tasks[1], deadline_ns=118 * MS - 1))
    assert analyse(late, (fixed("t1", "t2"),), None).verdict == Verdict.INFEASIBLE


def test_time_slices_enter_with_their_timer() -> None:
    """2 + switch, end, arming and two releases for each; slices of 2 ms end every 2 ms: a timer and a completion."""
    of = system(task("t1", 2, 100), task("t2", 2, 100))
    sliced = Band("fixed", (("t1", "t2"),), quantum_ns=2 * MS)
    own = 2 * (2 + 0.6 + 0.02 + 4) + 0.3
    slices = 10  # the least n with own + 0.57 n <= 2 n
    assert responses(analyse(of, (sliced,), COSTS)) == pytest.approx(2 * [own + 0.57 * slices])
    assert responses(analyse(of, (sliced,), None)) == [4, 4]


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
    tasks = (Task(f"t{i}", wcet, period_ns=period, deadline_ns=period) for i, (period, wcet) in enumerate(rows))
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
    with pytest.raises(AnalysisError, match="does not take this declaration"):
        analyse(system(task("t1", 1, 4, jitter_ns=4 * MS)), (fixed("t1"),), None)
    with pytest.raises(AnalysisError, match="more than the analysis takes"):
        analyse(system(task("t1", 1, 1e13)), (fixed("t1"),), None)
    of = numbered([(1, 100)] * 9)
    with pytest.raises(AnalysisError, match="are for at most 8"):
        analyse(of, (fixed(*names(of)),), COSTS)
