# SPDX-License-Identifier: Apache-2.0
"""`takt bench size`: bytes of the kernel, linked for what a system calls and nothing else.

Compiled for size (CMAKE_BUILD_TYPE MinSizeRel) and linked with --gc-sections for the calls of a set and what comes from
below: the clock's interrupt and the switch. Counted is what the linker's map lists as kept of kernel/, base/ and the
port, and of the compiler's and the C library if something needs them: code and constants. Not counted are the board,
the application and its tables, what takes faults (the port's faults.c), and what the linker puts between sections.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from takt.declare.schema import boards
from takt.image.build import GROUPS
from takt.support import children
from takt.support.c.kernel import LEVELS_DEFAULT
from takt.support.compile import BUILD, compile_preset, locked
from takt.support.errors import UserError
from takt.support.files import read_text, write_whole
from takt.support.provision import ROOT, require

GOLDEN = ROOT / "benchmarks" / "golden" / "size.json"
TASKS = 10  # of the system whose RAM is counted, each of a priority of its own
PRESETS = ROOT / "kernel" / "config" / "preset"
LINE = 16_200  # of `everything`: what we want to stay within


@dataclass(frozen=True)
class Target:
    """How a board's objects are linked, and the calls that its vectors and interrupts make."""

    tools: str  # prefix
    processor: tuple[str, ...]
    from_below: str
    reached: tuple[str, ...] = ()  # symbols of the board, with what is as near as they are in an image: for relaxation


TARGETS = {
    "mps2-an385": Target("arm-none-eabi-", ("-mcpu=cortex-m3", "-mthumb"), "takt_armv7m_pendsv takt_armv7m_svc"),
    "rv32-virt": Target(
        "riscv64-unknown-elf-",
        ("-march=rv32imac", "-mabi=ilp32"),
        "takt_rv32_vectors",
        (
            "__global_pointer$=takti_kernel",
            *(f"takt_port_{name}=takt_start" for name in ("now_ns", "ticks_ns", "timer_set", "halt")),
            "takt_rv32_mtime=0x0200BFF8",
            "takt_rv32_tick_ns=takt_start",
            *(f"takt_rv32_{name}=takt_start" for name in ("clock_start", "software_interrupt", "external_interrupt")),
            "takt_rv32_interrupt_stack_top=takti_kernel",
            "takt_rv32_fault=takt_start",
        ),
    ),
}

_MINIMAL = """takti_timer_interrupt takt_start takt_now takt_delay takt_delay_until takt_task_yield takt_semaphore_init
    takt_semaphore_wait takt_semaphore_wait_until takt_semaphore_try_wait takt_semaphore_post"""
_FULL = f"""{_MINIMAL} takt_task_start takt_task_running takt_task_suspend takt_task_resume takt_task_stop
    takt_task_delete takt_task_stopped takt_semaphore_delete
    takt_mutex_init takt_mutex_lock takt_mutex_lock_until takt_mutex_try_lock takt_mutex_unlock takt_mutex_delete
    takt_mailbox_init takt_mailbox_send takt_mailbox_send_until takt_mailbox_try_send takt_mailbox_receive
    takt_mailbox_receive_until takt_mailbox_try_receive takt_mailbox_delete"""
_NOT_THE_KERNEL_S = ("takt_work", "takt_hook_idle", "takt_kernel_broken")  # the board's, the application's, a check


def _every_call(sched: str) -> str:
    """What the headers declare for a kind of kernel; what is in line there is the application's code."""
    from takt.image import contracts

    calls = (call for call in contracts.calls() if not (call.inline or call.name in _NOT_THE_KERNEL_S))
    return " ".join(call.name for call in calls if sched == "budgets" or call.header != "budget.h")


_ADMISSION = "takti_admission_add takti_admission_remove"


@dataclass(frozen=True)
class Set:
    """What a system calls, and the kernel that the tools choose for such a one. `every_call`: and all others."""

    sched: str
    preset: str  # of kernel/config/preset/, or of benchmarks/size/
    levels: int
    calls: str
    every_call: bool = False  # that this kind of kernel has

    def preset_folder(self) -> Path:
        own = ROOT / "benchmarks" / "size" / self.preset
        return own if own.exists() else PRESETS / self.preset

    def all_calls(self) -> str:
        return f"{self.calls} {_every_call(self.sched) if self.every_call else ''}"


SETS = {
    "minimal": Set("plain", "lean", TASKS + 1, _MINIMAL),
    "full": Set("plain", "lean", TASKS + 1, _FULL),
    "everything": Set("fixed", "traced", LEVELS_DEFAULT, "", every_call=True),
    "edf": Set("bands", "traced", LEVELS_DEFAULT, "", every_call=True),
    "budgets": Set("budgets", "traced", LEVELS_DEFAULT, "", every_call=True),
    "checked": Set("budgets", "standard", LEVELS_DEFAULT, _ADMISSION, every_call=True),
}
STRUCTURES = ("takt_task", "takt_semaphore", "takt_mutex", "takt_mailbox", "takt_task_statistics", "takt_arrivals")

ROOMS = {
    "libtakt_kernel.a": "kernel",
    "libtakt_base.a": "base",
    "takt_port.dir": "port",
    "libgcc.a": "library",
    "libc.a": "library",
}
_CODE = (".text", ".rodata", ".srodata", ".ARM.exidx", ".vectors")
_DATA = (".data", ".sdata", ".bss", ".sbss", "COMMON", ".noinit")
_NOT_LOADED = (".debug", ".comment", ".ARM.attributes", ".riscv.attributes")

# An input section that the linker kept: name, size, and the object that it comes from.
_KEPT = re.compile(r"^ (\.[\w.$]+|COMMON)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S.*)$", re.MULTILINE)


def count(link_map: str, rooms: Mapping[str, str] = ROOMS) -> dict[str, dict[str, int]]:
    """Bytes of "code" and "data" by room, from the text of a linker's map. ValueError: an unknown section."""
    found = {kind: dict.fromkeys(rooms.values(), 0) for kind in ("code", "data")}
    for section, size, origin in _KEPT.findall(link_map.partition("\nLinker script and memory map\n")[2]):
        room = next((room for part, room in rooms.items() if part in origin), None)
        if room is None or section.startswith(_NOT_LOADED) or int(size, 16) == 0:
            continue
        if not section.startswith(_CODE + _DATA):
            raise ValueError(f"{origin}: is {section} code or data?")
        found["code" if section.startswith(_CODE) else "data"][room] += int(size, 16)
    return found


def _run(command: list[str], source: str | None = None) -> str:
    """What it prints. UserError: it failed, and why."""
    done = children.run(command, given=source)
    if done.returncode != 0:
        raise UserError(f"{command[0]} failed\n{done.stderr[-500:].strip()}")
    return done.stdout


def compiled(board_name: str, variant: Set) -> Path:
    """The folder of the kernel's objects."""
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    folder = BUILD / f"size-{board_name}-{variant.sched}-{variant.preset}"
    settings = {
        "TAKT_BOARD": board_name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": os.path.relpath(variant.preset_folder(), PRESETS),
        "TAKT_SCHED": variant.sched,
        "TAKT_LEVELS": str(variant.levels),
        "CMAKE_BUILD_TYPE": "MinSizeRel",
    }
    with locked(folder):
        compile_preset(board_name, folder, settings, f"building the kernel for {board_name}, for size", "all")
    return folder


def link(board_name: str, folder: Path, name: str, calls: Sequence[str]) -> str:
    """The map of the objects in `folder` linked for the calls; what the board provides stays open."""
    target = TARGETS[board_name]
    output = folder / f"{name}.map"
    options = ["--gc-sections", "--unresolved-symbols=ignore-all", "-e", "takt_start", f"-Map={output}"]
    options += [f"--defsym={symbol}" for symbol in target.reached]
    options += [text for call in calls for text in ("--require-defined", call)]
    port = (folder / "CMakeFiles" / "takt_port.dir").rglob("*.obj")
    objects = [path for path in sorted(port) if path.name != "faults.c.obj"]
    objects += [folder / "kernel" / "libtakt_kernel.a", folder / "base" / "libtakt_base.a"]
    command = [f"{target.tools}gcc", *target.processor, "-specs=picolibc.specs", "-nostartfiles"]
    command += [f"-Wl,{','.join(options)}", *map(str, objects), "-o", str(folder / f"{name}.elf")]
    _run(command)
    return read_text(output)


def sizes(board_name: str, variant: Set, objects: dict[str, str]) -> dict[str, int]:
    """sizeof of C objects: name and declaration, as an application of the set declares them."""
    target = TARGETS[board_name]
    source = '#include "takt/takt.h"\n' + "".join(f"{text};\n" for text in objects.values())
    output = BUILD / f"size-{board_name}-{variant.sched}-{variant.preset}" / "objects.o"
    folders = ("", "kernel/include", variant.preset_folder(), f"kernel/config/sched/{variant.sched}")
    includes = [f"-I{ROOT / path}" for path in (*folders, f"ports/{boards.load(board_name).port}")]
    command = [f"{target.tools}gcc", *target.processor, "-Os", "-std=c11", "-specs=picolibc.specs", *includes]
    command += [f"-DTAKT_LEVELS={variant.levels}", "-x", "c", "-c", "-", "-o", str(output)]
    _run(command, source)
    listing = _run([f"{target.tools}nm", "-S", str(output)])
    found = {line.split()[3]: int(line.split()[1], 16) for line in listing.splitlines() if len(line.split()) == 4}
    return {name: found.get(name, 0) for name in objects}


def symbols(board_name: str, name: str) -> set[str]:
    """Names of what is linked for a set."""
    folder = compiled(board_name, SETS[name])
    linked(board_name, name)
    listing = _run([f"{TARGETS[board_name].tools}nm", str(folder / f"{name}.elf")])
    return {line.split()[-1] for line in listing.splitlines()}


def linked(board_name: str, name: str) -> str:
    """The map of a set."""
    calls = f"{SETS[name].all_calls()} {TARGETS[board_name].from_below}".split()
    return link(board_name, compiled(board_name, SETS[name]), name, calls)


def measure(board_name: str) -> dict[str, Any]:
    """All figures of a board, in bytes."""
    parts = {name: count(linked(board_name, name)) for name in SETS}
    least = SETS["minimal"]
    named = {f"size_of_{name}": f"char size_of_{name}[sizeof(struct {name})]" for name in STRUCTURES}
    structures = sizes(board_name, least, named)
    tables = {"tasks": f"struct takt_task tasks[{TASKS}]", "timers_heap": f"TAKT_TIMERS_DEFINE(timers, {TASKS})"}
    ram = sum(parts["minimal"]["data"].values()) + sum(sizes(board_name, least, tables).values())
    return {
        **{name: sum(found["code"].values()) for name, found in parts.items()},
        "task_block": structures["size_of_takt_task"],
        "ram_10_tasks": ram,
        "structures": {name.removeprefix("size_of_"): size for name, size in structures.items()},
        "parts": {name: found["code"] for name, found in parts.items()},
    }


def document(names: Iterable[str]) -> dict[str, Any]:
    with ThreadPoolExecutor(2) as pool:
        return {"boards": dict(zip(names, pool.map(measure, names), strict=True))}


# Bytes on the M3 and RV32 of other kernels, cited as benchmarks/reference says of instructions.
CITED = {
    "FreeRTOS": {"minimal": "3957 / 4841", "full": "5209 / 6351", "task_block": "84"},
    "ThreadX": {"minimal": "2250 / 2900", "full": "5208 / 6170", "task_block": "176"},
    "Zephyr": {"minimal": "3958 / 4412", "full": "5316 / 5812", "task_block": "128"},
    "ChibiOS": {"minimal": "1364 / -", "full": "2190 / -", "task_block": "52"},
}
NAMES = {
    "minimal": "minimal: tasks, semaphore, delay",
    "full": "full: and inheriting mutex, queue",
    "everything": "everything: all services and the trace, fixed bands",
    "edf": "and edf bands with time slices",
    "budgets": "and budgets",
    "checked": "and assertions and admission",
    "task_block": "a task's block",
    "ram_10_tasks": f"RAM of {TASKS} tasks, without stacks",
}


def golden() -> dict[str, Any]:
    """The reviewed figures."""
    found: dict[str, Any] = json.loads(read_text(GOLDEN))
    return found


def write_golden() -> None:
    write_whole(GOLDEN, json.dumps(document(TARGETS), indent=2) + "\n")


def markdown(found: dict[str, Any]) -> str:
    """The table of docs/performance.md."""
    heads = ["", *found["boards"], *(f"{name}*" for name in CITED)]
    lines = ["| " + " | ".join(heads).strip() + " |", "|---" * len(heads) + "|"]
    for key, name in NAMES.items():
        cells = [name, *(str(board[key]) for board in found["boards"].values())]
        cells += [cited.get(key, "") for cited in CITED.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def show(found: dict[str, Any]) -> None:
    names = list(found["boards"])
    click.echo(f"{'bytes, compiled for size':26}" + "".join(f"{name:>12}" for name in names))
    rows = [(name, [board[name] for board in found["boards"].values()]) for name in SETS]
    rows += [(name.replace("_", " "), [board[name] for board in found["boards"].values()]) for name in ("task_block",)]
    rows += [(f"RAM of {TASKS} tasks", [board["ram_10_tasks"] for board in found["boards"].values()])]
    for name in STRUCTURES[1:]:
        rows.append((f"struct {name}", [board["structures"][name] for board in found["boards"].values()]))
    for name, values in rows:
        click.echo(f"{name:26}" + "".join(f"{value:>12}" for value in values))
    click.echo(
        "\nminimal: tasks, semaphore, delay. full: also inheriting mutex, mailbox, and tasks that start, stop and are"
    )
    click.echo(
        "suspended. everything: all services and the trace, in fixed bands. edf: also edf bands. budgets: also budgets."
    )
    click.echo(f"checked: also assertions and admission. The limit for everything is {LINE}.")


def add_command(group: click.Group) -> None:
    from takt.support.options import json_option

    @group.command(name="size")
    @click.option(
        "--board", "names", multiple=True, type=click.Choice(list(TARGETS)), help="Only this board; may be repeated."
    )
    @click.option("--update", is_flag=True, help="Only rewrite the reviewed figures (benchmarks/golden).")
    @json_option
    def command(names: tuple[str, ...], update: bool, as_json: bool) -> int:
        """Print the kernel's bytes for sets of calls, of a task control block, and RAM for 10 tasks without stacks."""
        from takt.support import console

        if update:
            write_golden()
            return 0
        found = document(names or tuple(TARGETS))
        if as_json:
            console.print_json(found)
        else:
            show(found)
        return 0
