# SPDX-License-Identifier: Apache-2.0
"""`takt reflect keys`, `start` and `stop`: keys for servers, and commands to them."""

from __future__ import annotations

from pathlib import Path

import click

from takt.support.options import application


@click.command()
@application
@click.option(
    "--to", "folder", required=True, metavar="FOLDER", help="Folder to write to: a file NODE.keys for each node."
)
def keys(application: str | None, folder: str) -> None:
    """Create keys for all channels of APP, one file for each node. Give each node only its own file."""
    from takt.reflect import admit, keys
    from takt.support.files import shown_path

    for path in keys.make(admit.load(application), Path(folder)):
        click.echo(shown_path(path))


def _command(verb: str, words: str) -> click.Command:
    @click.command(name=verb, help=words)
    @click.argument("node", metavar="NODE")
    @click.argument("channel", metavar="CHANNEL")
    def tell(node: str, channel: str) -> None:
        from takt.reflect import server

        server.ask(node, f"{verb} {channel}")

    return tell


def add_command(group: click.Group) -> None:
    group.add_command(keys)
    group.add_command(
        _command(
            "start",
            "Start a channel at NODE, which reads or writes it. Another one of its group is stopped first, and "
            "their values"
            " never mix. It is sent while both nodes have started it.",
        )
    )
    group.add_command(_command("stop", "Stop a channel at NODE, which reads or writes it: no more values are sent."))
