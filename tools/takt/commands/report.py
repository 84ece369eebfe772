# SPDX-License-Identifier: Apache-2.0
"""`takt report`: one page on what was proved. Exit 0 proved, 1 refuted or undecided, 2 misuse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from takt.support.options import application, board_option, proof_options

if TYPE_CHECKING:
    from takt.declare.network.read import Network
    from takt.prove.proof import Proved
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
    help="File to write (default: proof.html in the build folder; of a network in that of the network).",
)
@click.option("--image/--no-image", default=True, help="Build the image and show its memory and stacks (default: yes).")
def report(
    application: str | None, scheduler: str | None, overheads: str, board: str | None, output: Path | None, image: bool
) -> int:
    """Write one HTML page on a proof: verdict, load, response times, sensitivity, bands, memory and stacks.

    The page needs no other file. For a refuted system it shows which deadlines are missed, and changes with which the
    proof holds. Exit code 0: proved; 1: refuted or undecided, or a stack is too small; 2: misuse. `takt run` writes a
    page of its own on what it observed. Of a network the page shows which buses join which nodes, and for each chain
    what a cause passes through.
    """
    from takt.declare import declaration
    from takt.declare.network import read as of_networks
    from takt.image import build, stack_verdict
    from takt.observe import run
    from takt.prove import proof as prove
    from takt.report import proof
    from takt.support.files import shown_path, write_whole

    document = of_networks.document_of(declaration.find(application))
    if document is not None:
        of_networks.refuse_board(board)
        return _of_network(of_networks.load(document), scheduler, overheads, output)
    proved = run.load(application, board, scheduler, overheads)
    folder = build.folder_of(proved.system, proved.board, proved.choice.scheduler)
    found = collect(proved, image)
    text = proof.page(proved, found)
    if output is None:
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / "proof.html" if output is None else output
    write_whole(path, text)
    small = stack_verdict.too_small(found.stacks)
    for one in small:
        click.echo(f"{one.sentence().capitalize()}: {one.calls()}.")
    click.echo(f"{prove.verdict_line(proved)}\nreport: {shown_path(path)}")
    return 0 if proved.feasible and not small else 1


def _of_network(whole: Network, scheduler: str | None, overheads: str, output: Path | None) -> int:
    from takt.declare.schema.model import Verdict
    from takt.image import build
    from takt.prove.network import network_proof
    from takt.prove.proof import WORDS
    from takt.prove.reasons.steps import LIMIT, Steps
    from takt.report.network import page
    from takt.support.files import shown_path, write_whole

    found = network_proof.prove(whole, scheduler, overheads == "none", lambda: Steps(LIMIT))
    path = build.of_network(whole.path) / "proof.html" if output is None else output
    if output is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, page.page(found))
    click.echo(f"{WORDS[found.verdict]}: {found.reason()}.\nreport: {shown_path(path)}")
    return 0 if found.verdict is Verdict.FEASIBLE else 1


def collect(proved: Proved, image: bool) -> Found:
    """What the page tells beyond the proof. An image that does not build is no reason not to write it."""
    from takt.image import build, stack_bounds
    from takt.report import advice, alternatives, memory_map
    from takt.report.proof import Found
    from takt.support.console import filling
    from takt.support.errors import UserError

    found = advice.advise(proved, True)
    with filling(f"comparing other schedulers for {proved.system.name}") as progress:
        others = tuple(alternatives.candidates(proved, progress))
    if not image:
        return Found(found, others, no_image="the image was not built (--no-image).")
    try:
        built = build.build(proved)
    except UserError as error:
        click.echo(f"takt: {error.problem}\n  the page is written without its sections on memory and stacks", err=True)
        return Found(found, others, no_image=f"the image does not build: {error.problem.splitlines()[0]}")
    memory = memory_map.read(built.path, proved.board)
    return Found(found, others, memory, built.stacks or stack_bounds.bounds(proved, built.path, [built.folder]))


def add_command(cli: click.Group) -> None:
    cli.add_command(report)
