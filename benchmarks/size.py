# SPDX-License-Identifier: Apache-2.0
"""Bytes of the kernel on mps2-an385, against the reviewed figures in benchmarks/golden/size.json.

PYTHONPATH=tools .venv/bin/python benchmarks/size.py [--update]: prints the table, or writes the golden anew.

Compiled with -Os and without optimization over files, so that every byte has an object that it comes from, and linked
with what is not reached left out. Counted are the sections that the linker's map lists as kept, by the archive or
object that they come from: kernel/, base/ and ports/armv7m/, each apart. code: .text and .rodata; data: .data, .bss and
.noinit. What the linker puts between sections to align them is nobody's. Rows of 0 are left out.

- troublesome: the image of apps/troublesome, as `takt build` makes it; what its main (boards/run.c) calls to send the
  trace and the figures is in it, and so is the release of jobs. Board, main and tables are not counted.
- minimal (tasks, semaphore, delay) and full (these, inheriting mutex, mailbox): every call of those headers and what
  it reaches, without application and board; library: what that needs of the C library and the compiler's. Jobs,
  deadlines and both kinds of bands are in it, since no table can leave them out.
- structures: sizeof of what the caller owns, in the fixed kind and preset lean.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from reviewed import PRESETS, Rows, report
from takt import boards, declaration, generate, prove
from takt.build import GROUPS
from takt.compile import BUILD, compile_preset, locked
from takt.provision import ROOT, require

BOARD = "mps2-an385"
GOLDEN = ROOT / "benchmarks" / "golden" / "size.json"
OURS = ("kernel", "base", "port")
LEVELS = 32
PROCESSOR = ("-mcpu=cortex-m3", "-mthumb")
STRUCTURES = ("takt_task", "takt_mutex", "takt_semaphore", "takt_mailbox", "takt_task_statistics", "takt_arrivals")
TASKS = """takt_start takt_now takt_delay takt_delay_until takt_task_start takt_task_stop takt_task_delete
    takt_task_stopped takt_task_suspend takt_task_resume takt_task_running takt_task_yield takt_task_statistics
    takt_job_wait takt_job_release takt_job_release_ns takt_job_deadline_ns takt_interrupt_enter takt_interrupt_exit"""
FROM_BELOW = "takti_timer_interrupt takt_armv7m_pendsv takt_armv7m_svc"  # the board's clock and vectors call these
CALLS = {
    "semaphore": "init wait wait_until try_wait post delete",
    "mutex": "init lock lock_until try_lock unlock delete",
    "mailbox": "init send send_until try_send receive receive_until try_receive delete",
}
SETS = {"minimal": ("semaphore",), "full": ("semaphore", "mutex", "mailbox")}

# An input section that the linker kept: name, size, and the object that it comes from.
_KEPT = re.compile(r"^ (\.[\w.$]+|COMMON)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S.*)$", re.MULTILINE)
_ROOMS = {
    "libtakt_kernel.a": "kernel",
    "libtakt_base.a": "base",
    "takt_port.dir": "port",
    "libgcc.a": "library",
    "libc.a": "library",
}
_KINDS = {
    ".vectors": "code",
    ".text": "code",
    ".rodata": "code",
    ".ARM.exidx": "code",
    ".data": "data",
    ".bss": "data",
    "COMMON": "data",
    ".noinit": "data",
}

_NOT_LOADED = (".debug", ".comment", ".ARM.attributes")


def count(link_map: str, rooms: Iterable[str]) -> Rows:
    """Bytes by room and kind ("kernel code"), from the text of a linker's map. ValueError: an unknown section."""
    rows = {f"{room} {kind}": 0 for room in rooms for kind in ("code", "data")}
    for section, size, origin in _KEPT.findall(link_map.partition("\nLinker script and memory map\n")[2]):
        room = next((room for part, room in _ROOMS.items() if part in origin), "other")
        if room not in rooms or section.startswith(_NOT_LOADED) or int(size, 16) == 0:
            continue
        kind = next((kind for start, kind in _KINDS.items() if section.startswith(start)), None)
        if kind is None:
            raise ValueError(f"{origin}: is {section} code or data?")
        rows[f"{room} {kind}"] += int(size, 16)
    return {name: size for name, size in rows.items() if size != 0}


def image(preset: str) -> Path:
    """The folder of apps/troublesome's build for a preset of the kernel."""
    board = boards.load(BOARD)
    require(*GROUPS[board.port])
    declared = declaration.load(declaration.find(str(ROOT / "apps" / "troublesome")))
    proved = prove.prove(replace(declaration.with_board(declared, BOARD), preset=preset), None)
    folder = BUILD / f"size-{BOARD}-{preset}"
    with locked(folder):
        generate.generate_proved(proved, folder / "generated")
        settings = {
            "TAKT_BOARD": BOARD,
            "TAKT_PORT": board.port,
            "TAKT_PRESET": preset,
            "TAKT_LEVELS": str(LEVELS),
            "TAKT_GENERATED": str(folder / "generated"),
            "TAKT_INCLUDE": str(ROOT / "apps" / "troublesome"),
            "CMAKE_C_FLAGS_RELEASE": "-Os -g",
            "CMAKE_INTERPROCEDURAL_OPTIMIZATION": "OFF",
        }
        compile_preset(BOARD, folder, settings, f"building apps/troublesome for its size ({preset})", "application")
    return folder


def link(folder: Path, name: str) -> str:
    """The map of the archives in `folder` linked for the calls of a set; what the board provides stays open."""
    calls = f"{TASKS} {FROM_BELOW}".split()
    calls += [f"takt_{thing}_{verb}" for thing in SETS[name] for verb in CALLS[thing].split()]
    output = folder / f"{name}.map"
    options = ["--gc-sections", "--unresolved-symbols=ignore-all", "-e", "takt_start", f"-Map={output}"]
    options += [text for call in calls for text in ("--require-defined", call)]
    objects = [*sorted((folder / "CMakeFiles" / "takt_port.dir").rglob("*.obj"))]
    objects += [folder / "kernel" / "libtakt_kernel.a", folder / "base" / "libtakt_base.a"]
    linker = ["arm-none-eabi-gcc", *PROCESSOR, "-specs=picolibc.specs", "-nostartfiles"]
    linker += [f"-Wl,{','.join(options)}", *map(str, objects), "-o", str(folder / f"{name}.elf")]
    subprocess.run(linker, check=True)
    return output.read_text(encoding="utf-8")


def structures(folder: Path) -> Rows:
    """sizeof of STRUCTURES, from the symbols of an object that has an array of each size."""
    source = '#include "takt/takt.h"\n'
    source += "".join(f"char size_of_{name}[sizeof(struct {name})];\n" for name in STRUCTURES)
    output = folder / "structures.o"
    includes = [f"-I{ROOT / path}" for path in ("", "kernel/include", "analysis/include", "ports/armv7m")]
    includes += [f"-I{ROOT / 'kernel' / 'preset' / PRESETS[0]}", f"-I{ROOT / 'kernel' / 'sched' / 'fixed'}"]
    command = ["arm-none-eabi-gcc", *PROCESSOR, "-std=c11", "-specs=picolibc.specs", f"-DTAKT_LEVELS={LEVELS}"]
    subprocess.run([*command, *includes, "-x", "c", "-c", "-", "-o", str(output)], input=source, text=True, check=True)
    listing = subprocess.run(["arm-none-eabi-nm", "-S", str(output)], capture_output=True, text=True, check=True).stdout
    sizes = {line.split()[3]: int(line.split()[1], 16) for line in listing.splitlines()}
    return {f"struct {name}": sizes[f"size_of_{name}"] for name in STRUCTURES}


def measure(preset: str) -> Rows:
    """Every row of a preset."""
    folder = image(preset)
    found = count((folder / "application.map").read_text(encoding="utf-8"), OURS)
    rows = {f"troublesome: {name}": size for name, size in found.items()}
    for name in SETS:
        found = count(link(folder, name), (*OURS, "library"))
        rows |= {f"{name}: {row}": size for row, size in found.items()}
    return rows | structures(folder)


def measure_all() -> dict[str, Rows]:
    return {preset: measure(preset) for preset in PRESETS}


if __name__ == "__main__":
    sys.exit(report(measure_all(), GOLDEN, f"bytes on {BOARD}, -Os"))
