# SPDX-License-Identifier: Apache-2.0
"""Whether code of a system has thread-local variables, and what they cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from takt.declare import declaration
from takt.declare.code import thread_locals

SYSTEM = """
[system]
board = "mps2-an385"
[build]
sources = ["app.c"]
include = ["include"]
libraries = ["lib/{board}/libown.a"]
[[task]]
name = "one"
entry = "one_job"
period = "10 ms"
wcet = "1 ms"
"""


def write(folder: Path, code: str) -> Path:
    path = folder / "system.toml"
    path.write_text(SYSTEM)
    for name in ("include", "lib/mps2-an385", "lib/rv32-virt"):
        (folder / name).mkdir(parents=True)
    (folder / "app.c").write_text(code + "\nvoid one_job(void *argument) { (void)argument; }\n")
    (folder / "include" / "own.h").write_text('#pragma once\n#include "deeper.h"\n')
    (folder / "include" / "deeper.h").write_text("#define FAILED (errno != 0)\n")
    return path


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("int main_errno;", False),
        ("#include <stdlib.h>\nlong n(void) { return strtol(text, 0, 10); }", False),
        ("#include <missing.h>", False),
        ("#include <errno.h>", True),
        ("static _Thread_local int own;", True),
        ("static __thread int own;", True),
        ("void say(void) { perror(0); }", True),
        ("#include <own.h>", True),
    ],
)
def test_a_source_or_what_it_includes_says_so(tmp_path: Path, code: str, found: bool) -> None:
    assert declaration.load(write(tmp_path, code)).thread_local is found


@pytest.mark.parametrize(("board", "data"), [("mps2-an385", b"\0.tbss.own\0"), ("rv32-virt", b"\0errno\0")])
def test_an_archive_of_any_board_says_so(tmp_path: Path, board: str, data: bytes) -> None:
    path = write(tmp_path, "")
    archive = tmp_path / "lib" / board / "libown.a"
    archive.write_bytes(b"!<arch>\n\0strerrno\0.tbssx\0")
    assert not declaration.load(path).thread_local
    archive.write_bytes(b"!<arch>\n" + data)
    assert declaration.load(path).thread_local


def test_only_a_register_that_the_switch_changes_costs_time(tmp_path: Path) -> None:
    """A start of a task writes its block under every kernel."""
    system = declaration.load(write(tmp_path, "#include <errno.h>"))
    block = thread_locals.BLOCK
    assert thread_locals.instructions(system, "armv7m", False) == (0, block)
    assert thread_locals.instructions(system, "rv32", False) == (thread_locals.POINTER["rv32"], block)
    assert thread_locals.instructions(system, "of a port without a figure", False) == (6, block)
    assert thread_locals.instructions(replace(system, protection=True), "rv32", False) == (0, block)
    assert thread_locals.instructions(system, "host", False) == (0, 0)
    assert thread_locals.instructions(system, "rv32", True) == (0, 0)
    assert thread_locals.instructions(replace(system, thread_local=False), "rv32", False) == (0, 0)
