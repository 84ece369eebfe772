# SPDX-License-Identifier: Apache-2.0
"""The end of a run that is shown: of a board with more messages than a terminal, or its idle time, has room for."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from takt.observe import pace
from takt.observe.live.view import LiveView
from takt.prove.proof import Proved
from takt.support import console
from takt.trace.records import NONE, Entry, Event, encode

MESSAGES = [Entry(at, Event.LOG, 0, None, None, NONE, 7, (at, 0)) for at in range(100)]


class Shown:
    """A view that asks for the end at an event."""

    def __init__(self, at: int) -> None:
        self.interrupt, self.steps, self._at = pace._Interrupt(), 0, at

    def step(self, _entry: Entry) -> None:
        self.steps += 1
        self.interrupt.asked |= self.steps == self._at

    def refresh(self, _now_ns: int) -> None:
        pass


def test_nothing_more_is_shown_once_the_end_is_asked_for(tmp_path: Path) -> None:
    """Of a batch; and of all that the ring still holds, which is in the trace."""
    view = Shown(at=3)
    command = [sys.executable, "-c", ""]
    with subprocess.Popen(command) as process, pace.fifos(tmp_path) as ends, (tmp_path / "copy").open("wb") as copy:
        process.wait()
        os.write(ends.stream, encode(MESSAGES))
        follower = pace._Follower(process, ends, view, view.interrupt)
        assert follower.follow(copy, lambda: None) is None
        assert os.read(ends.pace, 1) == pace._END
    assert view.steps == 3
    assert (tmp_path / "copy").read_bytes() == encode(MESSAGES)


def test_a_board_that_goes_on_sending_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view = Shown(at=1)
    clock = itertools.count()
    monkeypatch.setattr("takt.observe.pace.time.monotonic", lambda: next(clock) / 10)
    batches = iter([encode(MESSAGES)] * 1000)
    monkeypatch.setattr(pace._Follower, "_receive", lambda _follower: next(batches))
    with pace.fifos(tmp_path) as ends, (tmp_path / "copy").open("wb") as copy:
        os.set_blocking(ends.pace, False)
        failure = pace._Follower(None, ends, view, view.interrupt).follow(copy, lambda: None)  # type: ignore[arg-type]
    assert failure == pace.FLOODED
    assert len((tmp_path / "copy").read_bytes()) > len(encode(MESSAGES)) * 10


def test_ctrl_c_is_heard_once_that_is_said(
    tmp_path: Path, alone: Proved, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with LiveView(alone, tmp_path / "image", tmp_path / "said", None) as shown:
        assert "Ctrl-C" not in capfd.readouterr().err
        shown.refresh(0)
        assert "runs on host; Ctrl-C ends it" in capfd.readouterr().err


def test_a_terminal_is_shown_the_lines_that_it_has_room_for(
    tmp_path: Path, alone: Proved, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Console(width=100, height=20, force_terminal=True, highlight=False, color_system=None)
    monkeypatch.setattr(console, "err", lambda: terminal)
    with LiveView(alone, tmp_path / "image", tmp_path / "said", None) as shown:
        for entry in MESSAGES:
            shown.step(entry)
        shown.refresh(0)
    out = capfd.readouterr().out
    assert "takt:   80 more lines" in out
    assert [f"message 7: {at:#x} " in out for at in (79, 80, 99)] == [False, True, True]
