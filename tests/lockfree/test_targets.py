# SPDX-License-Identifier: Apache-2.0
"""What the targets' compilers make of the lock-free headers: nothing of a library, no read-modify-write, few bytes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from takt.support.provision import ROOT

COMPILERS = {
    "armv7m": ["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-specs=picolibc.specs"],
    "rv32": ["riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32", "-specs=picolibc.specs"],
}
# Load and store exclusive, reserved and conditional, and the atomic memory operations.
READ_MODIFY_WRITE = re.compile(r"\b(ldrex\w*|strex\w*|lr\.w\S*|sc\.w\S*|amo\w+\.w\S*)\s")


@pytest.fixture(params=COMPILERS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """The compiler's prefix, and the object file of targets.c."""
    compiler, *flags = COMPILERS[request.param]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    target = tmp_path / "targets.o"
    command = [compiler, *flags, "-std=c11", "-O2", "-Wall", "-Wextra", "-Wundef", "-Werror", f"-I{ROOT}"]
    command += [f"-I{ROOT / 'kernel' / 'include'}", f"-I{ROOT / 'kernel' / 'config' / 'preset' / 'lean'}"]
    command += ["-c", "-ffunction-sections", str(ROOT / "tests" / "lockfree" / "targets.c"), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return compiler.removesuffix("gcc"), target


def said(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_nothing_of_a_library(made: tuple[str, Path]) -> None:
    prefix, target = made
    needed = {line.split()[-1] for line in said(f"{prefix}nm", "-u", target).splitlines()}
    assert needed <= {"memcpy"}


def test_no_read_modify_write(made: tuple[str, Path]) -> None:
    prefix, target = made
    listing = said(f"{prefix}objdump", "-d", target)
    assert "<put_8>:" in listing
    assert READ_MODIFY_WRITE.findall(listing) == []


def test_short_items_are_moved_by_words_without_a_call(made: tuple[str, Path]) -> None:
    prefix, target = made
    for call in ("put_4", "get_4", "put_8", "get_8", "read_4", "write_4", "read_8", "write_8"):
        listing = said(f"{prefix}objdump", "-dr", "-j", f".text.{call}", target)
        assert f"<{call}>:" in listing
        assert re.findall(r"memcpy|\b(?:lbu|sb|ldrb|strb)\s", listing) == [], call


def test_fences(made: tuple[str, Path]) -> None:
    """One where a state or a mark is acquired or released, and one more between a mark and its message."""
    prefix, target = made
    found = {
        call: len(re.findall(r"\b(?:dmb|fence)\s", said(f"{prefix}objdump", "-d", "-j", f".text.{call}", target)))
        for call in ("put_8", "get_8", "write_4", "read_4", "write_64", "read_64")
    }
    assert found == {"put_8": 2, "get_8": 2, "write_4": 0, "read_4": 1, "write_64": 2, "read_64": 2}


def test_one_word_for_each_state(made: tuple[str, Path]) -> None:
    """No cache lines on a target: 4 slots of 8 bytes and their states, 3 copies of 64 and their marks."""
    prefix, target = made
    sizes = {line.split()[-1]: int(line.split()[1], 16) for line in said(f"{prefix}nm", "-S", target).splitlines()}
    assert sizes["ring_storage"] == 4 * 16
    assert sizes["state_storage"] == 3 * 68
    assert (sizes["ring"], sizes["state"]) == (20, 20)
