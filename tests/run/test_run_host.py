# SPDX-License-Identifier: Apache-2.0
"""`takt run --board host`: verdicts, figures, exit codes, plants, and that two runs are the same byte for byte."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, FULL, Run, only_full
from takt.observe import execute
from takt.support.compile import BUILD
from takt.support.provision import ROOT
from takt.trace import segments
from takt.trace.records import Event

HOST = ("--board", "host")
TROUBLE = APPS / "troublesome"
EDF = BUILD / "troublesome-host-edf-standard"


def test_an_unproved_system_is_refused(takt: Takt) -> None:
    said = takt("run", TROUBLE, *HOST, "--scheduler", "rm")
    assert said.code == 1
    assert "Refuted" in said.out
    assert said.err.endswith(
        "takt: not proved, so it is neither built nor run\n  try: --force, which builds or runs it anyway\n"
    )


def test_a_refused_run_is_json_too(run_json: Run) -> None:
    code, document = run_json(TROUBLE, *HOST, "--scheduler", "rm")
    assert (code, document["feasible"]) == (1, False)
    assert "t5" in document["reason"]


def test_runs_of_one_build_wait_for_each_other(application: Callable[..., Path]) -> None:
    folder = application(ONE.replace('entry = "job"\n', ""))
    command = [str(ROOT / "takt"), "run", str(folder), *HOST, "--json", "--duration", "50 s"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(2)]
    outputs = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(number, marks=only_full) for number in (signal.SIGTERM, signal.SIGHUP))]
)
def test_an_interrupted_run_leaves_no_board_running(application: Callable[..., Path], number: signal.Signals) -> None:
    folder = application(ONE.replace('entry = "job"\n', ""))
    command = [str(ROOT / "takt"), "run", str(folder), *HOST, "--duration", "1000000 s"]
    # A shell that put the tests into the background has made them, and their children, ignore interrupts.
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    ) as process:
        try:
            board = None
            until = time.monotonic() + 60
            while board is None and time.monotonic() < until:
                time.sleep(0.1)
                board = next(iter(children(process.pid)), None)
            assert board is not None
            process.send_signal(number)
            process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 128 + number
    assert not Path(f"/proc/{board}").exists()


def children(parent: int) -> Iterator[int]:
    """Processes with an image of `takt run` that `parent` started."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            stat = re.fullmatch(r"(\d+) \((.*)\) \S+ (\d+) .*\n", path.read_text(), re.DOTALL)
            if stat and stat[2] == "application" and int(stat[3]) == parent:
                yield int(stat[1])


def test_under_rm_the_fifth_task_misses_at_8_ms(run_json: Run) -> None:
    code, document = run_json(TROUBLE, *HOST, "--scheduler", "rm", "--force")
    assert code == 0  # nothing was proved, so nothing was breached
    assert document["first_miss"] == {"task": "t5", "release_ns": 0, "deadline_ns": 8_000_000}
    assert document["misses"] == sum(task["misses"] for task in document["tasks"]) >= 1
    assert [task["name"] for task in document["tasks"] if task["misses"]] == ["t5"]
    assert not document["within_proof"]


@pytest.mark.parametrize("scheduler", ["edf", "csd2", "csd3", "auto", "csd"] if FULL else ["edf", "csd3", "auto"])
def test_under_edf_and_csd_none_misses(run_json: Run, scheduler: str) -> None:
    code, document = run_json(TROUBLE, *HOST, "--scheduler", scheduler)
    assert (code, document["misses"], document["first_miss"]) == (0, 0, None)
    assert document["within_proof"]
    assert [task["jobs"] for task in document["tasks"]] == [250, 200, 167, 143, 125, 50, 34, 20, 10, 8]
    assert all(task["execution_ns_max"] == task["wcet_ns"] for task in document["tasks"])


def test_with_t1_to_t5_in_the_edf_band_none_misses(run_json: Run, application: Callable[..., Path]) -> None:
    edf, fixed = ([f"t{i}" for i in span] for span in (range(1, 6), range(6, 11)))
    bands = (
        f'\n[[band]]\nkind = "edf"\ntasks = {json.dumps(edf)}\n[[band]]\nkind = "fixed"\ntasks = {json.dumps(fixed)}\n'
    )
    text = (TROUBLE / "system.toml").read_text().replace('scheduler = "auto"', 'scheduler = "bands"')
    code, document = run_json(application(text + bands), *HOST, "--duration", "10 s")
    assert (code, document["misses"], document["scheduler"]) == (0, 0, "bands")
    assert document["duration_ns"] == 10_000_000_000


def test_keys_of_the_document(run_json: Run) -> None:
    _, document = run_json(APPS / "avionics", *HOST, "--duration", "400 ms")
    assert {"board", "scheduler", "duration_ns", "misses", "first_miss", "tasks"} <= set(document)
    assert document["board"] == "host"
    assert document["duration_ns"] == 400_000_000
    task = document["tasks"][0]
    assert task["name"] == "weapon_release"
    assert task["jobs"] == 2
    assert task["wcet_ns"] == task["execution_ns_max"] == 3_000_000
    assert 0 < task["response_ns_max"] <= task["bound_ns"] <= 5_000_000


def test_two_runs_leave_the_same_trace(takt: Takt) -> None:
    traces = []
    for _ in range(2):
        assert takt("run", TROUBLE, *HOST, "--scheduler", "edf", "--duration", "300 ms").code == 0
        traces.append((EDF / "run/trace.takt").read_bytes())
    assert traces[0] == traces[1]


def test_what_a_run_leaves_behind(takt: Takt) -> None:
    said = takt("run", TROUBLE, *HOST, "--scheduler", "edf", "--duration", "100 ms")
    folder = EDF / "run"
    assert said.out.splitlines()[-1].startswith("Within what was proved")
    assert said.out.splitlines()[-2].endswith("report.html")
    assert json.loads((folder / "run.json").read_text())["misses"] == 0
    assert "<!doctype html>" in (folder / "report.html").read_text()
    seen = segments.read(folder / "trace.takt")
    assert seen.names.tasks == tuple(f"t{i}" for i in range(1, 11))
    released = sum(entry.event is Event.RELEASE and entry.task == 0 for entry in seen.entries)
    assert released == 25  # at 0, 4 ... 96 ms: the end was armed before the release at the same time


def test_a_second_build_touches_nothing(takt: Takt) -> None:
    images = []
    for _ in range(2):
        said = takt("build", TROUBLE, *HOST, "--scheduler", "edf")
        assert said.code == 0
        assert "bytes of code and constants" in said.out
        images.append((EDF / "application").stat().st_mtime_ns)
    assert images[0] == images[1]


ONE = '[[task]]\nname = "work"\nentry = "job"\nperiod = "10 ms"\nwcet = "1 ms"\n'


def test_more_than_the_wcet_fails_the_run(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path
) -> None:
    source = '#include "takt_app.h"\nvoid job(void *a) { (void)a; takt_work(1000001); }\n'
    code, document = run_json(application(ONE, app_dot_c=source), *HOST)
    assert code == 1
    assert "work executed for 1000.001 us, its wcet is 1 ms" in document["breaches"]
    assert document["tasks"][0]["execution_ns_max"] == 1_000_001


def test_a_fault_of_the_application_fails_the_run(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path
) -> None:
    mutex = '[[mutex]]\nname = "shared"\nusers = [{task = "work", hold = "1 us"}]\n'
    source = '#include "takt_app.h"\nvoid job(void *a) { (void)a; takt_mutex_unlock(&shared); }\n'
    code, document = run_json(application(ONE + mutex, app_dot_c=source), *HOST)
    assert code == 1
    assert re.fullmatch(r"an assertion failed at \S+/mutex.c:\d+, in task work, at 1 ms", document["failure"])
    fault = document["fault"]
    assert (fault["reason"], fault["task"], fault["time_ns"], fault["registers"]) == (
        "assertion",
        "work",
        1_000_000,
        {},
    )
    assert [event["event"] for event in fault["last"]][-2:] == ["run", "fault"]
    assert fault["last"][-1]["value"] == fault["line"]


def test_what_does_not_compile_is_shown(takt: Takt, application: Callable[..., Path], scratch_builds: Path) -> None:
    said = takt("build", application(ONE, app_dot_c="void job(void *a) { nonsense }\n"), *HOST)
    assert said.code == 2
    assert "app.c:1:" in said.err
    assert "nonsense" in said.err


def test_a_new_application_runs_outside_the_clone(takt: Takt, tmp_path: Path, scratch_builds: Path) -> None:
    assert takt("new", tmp_path / "first").code == 0
    said = takt("run", tmp_path / "first", *HOST)
    assert said.code == 0
    assert "Within what was proved" in said.out


@pytest.mark.parametrize("name", ["sp ace", "do$llar", "per%cent", 'quo"te', "com,ma=", "ü"])
def test_folders_of_any_name_build(takt: Takt, tmp_path: Path, scratch_builds: Path, name: str) -> None:
    assert takt("new", tmp_path / name).code == 0
    assert takt("build", tmp_path / name, *HOST).code == 0


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("0 s", "must be longer than zero\n  try: at least"),
        ("0", "must be longer than zero\n  try: at least"),
        ("10", 'the unit is missing\n  try: "10 ms"'),
        ("soon", "not a duration"),
    ],
)
def test_durations_are_checked(takt: Takt, option: str, text: str) -> None:
    said = takt("run", TROUBLE, *HOST, "--duration", option)
    assert said.code == 2
    assert text in said.err
    assert "Traceback" not in said.err


def test_cooperative_jobs_are_not_preempted(takt: Takt, application: Callable[..., Path], scratch_builds: Path) -> None:
    text = '[system]\nscheduler = "cooperative"\n'
    for name, period, wcet in (("quick", 10, 1), ("slow", 40, 5)):
        text += f'[[task]]\nname = "{name}"\nperiod = "{period} ms"\nwcet = "{wcet} ms"\n'
    assert takt("run", application(text), *HOST).code == 0
    (path,) = scratch_builds.glob("*/run/trace.takt")
    open_job = None
    for entry in segments.read(path).entries:
        if entry.event is Event.RUN and entry.task < 2:
            assert open_job is None
            open_job = entry.task
        elif entry.event is Event.COMPLETE:
            assert open_job == entry.task
            open_job = None


def test_twenty_tasks(run_json: Run, application: Callable[..., Path], scratch_builds: Path) -> None:
    text = "".join(f'[[task]]\nname = "t{i}"\nperiod = "{10 + i} ms"\nwcet = "{300 + i} us"\n' for i in range(20))
    seconds = 60 if FULL else 10
    code, document = run_json(application(text), *HOST, "--duration", f"{seconds} s")
    assert code == 0
    assert document["duration_ns"] == seconds * 1_000_000_000
    assert document["lost_records"] == 0


POLLED = """
[system]
board = "host"
duration = "1 s"
[[task]]
name = "steps"
entry = "step"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "looks"
entry = "look"
style = "loop"
"""
POLLING = """#include "takt_app.h"
#include <stdio.h>
static volatile unsigned steps;
void step(void *argument) { (void)argument; steps++; printf("step %u\\n", steps); }
void look(void *argument)
{
    (void)argument;
    while (steps < 20) { REST; }
    takt_delay_until(TAKT_FOREVER);
}
"""


def test_a_task_that_polls_ends_the_run(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time does not pass while a task executes: what it waits for does not come. With a rest in its loop it does."""
    monkeypatch.setattr(execute, "POLLING_MS", 50)
    polls = application(POLLED, "polls", app_dot_c=POLLING.replace("REST;", ""))
    code, document = run_json(polls, *HOST)
    assert code == 1
    assert document["failure"] == (
        "task looks executes, and no time passes: on this board time passes only while every task waits, and in"
        " takt_work(); in a loop that polls call takt_delay() or takt_work()"
    )
    (console,) = scratch_builds.glob("polls*/run/console.txt")
    assert "step 1\n" in console.read_text(encoding="utf-8")
    rests = application(POLLED, "rests", app_dot_c=POLLING.replace("REST", "takt_delay(TAKT_MS(1))"))
    assert run_json(rests, *HOST)[0] == 0
