# SPDX-License-Identifier: Apache-2.0
"""What is read from the machine code of an image: where functions go, and what follows one that ends with a call."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from takt.image import machine_code, stack
from takt.support import provision
from takt.support.errors import UserError

CODE = """
.macro function name
.global \\name
.type \\name, %function
\\name:
.endm
function asks
    CALL fails
function runs_on
    CALL comes_back
function fails
    JUMP stops
function stops
    JUMP stops
function comes_back
    JUMP returns
function returns
    RETURN
function leaves
    LEAVE
function repeats
    CALL repeats
    RETURN
function loops
    JUMP loops
"""
KINDS = {
    "armv7m": (
        "arm-none-eabi-",
        ["-mcpu=cortex-m3", "-mthumb"],
        {"CALL": "bl", "JUMP": "b.w", "RETURN": "bx lr", "LEAVE": "ldr pc, [sp], #4"},
    ),
    "rv32": (
        "riscv64-unknown-elf-",
        ["-march=rv32imac", "-mabi=ilp32"],
        {"CALL": "jal", "JUMP": "j", "RETURN": "ret", "LEAVE": "ret"},
    ),
}


@pytest.fixture(params=KINDS)
def image(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """CODE, linked, and the prefix of its tools."""
    provision.require("arm", "riscv")
    tools, options, words = KINDS[request.param]
    text = CODE
    for word, instruction in words.items():
        text = text.replace(word, instruction)
    source = tmp_path / "code.s"
    source.write_text((".syntax unified\n.thumb\n" if request.param == "armv7m" else "") + text, encoding="utf-8")
    made = tmp_path / "code.elf"
    command = [f"{tools}gcc", *options, "-nostdlib", "-Wl,--entry=asks", "-Wl,--no-relax", "-o", str(made), str(source)]
    subprocess.run(command, check=True)
    return made, tools


def test_only_a_call_that_returns_goes_on_into_the_next_function(image: tuple[Path, str]) -> None:
    assert machine_code.disassembly(*image).after == {"runs_on": "fails"}


def test_a_function_that_calls_itself_has_no_bound(image: tuple[Path, str]) -> None:
    """A jump to its own begin is a loop."""
    graph = stack.read(stack.Graph(), *image, ("repeats", "loops"), [])
    assert graph.most("loops") == 0
    with pytest.raises(UserError, match="recursion: repeats > repeats"):
        graph.most("repeats")
