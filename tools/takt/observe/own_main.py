# SPDX-License-Identifier: Apache-2.0
"""The main of an application, and whether it starts the system under the harness of a run (runner/run.c)."""

from __future__ import annotations

from takt.image.build import Image
from takt.image.link_checks import objects, symbols
from takt.support.errors import UserError

START = "takt_run_start"


def refuse_without_harness(image: Image) -> None:
    """UserError: the application has a main that does not call takt_run_start, so that a run would tell nothing, and
    have no end."""
    if START in symbols(image.path):
        return
    file = file_of(image)
    problem = (
        f"{file or 'the application'}: its main does not call {START}, without which a run has no trace "
        "and does not end"
    )
    raise UserError(problem, f"call {START}() at the end of main (takt/board.h), or use takt build alone")


def file_of(image: Image) -> str | None:
    """The name of the application's file that defines main; None: that is runner/main.c."""
    for name, path in objects(image.folder, "application"):
        symbol = symbols(path).get("main")
        if symbol is not None and symbol.section is not None:
            return name
    return None
