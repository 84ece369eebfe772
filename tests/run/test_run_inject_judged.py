# SPDX-License-Identifier: Apache-2.0
"""What `takt run --inject` makes of a run: which fault is the injected one, what that excuses, and what fails it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import Run
from takt.declare.declaration import load
from takt.declare.schema.model import Injection, System
from takt.image.tables import fault_code
from takt.observe import inject
from takt.observe.process_faults import ProcessFault
from takt.prove import proof
from takt.support.provision import ROOT
from takt.trace.records import NONE, Entry, Event, Names, Trace

FOLDER = ROOT / "tests" / "protection" / "two"
Edited = Callable[..., Path]
MS = 1_000_000


def test_a_hang_without_a_budget_is_not_caught(takt: Takt) -> None:
    said = takt("run", FOLDER, "--duration", "60 ms", "--inject", "consumer:hang@15ms")
    assert said.code == 1
    assert "hang of consumer at 15 ms was injected, but no such fault was caught (it has no budget: " in said.out
    assert "Injected: hang of consumer at 15 ms: not caught" in said.out


def test_a_fault_beside_the_injected_one_fails_the_run(run_json: Run, edited: Edited) -> None:
    late = "takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);"
    folder = edited(("consumer.c", "    (void)argument;\n", f"    if (takt_now() > 39000000) {{ {late} }}\n"))
    code, document = run_json(folder, "--duration", "100 ms", "--inject", "producer:assert@25ms")
    assert code == 1
    assert document["injected"][0]["restart_jobs"] > 0
    (breach,) = document["breaches"]
    assert breach.startswith("process sink: task consumer failed an assertion")


def test_what_is_late_by_itself_after_the_restart_fails_the_run(run_json: Run, edited: Edited) -> None:
    """A task is not excused for what it does once its process works again."""
    late = "    if (takt_now() > 99000000) { takt_work(12000000); }\n"
    folder = edited(("producer.c", "    (void)argument;\n", f"    (void)argument;\n{late}"))
    code, document = run_json(folder, "--duration", "150 ms", "--inject", "producer:assert@25ms")
    assert code == 1
    (injected,) = document["injected"]
    assert injected["restart_jobs"] > 0
    assert injected["fault_ns"] < injected["again_ns"] < 80 * MS
    assert any(breach.startswith("producer missed ") for breach in document["breaches"])


def test_what_no_job_commits_fails_the_run(takt: Takt) -> None:
    said = takt("run", FOLDER, "--duration", "60 ms", "--inject", "consumer:assert@59ms")
    assert said.code == 1
    assert "assert of consumer at 59 ms was not injected: no job of consumer began after that time" in said.out
    assert "Injected: assert of consumer at 59 ms: not injected: no job began after that time" in said.out


def test_a_miss_of_another_process_fails_the_run(run_json: Run, edited: Edited) -> None:
    """Proved or not: the consumer has no time for the interrupts that come meanwhile."""
    wcet = 'wcet = "8 ms"\ndeadline = "8050 us"'
    folder = edited(("system.toml", 'period = "20 ms"\nwcet = "1 ms"', f'period = "20 ms"\n{wcet}'))
    code, document = run_json(folder, "--duration", "60 ms", "--force", "--inject", "producer:assert@15ms")
    assert document["injected"][0]["restart_jobs"] > 0
    assert code == 1
    assert any(breach.startswith("consumer missed ") for breach in document["breaches"])


def system_of() -> System:
    system = load(FOLDER / "system.toml")
    return fault_code.into(
        proof.prove(system, None), (Injection("producer", "assert", 20 * MS, "takti_inject_0"),)
    ).system


def fault(task: str = "producer", cause: int = 4, time_ns: int = 21 * MS) -> ProcessFault:
    return ProcessFault("source", task, cause, 7, time_ns, True)


def trace_of(*events: tuple[int, Event, int, int]) -> Trace:
    """Of (ms, event, task, process or deadline)."""
    entries = tuple(Entry(at * MS, event, task, None, None, 0, value) for at, event, task, value in events)
    tasks = ("producer", "consumer", "spare", "tick")
    return Trace(Names("host", "dm", tasks, objects=("takti_inject_0",), processes=("source", "sink")), entries)


MARK = (20, Event.TAKE, 0, 0)
STOP = (21, Event.PROCESS, 0, 4)
AGAIN = (25, Event.PROCESS, NONE, 16)
LOST = (1, Event.LOST_RECORDS, NONE, 7)


def test_nothing_is_concluded_from_what_is_lost_after_the_fault() -> None:
    """Neither that the process stays stopped nor that its tasks complete no job."""
    system = system_of()
    for events in (
        (MARK, STOP, (22, Event.LOST_RECORDS, NONE, 9), (59, Event.RUN, 1, 0)),
        (MARK, STOP, (22, Event.LOST_RECORDS, NONE, 9), AGAIN, (59, Event.RUN, 1, 0)),
    ):
        (found,) = inject.judge(system, (fault(),), trace_of(*events), 60 * MS)
        assert list(found.breaches(system)) == []
        assert found.line() == (
            "assert of producer at 20 ms: caught at 21 ms; what came after is among missing records of the trace"
        )
        assert inject.verdict((found,)) == "the fault was caught"


def test_the_fault_that_fits_is_found() -> None:
    """The next of its process after the mark, or it is none: by task and cause, too."""
    system = system_of()
    before, later = fault(time_ns=19 * MS), fault(time_ns=40 * MS)
    trace = trace_of(MARK, AGAIN, (31, Event.COMPLETE, 0, 0))
    missing = ["assert of producer at 20 ms was injected, but no such fault was caught"]
    for wrong in ((before,), (before, fault("spare"), later), (before, fault(cause=0), later)):
        (found,) = inject.judge(system, wrong, trace, 60 * MS)
        assert (found.fault, found.begun) == (None, True)
        assert list(found.breaches(system)) == missing
    (found,) = inject.judge(system, (before, fault(), later), trace, 60 * MS)
    assert found.fault == fault()
    assert (found.jobs, found.silent, found.again_ns) == (1, (), 31 * MS)
    assert found.line() == (
        "assert of producer at 20 ms: caught at 21 ms, completes jobs again from 31 ms, 1 job since the restart"
    )
    assert list(found.breaches(system)) == []


def test_a_fault_of_the_tasks_own_is_not_the_injected_one() -> None:
    """Nor is it reported as if it were: no job took the mark. Unless the trace has gaps, or the run broke off."""
    system = system_of()
    (found,) = inject.judge(system, (fault(),), trace_of(AGAIN), 60 * MS)
    assert (found.fault, found.begun) == (None, False)
    (text,) = found.breaches(system)
    assert text == "assert of producer at 20 ms was not injected: no job of producer began after that time"
    assert found.line() == "assert of producer at 20 ms: not injected: no job began after that time"
    (found,) = inject.judge(system, (fault(),), trace_of(LOST, AGAIN), 60 * MS)
    assert found.fault == fault()
    (found,) = inject.judge(system, (), trace_of(AGAIN), 60 * MS, whole=False)
    assert list(found.breaches(system)) == ["assert of producer at 20 ms was injected, but no such fault was caught"]


@pytest.mark.parametrize(
    ("events", "misses"),
    [
        pytest.param(((11, Event.RELEASE, 0, 0), MARK, (21, Event.MISS, 0, 0), STOP, AGAIN), 1, id="the job itself"),
        pytest.param(
            ((1, Event.RELEASE, 0, 0), (12, Event.MISS, 0, 0), (13, Event.RELEASE, 0, 0), MARK, STOP, AGAIN),
            0,
            id="the job before",
        ),
        pytest.param(((11, Event.RELEASE, 3, 0), MARK, (21, Event.MISS, 3, 0), STOP, AGAIN), 0, id="of the process"),
        pytest.param((MARK, STOP, (23, Event.RELEASE, 3, 0), AGAIN, (33, Event.MISS, 3, 0)), 1, id="in between"),
        pytest.param((MARK, STOP, AGAIN, (31, Event.RELEASE, 0, 0), (42, Event.MISS, 0, 0)), 0, id="afterwards"),
        pytest.param((MARK, STOP, (23, Event.RELEASE, 1, 0), (33, Event.MISS, 1, 0), AGAIN), 0, id="another process"),
    ],
)
def test_only_misses_of_the_crash_are_excused(events: tuple[tuple[int, Event, int, int], ...], misses: int) -> None:
    """Jobs released while the process was stopped, and the one that the fault ended."""
    system, trace = system_of(), trace_of(*events)
    found = inject.judge(system, (fault(time_ns=21 * MS),), trace, 60 * MS)
    assert sum(inject.excused(system, found, trace).values()) == misses


@pytest.mark.parametrize(
    ("events", "jobs", "silent"),
    [
        pytest.param(((24, Event.COMPLETE, 0, 0), AGAIN), 0, ("producer",), id="before the restart"),
        pytest.param((AGAIN, (31, Event.COMPLETE, 1, 0)), 0, ("producer",), id="another's"),
        pytest.param((AGAIN, (30, Event.RELEASE, 0, 0), (31, Event.COMPLETE, 0, 0)), 1, (), id="again"),
        pytest.param(
            (AGAIN, (31, Event.COMPLETE, 0, 0), (30, Event.RELEASE, 3, 0)), 1, ("tick",), id="one of the process hangs"
        ),
        pytest.param((AGAIN, (31, Event.COMPLETE, 0, 0), (57, Event.RELEASE, 3, 0)), 1, (), id="the end came"),
    ],
)
def test_restarted_tasks_have_to_complete_jobs(
    events: tuple[tuple[int, Event, int, int], ...], jobs: int, silent: tuple[str, ...]
) -> None:
    system = system_of()
    (found,) = inject.judge(system, (fault(),), trace_of(MARK, *events), 60 * MS)
    assert (found.jobs, found.silent) == (jobs, silent)
    assert len(list(found.breaches(system))) == len(silent)
