# SPDX-License-Identifier: Apache-2.0
"""Processes that wait in their sections (sections/): a task that shares a mutex with one of them learns in
time that its owner died, and one that shares nothing is not late for two jobs at once of a task that had waited. Those
that waited are stopped by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from running import FIRST_EMULATED, ROUNDS, only_full, takt, write_tight
from takt.support.provision import ROOT

SECTIONS = Path(__file__).parent / "sections"
GENEROUS_MS = {"sharer": 29, "late": 58, "below": 59}
DURATION_MS = 300  # `late` would be at its worst at 120 ms


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_section_ends_however_its_task_waits(board: str) -> None:
    folder = ROOT / "build" / "sections" / board
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SECTIONS, folder)
    write_tight(folder, board, (SECTIONS / "system.toml").read_text(encoding="utf-8"), GENEROUS_MS)
    (folder / "seed.h").write_text(f"#define ROUNDS_OF_100_US {ROUNDS[board]}u\n", encoding="utf-8")
    _, ran = takt("run", folder, "--board", board, "--duration", f"{DURATION_MS} ms")
    assert ran["proved"], ran
    for task in ran["tasks"]:
        if task["name"] in ("sharer", "below"):
            assert task["misses"] == 0, task
            assert task["response_ns_max"] <= task["bound_ns"], task
            assert task["jobs"] >= DURATION_MS // 60
    culprits = {(fault["process"], fault["task"], fault["cause"]) for fault in ran["faults"]}
    assert culprits == {("keeps", "keeper", "budget"), ("waits", "waiter", "budget")}, ran["faults"]
