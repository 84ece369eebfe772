# SPDX-License-Identifier: Apache-2.0
"""How often errors come that are independent of each other."""

from __future__ import annotations

import re
from decimal import Decimal

from takt.can.at_random.upward import ONE, UP, over_difference
from takt.can.bounds import ErrorRate
from takt.support.errors import UserError

PREFIX = "random:"
PER_SECOND_MAX, PER_BIT_MAX = Decimal(1_000_000), Decimal("0.1")
_RATE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,2})?)\s*(/s)?")


def mean(rate: ErrorRate, time_ns: int, bits_per_second: int) -> Decimal:
    """Of a Poisson distribution that has no fewer errors than come in a time so long, on a wire with so many bits a
    second. Of bits: 0 or 1 errors with the probability p are no more than a Poisson distribution has with the mean
    -ln(1 - p), which is at most p / (1 - p); in the usual stochastic order, and so are the sums."""
    if rate.per_second:
        return UP.divide(UP.multiply(rate.value, Decimal(time_ns)), Decimal(1_000_000_000))
    bits = Decimal(-(-time_ns * bits_per_second // 1_000_000_000) + 1)
    return over_difference(UP.multiply(bits, rate.value), ONE, rate.value)


def is_random(text: str) -> bool:
    return text.strip().startswith(PREFIX)


def parse(text: str) -> ErrorRate:
    """random:1e-7: of the bits; random:10/s. UserError: it is neither."""
    found = _RATE.fullmatch(text.strip().removeprefix(PREFIX).strip())
    if found is None:
        raise UserError(f'"{text[:60]}" is no rate of random errors', "random:1e-7 (of the bits), or random:10/s")
    value, per_second = Decimal(found[1]), found[2] is not None
    most = PER_SECOND_MAX if per_second else PER_BIT_MAX
    if not 0 < value <= most:
        unit = "/s" if per_second else " of the bits"
        raise UserError(f"{text[:60]}", f"above 0, at most {most}{unit}")
    return ErrorRate(value, per_second, f"{found[1]}/s" if per_second else f"{found[1]} of the bits")
