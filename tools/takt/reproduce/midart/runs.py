# SPDX-License-Identifier: Apache-2.0
"""One run: streams from node a to node b by one carrier in one setting, and what both logged. Times are ns of
CLOCK_MONOTONIC, which both nodes have."""

from __future__ import annotations

import itertools
import math
import subprocess
import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from takt.reproduce.midart import ours
from takt.reproduce.midart.carriers import Carrier, Configuration
from takt.reproduce.midart.nodes import OUT, PROGRAMS, Node
from takt.support.errors import UserError

DRAIN_S = 0.5  # readers wait so long for what is under way
BURST_S = 1.5  # and so much longer for what is sent without a period
LATE_S = 20.0  # a program that has not ended then will not


class RunError(Exception):
    """A program of a node failed, or its reader heard nothing of the writer before the start."""


@dataclass(frozen=True)
class Stream:
    """`period_ns` 0: each value as soon as the one before is sent. `urgent`: ahead of the others where a carrier or the
    processor knows such a thing. `asked_ns`: how often the reader wants a value; 0: it wants each."""

    name: str
    size: int
    period_ns: int
    count: int
    urgent: bool = False
    offset_ns: int = 0
    asked_ns: int = 0

    def word(self) -> str:
        parts = (self.name, self.size, self.offset_ns, self.period_ns, self.count, int(self.urgent))
        return ":".join(map(str, parts))

    @property
    def span_ns(self) -> int:
        """Until its last value is due, after the start."""
        return self.offset_ns + self.period_ns * self.count


@dataclass(frozen=True)
class Sent:
    number: int
    release_ns: int
    before_ns: int
    after_ns: int


@dataclass(frozen=True)
class Received:
    number: int
    release_ns: int
    received_ns: int


@dataclass(frozen=True)
class Log:
    """Of one stream on one node. `warm`: values from before the start; `broken`: those that came, but not whole."""

    records: list[tuple[int, int, int, int]]
    warm: int
    broken: int
    failed: int


def read_log(path: Path) -> Log:
    """What node.c and zenoh_node.py write. RunError: it is cut off."""
    try:
        words = array("Q", path.read_bytes())
    except (OSError, ValueError) as error:
        raise RunError(f"{path.name}: {error}") from None
    if len(words) < 4 or len(words) != 4 + 4 * words[0]:
        raise RunError(f"{path.name}: cut off")
    records = [(words[at], words[at + 1], words[at + 2], words[at + 3]) for at in range(4, len(words), 4)]
    return Log(records, *words[1:4])


@dataclass(frozen=True)
class Seen:
    """A stream in a run. `lost`: sent and never received; `broken`: received in part; `again`: received twice."""

    stream: Stream
    sent: list[Sent]
    received: list[Received]
    lost: int
    broken: int
    again: int

    def latencies_us(self) -> list[float]:
        """From release to receive."""
        return [(one.received_ns - one.release_ns) / 1000 for one in self.received]

    def send_periods_us(self) -> list[float]:
        """Between two sends, when each was handed over whole."""
        return _differences([one.after_ns for one in self.sent])

    def receive_periods_us(self) -> list[float]:
        """Between two values that follow each other: where one is lost there is no period."""
        found = []
        for before, after in zip(self.received, self.received[1:], strict=False):
            if after.number == before.number + 1:
                found.append((after.received_ns - before.received_ns) / 1000)
        return found

    def send_us(self) -> list[float]:
        """That the call took."""
        return [(one.after_ns - one.before_ns) / 1000 for one in self.sent]

    def bytes_per_s(self) -> float | None:
        """Of values at the receiver, from the first to the last. None: fewer than two came."""
        if len(self.received) < 2:
            return None
        span_ns = self.received[-1].received_ns - self.received[0].received_ns
        return self.stream.size * (len(self.received) - 1) / span_ns * 1e9 if span_ns else None


def _differences(times: Sequence[int]) -> list[float]:
    return [(after - before) / 1000 for before, after in itertools.pairwise(times)]


def seen(stream: Stream, writer: Log, reader: Log) -> Seen:
    """What two logs of a stream say together. RunError: they do not belong together."""
    sent = [Sent(*record) for record in writer.records]
    releases = {one.number: one.release_ns for one in sent}
    received: dict[int, Received] = {}
    for number, release_ns, received_ns, _ in reader.records:
        if releases.get(number) != release_ns:
            raise RunError(f"{stream.name}: value {number} was received that was not sent")
        received.setdefault(number, Received(number, release_ns, received_ns))
    ordered = sorted(received.values(), key=lambda one: one.received_ns)
    again = len(reader.records) - len(received)
    return Seen(stream, sent, ordered, len(sent) - len(received), reader.broken, again)


def quantile(values: Sequence[float], part: float) -> float | None:
    """The least of them that at least this part of them does not exceed. None: of nothing."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)] if ordered else None


@dataclass(frozen=True)
class Run:
    """`counters`: by node, what its end of the link sent meanwhile (nodes.Node.counters)."""

    streams: dict[str, Seen]
    counters: dict[str, dict[str, int]]


def _finish(program: subprocess.Popen[str], label: str, by_s: float) -> None:
    try:
        _, said = program.communicate(timeout=max(1.0, by_s - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise RunError(f"{label}: it did not end") from None
    if program.returncode != 0:
        raise RunError(f"{label}: exit code {program.returncode}: {said.strip()}")


def run(nodes: dict[str, Node], how: Configuration, streams: Sequence[Stream], block: int = 0) -> Run:
    """Runs all streams at once. RunError: no carrier carried. UserError: the link cannot be had."""
    carrier = how.carrier
    for node in nodes.values():
        node.queue(how.queue)
    with ExitStack() as stack:
        if carrier.served:
            stack.enter_context(_served(nodes, carrier, streams, block))
        return _run(nodes, how, streams, block)


@contextmanager
def _served(nodes: dict[str, Node], carrier: Carrier, streams: Sequence[Stream], block: int) -> Iterator[None]:
    """Our servers, one on each node. RunError: one does not begin, or ended meanwhile."""
    servers: dict[str, subprocess.Popen[str]] = {}
    try:
        for name, text in ours.plans(streams, block).items():
            servers[name] = nodes[name].start([f"{PROGRAMS}/takt-reflectd"], carrier.environment, text)
        for name, server in servers.items():
            assert server.stdout is not None
            if ours.SERVES not in server.stdout.readline():
                raise RunError(f"server of {name}: {server.communicate()[1].strip()}")
        yield
        for name, server in servers.items():
            if server.poll() is not None:
                raise RunError(f"server of {name}: {server.communicate()[1].strip()}")
    finally:
        for server in servers.values():
            server.terminate()
            server.communicate()


def _run(nodes: dict[str, Node], how: Configuration, streams: Sequence[Stream], block: int) -> Run:
    carrier = how.carrier
    before = {name: node.counters() for name, node in nodes.items()}
    start_ns = time.monotonic_ns() + round(carrier.settle_s * 1e9)
    end_ns = start_ns + max(stream.span_ns for stream in streams) + round(DRAIN_S * 1e9)
    if any(stream.period_ns == 0 for stream in streams):
        end_ns += round(BURST_S * 1e9)
    programs: list[tuple[subprocess.Popen[str], str]] = []
    try:
        for role, own, other in (("read", "b", "a"), ("write", "a", "b")):
            words = [role, nodes[own].address, nodes[other].address, how.setting, str(block), str(start_ns)]
            command = [*carrier.command, *words, str(end_ns), OUT, *(stream.word() for stream in streams)]
            programs.append((nodes[own].start(command, carrier.environment), f"{carrier.name}, {role}"))
        for program, label in programs:
            _finish(program, label, end_ns / 1e9 + LATE_S)
    finally:
        for program, _ in programs:
            program.kill()
            program.communicate()
    counters = {name: _difference(node.counters(), before[name]) for name, node in nodes.items()}
    found = {}
    for stream in streams:
        writer, reader = (read_log(nodes[name].out / f"{stream.name}.log") for name in ("a", "b"))
        if writer.failed or reader.failed:
            raise RunError(f"{carrier.name}, {stream.name}: {writer.failed + reader.failed} calls failed")
        if not reader.warm:
            raise RunError(f"{carrier.name}, {stream.name}: the reader received nothing before the start")
        found[stream.name] = seen(stream, writer, reader)
    return Run(found, counters)


def _difference(after: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    return {name: value - before[name] for name, value in after.items()}


def timers(node: Node, number: int, period_ns: int, times: int) -> list[tuple[int, int]]:
    """What the kernel's timers take that are due at once: ns until the last is handled, and of the processor."""
    program = node.start([f"{PROGRAMS}/timers", str(number), str(period_ns), str(times)])
    said, problem = program.communicate()
    if program.returncode != 0:
        raise RunError(f"timers: {problem.strip()}")
    return [(int(late), int(spent)) for late, spent in (line.split() for line in said.splitlines())]


def refusal(error: RunError) -> UserError:
    return UserError(str(error), "run it again; other programs on this machine may have disturbed it")
