# SPDX-License-Identifier: Apache-2.0
"""processes.ld: puts the memory of processes where it was placed, beside the board's own linker script.

It is read before the board's script (or the host's default one) and inserted into it, so that its patterns come first.
Its sections: .takt_NAME of each text; .takt_NAME and .takt_zero_NAME of memory: what is loaded, then what is zero at
the start, then stacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from takt.declare import processes
from takt.declare.schema.boards import Board, Space, memories
from takt.declare.schema.model import System
from takt.image.application import archives, constructors
from takt.image.regions import Placed
from takt.image.tables import process_code
from takt.support.files import HEAD

_TEXT = ".text .text.* .rodata .rodata.* .srodata .srodata.*"
_DATA = ".data .data.* .sdata .sdata.*"
_ZERO = ".sbss .sbss.* .bss .bss.* COMMON"
_SHARED_FILES = (
    "*libtakt_user.a:*",
    "*libtakt_cxx.a:*",
    "*takt_shared_text.dir*",
    "*takt_shared_memory.dir*",
    "*takt_port.dir*memory.c.*",
    "*takt_port.dir*/user.c.*",
    "*takt_board.dir*/work.c.*",
    "*takt_board.dir*/user.c.*",
)
_LIBRARIES = ("*libc.a:*", "*libm.a:*", "*libgcc.a:*")


def texts(system: System) -> dict[str, list[str]]:
    """Patterns of the files of each text, by name."""
    found = {process_code.SHARED_TEXT: [*_SHARED_FILES, *archives.patterns(system)]}
    for process in system.processes:
        found[process_code.text_of(process)] = [f"*takt_process_{process.name}.dir*"]
    return found


def memory(system: System) -> dict[str, str]:
    """The pattern of the files of each memory, by name."""
    found = {process_code.memory_of(process): f"*takt_process_{process.name}.dir*" for process in system.processes}
    return {
        **found,
        **{group.name: f"*takt_shared_memory.dir*/{group.name}.c.*" for group in process_code.groups(system)},
    }


def script(
    system: System, board: Board, placed: Mapping[str, Placed] | None, loads: Space | None, common: Iterable[str]
) -> str:
    """The text of processes.ld. `placed`: by name; None: somewhere, to be measured. `loads`: where what memory begins
    with is kept. `common`: of the text that all processes read, besides whole files (inlines.py)."""
    lines = [HEAD.rstrip(), "/* Handles: what the addresses of objects are in processes. */"]
    lines += [f"takt_handle_{name} = {handle:#x};" for name, handle in processes.handles(system).items()]
    if board.port == "host":
        return "\n".join([*lines, *_host(system, common)]) + "\n"
    return "\n".join([*lines, *_regions(system, board, placed, loads), *_sections(system, common)]) + "\n"


def _regions(system: System, board: Board, placed: Mapping[str, Placed] | None, loads: Space | None) -> Iterator[str]:
    yield "MEMORY\n{"
    found = memories(board)
    for kind, names in (("code", texts(system)), ("ram", memory(system))):
        space = found[kind]
        half = (space.base + space.end) // 2
        part = (space.end - half) // (len(names) + 1) // 256 * 256
        for number, name in enumerate(names):
            base, size = half + number * part, part
            if placed is not None:
                base, size = placed[name].base, placed[name].size
            yield f"    r_{name} : ORIGIN = {base:#x}, LENGTH = {size:#x}"
        if kind == "code":
            base, size = (loads.base, loads.end - loads.base) if loads else (half + len(names) * part, part)
            yield f"    takt_loads : ORIGIN = {base:#x}, LENGTH = {size:#x}"
    yield "}"


def _sections(system: System, common: Iterable[str]) -> Iterator[str]:
    yield "SECTIONS\n{"
    constructing = {process_code.text_of(process): process for process in system.processes}
    for name, patterns in texts(system).items():
        libraries = _LIBRARIES if name == process_code.SHARED_TEXT else ()
        own = constructing.get(name)
        yield f"    .takt_{name} : {{\n        takti_base_{name} = .;"
        yield from (f"        {line}" for line in common if name == process_code.SHARED_TEXT)
        yield from (f"        {pattern}({_TEXT})" for pattern in (*patterns, *libraries))
        yield f"        . = ALIGN(4);{constructors.script(own)}\n    }} > r_{name}"
    owners = {process_code.memory_of(process): process for process in system.processes}
    for name, pattern in memory(system).items():
        data, zero = _kept(pattern, name not in owners)
        yield f"    .takt_{name} : {{\n        takti_base_{name} = .;\n        {data}"
        yield f"        . = ALIGN(4);\n        takti_data_end_{name} = .;\n    }} > r_{name} AT> takt_loads"
        yield f"    takti_load_{name} = LOADADDR(.takt_{name});"
        yield f"    .takt_zero_{name} (NOLOAD) : {{\n        {zero}"
        if name in owners:
            yield f"        . = ALIGN(8);\n        takti_tls_{owners[name].name} = .;"
            if not system.thread_local:
                yield "        . += takti_tls_size;"
        yield f"        . = ALIGN(4);\n        takti_zero_end_{name} = .;"
        if name in owners:
            yield f"        . = ALIGN(32);\n        {pattern}(.takt_stack.*)"
        yield f"    }} > r_{name}"
        yield f"    takti_used_end_{name} = ADDR(.takt_zero_{name}) + SIZEOF(.takt_zero_{name});"
    yield "}\nINSERT AFTER .bss;"


def _kept(files: str, kept: bool) -> tuple[str, str]:
    """Patterns of data and of zeros. `kept`: also what nothing refers to, such as memory that is attached."""
    patterns = (f"{files}({_DATA})", f"{files}({_ZERO})")
    data, zero = (f"KEEP({pattern})" if kept else pattern for pattern in patterns)
    return data, zero


def _host(system: System, common: Iterable[str]) -> Iterator[str]:
    """A process of this machine: everything is in its own memory, and what processes begin with is copied away before
    the start (boards/host)."""
    yield "SECTIONS\n{"
    for name, patterns in texts(system).items():
        yield f"    .takt_{name} : {{\n        takti_base_{name} = .;"
        yield from (f"        {line}" for line in common if name == process_code.SHARED_TEXT)
        yield from (f"        {pattern}({_TEXT})" for pattern in patterns)
        yield f"        . = ALIGN(32);\n        takti_used_end_{name} = .;\n    }}"
    yield "}\nINSERT AFTER .text;\nSECTIONS\n{"
    owners = {process_code.memory_of(process): process for process in system.processes}
    for name, pattern in memory(system).items():
        data, zero = _kept(pattern, name not in owners)
        yield f"    .takt_{name} : ALIGN(64) {{\n        takti_base_{name} = .;\n        {data}"
        yield f"        . = ALIGN(4);{constructors.script(owners.get(name), 8)}"
        yield f"        takti_data_end_{name} = .;\n        {zero}"
        yield f"        . = ALIGN(8);\n        takti_zero_end_{name} = .;"
        if name in owners:
            yield f"        . = ALIGN(32);\n        {pattern}(.takt_stack.*)\n        . = ALIGN(32);"
        yield f"        takti_used_end_{name} = .;"
        if name in owners:
            yield f"        . += {owners[name].memory};"
            yield f"        . = ALIGN(8);\n        takti_load_{name} = .;"
            yield f"        . += takti_data_end_{name} - takti_base_{name};"
        yield "    }"
    yield "}\nINSERT AFTER .data;"
    yield from (f"takti_tls_{process.name} = 0;" for process in system.processes)
