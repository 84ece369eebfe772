# SPDX-License-Identifier: Apache-2.0
"""Which task may access which memory, from a declaration and what the linked image's symbols say: apart from how the
tool places it.

A region is what belongs together: a section of the image. How far beyond its use it may reach is what the processor's
manual says: ARMv7-M ARM, B3.5 (powers of two from 32 bytes, and runs of their eighths from 256 on); RISC-V privileged
architecture, 3.7 (any words, or a power of two from 8 bytes).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from takt.image.application import elf_symbols
from takt.support.c.board_layouts import REGION

GUARD = 32  # bytes, the lowest of a stack: nobody's while its task runs
ALLOCATED = 2  # SHF_ALLOC


@dataclass(frozen=True)
class Reach:
    """Memory that a process reaches: `used` bytes are its use, and the processor grants `size`. `rights`: of rwx."""

    name: str
    base: int
    used: int
    size: int
    rights: str

    def holds(self, address: int) -> bool:
        return self.base <= address < self.base + self.size


class Image:
    """Symbols and sections of an ELF file."""

    def __init__(self, path: Path):
        with path.open("rb") as file:
            elf = ELFFile(file)
            self.symbols: dict[str, tuple[int, int]] = {}
            for symbol in elf_symbols.read(elf):
                if symbol.name and symbol.section != elf_symbols.UNDEFINED:
                    self.symbols[symbol.name] = (symbol.value, symbol.size)
            found = [one for one in elf.iter_sections() if one["sh_flags"] & ALLOCATED and one["sh_size"]]
            self.sections = {one.name: (one["sh_addr"], one["sh_size"]) for one in found}
            self._content = {one.name: one.data() for one in found if one["sh_type"] != "SHT_NOBITS"}

    def end(self, *names: str) -> int:
        """Behind the last of these sections that there are."""
        return max(sum(self.sections[name]) for name in names if name in self.sections)

    def at(self, address: int, size: int) -> bytes:
        """What the image begins with there."""
        for name, content in self._content.items():
            base = self.sections[name][0]
            if base <= address and address + size <= base + len(content):
                return content[address - base : address - base + size]
        raise AssertionError(f"{address:#x} is not in the image")

    def regions(self, symbol: str) -> list[tuple[int, int]]:
        """Base and size of each struct takt_region of an array, or of one."""
        address, size = self.symbols[symbol]
        count = max(1, size // REGION.size) if symbol.startswith("takti_regions_") else 1
        each = REGION.size
        return [REGION.unpack(self.at(address + each * one, each))[:2] for one in range(count)]


def _shared(document: dict[str, Any]) -> Iterator[tuple[str, list[str], list[str], list[str]]]:
    """Of what several processes reach in place: name, symbols, processes that write, that read."""
    owner = {task: process["name"] for process in document["process"] for task in process.get("tasks", [])}
    owner |= {one["name"]: one["process"] for one in document.get("interrupt", []) if "process" in one}
    for one in document.get("shared", []):
        if not one.get("attach"):
            yield one["name"], [one["name"]], one.get("write", []), one.get("read", [])
    for one in document.get("state", []):
        writer = [owner[one["writer"]]] if one["writer"] in owner else []
        readers = [owner[reader["task"]] for reader in one["readers"]]
        yield one["name"], [f"{one['name']}_storage"], writer, readers
    for one in document.get("ring", []):
        yield one["name"], [f"{one['name']}_storage"], [owner[one["writer"]], owner[one["reader"]]], []


def reaches(document: dict[str, Any], image: Image, process: dict[str, Any]) -> list[Reach]:
    """What a process reaches from its start on, each with what the image says that is granted."""
    name = process["name"]
    memory = (f".takt_memory_{name}", f".takt_zero_memory_{name}")
    wanted = {
        ".takt_shared_text": (image.end(".takt_shared_text"), "rx"),
        f".takt_text_{name}": (image.end(f".takt_text_{name}"), "rx"),
        memory[0]: (-(-image.end(*memory) // 32) * 32 + process.get("memory", 0), "rw"),
    }
    for shared, symbols, write, read in _shared(document):
        if name not in (*write, *read):
            continue
        rights = "rw" if name in write else "r"
        at = {_group(image, image.symbols[symbol][0]) for symbol in symbols if symbol in image.symbols}
        assert len(at) == 1, f"{shared} is in several groups"
        group = at.pop()
        end = image.end(group, group.replace(".takt_", ".takt_zero_"))
        assert wanted.get(group, (0, rights))[1] == rights, f"{shared} is among memory with other rights"
        wanted[group] = (end, rights)
    granted = dict(image.regions(f"takti_regions_{name}"))
    found = []
    for section, (end, rights) in wanted.items():
        base = image.symbols["takti_base_" + section.removeprefix(".takt_")][0]
        found.append(Reach(section.removeprefix(".takt_"), base, end - base, granted.pop(base, 0), rights))
    assert not granted, f"{name} reaches {granted}, which is not declared"
    return found


def _group(image: Image, address: int) -> str:
    """The section of the memory that several share in which that is; named as its first part."""
    for name, (base, size) in image.sections.items():
        if base <= address < base + size:
            return name.replace(".takt_zero_", ".takt_")
    raise AssertionError(f"{address:#x} is in no section")


def attachable(document: dict[str, Any], image: Image, process: dict[str, Any], name: str) -> Reach:
    """What a process reaches once it has attached it."""
    for shared in document.get("shared", []):
        if shared["name"] == name:
            base, used = image.symbols[f"takti_memory_{name}"]
            (start, size) = image.regions(name)[0]
            assert start == base
            return Reach(name, base, used, size, "rw" if process["name"] in shared.get("write", []) else "r")
    device = next(one for one in document["device"] if one["name"] == name)
    return Reach(name, device["base"], device["size"], device["size"], "rw")


def _legal(port: str, base: int, size: int) -> bool:
    """Whether the processor can grant exactly that."""
    if port == "rv32":
        return base % 4 == 0 and size % 4 == 0
    for log2 in range(5, 33):
        block = 1 << log2
        part = block if block < 256 else block // 8
        inside = base // block == (base + size - 1) // block
        if inside and base % part == 0 and size % part == 0 and (block >= 256 or size == block):
            return True
    return False


def slack_is_least(port: str, reach: Reach) -> bool:
    """Whether no less could be granted from there on: another eighth, or word, is more than is needed."""
    if reach.size < reach.used or not _legal(port, reach.base, reach.size):
        return False
    whole = 1 << max(3, (reach.used - 1).bit_length())
    if port == "rv32" and reach.size == whole and reach.base % whole == 0:
        return True  # one entry instead of two
    return not any(_legal(port, reach.base, size) for size in range(-(-reach.used // 4) * 4, reach.size, 4))
