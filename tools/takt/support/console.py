# SPDX-License-Identifier: Apache-2.0
"""Output for people: rich on a terminal, plain text elsewhere. Results: standard output; progress: standard error."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

PLAIN_WIDTH = 120
QUICK_S = 0.5  # what takes less needs no words


def out() -> Console:
    """Standard output; not a terminal: no colour, no wrapping below 120 columns."""
    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False, soft_wrap=False)


def err() -> Console:
    """Standard error, for progress."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def doing(activity: str) -> Iterator[None]:
    """Says what takes a while, once it does: a spinner on a terminal, one line elsewhere."""
    console = err()
    if console.is_terminal:
        with console.status(f"{escape(activity)} ..."):
            yield
        return
    timer = threading.Timer(QUICK_S, console.print, (f"takt: {activity} ...",), {"markup": False})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def filling(activity: str) -> Iterator[Callable[[float], None]]:
    """As `doing`, and how far it is, once it takes a while: a bar on a terminal, a line at every fifth elsewhere. The
    caller calls what it gets with 0 to 1."""
    console = err()
    begun, said = time.monotonic(), 0
    if console.is_terminal:
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task(escape(activity), total=1.0)
            yield lambda fraction: progress.update(task, completed=fraction)
        return

    def fill(fraction: float) -> None:
        nonlocal said
        if int(fraction * 5) > said and time.monotonic() - begun > QUICK_S:
            said = int(fraction * 5)
            left_s = (time.monotonic() - begun) * (1 - fraction) / fraction
            console.print(f"takt: {activity}: {said * 20} %, about {left_s:.0f} s more", markup=False)

    with doing(activity):
        yield fill


@contextmanager
def counting(activity: str, total: int) -> Iterator[Callable[[], None]]:
    """Says how far it is: a bar on a terminal, a line at every fifth elsewhere. The caller calls what it gets."""
    console = err()
    if console.is_terminal:
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task(activity, total=total)
            yield lambda: progress.advance(task)
        return
    lock = threading.Lock()
    done = 0

    def count() -> None:
        nonlocal done
        with lock:
            done += 1
            if done * 5 // total != (done - 1) * 5 // total and total > 1:
                console.print(f"takt: {activity}: {done} of {total}", markup=False)

    yield count


def print_json(value: Any) -> None:
    """One JSON document on standard output, keys in the order given."""
    print(json.dumps(value, indent=2))
