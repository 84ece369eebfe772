# SPDX-License-Identifier: Apache-2.0
"""The ring of the trace in memory (kernel/core/trace.h): its records, in the format of docs/trace.md."""

from __future__ import annotations

from dataclasses import dataclass

import gdb

from takt.gdb import target
from takt.gdb.target import Value
from takt.support.c.kernel import TRACE_SECTION
from takt.support.c.traces import WIDE, Event
from takt.trace.records import RECORD_SIZE, time_record


@dataclass(frozen=True)
class Records:
    """Records of the format, up to the last that was written. `from_start`: the first is that of the run."""

    content: bytes
    from_start: bool
    last_ns: int  # the time of the last; 0: there is none


def traced(whole: Value) -> bool:
    """Whether the kernel has a ring."""
    return target.has(whole, "trace") and bool(int(whole["trace"][0]["records"]))


def capacity(whole: Value) -> int:
    """Of a kernel that has a ring, in records."""
    return int(whole["trace"][0]["mask"]) + 1


def last_records(whole: Value, wanted: int) -> Records:
    """At least the last `wanted` records, if the ring has as many: they begin where the full time is."""
    ring, size = whole["trace"][0], capacity(whole)
    base, left = int(ring["records"]), (int(ring["end"]) - int(ring["next"])) // RECORD_SIZE
    written = (int(ring["begun"]) + TRACE_SECTION - left) % (1 << 32)
    oldest = -(-max(0, written - size) // TRACE_SECTION) * TRACE_SECTION
    first = max(oldest, (written - wanted) // TRACE_SECTION * TRACE_SECTION)
    memory = gdb.selected_inferior()
    straight = min(written - first, size - first % size)
    content = b""
    for address, count in ((first % size, straight), (0, written - first - straight)):
        content += bytes(memory.read_memory(base + address * RECORD_SIZE, count * RECORD_SIZE)) if count else b""
    sent, last_ns = _formatted(content, _tick_ns())
    return Records(sent, first == 0, last_ns)


def _tick_ns() -> int:
    """Of the clock's count: its port says it, or it is 1."""
    known = (target.symbol(name) for name in ("takt_armv7m_tick_ns", "takt_rv32_tick_ns"))
    return next((int(value) for value in known if value is not None), 1)


def _formatted(content: bytes, tick_ns: int) -> tuple[bytes, int]:
    """The records as the board sends them, with the time since the one before, and the time of the last."""
    sent, before, now_ns = bytearray(), 0, 0
    for offset in range(0, len(content), RECORD_SIZE):
        record = content[offset : offset + RECORD_SIZE]
        ticks = int.from_bytes(record[:4], "little")
        passed_ns = (ticks - before) % (1 << 32) * tick_ns
        before = ticks
        if record[4] == Event.TIME:
            now_ns, passed_ns = WIDE.unpack(record)[4], 0
        now_ns += passed_ns
        if passed_ns >> 32:
            sent += time_record(now_ns)
            passed_ns = 0
        sent += passed_ns.to_bytes(4, "little") + record[4:]
    return bytes(sent), now_ns


def now_ns(whole: Value) -> int | None:
    """The latest time that is known from memory; None: unknown (a port's clock is not read: it may be a device)."""
    host = target.symbol("host")
    if host is not None and target.has(host, "now_ns"):
        return int(host["now_ns"])
    return last_records(whole, 1).last_ns if traced(whole) else None
