# SPDX-License-Identifier: Apache-2.0
"""Programs that commands start: what they say is read whatever bytes it has, and none outlives the tool.

The kernel ends a child when the thread that started it is gone, even by `kill -9`: PR_SET_PDEATHSIG, set by `setpriv`
of util-linux before the program begins. So a thread that starts one waits for its end. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from takt.support.files import text_of

GENTLY = "TERM"  # for programs that end their own children then: builds, tests
AT_ONCE = "KILL"
_ADOPT = 36  # PR_SET_CHILD_SUBREAPER
_LOOK_S = 0.2
_SHARE = 0.7  # of a processor's time: those that alternate have it, unless others are there


def command_of(command: Sequence[str | Path], ending: str = AT_ONCE) -> list[str]:
    """The command with its end tied to this process's. OSError: there is no such program."""
    words = [os.fspath(word) for word in command]
    found = shutil.which(words[0])
    if found is None and not Path(words[0]).exists():
        raise FileNotFoundError(2, "No such file or directory", words[0])
    setpriv = _setpriv()
    return words if setpriv is None else [setpriv, f"--pdeathsig={ending}", "--", *words]


@cache
def _setpriv() -> str | None:
    """Where it is; None: this machine has none that knows the option, and children may outlive a killed tool."""
    found = shutil.which("setpriv")
    if found is None:
        return None
    trial = [found, "--pdeathsig=KILL", "--", "true"]
    tried = subprocess.run(trial, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return found if tried.returncode == 0 else None


def start(command: Sequence[str | Path], *, ending: str = AT_ONCE, **options: Any) -> subprocess.Popen[bytes]:
    """As subprocess.Popen, in bytes. OSError: there is no such program."""
    return subprocess.Popen(command_of(command, ending), **options)


@contextmanager
def end_of(process: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """A descriptor that can be read from when the program has ended; none where the kernel has no such thing."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        yield []
        return
    try:
        yield [descriptor]
    finally:
        os.close(descriptor)


def wait(process: subprocess.Popen[bytes], within_s: float | None) -> int:
    """As Popen.wait, which with a time looks only every 50 ms whether the program has ended."""
    if within_s is not None and process.poll() is None:
        with end_of(process) as ends:
            if ends and not select.select(ends, [], [], within_s)[0]:
                raise subprocess.TimeoutExpired(process.args, within_s)
            return process.wait(None if ends else within_s)
    return process.wait(within_s)


def run(
    command: Sequence[str | Path],
    *,
    given: str | None = None,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    within_s: float | None = None,
    together: bool = False,
    check: bool = False,
    ending: str = AT_ONCE,
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end. `given`: its standard input, else none; `together`: standard error is in `stdout`.

    OSError: there is no such program; subprocess.TimeoutExpired: `within_s` seconds were not enough, and it was ended;
    subprocess.CalledProcessError: `check`, and it failed.
    """
    done = subprocess.run(
        command_of(command, ending),
        input=None if given is None else given.encode("utf-8", "surrogateescape"),
        stdin=subprocess.DEVNULL if given is None else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if together else subprocess.PIPE,
        cwd=cwd,
        env=environment,
        timeout=within_s,
        check=check,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, text_of(done.stdout), text_of(done.stderr or b""))


@contextmanager
def one_processor(wanted: bool = True) -> Iterator[Callable[[int], None]]:
    """Keeps this thread, and the threads and programs that it starts, on one processor: for programs of which one works
    on what the other has just made. To wake each other across processors takes them longer than most of what they
    compute, and what they hand over is in the cache of one. Gives what is to be called now and then with the process
    that was started: where others use the processor too, all move on to the next one. Not `wanted`: does nothing."""
    allowed = sorted(os.sched_getaffinity(0))
    if not wanted or len(allowed) < 2:
        yield lambda _process: None
        return
    shared = _Processor(allowed)
    try:
        yield shared.look
    finally:
        os.sched_setaffinity(0, allowed)


class _Processor:
    """The one that a thread is on, of those that it may use."""

    def __init__(self, allowed: Sequence[int]) -> None:
        here = ctypes.CDLL(None).sched_getcpu()
        self._allowed = allowed
        self._index = allowed.index(here) if here in allowed else 0
        self._seen: tuple[float, float] | None = None  # the last look: time outside, and of the processor
        self._elsewhere = _threads(os.getpid()) - {threading.get_native_id()}
        self._move([0])

    def look(self, process: int) -> None:
        now_s, before = time.monotonic(), self._seen
        if before is not None and now_s - before[0] < _LOOK_S:
            return
        with suppress(OSError, ValueError, IndexError):  # it has ended
            self._seen = now_s, time.process_time() + _used_s(process)
            if before is not None and self._seen[1] - before[1] < _SHARE * (now_s - before[0]):
                self._index += 1
                self._move([*_threads(os.getpid()) - self._elsewhere, *_threads(process)])

    def _move(self, threads: Iterable[int]) -> None:
        for thread in threads:
            with suppress(OSError):  # it has ended, or this machine lets nobody choose
                os.sched_setaffinity(thread, {self._allowed[self._index % len(self._allowed)]})


def _threads(process: int) -> set[int]:
    """Their numbers. OSError: it is gone."""
    return {int(thread.name) for thread in Path(f"/proc/{process}/task").iterdir()}


def _used_s(process: int) -> float:
    """Processor time of a process so far. OSError, ValueError, IndexError: it is gone."""
    words = text_of(Path(f"/proc/{process}/stat").read_bytes()).rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def adopt() -> None:
    """From now on what a child leaves behind at its end is a child of this process."""
    ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)


def end_all() -> None:
    """Ends every child, and with `adopt` all that those have started, in whatever session that is."""
    while found := _there():
        for child in found:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(child, 0)


def _there() -> list[int]:
    """The children of every thread."""
    lists = Path("/proc/self/task").glob("*/children")
    return [int(word) for path in lists for word in path.read_bytes().split()]
