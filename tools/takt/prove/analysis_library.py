# SPDX-License-Identifier: Apache-2.0
"""The library of analysis/ by ctypes; its structures and statuses are those of takt/analysis.h (takt.support.c)."""

from __future__ import annotations

import ctypes
from pathlib import Path

from takt.declare.schema import model
from takt.support.c.analysis import (
    Hold,
    Interrupt,
    Mutex,
    Order,
    Phase,
    Reason,
    Server,
    Set,
    Status,
    Task,
    User,
    Verdict,
    Work,
)
from takt.support.errors import UserError
from takt.support.files import shown_path

__all__ = [
    "Hold",
    "Interrupt",
    "Mutex",
    "Order",
    "Phase",
    "Reason",
    "Server",
    "Set",
    "Status",
    "Task",
    "User",
    "Verdict",
    "Work",
]  # and what is below

OK, INVALID, LIMIT = Status.OK, Status.INVALID, Status.LIMIT
UNBOUNDED, OVERFLOW = Status.UNBOUNDED, Status.OVERFLOW
EQUAL, DEADLINE = Order.EQUAL, Order.DEADLINE

_BUILT = Path(__file__).resolve().parents[3] / "build/host-tools/libtakt_analysis.so"


class AnalysisError(UserError):
    """The library is missing, or the declaration is outside what the analysis accepts."""


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
        pointer(User),
        pointer(number),
    ]
    library.takt_analysis_server_load.argtypes = [ctypes.c_uint32, pointer(Task)]
    library.takt_analysis_served.argtypes = [pointer(Set), pointer(Server), pointer(Task), size, pointer(number)]
    _opened.append(library)
    return library


def block(library: ctypes.CDLL, whole: Set, tasks: ctypes.Array[Task], holds: ctypes.Array[Hold], mutexes: int) -> int:
    """Sets the blocking of each of a set's tasks by the sections of its mutexes; 0 where the status, which it returns,
    is not OK."""
    users, blocking = (User * len(tasks))(), (ctypes.c_uint64 * len(tasks))()
    status = int(
        library.takt_analysis_blocking(whole, holds, len(holds), (Mutex * mutexes)(), mutexes, users, blocking)
    )
    for task, blocking_ns in zip(tasks, blocking, strict=True):
        task.blocking_ns = blocking_ns if status == OK else 0
    return status


def arrival_ns(task: Task, number: int) -> int:
    """The earliest time of an arrival after the first, which has number 0: takta_arrival."""
    regular_ns: int = max(0, number - task.burst_more) * task.period_ns
    near_ns: int = number * task.distance_ns if task.burst_more else 0
    return max(regular_ns, near_ns)


def arrivals(task: Task, span_ns: int) -> int:
    """The most of them in a time of this length, both ends included: takta_arrivals."""
    if span_ns < 0:
        return 0
    return model.arrivals(span_ns, int(task.period_ns), int(task.burst_more) + 1, int(task.distance_ns))
