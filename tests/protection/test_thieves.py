# SPDX-License-Identifier: Apache-2.0
"""A search over hostile programs: two processes that try to take more of the processor than they have (thieves/).

Each task of them plays short programs of calls, another one every 160 ms; a third process has deadlines that are a
little longer than its bounds. It is never late, and those that took too much are stopped by name. TAKT_SEED chooses the
programs.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from running import FIRST_EMULATED, ROUNDS, SECOND_EMULATED, only_full, takt, write_tight
from takt.support.provision import ROOT

THIEVES = Path(__file__).parent / "thieves"
PROGRAMS = 2000
PLAYERS = 8  # each plays another program at a time
SLOT_MS = 160
VICTIMS = ("high", "knocked", "mid", "low")
GENEROUS_MS = {"high": 19, "knocked": 38, "first": 70, "mid": 72, "second": 78, "third": 150, "low": 310}


def application(folder: Path, board: str, seed: int) -> Path:
    """The system with two thieves, in a folder of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(THIEVES, folder, ignore=shutil.ignore_patterns("thief.toml"))
    text = (THIEVES / "system.toml").read_text(encoding="utf-8")
    thief = (THIEVES / "thief.toml").read_text(encoding="utf-8")
    text += "".join(thief.replace("@p@", own).replace("@o@", other) for own, other in ("ab", "ba"))
    write_tight(folder, board, text, GENEROUS_MS)
    defines = f"#define SEED {seed}u\n#define ROUNDS_OF_100_US {ROUNDS[board]}u\n"
    (folder / "seed.h").write_text(defines, encoding="utf-8")
    return folder


@only_full  # seconds of the board, of an image of its own
@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_nobody_is_late_for_what_thieves_do(board: str) -> None:
    seed = int(os.environ.get("TAKT_SEED", "1"))
    folder = application(ROOT / "build" / "thieves" / board, board, seed)
    periods_ms = {"high": 20, "mid": 80, "low": 320}
    duration_ms = PROGRAMS // PLAYERS * SLOT_MS
    _, ran = takt("run", folder, "--board", board, "--duration", f"{duration_ms} ms")
    for task in ran["tasks"]:
        if task["name"] in VICTIMS:
            assert task["misses"] == 0, (seed, task)
            assert task["response_ns_max"] <= task["bound_ns"], (seed, task)
            assert task["jobs"] >= duration_ms // periods_ms.get(task["name"], duration_ms) - 1, (seed, task)
    culprits = [fault["process"] for fault in ran["faults"]]
    assert set(culprits) == {"thief_a", "thief_b"}, culprits


WAITER = """
#include "takt_app.h"
#include "takt/process.h"
#include "takt/time.h"
void attacker_job(void *argument)
{
    (void)argument;
    for (int wait = 0; wait < 78; wait++) {
        takt_delay(1);
    }
}
"""
WORKER = """
#include "takt_app.h"
void victim_job(void *argument)
{
    (void)argument;
    for (volatile int round = 0; round < 1500; round++) {
    }
}
"""
TWO = """
[system]
board = "mps2-an385"
protection = true

[[task]]
name = "attacker"
entry = "attacker_job"
period = "10 ms"
deadline = "4 ms"
wcet = "1 ms"

[[task]]
name = "victim"
entry = "victim_job"
period = "20 ms"
deadline = "5 ms"
wcet = "2 ms"

[[process]]
name = "bad"
tasks = ["attacker"]
sources = ["bad.c"]
budgets = true

[[process]]
name = "good"
tasks = ["victim"]
sources = ["good.c"]
budgets = true
"""


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_short_waits_cost_what_they_take(tmp_path: Path, board: str) -> None:
    for name, text in (("bad.c", WAITER), ("good.c", WORKER), ("system.toml", TWO)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    _, ran = takt("run", tmp_path, "--board", board, "--duration", "300 ms")
    assert {task["name"]: task["misses"] for task in ran["tasks"]}["victim"] == 0
    assert {fault["process"] for fault in ran["faults"]} == {"bad"}
