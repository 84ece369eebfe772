# SPDX-License-Identifier: Apache-2.0
"""Random calls with hostile arguments from every task of two processes (hostile/), on every processor with user mode.

TAKT_TEST_FULL=1: 100 000 on each. kernel/test/process/calls/hostile_test.c does the same on the host.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from protected_image import built, console_values, run
from running import EMULATED, FULL, SECOND_EMULATED, only_full
from takt.support.c import calls

HOSTILE = Path(__file__).parent / "hostile"
CALLS = 100_000 if FULL else 8000
BUDGETS = {"task_budget_ns", "task_exhausted"}  # of kernels that keep them
ENDS = {"fault_raise", "thread_exit"}  # do not come back: what they do instead is counted
ALARMED, THREADS = 3, 5  # makers of calls: the task of the alarm, which only process b has; threads are rare


@pytest.mark.parametrize("board_name", SECOND_EMULATED)
def test_whatever_processes_ask_for_the_kernel_stands_and_others_notice_nothing(board_name: str) -> None:
    hold(built(HOSTILE, board_name)[1], board_name, ENDS)


@only_full
@pytest.mark.parametrize("board_name", EMULATED)
def test_so_it_is_with_a_kernel_without_checks_and_budgets(board_name: str) -> None:
    hold(built(HOSTILE, board_name, "lean", False)[1], board_name, ENDS | BUDGETS)


def hold(image: Path, board_name: str, never_succeed: set[str]) -> None:
    """`never_succeed`: calls that do not come back with what they are for."""
    done = run(image, board_name, 300, calls=CALLS)
    assert done.returncode == 0, done.stdout[-2000:]
    found = console_values(done.stdout, b"HOSTILE")
    assert found["verdict"] == "good", found
    assert found["calls"] >= CALLS
    assert found["believed"] == 0, f"memory of others, or what was deleted, in a call: {found['believed_last']}"
    assert found["walks"] > CALLS // 100
    assert found["passed"] >= found["calls"] * 3 / 10  # validation: they came back, and not with TAKT_STATE
    assert found["watched"] > 100, "the third process"
    assert found["missed"] == 0
    makers = len(found["made"]) // 2
    idle = {kind for kind, made in enumerate(found["made"]) if made == 0}
    assert idle == {ALARMED} if FULL else idle <= {ALARMED, THREADS, makers + THREADS}
    assert all(sum(found["made"][process * makers :][:makers]) > CALLS // 5 for process in (0, 1))
    never = {name for name, number in calls.CALLS.items() if found["succeeded"][number] == 0}
    assert len(never - never_succeed) <= len(calls.CALLS) // 16, never  # in a short run a few of those that take tasks
    assert found["stale"] > 0
    if FULL:
        assert never == never_succeed
        assert found["raised"] > 0, "takt_fault_raise ended no process"
        assert found["left"] > 0, "takt_thread_exit ended no task"
