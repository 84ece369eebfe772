# SPDX-License-Identifier: Apache-2.0
"""The busy period that makes a bound where nodes queue other than by priority: which of the cases of
takt/analysis_can.h is the worst, and the frames that it counts, one after the other.

Frames count as the bound has them, each as soon as it may come: of those of its own node that go before the message the
shortest with a higher identifier goes last, since until it starts, frames of others between pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takt.can import bounds, check
from takt.can.bounds import Sender, Wait
from takt.can.check import Answer, Row
from takt.can.controllers import senders
from takt.can.explain.schedule import Bus, Schedule, by_priority
from takt.support.c.analysis import CanQueue

_Stream = tuple[int, int, int]  # period, jitter, time of the frames of one release


@dataclass(frozen=True)
class Found:
    """`schedule`: up to the frame of the message. `released_ns`: its nominal release. `holder`: index of a node whose
    frames have gathered behind one of its own, the first frame; None: none have. `whole`: it waits for all frames of
    the busy period of the whole bus."""

    schedule: Schedule
    blocked: bool
    released_ns: int
    holder: int | None = None
    whole: bool = False

    @property
    def response_ns(self) -> int:
        return self.schedule.frames[-1].end_ns - self.released_ns


@dataclass(frozen=True)
class _Case:
    """A busy period of the frames up to `floor`; `holder`: as of Found. `queued_ns`: of the message, from its begin, if
    its node may hold it back; else None."""

    floor: int
    holder: int | None
    blocker: int | None
    jitters_ns: list[int]
    queued_ns: int | None
    response_ns: int


class _Search:
    """Of the worst case of a message, `row`."""

    def __init__(self, asked: Answer, row: int, nodes: list[int], senders: list[Sender], waits: list[Wait]) -> None:
        self.rows, self.row, self.nodes, self.senders, self.waits = asked.rows, row, nodes, senders, waits
        self.bit_ns = check.bus_of(asked.question)[0]
        self.own = nodes[row]
        self.fifo = senders[self.own].queue == CanQueue.FIFO
        self.below = [0] * len(nodes)  # messages of its node with higher identifiers
        seen: Counter[int] = Counter()
        for index in reversed(range(len(nodes))):
            self.below[index] = seen[nodes[index]]
            seen[nodes[index]] += 1

    def may_hold(self, index: int) -> bool:
        """Whether its frame may keep those above it in its node from being offered."""
        sender = self.senders[self.nodes[index]]
        held = sender.queue == CanQueue.BUFFERS and self.below[index] + 1 >= sender.buffers
        return sender.queue == CanQueue.FIFO or held

    def cases(self) -> Iterator[_Case]:
        """The worst of each busy period."""
        lower = range(self.row + 1, len(self.rows))
        floor = max((i for i in lower if self.nodes[i] == self.own and self.may_hold(i)), default=self.row)
        for level in dict.fromkeys((floor, self.row)):
            below = range(level + 1, len(self.rows))
            yield self._case(level, None, max(below, key=lambda i: self.rows[i].send_ns, default=None))
            for node in {self.nodes[i]: None for i in below if self.nodes[i] != self.own}:
                of_node = [i for i in below if self.nodes[i] == node]
                held = any(self.waits[i].held_ns for i in range(level + 1) if self.nodes[i] == node)
                if held and self.may_hold(of_node[0]):
                    holding = [i for i in of_node if self.may_hold(i)]
                    yield self._case(level, node, max(holding, key=lambda i: self.rows[i].send_ns))

    def _case(self, floor: int, holder: int | None, blocker: int | None) -> _Case:
        jitters = [
            one.queued_ns + (one.held_ns if node == holder else 0)
            for one, node in zip(self.waits, self.nodes, strict=True)
        ]
        if floor == self.row and not self.fifo:
            schedule = by_priority(self.rows, self.row, blocker, jitters, self.bit_ns)
            released = schedule.instance * self.rows[self.row].period_ns - jitters[self.row]
            return _Case(floor, holder, blocker, jitters, None, schedule.frames[-1].end_ns - released)
        times = self._held(floor, blocker, jitters)
        response, queued = max(times, key=lambda one: (one[0], -one[1]))
        return _Case(floor, holder, blocker, jitters, queued, response)

    def of_own(self, floor: int) -> list[int]:
        """Messages of its node that go before it if they are queued before it."""
        return [i for i in range(floor + 1) if self.nodes[i] == self.own and i != self.row]

    def of_others(self, first: int, end: int) -> list[int]:
        return [i for i in range(first, end) if self.nodes[i] != self.own]

    def _held(self, floor: int, blocker: int | None, jitters: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Responses, and when the message is queued for them."""
        rows, row = self.rows, self.rows[self.row]

        def streams(indices: Sequence[int]) -> list[_Stream]:
            sums: Counter[tuple[int, int]] = Counter()
            for i in indices:
                sums[rows[i].period_ns, jitters[i]] += rows[i].send_ns
            return [(*key, cost) for key, cost in sums.items()]

        own = self.of_own(floor)
        above, lower = [i for i in own if i < self.row], [i for i in own if i > self.row]
        between = streams(self.of_others(self.row + 1, floor))
        higher = streams(self.of_others(0, self.row) + ([] if self.fifo else above))
        early_others = streams(self.of_others(0, self.row) + self.of_others(self.row + 1, floor))
        counted, all_own = streams(own if self.fifo else lower), streams(own)
        shortest = min((rows[i].send_ns for i in lower), default=0)
        begin = 0 if blocker is None else rows[blocker].send_ns
        everything = [*early_others, *all_own, (row.period_ns, row.jitter_ns, row.send_ns)]
        busy = _settled(begin, everything, 0, row.send_ns)
        now = early = start = 0
        while now < busy:
            before = begin + now // row.period_ns * row.send_ns
            own_ns = before + _taken(counted, now + 1)
            if shortest:
                sooner = before + _taken(all_own, now + 1) - shortest
                early = _settled(sooner, early_others, self.bit_ns, early)
                own_ns += _taken(between, early + self.bit_ns)
            start = _settled(own_ns, higher, self.bit_ns, start)
            yield start + row.send_ns - now + row.jitter_ns, now
            now = min((max((now + jitter) // period + 1, 1) * period - jitter
                       for period, jitter, _ in (*all_own, (row.period_ns, 0, 0))))  # fmt: skip

    def found(self, case: _Case) -> Found:
        """The frames of a case."""
        row, blocked = self.rows[self.row], case.blocker is not None
        if case.queued_ns is None:
            schedule = by_priority(self.rows, self.row, case.blocker, case.jitters_ns, self.bit_ns)
            released = schedule.instance * row.period_ns - case.jitters_ns[self.row]
            return Found(schedule, blocked, released, case.holder)
        frames = self._frames(case, case.queued_ns)
        return Found(frames, blocked, case.queued_ns - row.jitter_ns, case.holder)

    def _frames(self, case: _Case, now: int) -> Schedule:
        rows, floor = self.rows, case.floor
        bus = Bus(rows, case.jitters_ns)
        if case.blocker is not None:
            bus.send(case.blocker, 0)
        own = self.of_own(floor)
        earlier = now // rows[self.row].period_ns
        queue = [(now - number * rows[self.row].period_ns, self.row) for number in range(earlier, 0, -1)]
        for index in own:
            last = (now + case.jitters_ns[index]) // rows[index].period_ns
            queue += [(bus.arrival(index, number), index) for number in range(last + 1)]
            bus.counts[index], bus.coming[index] = last + 1, bus.arrival(index, last + 1)
        queue.sort()
        lower = [one for one in queue if one[1] > self.row]
        if lower:
            last_of = min(lower, key=lambda one: (rows[one[1]].send_ns, -one[0]))
            queue.remove(last_of)
            others = self.of_others(0, self.row) + self.of_others(self.row + 1, floor)
            self._sent(bus, queue, others)
            bus.send(last_of[1], last_of[0])
            queue = []
        above = [] if self.fifo else [i for i in own if i < self.row]
        self._sent(bus, queue, sorted(self.of_others(0, self.row) + above))
        bus.send(self.row, now)
        return Schedule(bus.frames, earlier)

    def _sent(self, bus: Bus, queue: list[tuple[int, int]], others: Sequence[int]) -> None:
        """All of the queue, and what comes of others until it is empty and they wait for nothing."""
        while True:
            chosen = bus.first_of(others, bus.now + self.bit_ns)
            if chosen is not None:
                bus.send_next(chosen)
            elif queue:
                queued_ns, index = queue.pop(0)
                bus.send(index, queued_ns)
            else:
                return


def _taken(streams: Sequence[_Stream], window_ns: int) -> int:
    """Of those that are queued in the first window_ns > 0."""
    return sum(((window_ns - 1 + jitter) // period + 1) * cost for period, jitter, cost in streams)


def _settled(own_ns: int, streams: Sequence[_Stream], ahead_ns: int, least_ns: int) -> int:
    time = least_ns
    while True:
        further = own_ns + _taken(streams, time + ahead_ns)
        if further <= time:
            return time
        time = further


def _whole(rows: Sequence[Row], row: int) -> Found:
    """All frames of the busy period of the whole bus, and at last the message that was queued at its begin."""
    bus = Bus(rows, [one.jitter_ns for one in rows])
    bus.counts[row], bus.coming[row] = 1, bus.arrival(row, 1)
    before = [i for i in range(len(rows)) if i != row]
    while True:
        ended = max(1, bus.now + rows[row].send_ns)
        chosen = bus.first_of([*before, row], ended)
        if chosen is None:
            break
        bus.send_next(chosen)
    bus.send(row, 0)
    return Found(Schedule(bus.frames, 0), False, -rows[row].jitter_ns, None, True)


def worst(asked: Answer, row: int) -> Found:
    """Of a message that has a bound."""
    search = _Search(asked, row, *_waits(asked))
    case = max(search.cases(), key=lambda one: one.response_ns)
    bound_ns = asked.found[row].response_ns
    if bound_ns is not None and case.response_ns > bound_ns:
        return _whole(asked.rows, row)
    return search.found(case)


def _waits(asked: Answer) -> tuple[list[int], list[Sender], list[Wait]]:
    nodes, of_nodes = senders([row.message for row in asked.rows], asked.question.controllers)
    return nodes, of_nodes, bounds.waits(*check.frames_of(asked.rows, asked.question))
