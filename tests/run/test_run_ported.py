# SPDX-License-Identifier: Apache-2.0
"""apps/ported: applications that were written for other kernels are proved, run within their proof, and print what is
known by calculation; and a mistake that is likely in a port is reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, FULL, Run, emulated

FOLDER = APPS / "ported" / "freertos"
PRINTED = {
    "freertos": """\
target 900, opening -400, flow 2020, beats 1, changes 2
target 900, opening -6, flow 4020, beats 3, changes 2
target 1200, opening 6, flow 6020, beats 4, changes 3
target 1500, opening 6, flow 8020, beats 6, changes 4
""",
    "zephyr": """\
sample 1: level 37, 1 presses, lit 0 times, dark 0
sample 40: level 136, 2 presses, lit 0 times, dark 0
sample 80: level 263, 3 presses, lit 0 times, dark 0
sample 120: level 518, 4 presses, lit 39 times, dark 0
sample 160: level 70, 5 presses, lit 41 times, dark 1
sample 200: level 142, 6 presses, lit 41 times, dark 1
sample 240: level 312, 7 presses, lit 41 times, dark 1
sample 280: level 656, 8 presses, lit 77 times, dark 1
sample 320: level 88, 9 presses, lit 81 times, dark 2
sample 360: level 170, 10 presses, lit 81 times, dark 2
""",
    "threadx": """\
370 of 450 tenths, 1 commands, shut 0 times
487 of 275 tenths, 2 commands, shut 1 times
443 of 450 tenths, 3 commands, shut 1 times
420 of 450 tenths, 5 commands, shut 2 times
""",
}
BY_DEFAULT = [emulated("mps2-an385", "freertos"), ("host", "zephyr"), emulated("rv32-virt", "threadx")]
EACH = [one for name in PRINTED for one in (("host", name), emulated("mps2-an385", name), emulated("rv32-virt", name))]


@pytest.mark.parametrize(("board", "name"), EACH if FULL else BY_DEFAULT)
def test_it_runs_within_its_proof(board: str, name: str, run_json: Run, scratch_builds: Path) -> None:
    code, result = run_json(APPS / "ported" / name, "--board", board)
    assert code == 0, result
    assert [task["name"] for task in result["tasks"] if task["misses"] or task["lost"]] == []
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text(encoding="utf-8") == PRINTED[name]


def test_a_handler_that_releases_its_task_again_is_reported(edited: Callable[..., Path], takt: Takt) -> None:
    """As one ported from another kernel would: every second release waits for its distance, and then one is lost."""
    folder = edited(("src/interrupts.c", "    pulses++;\n", "    pulses++;\n    takt_job_release(TASK_flow);\n"))
    said = takt("run", folder, "--board", "host")
    assert said.code == 0, said.out
    assert " releases of flow were lost: more waited than its pending_max; interrupt flow_meter releases" in said.out
