# SPDX-License-Identifier: Apache-2.0
"""A run whose kernel is damaged in the end is refused in preset debug, and the fault says what does not hold."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from running import BOARDS, Run
from takt.observe import fault
from takt.trace.records import Names, Trace

APPLICATION = """
[system]
preset = "{preset}"
[[task]]
name = "work"
entry = "job"
period = "10 ms"
wcet = "1 ms"
"""
DAMAGE = '#include "takt_app.h"\nvoid job(void *a) { (void)a; takt_task_running()->holds |= 0x400; }\n'
WHAT = "a task's count of held mutexes has no other bits"


@pytest.mark.parametrize("board", BOARDS if os.environ.get("TAKT_TEST_FULL") else BOARDS[:1])
def test_damage_is_reported(run_json: Run, application: Callable[..., Path], scratch_builds: Path, board: str) -> None:
    folder = application(APPLICATION.format(preset="debug"), app_dot_c=DAMAGE)
    code, document = run_json(folder, "--board", board, "--duration", "50 ms")
    found = document["fault"]
    assert (code, found["reason"], found["file"]) == (1, "invariant", WHAT)
    assert document["failure"].startswith(f'the kernel is damaged: "{WHAT}" does not hold for what is at 0x')


def test_other_presets_do_not_look(run_json: Run, application: Callable[..., Path], scratch_builds: Path) -> None:
    folder = application(APPLICATION.format(preset="standard"), app_dot_c=DAMAGE)
    code, document = run_json(folder, "--board", "host", "--duration", "50 ms")
    assert (code, document["fault"]) == (0, None)


def test_what_is_damaged_may_have_any_words() -> None:
    console = "\ntakt: fault invariant a level's circle: it is broken:0 address 0x20000400 task 0 time_ns 1500\n"
    found = fault.find(console, Trace(Names("host", "dm", ("work",)), ()))
    assert found is not None
    assert (found.reason, found.file) == ("invariant", "a level's circle: it is broken")
