# SPDX-License-Identifier: Apache-2.0
"""Where the shell (takt/shell.h) cannot be."""

from __future__ import annotations

from collections.abc import Collection

from takt.declare.schema.model import System
from takt.support.errors import UserError


def refuse(system: System, used: Collection[str]) -> None:
    """UserError: the system has no console input, or the shell would be in a process, which may not see the others.

    `used`: libraries that are linked.
    """
    if "takt_shell" not in used:
        return
    header = "takt/shell.h"
    if system.protection:
        problem = f"{header} cannot be used with protection: a process may not see tasks and objects of others"
        raise UserError(problem, "protection = false, or takt_console_read in a process that uses console_input")
    if system.console is None:
        raise UserError(f"{header} needs the console's input", "[console] with input = 128 in system.toml")
