# SPDX-License-Identifier: Apache-2.0
"""A declared mutex with a ceiling: its generated level and deadline, its proof, and a run that keeps both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from running import Run, only_full
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image.tables import generate
from takt.prove.schedulers import plain_bands

SYSTEM = """
[system]
board = "{board}"
preset = "debug"
scheduler = "{scheduler}"

[[task]]
name = "fast"
entry = "fast_job"
period = "5 ms"
deadline = "3 ms"
wcet = "500 us"

[[task]]
name = "middle"
entry = "middle_job"
period = "11 ms"
wcet = "1 ms"

[[task]]
name = "slow"
entry = "slow_job"
period = "30 ms"
wcet = "4 ms"

[[mutex]]
name = "shared"
protocol = "ceiling"
users = [{{task = "slow", hold = "1 ms"}}, {{task = "fast", hold = "200 us"}}]
"""

JOBS = """/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

static unsigned inside;

static void section(uint64_t duration_ns)
{
    TAKT_ASSERT(takt_ceiling_lock(&shared) == TAKT_OK);
    TAKT_ASSERT(inside++ == 0);
    takt_work(duration_ns);
    TAKT_ASSERT(--inside == 0);
    takt_ceiling_unlock(&shared);
}

void fast_job(void *argument)
{
    (void)argument;
    section(TAKT_US(150));
}

void middle_job(void *argument)
{
    (void)argument;
    takt_work(TAKT_US(900));
}

void slow_job(void *argument)
{
    (void)argument;
    takt_work(TAKT_US(2500));
    section(TAKT_US(900));
}
"""


@pytest.mark.parametrize("scheduler", ["dm", "edf"])
def test_the_ceiling_is_the_best_user(application: Callable[..., Path], tmp_path: Path, scheduler: str) -> None:
    folder = application(SYSTEM.format(board="host", scheduler=scheduler), app_dot_c=JOBS)
    system = declaration.load(folder / "system.toml")
    bands = plain_bands(system, scheduler) or ()
    generate.generate(system, bands, tmp_path / "out", board=boards.load("host"), proof="proof")
    source = (tmp_path / "out" / "system.c").read_text(encoding="utf-8")
    assert "TAKT_CEILING_DEFINE(shared, 0, 0, UINT64_C(3000000));" in source
    assert "extern struct takt_ceiling shared;" in (tmp_path / "out" / "takt_app.h").read_text(encoding="utf-8")


OTHERS = [("dm", "host"), ("edf", "host"), ("dm", "mps2-an385")]


@only_full
@pytest.mark.parametrize(("scheduler", "board"), [("edf", "mps2-an385"), *OTHERS])
def test_it_runs_as_proved(application: Callable[..., Path], run_json: Run, board: str, scheduler: str) -> None:
    folder = application(SYSTEM.format(board=board, scheduler=scheduler), app_dot_c=JOBS)
    overheads = "none" if board == "host" else "measured"
    code, document = run_json(folder, "--duration", "300 ms", "--overheads", overheads)
    assert code == 0, document
    assert [task["misses"] for task in document["tasks"]] == [0, 0, 0]
