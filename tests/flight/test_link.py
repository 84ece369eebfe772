# SPDX-License-Identifier: Apache-2.0
"""What the board makes of frames that come late, twice, out of order, after a silence or all at once."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from frames import FrameType, encode

PERIOD_US = 10_000
WRAP = 1 << 32


@dataclass
class Probe:
    """The board's link alone: attitude frames in, figures out."""

    library: ctypes.CDLL
    readers_run: bool = True
    figures: ctypes.Array[ctypes.c_uint32] = field(default_factory=ctypes.c_uint32 * 4)

    def arrive(self, now_us: int, *frames: tuple[int, int]) -> None:
        """Frames by (number, time of measurement): numbers count up, the sequence is their remainder."""
        line = b"".join(encode(FrameType.ATTITUDE, n % 256, time % WRAP, *([0] * 9)) for n, time in frames)
        self.library.codec_link_accept(line, len(line), now_us % WRAP, self.readers_run, self.figures)

    @property
    def read(self) -> int:
        return self.figures[0]

    @property
    def late(self) -> int:
        return self.figures[1]

    @property
    def lost(self) -> int:
        return self.figures[2]

    @property
    def overflow(self) -> int:
        return self.figures[3]


@pytest.fixture
def probe(library: Path) -> Probe:
    loaded = ctypes.CDLL(str(library))
    loaded.codec_link_init()
    return Probe(loaded)


def test_punctual_frames_are_read(probe: Probe) -> None:
    for n in range(600):
        probe.arrive(n * PERIOD_US, (n, n * PERIOD_US))
    assert (probe.read, probe.late, probe.lost, probe.overflow) == (600, 0, 0, 0)


def test_frames_older_than_their_limit_are_late(probe: Probe) -> None:
    probe.arrive(100_000, (0, 75_000))  # 25 ms: just in time
    probe.arrive(200_000, (1, 174_999))
    assert (probe.read, probe.late) == (1, 1)


def test_gaps_are_counted_as_lost(probe: Probe) -> None:
    for n in (0, 1, 4, 5, 260):
        probe.arrive(n * PERIOD_US, (n, n * PERIOD_US))
    assert (probe.read, probe.late, probe.lost) == (5, 0, 2 + 254)


def test_a_repeated_or_overtaken_frame_is_late(probe: Probe) -> None:
    probe.arrive(20_000, (2, 20_000))
    probe.arrive(20_000, (2, 20_000), (1, 10_000))
    assert (probe.read, probe.late, probe.lost) == (1, 2, 0)


@pytest.mark.parametrize("silence", [1, 100, 127, 128, 200, 255, 256, 1000])
def test_any_silence_ends_with_the_first_frame(probe: Probe, silence: int) -> None:
    probe.arrive(0, (0, 0))
    back = 1 + silence
    probe.arrive(back * PERIOD_US, (back, back * PERIOD_US))
    assert (probe.read, probe.late) == (2, 0)
    assert probe.lost == silence % 256  # the sequence cannot tell more


def test_the_clock_may_wrap(probe: Probe) -> None:
    for n in range(10):
        now = WRAP - 5 * PERIOD_US + n * PERIOD_US
        probe.arrive(now, (n, now - 3_000))
    assert (probe.read, probe.late, probe.lost) == (10, 0, 0)


def test_a_burst_beyond_the_queue_is_counted(probe: Probe) -> None:
    probe.arrive(20_000, *((n, 10_000 + n) for n in range(5)))
    assert (probe.read, probe.overflow) == (2, 3)


def test_a_reader_that_was_stopped_in_its_jobs_is_woken_again(probe: Probe) -> None:
    probe.readers_run = False
    probe.arrive(20_000, (0, 20_000))
    probe.arrive(30_000, (1, 30_000))
    probe.readers_run = True
    probe.arrive(40_000, (2, 40_000))
    assert (probe.read, probe.overflow) == (2, 1)
    probe.arrive(50_000, (3, 50_000))
    assert probe.read == 3
