# SPDX-License-Identifier: Apache-2.0
"""Inline functions, templates and virtual tables that files of several processes have. The linker keeps one of each: it
is placed in the text that all processes read, with the constants that it uses, if it is the same in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from takt.declare.schema.model import System
from takt.image.application import cmake, elf_symbols
from takt.image.application.names import demangled
from takt.support import plain
from takt.support.errors import UserError

_WRITE, _ALLOCATED, _STRINGS, _GROUP = 1, 2, 0x20, 0x200  # SHF_*
_ARM_ABS32 = 2  # its addend is where it applies
_RISCV_RELAX = 51  # says nothing of a target
DEPTH = 16  # of constants that refer to constants


@dataclass(frozen=True)
class Target:
    """What code or a constant refers to: a name of the link, or what is at an offset of a section of the same file."""

    at: int
    type: int
    name: str
    section: int
    offset: int


class Object:
    """A compiled file of `process`."""

    def __init__(self, process: str, path: Path) -> None:
        from elftools.elf.elffile import ELFFile

        self.process, self.path = process, path
        with path.open("rb") as file:
            elf = ELFFile(file)
            self.sections: list[Any] = list(elf.iter_sections())
            self.data = [one.data() if one["sh_type"] == "SHT_PROGBITS" else b"" for one in self.sections]
            self.symbols = elf_symbols.read(elf)
            self.relocations = {
                int(one["sh_info"]): list(one.iter_relocations())
                for one in self.sections
                if one["sh_type"] in ("SHT_REL", "SHT_RELA")
            }

    @cached_property
    def several(self) -> dict[str, int]:
        """By name, the sections of which a link keeps one: code and constants."""
        kept = _ALLOCATED | _GROUP
        return {
            one.name: number
            for number, one in enumerate(self.sections)
            if one["sh_flags"] & (kept | _WRITE) == kept and one["sh_type"] == "SHT_PROGBITS"
        }

    @cached_property
    def defined(self) -> dict[str, int]:
        return {one.name: one.section for one in self.symbols if one.bind != elf_symbols.LOCAL and one.placed}

    def targets(self, number: int) -> Iterator[Target]:
        """What a section refers to, but places in itself."""
        for one in self.relocations.get(number, ()):
            symbol = self.symbols[one["r_info_sym"]]
            kind = int(one["r_info_type"])
            if kind == _RISCV_RELAX and not one["r_info_sym"]:
                continue
            at = int(one["r_offset"])
            addend = int(one["r_addend"]) if one.is_RELA() else 0
            if not one.is_RELA() and kind == _ARM_ABS32:
                addend = int.from_bytes(self.data[number][at : at + 4], "little")
            if symbol.bind != elf_symbols.LOCAL:
                yield Target(at, kind, symbol.name, -1, addend)
            elif symbol.placed:
                yield Target(at, kind, "", symbol.section, symbol.value + addend)

    def meaning(self, number: int, depth: int = 0) -> object:
        """The same for two sections that do the same, whatever else is in their files."""
        data = bytearray(self.data[number])
        found: list[object] = []
        for target in self.targets(number):
            if target.type == _ARM_ABS32:
                data[target.at : target.at + 4] = bytes(4)
            there: object = target.name
            if target.section == number or depth > DEPTH:
                there = "itself"
            elif target.section >= 0 and self.sections[target.section]["sh_flags"] & _STRINGS:
                text = self.data[target.section][target.offset :]
                found.append((target.at, target.type, text.partition(b"\0")[0], 0))
                continue
            elif target.section >= 0:
                there = self.meaning(target.section, depth + 1)
            found.append((target.at, target.type, there, target.offset))
        return bytes(data), tuple(found)


def shared(system: System, objects: Iterable[tuple[str, Path]], compared: bool) -> tuple[str, ...]:
    """Lines of the linker script, in the text that all processes read. `objects`: of processes, by their names, and ""
    of shared_sources. `compared`: UserError if two files have different functions of one name."""
    if not cmake.has_cxx(system):
        return ()
    every = [Object(process, path) for process, path in objects]
    having: dict[str, list[Object]] = {}
    for one in every:
        for name in one.several:
            having.setdefault(name, []).append(one)
    todo = [name for name, them in having.items() if len({one.process for one in them}) > 1]
    names: set[str] = set()
    own: set[tuple[str, str, str]] = set()  # constants that only one file has
    while todo:
        name = todo.pop()
        if name in names:
            continue
        names.add(name)
        if compared:
            _refuse_different(name, having[name])
        for one in having[name]:
            for number in _reached(one, one.several[name]):
                section = one.sections[number]
                if section.name in one.several and one.several[section.name] == number:
                    todo.append(section.name)
                else:
                    own.add((one.process, one.path.name, section.name))
    lines = [f"*takt_process_*.dir*({name})" for name in sorted(names)]
    return (*lines, *(f"*takt_process_{process}.dir*/{file}({name})" for process, file, name in sorted(own) if process))


def _reached(one: Object, number: int) -> set[int]:
    """Sections of the same file with code and constants that a section refers to, and that those refer to."""
    found: set[int] = set()
    ahead = [number]
    while ahead:
        for target in one.targets(ahead.pop()):
            there = one.defined.get(target.name, -1) if target.name else target.section
            if there < 0 or there == number or there in found:
                continue
            flags = one.sections[there]["sh_flags"]
            own = bool(target.name) and not flags & _GROUP  # a function of the process, which link_checks refuses
            if flags & _ALLOCATED and not flags & _WRITE and not own:
                found.add(there)
                ahead.append(there)
    return found


def _refuse_different(name: str, having: Iterable[Object]) -> None:
    first, *others = having
    for other in others:
        if other.meaning(other.several[name]) != first.meaning(first.several[name]):
            shown = demangled(name[name.index("_Z") :] if "_Z" in name else name.rsplit(".", 1)[-1])
            files = [plain.restored(one.path.name.removesuffix(one.path.suffix)) for one in (first, other)]
            problem = f"{files[0]} and {files[1]} have different {shown}, of which the image has one, for all processes"
            raise UserError(problem, "the same defines and headers for both; or static, an unnamed namespace")
