# SPDX-License-Identifier: Apache-2.0
"""`takt sbom`: what an image is made of, as CycloneDX."""

from __future__ import annotations

from pathlib import Path

import click

from takt.commands.verdict import refuse, refuse_unproved
from takt.support.files import shown_path, write_whole
from takt.support.options import application, board_option, engine_option, proof_options, protection_option


@click.command()
@application
@proof_options
@board_option
@engine_option
@protection_option
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help="Write to FILE (default: standard output)."
)
@click.option("--force", is_flag=True, help="Also of a system that is not proved.")
def sbom(
    application: str | None,
    scheduler: str | None,
    overheads: str,
    board: str | None,
    engine: str | None,
    protection: bool | None,
    output: Path | None,
    force: bool,
) -> int:
    """Build the image and list what it is made of: a bill of materials in CycloneDX 1.6 (JSON).

    Compiler and flags, options of the kernel, sources of the application and of Takt with SHA-256, libraries, hashes of
    the proof and of the image. The same sources and tools give the same image and the same list, from any folder.
    """
    from takt.declare import declaration
    from takt.declare.schema import boards
    from takt.image.build import build
    from takt.image.inventory import contents, cyclonedx
    from takt.prove import proof

    system = declaration.with_board(declaration.load(declaration.find(application), protection), board)
    system = boards.with_engine(system, engine)
    proved = proof.prove(system, scheduler, left_out=overheads == "none")
    refuse_unproved(proved, force)
    image = build(proved)
    refuse(proved, image.stacks, force)
    found = contents.contents(proved, image)
    text = cyclonedx.document(system.name, system.board, found)
    if output is None:
        click.echo(text, nl=False)
        return 0
    write_whole(output, text)
    parts = f"{len(found.project)} files of Takt, {len(found.application)} of the application"
    click.echo(f"{parts}, {len(found.libraries)} libraries -> {shown_path(output)}")
    return 0


def add_command(cli: click.Group) -> None:
    cli.add_command(sbom)
