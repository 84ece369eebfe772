# SPDX-License-Identifier: Apache-2.0
"""kernel/test/conformance as a protected system, its tasks a process in user mode, on every port."""

from __future__ import annotations

import pytest
from running import BOARDS, FIRST_EMULATED, FULL
from suite_protected import check_every_case

KERNELS = [("debug", "fixed"), ("lean", "bands")] if FULL else [("debug", "fixed")]


@pytest.mark.parametrize(("preset", "sched"), KERNELS)
@pytest.mark.parametrize("board_name", BOARDS if FULL else FIRST_EMULATED)
def test_every_case_passes_in_a_process(board_name: str, preset: str, sched: str) -> None:
    check_every_case(board_name, preset, sched)
