# SPDX-License-Identifier: Apache-2.0
"""`takt schema`: the schema of system.toml for editors."""

from __future__ import annotations

from pathlib import Path

import click

from takt.declare.editor import json_schema
from takt.support.files import shown_path, write_whole


@click.command()
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help="Write to FILE (default: standard output)."
)
def schema(output: Path | None) -> int:
    """Print the JSON Schema of system.toml, with which editors complete keys and show what they mean.

    `takt new` puts it beside an application (.vscode/system.schema.json). docs/editors.md says how editors use it.
    """
    if output is None:
        click.echo(json_schema.text(), nl=False)
        return 0
    write_whole(output, json_schema.text())
    click.echo(f"wrote {shown_path(output)}")
    return 0


def add_command(cli: click.Group) -> None:
    cli.add_command(schema)
