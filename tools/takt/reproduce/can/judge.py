# SPDX-License-Identifier: Apache-2.0
"""Whether a workload is feasible under a policy: by the conditions that seed 000 prints, which overlook misses, and by
those of analysis/ that hold for any offsets.

Under ED* an identifier has room for any deadline and costs nothing; the check that the seed names proves, so it is the
same in all tests. MTS has regions, and an update in each epoch, which is taken as a frame that wins against all. "ed29"
is ED with identifiers of 29 bits: frames are 20 bits longer, the deadline is rounded down to a bit time, and the update
is there too: the deadlines that identifiers have are less than a bit early, and what is due by them fits if it does by
deadlines a bit earlier.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from takt.prove import analysis_library
from takt.reproduce.can.workloads import BIT_NS, MS, Lengths, Message, Workload
from takt.support.c.analysis import CanBus, CanDeadlines, CanErrors, CanFrame, CanStream, CanWork, Status, Verdict

BYTES_MAX = 8
DEADLINE_BITS = 5  # of an identifier under MTS
UPDATE_BITS, UPDATE_STUFFED_BITS = 16, 20  # two bytes in an epoch
TICK_BYTES = 1
ITERATIONS = 100_000
ALL = ("ed", "mts", "dm", "ed29")
START = "ed_start"  # ED* whose order is that of deadline - send (7.3.2)
FREE = "mts_free"  # MTS whose update costs nothing
TICKED = "mts_tick"  # MTS whose epochs begin with a frame of their own
TESTS = ("historic", "sound", "stuffed")
"""The conditions of the seed; those that hold, with the same frames; those that hold, with the most stuff bits."""


@dataclass(frozen=True)
class Setting:
    """What the figures vary besides the workload."""

    epoch_ms: int = 2
    idle_us: int = 0  # that the bus idles after a low-speed or sporadic frame, for want of a full buffer
    idle_low: bool = False  # only after a low-speed one, and not after the longest frame, which blocks
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
    idles = low or (not one.periodic and not setting.idle_low)
    return lengths.bits(one.size) * BIT_NS + 1000 * setting.idle_us * idles


class Bus:
    """A workload with its frames of one kind of length, to be judged by any condition. `tick`: bits of a frame that
    wins against all in each epoch. `early_ns`: by which deadlines are shorter."""

    def __init__(
        self, workload: Workload, setting: Setting, lengths: Lengths, tick: int = 0, early_ns: int = 0
    ) -> None:
        self._library = analysis_library.load()
        self._tick_ns = tick * BIT_NS
        self._epoch_ns = setting.epoch_ms * MS
        self.high, self.count = len(workload.high), len(workload.high) + len(workload.low)
        rows = [
            (_send_ns(one, lengths, setting, low), one.period_ns, one.deadline_ns - early_ns)
            for low, part in ((False, workload.high), (True, workload.low))
            for one in part
        ]
        self._rows = rows
        self._streams = (CanStream * self.count)(*(CanStream(*row) for row in rows))
        longest_ns = lengths.bits(BYTES_MAX) * BIT_NS
        idle_ns = 0 if setting.idle_low else 1000 * setting.idle_us
        self._blocking_ns = longest_ns + idle_ns + (longest_ns if setting.inheritance else 0)
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
        status = call(ctypes.byref(self._deadlines(count, region_ns)), verdicts, None)
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

    def earliest(self) -> Judged:
        """By deadlines: the seed names this check, which proves."""
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

    def earliest_start(self) -> Judged:
        """By deadline - send."""
        return self._split(self._asked("deadlines", self.count))


def judge(workload: Workload, setting: Setting, test: str, policy: str) -> Judged:
    """By one of TESTS, under one of ALL, START, FREE or TICKED."""
    stuffed, long = test == "stuffed", policy == "ed29"
    lengths = {
        (False, False): Lengths.PLAIN,
        (True, False): Lengths.STUFFED,
        (False, True): Lengths.PLAIN_LONG,
        (True, True): Lengths.STUFFED_LONG,
    }[stuffed, long]
    update = UPDATE_STUFFED_BITS if stuffed else UPDATE_BITS
    ticks = {"mts": update, "ed29": update, TICKED: lengths.bits(TICK_BYTES)}
    bus = Bus(workload, setting, lengths, ticks.get(policy, 0), BIT_NS if long else 0)
    calls: dict[str, tuple[Callable[[], Judged], Callable[[], Judged]]] = {
        "ed": (bus.earliest, bus.earliest),
        "ed29": (bus.earliest, bus.earliest),
        START: (bus.earliest, bus.earliest_start),
        "mts": (bus.printed_mixed, bus.mixed),
        FREE: (bus.printed_mixed, bus.mixed),
        TICKED: (bus.printed_mixed, bus.mixed),
        "dm": (bus.printed_fixed, bus.fixed),
    }
    return calls[policy][test != "historic"]()
