# SPDX-License-Identifier: Apache-2.0
"""Whether every message of a bus arrives by its deadline, and what else would prove it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from takt.can import bounds, lengths
from takt.can.controllers import ALL_BY_PRIORITY, Controllers, senders
from takt.can.lengths import Rate
from takt.can.messages import Message
from takt.can.phases import counted, phases
from takt.support.c.analysis import TIME_MAX_NS, Status

ERROR_BITS = 31  # superposed flags, delimiter, intermission, suspended transmission: Davis and others 2007
PPM = 1_000_000
RATE_MAX = 1_000_000
RATE_STEP = 1_000  # of the least bit rate that is named


@dataclass(frozen=True)
class Jitter:
    """Of messages whose file says none: a share of the period, or a time."""

    share: Fraction = Fraction(0)
    ns: int = 0

    def of(self, period_ns: int) -> int:
        return self.ns + -int(-self.share * period_ns // 1)


@dataclass(frozen=True)
class Question:
    """What is asked about the messages of a file. `period_ns`: of those whose file says none. `errors`: without their
    cost, which the bit rate decides. `at_random`: their rate, if they have no bound. `events`: what is sent on events
    too counts with its least distance. `controllers`: how the nodes queue. `blocking`: messages below all others, which
    only block. `offsets`: those of messages count, of nodes that hold none back. `drift_ppm`: by how much the clock of
    a node may be faster or slower than it should be."""

    rate: Rate
    jitter: Jitter = Jitter()
    errors: bounds.Errors = bounds.NO_ERRORS
    at_random: bounds.ErrorRate | None = None
    fd: bool = False
    period_ns: int | None = None
    events: bool = False
    controllers: Controllers = ALL_BY_PRIORITY
    blocking: tuple[Message, ...] = ()
    offsets: bool = False
    drift_ppm: int = 0

    def by_fast(self, ns: int) -> int:
        """A least time on the fastest clock, as it is in fact."""
        return ns * PPM // (PPM + self.drift_ppm)

    def by_slow(self, ns: int) -> int:
        """A longest time on the slowest clock, as it is in fact."""
        return -(-ns * PPM // (PPM - self.drift_ppm))


@dataclass(frozen=True)
class Row:
    """A message as it counts, with its frame; with `drift_ppm` its period by the fastest clock, its jitter and frame by
    the slowest. `declared_ns`: its period by its own."""

    message: Message
    bits: int
    send_ns: int
    unstuffed_ns: int
    period_ns: int
    jitter_ns: int
    deadline_ns: int
    declared_ns: int

    @property
    def frame(self) -> bounds.Frame:
        return bounds.Frame(self.send_ns, self.period_ns, self.jitter_ns)


@dataclass(frozen=True)
class Answer:
    """The rows by identifier, their bounds, and the messages that do not count since nothing says how often they are
    sent."""

    question: Question
    rows: list[Row]
    found: list[bounds.Bound]
    left: list[Message]

    def holds(self, index: int) -> bool:
        response_ns = self.found[index].response_ns
        return response_ns is not None and response_ns <= self.rows[index].deadline_ns

    @cached_property
    def late(self) -> list[int]:
        """Indices of the messages that may miss their deadlines."""
        return [index for index in range(len(self.rows)) if not self.holds(index)]

    @property
    def feasible(self) -> bool:
        return not self.late

    @property
    def undecided(self) -> bool:
        """Some bound was not found within the limit, and no other is beyond its deadline."""
        return bool(self.late) and all(self.found[index].status == Status.LIMIT for index in self.late)

    @cached_property
    def load(self) -> Fraction:
        return sum((Fraction(row.send_ns, row.period_ns) for row in self.rows), Fraction(0))

    @cached_property
    def load_unstuffed(self) -> Fraction:
        return sum((Fraction(row.unstuffed_ns, row.period_ns) for row in self.rows), Fraction(0))

    @property
    def largest(self) -> Fraction | None:
        """The largest response / deadline; None: a response has no bound."""
        return _largest(self.rows, self.found)


def _largest(rows: Sequence[Row], found: Sequence[bounds.Bound]) -> Fraction | None:
    shares = [Fraction(-1) if one.response_ns is None else Fraction(one.response_ns, row.deadline_ns)
              for row, one in zip(rows, found, strict=True)]  # fmt: skip
    return None if -1 in shares else max(shares, default=Fraction(0))


def period_of(message: Message, question: Question) -> int | None:
    """How often it counts: its cycle; with `events` its least distance, if it is sent on events beside its cycle and
    that is shorter. None: nothing says it."""
    cycle = message.period_ns or question.period_ns
    if question.events and message.event and cycle is not None and message.delay_ns is not None:
        return min(cycle, message.delay_ns)
    return cycle


def _row(message: Message, period_ns: int, question: Question) -> Row:
    longest = lengths.longest(message, question.rate, question.fd)
    shortest_ns = max(1, question.by_fast(period_ns))
    return Row(
        message=message,
        bits=longest.bits,
        send_ns=question.by_slow(longest.ns),
        unstuffed_ns=question.by_slow(lengths.unstuffed(message, question.rate, question.fd).ns),
        period_ns=shortest_ns,
        jitter_ns=question.by_slow(question.jitter.of(period_ns) if message.jitter_ns is None else message.jitter_ns),
        deadline_ns=message.deadline_ns or shortest_ns,
        declared_ns=period_ns,
    )


def bus_of(question: Question) -> tuple[int, bounds.Errors]:
    """The time of a bit, in ns, rounded up; and the errors with their cost."""
    bit_ns = question.by_slow(-(-1_000_000_000 // question.rate.nominal))
    errors = replace(question.errors, cost_ns=ERROR_BITS * bit_ns) if question.errors.count else bounds.NO_ERRORS
    return bit_ns, errors


def blocking(question: Question) -> list[bounds.Frame]:
    """Frames of the messages that only block."""
    longest = (lengths.longest(one, question.rate, question.fd).ns for one in question.blocking)
    return [bounds.Frame(question.by_slow(one), 0) for one in longest]


def frames_of(
    rows: Sequence[Row], question: Question
) -> tuple[list[bounds.Frame], int, bounds.Errors, list[bounds.Sender]]:
    """What the analysis gets: frames with those that only block, the time of a bit, errors, and the senders, if some
    do not queue by priority."""
    bit_ns, errors = bus_of(question)
    indices, nodes = senders([row.message for row in rows], question.controllers)
    frames = [replace(row.frame, sender=index) for row, index in zip(rows, indices, strict=True)]
    return [*frames, *blocking(question)], bit_ns, errors, nodes


def _bounds(rows: Sequence[Row], question: Question) -> list[bounds.Bound]:
    frames, bit_ns, errors, nodes = frames_of(rows, question)
    clocks = phases([_on_its_clock(row.message, question) for row in rows], len(frames)) if question.offsets else ()
    plain = bounds.responses(frames, bit_ns, errors, senders=nodes)[: len(rows)]
    if not clocks:
        return plain
    if nodes:
        waits = bounds.waits(frames, bit_ns, errors, nodes)
        frames = [replace(one, sender=0, jitter_ns=wait.queued_ns + wait.held_ns if one.period_ns else 0)
                  for one, wait in zip(frames, waits, strict=True)]  # fmt: skip
    if any(one.jitter_ns > TIME_MAX_NS // 2 for one in frames):
        return plain
    found = _by_fastest(rows, question, frames, bit_ns, errors, clocks)
    return [one if question.controllers.is_held(row.message) else _less(one, other)
            for row, one, other in zip(rows, plain, found, strict=False)]  # fmt: skip


def _by_fastest(
    rows: Sequence[Row],
    question: Question,
    frames: Sequence[bounds.Frame],
    bit_ns: int,
    errors: bounds.Errors,
    clocks: Sequence[bounds.Phase],
) -> list[bounds.Bound]:
    """With offsets, all times as the fastest clock has them: so periods and offsets keep their declared ratios. No
    clock that is slower releases more in any window. The least distance of errors stays, which is shorter than it is.
    """

    def longer(ns: int) -> int:
        return -(-ns * (PPM + question.drift_ppm) // PPM)

    periods = [*(row.declared_ns for row in rows), *(0 for _ in frames[len(rows) :])]
    scaled = [replace(one, send_ns=longer(one.send_ns), jitter_ns=longer(one.jitter_ns), period_ns=period_ns)
              for one, period_ns in zip(frames, periods, strict=True)]  # fmt: skip
    errors = replace(errors, burst_ns=longer(errors.burst_ns), cost_ns=longer(errors.cost_ns))
    found = bounds.responses(scaled, longer(bit_ns), errors, phases=clocks)
    in_fact = (None if one.response_ns is None else -question.by_fast(-one.response_ns) for one in found)
    return [replace(one, response_ns=response_ns) for one, response_ns in zip(found, in_fact, strict=True)]


def _less(one: bounds.Bound, other: bounds.Bound) -> bounds.Bound:
    known = [each for each in (one, other) if each.response_ns is not None]
    return min(known, key=lambda each: each.response_ns or 0, default=one)


def _on_its_clock(message: Message, question: Question) -> Message:
    """Without its offset, if its node may hold it back: when it is offered then follows from no clock. For others it
    counts as offered by priority, with the longest time for which it is held as jitter (Davis and others 2011)."""
    return replace(message, offset_ns=None) if question.controllers.is_held(message) else message


def with_offset(asked: Answer) -> list[Message]:
    """The messages whose offsets count."""
    question = asked.question
    free = [row.message for row in asked.rows if not question.controllers.is_held(row.message)]
    return counted(free) if question.offsets else []


def answer(messages: Sequence[Message], question: Question) -> Answer:
    """Of messages in the order of their identifiers."""
    periods = [(message, period_of(message, question)) for message in messages]
    rows = [_row(message, period_ns, question) for message, period_ns in periods if period_ns is not None]
    left = [message for message, period_ns in periods if period_ns is None]
    return of_rows(rows, question, left)


def of_rows(rows: list[Row], question: Question, left: list[Message]) -> Answer:
    """Of messages as they count, in the order of their identifiers."""
    return Answer(question, rows, _bounds(rows, question), left)


def without_offsets(asked: Answer) -> Answer:
    """The same messages, released in any relation to each other."""
    return of_rows(asked.rows, replace(asked.question, offsets=False), asked.left)


def with_controllers(asked: Answer, controllers: Controllers) -> Answer:
    """The same messages, queued in another way."""
    return of_rows(asked.rows, replace(asked.question, controllers=controllers), asked.left)


def by_deadline(rows: Sequence[Row]) -> list[Row]:
    """In the order of the time that is left from the latest queueing to the deadline."""
    return sorted(rows, key=lambda row: row.deadline_ns - row.jitter_ns)


def largest_by_deadline(asked: Answer) -> Fraction | None:
    """The largest response / deadline if the identifiers were in the order of the deadlines; None: there is none."""
    rows = by_deadline(asked.rows)
    return _largest(rows, _bounds(rows, asked.question))


def at_rate(asked: Answer, bit_rate: int) -> Question:
    """What is asked, at another bit rate."""
    return replace(asked.question, rate=replace(asked.question.rate, nominal=bit_rate))


def _holds_at(asked: Answer, bit_rate: int, ordered: bool) -> bool:
    """Whether all arrive in time at another bit rate, with their identifiers or in the order of their deadlines."""
    question = at_rate(asked, bit_rate)
    rows = [_row(row.message, row.declared_ns, question) for row in asked.rows]
    rows = by_deadline(rows) if ordered else rows
    largest = _largest(rows, _bounds(rows, question))
    return largest is not None and largest <= 1


def least_rate(asked: Answer, ordered: bool) -> int | None:
    """The least bit rate, in whole kbit/s, at which all arrive in time; None: even RATE_MAX is not enough."""
    return least_rate_where(lambda bit_rate: _holds_at(asked, bit_rate, ordered))


def least_rate_where(holds: Callable[[int], bool]) -> int | None:
    """As `least_rate`. A higher rate makes no response longer, so halving finds it."""
    low, high = 0, RATE_MAX // RATE_STEP  # in steps; it does not hold at `low`
    if not holds(high * RATE_STEP):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle * RATE_STEP):
            high = middle
        else:
            low = middle
    return high * RATE_STEP
