# SPDX-License-Identifier: Apache-2.0
"""The thread-local variables of an image: how much of each task's stack they take."""

from __future__ import annotations

from pathlib import Path

from takt.declare.code.thread_locals import BLOCK_ALIGNMENT, BLOCK_MAX, switched
from takt.image.application import elf_symbols
from takt.prove.proof import Proved
from takt.support.errors import UserError
from takt.support.files import shown_path

_SIZE = "takti_tls_size"  # of boards' linker scripts: its address is the size


def size(proved: Proved, image: Path) -> int:
    """Bytes at the top of a stack. UserError: there are more of them than a start of a task may write."""
    system = proved.system
    if not switched(system, proved.board.port, proved.choice.cooperative):
        return 0
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        found = elf_symbols.named(ELFFile(file), _SIZE)
    bytes_ = found.value if found else 0
    if bytes_ > BLOCK_MAX:
        problem = f"{shown_path(system.path)}: thread-local variables take {bytes_} bytes of each task's stack, and"
        raise UserError(f"{problem} {BLOCK_MAX} is the most", "a static variable of the task's own, or a local one")
    return -(-bytes_ // BLOCK_ALIGNMENT) * BLOCK_ALIGNMENT
