# SPDX-License-Identifier: Apache-2.0
"""Messages of the log (takt/log.h), formatted as C's printf formats them. Standard library only, as takt.trace.records.

A message of a trace is a number and words; `Message`, read from the image (takt.observe.log_texts), says what they
mean.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

LEVELS = ("none", "error", "warning", "info", "debug", "mark_begin", "mark_end")  # enum takt_log_level
_CONVERSION = re.compile(
    r"%(?:(?P<position>\d+)\$)?(?P<flags>[-+ #0']*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?"
    r"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>[a-zA-Z%])"
)
_SHORT = {"hh": 1, "h": 2}  # bytes that the length leaves of an int
_LONGEST = 1000  # characters of a field


class Message(NamedTuple):
    """What the image says of a message. `sizes`: of its arguments, bytes."""

    level: str  # of LEVELS
    module: str  # "": none
    file: str
    line: int
    format: str
    sizes: tuple[int, ...]

    def where(self) -> str:
        """The module, or the file with its line."""
        return self.module or f"{self.file}:{self.line}"


def text(message: Message, words: Sequence[int], strings: Mapping[int, str]) -> str:
    """The message with its arguments. `strings`: what `%s` finds at an address; of others the address is shown.

    An argument whose words are not there is shown as `?`.
    """
    every = list(_arguments(message.sizes, words))
    arguments = iter(every)

    def one(found: re.Match[str]) -> str:
        if found["kind"] == "%":
            return "%"
        width = _number(found["width"], arguments)
        precision = _number(found["precision"], arguments)
        flags = found["flags"].replace("'", "")  # nothing is grouped, as in the locale of C
        if width is not None and width < 0:
            flags, width = flags + "-", -width
        raw = _argument(found["position"], every, arguments)
        if raw is None or (width or 0) > _LONGEST or (precision or 0) > _LONGEST:
            return "?"
        value = _value(found["kind"], found["length"], raw, strings)
        kind = {"i": "d", "u": "d"}.get(found["kind"], found["kind"])
        if kind in "dxXo" and value == 0 and precision == 0:
            value = ""
        elif kind == "o" and "#" in flags:  # of Python it would begin with 0o
            value = f"{'0' if value else ''}{value:o}"
        if isinstance(value, str):
            kind, precision = "s", precision if found["kind"] == "s" else None
        digits = "" if precision is None or precision < 0 else f".{precision}"
        shown = f"%{flags}{width or ''}{digits}{kind}"
        try:
            return str(shown % value)
        except (ValueError, TypeError, OverflowError):
            return "?"

    return _CONVERSION.sub(one, message.format)


def addresses(message: Message, words: Sequence[int]) -> Iterator[int]:
    """Of the strings that `%s` of a message refers to."""
    every = list(_arguments(message.sizes, words))
    arguments = iter(every)
    for found in _CONVERSION.finditer(message.format):
        if found["kind"] == "%":
            continue
        taken = [next(arguments, None) for part in ("width", "precision") if found[part] == "*"]
        raw = _argument(found["position"], every, arguments)
        if found["kind"] == "s" and raw is not None and None not in taken:
            yield int.from_bytes(raw, "little")


def refers(message: Message) -> bool:
    """Whether it has a string that is found by its address."""
    return any(found["kind"] == "s" for found in _CONVERSION.finditer(message.format))


def _arguments(sizes: Sequence[int], words: Sequence[int]) -> Iterator[bytes]:
    """The bytes of each argument, as long as there are words."""
    content = struct.pack(f"<{len(words)}I", *words)
    offset = 0
    for size in sizes:
        if offset + size > len(content):
            return
        yield content[offset : offset + size]
        offset += size  # whole words: arguments are int at the least


def _argument(position: str | None, every: Sequence[bytes], arguments: Iterator[bytes]) -> bytes | None:
    """The next, or the one that `%N$` names."""
    if position is None:
        return next(arguments, None)
    return every[int(position) - 1] if 0 < int(position) <= len(every) else None


def _number(part: str | None, arguments: Iterator[bytes]) -> int | None:
    """A width or precision; `*` takes an argument."""
    if part is None:
        return None
    if part == "*":
        raw = next(arguments, None)
        return None if raw is None else int.from_bytes(raw, "little", signed=True)
    return int(part or 0)


def _value(kind: str, length: str | None, raw: bytes, strings: Mapping[int, str]) -> Any:
    """What the conversion shows of an argument."""
    if kind in "diuxXo":
        return int.from_bytes(raw[: _SHORT.get(length or "", len(raw))], "little", signed=kind in "di")
    if kind in "fFeEgGaA" and len(raw) in (4, 8):
        value = struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0]
        return value.hex() if kind in "aA" else value
    if length is not None and kind in "cs":  # of wide characters
        return "?"
    address = int.from_bytes(raw, "little")
    texts = {
        "c": chr(raw[0]) if raw[0] >= 32 else f"\\x{raw[0]:02x}",
        "s": "(null)" if not address else strings.get(address, f"<{address:#x}>"),
        "p": f"{address:#x}",
    }
    return texts.get(kind, "?")
