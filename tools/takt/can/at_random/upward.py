# SPDX-License-Identifier: Apache-2.0
"""Arithmetic that never makes a probability too small: decimal numbers of 40 digits, >= 0. Sums, products and quotients
are rounded up, and exp, which the module decimal rounds correctly to the nearest, gets one more unit of the last digit.
What is subtracted is a mean from a count, rounded down, below a fraction."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal

UP = Context(prec=40, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
_DOWN = Context(prec=40, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
ZERO, ONE = Decimal(0), Decimal(1)
FALLING = 8  # times the mean: where terms fall that fast, what they add is within a seventh


def exp(power: Decimal) -> Decimal:
    """At least e^power."""
    return UP.next_plus(UP.exp(power))


def over_difference(number: Decimal, more: Decimal, less: Decimal) -> Decimal:
    """At least number / (more - less), where more > less."""
    return UP.divide(number, _DOWN.subtract(more, less))


def poisson(mean: Decimal) -> Iterator[Decimal]:
    """At least P(N = 0), P(N = 1) ... of a Poisson distribution."""
    term, count = exp(mean.copy_negate()), 0
    while True:
        yield term
        count += 1
        term = UP.divide(UP.multiply(term, mean), Decimal(count))


def tail(mean: Decimal, count: int, term: Decimal) -> Decimal:
    """At least P(N >= count) of a Poisson distribution, where `term` is at least P(N = count). Terms are summed until
    they fall; from P(N = n) on each is at most mean / (n + 1) times the one before it."""
    if count == 0:
        return ONE
    total, after = ZERO, Decimal(count + 1)
    while UP.multiply(mean, Decimal(FALLING)) > after:
        total = UP.add(total, term)
        term = UP.divide(UP.multiply(term, mean), after)
        after += 1
    return min(ONE, UP.add(total, over_difference(UP.multiply(term, after), after, mean)))


def binary(number: Decimal) -> float:
    """The least floating-point number that is not less."""
    found = float(number)
    return found if Decimal(found) >= number else math.nextafter(found, math.inf)
