# SPDX-License-Identifier: Apache-2.0
"""`takt check`: is every deadline held? Exit 0 proved, 1 refuted or undecided, 2 misuse."""

from __future__ import annotations

import click

from takt.commands.verdict import show_proof
from takt.declare import declaration
from takt.prove.proof import prove
from takt.support import console
from takt.support.options import application, board_option, json_option, proof_options, protection_option


@click.command()
@application
@proof_options
@board_option
@protection_option
@click.option(
    "--sensitivity/--no-sensitivity",
    "wanted",
    default=None,
    help="Print how far each number may change before the verdict changes (default: up to 32 tasks).",
)
@json_option
def check(
    application: str | None,
    scheduler: str | None,
    overheads: str,
    board: str | None,
    protection: bool | None,
    wanted: bool | None,
    as_json: bool,
) -> int:
    """Prove that every deadline is met, or report which is missed and why.

    Exit code 0: proved; 1: refuted, or undecided because an iteration limit was reached; 2: misuse.
    """
    system = declaration.with_board(declaration.load(declaration.find(application), protection), board)
    proved = prove(system, scheduler, left_out=overheads == "none")
    from takt.report import advice

    if as_json:
        console.print_json(advice.document(proved, wanted))
    else:
        show_proof(proved, advice.advise(proved, wanted))
    return 0 if proved.feasible else 1


def add_command(cli: click.Group) -> None:
    cli.add_command(check)
