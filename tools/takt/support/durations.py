# SPDX-License-Identifier: Apache-2.0
"""Durations as text with a unit ("250 us") and as integer nanoseconds; bit rates ("500 kbit/s", "500k"). Exact, without
floating point."""

from __future__ import annotations

import re

from takt.support.c.analysis import TIME_MAX_NS
from takt.support.errors import UserError, did_you_mean

UNITS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000}
MAX_NS = TIME_MAX_NS  # sums of two stay within the analysis' 64 bits
DRIFT_MAX_PPM = 5_000
"""What resynchronization makes up for with usual bit timings (takt_can_timing_tolerance_ppm: 4 quanta of 16 in each
phase segment and in a jump: 7352)."""
MARGIN_PERCENT = 20  # that a measured time gets, as long as nothing else is asked for

_ALIASES = {"µs": "us", "μs": "us", "usec": "us", "msec": "ms", "sec": "s", "m": "min", "hour": "h", "nsec": "ns"}
_BITS = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9}
_PREFIXES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
_RATE = re.compile(r"([0-9]{1,13})(?:\.([0-9]{1,9}))?\s*(\S*)", re.ASCII)
_RATE_UNIT = re.compile(r"([kKMG]?)(?:bit/s|bps|bit)?")
_SHAPE = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]+))?\s*([^\W\d_]*)")


def parse(text: str, *, positive: bool = False) -> int:
    """Nanoseconds of a duration such as "1.2 ms"; `positive`: not 0. Raises UserError: what is wrong, what to try."""
    match = _SHAPE.fullmatch(text.strip())
    if not match:
        raise UserError("not a duration", 'a number and a unit, such as "250 us", "1.2 ms" or "20 ms"')
    sign, whole, fraction, unit = match[1], match[2], match[3] or "", match[4]
    if positive and not (whole + fraction).strip("0"):
        raise UserError("must be longer than zero", 'at least "1 ns"')
    if sign == "-":
        raise UserError(
            "a duration cannot be negative", f'"{whole}{"." + fraction if fraction else ""} {unit or "ms"}"'
        )
    if not unit:
        raise UserError("the unit is missing", f'"{text.strip()} ms" (units: {", ".join(UNITS_NS)})')
    if unit not in UNITS_NS:
        known = _ALIASES.get(unit.lower()) or unit.lower()
        hint = f'"{known}"' if known in UNITS_NS else did_you_mean(unit, UNITS_NS)
        raise UserError(f'unknown unit "{unit}"', f"{hint} (units: {', '.join(UNITS_NS)})")
    return _nanoseconds(whole, fraction, unit)


def _nanoseconds(whole: str, fraction: str, unit: str) -> int:
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    scale: int = 10 ** len(fraction[:20])
    nanoseconds, rest = divmod(int(whole[:20] + fraction[:20]) * UNITS_NS[unit], scale)
    if (rest or len(fraction) > 20) and len(whole) <= 20:
        raise UserError(
            "a fraction of a nanosecond", f'a whole number of ns, "{nanoseconds} ns" or "{nanoseconds + 1} ns"'
        )
    if nanoseconds > MAX_NS or len(whole) > 20:
        raise UserError(f"longer than {MAX_NS} ns, the longest duration that Takt supports", "a shorter duration")
    return nanoseconds


def bit_rate(text: str, *, bare: bool = False) -> int:
    """Bits in a second of "500 kbit/s", "500k" or "83.333 kbps"; `bare`: also of "500000". Raises UserError."""
    match = _RATE.fullmatch(text.strip())
    if not match:
        raise UserError("not a rate", 'a number and a unit, such as "100 Mbit/s"')
    whole, fraction, unit = match[1], match[2] or "", match[3]
    known = _RATE_UNIT.fullmatch(unit)
    if known is None or not (unit or bare):
        problem = f'unknown unit "{unit}"' if unit else "the unit is missing"
        raise UserError(problem, f"{did_you_mean(unit, _BITS)} (units: {', '.join(_BITS)})")
    scale: int = 10 ** len(fraction)
    bits, rest = divmod(int(whole + fraction) * _PREFIXES[known[1]], scale)
    if rest:
        raise UserError("finer than a bit in a second", f'"{bits} bit/s"')
    return bits


def show(nanoseconds: int) -> str:
    """The shortest exact text: the largest unit that needs at most three decimals. `parse(show(n)) == n`."""
    for unit in ("s", "ms", "us"):
        size = UNITS_NS[unit]
        if nanoseconds >= size and nanoseconds * 1000 % size == 0:
            text = f"{nanoseconds // size}.{nanoseconds % size * 1000 // size:03d}"
            return f"{text.rstrip('0').rstrip('.')} {unit}"
    return f"{nanoseconds} ns"


def brief(nanoseconds: int) -> str:
    """A measured time for people: four digits and a unit."""
    for unit in ("s", "ms", "us"):
        if nanoseconds >= UNITS_NS[unit]:
            return f"{nanoseconds / UNITS_NS[unit]:.4g} {unit}"
    return f"{nanoseconds} ns"


def with_margin(seen_ns: int, margin_percent: int) -> int:
    """`seen_ns` and the margin, rounded up to two digits, at least a microsecond."""
    wanted = max(1000, -(-seen_ns * (100 + margin_percent) // 100))
    unit = int(10 ** max(0, len(str(wanted)) - 2))
    return -(-wanted // unit) * unit
