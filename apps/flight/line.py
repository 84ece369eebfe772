# SPDX-License-Identifier: Apache-2.0
"""The serial line from the aircraft to the board, with the faults that a real one has, from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

BYTE_NS = 78_125  # 128 000 baud: 128 bytes in 10 ms
RECEIVER = 128  # bytes that the board takes at once


@dataclass(frozen=True)
class LineFaults:
    """Share of frames, 0 to 1, that meet each fault; at most one fault a frame."""

    corrupt: float = 0.0  # one to three bits turned
    shorten: float = 0.0  # the last bytes missing
    drop: float = 0.0
    late: float = 0.0  # 30 to 80 ms
    garbage: float = 0.0  # random bytes before the frame


@dataclass
class Line:
    faults: LineFaults
    seed: int
    applied: dict[str, int] = field(default_factory=dict)  # frames that met each fault
    _random: random.Random = field(init=False)
    _delayed: list[tuple[int, bytes]] = field(default_factory=list)  # due time, frame
    _waiting: bytearray = field(default_factory=bytearray)
    _received_ns: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(f"{self.seed} line")

    def send(self, time_ns: int, frame: bytes) -> None:
        """Puts a frame on the line at `time_ns`; times never go back."""
        self._deliver(time_ns)
        fault = self._choose()
        if fault is not None:
            self.applied[fault] = self.applied.get(fault, 0) + 1
        if fault == "drop":
            return
        if fault == "late":
            self._delayed.append((time_ns + self._random.randrange(30, 81) * 1_000_000, frame))
            self._delayed.sort(key=lambda entry: entry[0])
            return
        if fault == "corrupt":
            frame = self._corrupted(frame)
        elif fault == "shorten":
            frame = frame[: self._random.randrange(1, len(frame))]
        elif fault == "garbage":
            frame = self._random.randbytes(self._random.randrange(1, 40)) + frame
        self._waiting += frame

    def receive(self, time_ns: int) -> bytes:
        """What has arrived by `time_ns` and was not received before, at most as much as the line's speed allows."""
        self._deliver(time_ns)
        room = min(RECEIVER, (time_ns - self._received_ns) // BYTE_NS)
        self._received_ns = time_ns
        arrived = bytes(self._waiting[:room])
        del self._waiting[:room]
        return arrived

    def _deliver(self, time_ns: int) -> None:
        while self._delayed and self._delayed[0][0] <= time_ns:
            self._waiting += self._delayed.pop(0)[1]

    def _choose(self) -> str | None:
        share = self._random.random()
        for fault in ("corrupt", "shorten", "drop", "late", "garbage"):
            share -= float(getattr(self.faults, fault))
            if share < 0:
                return fault
        return None

    def _corrupted(self, frame: bytes) -> bytes:
        bits = bytearray(frame)
        for bit in self._random.sample(range(8 * len(bits)), self._random.randrange(1, 4)):
            bits[bit // 8] ^= 1 << bit % 8
        return bytes(bits)
