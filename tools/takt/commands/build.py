# SPDX-License-Identifier: Apache-2.0
"""`takt build`: the image of a proved system for its board."""

from __future__ import annotations

import click

from takt.commands.verdict import refuse_unproved
from takt.image.build import build
from takt.image.inventory.outputs import outputs
from takt.support.files import shown_path


def add_command(cli: click.Group) -> None:
    from takt.support.options import application, board_option, engine_option, proof_options, protection_option

    @cli.command(name="build")
    @application
    @proof_options
    @board_option
    @engine_option
    @protection_option
    @click.option("--force", is_flag=True, help="Build even if the proof fails or a stack is too small.")
    def command(
        application: str | None,
        scheduler: str | None,
        overheads: str,
        board: str | None,
        engine: str | None,
        protection: bool | None,
        force: bool,
    ) -> int:
        """Prove, generate the tables and build the image for its board."""
        from takt.commands import verdict
        from takt.declare import declaration
        from takt.declare.schema import boards
        from takt.image import stack_verdict
        from takt.prove import proof

        system = declaration.with_board(declaration.load(declaration.find(application), protection), board)
        system = boards.with_engine(system, engine)
        proved = proof.prove(system, scheduler, left_out=overheads == "none")
        refuse_unproved(proved, force)
        image = build(proved)
        verdict.refuse(proved, image.stacks, force)
        click.echo(f"{proof.verdict_line(proved)}")
        sizes = f"{image.text} bytes of code and constants, {image.data} data, {image.bss} bss"
        click.echo(f"{shown_path(image.path)}: {sizes}")
        for kind, path in outputs(image, proved.board).items():
            if kind != "image":
                click.echo(f"{kind}: {shown_path(path)}")
        for line in stack_verdict.lines(image.stacks):
            click.echo(line)
        return 0
