# SPDX-License-Identifier: Apache-2.0
"""Headers of the C++ library on boards: their package is installed when a file first includes one."""

from __future__ import annotations

from collections.abc import Callable

from takt.declare.schema.boards import Board
from takt.declare.schema.model import System
from takt.image.application import cmake
from takt.support import provision
from takt.support.c import cxx_headers
from takt.support.compile import HeaderError

GROUP = "cxx_headers"


def provided(system: System, board: Board, compile_it: Callable[[], None]) -> None:
    """Compiles; once more after an installation if that is what it needs. UserError: as of the compiler."""
    try:
        compile_it()
    except HeaderError as error:
        missing = [package.name for package in provision.packages([GROUP]) if not package.present()]
        if board.port == "host" or error.header not in cxx_headers.NAMES or not cmake.has_cxx(system) or not missing:
            raise
        provision.say(f"{error.location}: <{error.header}> on {board.name} is in package {missing[0]}")
        provision.require(GROUP)
        compile_it()
