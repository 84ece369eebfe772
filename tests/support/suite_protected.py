# SPDX-License-Identifier: Apache-2.0
"""kernel/test/conformance as a protected system, its tasks a process in user mode, of any board."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from suite import LEVELS, SUITE, execute, options_of
from takt.declare.schema import boards
from takt.dev import debug_information
from takt.image.build import GROUPS, compile_application
from takt.support.compile import BUILD, locked
from takt.support.files import write_if_changed
from takt.support.provision import require

PROTECTED = SUITE / "protected"
PROCESS = ("tasks.c", "time.c", "interrupts.c", "runner.c")
HANDLES = ("preempt_go", "wake_semaphore", "collide_go")  # behind the tasks
TEXT = ".text .text.* .rodata .rodata.* .srodata .srodata.*"
SHARED = ("*libtakt_user.a:*", "*takt_port.dir*memory.c.*", "*takt_port.dir*/user.c.*", "*takt_board.dir*/work.c.*")
LIBRARIES = ("*takt_board.dir*/user.c.*", "*libc.a:*", "*libgcc.a:*")


def size_of(name: str) -> int:
    """Of a part of the process, as suite.h has it: a power of two."""
    return _sizes()[name]


@cache
def _sizes() -> dict[str, int]:
    wanted = {name: f"SUITE_{name}" for name in ("SHARED", "TEXT", "MEMORY")}
    how = replace(debug_information.HOST, includes=(*debug_information.HOST.includes, "kernel/test/conformance"))
    return debug_information.read(f'#include "{PROTECTED / "suite.h"}"', wanted, how).values


def script(board_name: str) -> str:
    """processes.ld: handles, and on boards where the parts of the process are."""
    tasks = 8
    lines = [f"takt_handle_{name} = {tasks + index | 1 << 16:#x};" for index, name in enumerate(HANDLES)]
    if board_name == "host":
        lines += [f"suite_{part}_start = 0;" for part in ("shared", "text", "memory")]
        return "\n".join([*lines, "SECTIONS\n{\n    .suite_none : { }\n}\nINSERT AFTER .data;"]) + "\n"
    mine = "*takt_process_suite.dir*"
    lines.append("SECTIONS\n{")
    for part, offset, files in (("shared", 0x100000, (*SHARED, *LIBRARIES)), ("text", 0x110000, (mine,))):
        lines.append(f"    .suite_{part} (ADDR(.text) + {offset:#x}) : {{\n        suite_{part}_start = .;")
        lines += [f"        {file}({TEXT})" for file in files]
        lines.append(f"        . = suite_{part}_start + {size_of(part.upper()):#x};\n    }}")
    size = size_of("MEMORY")
    lines.append(f"    .suite_memory ALIGN(takti_bss_end, {size:#x}) (NOLOAD) : {{\n        suite_memory_start = .;")
    lines.append(f"        {mine}(.bss .bss.* .sbss .sbss.* COMMON)")
    lines.append(f"        . = suite_memory_start + {size:#x};\n    }}")
    lines.append(f"    .suite_none : {{ {mine}(.data .data.* .sdata .sdata.*) }}")
    lines.append('}\nINSERT AFTER .bss;\nASSERT(SIZEOF(.suite_none) == 0, "the process has data that is not zero")')
    return "\n".join(lines) + "\n"


@cache
def image(board_name: str, preset: str, sched: str) -> Path:
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    folder = BUILD / f"conformance-protected-{board_name}-{preset}-{sched}"
    kind = {
        "TAKT_BOARD": board_name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": preset,
        "TAKT_SCHED": sched,
        "TAKT_LEVELS": str(LEVELS),
        "TAKT_PROCESSES": "ON",
    }
    settings = {
        **kind,
        "TAKT_PROCESS_NAMES": "suite",
        "TAKT_PROCESS_SOURCES_suite": ";".join(str(SUITE / name) for name in PROCESS),
        "TAKT_GENERATED": str(folder / "tables"),
        "TAKT_SOURCES": str(SUITE / "handlers.c"),
        "TAKT_INCLUDE": str(SUITE),
    }
    with locked(folder):
        (folder / "tables").mkdir(exist_ok=True)
        write_if_changed(folder / "tables" / "processes.ld", script(board_name))
        write_if_changed(folder / "tables" / "processes.c", "/* system.c has them */\ntypedef int none;\n")
        sizes = f"#define SUITE_SIZES {int(board_name != 'host')}\n"
        for name, before in (("system.c", sizes), ("process_suite.c", "")):
            text = f'{before}#include "protected/{name}"\n'
            write_if_changed(folder / "tables" / name, text)
        compile_application(board, kind, folder, settings, f"building the protected suite for {board_name}")
    return next(path for path in (folder / "application.elf", folder / "application") if path.exists())


def check_every_case(board_name: str, preset: str, sched: str) -> None:
    """Runs all, and asserts that each passes."""
    done = execute(board_name, image(board_name, preset, sched), options_of(board_name), protected=True)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if not line.startswith("PASS ")], done.stdout + done.stderr
    text = (SUITE / "runner.c").read_text(encoding="utf-8")
    wanted = re.findall(r"CASE\((\w+)\),", re.sub(r"#if !TAKT_IN_PROCESS.*?#endif", "", text, flags=re.DOTALL))
    assert lines == [f"PASS {name}" for name in wanted]
    assert len(wanted) > 14
    assert done.returncode == 0
