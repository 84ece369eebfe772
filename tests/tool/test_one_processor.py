# SPDX-License-Identifier: Apache-2.0
"""Programs that alternate are on one processor, and move on where others use it too."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from types import SimpleNamespace

import pytest
from takt.support import children


def test_what_is_started_is_on_one_processor_and_what_follows_on_all() -> None:
    allowed = os.sched_getaffinity(0)
    with children.one_processor():
        mine = os.sched_getaffinity(0)
        said = children.run([sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"], check=True)
    assert (len(mine), said.stdout) == (1, f"{sorted(mine)}\n")
    assert os.sched_getaffinity(0) == allowed
    with children.one_processor(wanted=False):
        assert os.sched_getaffinity(0) == allowed


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, set[int]]]:
    """Which thread went to which processors, of a machine with the processors 0, 3 and 4."""
    found: list[tuple[int, set[int]]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _thread: {0, 3, 4})
    monkeypatch.setattr(os, "sched_setaffinity", lambda thread, where: found.append((thread, set(where))))
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: SimpleNamespace(sched_getcpu=lambda: 4))
    return found


def test_it_moves_on_where_others_use_the_processor(
    moves: list[tuple[int, set[int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s, mine_s, child_s = 0.0, 0.0, 0.0
    monkeypatch.setattr(children, "time", SimpleNamespace(monotonic=lambda: now_s, process_time=lambda: mine_s))
    monkeypatch.setattr(children, "_used_s", lambda _process: child_s)
    process = os.getpid()
    with children.one_processor() as look:
        look(process)
        assert moves == [(0, {4})]
        now_s, mine_s, child_s = 1.0, 0.5, 0.4  # together nearly all of it
        look(process)
        assert len(moves) == 1
        now_s, mine_s = 1.1, 0.5  # too short to tell
        look(process)
        assert len(moves) == 1
        now_s, mine_s, child_s = 2.0, 0.8, 0.6
        look(process)
        assert moves[1:]
        assert {where for _, (where,) in moves[1:]} == {0}
        assert {thread for thread, _ in moves[1:]} >= {threading.get_native_id(), process}
        del moves[:]
        now_s = 3.0
        look(process)
        assert {where for _, (where,) in moves} == {3}
        del moves[:]
    assert moves == [(0, {0, 3, 4})]


def test_threads_that_were_started_on_it_move_too(
    moves: list[tuple[int, set[int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0.0, 1.0])
    monkeypatch.setattr(children, "time", SimpleNamespace(monotonic=lambda: next(times), process_time=lambda: 0.0))
    monkeypatch.setattr(children, "_used_s", lambda _process: 0.0)
    ends = threading.Event()
    before, started = threading.Thread(target=ends.wait), threading.Thread(target=ends.wait)
    child = children.start(["sleep", "60"])
    before.start()
    try:
        with children.one_processor() as look:
            started.start()
            look(child.pid)
            look(child.pid)
            moved = {thread for thread, _ in moves[1:]}
    finally:
        ends.set()
        child.kill()
        child.wait()
    assert moved == {threading.get_native_id(), started.native_id, child.pid}


def test_a_process_that_has_ended_is_no_failure(moves: list[tuple[int, set[int]]]) -> None:
    with children.one_processor() as look:
        look(0)  # there is none with this number
    assert [where for _, where in moves] == [{4}, {0, 3, 4}]


def test_processor_time_of_a_process() -> None:
    total = sum(os.times()[:2])
    assert total - 0.1 <= children._used_s(os.getpid()) <= sum(os.times()[:2]) + 0.1
