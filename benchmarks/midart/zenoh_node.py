# SPDX-License-Identifier: Apache-2.0
"""A carrier: Zenoh, of which registries have a package for Python only: what node.c does, with the same arguments and
the same logs. Python takes part in the times, twice some ten microseconds; docs/reproduction-midart.md has what.

`priorities`: the priorities of its publishers, on one connection. `best`: besides, urgent ones have a connection of
their own, whose packets are marked (DEFAULT_CONFIG.json5: prio, dscp, max_links).
"""

from __future__ import annotations

import ctypes
import functools
import gc
import json
import os
import queue
import struct
import sys
import threading
import time
from array import array
from dataclasses import dataclass
from pathlib import Path

import zenoh  # type: ignore[import-not-found, unused-ignore]

WARM_NS, QUIET_NS = 50_000_000, 300_000_000
URGENT, ORDINARY = 51, 50  # priorities under SCHED_FIFO
HEAD = struct.Struct("=QQ")  # number, time of its release
LOW_DELAY = 0x10  # of ip(7): the kernel has it in the first of its bands, and expedited forwarding (0xb8) in the second
LOCK_ALL = 3  # mlockall: MCL_CURRENT and MCL_FUTURE


@dataclass
class Line:
    """A stream, and what was seen of it."""

    name: str
    size: int
    offset_ns: int
    period_ns: int
    count: int
    urgent: bool
    records: array[int]
    warm: int = 0
    broken: int = 0
    failed: int = 0


def line_of(text: str) -> Line:
    name, *rest = text.split(":")
    size, offset, period, count, urgent = map(int, rest)
    return Line(name, size, offset, period, count, bool(urgent), array("Q"))


def configuration(own: str, other: str, setting: str, block: int, writes: bool) -> zenoh.Config:
    config = zenoh.Config()
    if block:
        config.insert_json5("transport/link/tx/batch_size", str(block))
    if setting == "best":
        links = [f"tcp/@:7447?prio=0-3#dscp={LOW_DELAY:#x}", "tcp/@:7448?prio=4-7"]
        ends = json.dumps([link.replace("@", other if writes else own) for link in links])
        config.insert_json5("connect/endpoints" if writes else "listen/endpoints", ends)
        config.insert_json5("transport/unicast/max_links", str(len(links)))
        config.insert_json5("scouting/multicast/enabled", "false")
    return config


def publisher_of(session: zenoh.Session, line: Line, setting: str) -> zenoh.Publisher:
    if setting == "default":
        return session.declare_publisher(line.name)
    priority = zenoh.Priority.REAL_TIME if line.urgent else zenoh.Priority.DATA_LOW
    return session.declare_publisher(line.name, priority=priority, express=line.urgent)


def wait_until(until_ns: int) -> None:
    while (left := until_ns - time.monotonic_ns()) > 0:
        time.sleep(left / 1e9)


def value_of(line: Line, number: int, release_ns: int) -> bytes:
    """Its last byte tells whether it came whole."""
    last = (number * 31 + line.size) & 0xFF
    return HEAD.pack(number, release_ns) + bytes(line.size - HEAD.size - 1) + bytes([last])


def rise(line: Line) -> None:
    """The priority of its thread, where the program has one."""
    if os.sched_getscheduler(0) == os.SCHED_FIFO:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(URGENT if line.urgent else ORDINARY))


def write_all(line: Line, session: zenoh.Session, setting: str, start_ns: int, end_ns: int) -> None:
    rise(line)
    publisher = publisher_of(session, line, setting)
    while (now := time.monotonic_ns()) + QUIET_NS < start_ns:
        publisher.put(value_of(line, 0, now))
        line.warm += 1
        wait_until(now + WARM_NS)
    for number in range(1, line.count + 1):
        release_ns = start_ns + line.offset_ns + (number - 1) * line.period_ns
        if release_ns > end_ns:
            break
        wait_until(release_ns)
        before_ns = time.monotonic_ns()
        release_ns = release_ns if line.period_ns else before_ns
        publisher.put(value_of(line, number, release_ns))
        line.records.extend((number, release_ns, before_ns, time.monotonic_ns()))


def received(line: Line, sample: zenoh.Sample, *, arrived: queue.SimpleQueue[int]) -> None:
    """On a thread of Zenoh's. Says when the last has come."""
    value = sample.payload.to_bytes()
    received_ns = time.monotonic_ns()
    number, release_ns = HEAD.unpack_from(value)
    if len(value) != line.size or value[-1] != (number * 31 + line.size) & 0xFF:
        line.broken += 1
    elif number == 0:
        line.warm += 1
    else:
        line.records.extend((number, release_ns, received_ns, 0))
        if number == line.count:
            arrived.put(1)


def read_all(lines: list[Line], session: zenoh.Session, end_ns: int) -> None:
    arrived: queue.SimpleQueue[int] = queue.SimpleQueue()
    subscribers = [
        session.declare_subscriber(line.name, functools.partial(received, line, arrived=arrived)) for line in lines
    ]
    for _ in subscribers:
        try:
            arrived.get(timeout=max(0, end_ns - time.monotonic_ns()) / 1e9)
        except queue.Empty:
            return


def keep(line: Line, folder: Path) -> None:
    head = array("Q", [len(line.records) // 4, line.warm, line.broken, line.failed])
    (folder / f"{line.name}.log").write_bytes(head.tobytes() + line.records.tobytes())


def main(words: list[str]) -> int:
    role, own, other, setting, block, start, end, folder, *streams = words
    lines = [line_of(text) for text in streams]
    ctypes.CDLL(None).mlockall(LOCK_ALL)
    gc.disable()
    sys.setswitchinterval(1e-4)  # between threads of Python: 5 ms by itself, as long as what is measured
    session = zenoh.open(configuration(own, other, setting, int(block), role == "write"))
    if role == "write":
        threads = [
            threading.Thread(target=write_all, args=(line, session, setting, int(start), int(end))) for line in lines
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(min(int(end), time.monotonic_ns() + QUIET_NS))  # what it still has to send
    else:
        read_all(lines, session, int(end))
    for line in lines:
        keep(line, Path(folder))
    sys.stdout.flush()
    os._exit(0)  # closing the session may take seconds, and nothing depends on it


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
