# SPDX-License-Identifier: Apache-2.0
"""The bus of an answer in simulation by ctypes: takt_can_traffic of net/can."""

from __future__ import annotations

import ctypes
import math
import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from takt.can import lengths
from takt.can.check import PPM, Answer
from takt.can.logs.entry import Entry
from takt.support import compile
from takt.support.c import can as c
from takt.support.c.analysis import CanQueue
from takt.support.errors import UserError

SECOND_NS = 1_000_000_000
_FRACTION = 1_000  # ticks of a bit, where clocks differ
RECEIVER = "(receiver)"  # a node that sends nothing, so that each frame is acknowledged
NO_SENDER = "(no sender)"
STEP_TICKS_MAX = 1 << 24  # between two looks at the progress
_RECORDS = 4096
_FIFO_ENTRIES = 16_384  # of a node; what finds it full is lost
_CLOCKS = 0xC10C  # of the seed, so that clocks are drawn apart from offsets
_IDLE = 1  # enum takt_can_phase
_RECORD = struct.Struct("<QQQIIII????BB2xI64s4x")
_ALL = (1 << 64) - 1
_WORST = [bytes([0xF0F0 >> shift & 0xFF]) for shift in range(8)] + [b"\0", b"\xff"]


@dataclass(frozen=True)
class Asked:
    """How the bus is simulated. `offsets`: in ns, by name; None: at random. `payload`: random, zero or worst. `flips`:
    probability of a disturbance of a bit. `dead`: nodes that go off the bus, with times. `babbling`: messages that are
    sent without a pause. `replayed`: releases in ns with data, of messages by index."""

    duration_ns: int
    seed: int = 1
    offsets: dict[str, int] | None = None
    payload: str = "random"
    flips: float = 0.0
    dead: tuple[tuple[str, int], ...] = ()
    babbling: tuple[str, ...] = ()
    replayed: dict[int, list[tuple[int, bytes, bool]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """A record of the simulation, with times in ns. `index`: of the message; None: none. `node`: of a name."""

    kind: c.RecordKind
    start_ns: int
    end_ns: int
    index: int | None
    node: str
    detail: int
    entry: Entry | None


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(compile.host_library("can")))
    traffic = ctypes.POINTER(c.Traffic)
    library.takt_can_traffic_start.argtypes = [traffic]
    library.takt_can_traffic_run.argtypes = [traffic, ctypes.c_uint64]
    library.takt_can_traffic_run.restype = ctypes.c_bool
    library.takt_can_traffic_kill.argtypes = [traffic, ctypes.c_uint64]
    library.takt_can_traffic_now.argtypes = [traffic]
    library.takt_can_traffic_now.restype = ctypes.c_uint64
    library.takt_can_length_exact.argtypes = [ctypes.POINTER(c.Frame)]
    library.takt_can_length_exact.restype = c.Length
    return library


def exact_bits(frame: c.Frame) -> int:
    """Of takt_can_length_exact."""
    found: c.Length = _library().takt_can_length_exact(frame)
    return int(found.nominal_bits + found.data_bits)


class Simulation:
    """A bus that runs. Its clock counts ticks, so that both bit times are whole numbers of them."""

    def __init__(self, asked: Answer, how: Asked, *, keep: bool) -> None:
        """`keep`: records are kept, of which `run` then gives all."""
        self.asked, self.how = asked, how
        rate = asked.question.rate
        data_rate = max(rate.nominal, rate.data or 0)
        fine = _FRACTION if asked.question.drift_ppm else 1
        self.ticks_per_s = math.lcm(rate.nominal, data_rate) * fine
        self.nominal_ticks = self.ticks_per_s // rate.nominal
        self.brs = data_rate != rate.nominal
        self.names = self._node_names()
        self.clocks_ppm = self._drawn_clocks()
        self.messages = self._messages()
        self._nodes = (c.Node * len(self.names))()
        self._senders = self._queues()
        self._releases = (c.Release * len(self.messages))()
        self._kept = (c.Record * _RECORDS)() if keep else None
        for node in self._nodes:
            node.phase, node.driven = _IDLE, True  # they have all seen an idle bus
        self._traffic = c.Traffic(
            bus=c.Bus(nodes=self._nodes, count=len(self.names)),
            senders=self._senders,
            messages=self.messages,
            message_count=len(self.messages),
            releases=self._releases,
            nominal_ticks=self.nominal_ticks,
            data_ticks=self.ticks_per_s // data_rate,
            seed=how.seed,
            records=self._kept,
            record_capacity=_RECORDS,
        )
        self._chance = random.Random(how.seed)
        self._flip_bit = -1
        self._flips: ctypes.Array[c.Flip] | None = None
        _library().takt_can_traffic_start(self._traffic)

    def ns(self, ticks: int) -> int:
        """Rounded up."""
        return -(-ticks * SECOND_NS // self.ticks_per_s)

    def ticks(self, ns: int) -> int:
        """Whole nominal bits, rounded up."""
        return -(-ns * self.ticks_per_s // (SECOND_NS * self.nominal_ticks)) * self.nominal_ticks

    def _ticks_of(self, ns: int, node: str) -> int:
        """A time on the clock of a node, rounded up: with equal clocks to whole nominal bits."""
        if not self.asked.question.drift_ppm:
            return self.ticks(ns)
        return -(-ns * self.ticks_per_s * PPM // (SECOND_NS * (PPM + self.clocks_ppm[node])))

    @staticmethod
    def nominal_release(message: c.Message, number: int) -> int:
        """In ticks, of an instance that was released."""
        listed = message.content == c.Content.LISTED
        return int(message.instances[number].at if listed else message.offset + number * message.period)

    @property
    def now(self) -> int:
        """In ticks."""
        found: int = _library().takt_can_traffic_now(self._traffic)
        return found

    @property
    def busy(self) -> int:
        """Ticks with a frame, an error frame or an intermission on the bus."""
        found: int = self._traffic.busy
        return found

    @property
    def errors(self) -> int:
        """Bits in which some node saw an error."""
        found: int = self._traffic.errors
        return found

    def counters(self) -> dict[str, tuple[int, int]]:
        """Error counters by node: of sending, of receiving."""
        return {
            name: (node.errors.transmit, node.errors.receive)
            for name, node in zip(self.names, self._nodes, strict=True)
            if name != RECEIVER
        }

    def _drawn_clocks(self) -> dict[str, int]:
        """By how many ppm the clock of each node is fast: of half of them by as much as may be, either way."""
        most, chance = self.asked.question.drift_ppm, random.Random(self.how.seed ^ _CLOCKS)
        return {name: chance.choice((-most, most, chance.randint(-most, most), chance.randint(-most, most)))
                for name in self.names}  # fmt: skip

    def _node_names(self) -> list[str]:
        rows = self.asked.rows
        names = list(dict.fromkeys(row.message.senders[0] if row.message.senders else NO_SENDER for row in rows))
        if len(names) >= c.BUS_NODES_MAX:
            raise UserError(f"{len(names)} nodes send on this bus", f"at most {c.BUS_NODES_MAX - 1} of them")
        if len(rows) > c.MESSAGES_MAX:
            raise UserError(f"{len(rows)} messages are sent on this bus", f"at most {c.MESSAGES_MAX} of them")
        return [*names, RECEIVER]

    def _queues(self) -> ctypes.Array[c.Sender]:
        """How the nodes queue. Buffers that can be aborted are aborted at once: their node sends by priority."""
        controllers, senders = self.asked.question.controllers, (c.Sender * len(self.names))()
        self._entries: list[object] = []  # what senders point to
        for name, sender in zip(self.names, senders, strict=True):
            kind = controllers.of_node(None if name in (NO_SENDER, RECEIVER) else name).sender
            if kind.queue == CanQueue.FIFO:
                sender.order, sender.fifo_size = c.Order.FIFO, _FIFO_ENTRIES
                sender.fifo = (c.Entry * _FIFO_ENTRIES)()
                self._entries.append(sender.fifo)
            elif kind.queue == CanQueue.BUFFERS:
                if kind.buffers > c.BUFFERS_MAX:
                    raise UserError(
                        f"--controller: {kind.buffers} buffers of a node are not simulated", f"at most {c.BUFFERS_MAX}"
                    )
                sender.order, sender.buffers = c.Order.BUFFERED, kind.buffers
        return senders

    def _messages(self) -> ctypes.Array[c.Message]:
        chance = random.Random(self.how.seed)
        messages = (c.Message * len(self.asked.rows))()
        self._listed: list[object] = []  # what messages point to
        for index, row in enumerate(self.asked.rows):
            message = messages[index]
            message.frame = self._frame(index)
            message.node = self.names.index(row.message.senders[0] if row.message.senders else NO_SENDER)
            period = max(self.nominal_ticks, self._ticks_of(row.declared_ns, self.names[message.node]))
            message.content = c.Content.RANDOM if self.how.payload == "random" else c.Content.SAME
            message.period = period
            jitter = row.jitter_ns * self.ticks_per_s // SECOND_NS // self.nominal_ticks * self.nominal_ticks
            jitter = jitter * (PPM - self.asked.question.drift_ppm) // PPM // self.nominal_ticks * self.nominal_ticks
            message.jitter = min(jitter, period)
            offsets = self.how.offsets
            drawn = chance.randrange(period // self.nominal_ticks) * self.nominal_ticks
            message.offset = drawn
            if offsets is not None:
                message.offset = self._ticks_of(offsets.get(row.message.name, 0), self.names[message.node])
            if row.message.name in self.how.babbling:
                message.period, message.jitter, message.offset = self.ticks(row.unstuffed_ns), 0, 0
            if index in self.how.replayed:
                self._list(message, self.how.replayed[index])
        return messages

    def _list(self, message: c.Message, listed: Sequence[tuple[int, bytes, bool]]) -> None:
        """Gives a message the releases of a log."""
        fd, data, at = message.frame.shape.fd, bytearray(), 0
        instances = (c.Instance * max(1, len(listed)))()
        for one, (time_ns, content, remote) in zip(instances, listed, strict=False):
            at = max(at, self.ticks(time_ns))
            one.at, one.data, one.remote = at, len(data), remote
            one.dlc = lengths.code(len(content), fd)
            data += content.ljust(c.DATA_MAX, b"\0")
        blob = (ctypes.c_uint8 * max(1, len(data)))(*data)
        self._listed += [instances, blob]
        message.content, message.instance_count = c.Content.LISTED, len(listed)
        message.instances, message.data = instances, blob

    def _frame(self, index: int) -> c.Frame:
        row, question = self.asked.rows[index], self.asked.question
        fd = lengths.is_fd(row.message, question.fd)
        brs = fd and question.rate.data is not None
        dlc = lengths.code(row.message.size, fd)
        shape = c.Shape(extended=row.message.extended, fd=fd, brs=brs, dlc=dlc)

        def filled(pattern: bytes) -> c.Frame:
            data = (ctypes.c_uint8 * c.DATA_MAX)(*pattern * c.DATA_MAX)
            return c.Frame(shape=shape, id=row.message.identifier, data=data)

        if self.how.payload != "worst":
            return filled(b"\0")
        return max(map(filled, _WORST), key=exact_bits)

    def _supply_flips(self, until: int) -> None:
        """Draws the flips of the bits before `until`: of the wire, or of one node."""
        if self.how.flips <= 0:
            return
        traffic = self._traffic
        kept = [] if self._flips is None else list(self._flips[traffic.flip_next :])
        bits_max = until // min(traffic.nominal_ticks, traffic.data_ticks) + 1
        while self._flip_bit < bits_max:
            gap = math.log(1 - self._chance.random()) / math.log1p(-self.how.flips)
            self._flip_bit += 1 + min(int(gap), 1 << 60)
            node = self._chance.randrange(2 * (len(self.names) - 1))
            kept.append(c.Flip(self._flip_bit, _ALL if node >= len(self.names) - 1 else 1 << node))
        self._flips = (c.Flip * len(kept))(*kept)
        traffic.flips, traffic.flip_count, traffic.flip_next = self._flips, len(kept), 0

    def _stops(self) -> Iterator[int]:
        """Times up to which the C code runs in one go; at each the dead nodes are taken off."""
        end, at = self.ticks(self.how.duration_ns), 0
        deaths = sorted((self.ticks(time_ns), name) for name, time_ns in self.how.dead)
        while True:
            while deaths and deaths[0][0] <= at:
                _library().takt_can_traffic_kill(self._traffic, 1 << self.names.index(deaths.pop(0)[1]))
            if at >= end:
                return
            at = min([at + STEP_TICKS_MAX, end, *(time for time, _ in deaths[:1])])
            yield at

    def bits(self) -> Iterator[tuple[int, bool, int]]:
        """Bit by bit up to the end: when each begins in ns, the level of the bus, and how many frames were sent so
        far."""
        self._traffic.bit_by_bit = True
        for stop in self._stops():
            self._supply_flips(stop)
            while (begin := self.now) < stop:
                _library().takt_can_traffic_run(self._traffic, begin + 1)
                yield self.ns(begin), self._traffic.bus.level, sum(one.sent for one in self.messages)

    def run(self) -> Iterator[tuple[float, list[Sent]]]:
        """Up to the end. After each part: how far it is, and what happened, if records are kept."""
        end = max(1, self.ticks(self.how.duration_ns))
        for stop in self._stops():
            self._supply_flips(stop)
            while not _library().takt_can_traffic_run(self._traffic, stop):
                yield self.now / end, self._taken()
            yield min(1.0, self.now / end), self._taken()

    def _taken(self) -> list[Sent]:
        count, self._traffic.record_count = self._traffic.record_count, 0
        if self._kept is None:
            return []
        data = memoryview(self._kept).cast("B")[: count * _RECORD.size]
        return [self._sent(fields) for fields in _RECORD.iter_unpack(data)]

    def _sent(self, fields: tuple[int, ...]) -> Sent:
        start, end, _, message, node, kind, detail, extended, remote, fd, brs, dlc, passive, identifier, data = fields
        end_ns, entry = self.ns(end), None
        if kind == c.RecordKind.SENT:
            size = lengths.size_of(dlc, bool(fd))
            content = b"" if remote else bytes(data)[:size]
            entry = Entry(
                end_ns, identifier, bool(extended), content, size, bool(remote), bool(fd), bool(brs), bool(passive)
            )
        index = message if message < len(self.messages) else None
        return Sent(c.RecordKind(kind), self.ns(start), end_ns, index, self.names[node], detail, entry)


assert ctypes.sizeof(c.Record) == _RECORD.size
