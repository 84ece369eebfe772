# SPDX-License-Identifier: Apache-2.0
"""A task that executes for far longer than it declared, in a proved system: the others keep their deadlines."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL, Run, only_full
from takt.declare import declaration
from takt.declare.schema import levels
from takt.prove.schedulers import plain_bands
from takt.trace.records import Event
from takt.trace.segments import read

DECLARATION = """
[system]
duration = "400 ms"

[[task]]
name = "quick"
period = "10 ms"
wcet = "2 ms"

[[task]]
name = "wild"
entry = "wild_step"
period = "20 ms"
wcet = "4 ms"
on_budget = "POLICY"

[[task]]
name = "slow"
period = "40 ms"
wcet = "8 ms"

[[task]]
name = "rest"
"""

PROGRAM = """
#include "takt_app.h"

static unsigned budgets_used_up;

void takt_app_budget(struct takt_task *task)
{
    budgets_used_up += task == TASK_wild;
}

void wild_step(void *argument)
{
    static unsigned job;
    (void)argument;
    takt_work(job++ % 4 == 1 ? TAKT_MS(35) : TAKT_MS(3));
}
"""


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
@pytest.mark.parametrize("scheduler", ["dm", "edf"] if FULL else ["edf"])
def test_the_others_keep_their_deadlines(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, board: str, scheduler: str
) -> None:
    folder = application(DECLARATION.replace("POLICY", "demote"), app_dot_c=PROGRAM)
    _, document = run_json(folder, "--board", board, "--scheduler", scheduler)
    misses = {task["name"]: task["misses"] for task in document["tasks"]}
    assert misses["quick"] == misses["slow"] == 0 < misses["wild"]
    (path,) = scratch_builds.glob("*/run/trace.takt")
    used_up = [entry for entry in read(path).entries if entry.event is Event.BUDGET]
    assert len(used_up) >= 3
    assert {(entry.task, entry.value) for entry in used_up} == {(1, 1)}
    bare = application(DECLARATION.replace('on_budget = "POLICY"', ""), "bare", app_dot_c=PROGRAM)
    _, document = run_json(bare, "--board", board, "--scheduler", scheduler)
    assert any(task["misses"] for task in document["tasks"] if task["name"] != "wild")


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_task_within_its_wcet_is_not_reported(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    """However often it is preempted and interrupted: some 60 times a job."""
    tasks = "".join(
        f'[[task]]\nname = "{name}"\nperiod = "{period} ms"\nwcet = "{wcet}"\non_budget = "stop"\n'
        for name, period, wcet in (("often", 2, "300 us"), ("slow", 100, "40 ms"))
    )
    interrupt = '[[interrupt]]\nname = "tick"\nnumber = 20\nmin_interarrival = "2 ms"\nwcet = "50 us"\n'
    folder = application(tasks + interrupt)
    code, document = run_json(folder, "--board", board, "--scheduler", "dm", "--duration", "400 ms")
    assert (code, document["misses"], document["within_proof"]) == (0, 0, True)
    (path,) = scratch_builds.glob("*/run/trace.takt")
    assert not [entry for entry in read(path).entries if entry.event in (Event.BUDGET, Event.STOP)]


def test_tables(application: Callable[..., Path], takt: Takt, tmp_path: Path) -> None:
    text = DECLARATION.replace("POLICY", "demote")
    mutex = '[[mutex]]\nname = "m"\nusers = [{task = "wild", hold = "40 us"}, {task = "slow", hold = "90 us"}]\n'
    folder = application(text + mutex, app_dot_c=PROGRAM)
    system = declaration.load(folder / "system.toml")
    bands = plain_bands(system, "dm") or ()
    ranks = levels.levels(bands, system)
    assert [level.tasks for level in ranks] == [("quick",), ("wild",), ("slow",), (), ("rest",)]
    assert [level.band for level in ranks] == [0, 0, 0, 1, 1]
    assert levels.kernel_kind(system, bands, cooperative=False) == "budgets"
    assert levels.level_capacity(bands, system) == 8
    assert takt("generate", folder, "-o", tmp_path / "out", "--scheduler", "dm").code == 0
    source = (tmp_path / "out" / "system.c").read_text(encoding="utf-8")
    first = ".full_ns = UINT64_C(4000000), .hold_ns = UINT64_C(40000), .suspension_ns = UINT64_C(0)"
    last = ".waits = 0, .locks = 1, .hook = takt_app_budget, .policy = TAKT_BUDGET_DEMOTE, .level = 3"
    assert re.search(rf"takti_budget_wild = {{{re.escape(first)}, .*, {re.escape(last)}}};", source)
    assert ".budget = &takti_budget_wild" in source


def test_not_for_cooperative_systems(application: Callable[..., Path], takt: Takt) -> None:
    folder = application(
        DECLARATION.replace("POLICY", "stop").replace('name = "rest"\n', 'name = "rest"\nwcet = "1 ms"\n')
    )
    said = takt("check", folder, "--scheduler", "cooperative")
    assert said.code == 2
    assert '[[task]] "wild" has on_budget = "stop", but cooperative jobs run to their end' in said.err
