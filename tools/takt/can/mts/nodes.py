# SPDX-License-Identifier: Apache-2.0
"""A node in simulation: the protocol itself (net/can/src/mts) below its messages, as a driver would use it, as late as
it may be."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from takt.can.check import PPM
from takt.can.mts import protocol
from takt.can.mts.settings import Nodes
from takt.support.c import can_mts as c

NEVER = 1 << 62


@dataclass
class Waiting:
    """A message that is queued. `entered`: its node was in an epoch when it was released."""

    released_ns: int
    queued_ns: int
    entered: bool
    pending: c.Message


@dataclass
class Stream:
    """What a node sends of one message, the first in `waiting` with `identifier`. `unique`: of a high-speed one."""

    index: int
    unique: int | None
    relative_ns: int  # from the nominal release until it must begin
    identifier: int = 0
    waiting: deque[Waiting] = field(default_factory=deque)


@dataclass(frozen=True)
class Offer:
    """A frame that a node would send. `stream` None: of the protocol, with `data`."""

    identifier: int
    stream: Stream | None
    data: bytes


class Node:
    """`ppm`: by which its clock is fast. `next_ns`: when it has to act, of the bus's clock."""

    def __init__(self, bus: c.Bus, times: Nodes, rank: int | None, ppm: int, chance: random.Random) -> None:
        self.times, self.ppm, self.chance = times, ppm, chance
        self.rank = protocol.NO_RANK if rank is None else rank
        self.streams: list[Stream] = []
        self.next_ns = NEVER
        self.base = chance.randrange(1 << 40)
        self.alive = True
        self.in_since = NEVER
        self._library = protocol.library()
        self._bus, self._state = bus, c.Mts()
        self._due = self._timer_ns = self._write_ns = NEVER
        self._heard: deque[tuple[int, int, int, bytes]] = deque()
        self._own: list[Offer] = []  # of the protocol, queued
        self._offered: list[Offer] = []
        self._best: Offer | None = None
        self._changed = True
        self._library.takt_can_mts_start(self._state, bus, self.rank, self.local(0))
        self._version = self._state.version
        self._follow(0)
        self._plan()

    def local(self, now_ns: int) -> int:
        return self.base + now_ns + now_ns * self.ppm // PPM

    def _when(self, local_ns: int) -> int:
        """When its clock first has this time."""
        span = local_ns - self.base
        found = max(0, span * PPM // (PPM + self.ppm) - 1)
        while self.local(found) < local_ns:
            found += 1
        return found

    @property
    def in_epoch(self) -> bool:
        return int(self._state.state) == c.State.IN_EPOCH

    def _plan(self) -> None:
        self.next_ns = min(self._timer_ns, self._write_ns, self._heard[0][0] if self._heard else NEVER)

    def _follow(self, now_ns: int) -> None:
        """After each call."""
        self._offer_own()
        if self._state.version != self._version and self._write_ns == NEVER:
            self._write_ns = now_ns + self.chance.randint(0, self.times.write_ns)
        if not self.in_epoch:
            self.in_since = NEVER
        elif self.in_since == NEVER:
            self.in_since = now_ns
        due = self._library.takt_can_mts_due(self._state)
        if due == protocol.SATURATED:
            self._timer_ns = NEVER
        elif due != self._due or self._timer_ns == NEVER:
            self._timer_ns = max(now_ns, self._when(due)) + self.chance.randint(0, self.times.react_ns)
        self._due = due

    def _offer_own(self) -> None:
        """What is offered anew, until it is sent once; what is not any more is taken back."""
        offers, now = self._library.takt_can_mts_offers(self._state), []
        if offers.tick:
            now.append(Offer(offers.tick_frame.id, None, bytes(offers.tick_frame.data[:1])))
        if offers.filler:
            now.append(Offer(offers.filler_frame.id, None, bytes(offers.filler_frame.shape.dlc)))
        self._own = [one for one in now if one in self._own or one not in self._offered]
        self._offered, self._changed = now, True

    def sent_own(self, offer: Offer) -> None:
        """A frame of the protocol."""
        self._own, self._changed = [one for one in self._own if one != offer], True

    def hear(self, identifier: int, data: bytes, end_ns: int) -> None:
        """A frame has ended."""
        react_ns = self.chance.randint(0, self.times.react_ns)
        stamp_ns = self.chance.randint(0, min(self.times.stamp_ns, react_ns))
        self._heard.append((end_ns + react_ns, end_ns + stamp_ns, identifier, data))
        self._plan()

    def act(self, now_ns: int) -> None:
        """At next_ns."""
        while self._heard and self._heard[0][0] <= now_ns:
            _, stamp_ns, identifier, data = self._heard.popleft()
            meaning = self._library.takt_can_mts_meaning(self._bus, identifier)
            if meaning.kind == c.Kind.TICK:
                self._library.takt_can_mts_tick(self._state, meaning.number, data[0], self.local(stamp_ns))
            else:
                self._library.takt_can_mts_frame(self._state, self.local(stamp_ns))
            self._follow(now_ns)
        if self._timer_ns <= now_ns:
            self._timer_ns = NEVER
            self._library.takt_can_mts_timer(self._state, self.local(now_ns))
            self._follow(now_ns)
        if self._write_ns <= now_ns:
            self._write_ns, self._version = NEVER, self._state.version
            for one in self.streams:
                if one.unique is not None and one.waiting:
                    self._identify(one)
        self._plan()

    def _identify(self, stream: Stream) -> None:
        self._changed = True
        if stream.unique is not None:
            pending = stream.waiting[0].pending
            stream.identifier = self._library.takt_can_mts_high(self._state, stream.unique, pending)

    def queue(self, stream: Stream, released_ns: int, now_ns: int) -> None:
        begin_ns = (self.local(released_ns) + stream.relative_ns) & protocol.SATURATED
        entered = self.in_since <= released_ns
        stream.waiting.append(Waiting(released_ns, now_ns, entered, c.Message(begin_ns=begin_ns)))
        if len(stream.waiting) == 1:
            self._identify(stream)

    def sent(self, stream: Stream) -> Waiting:
        """The first one."""
        found, self._changed = stream.waiting.popleft(), True
        if stream.waiting:
            self._identify(stream)
        return found

    def offer(self) -> Offer | None:
        """The frame with the lowest identifier."""
        if self._changed:
            self._changed = False
            waiting = min((one for one in self.streams if one.waiting), key=lambda one: one.identifier, default=None)
            found = self._own if waiting is None else [*self._own, Offer(waiting.identifier, waiting, b"")]
            self._best = min(found, key=lambda one: one.identifier, default=None)
        return self._best
