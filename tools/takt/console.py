# SPDX-License-Identifier: Apache-2.0
"""Output for people: rich on a terminal, plain text elsewhere. Results: standard output; progress: standard error."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape

PLAIN_WIDTH = 120
QUICK_S = 0.5  # what takes less needs no words


def out() -> Console:
    """Standard output; not a terminal: no colour, no wrapping below 120 columns."""
    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False, soft_wrap=False)


def err() -> Console:
    """Standard error, for progress."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Says what takes a while, once it does: a spinner on a terminal, one line elsewhere."""
    console = err()
    if console.is_terminal:
        with console.status(f"{escape(what)} ..."):
            yield
        return
    timer = threading.Timer(QUICK_S, console.print, (f"takt: {what} ...",), {"markup": False})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def print_json(value: Any) -> None:
    """One JSON document on standard output, keys in the order given."""
    print(json.dumps(value, indent=2))
