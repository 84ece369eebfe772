# SPDX-License-Identifier: Apache-2.0
"""Thread-local variables, errno among them: whether code of a system has some. Then each task has a block of them, for
which its stack has room, and the kernel has the processor's thread pointer follow the running task."""

from __future__ import annotations

import re

from takt.declare.code import said
from takt.declare.schema.model import System

BLOCK_MAX = 128
"""Bytes of all thread-local variables of an image: a start of a task writes them, with the kernel locked."""
BLOCK_ALIGNMENT = 16
"""What a block takes of a stack is a multiple of it: kernel/core/task.c."""

POINTER = {"armv7m": 0, "rv32": 6}
"""Instructions that an interrupt, or a switch, takes more for the processor's thread pointer, by port: a register on
RV32. With processes every kernel switches it."""
BLOCK = BLOCK_MAX + 64
"""The same for the start of a task: four for a word of the block, and the calls that write it."""

_SAID = re.compile(rb"\b(?:errno|perror|thread_local|_Thread_local|__thread)\b|\.t(?:data|bss)\b")
"""What a C file says that has or reads such a variable, and of an archive the name of a symbol or a section."""


def read(system: System) -> bool:
    """Whether a source of a system, what it includes, or an archive says so. What only the C library writes, as strtol
    writes errno, nobody reads: that may be one for all tasks."""
    return said.anywhere(system, _SAID)


def switched(system: System, port: str, cooperative: bool) -> bool:
    """Whether a kernel has a block for each task. On `host` its port does that always; cooperative tasks share one: no
    job of them comes between two statements of another."""
    return system.thread_local and port != "host" and not cooperative


def instructions(system: System, port: str, cooperative: bool) -> tuple[int, int]:
    """What they add to an interrupt or a switch, and to the longest locked section."""
    if not switched(system, port, cooperative):
        return 0, 0
    return 0 if system.protection else POINTER.get(port, max(POINTER.values())), BLOCK
