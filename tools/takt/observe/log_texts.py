# SPDX-License-Identifier: Apache-2.0
"""The texts of the log in an image: section takt_log (runner/log.ld), laid out by the macros of takt/log.h. Standard
library only: gdb's Python reads them, too."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from takt.support import files
from takt.support.c.traces import Event
from takt.trace.log import LEVELS, Message, addresses
from takt.trace.records import Entry, Names

_HEAD = struct.Struct("<HB9s")  # line, level, sizes of arguments and a 0; then module, file and format, each with its 0
_STRING_MAX = 200  # bytes of a string that is looked up


def read(image: Path) -> dict[int, Message]:
    """The messages of an image, by the number that records have of them; none where it has no log."""
    return dict(_messages(files.elf_section(files.read(image), "takt_log") or b""))


def into(names: Names, image: Path, entries: Iterable[Entry]) -> Names:
    """The names of a trace with those of its messages, and the strings that they refer to."""
    log = read(image)
    if not log:
        return names
    written = (entry for entry in entries if entry.event is Event.LOG and entry.value in log)
    used = {address for entry in written for address in addresses(log[entry.value], entry.words)}
    return replace(names, log=log, strings=strings(image, used))


def of_image(names: Names, image: Path) -> Names:
    """The names of a trace with the messages of its image; of strings none yet."""
    return replace(names, log=read(image), strings={})


def _messages(content: bytes) -> Iterable[tuple[int, Message]]:
    offset = 0
    while offset + _HEAD.size < len(content):
        line, level, sizes = _HEAD.unpack_from(content, offset)
        ends = []
        end = offset + _HEAD.size - 1
        for _ in range(3):
            end = content.find(b"\0", end + 1)
            ends.append(len(content) if end < 0 else end)
        module, file, text = (
            content[start:stop].decode(errors="replace")
            for start, stop in zip((offset + _HEAD.size, ends[0] + 1, ends[1] + 1), ends, strict=True)
        )
        name = LEVELS[level] if level < len(LEVELS) else LEVELS[0]
        yield offset // 4, Message(name, module, file, line, text, tuple(sizes.partition(b"\0")[0]))
        offset = (ends[2] + 4) // 4 * 4


def strings(image: Path, wanted: Iterable[int]) -> dict[int, str]:
    """What stands at some addresses of an image, up to a 0. An address that is not in a constant is left out:
    what a program may write is not known."""
    left = sorted(set(wanted))
    found: dict[int, str] = {}
    for base, content in files.elf_constants(files.read(image)) if left else ():
        for address in left:
            if base <= address < base + len(content):
                raw, end, _ = content[address - base : address - base + _STRING_MAX].partition(b"\0")
                more = "" if end or len(raw) < _STRING_MAX else "..."
                found[address] = raw.decode(errors="replace") + more
    return found
