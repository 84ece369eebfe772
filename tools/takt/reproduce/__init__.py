# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce`: published figures, drawn anew from what is computed or measured here.

docs/reproduction.md, docs/reproduction-rtm.md and docs/reproduction-midart.md show them beside what was published, from
figures that are kept (`takt bench docs`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

SUBCOMMANDS = ("csd", "semaphores", "rtm", "midart")

Command = TypeVar("Command", bound=Callable[..., Any])


def out_option(command: Command) -> Command:
    """--out FOLDER."""
    return click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        help="Where the figures go, as SVG; build/reproduction, or none with --json.",
    )(command)


def folder_of(out: Path | None, as_json: bool) -> Path | None:
    """Where the pictures go, made before the work begins: not at its end is it said that they cannot. None: nowhere."""
    from takt.support import provision

    if out is None and as_json:
        return None
    folder = out or provision.ROOT / "build" / "reproduction"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def tell(
    document: dict[str, Any],
    said: str | None,
    pictures: Callable[[dict[str, Any]], dict[str, str]],
    folder: Path | None,
) -> None:
    """Prints what is said of a document, or if nothing is the document itself, as JSON; and writes its pictures to a
    folder that is there."""
    from takt.support import console, provision
    from takt.support.files import write_whole

    if said is None:
        console.print_json(document)
    else:
        click.echo(said)
    if folder is None:
        return
    provision.require_python("plot")
    for name, text in pictures(document).items():
        write_whole(folder / name, text)
        console.err().print(f"takt: wrote {folder / name}", markup=False)


def add_command(cli: click.Group) -> None:
    @cli.group(name="reproduce")
    def reproduce() -> None:
        """Published figures, drawn anew: those of seed 000 on CSD and on semaphores (docs/reproduction.md), of seed 001
        on a task manager in hardware (docs/reproduction-rtm.md), and of seed 002 on deadlines between machines
        (docs/reproduction-midart.md)."""

    for name in SUBCOMMANDS:
        importlib.import_module(f"takt.reproduce.{name}").add_command(reproduce)
