# SPDX-License-Identifier: Apache-2.0
"""Times in the trace after long times without a record: more ns than a record tells, more ticks than a clock counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from running import HOST_AND_FIRST, Run
from takt.trace.records import Event
from takt.trace.segments import read

DECLARED = """
[system]
duration = "600 s"

[[task]]
name = "first"
entry = "rare_step"
period = "250 s"
deadline = "100 ms"
wcet = "1 ms"

[[task]]
name = "second"
entry = "rare_step"
period = "250 s"
offset = "6 s"
deadline = "100 ms"
wcet = "1 ms"
"""

TASKS = """
#include "takt_app.h"

void rare_step(void *argument)
{
    (void)argument;
}
"""

RELEASES_S = (0, 6, 250, 256, 500, 506)
"""Gaps of 6 s, 4.3 of which are 32 bits of ns, and of 244: the count of mps2-an385 wraps after 171, that of rv32-virt
after 107 and 214."""


@pytest.mark.parametrize("board", HOST_AND_FIRST)
def test_times_after_a_gap(board: str, application: Callable[..., Path], scratch_builds: Path, run_json: Run) -> None:
    code, document = run_json(application(DECLARED, tasks_dot_c=TASKS), "--board", board)
    assert code == 0, document
    (path,) = scratch_builds.glob("*/run/trace.takt")
    entries = read(path).entries
    releases = [entry for entry in entries if entry.event is Event.RELEASE]
    assert [entry.value for entry in releases] == [at_s * 10**9 + 100 * 10**6 for at_s in RELEASES_S]
    late_ns = [entry.time_ns - at_s * 10**9 for entry, at_s in zip(releases, RELEASES_S, strict=True)]
    assert all(0 <= late < 100_000 for late in late_ns), late_ns
    times = [entry.time_ns for entry in entries]
    assert times == sorted(times)
