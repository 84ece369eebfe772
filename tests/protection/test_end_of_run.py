# SPDX-License-Identifier: Apache-2.0
"""The figures of a run are those at its end: sending the trace afterwards makes no task late."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import SECOND_EMULATED, only_full, takt

DECLARATION = """
[system]
board = "mps2-an385"
protection = true

[[task]]
name = "quick"
entry = "quick_job"
period = "2 ms"
deadline = "1500 us"
wcet = "100 us"

[[task]]
name = "hog"
entry = "hog_job"

[[process]]
name = "good"
tasks = ["quick"]
sources = ["good.c"]

[[process]]
name = "bad"
tasks = ["hog"]
sources = ["bad.c"]
"""
QUICK = """
#include "takt_app.h"
void quick_job(void *argument)
{
    (void)argument;
}
"""
HOG = """
#include "takt_app.h"
#include "takt/process.h"
#include "takt/task.h"
void hog_job(void *argument)
{
    (void)argument;
    for (;;) { /* leaves no idle time in which the trace would be sent */
    }
}
"""


@only_full
@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_a_task_without_idle_time_makes_no_other_late(tmp_path: Path, board: str) -> None:
    for name, text in (("good.c", QUICK), ("bad.c", HOG), ("system.toml", DECLARATION)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    code, ran = takt("run", tmp_path, "--board", board, "--duration", "4001 ms")
    quick = next(task for task in ran["tasks"] if task["name"] == "quick")
    assert (quick["misses"], code) == (0, 0), ran["breaches"]
    assert 4_000_900_000 < ran["duration_ns"] < 4_002_000_000
