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
    @click.option("--costs", is_flag=True, help="Only tables 7.3 and 7.4, and the update on a simulated bus.")
    @click.option("--kept", is_flag=True, help="Draw the stored figures; compute nothing.")
    @out_option
    @json_option
    def command(
        figures: tuple[str, ...],
        number: int | None,
        seed: int | None,
        costs: bool,
        kept: bool,
        out: Path | None,
        as_json: bool,
    ) -> int:
        """Draw figures 7.6 to 7.13 of seed 000: which messages of a CAN bus arrive in time under ED*, MTS and DM.

        By the conditions of the seed (printed), by conditions that hold for any offsets (sound), and by these with
        the most stuff bits (stuffed). 1000 workloads for each point take ten minutes on two cores. Without --figure
        also tables 7.3 and 7.4, ours beside the seed's, and the seed's update of identifiers on a simulated bus.
        """
        from takt.bench import documents
        from takt.reproduce.can import study, tables
        from takt.reproduce.can.figures import pictures
        from takt.support.errors import UserError

        for name, alone, others in (
            ("--kept computes nothing", kept, figures or costs or number is not None or seed is not None),
            ("--costs draws no workloads", costs, figures or number is not None or seed is not None),
        ):
            if alone and others:
                option = name.split()[0]
                raise UserError(
                    f"{name}, so other options have no effect", f"leave out either {option} or the other options"
                )
        folder = folder_of(out, as_json)
        if kept:
            document = documents.results(KEPT)
        else:
            curves = None if costs else figures
            document = study.measure(number or WORKLOADS, SEED if seed is None else seed, curves, not figures)
        tell(document, None if as_json else tables.text(document), pictures, folder)
        return 0
