# SPDX-License-Identifier: Apache-2.0
"""The protocol by ctypes: net/can/include/takt/can_mts.h."""

from __future__ import annotations

import ctypes
from functools import cache

from takt.support import compile
from takt.support.c import can_mts as c

TIME_MAX_NS = 1_000_000_000
PPM_MAX = 1_000
NO_RANK = c.NO_RANK
FRAMES_MAX = c.FRAMES_MAX
UNIQUE_BITS = range(3, 9)
DEADLINE_BITS_MAX = 24
SATURATED = (1 << 64) - 1


@cache
def library() -> ctypes.CDLL:
    found = ctypes.CDLL(str(compile.host_library("can")))
    pointer, number, node = ctypes.POINTER, ctypes.c_uint64, ctypes.POINTER(c.Mts)
    kinds: dict[str, tuple[list[type], type | None]] = {
        "plan": ([pointer(c.Needs), pointer(c.Plan)], ctypes.c_bool),
        "bus_is_valid": ([pointer(c.Bus)], ctypes.c_bool),
        "low_count": ([pointer(c.Layout)], ctypes.c_uint32),
        "other_count": ([pointer(c.Layout), ctypes.c_uint8], ctypes.c_uint32),
        "low": ([pointer(c.Layout), ctypes.c_uint32], ctypes.c_uint32),
        "other": ([pointer(c.Layout), ctypes.c_uint32], ctypes.c_uint32),
        "meaning": ([pointer(c.Bus), ctypes.c_uint32], c.Meaning),
        "start": ([node, pointer(c.Bus), ctypes.c_uint8, number], None),
        "tick": ([node, ctypes.c_uint8, ctypes.c_uint8, number], None),
        "frame": ([node, number], None),
        "due": ([node], number),
        "timer": ([node, number], None),
        "offers": ([node], c.Offers),
        "high": ([node, ctypes.c_uint32, pointer(c.Message)], ctypes.c_uint32),
    }
    for name, (arguments, result) in kinds.items():
        function = getattr(found, f"takt_can_mts_{name}")
        function.argtypes, function.restype = arguments, result
    return found


def layout(extended: bool, high: int) -> c.Layout:
    """With room for so many high-speed messages, and as many bits for deadlines as there may be."""
    rest = 28 if extended else 10
    unique = max(UNIQUE_BITS[0], rest - DEADLINE_BITS_MAX, (high - 1).bit_length())
    return c.Layout(extended, rest - unique, unique)


def plan(needs: c.Needs) -> c.Plan | None:
    """None: no bus can be planned so."""
    found = c.Plan()
    return found if library().takt_can_mts_plan(needs, found) else None


def is_valid(bus: c.Bus) -> bool:
    found: bool = library().takt_can_mts_bus_is_valid(bus)
    return found


def low(bus_layout: c.Layout, number: int) -> int:
    """The identifier of a low-speed message."""
    found: int = library().takt_can_mts_low(bus_layout, number)
    return found


def other(bus_layout: c.Layout, number: int) -> int:
    """That of a message below all of these."""
    found: int = library().takt_can_mts_other(bus_layout, number)
    return found


def other_count(bus_layout: c.Layout, masters: int) -> int:
    """How many of these there are."""
    found: int = library().takt_can_mts_other_count(bus_layout, masters)
    return found


def low_count(bus_layout: c.Layout) -> int:
    """How many low-speed identifiers there are, with those of high-speed messages without an epoch."""
    found: int = library().takt_can_mts_low_count(bus_layout)
    return found
