# SPDX-License-Identifier: Apache-2.0
"""A model of two CAN buses between which a node forwards messages: bounds by their equations, and a simulation."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass

MS = 1_000_000
HANDLED_NS = 2_000  # on `host`: both interrupts, of 1 us each


@dataclass(frozen=True)
class Made:
    """A message of a random system. `of`: what it is a copy of."""

    name: str
    bus: str
    number: int
    size: int
    period_ns: int
    jitter_ns: int
    of: str | None


RATES = {"power": 250, "body": 125}


def send_ns(one: Made) -> int:
    bits = 47 + 8 * one.size + (34 + 8 * one.size - 1) // 4
    return bits * MS // RATES[one.bus]


def chosen(chance: random.Random) -> list[Made]:
    """Each bus has messages of its own, of which the first ones are forwarded to the other."""
    found: list[Made] = []
    for bus, other in (("power", "body"), ("body", "power")):
        for index in range(chance.randint(2, 5)):
            period_ns, number = chance.choice((10, 20, 25, 50)) * MS, len(found)
            name, size = f"{bus}{index}", chance.randint(0, 8)
            jitter_ns = chance.choice((0, chance.randint(0, period_ns)))
            found.append(Made(name, bus, number, size, period_ns, jitter_ns, None))
            if index < 2:
                found.append(Made(f"{name}_copy", other, number, size, period_ns, 0, name))
    numbers = chance.sample(range(1, 0x7EF), len(found))
    return [Made(**{**vars(one), "number": number}) for one, number in zip(found, numbers, strict=True)]


def bound_ns(messages: list[Made], one: Made, jitters_ns: Mapping[str, int]) -> int | None:
    """By the equations of Davis and others 2007, of one bus. None: above a second."""
    bit_ns, own = MS // RATES[one.bus], send_ns(one)
    rest = [other for other in messages if other.bus == one.bus and other is not one]
    above = [other for other in rest if other.number < one.number]
    blocking = max((send_ns(other) for other in rest if other.number > one.number), default=0)

    def settle(start: int, those: list[Made], more_ns: int) -> int | None:
        window = start
        while True:
            arrivals = ((-(-(window + jitters_ns[other.name] + more_ns) // other.period_ns), other) for other in those)
            now = start + sum(count * send_ns(other) for count, other in arrivals)
            if now == window or now > 1000 * MS:
                return None if now > 1000 * MS else now
            window = now

    busy = settle(blocking, [*above, one], 0) if blocking else settle(0, [*above, one], 1)
    if busy is None:
        return None
    late = 0
    for instance in range(-(-(busy + jitters_ns[one.name]) // one.period_ns)):
        waits = settle(blocking + instance * own, above, bit_ns)
        if waits is None:
            return None
        late = max(late, jitters_ns[one.name] + waits - instance * one.period_ns + own)
    return late


def least_fixed_point(messages: list[Made]) -> dict[str, int] | None:
    """All bounds, all at once in each round."""
    jitters_ns = {one.name: one.jitter_ns for one in messages}
    while True:
        found: dict[str, int] = {}
        for one in messages:
            bound = bound_ns(messages, one, jitters_ns)
            if bound is None:
                return None
            found[one.name] = bound
        now_ns = {one.name: found[one.of] + HANDLED_NS if one.of else one.jitter_ns for one in messages}
        if now_ns == jitters_ns:
            return found
        jitters_ns = now_ns


class Simulation:
    """Frames of the longest length on both buses. `late`: the first frames of messages come as late as they may and
    all others at once; else all at random."""

    def __init__(self, messages: list[Made], chance: random.Random, late: bool) -> None:
        self.messages, self.chance, self.seen = messages, chance, dict.fromkeys((one.name for one in messages), 0)
        self.order = itertools.count()
        self.copies = {one.of: one for one in messages if one.of}
        self.events: list[tuple[int, int, str, Made, int]] = []
        self.waiting: dict[str, list[tuple[int, int, int, Made]]] = {bus: [] for bus in RATES}
        self.busy = dict.fromkeys(RATES, False)
        around = chance.randint(0, 50 * MS)
        for one in messages:
            if one.of is not None:
                continue
            nominal = around - one.jitter_ns if late else chance.randint(0, one.period_ns)
            for index in range(6):
                jitter = one.jitter_ns if late and index == 0 else 0 if late else chance.randint(0, one.jitter_ns)
                at = nominal + index * one.period_ns
                self.put(max(at + jitter, around if late else 0), "queued", one, at)

    def put(self, at: int, what: str, one: Made, released: int) -> None:
        heapq.heappush(self.events, (at, next(self.order), what, one, released))

    def run(self) -> dict[str, int]:
        while self.events:
            at, _, what, one, released = heapq.heappop(self.events)
            if what == "queued":
                heapq.heappush(self.waiting[one.bus], (one.number, released, next(self.order), one))
            else:
                self.busy[one.bus] = False
                self.seen[one.name] = max(self.seen[one.name], at - released)
                if one.name in self.copies:
                    end = at - 3 * MS // RATES[one.bus]
                    self.put(
                        max(at, end + self.chance.randint(0, HANDLED_NS)), "queued", self.copies[one.name], released
                    )
            if self.events and self.events[0][0] == at:
                continue  # all that happens at once
            for bus, waiting in self.waiting.items():
                if waiting and not self.busy[bus]:
                    _, of, _, first = heapq.heappop(waiting)
                    self.busy[bus] = True
                    self.put(at + send_ns(first), "sent", first, of)
        return self.seen
