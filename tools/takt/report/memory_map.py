# SPDX-License-Identifier: Apache-2.0
"""Where the bytes of an image lie: sections by memory, and what is largest in each. Read from the ELF file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt.declare.schema.boards import Board
from takt.image.application import elf_symbols

_WRITE, _ALLOCATED, _THREAD = 1, 2, 0x400  # SHF_*
_STACK = re.compile(r"takti_(?:stack_\w+|idle_stack|no_stack)")
LARGEST = 10


@dataclass(frozen=True)
class Section:
    """`memory`: code (and constants), data (which has a copy among the constants) or zeroed."""

    name: str
    memory: str
    address: int
    size: int


@dataclass(frozen=True)
class Symbol:
    name: str
    memory: str
    size: int


@dataclass(frozen=True)
class Map:
    """`flash`, `ram`: bytes used of what the board has, 0 where the host decides."""

    sections: tuple[Section, ...]
    largest: tuple[Symbol, ...]
    flash: int
    ram: int
    stacks: int  # of tasks and idle
    trace: int  # its ring


def read(image: Path, board: Board) -> Map:
    """Of a linked image, with symbols."""
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        elf = ELFFile(file)
        by_index: dict[int, Section] = {}
        for index, section in enumerate(elf.iter_sections()):
            if section["sh_flags"] & _ALLOCATED and section["sh_size"] and not _thread_zeroed(section):
                by_index[index] = Section(section.name, _memory(section), section["sh_addr"], section["sh_size"])
        found = {
            (item.section, item.value): Symbol(item.name, by_index[item.section].memory, item.size)
            for item in elf_symbols.read(elf)
            if item.section in by_index and item.size
        }
    sections = tuple(sorted(by_index.values(), key=lambda section: section.address))
    largest = sorted(found.values(), key=lambda symbol: (-symbol.size, symbol.name))[:LARGEST]
    sums = {
        memory: sum(section.size for section in sections if section.memory == memory)
        for memory in ("code", "data", "zeroed")
    }
    flash = sums["code"] + sums["data"] if board.flash else 0
    ram = sums["data"] + sums["zeroed"] if board.ram else 0
    stacks = sum(item.size for item in found.values() if _STACK.fullmatch(item.name))
    trace = sum(item.size for item in found.values() if item.name == "takti_trace_records")
    return Map(sections, tuple(largest), flash, ram, stacks, trace)


def _thread_zeroed(section: Any) -> bool:
    """Thread-local zeroes: what there is of them is in another section."""
    return bool(section["sh_flags"] & _THREAD) and section["sh_type"] == "SHT_NOBITS"


def parts(found: Map) -> dict[str, int]:
    """Bytes of data memory by what they are for, together all of it."""
    known = {"stacks of tasks": found.stacks, "stack of interrupts": 0, "trace": found.trace}
    known["stack of interrupts"] = sum(one.size for one in found.sections if one.name == ".interrupt_stack")
    whole = sum(one.size for one in found.sections if one.memory != "code")
    return {**known, "everything else": whole - sum(known.values())}


def _memory(section: Any) -> str:
    if section["sh_type"] == "SHT_NOBITS":
        return "zeroed"
    return "data" if section["sh_flags"] & _WRITE else "code"
