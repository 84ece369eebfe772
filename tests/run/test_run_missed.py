# SPDX-License-Identifier: Apache-2.0
"""What `on_miss` of a declaration does to a run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from running import BOARDS, FULL, Run

DECLARED = """
[system]
name = "lateness"
scheduler = "dm"
duration = "100 ms"

[[task]]
name = "slow"
entry = "slow_job"
period = "10 ms"
wcet = "1 ms"
{policy}
"""

SLOW = """
#include "takt_app.h"
#include "takt/board.h"

void slow_job(void *argument)
{
    static unsigned jobs;
    (void)argument;
    takt_work(jobs++ == 2 ? TAKT_MS(35) : TAKT_MS(1)); /* the third is late, and covers three releases */
}

void slow_missed(struct takt_task *task)
{
    char text[] = "late 0\\n";
    text[5] = task == TASK_slow ? (char)('0' + takt_now() / TAKT_MS(10)) : '?';
    takt_board_console_write(text, sizeof text - 1);
}
"""

# Policy: jobs completed, misses, releases lost; and when the handler was called, in tens of ms.
POLICIES = {
    "": ((10, 3, 0), ""),
    'on_miss = "skip"': ((7, 1, 3), ""),
    'on_miss = "stop"': ((2, 1, 0), ""),
    'on_miss = "notify"\nmiss_handler = "slow_missed"\nmiss_wcet = "5 us"': ((10, 3, 0), "355"),
}


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
@pytest.mark.parametrize("policy", POLICIES, ids=["continue", "skip", "stop", "notify"])
def test_a_late_job_meets_its_policy(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, policy: str, board: str
) -> None:
    folder = application(DECLARED.format(policy=policy), app_dot_c=SLOW)
    _, document = run_json(folder, "--board", board, "--force")
    task = document["tasks"][0]
    (jobs, misses, lost), letters = POLICIES[policy]
    assert (task["jobs"], task["misses"], task["lost"]) == (jobs, misses, lost)
    end = document["duration_ns"] - 100_000_000
    assert end == 0 if board == "host" else 0 <= end < 20_000  # the kernel's own time
    console = next(scratch_builds.glob("*/run/console.txt")).read_text(encoding="utf-8")
    assert re.findall("late (.)", console) == list(letters)
