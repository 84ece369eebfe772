# SPDX-License-Identifier: Apache-2.0
"""Identifiers with which every message of a bus arrives by its deadline: those that a message may get, the search, and
how few of them must change. Identifiers are numbers here, of 11 or 29 bits as the message's are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from takt.can import bounds, check
from takt.can.check import Answer, Row
from takt.can.identifiers import assignment, queues
from takt.can.identifiers.assignment import Need, Slot, Task
from takt.can.messages import Identifier, Message
from takt.support.c.analysis import CanChoice, Verdict

PRIORITY_SHIFT = 26  # of the three bits that J1939 calls priority
ROUNDS_ELSEWHERE = 12  # of a search that only answers whether another limit would do
_STANDARD, _EXTENDED, _OTHERS = 0, 1, 2  # kinds of slots; from _OTHERS on each is that of one message


@dataclass(frozen=True)
class Range:
    """Of identifiers, both ends included."""

    first: int
    last: int
    extended: bool

    def has(self, identifier: Identifier) -> bool:
        return identifier[1] == self.extended and self.first <= identifier[0] <= self.last


@dataclass(frozen=True)
class Limits:
    """What an assignment must keep to. `ranges`: of new identifiers; none: those that the messages have. `taken`:
    identifiers that no message may get, those of the file's messages aside. `within`: a response / deadline that is
    enough; None: the least that there is."""

    ranges: tuple[Range, ...] = ()
    frozen: frozenset[Identifier] = frozenset()
    taken: frozenset[Identifier] = frozenset()
    within: Fraction | None = None


@dataclass(frozen=True)
class Assigned:
    """`identifiers`: by message, those that change. None: no assignment was found. `proved`: without an assignment that
    none exists, else that the largest response / deadline of none is less. `stuck`: messages without a slot, or late in
    the best order that was found, whose largest response / deadline is `nearest`."""

    asked: Answer
    limits: Limits
    identifiers: dict[Message, int] | None
    proved: bool
    stuck: list[Row] = field(default_factory=list)
    nearest: Fraction | None = None


@dataclass(frozen=True)
class Refusal:
    """Why there is none. `unlimited`: there is one if any message may get any identifier. `least_bitrate`: at which one
    was found, within the limits; None: not even at the highest."""

    unlimited: bool
    least_bitrate: int | None


def identifier_of(message: Message) -> Identifier:
    return message.identifier, message.extended


def _arbitration(identifier: Identifier) -> int:
    """As Message.arbitration, in a number."""
    number, extended = identifier
    return (number >> 18 << 19) | 1 << 18 | (number & 0x3FFFF) if extended else number << 19


def kept(message: Message, limits: Limits) -> bool:
    return identifier_of(message) in limits.frozen


def _slots(asked: Answer, limits: Limits) -> tuple[list[int], list[tuple[Identifier, Slot]]]:
    """The kind of each message, and the slots by priority."""
    rows = [row.message for row in asked.rows]
    free = {identifier_of(one) for one in [*rows, *asked.left]} | limits.taken
    kinds: list[int] = []
    slots: dict[Identifier, Slot] = {}
    for index, message in enumerate(rows):
        own, alone = identifier_of(message), _OTHERS + index
        kind = alone if kept(message, limits) or message.j1939 else _EXTENDED if message.extended else _STANDARD
        allowed = kind == alone or not limits.ranges or any(one.has(own) for one in limits.ranges)
        kinds.append(kind)
        slots[own] = Slot(kind if allowed else _OTHERS + len(rows) + index, index)
        if message.j1939 and not kept(message, limits):
            for other in _priorities(message):
                if other not in free and other not in slots:
                    slots[other] = Slot(kind)
    used = free | slots.keys()
    for identifier in _standard(limits.ranges):
        if identifier not in used and _STANDARD in kinds:
            slots[identifier] = Slot(_STANDARD)
    cuts = sorted(number << 18 for number, extended in slots if not extended)
    for identifier in _extended(limits.ranges, used, cuts, kinds.count(_EXTENDED)):
        slots[identifier] = Slot(_EXTENDED)
    return kinds, sorted(slots.items(), key=lambda one: _arbitration(one[0]))


def _priorities(message: Message) -> Iterator[Identifier]:
    """The identifiers of a message of J1939: its priority may change, since all else says what it is."""
    rest = message.identifier & ((1 << PRIORITY_SHIFT) - 1)
    for priority in range(8):
        yield priority << PRIORITY_SHIFT | rest, True


def _standard(ranges: Sequence[Range]) -> Iterator[Identifier]:
    for one in ranges:
        if not one.extended:
            yield from ((number, False) for number in range(one.first, one.last + 1))


def _extended(ranges: Sequence[Range], used: set[Identifier], cuts: list[int], most: int) -> Iterator[Identifier]:
    """Those that are free, of each stretch without another identifier within it the first `most`."""
    ends = sorted({*cuts, *(number + 1 for number, extended in used if extended)})
    for one in ranges if most else ():
        if not one.extended:
            continue
        starts = [one.first, *(cut for cut in ends if one.first < cut <= one.last)]
        for start, end in zip(starts, [*starts[1:], one.last + 1], strict=True):
            found = ((number, True) for number in range(start, min(end, start + most)))
            yield from (identifier for identifier in found if identifier not in used)


def _task(asked: Answer, limits: Limits) -> tuple[Task, list[Identifier]]:
    kinds, slots = _slots(asked, limits)
    bit_ns, errors = check.bus_of(asked.question)
    task = Task(
        frames=[*(row.frame for row in asked.rows), *(blocking := check.blocking(asked.question))],
        needs=[*(Need(row.deadline_ns, kind) for row, kind in zip(asked.rows, kinds, strict=True))]
        + [Need(1, 0) for _ in blocking],
        slots=[slot for _, slot in slots],
        bit_ns=bit_ns,
        errors=errors,
    )
    return task, [identifier for identifier, _ in slots]


def _largest(task: Task, occupants: Sequence[int | None]) -> Fraction:
    order = [index for index in occupants if index is not None]
    frames = [*(task.frames[index] for index in order), *(one for one in task.frames if not one.period_ns)]
    found = bounds.responses(frames, task.bit_ns, task.errors)
    return max(Fraction(one.response_ns or 0, task.needs[index].deadline_ns)
               for index, one in zip(order, found[: len(order)], strict=True))  # fmt: skip


def _any(task: Task, most: Fraction, below: bool) -> assignment.Found:
    """Of both choices that leave no slot empty."""
    found = task.search(CanChoice.LEAST_SHARE, most, below)
    if found.verdict == Verdict.UNDECIDED:
        other = task.search(CanChoice.KEEP_AND_FILL, most, below)
        found = other if other.verdict == Verdict.FEASIBLE else found
    return found


def _least_share(task: Task, most: Fraction, below: bool) -> tuple[assignment.Found, Fraction | None]:
    """The last search, which found none, and the largest share of the one before it; None: there is no assignment."""
    share = None
    while True:
        found = _any(task, most, below)
        if found.verdict != Verdict.FEASIBLE:
            return found, share
        share = most = _largest(task, found.occupants)
        below = True


def assign(asked: Answer, limits: Limits) -> Assigned:
    """Of all assignments within the limits one with the least largest response / deadline that was found, or one that
    is within limits.within; of these one that changes few identifiers."""
    if not queues.is_like_priority(asked.question.controllers):
        return _with_queues(asked, limits)
    task, identifiers = _task(asked, limits)
    now = asked.largest if asked.feasible else None
    proved = False
    enough = limits.within
    if enough is None:
        last, share = _least_share(task, Fraction(1) if now is None else now, now is not None)
        proved = last.verdict == Verdict.INFEASIBLE
        enough = now if share is None else share
        if enough is None:
            placed = {one for one in last.occupants if one is not None}
            stuck = [row for index, row in enumerate(asked.rows) if index not in placed]
            return Assigned(asked, limits, None, proved, stuck)
    if now is not None and now <= enough:
        return Assigned(asked, limits, {}, proved)
    tries = (task.search(choice, enough) for choice in CanChoice)
    found = [one for one in tries if one.verdict == Verdict.FEASIBLE]
    if not found:
        return Assigned(asked, limits, None, False)
    best = min(found, key=lambda one: queues.changed(task, one.occupants))
    return Assigned(asked, limits, dict(_changes(asked, task, identifiers, best.occupants)), proved)


def _with_queues(asked: Answer, limits: Limits) -> Assigned:
    """As `assign`, where some node does not queue by priority."""
    task, identifiers = _task(asked, limits)
    now = asked.largest if asked.feasible else None
    if now is not None and limits.within is not None and now <= limits.within:
        return Assigned(asked, limits, {}, False)
    best = queues.search(asked, task, limits.within)
    if now is not None and (best is None or now <= best.share) and limits.within is None:
        return Assigned(asked, limits, {}, False)
    enough = Fraction(1) if limits.within is None else limits.within
    if best is None or best.share > enough:
        return Assigned(asked, limits, None, _is_none_by_priority(asked, task, enough), *_nearest(best, enough))
    found = queues.with_few_changes(asked, task, best, limits.within or best.share)
    return Assigned(asked, limits, dict(_changes(asked, task, identifiers, found.occupants)), False)


def _is_none_by_priority(asked: Answer, task: Task, enough: Fraction) -> bool:
    """Whether there is no assignment since there is none by priority, or the bus is overloaded."""
    never_better = queues.is_never_better(asked.question.controllers)
    return asked.load > 1 or (never_better and _any(task, enough, False).verdict == Verdict.INFEASIBLE)


def _nearest(best: queues.Candidate | None, enough: Fraction) -> tuple[list[Row], Fraction | None]:
    if best is None:
        return [], None
    pairs = zip(best.answer.rows, best.answer.found, strict=True)
    late = [row for row, one in pairs if one.response_ns is None or one.response_ns > enough * row.deadline_ns]
    return late, best.answer.largest


def _changes(
    asked: Answer, task: Task, identifiers: Sequence[Identifier], occupants: Sequence[int | None]
) -> Iterator[tuple[Message, int]]:
    for index, slot, identifier in zip(occupants, task.slots, identifiers, strict=True):
        if index is not None and index != slot.holder:
            yield asked.rows[index].message, identifier[0]


def refusal(found: Assigned) -> Refusal:
    """Of an assignment that was not found."""
    asked, limits = found.asked, found.limits
    task, _ = _task(asked, limits)
    anywhere = replace(
        task,
        needs=[replace(need, kind=0) for need in task.needs],
        slots=[Slot(0) for _ in task.frames],
    )
    messages = [row.message for row in asked.rows] + asked.left

    def holds(bit_rate: int) -> bool:
        other = check.answer(messages, check.at_rate(asked, bit_rate))
        return _has_one(other, _task(other, limits)[0])

    return Refusal(_has_one(asked, anywhere), check.least_rate_where(holds))


def _has_one(asked: Answer, task: Task) -> bool:
    """Whether an assignment is found with which all arrive by their deadlines."""
    if queues.is_like_priority(asked.question.controllers):
        return _any(task, Fraction(1), False).verdict == Verdict.FEASIBLE
    found = None
    if asked.load <= 1:
        found = queues.search(asked, task, Fraction(1), ROUNDS_ELSEWHERE)
    return found is not None and found.share <= 1
