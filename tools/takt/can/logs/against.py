# SPDX-License-Identifier: Apache-2.0
"""A log beside the file that describes the bus: what is not as declared, or not as proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takt.can.check import Answer, Row
from takt.can.logs.measure import Measured, Stream
from takt.can.messages import Message
from takt.support.durations import brief


@dataclass(frozen=True)
class Finding:
    """`kind`: unknown, length, fast, early or late."""

    kind: str
    identifier: int
    extended: bool
    name: str | None
    text: str


def findings(found: Measured, messages: Sequence[Message], asked: Answer, tolerance_ns: int) -> list[Finding]:
    """By identifier. `tolerance_ns`: by how much time stamps may be wrong."""
    known = {(one.identifier, one.extended): one for one in messages}
    counted = {(row.message.identifier, row.message.extended): index for index, row in enumerate(asked.rows)}
    everything = []
    for key, stream in sorted(found.streams.items()):
        message = known.get(key)
        if message is None:
            everything.append(Finding("unknown", *key, None, f"not in the file: {_times(stream.count)}"))
            continue
        index = counted.get(key)
        row = None if index is None else asked.rows[index]
        response_ns = None if index is None else asked.found[index].response_ns
        said = [*_length(stream, message), *_timing(stream, row, response_ns, tolerance_ns)]
        everything += [Finding(kind, *key, message.name, text) for kind, text in said]
    return everything


def missing(found: Measured, asked: Answer) -> list[str]:
    """Names of messages that should have come, since their period is shorter than the log, and did not."""
    length_ns = found.end_ns - found.begin_ns
    return [
        row.message.name
        for row in asked.rows
        if (row.message.identifier, row.message.extended) not in found.streams and row.period_ns < length_ns
    ]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _length(stream: Stream, message: Message) -> Iterator[tuple[str, str]]:
    others = {size: count for size, count in stream.sizes.items() if size != message.size}
    if others:
        sizes = ", ".join(str(size) for size in sorted(others)[:5])
        yield "length", f"{_times(sum(others.values()))} {sizes} bytes long, declared {message.size}"


def _timing(stream: Stream, row: Row | None, response_ns: int | None, tolerance_ns: int) -> Iterator[tuple[str, str]]:
    """A frame ends between its shortest length and its bound after its nominal release. So the distance of two ends
    differs from that of the releases by at most the difference of these, however many are between them."""
    mean_ns = stream.period_ns
    if row is None or mean_ns is None or response_ns is None:
        return
    spread_ns = response_ns - row.unstuffed_ns + tolerance_ns
    span_ns, gaps = stream.last_ns - stream.first_ns, stream.count - 1
    if span_ns + spread_ns < gaps * row.period_ns:
        yield "fast", f"every {brief(mean_ns)} on average, declared {brief(row.period_ns)}"
    least_ns, most_ns = stream.gap_min_ns or 0, stream.gap_max_ns or 0
    if least_ns + spread_ns < row.period_ns:
        least = brief(max(0, row.period_ns - spread_ns))
        yield "early", f"{brief(max(0, least_ns))} after the one before it, by the bound {least} at least"
    if most_ns > row.period_ns + spread_ns and not row.message.event:
        most = brief(row.period_ns + spread_ns)
        yield "late", f"{brief(most_ns)} after the one before it, by the bound {most} at most"
