# SPDX-License-Identifier: Apache-2.0
"""What tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """What a command said."""

    code: int
    out: str
    err: str


Takt = Callable[..., Said]
