# SPDX-License-Identifier: Apache-2.0
"""Symbols as takt.image.application.elf_symbols unpacks them, and as pyelftools reads them one by one."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.constants import SHN_INDICES
from elftools.elf.elffile import ELFFile
from elftools.elf.enums import ENUM_ST_INFO_BIND, ENUM_ST_INFO_TYPE, ENUM_ST_SHNDX
from takt.image.application import elf_symbols
from takt.support import compile, provision

SOURCE = """
static int local = 3;
int common_or_zeroed, data = 4;
_Thread_local int own;
extern int other;
__attribute__((weak)) int weak(void) { return other + local + own; }
int \\u00e4(void) { return weak() + common_or_zeroed; }
__asm__(".set absolute, 0x12345678\\n.globl absolute");
"""
provision.require("host", "arm", "riscv")
COMPILERS = ("gcc", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb", "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32")


def number(value: Any, names: Mapping[str, int]) -> int:
    return value if isinstance(value, int) else names[value]


def oracle(path: Path) -> list[tuple[str, int, int, int, int, int]]:
    with path.open("rb") as file:
        table: Any = ELFFile(file).get_section_by_name(".symtab")
        return [
            (
                one.name,
                one["st_value"],
                one["st_size"],
                number(one["st_info"]["bind"], ENUM_ST_INFO_BIND),
                number(one["st_info"]["type"], ENUM_ST_INFO_TYPE),
                number(one["st_shndx"], ENUM_ST_SHNDX),
            )
            for one in table.iter_symbols()
        ]


def found(path: Path) -> list[elf_symbols.Symbol]:
    with path.open("rb") as file:
        return elf_symbols.read(ELFFile(file))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_they_are_those_of_pyelftools(tmp_path: Path, compiler: str) -> None:
    provision.require("rv32" if "riscv" in compiler else "arm" if "arm" in compiler else "build")
    (tmp_path / "some.c").write_text(SOURCE, encoding="ascii")
    path = tmp_path / "some.o"
    subprocess.run([*compiler.split(), "-fcommon", "-c", str(tmp_path / "some.c"), "-o", str(path)], check=True)
    assert [tuple(one) for one in found(path)] == oracle(path)
    by_name = {one.name: one for one in found(path)}
    assert by_name["weak"].placed
    assert by_name["local"].bind == elf_symbols.LOCAL
    assert by_name["weak"].type == elf_symbols.FUNCTION
    assert by_name["own"].type == elf_symbols.THREAD
    assert by_name["other"].section == elf_symbols.UNDEFINED
    assert by_name["common_or_zeroed"].section == elf_symbols.COMMON == SHN_INDICES.SHN_COMMON
    assert not any(by_name[name].placed for name in ("other", "common_or_zeroed", "absolute"))


def test_of_a_library_and_of_a_file_without_any(tmp_path: Path) -> None:
    library = compile.host_library("analysis")
    assert [tuple(one) for one in found(library)] == oracle(library)
    with library.open("rb") as file:
        wanted = elf_symbols.named(ELFFile(file), "takt_analysis_can_responses")
    assert wanted is not None
    assert wanted.type == elf_symbols.FUNCTION
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", "-o", str(stripped), str(library)], check=True)
    assert found(stripped) == []
