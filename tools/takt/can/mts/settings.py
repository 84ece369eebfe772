# SPDX-License-Identifier: Apache-2.0
"""How a bus may be laid out: which messages carry deadlines, in how many bits, and how long an epoch is.

The plan (takt_can_mts_plan) says how far the deadline field must reach beyond an epoch, and how many values it has, F.
With N regions in an epoch each is rest / (F - N) long, rounded up, and the epoch N of them: a longer epoch has fewer
ticks and longer regions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from takt.can import lengths
from takt.can.check import Question, Row
from takt.can.messages import Message
from takt.can.mts import protocol
from takt.support.c import can_mts as c
from takt.support.durations import show
from takt.support.errors import UserError

PPM_LEAST = 100  # by which two clocks are taken to differ where nothing says more: crystals
EPOCH_DEADLINES = 4
"""Longest deadlines that an epoch is chosen to hold, unless none so short is possible: a node that restarts has no
epoch until it has heard two ticks."""
HIGH_MAX = 1 << protocol.UNIQUE_BITS[-1]
_TRIED = 32  # numbers of regions, of each number of high-speed messages
_ROUNDS = 20


@dataclass(frozen=True)
class Nodes:
    """What all nodes of a bus keep to (struct takt_can_mts_needs), and how many of them are masters."""

    masters: int = 2
    react_ns: int = 5_000
    prepare_ns: int = 40_000
    write_ns: int = 20_000
    stamp_ns: int = 1_000


@dataclass(frozen=True)
class Setting:
    """`bus`: as in all nodes. The first `high` of the messages by deadline are high-speed."""

    bus: c.Bus
    high: int

    @property
    def epoch_ns(self) -> int:
        return int(self.bus.regions * self.bus.region_ns)

    @property
    def tick_period_ns(self) -> int:
        """Ticks are at least so far apart in the long run: a new master's epochs begin up to the error of the clocks
        earlier than the old one's would."""
        return int(self.epoch_ns - self.bus.plan.error_ns)

    @property
    def tick_jitter_ns(self) -> int:
        """By which a tick may be queued late: that of the last rank, and its reaction."""
        return int(self.bus.masters * self.bus.plan.stagger_ns)


def may_carry(row: Row) -> bool:
    """Whether a deadline fits into identifiers: one message of a stream waits at a time, and times are bounded."""
    return row.deadline_ns <= min(row.period_ns, protocol.TIME_MAX_NS) and row.deadline_ns - row.send_ns > row.jitter_ns


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Those that may carry deadlines, by what is left from the latest queueing; and then the others, so too."""
    return sorted(rows, key=lambda row: (not may_carry(row), row.deadline_ns - row.jitter_ns))


def clock_ppm(question: Question) -> int:
    """By which two clocks differ."""
    return max(PPM_LEAST, 2 * question.drift_ppm)


def extent_ns(size: int, question: Question, extended: bool) -> int:
    """The longest frame of so many bytes."""
    message = Message("", 0, extended, (), size)
    return question.by_slow(lengths.longest(message, question.rate).ns)


def shortest_ns(rows: Sequence[Row], question: Question) -> int:
    """The shortest frame, rounded down."""
    least = min(lengths.unstuffed(row.message, question.rate).bits for row in rows)
    return question.by_fast(least * 1_000_000_000 // question.rate.nominal)


class Settings:
    """All that are tried for the messages of a bus, which are `in_order`."""

    def __init__(self, rows: Sequence[Row], question: Question, nodes: Nodes) -> None:
        self.rows, self.question, self.nodes = rows, question, nodes
        self.extended = any(row.message.extended for row in rows)
        blocking = (extent_ns(one.size, question, self.extended) for one in question.blocking)
        tick_ns = extent_ns(1, question, self.extended)
        self.longest_ns = max(tick_ns, *(row.send_ns for row in rows), *blocking)
        self.shortest_ns = shortest_ns(rows, question)
        self.carrying = sum(map(may_carry, rows))

    def numbers_high(self) -> list[int]:
        """How many messages may be high-speed: all with one deadline are, or none of them."""
        left = [row.deadline_ns - row.jitter_ns for row in self.rows[: self.carrying]]
        ends = [at for at in range(1, len(left) + 1) if at == len(left) or left[at] != left[at - 1]]
        found = [at for at in ends if at <= HIGH_MAX]
        return found or ([HIGH_MAX] if ends else [])

    def needs(self, high: int, epoch_max_ns: int) -> c.Needs:
        rate, nodes = self.question.rate.nominal, self.nodes
        return c.Needs(
            layout=protocol.layout(self.extended, high),
            rates=c.Rates(rate, rate),
            masters=nodes.masters,
            clock_ppm=clock_ppm(self.question),
            stamp_ns=nodes.stamp_ns,
            react_ns=nodes.react_ns,
            prepare_ns=nodes.prepare_ns,
            write_ns=nodes.write_ns,
            shortest_ns=self.shortest_ns,
            longest_ns=self.longest_ns,
            deadline_ns=max(row.deadline_ns for row in self.rows[:high]),
            epoch_max_ns=epoch_max_ns,
        )

    def refuse_nodes(self) -> None:
        """UserError: no identifiers could change in time."""
        high = self.numbers_high()[0]
        needs = self.needs(high, 0)
        if protocol.plan(needs) is not None:
            return
        needs.prepare_ns = 0
        shown = f"shortest frame of {show(self.shortest_ns)}"
        if protocol.plan(needs) is None:
            takes = show(self.nodes.react_ns + self.nodes.write_ns)
            problem = f"identifiers cannot change during the {shown}: nodes take {takes} to react and write them"
        else:
            takes = show(self.nodes.prepare_ns)
            problem = f"nodes compute new identifiers for {takes}, more than 15 times the {shown}"
        raise UserError(problem, "shorter times in handlers, or a lower bit rate")

    def all(self, epoch_ns: int | None) -> Iterator[Setting]:
        """`epoch_ns`: of exactly this length."""
        for high in self.numbers_high():
            room = protocol.low_count(self.needs(high, 0).layout) - (1 << self.needs(high, 0).layout.unique_bits)
            if len(self.rows) - high <= room:
                yield from self._of(high) if epoch_ns is None else self._exactly(high, epoch_ns)

    def _bus(self, high: int, plan: c.Plan, regions: int, region_ns: int) -> Setting | None:
        layout = self.needs(high, 0).layout
        bus = c.Bus(layout=layout, masters=self.nodes.masters, plan=plan, regions=regions, region_ns=region_ns)
        return Setting(bus, high) if protocol.is_valid(bus) else None

    def _exactly(self, high: int, epoch_ns: int) -> Iterator[Setting]:
        """With as many regions as fit that are whole ns."""
        plan = protocol.plan(self.needs(high, epoch_ns))
        if plan is None:
            return
        most = min(plan.fields - 1, plan.fields * epoch_ns // (plan.rest_ns + epoch_ns), epoch_ns)
        regions = next((one for one in range(most, 0, -1) if epoch_ns % one == 0), None)
        found = None if regions is None else self._bus(high, plan, regions, epoch_ns // regions)
        if found is not None:
            yield found

    def _of(self, high: int) -> Iterator[Setting]:
        plan = protocol.plan(self.needs(high, 0))
        if plan is None:
            return
        most, any_yet = plan.fields - 1, False
        step = max(1, most // _TRIED)
        long_ns = EPOCH_DEADLINES * max(row.deadline_ns for row in self.rows[:high])
        for regions in range(1, most + 1, step) if most < 1 << 10 else self._numbers(plan):
            found = self._with(high, regions)
            if found is not None and any_yet and found.epoch_ns > long_ns:
                return
            if found is not None:
                any_yet = True
                yield found

    @staticmethod
    def _numbers(plan: c.Plan) -> list[int]:
        """Of a field with many values: those of epochs from the least to 32 times the rest, each a quarter longer."""
        found, epoch_ns = [], 2 * plan.stagger_ns
        while epoch_ns <= 32 * plan.rest_ns:
            found.append(plan.fields * epoch_ns // (plan.rest_ns + epoch_ns))
            epoch_ns += epoch_ns // 4
        return sorted({min(max(one, 1), plan.fields - 1) for one in found})

    def _with(self, high: int, regions: int) -> Setting | None:
        """Clocks drift during an epoch, and how long that is depends on how far they may."""
        epoch_max_ns = 0
        for _ in range(_ROUNDS):
            plan = protocol.plan(self.needs(high, epoch_max_ns))
            if plan is None:
                return None
            region_ns = -(-plan.rest_ns // (plan.fields - regions))
            if regions * region_ns <= epoch_max_ns:
                return self._bus(high, plan, regions, region_ns)
            epoch_max_ns = regions * region_ns
            if epoch_max_ns > protocol.TIME_MAX_NS:
                return None
        return None
