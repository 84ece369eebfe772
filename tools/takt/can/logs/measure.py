# SPDX-License-Identifier: Apache-2.0
"""What a log says of each identifier: how often it came, and how long the bus was busy with it."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from takt.can.lengths import Rate, code
from takt.can.logs.entry import Entry
from takt.support import compile
from takt.support.c import can as c

_FRAME = struct.Struct("<????BB2xI64s")
_BATCH = 4096
_SECOND_NS = 1_000_000_000


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(compile.host_library("can")))
    library.takt_can_lengths_exact.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]
    return library


@dataclass
class Stream:
    """The frames of an identifier so far. `gap_*`: between two of them, in ns. `sizes`: bytes, with how many frames had
    so many. `first_ns`, `last_ns`: time stamps of the first and last one."""

    identifier: int
    extended: bool
    first_ns: int
    last_ns: int
    count: int = 0
    gap_min_ns: int | None = None
    gap_max_ns: int | None = None
    backwards: int = 0
    sizes: dict[int, int] = field(default_factory=dict)
    busy_ns: int = 0
    fd: bool = False

    @property
    def period_ns(self) -> int | None:
        """The mean distance; None: of one frame there is none."""
        return (self.last_ns - self.first_ns) // (self.count - 1) if self.count > 1 else None

    @property
    def jitter_ns(self) -> int | None:
        """The largest difference of a distance from the mean one."""
        mean = self.period_ns
        if mean is None or self.gap_min_ns is None or self.gap_max_ns is None:
            return None
        return max(self.gap_max_ns - mean, mean - self.gap_min_ns)

    def note(self, one: Entry, busy_ns: int) -> None:
        if self.count:
            gap = one.time_ns - self.last_ns
            self.gap_min_ns = gap if self.gap_min_ns is None else min(gap, self.gap_min_ns)
            self.gap_max_ns = gap if self.gap_max_ns is None else max(gap, self.gap_max_ns)
        self.count += 1
        self.last_ns = one.time_ns
        self.sizes[one.size] = self.sizes.get(one.size, 0) + 1
        self.busy_ns += busy_ns
        self.fd |= one.fd


@dataclass
class Measured:
    """A whole log. `windows`: ns for which the bus was busy in each window of the log, by number."""

    window_ns: int
    streams: dict[tuple[int, bool], Stream] = field(default_factory=dict)
    windows: dict[int, int] = field(default_factory=dict)
    frames: int = 0
    errors: int = 0
    backwards: int = 0
    begin_ns: int = 0
    end_ns: int = 0

    @property
    def load(self) -> float:
        """Of the whole log."""
        return sum(one.busy_ns for one in self.streams.values()) / max(1, self.end_ns - self.begin_ns)

    @property
    def load_max(self) -> float:
        """Of the busiest window that is whole."""
        whole = (self.end_ns - self.begin_ns) // self.window_ns
        return max((busy for number, busy in self.windows.items() if number < whole), default=0) / self.window_ns


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    entries = iter(entries)
    while batch := list(islice(entries, _BATCH)):
        yield batch


def _busy_ns(batch: list[Entry], rate: Rate) -> list[int]:
    """Time that each frame occupies the bus, with the stuff bits of its content and the intermission."""
    codes = {(size, fd): code(size, fd) for size, fd in {(one.size, one.fd) for one in batch}}
    frames = b"".join(
        _FRAME.pack(
            one.extended,
            one.remote,
            one.fd,
            one.brs and one.fd,
            codes[one.size, one.fd],
            one.passive and one.fd,
            one.identifier,
            one.data,
        )
        for one in batch
    )
    lengths = (c.Length * len(batch))()
    _library().takt_can_lengths_exact(frames, len(batch), lengths)
    pairs = struct.iter_unpack("<HH", bytes(lengths))
    data_rate = rate.data or rate.nominal
    return [nominal * _SECOND_NS // rate.nominal + data * _SECOND_NS // data_rate for nominal, data in pairs]


def measure(
    entries: Iterable[Entry], rate: Rate, window_ns: int, note: Callable[[Entry, int], None] | None = None
) -> Measured:
    """Reads all entries, once. `note`: called with each and the time of its bits, of an error 0."""
    found = Measured(window_ns)
    first = True
    for batch in _batches(entries):
        for one, busy_ns in zip(batch, _busy_ns(batch, rate), strict=True):
            if first:
                first, found.begin_ns, found.end_ns = False, one.time_ns, one.time_ns
            if one.time_ns < found.end_ns:
                found.backwards += 1
            found.end_ns = max(found.end_ns, one.time_ns)
            if note is not None:
                note(one, 0 if one.error else busy_ns)
            if one.error:
                found.errors += 1
                continue
            key = one.identifier, one.extended
            stream = found.streams.get(key)
            if stream is None:
                stream = found.streams[key] = Stream(one.identifier, one.extended, one.time_ns, one.time_ns)
            stream.note(one, busy_ns)
            found.frames += 1
            number = (one.time_ns - found.begin_ns) // window_ns
            found.windows[number] = found.windows.get(number, 0) + busy_ns
    return found
