# SPDX-License-Identifier: Apache-2.0
"""The experiments of seed 002, 7.3. In each a round has every configuration once, so that what else happens on the
machine falls on all alike. Rows are what docs/json.md says; times are us, whole."""

from __future__ import annotations

import itertools
import os
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from takt.reproduce.midart import nodes as pair
from takt.reproduce.midart.carriers import Configuration
from takt.reproduce.midart.nodes import Node
from takt.reproduce.midart.runs import Run, Seen, Stream, quantile, run, timers

Row = dict[str, Any]
Nodes = dict[str, Node]
Tell = Callable[[str], None]

MS = 1_000_000
URGENT_BYTES, URGENT_NS = 1024, 20 * MS  # T1
BULK_BYTES = 65_000  # T2
BULK_NS = {54: 9_700_000, 85: 6_120_000}  # by the load in percent of the link, headers not counted
SIZES = (1, 2, 4, 8, 16, 32, 48, 60)  # of 1024 bytes
BLOCKS = (0, 1024, 8192)  # 0: as the carrier divides by itself
TIMERS = (1, 2, 4, 8, 12, 16)
TIMER_NS = 10 * MS
READERS = 14
READER_BYTES = 8192
BACKGROUND_READERS = (0, 1, 4, 8, 12)
BACKGROUND_BYTES, BACKGROUND_NS = 8192, 10 * MS
TOPIC_BYTES, TOPIC_NS, ASKED_NS = 256, MS, 100 * MS
KEPT = 250  # values of which all times are kept


@dataclass(frozen=True)
class Lengths:
    """How much is measured: seconds, numbers and bytes of a run each."""

    rounds: int = 5
    priority_s: float = 5.0
    values: int = 100
    burst_bytes: int = 2 << 20
    times: int = 1000
    readers_s: float = 12.0
    background_bytes: int = 6 << 20
    topic_s: float = 10.0
    sizes: tuple[int, ...] = SIZES
    background_readers: tuple[int, ...] = BACKGROUND_READERS


SHORT = Lengths(1, 1.0, 10, 1 << 19, 50, 2.0, 1 << 19, 1.0, (1, 8, 60), (0, 12))


@dataclass
class Pool:
    """A stream in all rounds of one configuration."""

    sent: int = 0
    lost: int = 0
    broken: int = 0
    again: int = 0
    lists: dict[str, list[float]] = field(default_factory=dict)
    rounds_p99: dict[str, list[float]] = field(default_factory=dict)

    def add(self, seen: Seen) -> None:
        self.sent += len(seen.sent)
        self.lost += seen.lost
        self.broken += seen.broken
        self.again += seen.again
        for name, values in (
            ("latencies_us", seen.latencies_us()),
            ("send_periods_us", seen.send_periods_us()),
            ("receive_periods_us", seen.receive_periods_us()),
            ("deviations_us", deviations(seen.receive_periods_us(), seen.stream.period_ns / 1000)),
            ("send_us", seen.send_us()),
        ):
            self.lists.setdefault(name, []).extend(values)
            p99 = quantile(values, 0.99)
            self.rounds_p99.setdefault(name, []).extend([] if p99 is None else [p99])

    def round_p99(self, name: str) -> int | None:
        """The 99th percentile of the median round, in whole us. None: of nothing."""
        found = self.rounds_p99[name]
        return round(statistics.median(found)) if found else None

    def counts(self) -> Row:
        return {"sent": self.sent, "lost": self.lost, "broken": self.broken, "again": self.again}


def summary(values: Sequence[float]) -> Row:
    """Median, 99th percentile and most, in whole us. null: of nothing."""
    parts = {"p50": 0.5, "p99": 0.99, "max": 1.0}
    found = {name: quantile(values, part) for name, part in parts.items()}
    return {name: None if value is None else round(value) for name, value in found.items()}


def kept(values: Iterable[float]) -> list[int]:
    return [round(value) for value in itertools.islice(values, KEPT)]


def deviations(periods_us: Sequence[float], period_us: float) -> list[float]:
    """By how much each differs from what was asked for."""
    return [abs(one - period_us) for one in periods_us]


def _names(how: Configuration) -> Row:
    return {"carrier": how.carrier.name, "setting": how.setting, "queue": how.queue}


class Traffic:
    """Bytes that each end of the link sent in some runs."""

    def __init__(self) -> None:
        self.bytes, self.back, self.dropped = 0, 0, 0

    def add(self, run: Run) -> None:
        self.bytes += run.counters["a"]["bytes"]
        self.back += run.counters["b"]["bytes"]
        self.dropped += run.counters["a"]["dropped"]

    def row(self) -> Row:
        return {"link_bytes": self.bytes, "link_bytes_back": self.back, "link_dropped": self.dropped}


def priority_streams(load: int, seconds: float) -> list[Stream]:
    """T1 and T2 of 7.3.1."""
    span_ns = round(seconds * 1e9)
    return [
        Stream("T1", URGENT_BYTES, URGENT_NS, span_ns // URGENT_NS, urgent=True),
        Stream("T2", BULK_BYTES, BULK_NS[load], span_ns // BULK_NS[load]),
    ]


def rounds(
    nodes: Nodes, hows: Sequence[Configuration], streams: Sequence[Stream], number: int, tell: Tell, label: str
) -> list[tuple[dict[str, Pool], Traffic]]:
    """Runs the streams with each configuration, in turns. `label`: of the streams, for the progress."""
    found = [({stream.name: Pool() for stream in streams}, Traffic()) for _ in hows]
    for turn in range(number):
        for how, (pools, traffic) in zip(hows, found, strict=True):
            tell(f"{label}, round {turn + 1}: {how.carrier.name}, {how.setting}")
            done = run(nodes, how, streams)
            traffic.add(done)
            for name, seen in done.streams.items():
                pools[name].add(seen)
    return found


def priority(nodes: Nodes, hows: Sequence[Configuration], lengths: Lengths, tell: Tell) -> list[Row]:
    """Figures 4 to 7: a small urgent stream beside one of bulk."""
    rows = []
    for load in BULK_NS:
        streams = priority_streams(load, lengths.priority_s)
        found = rounds(nodes, hows, streams, lengths.rounds, tell, f"figures 4 to 7, {load} %")
        for how, (pools, traffic) in zip(hows, found, strict=True):
            for stream in streams:
                one = pools[stream.name]
                rows.append(
                    {
                        "load": load,
                        **_names(how),
                        "stream": stream.name,
                        "bytes": stream.size,
                        "period_us": round(stream.period_ns / 1000),
                        **one.counts(),
                        "latency_us": summary(one.lists["latencies_us"]),
                        "round_p99_us": one.round_p99("latencies_us"),
                        **{name: kept(one.lists[name]) for name in ("latencies_us", "send_periods_us")},
                        **traffic.row(),
                    }
                )
    return rows


def size_streams(lengths: Lengths, burst: bool) -> list[Stream]:
    """A stream for each size, one after the other."""
    window_ns = 500 * MS if burst else lengths.values * TIMER_NS
    found = []
    for index, kilobytes in enumerate(lengths.sizes):
        size = kilobytes * 1024
        count = max(2, lengths.burst_bytes // size) if burst else lengths.values
        period_ns = 0 if burst else TIMER_NS
        found.append(Stream(f"s{kilobytes}", size, period_ns, count, offset_ns=index * window_ns))
    return found


def sizes(nodes: Nodes, hows: Sequence[Configuration], lengths: Lengths, tell: Tell) -> list[Row]:
    """Figures 8 and 9: what sending takes, and what the receiver gets, by sizes of messages and blocks. In the default
    setting alone."""
    rows = []
    for how in hows:
        if how.setting != "default":
            continue
        for block in BLOCKS:
            tell(f"figures 8 and 9: {how.carrier.name}, blocks of {block or 'its own choice'}")
            paced = run(nodes, how, size_streams(lengths, False), block)
            burst = run(nodes, how, size_streams(lengths, True), block)
            for name, seen in paced.streams.items():
                throughput = burst.streams[name].bytes_per_s()
                rows.append(
                    {
                        "carrier": how.carrier.name,
                        "block": block,
                        "bytes": seen.stream.size,
                        "send_us": summary(seen.send_us()),
                        "latency_us": summary(seen.latencies_us()),
                        "lost": seen.lost,
                        "burst_sent": len(burst.streams[name].sent),
                        "burst_lost": burst.streams[name].lost,
                        "burst_bytes_per_s": None if throughput is None else round(throughput),
                    }
                )
    return rows


def timer_rows(nodes: Nodes, hows: Sequence[Configuration], lengths: Lengths, tell: Tell) -> list[Row]:
    """Figure 10: what timers take that are due at once. Of the kernel's own, any that carries."""
    rows = []
    for number in TIMERS:
        tell(f"figure 10: {number} timers")
        found = timers(nodes["a"], number, TIMER_NS, lengths.times)
        rows.append(
            {
                "source": "timerfd",
                "timers": number,
                "late_us": summary([late / 1000 for late, _ in found]),
                "processor_us": summary([spent / 1000 for _, spent in found]),
            }
        )
    return rows


def reader_streams(number: int, span_ns: int) -> list[Stream]:
    """8 KB each 30 + 20 i ms: 50 ms and on. The first values of all are due at once, as writers that start together."""
    periods = [(30 + 20 * index) * MS for index in range(1, number + 1)]
    return [
        Stream(f"R{index}", READER_BYTES, period_ns, max(2, span_ns // period_ns), urgent=True)
        for index, period_ns in enumerate(periods, 1)
    ]


def readers(nodes: Nodes, hows: Sequence[Configuration], lengths: Lengths, tell: Tell) -> list[Row]:
    """Figure 11: whether 14 readers see the periods that their writers have."""
    rows = []
    streams = reader_streams(READERS, round(lengths.readers_s * 1e9))
    found = rounds(nodes, hows, streams, lengths.rounds, tell, "figure 11")
    for how, (pools, _) in zip(hows, found, strict=True):
        for number, stream in enumerate(streams, 1):
            one = pools[stream.name]
            periods = one.lists["receive_periods_us"]
            rows.append(
                {
                    **_names(how),
                    "reader": number,
                    "period_us": round(stream.period_ns / 1000),
                    **one.counts(),
                    "deviation_us": summary(one.lists["deviations_us"]),
                    "round_p99_us": one.round_p99("deviations_us"),
                    "sigma_us": round(statistics.pstdev(periods)) if periods else None,
                    "periods_us": kept(periods) if number <= 2 else [],
                }
            )
    return rows


def background(nodes: Nodes, hows: Sequence[Configuration], lengths: Lengths, tell: Tell) -> list[Row]:
    """Figure 12: how long data that are not of real time take beside readers that are."""
    rows = []
    count = lengths.background_bytes // BACKGROUND_BYTES
    bulk = Stream("bulk", BACKGROUND_BYTES, BACKGROUND_NS, count)
    for number in lengths.background_readers:
        streams = [bulk, *reader_streams(number, bulk.span_ns)]
        for how in hows:
            tell(f"figure 12, {number} readers: {how.carrier.name}, {how.setting}")
            done = run(nodes, how, streams)
            seen = done.streams["bulk"]
            came = [one.received_ns for one in seen.received]
            others = [one for name, one in done.streams.items() if name != "bulk"]
            rows.append(
                {
                    **_names(how),
                    "readers": number,
                    "bytes": BACKGROUND_BYTES * count,
                    "sent": len(seen.sent),
                    "lost": seen.lost,
                    "elapsed_ms": round((came[-1] - came[0]) / MS) if came else None,
                    "readers_lost": sum(one.lost for one in others),
                }
            )
    return rows


def filtered(nodes: Nodes, hows: Sequence[Configuration], lengths: Lengths, tell: Tell) -> list[Row]:
    """What a topic of 1 kHz takes of the link whose reader wants a value in 100 ms, of which peers know at the reader
    alone."""
    rows = []
    streams = [Stream("topic", TOPIC_BYTES, TOPIC_NS, round(lengths.topic_s * 1e9) // TOPIC_NS, asked_ns=ASKED_NS)]
    for how in hows:
        if how.setting == "default":
            tell(f"a reader of 10 Hz: {how.carrier.name}")
            done = run(nodes, how, streams)
            traffic = Traffic()
            traffic.add(done)
            seen = done.streams["topic"]
            rows.append({**_names(how), "sent": len(seen.sent), "received": len(seen.received), **traffic.row()})
    return rows


EXPERIMENTS: dict[str, Callable[[Nodes, Sequence[Configuration], Lengths, Tell], list[Row]]] = {
    "priority": priority,
    "sizes": sizes,
    "timers": timer_rows,
    "readers": readers,
    "background": background,
    "filtered": filtered,
}


def environment(nodes: Nodes, hows: Sequence[Configuration], lengths: Lengths) -> Row:
    """What the rows hold for."""
    carriers = {how.carrier.name: how.carrier for how in hows}
    return {
        "megabits": pair.MEGABITS,
        "shape": pair.SHAPE,
        "queues": pair.QUEUES,
        "tcp": nodes["a"].tcp(),
        "realtime": nodes["a"].realtime,
        "system": f"{os.uname().sysname} {os.uname().release}",
        "processors": len(os.sched_getaffinity(0)),
        "versions": {name: carrier.version() or None for name, carrier in carriers.items()},
        "rounds": lengths.rounds,
    }
