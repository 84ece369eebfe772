# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce midart`: the experiments of seed 002, 7.3, with what registries offer to carry values between two
nodes.

Both nodes are namespaces on this machine (nodes.py), so they have one clock; the link between them is shaped and has a
queue as a network interface has it. Nothing leaves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from takt.reproduce.midart.carriers import CARRIERS, configurations
from takt.reproduce.midart.experiments import EXPERIMENTS, SHORT, Lengths

if TYPE_CHECKING:
    from takt.reproduce.midart.tables import Document

KEPT = "reproduction-midart"


def measure(
    names: Sequence[str] = (), carriers: tuple[str, ...] = (), lengths: Lengths | None = None
) -> dict[str, Any]:
    """The document of `takt reproduce midart --json` (docs/json.md): of some experiments, or of all. UserError: there
    can be no nodes here, or a carrier failed."""
    from takt.reproduce.midart import experiments, nodes
    from takt.reproduce.midart.carriers import build
    from takt.reproduce.midart.runs import RunError, refusal
    from takt.support import console

    lengths = lengths or Lengths()
    nodes.refuse_unless_possible()
    hows = configurations(carriers)
    said = console.err()
    with nodes.two(build(carriers)) as pair:
        document: Document = experiments.environment(pair, hows, lengths)
        try:
            for name, experiment in EXPERIMENTS.items():
                chosen = not names or name in names
                document[name] = (
                    experiment(pair, hows, lengths, lambda text: said.print(f"takt: {text}", markup=False))
                    if chosen
                    else []
                )
        except RunError as error:
            raise refusal(error) from None
    return document


def add_command(group: click.Group) -> None:
    from takt.bench.documents import folder_of, out_option, tell
    from takt.support.options import json_option

    @group.command(name="midart")
    @click.option(
        "--experiment",
        "names",
        multiple=True,
        type=click.Choice(list(EXPERIMENTS)),
        help="Only this experiment; may be repeated.",
    )
    @click.option(
        "--carrier",
        "carriers",
        multiple=True,
        type=click.Choice(list(CARRIERS)),
        help="Only this carrier; may be repeated.",
    )
    @click.option("--short", is_flag=True, help="A trial: the shortest possible runs, two minutes in all.")
    @click.option("--kept", is_flag=True, help="Draw the stored figures; measure nothing.")
    @out_option
    @json_option
    def command(
        names: tuple[str, ...], carriers: tuple[str, ...], short: bool, kept: bool, out: Path | None, as_json: bool
    ) -> int:
        """Draw figures 4 to 12 of seed 002: an urgent stream beside bulk data over a link of 100 Mbit/s.

        Carriers are our areas and servers, plain UDP, Cyclone DDS and Zenoh, in turns, each with its defaults and with
        its documented priorities. Needs root for two network namespaces that share only the link; they are
        removed when the command ends.
        All experiments take half an hour.
        """
        from takt.bench import documents
        from takt.reproduce.midart import tables
        from takt.reproduce.midart.figures import pictures
        from takt.support.errors import UserError

        if kept and (names or carriers or short):
            raise UserError(
                "--kept measures nothing, so other options have no effect",
                "leave out either --kept or the other options",
            )
        folder = folder_of(out, as_json)
        document = documents.results(KEPT) if kept else measure(names, carriers, SHORT if short else None)
        tell(document, None if as_json else tables.text(document), pictures, folder)
        return 0
