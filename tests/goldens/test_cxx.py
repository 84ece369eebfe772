# SPDX-License-Identifier: Apache-2.0
"""takt/takt.hpp costs nothing: a section of C++ has no more instructions than the same with the calls of C."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from takt.support.provision import ROOT

HERE = Path(__file__).parent / "cxx"
TOOLS = {
    "armv7m": ("arm-none-eabi-", ["-mcpu=cortex-m3", "-mthumb", "-specs=picolibc.specs"]),
    "rv32": ("riscv64-unknown-elf-", ["-march=rv32imac", "-mabi=ilp32", "-specs=picolibc.specs"]),
}
FOLDERS = ("", "kernel/include", "kernel/config/preset/standard", "kernel/config/sched/bands")


def instructions(port: str, source: Path, out: Path) -> dict[str, int]:
    """Of each function of a file, as an application's files are compiled."""
    tools, processor = TOOLS[port]
    compiler = [f"{tools}g++", "-std=gnu++17", "-fno-exceptions", "-fno-rtti"]
    if source.suffix == ".c":
        compiler = [f"{tools}gcc", "-std=gnu11"]
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    includes = [word for name in (*FOLDERS, f"ports/{port}") for word in ("-isystem", str(ROOT / name))]
    options = ["-O2", "-ffunction-sections", "-Wall", "-Wextra", "-Werror", "-c", str(source), "-o", str(out)]
    subprocess.run([*compiler, *processor, *includes, *options], check=True)
    text = subprocess.run([f"{tools}objdump", "-d", out], check=True, capture_output=True, text=True).stdout
    parts = text.split("Disassembly of section .text.")[1:]
    return {part[: part.index(":")]: len(re.findall(r"^ +[0-9a-f]+:\t", part, re.MULTILINE)) for part in parts}


@pytest.mark.parametrize("port", TOOLS)
def test_sections_and_monitors_are_free(port: str, tmp_path: Path) -> None:
    c = instructions(port, HERE / "sections.c", tmp_path / "c.o")
    cxx = instructions(port, HERE / "sections.cpp", tmp_path / "cxx.o")
    print(port, c, cxx)
    assert c.keys() == cxx.keys()
    assert len(c) == 6
    assert {name: (c[name], cxx[name]) for name in c if cxx[name] > c[name]} == {}
