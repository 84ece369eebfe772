# SPDX-License-Identifier: Apache-2.0
"""`takt can offsets`"""

from __future__ import annotations

from pathlib import Path

import click

from takt.can.commands.options import Bus, bus_options
from takt.support import console, durations
from takt.support.errors import NO, YES, UserError
from takt.support.files import refusing, shown_path, write_whole
from takt.support.options import json_option


def add_command(group: click.Group) -> None:
    @group.command(name="offsets")
    @bus_options
    @click.option("--step", metavar="TIME", default="1ms", show_default=True, help="Offsets are multiples of it.")
    @click.option(
        "--tries",
        type=click.IntRange(0, 100_000),
        default=100,
        show_default=True,
        help="Changes of single offsets that are tried after the first choice.",
    )
    @click.option(
        "--output",
        "-o",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Write them as CSV, for `takt can check --offsets`.",
    )
    @json_option
    def offsets_command(bus: Bus, step: str, tries: int, output: Path | None, as_json: bool) -> int:
        """Choose offsets of the messages of each node that make the bounds on their responses less.

        FILE and its options are those of `takt can check`. The choice is a heuristic, its verdict that of the analysis.
        Exit code 0: proved with these offsets; 1: not; 2: misuse. docs/can.md
        """
        from takt.can.files import offset_table
        from takt.can.offsets import choose, words

        if output is not None and output.suffix.lower() != ".csv":
            raise UserError(f"--output {shown_path(output)}: it is a CSV file", "a name that ends in .csv")
        try:
            step_ns = durations.parse(step, positive=True)
        except UserError as error:
            raise UserError(f"--step: {error.problem}", error.hint) from None
        asked = bus.answer()
        with console.counting("changing offsets", tries) as tried:
            choice = choose.choose(asked, step_ns, tries, tried)
        if output is not None:
            with refusing(output, "another --output"):
                write_whole(output, offset_table.write(choice.offsets))
        if as_json:
            console.print_json(words.document(choice, None if output is None else shown_path(output)))
        else:
            click.echo(words.text(choice))
            if output is not None:
                click.echo(f"\n{shown_path(output)} has these offsets.")
        return YES if choice.after.feasible else NO
