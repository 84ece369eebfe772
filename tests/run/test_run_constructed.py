# SPDX-License-Identifier: Apache-2.0
"""Static objects of processes (constructed/): at each start of a process they are there before its first job, and a
constructor that faults or does not end delays nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import BOARDS, Run, only_full

FOLDER = Path(__file__).parent / "constructed"


@only_full  # kernel/test/process/faults/construct_test.c has more
@pytest.mark.parametrize("board", BOARDS)
def test_processes_construct_their_objects(board: str, run_json: Run, scratch_builds: Path) -> None:
    code, result = run_json(FOLDER, "--board", board)
    assert code == 1  # for the faults
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text().count("ready\n") == 2
    assert "wrong" not in console.read_text()
    tasks = {task["name"]: task for task in result["tasks"]}
    assert tasks["watch"]["jobs"] == 40
    assert tasks["good_constructors"]["jobs"] == 2
    assert tasks["lost"]["jobs"] == tasks["late"]["jobs"] == 0
    for name in ("watch", "control", "good_constructors"):
        assert tasks[name]["misses"] == 0
        assert tasks[name]["response_ns_max"] <= tasks[name]["bound_ns"]
    causes = {(fault["task"], fault["cause"]) for fault in result["faults"]}
    stray = "assert" if board == "host" else "stray"
    assert causes == {("control", "assert"), ("faulty_constructors", stray), ("endless_constructors", "budget")}
    if board != "host":
        bounds = {stack["name"]: stack["needs"] for stack in result["stacks"]}
        assert 40 < bounds["good_constructors"] < 512
