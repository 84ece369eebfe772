# SPDX-License-Identifier: Apache-2.0
"""How long a proof may search: in steps, which are the same on every machine and shared with the library in C
(takt_analysis_set.steps). Where they run out, or the user interrupts, what is known so far is the answer."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from takt.support.errors import ENDINGS

LIMIT = 3_000_000_000
"""Of a proof by default, and once more of what follows it: about 10 s."""

UNLIMITED = 2**63

TASK_STEPS = 20_000
"""Steps for each task of a system that Python prepares for the library, which takes about as long."""

CALL_STEPS = 2_000
"""Of the same kind, for each verdict on a system whose numbers were changed in place."""

LIST_STEPS = 10_000
"""Steps for each question of a search over lists of bands, of the same kind."""

_LAST = 50
"""The part of the limit, as a divisor, for an answer after the end."""

_AGAIN_S = 0.01


class Ended(Exception):  # noqa: N818 (it is no error)
    """No steps are left: what was asked for is not known."""


class Steps:
    """The steps that are left. `watched`: Ctrl-C takes all of them, instead of ending the command (watching)."""

    def __init__(self, limit: int = UNLIMITED, watched: bool = False) -> None:
        self.limit, self.watched = limit, watched
        self.interrupted = False
        self._left = ctypes.c_uint64(limit)
        self._lock = threading.Lock()  # of _left against an interrupt, while no call of the library is under way
        self._answering = False
        self.pointer = ctypes.pointer(self._left)

    @property
    def left(self) -> int:
        return self._left.value

    @property
    def out(self) -> bool:
        return self.left == 0

    @property
    def ended(self) -> str:
        """Why there are none left, as docs/json.md has it."""
        return "interrupted" if self.interrupted else "limit"

    def why(self) -> str:
        return "it was interrupted" if self.interrupted else f"the limit of {self.limit} steps was reached (--limit)"

    def take(self, steps: int) -> None:
        self._put(max(0, self.left - steps))

    def check(self) -> None:
        """Ended, if there are none left: an answer that is not `proved` says nothing then."""
        if self.out:
            raise Ended

    def refill(self) -> None:
        """All of them again, for the next question; after an interrupt none."""
        self._put(self.limit)

    def answer(self) -> None:
        """A few, after the end, for what is known."""
        with self._lock:
            self._answering = True
        self._put(max(1, self.limit // _LAST))

    @contextmanager
    def part(self, most: int) -> Iterator[None]:
        """At most so many of what is left, for a question that need not be answered."""
        whole, share = self.left, min(self.left, most)
        self._put(share)
        try:
            yield
        finally:
            self._put(whole - share + self.left)

    def _put(self, left: int) -> None:
        with self._lock:
            self._left.value = 0 if self.interrupted and not self._answering else left

    def _interrupt(self) -> None:
        self.interrupted = True
        with self._lock:
            if not self._answering:
                self._left.value = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Ctrl-C meanwhile takes all steps, also from a call of the library that is under way; a second one ends the
        command. Nothing changes where they are not `watched`, or where the process ignores the signal."""
        handler = signal.getsignal(signal.SIGINT)
        main = threading.current_thread() is threading.main_thread()
        if not (self.watched and main and handler is signal.default_int_handler):
            yield
            return
        ends, begins = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(ends, True)

        def watch() -> None:
            while number := os.read(ends, 1):
                if number[0] not in (signal.SIGINT, *ENDINGS):
                    continue
                self._interrupt()
                while not done.wait(_AGAIN_S) and not self._answering:
                    self._interrupt()  # the library may have written what was left

        def again(number: int, frame: object) -> None:
            if self.interrupted and self._answering:
                raise KeyboardInterrupt
            self._interrupt()

        done = threading.Event()
        thread = threading.Thread(target=watch, daemon=True)
        before = signal.set_wakeup_fd(begins, warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, again)
        thread.start()
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
            signal.set_wakeup_fd(before)
            done.set()
            os.close(begins)
            thread.join()
            os.close(ends)
