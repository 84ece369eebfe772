# SPDX-License-Identifier: Apache-2.0
"""Work in several processes: what comes of it, and how it ends before its end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from children import End, children, ended_by
from takt.support import parallel
from takt.support.errors import UserError

QUICK_S = 5  # a tenth of a second on a machine that does nothing else
SLEEP = """
import sys, time
from takt.support import parallel
with open(sys.argv[1], "wb", 0) as log:
    try:
        parallel.in_order(time.sleep, [0, 0, 600, 600], 2, lambda: log.write(b"x"))
    except KeyboardInterrupt:
        sys.exit(130)
"""


def test_results_come_in_the_order_of_the_items() -> None:
    seen: list[int] = []
    items = ["sleep 0.5; echo 1", "echo 2", "echo 3", "echo 4"]
    assert parallel.in_order(subprocess.getoutput, items, 2, lambda: seen.append(1)) == ["1", "2", "3", "4"]
    assert len(seen) == len(items)
    assert parallel.in_order(abs, [], 2, lambda: None) == []


def test_what_work_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        parallel.in_order(int, ["1", "x", "3"], 2, lambda: None)


def test_a_killed_process_is_one_message() -> None:
    with pytest.raises(UserError, match=r"a process was killed \(out of memory\?\)\n  try: less"):
        list(parallel.as_finished(os._exit, [1], 1, "less"))


def test_nothing_of_it_is_left() -> None:
    """Closed with work begun: no thread, which Python's exit would meet while it ends, and no process."""
    before = threading.enumerate()
    finished = parallel.as_finished(time.sleep, [0, 600, 600], 2)
    assert next(finished)[0] == 0
    finished.close()
    assert set(threading.enumerate()) <= set(before)
    assert not any(process.is_alive() for process in multiprocessing.active_children())


@pytest.mark.parametrize("finished", [0, 2], ids=["starting", "working"])
def test_an_interrupt_ends_it_at_once(tmp_path: Path, finished: int) -> None:
    """From the terminal, to all of its processes: none says anything, or is left."""
    log = tmp_path / "log"

    def begun(process: int) -> bool:
        return len(children(process)) >= 2 and log.stat().st_size >= finished

    end = ended_by(signal.SIGINT, ["-c", SLEEP, str(log)], begun)
    assert end == End(130, end.seconds, "", "", 0)
    assert end.seconds < QUICK_S
