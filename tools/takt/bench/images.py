# SPDX-License-Identifier: Apache-2.0
"""Images of benchmarks/: built with Takt, or with a peer, and run on an emulated board."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from takt.bench import peers
from takt.declare.schema import boards
from takt.image.build import GROUPS, compile_application
from takt.support import children
from takt.support.compile import BUILD, compile_preset, compile_project, locked
from takt.support.errors import UserError
from takt.support.provision import ROOT, require

BENCHMARKS = ROOT / "benchmarks"
PROTECTED = BENCHMARKS / "protected"
LEVELS = 32
RUN_S = 600  # the longest run takes a minute
OURS = "-DBENCHMARK_"  # definitions that only benchmarks/ reads: the kernel is that of all others


def _settings(flags: str) -> dict[str, str]:
    """Not optimized over files: a call is a call, and the kernel's code does not depend on the caller."""
    return {"CMAKE_INTERPROCEDURAL_OPTIMIZATION": "OFF", "CMAKE_C_FLAGS_RELEASE": f"-O2 -g {flags}".strip()}


def with_takt(
    board_name: str,
    preset: str,
    sched: str,
    system: Path,
    sources: Sequence[Path] = (),
    includes: Sequence[Path] = (),
    flags: str = "",
    link: str = "",
    levels: int = LEVELS,
    protection: bool = False,
    servers: bool = False,
    fifo: bool = False,
    hints: bool = False,
) -> Path:
    """The image of `sources` with the kernel. `system`: the folder whose system.c declares takt_system.

    `flags` make another image, for the compiler, and so do `levels`, of the kernel's bitmap; `link` belongs to the
    sources, for the linker. `protection`: a kernel with processes, and those of benchmarks/protected. `servers`: a
    kernel with servers; `fifo`: with waiters in FIFO order; `hints`: one that heeds hints, whatever its kind.
    """
    board = boards.load(board_name)
    require(*GROUPS[board.port])
    name = "-".join(system.relative_to(BENCHMARKS).parts)
    folder = BUILD / f"benchmark-{name}-{board_name}-{sched}-{preset}{flags}"
    folder = folder if levels == LEVELS else folder.with_name(f"{folder.name}-{levels}")
    if protection:
        folder = folder.with_name(f"{folder.name}-protected")
        sources = [*sources, PROTECTED / "protected.c"]
        includes = [*includes, PROTECTED, PROTECTED / board_name]
        link = f"{link} -Wl,--wrap=takt_events_clear".strip()  # in_kernel
    if servers:
        folder = folder.with_name(f"{folder.name}-servers")
    if fifo:
        folder = folder.with_name(f"{folder.name}-fifo")
    if hints:
        folder = folder.with_name(f"{folder.name}-hints")
    kind = {
        "TAKT_BOARD": board_name,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": preset,
        "TAKT_SCHED": sched,
        "TAKT_LEVELS": str(levels),
        **({"TAKT_PROCESSES": "ON"} if protection else {}),
        **({"TAKT_SERVERS": "ON"} if servers else {}),
        **({"TAKT_FIFO_WAITERS": "ON"} if fifo else {}),
        **({"TAKT_HEEDS_HINTS": "ON"} if hints else {}),
    }
    settings = {
        **kind,
        "TAKT_GENERATED": str(system),
        "TAKT_SOURCES": ";".join(str(path) for path in sources),
        "TAKT_INCLUDE": ";".join(str(path) for path in includes),
        "CMAKE_EXE_LINKER_FLAGS": link,
        **_settings(flags),
    }
    activity = f"building benchmarks/{name} for {board_name} ({sched}, {preset})"
    with locked(folder):
        if flags and not flags.startswith(OURS):
            compile_preset(board_name, folder, settings, activity, "application")
        else:
            compile_application(board, kind, folder, settings, activity)
    return next(path for path in (folder / "application", folder / "application.elf") if path.exists())


def with_freertos(board_name: str, flags: str = "", kind: str = "") -> Path:
    """The image of benchmarks/kernel with FreeRTOS, bare or of a kind: a folder of benchmarks/kernel/freertos."""
    board = boards.load(board_name)
    require(*GROUPS[board.port], "peers")
    source = peers.fetch(peers.FREERTOS)
    folder = BUILD / f"benchmark-kernel-freertos{'-' + kind if kind else ''}-{board_name}{flags}"
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "FREERTOS": str(source),
        "BOARD": board_name,
        "KIND": kind,
        **_settings(flags),
    }
    with locked(folder):
        activity = f"building benchmarks/kernel/freertos for {board_name}"
        compile_project(BENCHMARKS / "kernel" / "freertos", folder, settings, activity, "benchmark")
    return folder / "benchmark.elf"


def run(board_name: str, image: Path, options: dict[str, object]) -> dict[str, Any]:
    """The line of JSON that a run prints. UserError: it failed; its last line says why."""
    command = boards.load(board_name).run_command(image, options)
    shown = " ".join([str(image), *(f"{name}={value}" for name, value in options.items())])
    try:
        done = children.run(command, within_s=RUN_S)
    except subprocess.TimeoutExpired:
        raise UserError(f"{shown}: it did not end within {RUN_S} s", "fewer --repeats") from None
    if done.returncode != 0:
        raise UserError(f"{shown}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-500:].strip()}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
