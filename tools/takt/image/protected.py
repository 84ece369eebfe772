# SPDX-License-Identifier: Apache-2.0
"""Builds the image of a protected system: a link that says which calls its processes make, one with these alone that
measures, the packing, and a link that is checked.

What was measured stays in layout.json of the build folder, so that a second build links once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from takt.declare import processes, quotas
from takt.declare.code import thread_locals
from takt.declare.console import table
from takt.declare.schema import boards, levels
from takt.declare.schema.boards import Space
from takt.image import link_script, regions
from takt.image.application import elf_symbols, inlines
from takt.image.regions import Need, Packing
from takt.image.tables import process_code
from takt.image.tables.process_code import Sizes
from takt.prove.proof import Proved
from takt.support import files, plain
from takt.support.errors import UserError
from takt.support.files import write_if_changed
from takt.support.provision import ROOT

_ALLOCATED = 2  # SHF_ALLOC
LINKS_MAX = 6
STDIN = ROOT / "library" / "console" / "stdin.c"
RELAXED = 4096
"""RISC-V: the linker makes calls short while the kernel's code shrinks, and does not see that what has its address
stays behind: farther than the shortest call reaches, whatever it shrinks by, which is less than a half."""


@dataclass(frozen=True)
class Measured:
    """Of a linked image, in bytes, by name. `base`: addresses; `used`: texts and memory, without what is allocated;
    `data`, `zero`: of memory. `code_end`, `ram_end`: behind what is the kernel's. `calls`: names, in the order of their
    numbers, of those that processes make. `created`: of the kernel's memory, by process: what it may create lies there.
    `common`: lines of the linker script, for what several processes have (inlines.py).
    """

    base: Mapping[str, int]
    used: Mapping[str, int]
    data: Mapping[str, int]
    zero: Mapping[str, int]
    code_end: int
    ram_end: int
    calls: tuple[str, ...]
    created: Mapping[str, int]
    common: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """Where everything is. `loads`: what memory begins with."""

    packing: Packing
    sizes: Sizes
    loads: Space | None
    measured: Measured


def symbols_of(image: Path) -> tuple[dict[str, int], list[tuple[str, int, int, int]]]:
    """Values of symbols, and of each section in memory its name, address, load address and size."""
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        elf = ELFFile(file)
        values = {item.name: item.value for item in elf_symbols.read(elf) if item.name}
        segments = [one for one in elf.iter_segments() if one["p_type"] == "PT_LOAD"]
        sections = []
        for section in elf.iter_sections():
            if not section["sh_flags"] & _ALLOCATED or not section["sh_size"]:
                continue
            address = int(section["sh_addr"])
            load = address
            for segment in segments if section["sh_type"] != "SHT_NOBITS" else ():
                if segment["p_vaddr"] <= address < segment["p_vaddr"] + segment["p_memsz"]:
                    load = address - segment["p_vaddr"] + segment["p_paddr"]
            sections.append((section.name, address, int(load), int(section["sh_size"])))
    return values, sections


def sizes_of(image: Path, names: Collection[str]) -> dict[str, int]:
    """Bytes of those of these symbols that an image has."""
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        return {item.name: item.size for item in elf_symbols.read(ELFFile(file)) if item.name in names}


def measure(proved: Proved, image: Path) -> Measured:
    """Reads a linked image."""
    system, board = proved.system, proved.board
    values, sections = symbols_of(image)
    sizes = {name: size for name, _, _, size in sections}
    texts, memory = list(link_script.texts(system)), list(link_script.memory(system))
    base = {name: values[f"takti_base_{name}"] for name in (*texts, *memory)}
    used = {name: sizes.get(f".takt_{name}", 0) for name in texts}
    used |= {name: values[f"takti_used_end_{name}"] - base[name] for name in memory}
    data = {name: values[f"takti_data_end_{name}"] - base[name] for name in memory}
    zero = {name: values[f"takti_zero_end_{name}"] - values[f"takti_data_end_{name}"] for name in memory}
    code_end = ram_end = 0
    if board.port != "host":
        spaces = boards.memories(board)
        code, ram = spaces["code"], spaces["ram"]
        kernel = [one for one in sections if not one[0].startswith(".takt_")]
        code_end = max((load + size for _, _, load, size in kernel if code.base <= load < code.end), default=code.base)
        ram_end = max((at + size for _, at, _, size in kernel if ram.base <= at < ram.end), default=ram.base)
        shared = not thread_locals.switched(system, board.port, proved.choice.cooperative)
        if shared and values["takti_tls_data_size"]:
            problem = (
                "the image has thread-local data of the C library with initial values other than 0, of "
                "which each process would need its own copy"
            )
            raise UserError(problem, "do not call the function that uses it; nm lists the symbols in .tdata")
    calls = tuple(name for name, symbol in process_code.stubs().items() if symbol in values)
    stored = {process.name: quotas.storage_names(process) for process in system.processes}
    taken = sizes_of(image, {name for names in stored.values() for name in names})
    created = {process: sum(taken.get(name, 0) for name in names) for process, names in stored.items()}
    return Measured(base, used, data, zero, code_end, ram_end, calls, created)


def layout(proved: Proved, measured: Measured) -> Layout:
    """Places what was measured. UserError: it does not fit."""
    system, board = proved.system, proved.board
    unit = regions.UNITS[board.port]
    fixed = board.port == "host"
    quota = {process_code.memory_of(process): process.memory for process in system.processes}
    names = {process.name: process_code.region_names(system, process) for process in system.processes}
    reached = {name: tuple(owner for owner, mine in names.items() if name in mine) for name in measured.base}
    needs = []
    for name, kind in (
        *((n, "code") for n in link_script.texts(system)),
        *((n, "ram") for n in link_script.memory(system)),
    ):
        size = max(-(-measured.used[name] // 32) * 32 + quota[name] if name in quota else measured.used[name], 4)
        needs.append(Need(name, size, None if fixed else kind, reached[name], measured.base[name]))
    needs += [Need(one.name, one.size, None, reached.get(one.name, ()), one.base) for one in system.devices]
    loads, spaces = None, []
    if not fixed:
        memories = boards.memories(board)
        start = -(-measured.code_end // 16) * 16
        loads = Space("code", start, start + sum(-(-size // 16) * 16 + 16 for size in measured.data.values()))
        code, ram = memories["code"], memories["ram"]
        gap = (measured.code_end - code.base) // 2 + RELAXED if board.port == "rv32" else 0
        spaces = [Space("code", max(loads.end, start + gap), code.end), Space("ram", measured.ram_end, ram.end)]
    packing = regions.pack(needs, spaces, names, unit)
    sizes = Sizes(
        {name: placed.size for name, placed in packing.placed.items()},
        {process.name: measured.data[process_code.memory_of(process)] for process in system.processes},
        {process.name: measured.zero[process_code.memory_of(process)] for process in system.processes},
        measured.calls,
    )
    return Layout(packing, sizes, loads, measured)


def holds(found: Layout, measured: Measured, fixed: bool) -> bool:
    """Whether an image that was linked as `found` says is so."""
    placed, before = found.packing.placed, found.measured
    same = measured.data == before.data and measured.zero == before.zero
    if fixed:
        return same and measured.used == before.used
    fits = all(measured.used[name] <= before.used[name] for name in measured.used)
    lies = all(placed[name].base == base for name, base in measured.base.items())
    return same and fits and lies and measured.code_end <= before.code_end and measured.ram_end <= before.ram_end


def settings(proved: Proved, tables: Path) -> dict[str, str]:
    """Further CMake options (cmake/processes.cmake)."""
    system = proved.system
    options = {"TAKT_PROCESS_NAMES": ";".join(process.name for process in system.processes)}
    for process in system.processes:
        reads = table.PIPE in processes.rights(system, process) and proved.board.port != "host"
        own = (STDIN,) if reads else ()  # on host it is in the text of all processes
        options[f"TAKT_PROCESS_SOURCES_{process.name}"] = _paths((*process.sources, *own))
    options["TAKT_SHARED_SOURCES"] = _paths(system.shared_sources)
    options["TAKT_SHARED_MEMORY"] = ";".join(str(tables / f"{one.name}.c") for one in process_code.groups(system))
    options["TAKT_SOURCES"] = _paths(system.kernel_sources)
    return options


def _paths(sources: tuple[Path, ...]) -> str:
    return plain.listed(sources)


def link(proved: Proved, tables: Path, folder: Path, compile_it: Callable[[], Path]) -> Layout:
    """Links until what was measured is what was placed. `compile_it`: builds the image.

    UserError: it does not compile, does not fit, or reaches for what is not its own.
    """
    from takt.image import link_checks

    stored = folder / "layout.json"
    found, fresh = _stored(proved, stored), False  # fresh: of this build's files
    calls = found.measured.calls if found is not None else None
    common = found.measured.common if found is not None else ()
    for _ in range(LINKS_MAX):
        _write(proved, tables, found, calls, common)
        try:
            image = compile_it()
        except UserError:
            if found is None or fresh:
                raise
            found, calls = None, None  # what was placed may have grown: measured anew
            continue
        now = inlines.shared(
            proved.system, link_checks.of_processes(proved.system, folder), proved.board.port != "host"
        )
        if now != common:
            found, common = None, now  # the linker has put functions of several processes into the text of one
            continue
        link_checks.check(proved, image, folder)
        measured = replace(measure(proved, image), common=common)
        if calls != measured.calls:
            found, fresh, calls = None, True, measured.calls  # what only others call is not linked
            continue
        if found is not None and holds(found, measured, proved.board.port == "host"):
            kept = replace(found, measured=replace(found.measured, created=measured.created))
            if kept != found:
                _store(stored, kept.measured)
            return kept
        found, fresh = layout(proved, measured), True
        _store(stored, measured)
    raise UserError(
        f"{proved.system.name}: the sizes of its processes change with every link", "report it: a fault of takt"
    )


def _store(path: Path, measured: Measured) -> None:
    files.write_whole(path, json.dumps(asdict(measured), indent=2) + "\n")


def _stored(proved: Proved, path: Path) -> Layout | None:
    """Of the last build, if it still is one of this declaration."""
    try:
        document: dict[str, Any] = json.loads(files.read(path))
        return layout(proved, Measured(**{**document, **{key: tuple(document[key]) for key in ("calls", "common")}}))
    except (OSError, ValueError, TypeError, KeyError, UserError):
        return None


def last(proved: Proved, folder: Path) -> Layout | None:
    """What the last build measured."""
    return _stored(proved, folder / "layout.json")


def _write(
    proved: Proved, tables: Path, found: Layout | None, calls: tuple[str, ...] | None, common: tuple[str, ...]
) -> None:
    system, board = proved.system, proved.board
    sizes = found.sizes if found is not None else Sizes.unknown(calls)
    level = levels.thread_level(proved.bands, system)
    text = "\n".join(process_code.tables(system, sizes, level, board.port != "host")) + "\n"
    write_if_changed(tables / "processes.c", text)
    placed = found.packing.placed if found is not None else None
    script = link_script.script(system, board, placed, found.loads if found is not None else None, common)
    write_if_changed(tables / "processes.ld", script)
