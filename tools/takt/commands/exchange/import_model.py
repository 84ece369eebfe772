# SPDX-License-Identifier: Apache-2.0
"""`takt import`: another tool's system as a system.toml. Exit 0 written, 1 refused for what it leaves out, 2 misuse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from takt.commands.verdict import refuse_left_out
from takt.declare.declaration import FILE_NAME
from takt.declare.exchange.model import Source
from takt.declare.formats import read
from takt.declare.formats.read import Imported
from takt.declare.schema import boards
from takt.declare.tables import DEFAULT_BOARD
from takt.support import console
from takt.support.errors import UserError, closest
from takt.support.files import fault_of, refusing, shown_path, write_whole
from takt.support.names import line_of, shown
from takt.support.options import json_option


@click.command("import")
@click.argument("file", metavar="FILE")
@click.argument("folder", metavar="[DIR]", required=False)
@click.option("--format", "kind", type=click.Choice(read.FORMATS), help="The format (default: as the file says).")
@click.option("--unit", help="Unit of times that have none in the file: ns, us, ms, s or min.")
@click.option("--processor", help="The processor, core or CPU that is read, where the file has several.")
@click.option("--board", default=DEFAULT_BOARD, help=f"Board of the declaration (default: {DEFAULT_BOARD}).")
@click.option("--leave-out", is_flag=True, help="Write it although something left out makes the bounds optimistic.")
@click.option("--force", is_flag=True, help=f"Overwrite the {FILE_NAME} of DIR.")
@json_option
def import_model(
    file: str,
    folder: str | None,
    kind: str | None,
    unit: str | None,
    processor: str | None,
    board: str,
    leave_out: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Write a system.toml in DIR (default: here) from a model of another tool.

    FILE is a table of tasks (CSV), a model of AMALTHEA (.amxmi) or MAST, or a project of Cheddar (XML). What it
    says and Takt has no counterpart for is listed; where leaving it out makes the bounds optimistic, nothing is written
    without --leave-out. docs/import.md says what is read.
    """
    if board not in boards.names():
        raise UserError(f"--board {board}: no such board", closest(board, boards.names()))
    path = Path(file)
    if not path.exists():
        raise UserError(f"{shown(file)} {fault_of(path)}", "a file of another tool")
    target = Path(folder or ".") / FILE_NAME
    if target.parent.exists() and not target.parent.is_dir():
        raise UserError(f"{shown_path(target.parent)} is not a folder", "a folder, or a name that is free")
    if target.exists() and not force:
        raise UserError(f"{shown_path(target)} exists already", "another folder, or --force")
    imported = read.load(Source(path, unit, processor), kind, board)
    refused = bool(imported.optimistic) and not leave_out
    if not refused:
        _write(target, imported.text, force)
    if as_json:
        console.print_json(_document(imported, None if refused else target))
    else:
        _show(imported, target, refused, leave_out)
    refuse_left_out(len(imported.optimistic), leave_out)
    return 0


def _write(target: Path, text: str, force: bool) -> None:
    """In full or not at all."""
    folder = target.parent
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        with refusing(target, "another folder, or --force"):
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(target, text, new=not force)
    except UserError:
        for one in made:
            one.rmdir() if one.is_dir() and not any(one.iterdir()) else None
        raise


def _lines(imported: Imported) -> Iterator[str]:
    for note in imported.notes:
        yield f"note: {note}"
    yield from (one.sentence() for one in imported.left)


def _show(imported: Imported, target: Path, refused: bool, leave_out: bool) -> None:
    system = imported.system
    for line in _lines(imported):
        click.echo(line_of(line))
    if refused:
        return
    parts = [f"{len(system.tasks)} tasks", f"{len(system.servers)} servers", f"{len(system.objects)} mutexes"]
    parts += [f"{len(system.interrupts)} interrupts"]
    said = ", ".join(part for part in parts if not part.startswith("0 "))
    more = "; its bounds are optimistic for what the file describes" if leave_out and imported.optimistic else ""
    click.echo(f"{imported.tool}: {said} -> {shown_path(target)}{more}")
    click.echo(f"  try: ./takt check {shown(str(target.parent))}")


def _document(imported: Imported, target: Path | None) -> dict[str, Any]:
    return {
        "written": None if target is None else str(target),
        "tool": imported.tool,
        "tasks": [task.name for task in imported.system.tasks],
        "left_out": [one.as_json() for one in imported.left],
        "notes": list(imported.notes),
        "renamed": [{"from": old, "to": new} for old, new in imported.renamed.items()],
    }


def add_command(cli: click.Group) -> None:
    cli.add_command(import_model)
