# SPDX-License-Identifier: Apache-2.0
"""The shell (takt/shell.h): where it cannot be, and the table of objects that it shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from takt.declare import services
from takt.declare.schema.model import System
from takt.support.errors import UserError
from takt.support.files import HEAD, write_if_changed

LIBRARY = "takt_shell"
OBJECTS = "shell_objects.c"  # beside the tables; library/shell/CMakeLists.txt compiles it


def refuse(system: System, used: Collection[str]) -> None:
    """UserError: the system has no console input, or the shell would be in a process, which may not see the others.

    `used`: libraries that are linked.
    """
    if LIBRARY not in used:
        return
    header = "takt/shell.h"
    if system.protection:
        problem = f"{header} cannot be used with protection: a process may not see tasks and objects of others"
        raise UserError(problem, "protection = false, or takt_console_read in a process that uses console_input")
    if system.console is None:
        raise UserError(f"{header} needs the console's input", "[console] with input = 128 in system.toml")


def write_objects(system: System, used: Collection[str], tables: Path) -> None:
    """Writes the table of declared objects, if there is a shell, to the folder of the tables."""
    if LIBRARY in used:
        write_if_changed(tables / OBJECTS, "\n".join(_objects(system)) + "\n")


def _objects(system: System) -> Iterator[str]:
    """In the order of trace ids; never none, since [console] declares a pipe."""
    yield f'{HEAD}#include "library/shell/src/objects.h"\n'
    yield from services.structures(system)
    yield "\nconst struct takti_shell_object takti_shell_objects[] = {"
    found = list(services.objects(system))
    for service, _, item in found:
        yield f'    {{"{item.name}", &{item.name}, takti_shell_say_{service.structure(item)}}},'
    yield f"}};\nconst uint16_t takti_shell_object_count = {len(found)};"
