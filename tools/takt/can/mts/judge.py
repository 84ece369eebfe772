# SPDX-License-Identifier: Apache-2.0
"""Whether every message of a bus with the mixed traffic scheduler arrives by its deadline, and the setting with which
the largest response / deadline is least.

High-speed messages by takt_analysis_can_deadlines, with the tick above all and the longest other frame as blocking;
low-speed ones by takt_analysis_can_responses below the tick and all high-speed messages.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NoReturn

from takt.can import bounds, check
from takt.can.bounds import Bound, Frame
from takt.can.check import Answer, Question, Row
from takt.can.messages import Message
from takt.can.mts import protocol
from takt.can.mts.settings import Nodes, Setting, Settings, extent_ns, in_order
from takt.support import console
from takt.support.c.analysis import CanDeadlines, CanStream, Status, Verdict
from takt.support.durations import show
from takt.support.errors import UserError

_ITERATIONS = 100_000
_did: list[tuple[int, int]] = []  # the last that was enough: of a bus that is asked for many times it does again


@dataclass(frozen=True)
class Judged:
    """A bus with one setting: its messages, those that are high-speed first, their bounds and verdicts. `nodes`: what
    they keep to. `fixed`: the same messages with fixed identifiers in the order of their deadlines."""

    question: Question
    nodes: Nodes
    setting: Setting
    rows: list[Row]
    found: list[Bound]
    verdicts: list[Verdict]
    fixed: Answer

    @cached_property
    def late(self) -> list[int]:
        return [index for index, one in enumerate(self.verdicts) if one != Verdict.FEASIBLE]

    @property
    def feasible(self) -> bool:
        return not self.late

    @property
    def undecided(self) -> bool:
        return bool(self.late) and all(self.verdicts[index] == Verdict.UNDECIDED for index in self.late)

    @cached_property
    def largest(self) -> Fraction | None:
        """The largest response / deadline; None: some response has no bound."""
        shares = [Fraction(one.response_ns, row.deadline_ns) for one, row in zip(self.found, self.rows, strict=True)
                  if one.response_ns is not None]  # fmt: skip
        return max(shares, default=Fraction(0)) if len(shares) == len(self.rows) else None

    @property
    def tick_load(self) -> Fraction:
        return Fraction(tick(self.setting, self.question).send_ns, self.setting.epoch_ns)

    @property
    def load(self) -> Fraction:
        return self.fixed.load + self.tick_load

    def is_high(self, index: int) -> bool:
        return index < self.setting.high

    def number(self, index: int) -> int:
        """Its low-speed number, also of a high-speed message without an epoch, whose `unique` it is."""
        high = self.setting.high
        return index if index < high else (1 << self.setting.bus.layout.unique_bits) + index - high

    def identifier(self, index: int) -> int:
        """Its fixed identifier, also of a high-speed message without an epoch."""
        return protocol.low(self.setting.bus.layout, self.number(index))


def tick(setting: Setting, question: Question) -> Frame:
    """The ticks as a stream above all others."""
    send_ns = question.by_slow(setting.bus.plan.tick_max_ns)
    return Frame(send_ns, question.by_fast(setting.tick_period_ns), question.by_slow(setting.tick_jitter_ns))


def _high(setting: Setting, rows: Sequence[Row], question: Question, blocking_ns: int) -> list[tuple[Verdict, int]]:
    """Verdicts and responses of the high-speed messages. ValueError: a number is out of range."""
    count, above = setting.high, tick(setting, question)
    streams = (CanStream * count)(
        *(CanStream(row.send_ns, row.period_ns, row.deadline_ns, row.jitter_ns) for row in rows[:count])
    )
    known = CanDeadlines(
        streams=streams,
        stream_count=count,
        bit_ns=check.bus_of(question)[0],
        region_ns=setting.bus.region_ns,
        error_ns=setting.bus.plan.error_ns,
        blocking_ns=blocking_ns,
        above_ns=above.send_ns,
        above_period_ns=above.period_ns,
        above_jitter_ns=above.jitter_ns,
        iterations=_ITERATIONS,
    )
    verdicts, responses = (ctypes.c_uint32 * count)(), (ctypes.c_uint64 * count)()
    status = bounds.load().takt_analysis_can_deadlines(ctypes.byref(known), verdicts, responses)
    if status != Status.OK:
        raise ValueError(f"the analysis refuses the bus: {Status(status).name}")
    return [(Verdict(verdict), response) for verdict, response in zip(verdicts, responses, strict=True)]


def judge(setting: Setting, rows: list[Row], question: Question, nodes: Nodes, fixed: Answer) -> Judged | None:
    """`rows`: `in_order`. None: clocks differ by more than the least period, and nothing is known."""
    high, low = rows[: setting.high], rows[setting.high :]
    if setting.bus.plan.error_ns > min(row.period_ns for row in high):
        return None
    extended = bool(setting.bus.layout.extended)
    below = [Frame(extent_ns(one.size, question, extended), 0) for one in question.blocking]
    below.append(Frame(extent_ns(1, question, extended), 0))  # a filler
    blocking_ns = max(one.send_ns for one in [*(row.frame for row in low), *below])
    of_high = _high(setting, rows, question, blocking_ns)
    proved = all(verdict == Verdict.FEASIBLE for verdict, _ in of_high)
    verdicts = [verdict for verdict, _ in of_high]
    found = [Bound(Status.OK, response) if proved else Bound(Status.LIMIT, None) for _, response in of_high]
    if low:
        above = [tick(setting, question), *(row.frame for row in high)]
        bit_ns, errors = check.bus_of(question)
        of_all = bounds.responses([*above, *(row.frame for row in low), *below], bit_ns, errors)
        for row, bound in zip(low, of_all[len(above) : len(above) + len(low)], strict=True):
            found.append(bound)
            in_time = bound.response_ns is not None and bound.response_ns <= row.deadline_ns
            undecided = Verdict.UNDECIDED if bound.status == Status.LIMIT else Verdict.INFEASIBLE
            verdicts.append(Verdict.FEASIBLE if in_time else undecided)
    return Judged(question, nodes, setting, rows, found, verdicts, fixed)


def _better(one: Judged) -> tuple[int, Fraction, int, Fraction]:
    """The less, the better: of equals the one with fewer high-speed messages, and of these with fewer ticks."""
    largest = one.largest if one.largest is not None else Fraction(1 << 62)
    return len(one.late), largest, one.setting.high, one.tick_load


def refuse(question: Question, messages: Sequence[Message]) -> None:
    """UserError: what the condition does not know."""
    if question.errors.count or question.at_random is not None:
        raise UserError("errors: the condition for identifiers with deadlines counts none", "without errors")
    if not question.controllers.all_by_priority:
        raise UserError("nodes of the mixed traffic scheduler queue by priority", "without another controller")
    if question.fd or any(one.size > 8 for one in messages):
        raise UserError("FD frames: the mixed traffic scheduler has classic frames", "messages of at most 8 bytes")
    most = protocol.PPM_MAX // 2
    if question.drift_ppm > most:
        raise UserError(f"clocks that are wrong by {question.drift_ppm} ppm", f"a drift of {most} ppm, or less")


def choose(
    messages: Sequence[Message],
    question: Question,
    nodes: Nodes,
    epoch_ns: int | None = None,
    enough: bool = False,
) -> Judged:
    """Of messages with any identifiers. `epoch_ns`: the epoch is exactly so long. `enough`: any setting that proves
    will do. UserError: no setting is possible."""
    refuse(question, messages)
    extended = any(one.extended for one in messages)
    alike = [replace(one, extended=extended) for one in messages]
    question = replace(question, offsets=False)
    asked = check.answer(alike, question)
    fixed = check.of_rows(check.by_deadline(asked.rows), question, asked.left)
    rows = in_order(asked.rows)
    settings = Settings(rows, question, nodes)
    if not settings.carrying:
        raise UserError("no message's deadline fits into identifiers", "a deadline up to its period, and up to 1 s")
    settings.refuse_nodes()
    best: Judged | None = None
    tried = list(settings.all(epoch_ns))
    if enough:
        tried.sort(key=lambda one: (one.high, one.bus.regions) not in _did)
    with console.filling("choosing the epoch") as fill:
        for at, setting in enumerate(tried):
            fill(at / len(tried))
            found = judge(setting, rows, question, nodes, fixed)
            if found is not None and (best is None or _better(found) < _better(best)):
                best = found
            if enough and best is not None and best.feasible:
                _did[:] = [(best.setting.high, best.setting.bus.regions)]
                break
    if best is None:
        _refuse_epoch(settings, epoch_ns)
    return best


def _refuse_epoch(settings: Settings, epoch_ns: int | None) -> NoReturn:
    problem = "identifiers have no room for an epoch and these deadlines"
    if epoch_ns is None:
        raise UserError(problem, "shorter deadlines of the fast messages, fewer masters, or identifiers of 29 bits")
    possible = [one.epoch_ns for one in settings.all(None)]
    if not possible:
        _refuse_epoch(settings, None)
    hint = f"{show(min(possible))} to {show(max(possible))}, in whole us"
    raise UserError(f"no epoch can be {show(epoch_ns)} long", hint)
