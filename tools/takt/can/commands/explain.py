# SPDX-License-Identifier: Apache-2.0
"""`takt can explain`"""

from __future__ import annotations

from pathlib import Path

import click

from takt.can.commands.options import Bus, bus_options
from takt.support import console, files
from takt.support.errors import YES, UserError
from takt.support.options import json_option


def add_command(group: click.Group) -> None:
    @group.command(name="explain")
    @bus_options
    @click.argument("message")
    @click.option("--picture", type=click.Path(path_type=Path), help="Write a picture of the busy period: .svg.")
    @click.option("--all", "every", is_flag=True, help="List every message that goes first.")
    @json_option
    def explain_command(bus: Bus, message: str, picture: Path | None, every: bool, as_json: bool) -> int:
        """Show why a message may take as long as its bound: the frames that go before it.

        FILE: as of `takt can check`. MESSAGE: its name, or its identifier as in 0x4B0. docs/can.md
        """
        from takt.can.explain import explanation, words

        if picture is not None and picture.suffix.lower() != ".svg":
            raise UserError(f"--picture {files.shown_path(picture)}: it is an SVG file", "a name that ends in .svg")
        found = explanation.of(bus.answer(), message)
        if picture is not None:
            with files.refusing(picture, "another --picture"):
                files.write_whole(picture, words.svg(found))
        if as_json:
            console.print_json(words.document(found))
        else:
            click.echo(words.said(found, every))
        return YES
