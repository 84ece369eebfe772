# SPDX-License-Identifier: Apache-2.0
"""Headers of the C++ library on boards: their package is installed when a file first includes one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from takt.declare.schema import source_files
from takt.declare.schema.boards import Board
from takt.declare.schema.model import System
from takt.support import provision
from takt.support.compile import HeaderError
from takt.support.names import CXX_HEADERS

GROUP = "cxx_headers"
_LIBRARY = Path("/usr/include/newlib/c++/12.2.1")
_FOLDERS = (_LIBRARY, _LIBRARY / "arm-none-eabi" / "thumb" / "v7-m" / "nofp")
_OPTIONS = {"armv7m": "-isystem", "rv32": "-I"}
"""By port, what puts these folders before those of C: picolibc.specs of RV32 has its own before -isystem."""


def options(board: Board) -> list[str]:
    """Of a board's compiler for C++, whether the headers are there or not. A compiler that is not Debian's has its own.

    RV32 has no others, and takes those for Arm, of the same release of GCC. What they leave to a library, and is called
    where they would throw, is in runner/cxx.
    """
    compiler = shutil.which(f"{board.tools}g++") or ""
    if board.port not in _OPTIONS or not compiler.startswith("/usr/bin/"):
        return []
    return [f"{_OPTIONS[board.port]}{folder}" for folder in _FOLDERS]


def provided(system: System, board: Board, compile_it: Callable[[], None]) -> None:
    """Compiles; once more after an installation if that is what it needs. UserError: as of the compiler."""
    try:
        compile_it()
    except HeaderError as error:
        missing = [package.name for package in provision.packages([GROUP]) if not package.present()]
        known = error.header in CXX_HEADERS and any(map(source_files.is_cxx, system.sources))
        if not options(board) or not known or not missing:
            raise
        provision.say(f"{error.location}: <{error.header}> on {board.name} is in package {missing[0]}")
        provision.require(GROUP)
        compile_it()
