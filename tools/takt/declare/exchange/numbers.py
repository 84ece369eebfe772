# SPDX-License-Identifier: Apache-2.0
"""Numbers of other tools' files as exact fractions, and their times as whole nanoseconds, rounded to the safe side."""

from __future__ import annotations

import re
from fractions import Fraction

from takt.declare.exchange.model import Source, quoted
from takt.support.durations import MAX_NS, UNITS_NS

_NUMBER = re.compile(r"([+-]?)([0-9]{1,60})(?:\.([0-9]{0,60}))?(?:[eE]([+-]?[0-9]{1,6}))?")
_EXPONENT_MAX = 120  # MAST writes 1.0E+100 for "never"
_ALIASES = {
    "nanoseconds": "ns",
    "nsec": "ns",
    "µs": "us",
    "μs": "us",
    "microseconds": "us",
    "usec": "us",
    "milliseconds": "ms",
    "msec": "ms",
    "sec": "s",
    "seconds": "s",
    "minutes": "min",
}


def unit_ns(word: str) -> int | None:
    """Nanoseconds of a unit; None: it is none. Picoseconds are not read: no clock of ours has them."""
    name = word.strip().lower()
    return UNITS_NS.get(_ALIASES.get(name, name))


def number(source: Source, line: int, label: str, text: str) -> Fraction:
    """A number that is not negative. UserError: it is none."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        kind = "not a number" if len(text) <= 60 else "not a number, or one of too many digits"
        source.fail(line, f"{label} = {quoted(text)}: {kind}", "digits, such as 20 or 1.5")
    sign, whole, fraction, exponent = match[1], match[2], match[3] or "", int(match[4] or 0)
    if abs(exponent) > _EXPONENT_MAX:
        source.fail(line, f"{label} = {quoted(text)}: out of range", f"at most {MAX_NS} ns")
    value = Fraction(int(whole + fraction), 10 ** len(fraction)) * Fraction(10) ** exponent
    if sign == "-" and value:
        source.fail(line, f"{label} = {quoted(text)}: must not be negative", "0 or more")
    return value


def whole(source: Source, line: int, label: str, text: str, low: int, high: int) -> int:
    """An integer in a range. UserError: it is none."""
    value = number(source, line, label, text)
    if value.denominator != 1 or not low <= value <= high:
        source.fail(line, f"{label} = {quoted(text)}: expected an integer {low} to {high}", str(low))
    return int(value)


def longest(source: Source, line: int, label: str, value_ns: Fraction, positive: bool = False) -> int:
    """A time that is charged, such as a wcet: rounded up. UserError: too long, or 0 where it must not be."""
    return _within(source, line, label, -(-value_ns.numerator // value_ns.denominator), positive)


def shortest(source: Source, line: int, label: str, value_ns: Fraction, positive: bool = False) -> int:
    """A distance or a deadline: rounded down."""
    return _within(source, line, label, value_ns.numerator // value_ns.denominator, positive)


def _within(source: Source, line: int, label: str, value_ns: int, positive: bool) -> int:
    if value_ns > MAX_NS:
        source.fail(line, f"{label}: longer than {MAX_NS} ns, the longest time that Takt supports", "a shorter time")
    if positive and value_ns == 0:
        source.fail(line, f"{label}: must be at least 1 ns", "a longer time")
    return value_ns
