# SPDX-License-Identifier: Apache-2.0
"""What delays tasks beside the jobs before theirs, by hand: mutexes, interrupts, alarms, waits, the kernel's own time.
Times in ms unless a name says otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from small_systems import COSTS, MS, edf, fixed, numbered, responses, system, task
from takt.declare.declaration import load
from takt.declare.schema.model import Band, Interrupt, Overheads, System, Task, Verdict
from takt.declare.service_kinds.alarm import Alarm
from takt.declare.service_kinds.alarm_queue import AlarmQueue
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.declare.service_kinds.priority_mailbox import PriorityMailbox
from takt.declare.service_kinds.slot import Slot
from takt.declare.service_kinds.watchdog import Watchdog
from takt.prove import proof
from takt.prove.analysis import analyse


def test_blocking_by_one_mutex() -> None:
    """Sha, Rajkumar and Lehoczky: the middle task is blocked too, by inheritance; the lowest is not."""
    mutex = Mutex("m", (Hold("t1", MS // 2), Hold("t3", 2 * MS)))
    of = system(*numbered([(1, 10), (2, 20), (4, 40)]).tasks, objects=(mutex,))
    assert responses(analyse(of, (fixed("t1", "t2", "t3"),), None)) == [3, 5, 7]


def test_blocking_by_several_mutexes() -> None:
    """t1 can wait for t2's section of a and for t3's of b, but only for one section of each task and each mutex."""
    mutexes = (
        Mutex("a", (Hold("t1", 0), Hold("t2", MS), Hold("t3", MS))),
        Mutex("b", (Hold("t1", 0), Hold("t3", 2 * MS))),
    )
    of = system(*numbered([(1, 20), (2, 30), (4, 40)]).tasks, objects=mutexes)
    proof = analyse(of, (fixed("t1", "t2", "t3"),), None)
    assert responses(proof) == [4, 5, 7]


def test_blocking_through_a_chain() -> None:
    """t1 waits for t2, which waits for t3's section of b: both count, though t1 does not use b."""
    mutexes = (
        Mutex("a", (Hold("t1", 0), Hold("t2", 2 * MS))),
        Mutex("b", (Hold("t2", MS, ("a",)), Hold("t3", 3 * MS))),
    )
    of = system(*numbered([(1, 20), (2, 30), (4, 40)]).tasks, objects=mutexes)
    assert responses(analyse(of, (fixed("t1", "t2", "t3"),), None))[0] == 1 + 2 + 3


def test_blocking_by_a_background_task() -> None:
    background = Task("log", wcet_ns=0)
    mutex = Mutex("m", (Hold("t1", 0), Hold("log", 2 * MS)))
    of = system(background, task("t1", 1, 10), objects=(mutex,))
    proof = analyse(of, (fixed("t1"),), None)
    assert responses(proof) == [None, 3]
    assert proof.verdict == Verdict.FEASIBLE


def test_blocking_in_an_edf_band() -> None:
    """Only deadlines before that of the holder suffer: t2 may delay t1, not the reverse."""
    mutex = Mutex("m", (Hold("t1", MS), Hold("t2", 2 * MS)))
    of = system(task("t1", 1, 10, 3), task("t2", 3, 20), objects=(mutex,))
    assert analyse(of, (edf("t1", "t2"),), None).verdict == Verdict.FEASIBLE
    late = system(task("t1", 1, 10, 2.9), task("t2", 3, 20), objects=(mutex,))
    proof = analyse(late, (edf("t1", "t2"),), None)
    assert [one.verdict for one in proof.tasks] == [Verdict.INFEASIBLE, Verdict.FEASIBLE]
    assert "t = 2.9 ms need 3 ms, but only 2.9 ms fits" in proof.reason
    assert proof.reason.endswith("; task t1: worst-case response 3 ms exceeds its deadline 2.9 ms")


def test_alarms_and_watchdogs_lie_above_all() -> None:
    """By hand: 4 ms of its own; an alarm of 1 ms every 4 ms comes twice; and a watchdog's handler of 0.5 ms once."""
    alarm = Alarm("lamp", 4 * MS, 4 * MS, 0, "came", MS)
    assert analyse(system(task("t1", 4, 20), objects=(alarm,)), (fixed("t1"),), None).tasks[0].response_ns == 6 * MS
    watchdog = Watchdog("guard", "t1", 50 * MS, "notify", "late", MS // 2)
    of = system(task("t1", 4, 20), objects=(watchdog,))
    assert analyse(of, (fixed("t1"),), None).tasks[0].response_ns == 4 * MS + MS // 2


def test_the_timer_of_an_alarm_and_two_of_a_watchdog_are_charged() -> None:
    costs = Overheads("board", "standard", "fixed", 8, 0, 20, 0, {"fixed": 100}, {"fixed": 1000}, {"fixed": 2000})
    bare = system(task("t1", 4, 20))
    alarm = Alarm("lamp", 100 * MS, 0, None, None, 0)
    watchdog = Watchdog("guard", "t1", 100 * MS, "stop", None, 0)

    def response(of: System) -> int:
        return analyse(of, (fixed("t1"),), costs).tasks[0].response_ns or 0

    assert response(bare.having(Alarm, (alarm,))) - response(bare) == 100 + 20
    assert response(bare.having(Watchdog, (watchdog,))) - response(bare) == 2 * (100 + 20) + 3000


def test_a_queued_alarm_s_handler_is_in_the_job_that_serves_it() -> None:
    """Above all bands it leaves only the timer's interrupt, which takes nothing without overheads."""
    alarm = Alarm("lamp", 4 * MS, 4 * MS, 0, "came", MS, "house")
    served = system(task("t1", 4, 20), objects=(alarm, AlarmQueue("house")))
    assert analyse(served, (fixed("t1"),), None).tasks[0].response_ns == 4 * MS
    costs = Overheads("board", "standard", "fixed", 8, 0, 20, 0, {"fixed": 100}, {"fixed": 1000}, {"fixed": 2000})
    bare = analyse(served.having(Alarm, ()), (fixed("t1"),), costs).tasks[0].response_ns or 0
    assert (analyse(served, (fixed("t1"),), costs).tasks[0].response_ns or 0) - bare == 2 * (100 + 20)


def test_an_owner_that_inherits_is_above_all_twice_more() -> None:
    """By hand: 4 ms of t1 and two jobs of t2, 2 ms each; t2 itself after that: 4 + 2 + 2 * 2."""
    of = system(task("t1", 4, 20), task("t2", 2, 40))
    slot = Slot("orders", "t2", 8, 4, pinc=("t2", "t1"))
    for slots, expected in (((), [4 * MS, 6 * MS]), ((slot,), [8 * MS, 10 * MS])):
        proof = analyse(of.having(Slot, slots), (fixed("t1", "t2"),), None)
        assert [one.response_ns for one in proof.tasks] == expected
    background = system(task("t1", 4, 20), Task("t2", 0), Task("t3", 0))
    lent = background.having(Slot, (Slot("orders", "t3", 8, 4, pinc=("t2",)),))
    assert analyse(lent, (fixed("t1"), fixed("t2", "t3")), None).tasks[0].response_ns == 4 * MS


def test_a_handler_with_the_kernel_locked_delays_everybody() -> None:
    of = system(task("t1", 4, 20), objects=(PriorityMailbox("wishes", 8, 4, "came", MS),))
    assert analyse(of, (fixed("t1"),), None).tasks[0].response_ns == 5 * MS


def test_interrupts_lie_above_all() -> None:
    interrupt = Interrupt("uart", 5, min_interarrival_ns=4 * MS, wcet_ns=MS)
    of = system(task("t1", 4, 20), interrupts=(interrupt,))
    assert responses(analyse(of, (fixed("t1"),), None)) == [6]
    assert responses(analyse(of, (edf("t1"),), None)) == [6]
    assert analyse(of, (edf("t1"),), None).load == Fraction(9, 20)


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
    of = system(task("t1", 1, 100), task("t2", 1, 100), objects=(mutex,), interrupts=interrupts)
    proof = analyse(of, (edf("t1"), fixed("t2")), COSTS)
    upper, lower = 1 + 0.7 + (5 + 0.7), 1 + 0.6 + (4 + 0.6)
    above = 5 + 4 + 2 + 0.001 + 0.3
    assert responses(proof)[0] == pytest.approx(upper + above + 1)
    assert responses(proof)[1] == pytest.approx(upper + lower + above)


def test_a_wait_counts_as_execution_of_its_task() -> None:
    """t1: 1 + 3. t2: its own 2 + 1 and t1's 1, which comes at most 3 later; in an edf band t1's 3 too. Nothing for
    a task that does not wait."""
    waiting = {"suspension_ns": 3 * MS, "waits": 2}
    of = system(task("t1", 1, 10, **waiting), task("t2", 2, 20, suspension_ns=MS, waits=1))
    assert responses(analyse(of, (fixed("t1", "t2"),), None)) == [4, 4]
    assert responses(analyse(of, (edf("t1", "t2"),), None)) == [4, 7]
    plain = system(task("t1", 1, 10), task("t2", 2, 20))
    assert responses(analyse(plain, (fixed("t1", "t2"),), None)) == [1, 3]


def test_a_wait_is_jitter_for_tasks_below() -> None:
    """By hand: b responds in 2 + 10 and two jobs of a, so executes up to 12 after its arrival: c after two of it."""
    of = system(task("a", 0.001, 0.01), task("b", 0.002, 0.02, suspension_ns=10_000, waits=1), task("c", 0.007, 0.02))
    proof = analyse(of, (fixed("a", "b", "c"),), None)
    assert responses(proof) == [0.001, 0.014, 0.013]
    assert (proof.verdict, proof.load) == (Verdict.FEASIBLE, Fraction(55, 100))


def test_auto_takes_waits_as_the_proof_does(tmp_path: Path) -> None:
    """Two tasks of which the upper waits: no list holds if its waits were execution for the other."""
    text = """
[system]
board = "host"

[[task]]
name = "reads"
period = "10 ms"
wcet = "1 ms"
suspension = "6 ms"

[[task]]
name = "computes"
period = "12 ms"
wcet = "7 ms"
"""
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    proved = proof.prove(load(tmp_path / "system.toml"), left_out=True)
    assert proved.feasible
    assert proved.responses_ns == {"reads": 7 * MS, "computes": 9 * MS}


def test_one_section_under_a_ceiling_blocks() -> None:
    """h: its 2 and the longest of two sections, of which one at most is open; with inheritance it waits for one at most
    if it locks once."""
    users = tuple(Hold(name, ms * MS, locks=1) for name, ms in (("h", 1), ("l1", 3), ("l2", 4)))
    of = system(task("h", 2, 20, 7), task("l1", 3, 100), task("l2", 4, 100))
    bands = (fixed("h", "l1", "l2"),)
    for protocol, locks, expected in (("ceiling", None, 6), ("ceiling", 2, 6), ("inherit", 1, 6), ("inherit", 2, 9)):
        again = (replace(users[0], locks=locks), *users[1:])
        proof = analyse(replace(of, objects=(Mutex("m", again, protocol),)), bands, None)
        assert responses(proof) == [expected, 9, 9]


def test_sections_in_which_a_task_may_wait_add_up() -> None:
    """A background task may wait within its section: then another can open. So with an owner that waits for it."""
    of = system(task("h", 2, 50), task("l1", 3, 100), Task("log", wcet_ns=0))
    bands = (fixed("h", "l1"),)
    mutex = Mutex("m", (Hold("h", MS), Hold("l1", 3 * MS), Hold("log", 4 * MS)), "ceiling")
    assert responses(analyse(replace(of, objects=(mutex,)), bands, None))[0] == 2 + 3 + 4
    users = (Hold("h", MS), Hold("l1", 3 * MS), Hold("l2", 4 * MS))
    of = system(task("h", 2, 50), task("l1", 3, 100), task("l2", 4, 100), Task("log", wcet_ns=0))
    inner = Mutex("n", (Hold("l1", MS, ("m",)), Hold("log", MS)))
    nested = replace(of, objects=(Mutex("m", users, "ceiling"), inner))
    assert responses(analyse(nested, (fixed("h", "l1", "l2"),), None))[0] == 2 + 3 + 4 + 1
    chain = (
        Mutex("m", users, "ceiling"),
        Mutex("n", (Hold("l1", MS, ("m",)), Hold("l2", MS))),
        Mutex("k", (Hold("l2", MS, ("n",)), Hold("log", MS))),
    )
    assert responses(analyse(replace(of, objects=chain), (fixed("h", "l1", "l2"),), None))[0] == 2 + 3 + 4 + 1


def test_after_every_wait_each_of_the_others_may_hold_a_mutex_again() -> None:
    """t1: 1 of its own, 3 of waits, and the sections of t2 and t3 at its release and after each of two waits."""
    mutexes = (Mutex("m", (Hold("t1", 1), Hold("t2", MS), Hold("t3", 2 * MS))),)
    of = system(task("t1", 1, 40, suspension_ns=3 * MS, waits=2), task("t2", 1, 80), task("t3", 2, 90), objects=mutexes)
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
        "task t1: with everything of higher priority, the load is 120 % of the processor, waits of jobs counted as"
        " execution"
    )


def test_a_task_that_only_lifts_a_ceiling_locks_nothing() -> None:
    mutex = Mutex("m", (Hold("t1", 0), Hold("t3", 2 * MS)), "ceiling")
    of = system(task("t1", 1, 100), task("t2", 2, 200), task("t3", 4, 400), objects=(mutex,))
    assert responses(analyse(of, (fixed("t1", "t2", "t3"),), None)) == [3, 5, 7]
    bare = analyse(of.having(Mutex, ()), (fixed("t1", "t2", "t3"),), COSTS).tasks[0].response_ns or 0
    assert analyse(of, (fixed("t1", "t2", "t3"),), COSTS).tasks[0].response_ns == bare + 2 * MS


def test_waits_in_fifo_order_cost_more() -> None:
    """Each of the two waits, and the lock."""
    of = system(replace(task("t1", 2, 100), waits=2), objects=(Mutex("m", (Hold("t1", 0, locks=1),)),))
    usual, fifo = (analyse(of, (fixed("t1"),), costs) for costs in (COSTS, replace(COSTS, fifo_ns=MS)))
    assert responses(fifo) == pytest.approx([responses(usual)[0] + 3])  # type: ignore[operator]


def test_time_slices_enter_with_their_timer() -> None:
    """2 + switch, end, arming and two releases for each; slices of 2 ms end every 2 ms: a timer and a completion."""
    of = system(task("t1", 2, 100), task("t2", 2, 100))
    sliced = Band("fixed", (("t1", "t2"),), quantum_ns=2 * MS)
    own = 2 * (2 + 0.6 + 0.02 + 4) + 0.3
    slices = 10  # the least n with own + 0.57 n <= 2 n
    assert responses(analyse(of, (sliced,), COSTS)) == pytest.approx(2 * [own + 0.57 * slices])
    assert responses(analyse(of, (sliced,), None)) == [4, 4]
