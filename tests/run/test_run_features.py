# SPDX-License-Identifier: Apache-2.0
"""What a declaration may say of jobs beyond periods and deadlines, run: deadlines beyond the period, jobs that wait,
sections that no task interrupts. And every application under every scheduler that proves it (--full).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, BOARDS, Run

HOST = ("--board", "host")
MS = 1_000_000
FULL = bool(os.environ.get("TAKT_TEST_FULL"))
NAMES = ["troublesome", "avionics", "flight"]  # telecom proves its tasks as it starts them
SCHEDULERS = ["edf", "csd2", "csd3", "dm", "rm", "auto"]


def task(name: str, *lines: str) -> str:
    return "\n".join(["[[task]]", f'name = "{name}"', *lines, ""])


LEHOCZKY = task("t1", 'period = "70 ms"', 'wcet = "26 ms"') + task(
    "t2", 'period = "100 ms"', 'wcet = "62 ms"', 'deadline = "118 ms"'
)


def test_the_published_response_is_reached(run_json: Run, application: Callable[..., Path]) -> None:
    """Lehoczky 1990: of all jobs of t2 in the busy period the fifth is the late one, 118 ms after its release."""
    code, document = run_json(application(LEHOCZKY), *HOST, "--scheduler", "rm", "--duration", "700 ms")
    late = document["tasks"][1]
    assert (code, document["misses"], document["within_proof"], late["lost"]) == (0, 0, True, 0)
    assert late["response_ns_max"] == late["bound_ns"] == 118 * MS
    assert late["overruns"] > 0


def test_releases_behind_an_unfinished_job_are_kept(run_json: Run, application: Callable[..., Path]) -> None:
    """Two come while the first job of t2 waits for t1: as many releases are kept as its deadline has periods."""
    of = task("t1", 'period = "1 s"', 'wcet = "250 ms"')
    of += task("t2", 'min_interarrival = "100 ms"', 'deadline = "450 ms"', 'wcet = "50 ms"', 'trigger = "alarm beat"')
    of += '[[alarm]]\nname = "beat"\nperiod = "100 ms"\nstart = "0 ns"\n'
    bands = '[[band]]\nkind = "fixed"\ntasks = ["t1", "t2"]\n'
    code, document = run_json(application(of + bands), *HOST, "--duration", "10 s")
    late = document["tasks"][1]
    assert (code, document["misses"], document["within_proof"], late["lost"]) == (0, 0, True, 0)
    assert 250 * MS < late["response_ns_max"] <= late["bound_ns"]
    assert late["overruns"] > 0


def test_a_release_at_the_end_of_a_cooperative_job_is_before_the_next_one(
    run_json: Run, application: Callable[..., Path]
) -> None:
    """As the bound has it: what blocks a job began before its release."""
    of = task("brief", 'period = "2 ms"', 'wcet = "1 ms"') + task("middle", 'period = "4 ms"', 'wcet = "1 ms"')
    of += task("low", 'period = "8 ms"', 'wcet = "1 ms"')
    code, document = run_json(application(of), *HOST, "--scheduler", "cooperative", "--duration", "80 ms")
    assert (code, document["misses"], document["within_proof"]) == (0, 0, True)
    assert [t["response_ns_max"] for t in document["tasks"]] == [1 * MS, 2 * MS, 4 * MS]


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_synthetic_loads_wait(run_json: Run, application: Callable[..., Path], board: str) -> None:
    of = task("waits", 'period = "10 ms"', 'wcet = "2 ms"', 'suspension = "2 ms"', "waits = 2")
    of += task("later", 'period = "20 ms"', 'wcet = "5 ms"', 'deadline = "35 ms"')
    of += task("rare", 'period = "50 ms"', 'wcet = "5 ms"', 'suspension = "4 ms"')
    code, document = run_json(application(of), "--board", board, "--duration", "1 s")
    assert (code, document["misses"], document["within_proof"]) == (0, 0, True)
    waits, _, rare = document["tasks"]
    least = 1 if board == "host" else 0.99  # a wait begins with the call, and its task is blocked a little later
    assert waits["blocked_ns"]["delay"] >= least * 2 * MS * waits["jobs"]
    assert rare["blocked_ns"]["delay"] >= least * 4 * MS * rare["jobs"]
    assert waits["response_ns_max"] >= 3.8 * MS
    if board == "host":
        assert waits["response_ns_max"] == waits["bound_ns"] == 4 * MS


def test_short_waits_are_as_declared_where_the_kernel_takes_time(
    run_json: Run, application: Callable[..., Path]
) -> None:
    """Their ends, with the interrupts, are of about their length: no message is about them."""
    of = task("brief", 'period = "5 ms"', 'wcet = "500 us"', 'suspension = "100 us"', "waits = 4")
    code, document = run_json(application(of), "--board", "mps2-an385", "--duration", "200 ms")
    assert document["tasks"][0]["blocked_ns"]["delay"] > 80_000 * document["tasks"][0]["jobs"]
    assert (code, document["breaches"]) == (0, [])


WAITING = """/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

void job(void *argument)
{
    (void)argument;
    takt_delay(TAKT_MS(3));
}
"""


@pytest.mark.parametrize("declared", ["3 ms", "2 ms", None])
def test_waits_longer_than_declared_are_reported(
    run_json: Run, application: Callable[..., Path], declared: str | None
) -> None:
    lines = ['period = "10 ms"', 'wcet = "1 ms"', 'entry = "job"']
    of = task("napper", *lines, *([f'suspension = "{declared}"'] if declared else []))
    code, document = run_json(application(of, jobs_dot_c=WAITING), *HOST, "--duration", "100 ms")
    said = {
        "3 ms": [],
        "2 ms": ["napper waited 30 ms in 10 jobs; the declared suspension of a job is 2 ms"],
        None: ["napper waited 30 ms in 10 jobs; the declared suspension of a job is 0 ns"],
    }[declared]
    assert [text for text in document["breaches"] if "waited" in text] == said
    assert code == (0 if declared == "3 ms" else 1)


LOCKING = """/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

void job(void *argument)
{
    (void)argument;
    for (int again = 0; again < 2; again++) {
        if (takt_mutex_lock(&shared) == TAKT_OK) {
            takt_mutex_unlock(&shared);
        }
    }
}
"""


TOO_MANY = "t locked shared 20 times in 10 jobs; the declared locks of a job: 1"


@pytest.mark.parametrize(("locks", "said"), [("", []), (", locks = 1", [TOO_MANY]), (", locks = 2", [])])
def test_more_locks_than_declared_are_reported(
    run_json: Run, application: Callable[..., Path], locks: str, said: list[str]
) -> None:
    of = task("t", 'period = "10 ms"', 'wcet = "1 ms"', 'entry = "job"')
    of += f'[[mutex]]\nname = "shared"\nusers = [{{task = "t", hold = "1 us"{locks}}}]\n'
    code, document = run_json(application(of, jobs_dot_c=LOCKING), *HOST, "--duration", "100 ms")
    assert [text for text in document["breaches"] if "locked" in text] == said
    assert code == (1 if said else 0)


def test_a_task_that_lifts_a_ceiling_need_not_lock(takt: Takt, application: Callable[..., Path]) -> None:
    """The section is at the level of the first task, or has the shortest deadline of the band."""
    of = task("first", 'period = "10 ms"', 'wcet = "1 ms"', 'deadline = "4 ms"')
    of += task("last", 'period = "40 ms"', 'wcet = "5 ms"')
    of += '[[mutex]]\nname = "quiet"\nprotocol = "ceiling"\n'
    of += 'users = [{task = "first", hold = "0 ns"}, {task = "last", hold = "2 ms"}]\n'
    folder = application(of)
    for scheduler in ("dm", "edf"):
        assert takt("generate", folder, *HOST, "--scheduler", scheduler).code == 0
        assert "TAKT_CEILING_DEFINE(quiet, 0, 0, UINT64_C(4000000));" in (folder / "system.c").read_text()
        said = takt("check", folder, *HOST, "--scheduler", scheduler)
        assert said.code == 0
        assert "response 3 ms, deadline 4 ms" in said.out


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
@pytest.mark.parametrize("name", NAMES if FULL else NAMES[:1])
@pytest.mark.parametrize("scheduler", SCHEDULERS if FULL else SCHEDULERS[:1])
def test_every_application_stays_within_its_bounds(
    takt: Takt, run_json: Run, name: str, scheduler: str, board: str
) -> None:
    options = ("--board", board, "--scheduler", scheduler)
    if takt("check", APPS / name, *options, "--no-sensitivity").code != 0:
        return
    _, document = run_json(APPS / name, *options, "--duration", "2 s")
    assert (document["breaches"], document["failure"], document["within_proof"]) == ([], None, True)
