# SPDX-License-Identifier: Apache-2.0
"""Nothing of the kernel is in a register after any way back to user mode: registers/ plants values and looks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from protected_image import built, run
from running import SECOND_EMULATED

REGISTERS = Path(__file__).parent / "registers"
WAYS = (
    "call",
    "call that is refused",
    "call of two words",
    "call that waits",
    "call that wakes a better task",
    "interrupts",
    "job",
    "call that wakes a task that faults",
    "fault of another in an interrupt",
)


@pytest.mark.parametrize("board_name", SECOND_EMULATED)
def test_nothing_of_the_kernel_is_in_a_register(board_name: str) -> None:
    console = run(built(REGISTERS, board_name)[1], board_name, duration_ns=300_000_000).stdout.decode(errors="replace")
    said = [line for line in console.splitlines() if re.fullmatch(r"[a-z ]+: (right|\d\d 0x[0-9a-f]{8})", line)]
    assert said == [f"{way}: right" for way in ("start", *WAYS, "restart", *WAYS)], console[-3000:]
