# SPDX-License-Identifier: Apache-2.0
"""A line of a log, whatever its format."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A frame as it was received, or an error frame. `time_ns`: its time stamp. `size`: data length in bytes, which a
    remote frame has without data."""

    time_ns: int
    identifier: int
    extended: bool
    data: bytes
    size: int
    remote: bool = False
    fd: bool = False
    brs: bool = False
    passive: bool = False
    error: bool = False
