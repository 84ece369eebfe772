# SPDX-License-Identifier: Apache-2.0
"""Where the signals of a message lie, and what their bits mean, in integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any

from takt.can.messages import FD_BYTES, Message

BITS_MAX = 64  # of a signal
_FLOATS = (32, 64)
_INT64 = range(-(1 << 63), 1 << 63)


@dataclass(frozen=True)
class Piece:
    """Bits of a signal within one byte: `width` bits from bit `low` on are those of its raw value from `shift` on."""

    byte: int
    low: int
    width: int
    shift: int


@dataclass(frozen=True)
class Scale:
    """A raw value r stands for (r * factor + offset) / divisor, exactly."""

    factor: int = 1
    offset: int = 0
    divisor: int = 1

    def value(self, raw: int) -> int:
        """In units of 1 / divisor."""
        return raw * self.factor + self.offset


@dataclass(frozen=True)
class Signal:
    """A signal. `raw`: values of its bits. `scale`: None where the physical value in integers needs more than 64 bits,
    and of a float: then the field has what the bits say. `selector`, `selected`: it is there when the raw value of that
    signal is one of these; None: always. `names`: of raw values."""

    name: str
    pieces: tuple[Piece, ...]
    bits: int
    raw: range
    floating: bool
    scale: Scale | None
    unit: str
    selector: str | None
    selected: tuple[int, ...]
    names: tuple[tuple[int, str], ...]

    @property
    def values(self) -> range:
        """Least and greatest value of its field, as a range that ends behind it."""
        if self.scale is None:
            return self.raw
        ends = sorted((self.scale.value(self.raw[0]), self.scale.value(self.raw[-1])))
        return range(ends[0], ends[1] + 1)


@dataclass(frozen=True)
class Layout:
    """A message with its signals, selectors before what they select."""

    message: Message
    signals: tuple[Signal, ...]


@dataclass(frozen=True)
class Refused:
    """A message that gets no code, and why."""

    name: str
    reason: str


def of(message: Message, found: Any) -> Layout | Refused:
    """Of a message as cantools has it."""
    selectors = frozenset(one.name for one in found.signals if one.is_multiplexer)
    reasons = [_reason(message, found), *(_reason_of(one, selectors) for one in found.signals)]
    if any(reasons):
        return Refused(message.name, next(filter(None, reasons)))
    signals = {one.name: _signal(one) for one in found.signals}
    reason = _beyond(message, signals.values()) or _overlap(signals)
    if reason is not None:
        return Refused(message.name, reason)
    return Layout(message, tuple(sorted(signals.values(), key=lambda one: _depth(signals, one))))


def _reason(message: Message, found: Any) -> str | None:
    """Why it gets no code, as far as single signals do not matter."""
    if getattr(found, "is_container", False):
        return "a container of other messages"
    if message.size > FD_BYTES:
        return f"more than {FD_BYTES} bytes"
    names = {one.name for one in found.signals}
    if len(names) != len(found.signals):
        return "two signals of one name"
    return None if names else "no signals"


def _reason_of(one: Any, selectors: frozenset[str]) -> str | None:
    """Of a signal, of a message in which these select others."""
    if one.is_float and one.length not in _FLOATS:
        return f'signal "{one.name}": a floating-point number of {one.length} bits'
    if not 1 <= one.length <= BITS_MAX:
        return f'signal "{one.name}": {one.length} bits'
    if one.multiplexer_ids and one.multiplexer_signal not in selectors:
        return f'signal "{one.name}": nothing says which signal selects it'
    return None


def _depth(signals: Mapping[str, Signal], one: Signal) -> int:
    """How many signals select each other before it. No more than there are: a circle is none that ends."""
    depth = 0
    while one.selector is not None and depth <= len(signals):
        one = signals[one.selector]
        depth += 1
    return depth


def _beyond(message: Message, signals: Iterable[Signal]) -> str | None:
    for one in signals:
        last = max(piece.byte for piece in one.pieces)
        if last >= message.size:
            return f'signal "{one.name}" ends in byte {last}, but the message has {message.size}'
    return None


def _overlap(signals: Mapping[str, Signal]) -> str | None:
    """Two signals that can be there at once have a bit in common."""
    owners: dict[tuple[int, int], list[Signal]] = {}
    for one in signals.values():
        if _depth(signals, one) > len(signals):
            return f'signal "{one.name}" selects itself'
        for piece in one.pieces:
            for bit in range(piece.low, piece.low + piece.width):
                for other in owners.setdefault((piece.byte, bit), []):
                    if not _exclude(signals, one, other):
                        return f'signals "{other.name}" and "{one.name}" have bit {bit} of byte {piece.byte} in common'
                owners[piece.byte, bit].append(one)
    return None


def _conditions(signals: Mapping[str, Signal], one: Signal) -> dict[str, frozenset[int]]:
    """Of each signal that selects it, directly or not: the raw values that do."""
    found: dict[str, frozenset[int]] = {}
    while one.selector is not None:
        found[one.selector] = frozenset(one.selected)
        one = signals[one.selector]
    return found


def _exclude(signals: Mapping[str, Signal], one: Signal, other: Signal) -> bool:
    ours, theirs = _conditions(signals, one), _conditions(signals, other)
    return any(not ours[name] & theirs[name] for name in ours.keys() & theirs.keys())


def _signal(found: Any) -> Signal:
    raw = range(-(1 << found.length - 1), 1 << found.length - 1) if found.is_signed else range(1 << found.length)
    selected = tuple(sorted(set(found.multiplexer_ids or ())))
    return Signal(
        name=found.name,
        pieces=tuple(_pieces(found.start, found.length, found.byte_order == "little_endian")),
        bits=found.length,
        raw=raw,
        floating=bool(found.is_float),
        scale=None if found.is_float else _scale(found.conversion, raw),
        unit=" ".join((found.unit or "").split()),
        selector=found.multiplexer_signal if selected else None,
        selected=selected,
        names=tuple((int(value), str(name)) for value, name in (found.choices or {}).items() if int(value) in raw),
    )


def _pieces(start: int, length: int, little: bool) -> list[Piece]:
    """`start`: of its lowest bit, or in the other byte order of its highest. Bits of a byte are numbered from its
    lowest."""
    found: list[Piece] = []
    left = length
    byte, bit = divmod(start, 8)
    while left:
        if little:
            width = min(left, 8 - bit)
            found.append(Piece(byte, bit, width, length - left))
            bit = 0
        else:
            width = min(left, bit + 1)
            found.append(Piece(byte, bit + 1 - width, width, left - width))
            bit = 7
        byte += 1
        left -= width
    return found


def _exact(number: Any) -> Fraction:
    """As the file writes it: the shortest decimal number that is this one."""
    return Fraction(Decimal(repr(number))) if isinstance(number, float) else Fraction(number)


def _scale(conversion: Any, raw: range) -> Scale | None:
    """None: a value, or a step on the way to it, needs more than 64 bits, or the factor is 0."""
    try:
        factor, offset = _exact(conversion.scale), _exact(conversion.offset)
    except (ValueError, OverflowError, ArithmeticError):  # infinite, or no number
        return None
    divisor = lcm(factor.denominator, offset.denominator)
    scale = Scale(int(factor * divisor), int(offset * divisor), divisor)
    if scale == Scale():
        return scale
    ends = [scale.value(end) for end in (raw[0], raw[-1])]
    steps = [*ends, *(end - scale.offset for end in ends), scale.offset, 2 * scale.factor, divisor]
    half = abs(scale.factor) // 2
    room = all(step - half in _INT64 and step + half in _INT64 for step in steps)
    return scale if scale.factor and room and raw[-1] in _INT64 else None
