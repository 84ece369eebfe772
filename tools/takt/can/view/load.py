# SPDX-License-Identifier: Apache-2.0
"""What is drawn of a bus: its frames and errors, as they come, in bounded memory.

The first FRAMES_MAX frames are kept, and of the others those before and after the latest marks (a response that comes
nearer to its bound than all before, an error). Of the whole time the load is kept in at most BINS parts, which are
joined in pairs when there are more."""

from __future__ import annotations

import base64
from array import array
from collections import deque
from dataclasses import dataclass, field
from typing import Any

FRAMES_MAX = 150_000  # 10 bytes each
MARKS_MAX = 20
AROUND = 1_000  # frames before a mark, and after it
BINS = 2_048
ROWS_MAX = 400  # messages with a row of their own
_FIRST_BIN_NS = 100_000
_ERROR = 1 << 15  # of an index: a frame that was destroyed, or an error that no frame is known of
_NONE = _ERROR - 1
_GAP_MAX = (1 << 32) - 1

Frame = tuple[int, int, int]
"""Start and end in ns, and the index of the message, with _ERROR."""


@dataclass(frozen=True)
class Row:
    """A message. `observed_ns`: what is held against `proved_ns`, as `Load.measured` calls it; None: nothing is."""

    name: str
    identifier: str
    frames: int
    observed_ns: int | None
    proved_ns: int | None
    deadline_ns: int | None
    state: str = ""


@dataclass
class Load:
    """Of a bus, from 0 on. `measured`: what the rows have as observed."""

    frames: list[Frame] = field(default_factory=list)
    end_ns: int = 0
    kept_until_ns: int | None = None  # from here on only what is around marks
    errors: int = 0
    bin_ns: int = _FIRST_BIN_NS
    bins: list[int] = field(default_factory=list)
    _last: deque[Frame] = field(default_factory=lambda: deque(maxlen=AROUND))
    _after: int = 0
    _marks: int = 0

    def add(self, start_ns: int, end_ns: int, index: int | None, error: bool = False, mark: bool = False) -> None:
        """Frames in the order of their ends. `mark`: it is worth a look."""
        number = _NONE if index is None or index >= _NONE else index
        frame = start_ns, end_ns, number | (_ERROR if error else 0)
        self.end_ns = max(self.end_ns, end_ns)
        self.errors += error
        self._fill(start_ns, end_ns)
        if len(self.frames) < FRAMES_MAX and self.kept_until_ns is None:
            self.frames.append(frame)
            return
        if self.kept_until_ns is None:
            self.kept_until_ns = self.frames[-1][1]
        if (mark or error) and self._marks < MARKS_MAX and not self._after:
            self.frames += self._last
            self._last.clear()
            self._marks += 1
            self._after = AROUND
        if self._after:
            self._after -= 1
            self.frames.append(frame)
        else:
            self._last.append(frame)

    def _fill(self, start_ns: int, end_ns: int) -> None:
        while end_ns >= BINS * self.bin_ns:
            pairs = zip(self.bins[::2], [*self.bins[1::2], 0], strict=False)
            self.bins = [one + other for one, other in pairs]
            self.bin_ns *= 2
        last = end_ns // self.bin_ns
        self.bins += [0] * (last + 1 - len(self.bins))
        for number in range(start_ns // self.bin_ns, last + 1):
            begin = number * self.bin_ns
            self.bins[number] += min(end_ns, begin + self.bin_ns) - max(start_ns, begin)

    def renumber(self, numbers: dict[int, int]) -> None:
        """Gives the messages other indices."""
        self.frames = [
            (start, end, numbers.get(index & ~_ERROR, _NONE) | index & _ERROR) for start, end, index in self.frames
        ]

    def document(self, rows: list[Row]) -> dict[str, Any]:
        """For the script: frames as base64 of little-endian columns, starts as distances."""
        gaps, lengths, indices = array("I"), array("I"), array("H")
        before = 0
        for start_ns, end_ns, index in sorted(self.frames):
            while start_ns - before > _GAP_MAX:
                gaps.append(_GAP_MAX)
                lengths.append(0)
                indices.append(_NONE)
                before += _GAP_MAX
            gaps.append(start_ns - before)
            lengths.append(min(_GAP_MAX, max(0, end_ns - start_ns)))
            indices.append(index)
            before = start_ns
        return {
            "end": max(1, self.end_ns),
            "kept": self.kept_until_ns,
            "rows": [[one.name, one.identifier, one.observed_ns, one.proved_ns, one.state] for one in rows],
            "drawn": _drawn(rows),
            "bin": self.bin_ns,
            "load": [round(min(1.0, one / self.bin_ns), 4) for one in self.bins],
            "gaps": _text(gaps),
            "lengths": _text(lengths),
            "indices": _text(indices),
        }


def _text(column: array[int]) -> str:
    return base64.b64encode(column.tobytes()).decode()


def share(row: Row) -> float:
    """Observed / proved; less than 0: there is none."""
    return row.observed_ns / row.proved_ns if row.proved_ns and row.observed_ns is not None else -1.0


def _drawn(rows: list[Row]) -> list[int]:
    """Indices of the messages that have a row: those nearest to their bounds, and those with most frames, by
    identifier."""
    used = [index for index, row in enumerate(rows) if row.frames]
    best = sorted(used, key=lambda index: (-share(rows[index]), -rows[index].frames))[:ROWS_MAX]
    return sorted(best)
