# SPDX-License-Identifier: Apache-2.0
"""Identifiers where nodes queue other than by priority.

The search of takt/analysis_can_assign.h rests on Audsley's condition: the response at a level depends on which messages
are above and below, not on their order. In a FIFO, or in buffers that cannot be aborted, it depends on the order: a
message that its node holds back lets those pass that are between it and the lowest of its node. So that search is only
asked for candidates here, with deadlines that are made shorter where the bounds with these queues are too long; of a
node that holds messages back all together, so that their identifiers come near to each other (Davis, Kollmann, Pollex
and Slomka 2011, ECRTS: adjacent ones of a FIFO hold nothing back). Each candidate is judged by the analysis with the
queues. What is found holds; that none is found proves nothing, unless a search by priority, which no queue here beats,
finds none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from takt.can import check
from takt.can.check import Answer, Row
from takt.can.controllers import ALL_BY_PRIORITY, Controllers
from takt.can.identifiers.assignment import Task
from takt.support.c.analysis import CanChoice, CanQueue, Verdict

ROUNDS = 40  # of shorter deadlines
ANY_SHARE = Fraction(1 << 30)  # of a candidate by its shorter deadlines, so that there always is one
_NEXT = 0.98  # of the least largest share so far: what the next round tries for
_LEAST_FACTOR = 0.5  # by which a round makes a deadline shorter
_SLACKS = (Fraction(1), Fraction(11, 10), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(4))
_KEEPING = (CanChoice.KEEP_HOLDERS, CanChoice.KEEP_AND_SWAP, CanChoice.KEEP_AND_FILL)


@dataclass(frozen=True)
class Candidate:
    """`occupants`: the message at each slot. `answer`: of the messages in this order, with the queues. `deadlines`: by
    message, with which it was found."""

    occupants: list[int | None]
    answer: Answer
    deadlines: list[int]

    @property
    def share(self) -> Fraction:
        """The largest response / deadline; of one without a bound more than any."""
        largest = self.answer.largest
        return ANY_SHARE if largest is None else largest


def is_like_priority(controllers: Controllers) -> bool:
    """The bounds are those by priority."""
    return _all(controllers, 0)


def is_never_better(controllers: Controllers) -> bool:
    """No bound is less than by priority, so that what cannot be by priority cannot be."""
    return _all(controllers, None)


def _all(controllers: Controllers, abort_ns: int | None) -> bool:
    senders = [one.sender for one in (controllers.default, *controllers.nodes.values())]
    return all(
        one.queue == CanQueue.PRIORITY or (one.queue == CanQueue.ABORTABLE and abort_ns in (None, one.abort_ns))
        for one in senders
    )


def search(asked: Answer, task: Task, within: Fraction | None, rounds: int = ROUNDS) -> Candidate | None:
    """The candidate with the least largest response / deadline, or the first one within `within`. None: the slots do
    not suffice."""
    best: Candidate | None = None
    deadlines = [need.deadline_ns for need in task.needs]
    for _ in range(rounds):
        found = _candidate(asked, task, deadlines, CanChoice.LEAST_SHARE, ANY_SHARE)
        if found is None:
            break
        best = found if best is None or found.share < best.share else best
        if within is not None and best.share <= within:
            break
        deadlines = _shorter(asked, found, _NEXT * float(min(best.share, within or 1)))
    return best


def with_few_changes(asked: Answer, task: Task, best: Candidate, enough: Fraction) -> Candidate:
    """Of the candidates that keep more messages where they are, and are within `enough`, that with fewest changes."""
    short = _with(task, best.deadlines)
    most = _largest_by_priority(asked, short, best)
    found = [best]
    for slack in _SLACKS:
        tries = (_candidate(asked, task, best.deadlines, choice, most * slack) for choice in _KEEPING)
        found += [one for one in tries if one is not None and one.share <= enough]
    return min(found, key=lambda one: changed(task, one.occupants))


def changed(task: Task, occupants: Sequence[int | None]) -> int:
    """How many messages are not where they are now."""
    return sum(one is not None and one != slot.holder for one, slot in zip(occupants, task.slots, strict=True))


def _with(task: Task, deadlines: Sequence[int]) -> Task:
    needs = [replace(need, deadline_ns=one) for need, one in zip(task.needs, deadlines, strict=True)]
    return replace(task, needs=needs)


def _candidate(asked: Answer, task: Task, deadlines: list[int], choice: CanChoice, most: Fraction) -> Candidate | None:
    found = _with(task, deadlines).search(choice, most)
    if found.verdict != Verdict.FEASIBLE and choice == CanChoice.LEAST_SHARE:
        found = _with(task, deadlines).search(CanChoice.KEEP_AND_FILL, most)
    if found.verdict != Verdict.FEASIBLE:
        return None
    rows = [asked.rows[index] for index in found.occupants if index is not None]
    return Candidate(found.occupants, check.of_rows(rows, asked.question, asked.left), deadlines)


def _largest_by_priority(asked: Answer, short: Task, best: Candidate) -> Fraction:
    order = [index for index in best.occupants if index is not None]
    plain = check.of_rows(best.answer.rows, replace(asked.question, controllers=ALL_BY_PRIORITY), [])
    return max(
        (Fraction(one.response_ns or 0, short.needs[index].deadline_ns)
         for index, one in zip(order, plain.found, strict=True)),
        default=Fraction(1),
    )  # fmt: skip


def _held_with(asked: Answer, row: Row) -> list[int]:
    """Indices of the messages of its node, if that holds messages back."""
    controllers, senders = asked.question.controllers, row.message.senders[:1]
    if not senders or controllers.of(row.message).sender.queue in (CanQueue.PRIORITY, CanQueue.ABORTABLE):
        return []
    return [index for index, one in enumerate(asked.rows) if one.message.senders[:1] == senders]


def _pull(asked: Answer, deadlines: list[int], index: int, row: Row) -> None:
    left_ns = deadlines[index] - row.jitter_ns
    for other in _held_with(asked, row):
        deadlines[other] = max(1, min(deadlines[other], left_ns + asked.rows[other].jitter_ns))


def _shorter(asked: Answer, found: Candidate, target: float) -> list[int]:
    """Deadlines that are shorter by as much as the bounds are too long for `target`."""
    deadlines = list(found.deadlines)
    order = [index for index in found.occupants if index is not None]
    for index, one in zip(order, found.answer.found, strict=True):
        row = asked.rows[index]
        share = float(ANY_SHARE) if one.response_ns is None else one.response_ns / row.deadline_ns
        if share > target:
            deadlines[index] = max(1, int(deadlines[index] * max(_LEAST_FACTOR, target / share)))
            _pull(asked, deadlines, index, row)
    return deadlines
