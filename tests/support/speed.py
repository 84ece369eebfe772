# SPDX-License-Identifier: Apache-2.0
"""Limits of processor time that hold on any machine, and beside other work: in units of a reading measured there."""

from __future__ import annotations

import functools
import time
import tomllib

KEYS = 30_000
UNITS = 12
"""Far above what any test takes, and far below what one takes whose time grows with the square of its input."""


@functools.cache
def _unit_s() -> float:
    """Processor time in which tomllib reads a file of KEYS plain keys."""
    text = "".join(f"k{i} = 1\n" for i in range(KEYS))
    start = time.process_time()
    tomllib.loads(text)
    return time.process_time() - start


def limit_s() -> float:
    """Processor time within which a hostile file is refused, and the largest file is read."""
    return UNITS * _unit_s()
