# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce can`: figures 7.6 to 7.13 of seed 000."""

from __future__ import annotations

from pathlib import Path

import click

from takt.reproduce.can.study import FIGURES, MOST, WORKLOADS

KEPT = "reproduction-can"
SEED = 1


def add_command(group: click.Group) -> None:
    from takt.bench.documents import folder_of, out_option, tell
    from takt.support.options import json_option

    @group.command(name="can")
    @click.option(
        "--figure",
        "figures",
        multiple=True,
        type=click.Choice(list(FIGURES)),
        help="Only this figure; may be repeated.",
    )
    @click.option(
        "--workloads",
        "number",
        type=click.IntRange(1, MOST),
        help=f"Workloads for each point (default: {WORKLOADS}).",
    )
    @click.option("--seed", type=click.IntRange(0), help=f"Seed of the random numbers (default: {SEED}).")
    @click.option("--kept", is_flag=True, help="Draw the stored figures; compute nothing.")
    @out_option
    @json_option
    def command(
        figures: tuple[str, ...], number: int | None, seed: int | None, kept: bool, out: Path | None, as_json: bool
    ) -> int:
        """Draw figures 7.6 to 7.13 of seed 000: which messages of a CAN bus arrive in time under ED*, MTS and DM.

        By the conditions of the seed (printed), by conditions that hold for any offsets (sound), and by these with
        the most stuff bits (stuffed). 1000 workloads for each point take ten minutes on two cores.
        """
        from takt.bench import documents
        from takt.reproduce.can import study, tables
        from takt.reproduce.can.figures import pictures
        from takt.support.errors import UserError

        if kept and (figures or number is not None or seed is not None):
            raise UserError(
                "--kept computes nothing, so other options have no effect",
                "leave out either --kept or the other options",
            )
        folder = folder_of(out, as_json)
        if kept:
            document = documents.results(KEPT)
        else:
            document = study.measure(number or WORKLOADS, SEED if seed is None else seed, figures)
        tell(document, None if as_json else tables.text(document), pictures, folder)
        return 0
