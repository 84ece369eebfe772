# SPDX-License-Identifier: Apache-2.0
"""Every call of a process with what it returns, from user mode, on every board: calls/calls.c, in its own words.

kernel/test/process/calls/call_test.c makes each in a system of its own, on the host, by processes with the right and
without.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL
from takt.support.c.calls import CALLS

FOLDER = Path(__file__).parent / "calls"
GENERATED = {"irq_ack", "state_read_locked"}  # what the handler's task does, and news_read_locked of takt_app.h
HEAP = {"heap_allocate": "malloc", "heap_free": "free", "heap_resize": "realloc"}

OFFERED = set(CALLS)


def test_no_call_is_left_out() -> None:
    text = (FOLDER / "calls.c").read_text(encoding="utf-8")
    made = {name for name in OFFERED if re.search(rf"\b{HEAP.get(name, f'takt_{name}')}\(", text)}
    created = {name for name in OFFERED if name.endswith("_create")} | {"alarm_delete"}  # of quota: elsewhere
    made_to_create = created - {"thread_create"}
    assert OFFERED - made - made_to_create == GENERATED


@pytest.mark.parametrize("board_name", BOARDS if FULL else FIRST_EMULATED)
def test_each_call_returns_what_its_contract_says(takt: Takt, board_name: str) -> None:
    said = takt("run", FOLDER, "--board", board_name, "--force", "--protection")
    assert "calls: all are right" in said.out + said.err, said.out + said.err
    assert "task tester failed an assertion (line 42)" in said.out, "takt_fault_raise, the last"
