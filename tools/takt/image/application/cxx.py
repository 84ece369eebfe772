# SPDX-License-Identifier: Apache-2.0
"""The compiled C++ standard library, exceptions and RTTI: where they are refused, their package."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator

from takt.declare.schema.boards import Board
from takt.declare.schema.model import System
from takt.image.application import cmake, reached
from takt.support import provision
from takt.support.errors import UserError
from takt.support.files import shown_path

GROUP = "cxx_library"
KEYS = ("exceptions", "rtti", "cxx_library")
_THROW = ("__cxa_throw", "__cxa_rethrow")
_COMPILER = "arm-none-eabi-g++"


def refuse(system: System, board: Board) -> None:
    """UserError: it wants the C++ standard library where there is none, or without what that needs."""
    key = next((key for key in KEYS if getattr(system.build, key)), None)
    if key is None:
        return
    said = f"{shown_path(system.path)}: [build]: {key} = true"
    without = "C++ without it: a status in place of an exception, arrays of fixed size"
    if board.port not in ("host", "armv7m"):
        why = f"for the processor of {board.name}, RV32, no package has it" if board.port == "rv32" else "it has none"
        raise UserError(
            f"{said} needs the C++ standard library, and {why}", f"--board mps2-an385 or host; or {without}"
        )
    if system.protection:
        problem = f"{said} is not possible with protection: the library has variables, which would be no process's"
        raise UserError(problem, f"protection = false, or --no-protection; or {without}")
    if board.port != "host" and not system.heap_size:
        problem = f"{said} needs a heap, in which exceptions and what the library allocates are"
        raise UserError(problem, 'heap = "16 KiB" in [system]')


def groups(system: System, board: Board) -> Iterator[str]:
    """Groups of packages that a system in C++ needs. A compiler that is not Debian's has the library.

    UserError: as refuse.
    """
    refuse(system, board)
    if cmake.needs_cxx(system):
        yield "cxx"
    own = not (shutil.which(_COMPILER) or "/usr/bin/").startswith("/usr/bin/")
    if system.build.cxx_library and board.port == "armv7m" and not own:
        missing = [package.name for package in provision.packages([GROUP]) if not package.present()]
        if missing:
            say = f"[build]: cxx_library = true on {board.name} needs package {missing[0]}: 201 MB are fetched, once"
            provision.say(f"{shown_path(system.path)}: {say}")
        yield GROUP


def thrown(calls: reached.Calls, short: Callable[[str], str], entries: Iterable[str]) -> str:
    """The calls by which a task may throw; "": it does not."""
    return next(filter(None, (reached.way(calls, short, entry, _THROW) for entry in entries)), "")
