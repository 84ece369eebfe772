# SPDX-License-Identifier: Apache-2.0
"""A mutex that a process creates (created/): the task or thread that owns it inherits from a task that waits for it, a
task of another process in between is delayed by no more than the proof counts, also when the section does not end."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from running import FIRST_EMULATED, ROUNDS, SECOND_EMULATED, only_full, takt, write_tight
from takt.support.provision import ROOT

CREATED = Path(__file__).parent / "created"
GENEROUS_MS = {"high": 12, "mid": 36, "low": 75}
MID_MS = 10  # what its job executes at least


def run(board: str, protection: bool) -> dict[str, Any]:
    folder = ROOT / "build" / "created" / f"{board}-{protection}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(CREATED, folder)
    text = (CREATED / "system.toml").read_text(encoding="utf-8")
    text = text.replace("protection = true", f"protection = {str(protection).lower()}")
    write_tight(folder, board, text, GENEROUS_MS)
    seed = f"#define ROUNDS_OF_100_US {ROUNDS[board]}u\n#define STAYS {int(protection)}\n"
    (folder / "seed.h").write_text(seed, encoding="utf-8")
    _, ran = takt("run", folder, "--board", board, "--duration", "500 ms")
    assert ran["proved"], ran
    tasks = {task["name"]: task for task in ran["tasks"]}
    for task in (tasks["mid"], tasks["high"]):
        assert task["response_ns_max"] <= task["bound_ns"], task
    assert tasks["mid"]["misses"] == 0, ran
    assert 700_000 < tasks["high"]["response_ns_max"] < MID_MS * 10**6, ran  # it waited for a section, not for mid
    return ran


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_a_section_of_a_created_mutex_delays_as_counted(board: str) -> None:
    ran = run(board, True)
    assert [(fault["process"], fault["cause"]) for fault in ran["faults"]] == [("pair", "budget")] * 2, ran["faults"]


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_the_same_without_protection(board: str) -> None:
    run(board, False)
