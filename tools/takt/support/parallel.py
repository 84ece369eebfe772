# SPDX-License-Identifier: Apache-2.0
"""Work in processes of this machine. Ctrl-C is for the one that started them: it ends them at once, and none outlives
it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from multiprocessing import resource_tracker
from typing import TypeVar

from takt.support.errors import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


def _follow() -> None:
    """Of a worker: it ends when its parent does, even killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def as_finished(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    hint: str = "run it again with more memory free",
) -> Generator[tuple[int, Result], None, None]:
    """The index of each item and what `work` makes of it, in the order in which they are finished; `work` is a function
    of a module. Closed before its end, it waits for nothing that has begun. UserError, with `hint`: one was killed."""
    resource_tracker.ensure_running()  # by itself it would unblock what is blocked below
    context = multiprocessing.get_context("spawn")  # threads draw the progress: a fork would copy their locks
    pool = ProcessPoolExecutor(min(workers, max(len(items), 1)), context, _follow)
    try:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # so it is in the workers, and stays so
        try:
            futures = {pool.submit(work, item): index for index, item in enumerate(items)}
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for future in as_completed(futures):
            yield futures.pop(future), future.result()
    except BrokenProcessPool:
        raise UserError("a process was killed (out of memory?)", hint) from None
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)  # its thread ends first: Python would wake it up at the exit, perhaps closed


def in_order(
    work: Callable[[Item], Result], items: Sequence[Item], workers: int, done: Callable[[], None]
) -> list[Result]:
    """The same as a list in the order of the items. Calls `done` for each."""
    found: dict[int, Result] = {}
    with closing(as_finished(work, items, workers)) as finished:
        for index, result in finished:
            found[index] = result
            done()
    return [found[index] for index in range(len(items))]
