# SPDX-License-Identifier: Apache-2.0
"""A bus with the mixed traffic scheduler in simulation, frame by frame: every node runs the protocol with a clock of
its own and handlers that take up to their longest times, and each arbitration goes to the lowest identifier.

All nodes restart at time 0. Responses count from when all of them are in an epoch; those of a high-speed message if its
node was in one when it was released.
"""

from __future__ import annotations

import ctypes
import heapq
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from takt.can import lengths
from takt.can.check import PPM
from takt.can.logs.entry import Entry
from takt.can.logs.write import writing
from takt.can.mts import protocol
from takt.can.mts.judge import Judged
from takt.can.mts.nodes import NEVER, Node, Offer, Stream, Waiting
from takt.can.mts.settings import clock_ppm
from takt.can.simulation.bus import NO_SENDER, SECOND_NS, Asked, exact_bits
from takt.support import console
from takt.support.c import can as c

INTERMISSION = 3
PARTS = 200  # of a run, after which it says how far it is
_WORST = [bytes([0xF0F0 >> shift & 0xFF]) * 8 for shift in range(8)] + [bytes(8), b"\xff" * 8]


@dataclass
class Seen:
    """Of a message, as takt.can.simulation.outcome.Seen has it. `apart`: released while its node had no epoch, or
    before all nodes had one; these are sent, and do not count."""

    released: int = 0
    sent: int = 0
    apart: int = 0
    response_ns: int | None = None
    sum_ns: int = 0
    at_ns: int = 0
    pending: int = 0


@dataclass
class Outcome:
    """`from_ns`: when all nodes were in an epoch; None: never. `ticks`: of each rank. `doubled`: arbitrations in which
    two nodes sent the same identifier."""

    judged: Judged
    how: Asked
    seen: list[Seen]
    ticks: list[int]
    from_ns: int | None = None
    frames: int = 0
    fillers: int = 0
    doubled: int = 0
    busy_ns: int = 0
    simulated_ns: int = 0
    interrupted: bool = False
    used_s: float = 0.0
    clocks_ppm: dict[str, int] = field(default_factory=dict)

    def is_above(self, index: int) -> bool:
        """Whether a response was longer than what is proved."""
        bound_ns, response_ns = self.judged.found[index].response_ns, self.seen[index].response_ns
        return bound_ns is not None and response_ns is not None and response_ns > bound_ns

    @property
    def above(self) -> list[int]:
        return [index for index in range(len(self.seen)) if self.is_above(index)]


class Simulation:
    def __init__(self, judged: Judged, how: Asked) -> None:
        self.judged, self.how = judged, how
        self.setting = judged.setting
        self.rate = judged.question.rate.nominal
        self.bit_ns = -(-SECOND_NS // self.rate)
        self._chance = random.Random(how.seed)
        self.nodes = self._made()
        self.outcome = Outcome(judged, how, [Seen() for _ in judged.rows], [0] * self.setting.bus.masters)
        self.outcome.clocks_ppm = {name: node.ppm for name, node in self.nodes.items()}
        self._owner = {id(stream): node for node in self.nodes.values() for stream in node.streams}
        self._releases: list[tuple[int, int, int, Stream]] = []  # queued, nominal, number
        for node in self.nodes.values():
            for stream in node.streams:
                self._release(stream, self._offset(stream), 0)
        self._deaths = sorted((at_ns, name) for name, at_ns in how.dead)
        self._entries: list[Entry] = []
        self._alive = list(self.nodes.values())
        self._since_tick = 0
        self._patterns = [self._pattern(index) for index in range(len(judged.rows))]

    def _made(self) -> dict[str, Node]:
        """The nodes that send, the first of them masters; with more masters than these, others that send nothing."""
        streams: dict[str, list[Stream]] = {}
        for index, row in enumerate(self.judged.rows):
            high = self.judged.is_high(index)
            fixed = self.judged.identifier(index)
            one = Stream(index, index if high else None, row.deadline_ns - row.send_ns, fixed)
            streams.setdefault(row.message.senders[0] if row.message.senders else NO_SENDER, []).append(one)
        for rank in range(len(streams), self.setting.bus.masters):
            streams[f"(master {rank})"] = []
        most = clock_ppm(self.judged.question) // 2
        found = {}
        for rank, (name, listed) in enumerate(streams.items()):
            ppm = self._chance.choice((-most, most, self._chance.randint(-most, most)))
            own = rank if rank < self.setting.bus.masters else None
            node = Node(self.setting.bus, self.judged.nodes, own, ppm, random.Random(self._chance.random()))
            node.streams = listed
            found[name] = node
        return found

    def _offset(self, stream: Stream) -> int:
        row, offsets = self.judged.rows[stream.index], self.how.offsets
        return self._chance.randrange(row.period_ns) if offsets is None else offsets.get(row.message.name, 0)

    def _release(self, stream: Stream, nominal_ns: int, last_ns: int) -> None:
        jitter_ns = self.judged.rows[stream.index].jitter_ns
        late_ns = self._chance.choice((0, jitter_ns, self._chance.randint(0, jitter_ns))) if jitter_ns else 0
        heapq.heappush(self._releases, (max(last_ns, nominal_ns + late_ns), nominal_ns, stream.index, stream))

    def _queue(self) -> None:
        at_ns, nominal_ns, _, stream = heapq.heappop(self._releases)
        node, row = self._owner[id(stream)], self.judged.rows[stream.index]
        if not node.alive:
            return
        self.outcome.seen[stream.index].released += 1
        node.queue(stream, nominal_ns, at_ns)
        period_ns = row.declared_ns
        if self.judged.question.drift_ppm:
            period_ns = -(-row.declared_ns * PPM // (PPM + node.ppm))
        self._release(stream, nominal_ns + period_ns, at_ns)

    def _length(self, offer: Offer) -> tuple[int, c.Frame, bytes]:
        """Bits of the frame that is sent now."""
        data = offer.data
        if offer.stream is not None:
            size = self.judged.rows[offer.stream.index].message.size
            if self.how.payload == "random":
                data = self._chance.randbytes(size)
            elif self.how.payload == "zero":
                data = bytes(size)
            else:
                data = self._patterns[offer.stream.index]
        frame = self._frame(offer, data)
        return exact_bits(frame), frame, data

    def _pattern(self, index: int) -> bytes:
        """Data with many stuff bits."""
        size, offer = self.judged.rows[index].message.size, Offer(self.judged.identifier(index), None, b"")
        return max((one[:size] for one in _WORST), key=lambda one: exact_bits(self._frame(offer, one)))

    def _frame(self, offer: Offer, data: bytes) -> c.Frame:
        shape = c.Shape(extended=self.setting.bus.layout.extended, dlc=lengths.code(len(data), False))
        return c.Frame(shape=shape, id=offer.identifier, data=(ctypes.c_uint8 * c.DATA_MAX)(*data))

    def run(self) -> Iterator[tuple[float, list[Entry]]]:
        """Up to the end. After each part: how far it is, and the frames since the last."""
        end_ns, now, free_ns, next_part = self.how.duration_ns, 0, 0, 0
        while True:
            now = self._advance(now, free_ns)
            if now >= end_ns:
                break
            offers = [(one.identifier, node, one) for node in self._alive if (one := node.offer())]
            lowest, winner, offer = min(offers, key=lambda one: one[0])
            self.outcome.doubled += sum(one[0] == lowest for one in offers) > 1
            free_ns = self._send(now, winner, offer)
            if now >= next_part:
                next_part, self.outcome.simulated_ns = now + end_ns // PARTS, now
                yield min(1.0, now / end_ns), self._taken()
        self.outcome.simulated_ns = end_ns
        self._close(end_ns)
        yield 1.0, self._taken()

    def _taken(self) -> list[Entry]:
        found, self._entries = self._entries, []
        return found

    def _advance(self, now: int, free_ns: int) -> int:
        """To the next arbitration: when the bus is free, or within a bit after something is offered."""
        begins, end_ns = -1, self.how.duration_ns
        while True:
            if begins < 0 and self._offered():
                begins = free_ns if free_ns >= now else now + self._chance.randrange(self.bit_ns)
            next_ns = min((node.next_ns for node in self._alive), default=NEVER)
            next_ns = min(next_ns, self._releases[0][0] if self._releases else NEVER)
            next_ns = min(next_ns, self._deaths[0][0] if self._deaths else NEVER)
            if 0 <= begins < next_ns:
                return min(begins, end_ns)
            if next_ns >= end_ns:
                return end_ns
            now = max(now, next_ns)
            self._act(now)
            if begins >= 0 and not self._offered():
                begins = -1

    def _offered(self) -> bool:
        return any(node.offer() is not None for node in self._alive)

    def _act(self, now: int) -> None:
        while self._deaths and self._deaths[0][0] <= now:
            self.nodes[self._deaths.pop(0)[1]].alive = False
            self._alive = [node for node in self._alive if node.alive]
        while self._releases and self._releases[0][0] <= now:
            self._queue()
        for node in self._alive:
            if node.next_ns <= now:
                node.act(now)
        if self.outcome.from_ns is None and all(node.in_epoch for node in self._alive):
            self.outcome.from_ns = now

    def _send(self, now: int, winner: Node, offer: Offer) -> int:
        """Sends a frame, and returns when the bus is free."""
        bits, frame, data = self._length(offer)
        end_ns = now + -(-(bits - INTERMISSION) * SECOND_NS // self.rate)
        free_ns = now + -(-bits * SECOND_NS // self.rate)
        tick = offer.stream is None and len(data) == 1 and offer.identifier < self.setting.bus.masters
        self.outcome.frames += 1
        self.outcome.busy_ns += free_ns - now
        if offer.stream is not None:
            self._count(offer.stream, winner.sent(offer.stream), free_ns)
        else:
            winner.sent_own(offer)
            self.outcome.ticks[winner.rank] += tick
            self.outcome.fillers += not tick
        self._entries.append(Entry(end_ns, int(frame.id), bool(frame.shape.extended), data, len(data)))
        self._since_tick = 0 if tick else self._since_tick + 1
        for node in self._alive if self._since_tick <= protocol.FRAMES_MAX else ():  # later ones change nothing
            node.hear(offer.identifier, data, end_ns)
        return free_ns

    def _count(self, stream: Stream, waited: Waiting, free_ns: int) -> None:
        seen, response_ns = self.outcome.seen[stream.index], free_ns - waited.released_ns
        seen.sent += 1
        if self._is_apart(stream, waited):
            seen.apart += 1
            return
        seen.sum_ns += response_ns
        if response_ns > (seen.response_ns or 0):
            seen.response_ns, seen.at_ns = response_ns, free_ns

    def _is_apart(self, stream: Stream, waited: Waiting) -> bool:
        from_ns = self.outcome.from_ns
        return from_ns is None or waited.released_ns < from_ns or (stream.unique is not None and not waited.entered)

    def _close(self, end_ns: int) -> None:
        """What waits at the end has waited for so long."""
        for node in self.nodes.values():
            for stream in node.streams if node.alive else ():
                seen = self.outcome.seen[stream.index]
                seen.pending = len(stream.waiting)
                for waited in stream.waiting:
                    response_ns = end_ns - waited.released_ns
                    if not self._is_apart(stream, waited) and response_ns > (seen.response_ns or 0):
                        seen.response_ns, seen.at_ns = response_ns, end_ns


def run(judged: Judged, how: Asked, log: Path | None) -> Outcome:
    """Simulates, and writes the log while it does. Ctrl-C ends the simulation early, and the log is complete up to
    there. UserError, OSError: the log cannot be written."""
    simulation = Simulation(judged, how)
    begun = time.process_time()
    with ExitStack() as stack:
        write = stack.enter_context(writing(log)) if log else None
        fill = stack.enter_context(console.filling("simulating the bus"))
        try:
            for fraction, entries in simulation.run():
                if write is not None:
                    write(entries)
                fill(fraction)
        except KeyboardInterrupt:
            simulation.outcome.interrupted = True
    simulation.outcome.used_s = time.process_time() - begun
    return simulation.outcome
