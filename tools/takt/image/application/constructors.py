# SPDX-License-Identifier: Apache-2.0
"""The constructors of static objects of each process in an image: where its linker script has them, what they call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from takt.declare.code import constructors
from takt.declare.schema.model import Process, System
from takt.image.application import elf_symbols

_POINTER = 4  # bytes, on every board


def script(process: Process | None, aligned: int = 4) -> str:
    """Pointers to the constructors of a process that runs them, in the order of the board's own script."""
    if process is None or process.constructors_wcet_ns is None:
        return ""
    begin, end = constructors.array(constructors.task_name(process.name))
    files = f"*takt_process_{process.name}.dir*"
    arrays = (f"KEEP({files}(SORT_BY_INIT_PRIORITY(.init_array.*)))", f"KEEP({files}(.init_array))")
    lines = (f". = ALIGN({aligned});", f"{begin} = .;", *arrays, f"{end} = .;")
    return "".join(f"\n        {line}" for line in lines)


def called(system: System, image: Path) -> Mapping[str, tuple[str, ...]]:
    """What the task of a process's constructors calls, as the call graph names it (stack.short): by its entry."""
    names = constructors.tasks(system) if system.protection else ()
    if not names:
        return {}
    from elftools.elf.elffile import ELFFile

    values, functions, found, file = {}, {}, {}, ""
    with image.open("rb") as opened:
        elf = ELFFile(opened)
        for item in elf_symbols.read(elf):
            if item.type == elf_symbols.FILE:
                file = Path(item.name).name
            elif item.type == elf_symbols.FUNCTION:
                functions[item.value & ~1] = f"{file}:{item.name}" if item.bind == elf_symbols.LOCAL else item.name
            values[item.name] = item.value
        sections = [
            (int(one["sh_addr"]), one.data()) for one in elf.iter_sections() if one["sh_type"] == "SHT_PROGBITS"
        ]
        for process in (one for one in system.processes if constructors.task_name(one.name) in names):
            begin, end = (values[symbol] for symbol in constructors.array(constructors.task_name(process.name)))
            data = next((data[begin - at : end - at] for at, data in sections if at <= begin < at + len(data)), b"")
            pointers = (data[at : at + _POINTER] for at in range(0, len(data), _POINTER))
            called = (functions[int.from_bytes(pointer, "little") & ~1] for pointer in pointers)
            found[constructors.entry(process.name)] = tuple(called)
    return found
