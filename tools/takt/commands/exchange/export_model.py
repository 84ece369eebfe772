# SPDX-License-Identifier: Apache-2.0
"""`takt export`: a system in the format of another tool. Exit 0 written, 1 refused for what it leaves out, 2 misuse."""

from __future__ import annotations

from pathlib import Path

import click

from takt.commands.verdict import refuse_left_out
from takt.declare import declaration
from takt.declare.formats import csv_file, mast_write
from takt.prove.proof import prove
from takt.support import console
from takt.support.errors import UserError
from takt.support.files import refusing, shown_path, write_whole
from takt.support.names import line_of
from takt.support.options import board_option, json_option, proof_options

_WRITERS = {"csv": csv_file.write, "mast": mast_write.write}
_SUFFIXES = {".csv": "csv", ".txt": "mast", ".mast": "mast"}


@click.command("export")
@click.argument("application", metavar="APP")
@click.argument("file", metavar="FILE")
@click.option("--format", "kind", type=click.Choice(list(_WRITERS)), help="The format (default: by FILE's suffix).")
@proof_options
@board_option
@click.option("--leave-out", is_flag=True, help="Write it although something left out makes its bounds optimistic.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@json_option
def export_model(
    application: str,
    file: str,
    kind: str | None,
    scheduler: str | None,
    overheads: str,
    board: str | None,
    leave_out: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Write a system for other tools: FILE.csv, a table of tasks, or FILE.txt, a model of MAST 1.5.

    Priorities are those of the scheduler that `takt check` would choose. What the format cannot say is listed.
    """
    path = Path(file)
    kind = kind or _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise UserError(f"{shown_path(path)}: the format is not clear", "--format csv or --format mast")
    if path.exists() and not force:
        raise UserError(f"{shown_path(path)} exists already", "another name, or --force")
    system = declaration.with_board(declaration.load(declaration.find(application)), board)
    proved = prove(system, scheduler, left_out=overheads == "none")
    text, left = _WRITERS[kind](proved.system, proved.bands)
    optimistic = [one for one in left if one.optimistic]
    refused = bool(optimistic) and not leave_out
    if not refused:
        with refusing(path, "another folder"):
            write_whole(path, text, new=not force)
    if as_json:
        console.print_json(
            {
                "written": None if refused else str(path),
                "format": kind,
                "left_out": [one.as_json() for one in left],
            }
        )
    else:
        for one in left:
            click.echo(line_of(one.sentence()))
    refuse_left_out(len(optimistic), leave_out)
    if not as_json:
        click.echo(f"{kind}: {len(proved.system.tasks)} tasks -> {shown_path(path)}")
    return 0


def add_command(cli: click.Group) -> None:
    cli.add_command(export_model)
