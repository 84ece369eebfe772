# SPDX-License-Identifier: Apache-2.0
"""Symbols of an ELF file, unpacked at once: pyelftools finds the table, and would take ten times as long to read it."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

UNDEFINED, SPECIAL, COMMON = 0, 0xFF00, 0xFFF2  # of Symbol.section: nowhere; from here on in no section
LOCAL = 0  # of Symbol.bind
NO_TYPE, FUNCTION, FILE, THREAD = 0, 2, 4, 6  # of Symbol.type
_FORMATS = {32: "IIIBBH", 64: "IBBHQQ"}


class Symbol(NamedTuple):
    """As the table has it. `section`: its number, UNDEFINED, or SPECIAL and more."""

    name: str
    value: int
    size: int
    bind: int
    type: int
    section: int

    @property
    def placed(self) -> bool:
        """Whether it is in a section."""
        return UNDEFINED < self.section < SPECIAL


def read(elf: ELFFile) -> list[Symbol]:
    """All, in the order of their numbers; none of a file without a table. A table that is cut ends where it is cut."""
    from elftools.elf.sections import SymbolTableSection

    table = next((one for one in elf.iter_sections("SHT_SYMTAB") if isinstance(one, SymbolTableSection)), None)
    if table is None:
        return []
    data, texts = table.data(), table.stringtable.data()
    row = struct.Struct(("<" if elf.little_endian else ">") + _FORMATS[elf.elfclass])
    rows = row.iter_unpack(memoryview(data)[: len(data) // row.size * row.size])
    if elf.elfclass == 32:
        return [Symbol(_name(texts, name), value, size, info >> 4, info & 15, section)
                for name, value, size, info, _, section in rows]  # fmt: skip
    return [Symbol(_name(texts, name), value, size, info >> 4, info & 15, section)
            for name, info, _, section, value, size in rows]  # fmt: skip


def named(elf: ELFFile, name: str) -> Symbol | None:
    """The first of this name; None: there is none."""
    return next((one for one in read(elf) if one.name == name), None)


def _name(texts: bytes, start: int) -> str:
    end = texts.find(b"\0", start)
    return texts[start : end if end >= 0 else len(texts)].decode("utf-8", "replace")
