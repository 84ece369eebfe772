# SPDX-License-Identifier: Apache-2.0
"""What counts as outside of a proof, and what the figures say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from rich.console import Console
from takt.declare.schema import boards
from takt.declare.schema.model import Band, Interrupt, System, Task, Verdict
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.image.stack_bounds import Bound
from takt.observe import measure, run
from takt.observe.outcome import OBSERVED, Outcome, TaskFigures, watched
from takt.observe.outcome import observe as judge
from takt.prove.analysis import Proof, TaskProof
from takt.prove.choose import Choice, Prover
from takt.prove.proof import Proved
from takt.report import page as report
from takt.support import durations
from takt.support.durations import brief
from takt.trace.recording import seen_of
from takt.trace.records import IDLE, NONE, Entry, Event, Names, Trace
from takt.trace.replay import Times

MS = 1_000_000
TASK = Task("work", MS, entry="job", period_ns=10 * MS, deadline_ns=8 * MS)
SYSTEM = System(
    Path("system.toml"),
    "small",
    "host",
    "dm",
    (TASK,),
    objects=(Mutex("shared", (Hold("work", 50_000),)),),
    interrupts=(Interrupt("radio", 5, MS, 30_000, handler="radio_handler"),),
)


def observe(of: Proved, trace: Trace, failure: str | None, plant: dict[str, Any] | None) -> Outcome:
    """What a run with that trace showed."""
    return judge(of, seen_of(trace, watched(of)), failure, plant)


def proved(verdict: Verdict = Verdict.FEASIBLE) -> Proved:
    one = TaskProof("work", verdict, 8 * MS, 3 * MS)
    proof = Proof(verdict, (one,), Fraction(1, 10), Fraction(1, 10), "because")
    choice = Choice("dm", (Band("fixed", (("work",),)),), False, proof)
    return Proved(SYSTEM, boards.load("host"), choice, None, False, "dm", Prover(SYSTEM))


def figures(**more: int) -> Trace:
    """The figures at the end of a run, with some changed."""
    values = {"JOBS": 5, "MISSES": 0, "OVERRUNS": 0, "LOST": 0, "RESPONSE_MAX": 3 * MS, "EXECUTION_MAX": MS} | more
    entries = [Entry(0, Event[f"STAT_{name}"], 0, None, None, NONE, value) for name, value in values.items()]
    return Trace(Names("host", "dm", ("work",)), (*entries, Entry(9, Event.STAT_END, NONE, None, None, NONE, 50 * MS)))


def test_at_its_limits_is_within() -> None:
    outcome = observe(proved(), figures(), None, None)
    assert outcome.within_proof
    assert outcome.passed
    assert outcome.line() == (
        "Within what was proved: in 50 ms no deadline of small was missed, no bound and no wcet exceeded."
    )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"EXECUTION_MAX": MS + 1}, "work executed for 1000.001 us, its wcet is 1 ms"),
        ({"RESPONSE_MAX": 3 * MS + 1}, "work took 3000.001 us, its bound is 3 ms"),
        ({"MISSES": 2}, "work missed 2 deadlines of a proved system"),
    ],
)
def test_beyond_a_limit_is_not(changes: dict[str, int], text: str) -> None:
    outcome = observe(proved(), figures(**changes), None, None)
    assert outcome.breaches() == [text]
    assert not outcome.within_proof
    assert not outcome.passed
    assert outcome.line().startswith(f"Not within what was proved: {text}")


DAMAGED = [
    ({"RESPONSE_MAX": 50 * MS + 1}, 5, "a response of 50000.001 us in a run of 50 ms"),
    ({"EXECUTION_MAX": 2**63}, 5, "an execution of "),
    ({"JOBS": 6}, 5, "6 jobs are counted, but the trace has 5"),
    ({"STACK_MAX": TASK.stack + 4}, 5, f"{TASK.stack + 4} bytes used of a stack of {TASK.stack}"),
]


@pytest.mark.parametrize(("changes", "completed", "why"), DAMAGED)
def test_what_the_kernel_cannot_have_written_is_no_figure(changes: dict[str, int], completed: int, why: str) -> None:
    trace = figures(MISSES=3, **changes)
    jobs = tuple(Entry(n, Event.COMPLETE, 0, n, 0, NONE, 0) for n in range(completed))
    outcome = observe(proved(), replace(trace, entries=(*jobs, *trace.entries)), None, None)
    assert outcome.breaches()[0].startswith(f"figures of work are damaged: {why}")
    assert not outcome.passed
    (task,) = outcome.as_json()["tasks"]
    assert task["damage"].startswith(why)
    seen = (*OBSERVED, "share", "ready_ns", "blocked_ns")
    assert [task[name] for name in seen] == [None] * 10
    with (out := Console(width=200)).capture() as shown:
        out.print(run.table(outcome))
    assert shown.get().splitlines()[-1].split() == ["work", *"????????", "damaged"]
    assert "colspan=7>figures are damaged" in report.page(outcome, trace)


def test_a_stack_that_is_used_up_may_have_been_left() -> None:
    """All but the guard word, which the board does not count, is the most that it can say."""
    assert observe(proved(), figures(STACK_MAX=TASK.stack - 8), None, None).within_proof
    (text,) = observe(proved(), figures(STACK_MAX=TASK.stack - 4), None, None).breaches()
    assert text == f"work used all {TASK.stack} bytes of its stack and may have overflowed it"


def test_marks_in_stacks_are_no_figures_where_one_is_too_small() -> None:
    seen = observe(proved(), figures(STACK_MAX=200), None, None)
    fits = Bound("work", 1024, 300)
    assert seen.with_stacks((fits,)).tasks[0].stack_max == 200
    assert seen.with_stacks((replace(fits, needs=1028),)).tasks[0].stack_max == 0


@pytest.mark.parametrize(
    ("reasons", "says"),
    [
        ({"reasons": ["it fell"]}, "The plant failed: it fell."),
        ({"reasons": ["it fell", "it burnt", "it sank"]}, "The plant failed: it fell (and 2 more)."),
        ({"reasons": []}, "The plant failed."),
        ({}, "The plant failed."),
    ],
)
def test_the_verdict_names_the_plants_failure(reasons: dict[str, list[str]], says: str) -> None:
    """First, if it alone fails the run; last, behind what the program did wrong."""
    plant = {"success": False, **reasons}
    alone = observe(proved(), figures(), None, plant)
    assert not alone.passed
    assert alone.line().startswith(f"{says} Within what was proved: in ")
    both = observe(proved(), figures(MISSES=2), None, plant).line()
    assert both.startswith("Not within what was proved: work missed 2 deadlines")
    assert both.endswith(f". {says}")
    ended = observe(proved(), figures(), "the board stopped", plant).line()
    assert ended.startswith("Failed after ")
    assert ended.endswith(f"the board stopped. {says}")
    assert "plant" not in observe(proved(), figures(), None, {"success": True, **reasons}).line()


def test_interrupts_that_the_kernel_cannot_see_are_allowed_for() -> None:
    """Two of 30 us fit into a response of 1.5 ms when they are 1 ms apart."""
    free = replace(SYSTEM, interrupts=tuple(replace(item, kernel=False) for item in SYSTEM.interrupts))
    base = replace(proved(), system=free)
    seen = {"RESPONSE_MAX": 3 * MS // 2}
    assert observe(base, figures(EXECUTION_MAX=MS + 60_000, **seen), None, None).within_proof
    assert observe(base, figures(EXECUTION_MAX=MS + 60_001, **seen), None, None).breaches()
    assert observe(proved(), figures(EXECUTION_MAX=MS + 60_000, **seen), None, None).breaches()


@pytest.mark.parametrize(("late_ns", "breaches"), [(0, 0), (1, 1)])
def test_the_end_of_a_wait_may_come_late(late_ns: int, breaches: int) -> None:
    """By what the proof counts, in each of the jobs and in the one that goes on."""
    waited = Times(blocked_ns={"delay": 3 * (MS + 50_000) + late_ns, "mutex": MS})
    task = TaskFigures(
        "t", 2, 0, 0, 0, 0, None, MS, 0, 0, 10 * MS, times=waited, suspension_ns=MS, wakes_late_ns=50_000
    )
    assert len(list(task.breaches(proved=True))) == breaches


def test_a_miss_of_an_unproved_system_is_no_breach() -> None:
    miss = (
        Entry(0, Event.STAT_MISS_RELEASE, 0, None, None, NONE, 10 * MS),
        Entry(0, Event.STAT_MISS_DEADLINE, 0, None, None, NONE, 18 * MS),
    )
    seen = figures(MISSES=1)
    outcome = observe(proved(Verdict.INFEASIBLE), replace(seen, entries=(*seen.entries, *miss)), None, None)
    assert outcome.passed
    assert not outcome.within_proof
    assert outcome.as_json()["first_miss"] == {"task": "work", "release_ns": 10 * MS, "deadline_ns": 18 * MS}
    assert "the first by work at 18 ms (released at 10 ms)" in outcome.line()


def test_a_run_without_figures_has_failed() -> None:
    outcome = observe(proved(), Trace(Names("host", "dm", ("work",)), ()), None, None)
    assert outcome.failure == "the board ended without sending its statistics"
    assert not outcome.passed


def test_a_plant_that_failed_fails_the_run() -> None:
    assert observe(proved(), figures(), None, {"success": True}).passed
    assert not observe(proved(), figures(), None, {"success": False}).passed


def test_lost_records_are_counted() -> None:
    lost = Entry(0, Event.LOST_RECORDS, NONE, None, None, NONE, 7)
    seen = figures()
    assert observe(proved(), replace(seen, entries=(lost, lost, *seen.entries)), None, None).lost_records == 14


def test_json_has_the_promised_keys() -> None:
    document = observe(proved(), figures(), None, {"trajectory": [1], "climb": 2}).as_json(samples=False)
    assert {"board", "scheduler", "duration_ns", "misses", "first_miss", "tasks"} <= set(document)
    names = {"name", "jobs", "misses", "response_ns_max", "bound_ns", "wcet_ns", "execution_ns_max"}
    assert names <= set(document["tasks"][0])
    assert document["plant"] == {"climb": 2}


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 ns"), (999, "999 ns"), (1000, "1 us"), (1_234_567, "1.235 ms"), (2 * 10**9, "2 s")]
)
def test_brief(value: int, text: str) -> None:
    assert brief(value) == text


@pytest.mark.parametrize(
    ("seen", "margin", "suggested"), [(1, 20, 1000), (1000, 20, 1200), (10_001, 0, 11_000), (807_800, 20, 970_000)]
)
def test_margins_round_up(seen: int, margin: int, suggested: int) -> None:
    assert durations.with_margin(seen, margin) == suggested


def test_longest_executions_leave_preemption_out() -> None:
    events = [
        (0, Event.RUN, 0, NONE),
        (10, Event.LOCK, 0, 0),
        (20, Event.INTERRUPT, NONE, 5),
        (24, Event.INTERRUPT, NONE, 6),
        (30, Event.INTERRUPT_END, NONE, 6),
        (33, Event.INTERRUPT_END, NONE, 5),
        (33, Event.RUN, IDLE, NONE),
        (50, Event.RUN, 0, NONE),
        (55, Event.UNLOCK, 0, 0),
    ]
    entries = [Entry(time, event, task, None, None, target, 0) for time, event, task, target in events]
    handlers, holds = measure.longest(entries)
    assert handlers == {5: 7, 6: 6}
    assert holds == {(0, 0): 15}


def test_suggestions_name_what_they_are_for() -> None:
    outcome: Outcome = observe(proved(), figures(EXECUTION_MAX=500_000), None, None)
    found = measure.suggestions(SYSTEM, outcome, figures(), 20)
    assert [(one.where, one.key, one.suggested_ns) for one in found] == [
        ('[[task]] "work"', "wcet", 600_000),
        ('[[interrupt]] "radio"', "wcet", 30_000),
        ('[[mutex]] "shared", user "work"', "hold", 50_000),
    ]


def test_every_breach_is_reported() -> None:
    figures = TaskFigures("work", 1, 1, 0, 0, 9, 8, 7, 8, 0, 10)
    assert len(list(figures.breaches(True))) == 3
    assert len(list(figures.breaches(False))) == 2


def test_a_preset_without_times_does_not_claim_them() -> None:
    lean = replace(proved(), system=replace(SYSTEM, preset="lean"))
    line = observe(lean, figures(EXECUTION_MAX=0, RESPONSE_MAX=0), None, None).line()
    assert line.startswith("Within what was proved, as far as preset lean tells (it keeps no times)")


def test_a_task_without_jobs_is_shown_as_background(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path
) -> None:
    declared = '[system]\nboard = "host"\nduration = "20 ms"\n[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\n'
    said = takt("run", application(declared + '[[task]]\nname = "rest"\n'))
    assert said.code == 0, said.err
    (row,) = re.findall(r"^rest +(.*?) *$", said.out.partition("\n\n")[2], re.MULTILINE)[:1]
    assert row.split() == ["-"] * 7 + ["background"]
