# SPDX-License-Identifier: Apache-2.0
"""Commands as processes of their own, their processes, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from takt.support.children import GENTLY, command_of
from takt.support.provision import ROOT

BEGIN_S = 60
END_S = 20


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "tools")}


def takt_command(*words: object) -> list[str]:
    """The tool as a process of its own, which ends with the test, whatever ends that."""
    return command_of([sys.executable, "-m", "takt", *map(str, words)], GENTLY)


def wait_until(holds: Callable[[], bool], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.01)


def children(process: int) -> list[int]:
    """Those that are there now."""
    with suppress(OSError):
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    return []


def alive(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return status not in "ZX"


def work_s(process: int) -> float:
    """Processor time that it has taken."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def kill(processes: list[int]) -> None:
    for process in filter(alive, processes):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@dataclass(frozen=True)
class End:
    """`seconds`: from the signal until it was over. `left`: of its processes, how many were there a moment later."""

    code: int
    seconds: float
    out: str
    err: str
    left: int


def ended_by(number: int, words: list[str], begun: Callable[[int], bool]) -> End:
    """Runs a Python with these words; once `begun` holds of its process id, sends it the signal. SIGINT goes to its
    processes before, of which none may end of it: a terminal sends it to all."""
    python = command_of([sys.executable, *words], GENTLY)
    command = ["env", "--default-signal=INT,HUP,TERM", *python]  # whatever shell started us
    with subprocess.Popen(
        command, env=environment(), text=True, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        known: list[int] = []
        try:
            wait_until(lambda: process.poll() is not None or begun(process.pid), BEGIN_S, "its work")
            assert process.poll() is None, process.communicate()
            known = children(process.pid)
            if number == signal.SIGINT:
                for child in known:
                    os.kill(child, number)
                time.sleep(0.2)
                assert all(map(alive, known)), process.communicate()
            start = time.monotonic()
            os.kill(process.pid, number)
            out, err = process.communicate(timeout=END_S)
            seconds = time.monotonic() - start
            with suppress(AssertionError):
                wait_until(lambda: not any(map(alive, known)), 2, "the end of its processes")
            return End(process.returncode, seconds, out, err, sum(map(alive, known)))
        finally:
            process.kill()
            kill(known)
