# SPDX-License-Identifier: Apache-2.0
"""What `takt run` says of each task's time, and of a fault."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt, documented
from running import BOARDS, EMULATED, Run
from takt.observe import fault
from takt.report import lanes
from takt.trace import segments
from takt.trace.records import IDLE, NONE, Entry, Event, Names, Trace
from takt.trace.replay import History, State, times

MS = 1_000_000
NAMES = Names("host", "dm", ("high", "low"), ("lock", "go"), kinds=("mutex", "semaphore"), deadlines_ns=(50, 90))


def event(time_ns: int, kind: Event, task: int = NONE, target: int = NONE, value: int = 0) -> Entry:
    return Entry(time_ns, kind, task, 0, None, target, value)


STORY = [
    event(0, Event.RELEASE, 0, value=50),
    event(0, Event.RELEASE, 1, value=90),
    event(0, Event.RUN, 0),
    event(4, Event.BLOCK, 0, 1),  # a semaphore, for 6
    event(4, Event.RUN, 1),
    event(6, Event.LOCK, 1, 0),
    event(10, Event.INTERRUPT, target=7),
    event(10, Event.READY, 0, 1),
    event(12, Event.INTERRUPT_END, target=7),
    event(12, Event.RUN, 0),  # it was ready for 2, low for 2 from the interrupt on
    event(15, Event.BLOCK, 0, 0),  # the mutex, for 5
    event(15, Event.KEY, 1, 0),
    event(15, Event.RUN, 1),
    event(20, Event.UNLOCK, 1, 0),
    event(20, Event.KEY, 1),
    event(20, Event.READY, 0, 0),
    event(20, Event.LOCK, 0, 0),
    event(20, Event.RUN, 0),
    event(22, Event.UNLOCK, 0, 0),
    event(22, Event.BLOCK, 0),  # a delay, for 8
    event(22, Event.RUN, 1),
    event(25, Event.SUSPEND, 1),  # for 5
    event(25, Event.RUN, IDLE),
    event(30, Event.RESUME, 1),
    event(30, Event.RUN, 1),
    event(30, Event.READY, 0),
    event(30, Event.RUN, 0),
    event(33, Event.COMPLETE, 0),
    event(33, Event.RUN, 1),
    event(39, Event.COMPLETE, 1),
    event(39, Event.RUN, IDLE),
    Entry(50, Event.STAT_END, NONE, None, None, NONE, 50),
]


def test_where_time_goes() -> None:
    high, low = times(History(STORY, NAMES).reader, NAMES)
    assert (high.executed_ns, high.ready_ns) == (4 + 3 + 2 + 3, 2)
    assert high.blocked_ns == {"semaphore": 6, "mutex": 5, "delay": 8}
    assert (low.executed_ns, low.blocked_ns) == (6 + 5 + 3 + 6, {"suspended": 5})
    assert low.ready_ns == 4 + 2 + 3 + 2 + 3  # until it ran, interrupted, and three preemptions


def test_conditions_follow_each_other_without_a_gap() -> None:
    history = History(STORY, NAMES)
    for task in (0, 1):
        own = [span for span in history.spans if span.task == task]
        assert [own[0].start_ns, own[-1].end_ns] == [0, 50]
        assert all(one.end_ns == other.start_ns for one, other in itertools.pairwise(own))
    heir = [span for span in history.spans if span.condition.heir_of == 0]
    assert [(span.task, span.start_ns, span.end_ns, span.condition.state) for span in heir] == [
        (1, 15, 20, State.RUNNING)
    ]


def test_gaps_are_reported() -> None:
    lost = Entry(12, Event.LOST_RECORDS, NONE, None, None, NONE, 9)
    history = History([*STORY[:9], lost, *STORY[9:]], NAMES)
    assert history.lost
    assert not History(STORY, NAMES).lost
    unknown = [span for span in history.spans if span.condition.state is State.UNKNOWN]
    assert [(span.task, span.start_ns, span.end_ns) for span in unknown] == [(1, 12, 15)]


APPLICATION = """
[[task]]
name = "high"
entry = "high"
period = "10 ms"
wcet = "3 ms"

[[task]]
name = "low"
entry = "low"
period = "40 ms"
wcet = "9 ms"

[[mutex]]
name = "shared"
users = [{task = "high", hold = "1 ms"}, {task = "low", hold = "5 ms"}]
"""
SOURCE = """
#include "takt_app.h"
static void work_locked(uint64_t ns) { (void)takt_mutex_lock(&shared); takt_work(ns); takt_mutex_unlock(&shared); }
void high(void *a) { (void)a; work_locked(1000000); takt_work(1000000); }
void low(void *a) { (void)a; takt_work(5000000); work_locked(4000000); }
"""


def test_a_run_tells_shares_and_waits(takt: Takt, run_json: Run, application: Callable[..., Path]) -> None:
    folder = application(APPLICATION, app_dot_c=SOURCE)
    code, document = run_json(folder, "--board", "host", "--scheduler", "dm", "--duration", "400 ms")
    high, low = document["tasks"]
    assert (code, high["share"], low["share"]) == (0, 0.2, 0.225)
    # low locks at 7 ms of every 40 and holds until 11: high waits from 10 to 11.
    assert (high["blocked_ns"], high["ready_ns"]) == ({"mutex": 10 * MS}, 0)
    # Its release finds high, and so does its unlock: 2 ms each.
    assert (low["blocked_ns"], low["ready_ns"]) == ({}, 40 * MS)
    said = takt("run", folder, "--board", "host", "--scheduler", "dm", "--duration", "400 ms")
    lines = [line.split() for line in said.out.splitlines()]
    assert ["task", "cpu", "ready", "blocked:", "mutex", "stack"] in lines
    assert ["high", "20.0%", "0", "ns", "10", "ms", "-"] in lines


def test_without_a_trace_nothing_is_claimed(takt: Takt, run_json: Run, application: Callable[..., Path]) -> None:
    folder = application('[system]\npreset = "lean"\n' + APPLICATION, app_dot_c=SOURCE)
    _, document = run_json(folder, "--board", "host", "--scheduler", "dm", "--duration", "40 ms")
    assert [(task["share"], task["ready_ns"], task["blocked_ns"]) for task in document["tasks"]] == [(None,) * 3] * 2
    assert "cpu" not in takt("run", folder, "--board", "host", "--scheduler", "dm", "--duration", "40 ms").out


@pytest.mark.parametrize("board", BOARDS)
def test_an_assertion_ends_a_run_with_its_record(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    source = SOURCE.replace("(void)a;", "(void)a; static int jobs; TAKT_ASSERT(++jobs < 4);", 1)
    said = takt("run", application(APPLICATION, app_dot_c=source), "--board", board, "--scheduler", "dm")
    assert said.code == 1
    lines = said.out.splitlines()
    (line,) = [line for line in lines if line.startswith("Fault: ")]
    assert line.startswith("Fault: an assertion failed at app.c:4, in task high, at 30")
    (path,) = scratch_builds.glob("*/run/trace.takt")
    entries = [entry for entry in segments.read(path).entries if entry.event < Event.STAT_JOBS]
    assert (entries[-1].event, entries[-1].task, entries[-1].object) == (Event.FAULT, 0, 4)
    assert [entry.event for entry in entries[-3:-1]].count(Event.RUN) == 1  # what came after the last idle time
    assert segments.read(path).statistic(Event.STAT_JOBS, 0) == 3
    assert any(word.endswith("fault") for word in " ".join(lines).split())
    assert "the last records of the trace:" in said.out


@pytest.mark.parametrize("board", EMULATED)
def test_an_exception_tells_registers(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    source = SOURCE.replace("(void)a;", "(void)a; *(volatile int *)0xfffffff0u = 1;", 1)
    code, document = run_json(application(APPLICATION, app_dot_c=source), "--board", board, "--scheduler", "dm")
    found = document["fault"]
    assert (code, found["reason"], found["task"], found["file"]) == (1, "exception", "high", None)
    assert found["registers"]["pc"] == found["address"]
    assert 0xFFFFFFF0 in found["registers"].values()  # the address that was not there
    assert len(found["registers"]) == 12
    assert document["failure"].startswith("an exception at address 0x")
    assert {f"fault.{key}" for key in found} == {key for key in documented("run") if key.startswith("fault.")}


def test_a_fault_is_read_from_what_the_board_wrote() -> None:
    registers = "takt: registers r0 0x00000001 pc 0x0000ff00"
    console = f"hello\n\ntakt: fault stack address 0x20000400 task 1 time_ns 1500\n{registers}\n"
    seen = Trace(NAMES, tuple(STORY))
    found = fault.find(console, seen)
    assert found is not None
    assert (found.reason, found.file, found.task, found.time_ns) == ("stack", None, "low", 1500)
    assert found.registers == {"r0": 1, "pc": 0xFF00}
    assert len(found.last) == fault.LAST_RECORDS
    assert found.last[-1].event is Event.RUN
    assert found.sentence() == "a stack overflowed at address 0x20000400, in task low, at 1.5 us"
    assert fault.without(console).split() == ["hello"]
    assert fault.find("\ntakt: fault of another kind\n", seen) is None


@pytest.mark.parametrize("more", ["", 'on_budget = "demote"\n'], ids=["plain", "budget"])
def test_the_end_of_inheritance_is_reported(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, more: str
) -> None:
    """With a budget, which has the kernel look at all that the owner holds, too."""
    folder = application(APPLICATION.replace('wcet = "9 ms"\n', 'wcet = "9 ms"\n' + more), app_dot_c=SOURCE)
    assert takt("run", folder, "--board", "host", "--scheduler", "dm", "--duration", "40 ms").code == 0
    (path,) = scratch_builds.glob("*/run/trace.takt")
    keys = [entry for entry in segments.read(path).entries if entry.event is Event.KEY]
    assert [(entry.time_ns, entry.task, entry.object, entry.value) for entry in keys] == [
        (10 * MS, 1, 0, 0),
        (11 * MS, 1, NONE, 1),
    ]


def test_figures_of_the_trace_are_those_of_the_kernel(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path
) -> None:
    """Jobs, misses and longest responses, on a system that is overloaded: most jobs begin late."""
    text = APPLICATION.replace('period = "10 ms"', 'period = "4 ms"').replace('wcet = "9 ms"', 'wcet = "12 ms"')
    folder = application(text, app_dot_c=SOURCE.replace("5000000", "8000000"))
    takt("run", folder, "--board", "host", "--scheduler", "edf", "--duration", "4 s", "--force")
    (path,) = scratch_builds.glob("*/run/trace.takt")
    seen = segments.read(path)
    found = lanes.lanes(seen)
    for task in (0, 1):
        done = [job for job in found.jobs[task] if job.complete_ns is not None]
        assert len(done) == seen.statistic(Event.STAT_JOBS, task)
        assert len(done) > 50
        responses = [(job.complete_ns or 0) - job.release_ns for job in done]
        assert max(responses) == seen.statistic(Event.STAT_RESPONSE_MAX, task)
        late = [job for job in done if job.missed]
        assert late == [job for job in done if (job.complete_ns or 0) > (job.deadline_ns or 0)]
