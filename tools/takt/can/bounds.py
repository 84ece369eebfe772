# SPDX-License-Identifier: Apache-2.0
"""Bounds of a CAN bus by ctypes: analysis/include/takt/analysis_can.h."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from takt.support import compile
from takt.support.c.analysis import (
    CanAssignment,
    CanAssignWork,
    CanBus,
    CanErrors,
    CanFrame,
    CanGroup,
    CanOffsets,
    CanQueue,
    CanRelease,
    CanSender,
    CanStep,
    CanWork,
    Status,
)
from takt.support.c.analysis import Phase as CPhase

RELEASES, STEPS = 100_000, 200_000  # of all groups; those of a large bus with cycles of some seconds fit
ITERATIONS = 1_000_000
"""Sums over all frames that a bound may take. The largest real buses take a few hundred."""


@dataclass(frozen=True)
class Frame:
    """struct takt_analysis_can_frame: `period_ns` 0 is a frame that only blocks. `sender`: an index."""

    send_ns: int
    period_ns: int
    jitter_ns: int = 0
    sender: int = 0


@dataclass(frozen=True)
class Sender:
    """struct takt_analysis_can_sender: `buffers` of BUFFERS and ABORTABLE, `abort_ns` of the latter."""

    queue: CanQueue = CanQueue.PRIORITY
    buffers: int = 0
    abort_ns: int = 0


@dataclass(frozen=True)
class Phase:
    """struct takt_analysis_phase: `group` is the index of the first frame with the same clock."""

    group: int
    offset_ns: int


@dataclass(frozen=True)
class Errors:
    """struct takt_analysis_can_errors: bursts of at most `count`, at least `distance_ns` apart."""

    count: int = 0
    distance_ns: int = 0
    burst_ns: int = 0
    cost_ns: int = 0


NO_ERRORS = Errors()


@dataclass(frozen=True)
class ErrorRate:
    """Of errors that are independent of each other, and have no bound: the probability `value` that a bit is disturbed,
    or with `per_second` the rate of a Poisson process."""

    value: Decimal
    per_second: bool
    text: str


@dataclass(frozen=True)
class Bound:
    """The longest response, if the status is OK."""

    status: Status
    response_ns: int | None


@dataclass(frozen=True)
class Wait:
    """What the analysis of queues other than by priority finds of a frame: `queued_ns`, its longest delay until its
    node offers it or what it holds instead, and `held_ns`, for how long its node may hold it back."""

    queued_ns: int
    held_ns: int


_opened: list[ctypes.CDLL] = []  # the library in use, once there is one


def load(path: Path | None = None) -> ctypes.CDLL:
    """The analysis library: that of `path`, which later calls without one get too, or of the host-tools build."""
    if path is None and _opened:
        return _opened[-1]
    library = ctypes.CDLL(str(path or compile.host_library("analysis")))
    pointer, number = ctypes.POINTER, ctypes.c_uint64
    library.takt_analysis_can_responses.argtypes = [
        pointer(CanBus),
        pointer(CanWork),
        pointer(number),
        pointer(ctypes.c_uint32),
    ]
    library.takt_analysis_can_responses_with_offsets.argtypes = [
        pointer(CanBus),
        pointer(CPhase),
        pointer(CanOffsets),
        pointer(number),
        pointer(ctypes.c_uint32),
    ]
    library.takt_analysis_can_assign.argtypes = [
        pointer(CanAssignment),
        pointer(CanAssignWork),
        pointer(CanWork),
        pointer(ctypes.c_uint32),
        pointer(ctypes.c_int),
    ]
    _opened.append(library)
    return library


def bus_of(
    frames: Sequence[Frame], bit_ns: int, errors: Errors, iterations: int, senders: Sequence[Sender] = ()
) -> CanBus:
    """struct takt_analysis_can_bus."""
    count = len(frames)
    listed = (CanFrame * count)(*(CanFrame(one.send_ns, one.period_ns, one.jitter_ns, one.sender) for one in frames))
    nodes = (CanSender * len(senders))(*(CanSender(one.queue, one.buffers, one.abort_ns) for one in senders))
    return CanBus(
        frames=listed,
        frame_count=count,
        bit_ns=bit_ns,
        errors=CanErrors(errors.count, errors.distance_ns, errors.burst_ns, errors.cost_ns),
        iterations=iterations,
        senders=nodes,
        sender_count=len(senders),
    )


@cache
def _space_of_groups() -> tuple[ctypes.Array[CanRelease], ctypes.Array[CanStep]]:
    return (CanRelease * RELEASES)(), (CanStep * STEPS)()


def _space(work: ctypes.Array[CanWork]) -> CanOffsets:
    releases, steps = _space_of_groups()
    return CanOffsets(work, (CanGroup * len(work))(), releases, RELEASES, steps, STEPS)


def responses(
    frames: Sequence[Frame],
    bit_ns: int,
    errors: Errors = NO_ERRORS,
    iterations: int = ITERATIONS,
    senders: Sequence[Sender] = (),
    phases: Sequence[Phase] = (),
) -> list[Bound]:
    """takt_analysis_can_responses of frames by priority, with `phases` takt_analysis_can_responses_with_offsets;
    without `senders` each is offered by priority. ValueError: a number is outside what the header allows."""
    count = len(frames)
    bus = bus_of(frames, bit_ns, errors, iterations, senders)
    found, statuses = (ctypes.c_uint64 * count)(), (ctypes.c_uint32 * count)()
    work = (CanWork * count)()
    if phases:
        listed = (CPhase * count)(*(CPhase(one.offset_ns, one.group) for one in phases))
        status = load().takt_analysis_can_responses_with_offsets(bus, listed, _space(work), found, statuses)
    else:
        status = load().takt_analysis_can_responses(bus, work, found, statuses)
    if status != Status.OK:
        raise ValueError(f"the analysis refuses the bus: {Status(status).name}")
    return [
        Bound(Status(one), response if one == Status.OK else None)
        for one, response in zip(statuses, found, strict=True)
    ]


def waits(frames: Sequence[Frame], bit_ns: int, errors: Errors, senders: Sequence[Sender]) -> list[Wait]:
    """Of takt_analysis_can_responses, with queues other than by priority."""
    count = len(frames)
    found, statuses, work = (ctypes.c_uint64 * count)(), (ctypes.c_uint32 * count)(), (CanWork * count)()
    bus = bus_of(frames, bit_ns, errors, ITERATIONS, senders)
    if load().takt_analysis_can_responses(bus, work, found, statuses) != Status.OK:
        raise ValueError("the analysis refuses the bus")
    return [Wait(one.queued_ns, one.held_ns) for one in work]
