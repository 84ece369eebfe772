# SPDX-License-Identifier: Apache-2.0
"""`quantum` in [system]: tasks without a deadline that never wait take turns; the others run as without it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import Run

DECLARED = """
[system]
duration = "1 s"
QUANTUM
[[task]]
name = "control"
entry = "control_step"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "one"
entry = "polls"
[[task]]
name = "two"
entry = "polls"
[[task]]
name = "three"
entry = "polls"
"""
POLLS = """
#include "takt_app.h"

void control_step(void *argument)
{
    (void)argument;
    takt_work(TAKT_MS(1));
}

void polls(void *argument)
{
    (void)argument;
    for (;;) {
        takt_work(TAKT_US(100));
    }
}
"""
Application = Callable[..., Path]


@pytest.mark.parametrize(("quantum", "turns"), [('quantum = "2 ms"', [0.3, 0.3, 0.3]), ("", [0.9, 0, 0])])
def test_tasks_that_poll_take_turns(
    quantum: str, turns: list[float], application: Application, run_json: Run, scratch_builds: Path
) -> None:
    folder = application(DECLARED.replace("QUANTUM", quantum), tasks_dot_c=POLLS)
    code, result = run_json(folder, "--board", "host")
    assert code == 0, result
    shares = [task["share"] for task in result["tasks"]]
    assert shares == pytest.approx([0.1, *turns], abs=0.01)


def test_the_end_of_a_turn_is_in_the_proof(application: Application, takt: Takt) -> None:
    """As an interrupt above the task with a deadline, and as the timer that each switch arms."""

    def bound(name: str, quantum: str) -> int:
        folder = application(DECLARED.replace("QUANTUM", quantum), name)
        said = takt("check", folder, "--board", "mps2-an385", "--json")
        return int(json.loads(said.out)["tasks"][0]["response_ns"])

    assert bound("short", 'quantum = "200 us"') > bound("long", 'quantum = "2 ms"') > bound("none", "")


def test_search_prints_what_can_be_declared_beside_it(application: Application, takt: Takt) -> None:
    said = takt("search", application(DECLARED.replace("QUANTUM", 'quantum = "2 ms"')), "--board", "mps2-an385")
    tables = said.out.partition("\n[[band]]")[2]
    assert "control" in tables, said.out
    folder = application(DECLARED.replace("QUANTUM", 'quantum = "2 ms"') + f"\n[[band]]{tables}", "again")
    assert takt("check", folder, "--board", "mps2-an385").code == 0
