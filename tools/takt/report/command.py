# SPDX-License-Identifier: Apache-2.0
"""`takt report`: one page on what was proved. Exit 0 proved, 1 refuted or undecided, 2 misuse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from takt.cli import application, board_option, proof_options

if TYPE_CHECKING:
    from takt.prove import Proved
    from takt.report.proof import Found


@click.command()
@application
@proof_options
@board_option
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to, instead of proof.html in the build folder.",
)
@click.option("--image/--no-image", default=True, help="Build the image, for its memory and stacks (the default).")
def report(
    application: str | None, scheduler: str | None, overheads: str, board: str | None, output: Path | None, image: bool
) -> int:
    """Write one HTML page on a proof: verdict, load, response times, sensitivity, bands, memory and stacks.

    It needs nothing else, and tells of a refuted system what misses, and what would mend it. Exit code 0: proved; 1:
    refuted, or undecided; 2: misuse. What a run saw is on the page that `takt run` writes.
    """
    from takt import build, prove, run
    from takt.files import shown_path, write_whole
    from takt.report import proof

    proved = run.load(application, board, scheduler, overheads)
    folder = build.folder_of(proved.system, proved.board, proved.choice.scheduler)
    text = proof.page(proved, collect(proved, image))
    if output is None:
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / "proof.html" if output is None else output
    write_whole(path, text)
    click.echo(f"{prove.verdict_line(proved)}\nreport: {shown_path(path)}")
    return 0 if proved.feasible else 1


def collect(proved: Proved, image: bool) -> Found:
    """What the page tells beyond the proof. An image that does not build is no reason not to write it."""
    from takt import advice, build, candidates, memory_map, stack_bounds
    from takt.console import filling
    from takt.errors import UserError
    from takt.report.proof import Found

    found = advice.advise(proved, True)
    with filling(f"what other schedulers come to for {proved.system.name}") as progress:
        others = tuple(candidates.candidates(proved, progress))
    if not image:
        return Found(found, others, no_image="the image was not built (--no-image).")
    try:
        built = build.build(proved, call_graph=True)
    except UserError as error:
        click.echo(f"takt: {error.problem}\n  the page is written without memory and stacks", err=True)
        return Found(found, others, no_image=f"the image does not build: {error.problem.splitlines()[0]}")
    memory = memory_map.read(built.path, proved.board)
    return Found(found, others, memory, tuple(stack_bounds.bounds(proved, built.path)))


def add_command(cli: click.Group) -> None:
    cli.add_command(report)
