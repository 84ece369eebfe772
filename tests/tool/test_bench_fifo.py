# SPDX-License-Identifier: Apache-2.0
"""What waiters in FIFO order add to the calls of a mutex, measured on the boards: LOOK and FIFO_CALL of the proof."""

from __future__ import annotations

import pytest
from running import SECOND_EMULATED, only_full
from takt.bench import calls, images
from takt.prove.overheads import FIFO_CALL, LOOK

CALLS = ("lock", "unlock", "leave")
FEW, MANY = 4, 64
KERNELS = ("bands", "fixed", "budgets")  # with bands, and with budgets, a waiter takes most

Found = dict[int, dict[str, int]]
"""Instructions by call and order, by the number of waiters."""


def found(board: str, sched: str, fifo: bool) -> Found:
    image = calls.fifo_image(board, sched, fifo)
    return {waiters: images.run(board, image, {"tasks": waiters}) for waiters in (FEW, MANY)}


def more(own: Found, usual: Found, call: str, order: str) -> dict[int, int]:
    """By the number of waiters."""
    return {count: own[count][f"{call}: {order}"] - usual[count][f"{call}: priority"] for count in (FEW, MANY)}


@only_full
@pytest.mark.parametrize("sched", KERNELS)
@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_what_a_waiter_and_a_call_take(board: str, sched: str) -> None:
    own, usual = found(board, sched, True), found(board, sched, False)
    each: list[float] = []
    for call in CALLS:
        by_order = more(own, usual, call, "fifo")
        for waiters, instructions in by_order.items():  # those that are left, or that the one that leaves was among
            assert instructions <= FIFO_CALL + LOOK * (waiters - 1), f"{call}: {by_order}"
        each.append((by_order[MANY] - by_order[FEW]) / (MANY - FEW))
        by_priority = more(own, usual, call, "priority")
        assert max(by_priority.values()) <= FIFO_CALL, f"{call} of a usual mutex: {by_priority}"
    assert sched == "fixed" or max(each) > 0.8 * LOOK, f"{each}: the figure of the proof is much longer than that"
