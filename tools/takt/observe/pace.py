# SPDX-License-Identifier: Apache-2.0
"""A run at the pace of time outside, followed as its trace comes.

The board waits after each batch of records for an answer (TAKT_BOARD_PACE_ON, runner/include/takt/board.h), and virtual
time with it. So it observes what a run without this observes, some instructions for each batch aside; only when it is
shown depends on this machine. A board that is slower than time outside is not waited for.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Protocol

from takt.support.c.board import PACE_ON
from takt.trace.records import RECORD_SIZE, Decoder, Entry

STREAM = "live.stream"  # FIFOs in the folder of the run
PACE = "live.pace"
POLL_S = 0.05
END_S = 5.0  # a board that was asked to end and sends nothing is stopped
FLOOD_S = 20.0  # the same of one that goes on sending
_ON, _END = bytes([PACE_ON]), bytes([PACE_ON ^ 0xFF])
NOT_ENDED = f"it was stopped: asked to end, it sent nothing for {END_S:.0f} s, as it has no idle time"
FLOODED = f"it was stopped: asked to end, it went on for {FLOOD_S:.0f} s, as its idle time is too short for its trace"


class View(Protocol):
    """What shows a run while it lasts."""

    def step(self, entry: Entry) -> None:
        """The next event, at its time."""

    def refresh(self, now_ns: int) -> None:
        """It is that time of the run."""


class Copy(Protocol):
    """Where records go besides."""

    def write(self, data: bytes, /) -> object:
        """The next."""


@dataclass(frozen=True)
class Fifos:
    """Both ends are open here, so that no open waits."""

    stream: int
    pace: int


@contextmanager
def fifos(folder: Path) -> Iterator[Fifos]:
    """Those of a run in a folder; gone afterwards."""
    for name in (STREAM, PACE):
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
    opened = [os.open(folder / name, os.O_RDWR | os.O_CLOEXEC) for name in (STREAM, PACE)]
    try:
        yield Fifos(*opened)
    finally:
        for end in opened:
            os.close(end)
        for name in (STREAM, PACE):
            (folder / name).unlink(missing_ok=True)


class _Interrupt:
    """Ctrl-C asks for the end of the run; a second one is that of the command."""

    asked = False

    @contextmanager
    def caught(self) -> Iterator[None]:
        def ask(_number: int, _frame: FrameType | None) -> None:
            self.asked = True
            signal.signal(signal.SIGINT, before)

        before = signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


class _Follower:
    def __init__(self, process: subprocess.Popen[bytes], ends: Fifos, view: View, interrupt: _Interrupt) -> None:
        self._process = process
        self._ends = ends
        self._view = view
        self._interrupt = interrupt
        self._decoder = Decoder()
        self._shown_ns = 0
        self._due = time.monotonic()  # when the time `_shown_ns` of the run is

    def follow(self, copy: Copy, failed: Callable[[], str | None]) -> str | None:
        """Until the board has ended. `copy`: where its records go. `failed`: its plant has. Returns why it failed."""
        asked = silent = 0.0
        while True:
            if self._interrupt.asked:
                asked = asked or time.monotonic()
                if time.monotonic() - asked > FLOOD_S:
                    return FLOODED
            data = self._receive()
            if data:
                copy.write(data)
                self._show(data)
                self._view.refresh(self._now_ns())
                os.write(self._ends.pace, _END if self._interrupt.asked else _ON)
                silent = 0.0
                continue
            if self._process.poll() is not None:
                return None
            if (failure := failed()) is not None:
                return failure
            self._view.refresh(self._now_ns())
            if self._interrupt.asked:
                silent = silent or time.monotonic()
                if time.monotonic() - silent > END_S:
                    return NOT_ENDED

    def _receive(self) -> bytes:
        """A batch; nothing: none has come yet, or the board has ended."""
        ready, _, _ = select.select([self._ends.stream], [], [], POLL_S)
        return os.read(self._ends.stream, 1 << 16) if ready else b""

    def _show(self, data: bytes) -> None:
        """Nothing more once the end is asked for: what the ring still holds may be more than a terminal shows soon."""
        try:
            for entry in self._decoder.feed(data[: len(data) - len(data) % RECORD_SIZE]):
                self._wait_for(entry.time_ns)
                if self._interrupt.asked:
                    break
                self._view.step(entry)
        except ValueError:  # the kernel's memory was overwritten: the end of the run says so
            self._decoder = Decoder(self._shown_ns)

    def _wait_for(self, time_ns: int) -> None:
        """Until it is that time outside; a run that is late is not hurried on."""
        self._due = max(self._due + max(time_ns - self._shown_ns, 0) / 1e9, time.monotonic() - POLL_S)
        self._shown_ns = max(time_ns, self._shown_ns)
        while not self._interrupt.asked and (left_s := self._due - time.monotonic()) > 0:
            self._view.refresh(self._now_ns())
            time.sleep(min(left_s, POLL_S))

    def _now_ns(self) -> int:
        """Of the run: that of the last event, less what is left until then."""
        return self._shown_ns - max(int((self._due - time.monotonic()) * 1e9), 0)


def follow(
    process: subprocess.Popen[bytes], ends: Fifos, view: View, copy: Copy, failed: Callable[[], str | None]
) -> tuple[str | None, bool]:
    """Shows a run until the board ends, by itself or after Ctrl-C. `copy`: where its records go. `failed`: why its
    plant has ended before, if it has. Returns why it failed, or None, and whether Ctrl-C ended it."""
    interrupt = _Interrupt()
    with interrupt.caught():
        return _Follower(process, ends, view, interrupt).follow(copy, failed), interrupt.asked
