# SPDX-License-Identifier: Apache-2.0
"""The messages of a bus with their identifiers: those that are declared, and those that `id = "auto"` gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from takt.can import check
from takt.can.check import Answer
from takt.can.commands import values
from takt.can.identifiers import assign
from takt.can.identifiers.assign import Limits, Range, identifier_of
from takt.can.messages import EXTENDED_MAX, Identifier
from takt.can.messages import Message as Frame
from takt.can.mts.judge import Judged
from takt.declare.schema.model import Message, System
from takt.declare.schema.reader import located
from takt.prove.bus import mixed
from takt.prove.bus.traffic import Traffic, at
from takt.support.errors import UserError

MIXED = "mts"
AUTO_MAX = 0x7EF  # of 11 bits: early controllers refuse those that begin with seven recessive bits


@dataclass(frozen=True)
class Identified:
    """`answer`: of those with a deadline. `best_effort`: the others, by identifier. `stuck`: no identifiers for `auto`
    were found with which all arrive in time; `none`: there are none. `mixed`: with `scheduler = "mts"`. `others`: of
    `answer`, those of the file."""

    answer: Answer
    best_effort: list[Frame] = field(default_factory=list)
    stuck: bool = False
    none: bool = False
    mixed: Judged | None = None
    others: frozenset[Frame] = frozenset()


def of(system: System, traffic: Traffic, jitters_ns: Mapping[str, int], tightest: bool) -> Identified:
    """`tightest`: with identifiers that make the largest response / deadline as small as it can be; else with some
    that prove, if there are. UserError: there are not enough, or a message without a deadline wins over another."""
    if traffic.bus.scheduler == MIXED:
        return _mixed(system, traffic, jitters_ns, tightest)
    return replace(_fixed(system, traffic, jitters_ns, tightest), others=frozenset(traffic.file.others))


def _mixed(system: System, traffic: Traffic, jitters_ns: Mapping[str, int], tightest: bool) -> Identified:
    found = mixed.judged(system, traffic, jitters_ns, tightest)
    answer, count = mixed.answer(found), len(traffic.file.others)
    pairs = zip(answer.rows, found.rows, strict=True)
    others = frozenset(row.message for row, one in pairs if one.message.identifier < count)
    return Identified(answer, mixed.best_effort(found), mixed=found, others=others)


def _fixed(system: System, traffic: Traffic, jitters_ns: Mapping[str, int], tightest: bool) -> Identified:
    made = {one.name: traffic.frame(one, jitters_ns.get(one.name, 0), 0) for one in traffic.messages}
    free = _Free(system, traffic)
    for one in reversed([one for one in traffic.messages if one.identifier is None and one.deadline_ns is None]):
        made[one.name] = replace(made[one.name], identifier=free.last(one))
    below = [made[one.name] for one in traffic.messages if one.deadline_ns is None]
    below.sort(key=lambda one: one.arbitration)
    if below:
        free.only_above(below[0])
    autos = [one for one in traffic.messages if one.identifier is None and one.deadline_ns is not None]
    for one in sorted(autos, key=lambda one: (one.deadline_ns or 0) - (made[one.name].jitter_ns or 0)):
        made[one.name] = replace(made[one.name], identifier=free.first(one))
    above = [*traffic.file.others, *(made[one.name] for one in traffic.messages if one.deadline_ns is not None)]
    above.sort(key=lambda one: one.arbitration)
    if below and above and above[-1].arbitration > below[0].arbitration:
        _refuse_best_effort(system, traffic, below[0], above[-1])
    answer = check.answer(above, replace(traffic.question, blocking=tuple(below)))
    if not autos or (answer.feasible and not tightest):
        return Identified(answer, below)
    return _assigned(answer, below, free, {identifier_of(made[one.name]) for one in autos}, tightest)


def _assigned(answer: Answer, below: list[Frame], free: _Free, autos: set[Identifier], tightest: bool) -> Identified:
    messages = [row.message for row in answer.rows]
    frozen = frozenset(identifier_of(one) for one in messages) - autos
    taken = frozenset(free.taken) - autos
    limits = Limits(tuple(free.ranges()), frozen, taken, None if tightest else Fraction(1))
    found = assign.assign(answer, limits)
    if found.identifiers is None:
        return Identified(answer, below, True, found.proved)
    if not found.identifiers:
        return Identified(answer, below)
    changed = [replace(one, identifier=found.identifiers.get(one, one.identifier)) for one in messages]
    changed.sort(key=lambda one: one.arbitration)
    return Identified(check.answer(changed, answer.question), below)


def _refuse_best_effort(system: System, traffic: Traffic, below: Frame, above: Frame) -> None:
    problem = f"no deadline, and its identifier {below.id_text} wins over that of {above.name}, {above.id_text}"
    wanted = 'a deadline, or id = "auto"' if any(one.name == below.name and one.identifier is not None
                                                for one in traffic.messages) else "extended = true"  # fmt: skip
    raise located(system, below.name, f'[[message]] "{below.name}": {problem}', wanted)


class _Free:
    """Identifiers that `auto` may give."""

    def __init__(self, system: System, traffic: Traffic) -> None:
        self.system, self.traffic, self.taken = system, traffic, traffic.taken
        self.limits = {False: Range(0, AUTO_MAX, False), True: Range(0, EXTENDED_MAX, True)}
        text = traffic.bus.identifiers
        if text is not None:
            with at(system, traffic.bus, f'identifiers = "{text}"'):
                only = values.identifiers(text)
            self.limits = {only.extended: only}

    def ranges(self) -> Iterator[Range]:
        yield from self.limits.values()

    def only_above(self, below: Frame) -> None:
        """From now on those that win over a message."""
        number, base = below.identifier, below.arbitration[0]
        last = {True: number - 1, False: base} if below.extended else {True: (base << 18) - 1, False: number - 1}
        self.limits = {
            extended: replace(one, last=min(one.last, last[extended])) for extended, one in self.limits.items()
        }

    def first(self, one: Message) -> int:
        limit = self._limit(one)
        return self._take(one, range(limit.first, limit.last + 1))

    def last(self, one: Message) -> int:
        limit = self._limit(one)
        return self._take(one, range(limit.last, limit.first - 1, -1))

    def _limit(self, one: Message) -> Range:
        limit = self.limits.get(one.extended)
        if limit is None:
            bits, has = (29, 11) if one.extended else (11, 29)
            problem = f'id = "auto" of {bits} bits, and the identifiers of [[can]] "{one.bus}" have {has}'
            raise self._error(one, problem, f"extended = {'false' if one.extended else 'true'}, or other identifiers")
        return limit

    def _take(self, one: Message, numbers: range) -> int:
        number = next((number for number in numbers if (number, one.extended) not in self.taken), None)
        if number is None:
            problem = 'id = "auto": no identifier is left for it, above those without a deadline'
            raise self._error(one, problem, f'more identifiers in [[can]] "{one.bus}", or extended = true')
        self.taken.add((number, one.extended))
        return number

    def _error(self, one: Message, problem: str, hint: str) -> UserError:
        return located(self.system, one.name, f'[[message]] "{one.name}": {problem}', hint)
