# SPDX-License-Identifier: Apache-2.0
"""`takt search`: the best list of bands. Exit 0 found and proved, 1 none is proved, 2 misuse."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from takt.commands.verdict import limit_option
from takt.declare import declaration
from takt.prove.proof import GOALS, Proved, breakdown_of, kernel_share, prove
from takt.prove.reasons.steps import Steps
from takt.report import process_figures
from takt.support import console
from takt.support.options import application, board_option, json_option, overheads_option

if TYPE_CHECKING:
    from takt.report.advice import Advice

BANDS_LIMIT = 16


def document(proved: Proved, found: Advice, goal: str, seconds: float) -> dict[str, Any]:
    """The keys of `takt search --json` (docs/json.md): those of check, and what was sought."""
    return {
        **proved.as_json(),
        "processes": [process.as_json() for process in process_figures.figures(proved)],
        **found.as_json(),
        "ended": found.ended_by(proved),
        "goal": goal,
        "kernel": kernel_share(proved),
        "breakdown": breakdown_of(proved),
        "tried": proved.choice.tried,
        "seconds": round(seconds, 3),
    }


def tables(proved: Proved) -> str:
    """The list as system.toml declares it. With `quantum` in [system] the last band follows from that."""
    blocks = []
    for band in proved.bands[:-1] if proved.system.quantum_ns is not None else proved.bands:
        groups = ", ".join(
            f'"{group[0]}"' if len(group) == 1 else "[" + ", ".join(f'"{name}"' for name in group) + "]"
            for group in (band.groups if band.kind == "fixed" else [(name,) for name in band.tasks])
        )
        blocks.append(f'[[band]]\nkind = "{band.kind}"\ntasks = [{groups}]')
    return "\n\n".join(blocks)


def show(proved: Proved, found: Advice, goal: str, seconds: float) -> None:
    from takt.commands.verdict import show_proof

    show_proof(proved, found)
    out = console.out()
    kernel, breakdown = kernel_share(proved), breakdown_of(proved)
    said = [f"goal {goal}: judged {proved.choice.tried} lists of bands in {seconds:.2f} s"]
    if kernel is not None:
        said.append(f"the kernel takes {kernel:.2%} of the processor")
    if breakdown is not None:
        said.append(f"holds up to a utilization of {breakdown:.2%}")
    out.print("\n" + "; ".join(said))
    if proved.feasible:
        out.print(f"\n{tables(proved)}", markup=False, soft_wrap=True)


@click.command()
@application
@click.option(
    "--goal",
    type=click.Choice(GOALS),
    default=GOALS[0],
    show_default=True,
    help="overhead: the least kernel time; breakdown: the highest load, with all wcets scaled alike, for which "
    "the proof "
    "holds.",
)
@click.option(
    "--bands",
    type=click.IntRange(2, BANDS_LIMIT),
    default=3,
    show_default=True,
    help="Most bands in a list of fixed and edf bands; csd may have more.",
)
@overheads_option
@board_option
@limit_option
@json_option
def search(
    application: str | None, goal: str, bands: int, overheads: str, board: str | None, limit: int, as_json: bool
) -> int:
    """Find the best list of bands: of dm, rm, edf, csd and all lists of fixed and edf bands.

    Ignores the declared scheduler. The list found is proved, and printed as [[band]] tables. Exit code 0: found;
    1: nothing is proved; 2: misuse.
    """
    system = declaration.with_board(declaration.load(declaration.find(application)), board)
    begun = time.monotonic()
    proved = prove(system, "auto", overheads == "none", goal, bands, Steps(limit))
    seconds = time.monotonic() - begun
    from takt.report import advice

    found = advice.advise(proved, False)
    if as_json:
        console.print_json(document(proved, found, goal, seconds))
    else:
        show(proved, found, goal, seconds)
    return 0 if proved.feasible else 1


def add_command(cli: click.Group) -> None:
    cli.add_command(search)
