# SPDX-License-Identifier: Apache-2.0
"""apps/ported: applications that were written for other kernels are proved, run within their proof, and print what is
known by calculation; and what somebody who ports one may get wrong is reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, FULL, Run, emulated

FOLDER = APPS / "ported" / "freertos"
PRINTED = {
    "freertos": "",
    "zephyr": "",
    "threadx": "",
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
