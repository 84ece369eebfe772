# SPDX-License-Identifier: Apache-2.0
"""Errors at random: an upper bound of the probability that an instance of a message misses its deadline.

No response has a bound then, since any number of errors may come. With k errors from the begin of its busy period on a
response is at most R_k (analysis_can.h), and the busy period ends after W_k at the latest. Let K be a number with
R_K <= D. An instance that misses has not been sent at its deadline d = nominal release + D, so its busy period, which
began at s, has not ended then. Were the errors in [s, d) no more than K, all would go as it does with these alone, and
the instance would be sent by d. So their number is some k > K, and d - s < W_k. A miss therefore requires that for some
k > K the window [d - W_k, d) has k errors or more. These windows depend on the release alone, not on the errors, and
are nested, so the probability that one of them has so many is found without counting any twice: window by window, by
the number of errors so far.

An error before s may still occupy the bus at s, by its error flag or at the end of the frame of lower priority that
blocks. It counts as one of the k: each window is longer by that frame and two error frames.

Compare Navet, Song and Simonot 2000, "Worst-case deadline failure probability in real-time applications distributed
over controller area network", Journal of Systems Architecture 46, and Broster, Burns and Rodriguez-Navas 2002,
"Probabilistic analysis of CAN with faults", RTSS, with one window for all k: that of the response with K errors, or
those up to the next error. There the errors that a busy period brings along from before the release do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from takt.can import bounds, check
from takt.can.at_random.rate import mean
from takt.can.at_random.upward import ONE, UP, ZERO, exp, over_difference, poisson, tail
from takt.can.bounds import ErrorRate
from takt.can.check import Answer, Row
from takt.support.durations import MAX_NS

ERRORS = (*range(17), *(16 * 2**power + part * 2 ** (power + 2) for power in range(6) for part in range(1, 5)))
"""Numbers of errors of which it is asked whether a message tolerates them: fewer than it tolerates are safe."""
WINDOWS_MAX = 60
DEPTH = 24
"""Of numbers of errors in a window that are counted apart. Fewer count as the least of these, which is safe."""
ENOUGH = Decimal("0.001")  # share of the sum that the windows may have which are bounded together


@dataclass(frozen=True)
class Miss:
    """`tolerated`: errors in the busy period with which the deadline is proved, up to 16 the most; -1: not even
    without. `probability`: at least that of a miss."""

    tolerated: int
    probability: Decimal


@dataclass(frozen=True)
class Level:
    """The messages that a busy period consists of, what blocks it, and what one error costs in it at most."""

    rows: Sequence[Row]
    blocking_ns: int
    frame_ns: int  # of an error, with its intermission

    @cached_property
    def error_ns(self) -> int:
        return self.frame_ns + max(row.send_ns for row in self.rows)

    @cached_property
    def carried_ns(self) -> int:
        """The time before a busy period in which errors may come that still occupy the bus in it."""
        return self.blocking_ns + 2 * self.frame_ns

    @cached_property
    def _send_ns(self) -> dict[tuple[int, int], int]:
        """Of rows with the same period and jitter together."""
        found: dict[tuple[int, int], int] = {}
        for row in self.rows:
            key = (row.period_ns, row.jitter_ns)
            found[key] = found.get(key, 0) + row.send_ns
        return found

    @cached_property
    def spare(self) -> Fraction:
        """What they leave of the bus."""
        return 1 - sum((Fraction(send_ns, period_ns) for (period_ns, _), send_ns in self._send_ns.items()), Fraction(0))

    def window_ns(self, errors: int) -> int:
        """The longest busy period with so many errors, and the time before it in which they may come; spare > 0."""
        own = self.blocking_ns + errors * self.error_ns
        time = own + sum(self._send_ns.values())
        while True:
            later = own + sum(-(-(time + jitter) // period) * send for (period, jitter), send in self._send_ns.items())
            if later <= time:
                return time + self.carried_ns
            time = later

    @cached_property
    def _once_ns(self) -> Fraction:
        """What each row may add to its share of a time."""
        sends = self._send_ns.items()
        return sum((send * (1 + Fraction(jitter, period)) for (period, jitter), send in sends), Fraction(0))

    def slope_ns(self, errors: int) -> int:
        """At least window_ns(k) / k for every k >= errors."""
        busy = ((self.blocking_ns + self._once_ns) / errors + self.error_ns) / self.spare
        return int(busy + Fraction(self.carried_ns, errors)) + 1


def tolerated(asked: Answer) -> list[int]:
    """Of each message how many errors in its busy period do not make it late; -1: it may be late without any."""
    found = [-1] * len(asked.rows)
    last = -1
    for count in ERRORS:
        errors = bounds.Errors(count, MAX_NS, 0) if count else bounds.NO_ERRORS
        answer = check.of_rows(asked.rows, replace(asked.question, errors=errors), asked.left)
        for index in range(len(found)):
            if found[index] == last and answer.holds(index):
                found[index] = count
        if count not in found:
            break
        last = count
    return found


def probability(level: Level, count: int, rate: ErrorRate, bits_per_second: int) -> Decimal:
    """At least that some window of k > count errors has k errors or more."""
    if count < 0 or level.spare <= 0:
        return ONE
    last, total = ZERO, ZERO
    before = {0: ONE}  # of numbers of errors in the window: at least the probability of it, and of no miss so far
    for k in range(count + 1, count + 1 + WINDOWS_MAX):
        errors = mean(rate, level.window_ns(k), bits_per_second)
        step = max(ZERO, UP.subtract(errors, last))  # those that the longer window adds
        last = errors
        terms = [term for term, _ in zip(poisson(step), range(k + 1), strict=False)]
        for number, chance in before.items():
            total = UP.add(total, UP.multiply(chance, tail(step, k - number, terms[k - number])))
        before = _after(before, terms, k)
        rest = _beyond(level, k + 1, rate, bits_per_second)
        if total >= ONE or rest <= UP.multiply(total, ENOUGH):
            break
    return min(ONE, UP.add(total, rest))


def _after(before: Mapping[int, Decimal], terms: Sequence[Decimal], k: int) -> dict[int, Decimal]:
    """The numbers below k after one more step."""
    least = max(0, k - DEPTH)
    found = dict.fromkeys(range(least, k), ZERO)
    for number, chance in before.items():
        for more in range(k - number):
            to = max(least, number + more)
            found[to] = UP.add(found[to], UP.multiply(chance, terms[more]))
    return found


def _beyond(level: Level, first: int, rate: ErrorRate, bits_per_second: int) -> Decimal:
    """At least the sum over k >= first of P(k errors or more in their window): by Chernoff (x e^(1 - x))^k, where the
    mean is at most x k, x < 1."""
    time_ns = first * level.slope_ns(first) + level.frame_ns  # more, since of each window the bits are rounded up
    share = UP.divide(mean(rate, time_ns, bits_per_second), Decimal(first))
    if share >= ONE:
        return ONE
    ratio = UP.multiply(share, exp(UP.subtract(ONE, share)))
    power = ONE
    for _ in range(first):
        power = UP.multiply(power, ratio)
    return ONE if ratio >= ONE else over_difference(power, ONE, ratio)


def misses(asked: Answer, rate: ErrorRate) -> list[Miss]:
    """Of each message."""
    question, rows = asked.question, asked.rows
    fastest = max(question.rate.nominal, question.rate.data or 0)
    bits_per_second = -(-fastest * (check.PPM + question.drift_ppm) // check.PPM)
    frame_ns = check.ERROR_BITS * check.bus_of(question)[0]
    only_block = [frame.send_ns for frame in check.blocking(question)]
    found = []
    for index, count in enumerate(tolerated(asked)):
        # With other queues than those by priority: the busy period of the whole bus.
        end = index + 1 if question.controllers.all_by_priority else len(rows)
        below = [row.send_ns for row in rows[end:]] + only_block
        level = Level(rows[:end], max(below, default=0), frame_ns)
        found.append(Miss(count, probability(level, count, rate, bits_per_second)))
    return found


def per_hour(rows: Sequence[Row], found: Sequence[Miss]) -> Decimal:
    """At least the mean number of missed deadlines in an hour, over a long time."""
    total = ZERO
    for row, one in zip(rows, found, strict=True):
        total = UP.add(total, UP.divide(UP.multiply(one.probability, Decimal(3600 * 10**9)), Decimal(row.period_ns)))
    return total
