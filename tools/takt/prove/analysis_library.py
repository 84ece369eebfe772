# SPDX-License-Identifier: Apache-2.0
"""The C interface of analysis/ by ctypes: structures and constants of analysis/include/takt/analysis.h, same names."""

from __future__ import annotations

import ctypes
from pathlib import Path

from takt.support.errors import UserError
from takt.support.files import shown_path

OK, INVALID, LIMIT, UNBOUNDED, OVERFLOW = range(5)  # enum takt_analysis_status
EQUAL, DEADLINE = range(2)  # enum takt_analysis_order

_BUILT = Path(__file__).resolve().parents[3] / "build/host-tools/libtakt_analysis.so"


class AnalysisError(UserError):
    """The library is missing, or the declaration is outside what the analysis accepts."""


class Task(ctypes.Structure):
    _fields_ = [
        ("wcet_ns", ctypes.c_uint64),
        ("period_ns", ctypes.c_uint64),
        ("deadline_ns", ctypes.c_uint64),
        ("jitter_ns", ctypes.c_uint64),
        ("release_cost_ns", ctypes.c_uint64),
        ("blocking_ns", ctypes.c_uint64),
        ("level", ctypes.c_uint16),
        ("order", ctypes.c_uint16),
    ]


class Interrupt(ctypes.Structure):
    _fields_ = [("wcet_ns", ctypes.c_uint64), ("min_interarrival_ns", ctypes.c_uint64)]


class Set(ctypes.Structure):
    _fields_ = [
        ("tasks", ctypes.POINTER(Task)),
        ("task_count", ctypes.c_size_t),
        ("interrupts", ctypes.POINTER(Interrupt)),
        ("interrupt_count", ctypes.c_size_t),
        ("lock_ns", ctypes.c_uint64),
        ("iterations", ctypes.c_uint32),
        ("cooperative", ctypes.c_bool),
    ]


class Reason(ctypes.Structure):
    _fields_ = [
        ("task", ctypes.c_size_t),
        ("time_ns", ctypes.c_uint64),
        ("demand_ns", ctypes.c_uint64),
        ("available_ns", ctypes.c_uint64),
    ]


class Hold(ctypes.Structure):
    _fields_ = [
        ("hold_ns", ctypes.c_uint64),
        ("mutex", ctypes.c_uint32),
        ("task", ctypes.c_uint32),
        ("alone", ctypes.c_bool),
    ]


class Mutex(ctypes.Structure):
    _fields_ = [("urgent", ctypes.c_bool)]


class Phase(ctypes.Structure):
    _fields_ = [("offset_ns", ctypes.c_uint64), ("group", ctypes.c_uint32)]


class Work(ctypes.Structure):
    _fields_ = [
        ("tasks", ctypes.POINTER(Task)),
        ("jitters_ns", ctypes.POINTER(ctypes.c_uint64)),
        ("bounds_ns", ctypes.POINTER(ctypes.c_uint64)),
        ("statuses", ctypes.POINTER(ctypes.c_int)),
    ]


_opened: list[ctypes.CDLL] = []  # the library in use, once there is one


def load(path: Path | None = None) -> ctypes.CDLL:
    """The analysis library: that of `path`, which later calls without one get too, or of the host-tools build.

    AnalysisError if it is not there.
    """
    if path is None and _opened:
        return _opened[-1]
    path = path or _BUILT
    if not path.exists():
        raise AnalysisError(
            f"{shown_path(path)} is not built", "cmake --preset host-tools && cmake --build --preset host-tools"
        )
    library = ctypes.CDLL(str(path))
    pointer, size, number = ctypes.POINTER, ctypes.c_size_t, ctypes.c_uint64
    library.takt_analysis_feasible.argtypes = [
        pointer(Set),
        pointer(ctypes.c_int),
        pointer(ctypes.c_int),
        pointer(Reason),
    ]
    library.takt_analysis_part.argtypes = [pointer(Set), size, size, pointer(ctypes.c_int), pointer(size)]
    library.takt_analysis_responses.argtypes = [pointer(Set), pointer(number), pointer(ctypes.c_int)]
    library.takt_analysis_phased.argtypes = [
        pointer(Set),
        pointer(Phase),
        pointer(size),
        pointer(number),
        pointer(ctypes.c_int),
    ]
    library.takt_analysis_suspended.argtypes = [
        pointer(Set),
        pointer(number),
        pointer(Work),
        pointer(number),
        pointer(ctypes.c_int),
    ]
    library.takt_analysis_blocking.argtypes = [
        pointer(Set),
        pointer(Hold),
        size,
        pointer(Mutex),
        size,
        pointer(number),
    ]
    _opened.append(library)
    return library
