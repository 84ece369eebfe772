# SPDX-License-Identifier: Apache-2.0
"""Whether a workload is feasible under a policy: by the conditions that seed 000 prints, which overlook misses, and by
those of analysis/ that hold for any offsets.

Under ED* an identifier has room for any deadline and costs nothing. MTS has regions, and an update in each epoch, which
is taken as a frame that wins against all. "ed29" is ED with identifiers of 29 bits: frames are 20 bits longer, regions
are a bit long, and the update is there too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from takt.prove import analysis_library
from takt.reproduce.can.workloads import BIT_NS, MS, Lengths, Message, Workload
from takt.support.c.analysis import CanBus, CanDeadlines, CanErrors, CanFrame, CanStream, CanWork, Status, Verdict

BYTES_MAX = 8
DEADLINE_BITS = 5  # of an identifier under MTS
UPDATE_BITS, UPDATE_STUFFED_BITS = 16, 20  # two bytes in an epoch
TICK_BYTES = 1
ITERATIONS = 100_000
ALL = ("ed", "mts", "dm", "ed29")
FREE = "mts_free"  # MTS whose update costs nothing
TICKED = "mts_tick"  # MTS whose epochs begin with a frame of their own
TESTS = ("historic", "sound", "stuffed")
"""The printed conditions; those that hold, with the same frames; those that hold, with the most stuff bits."""


@dataclass(frozen=True)
class Setting:
    """What the figures vary besides the workload."""

    epoch_ms: int = 2
    idle_us: int = 0  # that the bus idles after a low-speed or sporadic frame, for want of a full buffer
    inheritance: bool = False  # a frame of lower priority that holds a buffer goes before all, at inherited priority


class Judged(NamedTuple):
    """Of the high-speed streams and of the low-speed ones, whichever come first in Verdict."""

    high: Verdict
    low: Verdict

    @property
    def feasible(self) -> bool:
        return self.high == self.low == Verdict.FEASIBLE

    @property
    def undecided(self) -> bool:
        """Whether more iterations might have made it feasible."""
        return not self.feasible and Verdict.INFEASIBLE not in self


def worst(verdicts: Sequence[int]) -> Verdict:
    return Verdict(max(verdicts, default=Verdict.FEASIBLE))


def _send_ns(one: Message, lengths: Lengths, setting: Setting, low: bool) -> int:
    idle = 1000 * setting.idle_us if low or not one.periodic else 0
    return lengths.bits(one.size) * BIT_NS + idle


class Bus:
    """A workload with its frames of one kind of length, to be judged by any condition. `tick`: bits of a frame that
    wins against all in each epoch."""

    def __init__(self, workload: Workload, setting: Setting, lengths: Lengths, tick: int = 0) -> None:
        self._library = analysis_library.load()
        self._tick_ns = tick * BIT_NS
        self._epoch_ns = setting.epoch_ms * MS
        self.high, self.count = len(workload.high), len(workload.high) + len(workload.low)
        rows = [
            (_send_ns(one, lengths, setting, low), one.period_ns, one.deadline_ns)
            for low, part in ((False, workload.high), (True, workload.low))
            for one in part
        ]
        self._rows = rows
        self._streams = (CanStream * self.count)(*(CanStream(*row) for row in rows))
        longest_ns = max(lengths.bits(BYTES_MAX) * BIT_NS + 1000 * setting.idle_us, *(row[0] for row in rows))
        self._blocking_ns = longest_ns + (lengths.bits(BYTES_MAX) * BIT_NS if setting.inheritance else 0)
        self.longest_deadline_ns = max(one.deadline_ns for one in workload.high)

    def _deadlines(self, count: int, region_ns: int) -> CanDeadlines:
        return CanDeadlines(
            streams=self._streams,
            stream_count=count,
            bit_ns=BIT_NS,
            region_ns=region_ns,
            blocking_ns=self._blocking_ns,
            above_ns=self._tick_ns,
            above_period_ns=self._epoch_ns,
            iterations=ITERATIONS,
        )

    def _asked(self, name: str, count: int, region_ns: int = 1) -> list[int]:
        verdicts = (ctypes.c_uint32 * count)()
        call = getattr(self._library, f"takt_analysis_can_{name}")
        status = call(ctypes.byref(self._deadlines(count, region_ns)), verdicts)
        if status != Status.OK:
            raise AssertionError(f"the analysis rejected the bus with status {status}")
        return list(verdicts)

    def region_ns(self, whole: bool) -> int:
        """Of MTS. `whole`: rounded up, so that regions divide the epoch."""
        least = -(-(self._epoch_ns + self.longest_deadline_ns) // (1 << DEADLINE_BITS))
        if not whole:
            return least
        return next(self._epoch_ns // k for k in range(self._epoch_ns // least, 0, -1) if self._epoch_ns % k == 0)

    def _split(self, verdicts: Sequence[int]) -> Judged:
        return Judged(worst(verdicts[: self.high]), worst(verdicts[self.high :]))

    def printed_fixed(self) -> Judged:
        return self._split(self._asked("printed_fixed", self.count))

    def printed_mixed(self) -> Judged:
        """The sum of send / period is not examined: the deadlines are short enough that it shows."""
        high = self._asked("printed_mixed", self.high, self.region_ns(False))
        return Judged(worst(high), self.printed_fixed().low)

    def printed_earliest(self) -> Judged:
        verdict = Verdict(self._asked("printed_earliest", self.count)[0])
        return Judged(verdict, verdict)

    def fixed(self) -> Judged:
        """By response times: the frames in the order of their deadlines, behind the tick."""
        frames = [(self._tick_ns, self._epoch_ns)] if self._tick_ns else []
        frames += [row[:2] for row in self._rows]
        frames.append((self._blocking_ns, 0))
        count = len(frames)
        listed = (CanFrame * count)(*(CanFrame(send, period, 0, 0) for send, period in frames))
        found, statuses = (ctypes.c_uint64 * count)(), (ctypes.c_uint32 * count)()
        bus = CanBus(
            frames=listed,
            frame_count=count,
            bit_ns=BIT_NS,
            errors=CanErrors(0, 0, 0, 0),
            iterations=ITERATIONS,
            senders=None,
            sender_count=0,
        )
        status = self._library.takt_analysis_can_responses(ctypes.byref(bus), (CanWork * count)(), found, statuses)
        if status != Status.OK:
            raise AssertionError(f"the analysis rejected the bus with status {status}")
        first = count - 1 - self.count
        return self._split(
            [
                Verdict.UNDECIDED
                if statuses[first + index] == Status.LIMIT
                else Verdict.FEASIBLE
                if statuses[first + index] == Status.OK and found[first + index] <= deadline
                else Verdict.INFEASIBLE
                for index, (_, _, deadline) in enumerate(self._rows)
            ]
        )

    def mixed(self) -> Judged:
        return Judged(worst(self._asked("deadlines", self.high, self.region_ns(True))), self.fixed().low)

    def earliest(self, region_ns: int) -> Judged:
        return self._split(self._asked("deadlines", self.count, region_ns))


def judge(workload: Workload, setting: Setting, test: str, policy: str) -> Judged:
    """By one of TESTS, under one of ALL, FREE or TICKED."""
    stuffed, long = test == "stuffed", policy == "ed29"
    lengths = {
        (False, False): Lengths.PLAIN,
        (True, False): Lengths.STUFFED,
        (False, True): Lengths.PLAIN_LONG,
        (True, True): Lengths.STUFFED_LONG,
    }[stuffed, long]
    update = UPDATE_STUFFED_BITS if stuffed else UPDATE_BITS
    ticks = {"mts": update, "ed29": update, TICKED: lengths.bits(TICK_BYTES)}
    bus = Bus(workload, setting, lengths, ticks.get(policy, 0))
    region = BIT_NS if long else 1
    calls: dict[str, Any] = {
        "ed": (bus.printed_earliest, lambda: bus.earliest(region)),
        "mts": (bus.printed_mixed, bus.mixed),
        "dm": (bus.printed_fixed, bus.fixed),
    }
    judged: Judged = calls[policy.partition("_")[0].removesuffix("29")][test != "historic"]()
    return judged
