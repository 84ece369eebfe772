# SPDX-License-Identifier: Apache-2.0
"""What tests of the generated tables share."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from takt.declare.schema import boards
from takt.declare.schema.model import Overheads, System
from takt.image.tables import generate
from takt.prove.schedulers import plain_bands
from takt.support.provision import ROOT

COMPILERS = {
    "host": "gcc",
    "mps2-an385": "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -specs=picolibc.specs",
    "rv32-virt": "riscv64-unknown-elf-gcc -march=rv32imac_zicsr -mabi=ilp32 -specs=picolibc.specs",
}


def tables(system: System, folder: Path, board: str = "host", **more: object) -> str:
    bands = plain_bands(system, "bands" if system.bands else "dm") or ()
    generate.generate(system, bands, folder, board=boards.load(board), proof="proof", **more)  # type: ignore[arg-type]
    return (folder / "system.c").read_text(encoding="utf-8")


def config(source: str, index: int) -> dict[str, str]:
    line = next(line for line in source.splitlines() if line.startswith(f"    [{index}] = "))
    return dict(re.findall(r"\.(\w+) = ((?:\([^)]*\)|[^,{}()]|\(\w+\))+)", line))


def compile_tables(system: System, folder: Path, board: str, cooperative: bool = False) -> None:
    """Into `folder`, without a warning."""
    compiler, *machine = COMPILERS[board].split()
    port = boards.load(board).port
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    jobs = ({"fixed": 4, "edf": 5}, {"fixed": 6, "edf": 7}, {"fixed": 8, "edf": 9})
    overheads = Overheads(board, "standard", "bands", 32, 1, 2, 3, *jobs)
    tables(system, folder, board, cooperative=cooperative, overheads=overheads)
    rooms = (
        "kernel/include",
        "kernel/config/preset/standard",
        "kernel/config/sched/bands",
        "analysis/include",
        "runner/include",
    )
    folders = ("", *rooms, f"ports/{port}")
    includes = [f"-I{ROOT / folder}" for folder in folders]
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-c", "-o", str(folder / "system.o")]
    subprocess.run([compiler, *machine, *flags, *includes, str(folder / "system.c")], check=True)
