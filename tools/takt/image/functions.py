# SPDX-License-Identifier: Apache-2.0
"""Functions of an image, and which of them an address is in."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from takt.image.application import elf_symbols, names

_TYPES = (elf_symbols.FUNCTION, elf_symbols.NO_TYPE)  # of C, and of assembly that does not say more
_EXECUTABLE = 4  # SHF_EXECINSTR


@dataclass(frozen=True)
class Function:
    """`end`: behind its code; of one without a length, behind its section."""

    start: int
    end: int
    name: str


def of_image(image: Path) -> list[Function]:
    """By address. Of several names at one address a function of C goes before a label, then the alphabet decides."""
    return _read(image)[1]


def _read(image: Path) -> tuple[int, list[Function]]:
    """The bit of addresses of code that is none of the address, and `of_image`."""
    from elftools.elf.elffile import ELFFile

    found: dict[int, Function] = {}
    with image.open("rb") as file:
        elf = ELFFile(file)
        thumb = int(elf["e_machine"] == "EM_ARM")
        ends = {
            index: int(section["sh_addr"]) + int(section["sh_size"])
            for index, section in enumerate(elf.iter_sections())
            if section["sh_flags"] & _EXECUTABLE
        }
        for symbol in sorted(elf_symbols.read(elf), key=lambda one: (one.type != elf_symbols.FUNCTION, one.name)):
            local = symbol.name.startswith((".", "$")) or not symbol.name  # the assembler's own
            if symbol.section in ends and symbol.type in _TYPES and not local:
                start = symbol.value & ~thumb
                end = start + symbol.size if symbol.size else ends[symbol.section]
                found.setdefault(start, Function(start, end, symbol.name))
    return thumb, [found[start] for start in sorted(found)]


Where = Callable[[int, bool], str | None]
"""The function that an address is in, with the distance from its start; None: in none. True: the address is that of a
return, and the call before it counts."""


def where(image: Path) -> Where:
    """Reads the image when it is first asked."""

    @cache
    def read() -> tuple[int, list[Function]]:
        return _read(image)

    def at(address: int, behind: bool) -> str | None:
        thumb, functions = read()
        address &= ~thumb
        inside = address - behind
        index = bisect.bisect_right(functions, inside, key=lambda one: one.start) - 1
        if index < 0 or inside >= functions[index].end:
            return None
        return f"{names.demangled(functions[index].name)} + {address - functions[index].start}"

    return at


def shown(function: str | None) -> str:
    """Behind an address, for people."""
    return "" if function is None else f" ({function})"


def nowhere(address: int, behind: bool) -> None:
    """A `Where` without an image."""
    del address, behind
