# SPDX-License-Identifier: Apache-2.0
"""Optimal identifiers of a CAN bus by ctypes: analysis/include/takt/analysis_can_assign.h."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from takt.can import bounds
from takt.can.bounds import Errors, Frame
from takt.support.c.analysis import (
    CAN_NONE,
    CanAssignment,
    CanAssignWork,
    CanChoice,
    CanNeed,
    CanShare,
    CanSlot,
    CanWork,
    Status,
    Verdict,
)


@dataclass(frozen=True)
class Slot:
    """struct takt_analysis_can_slot: `holder` None: no frame has it."""

    kind: int
    holder: int | None = None


@dataclass(frozen=True)
class Need:
    """struct takt_analysis_can_need."""

    deadline_ns: int
    kind: int


@dataclass(frozen=True)
class Found:
    """The index of the frame at each slot, or None."""

    verdict: Verdict
    occupants: list[int | None]


@dataclass(frozen=True)
class Task:
    """What is to be assigned: frames by priority now, with needs, and slots by priority."""

    frames: Sequence[Frame]
    needs: Sequence[Need]
    slots: Sequence[Slot]
    bit_ns: int
    errors: Errors = bounds.NO_ERRORS
    iterations: int = bounds.ITERATIONS

    def search(self, choice: CanChoice, most: Fraction = Fraction(1), below: bool = False) -> Found:
        """takt_analysis_can_assign: every response / deadline at most `most`, or less. ValueError: a number is outside
        what the header allows."""
        count, size = len(self.frames), len(self.slots)
        assignment = CanAssignment(
            bus=ctypes.pointer(bounds.bus_of(self.frames, self.bit_ns, self.errors, self.iterations)),
            needs=(CanNeed * count)(*(CanNeed(one.deadline_ns, one.kind) for one in self.needs)),
            slots=(CanSlot * size)(
                *(CanSlot(one.kind, CAN_NONE if one.holder is None else one.holder) for one in self.slots)
            ),
            slot_count=size,
            most=CanShare(most.numerator, most.denominator),
            below=below,
            choice=choice,
        )
        occupants, verdict = (ctypes.c_uint32 * size)(), ctypes.c_int()
        function = bounds.load().takt_analysis_can_assign
        work, streams = (CanAssignWork * count)(), (CanWork * count)()
        status = Status(function(assignment, work, streams, occupants, verdict))
        if status != Status.OK:
            raise ValueError(f"the analysis refuses the assignment: {status.name}")
        return Found(Verdict(verdict.value), [None if one == CAN_NONE else one for one in occupants])
