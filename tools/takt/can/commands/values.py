# SPDX-License-Identifier: Apache-2.0
"""What the words of options say, of `takt can` and of the keys of [[can]] that are called like them."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from takt.support import durations
from takt.support.errors import UserError

if TYPE_CHECKING:
    from takt.can.bounds import ErrorRate, Errors
    from takt.can.check import Jitter
    from takt.can.identifiers.assign import Range
    from takt.can.mts.settings import Nodes

RATE_MIN, RATE_MAX, DATA_RATE_MAX = 1_000, 1_000_000, 10_000_000
COUNT_MAX = 1_000_000
_PERCENT = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*%")
_ERRORS = re.compile(r"(?:([0-9]{1,7})\s*/)?([^/]+)(?:/([^/]+))?")
_RANGE = re.compile(r"0[xX]([0-9a-fA-F]{1,8})(?:-0[xX]([0-9a-fA-F]{1,8}))?")
_STANDARD_DIGITS = 3
HANDLERS = 3


def bit_rate(text: str, most: int) -> int:
    """In bit/s, of 500k, 83.333k, 500 kbit/s, 1M or 500000. UserError: it is none, or no bus has it."""
    try:
        rate = durations.bit_rate(text, bare=True)
    except UserError:
        raise UserError(f'"{text}" is no bit rate', "500k, 1M or 500000") from None
    if not RATE_MIN <= rate <= most:
        raise UserError(f"{text} is no bit rate of a bus", f"{RATE_MIN // 1000}k to {most // 1_000_000}M")
    return rate


def jitter(text: str) -> Jitter:
    """A share of the period (10%) or a time (500us)."""
    from takt.can.check import Jitter

    found = _PERCENT.fullmatch(text.strip())
    return Jitter(share=Fraction(found[1]) / 100) if found else Jitter(ns=durations.parse(text))


def errors(text: str) -> tuple[Errors, ErrorRate | None]:
    """TIME: at least that between two errors; N/TIME: at most N in any such time; N/TIME/LENGTH: bursts of at most N
    errors within LENGTH, their beginnings at least TIME apart; random:RATE: no bound, but a rate."""
    from takt.can.at_random import rate
    from takt.can.bounds import NO_ERRORS, Errors

    if rate.is_random(text):
        return NO_ERRORS, rate.parse(text)
    found = _ERRORS.fullmatch(text.strip())
    if found is None:
        raise UserError("no bound on errors", "10ms, 3/100ms, 3/100ms/2ms, or random:1e-7")
    count = int(found[1] or 1)
    if not 1 <= count <= COUNT_MAX:
        raise UserError(f"{count} errors", f"1 to {COUNT_MAX}")
    burst_ns = durations.parse(found[3]) if found[3] else 0
    return Errors(count, durations.parse(found[2], positive=True), burst_ns), None


def handlers(text: str | None, masters: int | None) -> Nodes:
    """REACT/COMPUTE/WRITE; None: as it is by default, as for `masters`."""
    from takt.can.mts.protocol import TIME_MAX_NS
    from takt.can.mts.settings import Nodes

    usual = Nodes()
    usual = replace(usual, masters=usual.masters if masters is None else masters)
    if text is None:
        return usual
    parts = [durations.parse(one) for one in text.split("/")]
    if len(parts) != HANDLERS:
        raise UserError(f'"{text}" is not three times', "5us/40us/20us: to react, to compute, to write")
    if max(parts) > TIME_MAX_NS:
        raise UserError(f"{durations.show(max(parts))} is too long", "up to 1 s")
    return replace(usual, react_ns=parts[0], prepare_ns=parts[1], write_ns=parts[2])


def identifiers(text: str) -> Range:
    """0x100-0x6FF; with more than three digits of 29 bits."""
    from takt.can.identifiers.assign import Range
    from takt.can.messages import EXTENDED_MAX, ID_MAX

    found = _RANGE.fullmatch(text.strip())
    if found is None:
        raise UserError(f'"{text}" is no range of identifiers', "0x100-0x6FF")
    first, last = found[1], found[2] or found[1]
    extended = max(len(first), len(last)) > _STANDARD_DIGITS
    low, high, most = int(first, 16), int(last, 16), EXTENDED_MAX if extended else ID_MAX
    if high > most:
        raise UserError(f"{text} is beyond 0x{most:X}", f"up to 0x{most:X}")
    if low > high:
        raise UserError(f"{text} ends before it begins", f"0x{last}-0x{first}")
    return Range(low, high, extended)
