# SPDX-License-Identifier: Apache-2.0
"""`takt measure`: runs a system and suggests the times to declare, from the most that it saw, with a margin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from takt.declare.console import table
from takt.observe.measure import Suggestion, suggestions
from takt.support import console
from takt.support.durations import MARGIN_PERCENT, brief

if TYPE_CHECKING:
    from takt.image.build import Image


def add_command(cli: click.Group) -> None:
    from takt.support.options import application, board_option, input_option, json_option

    @cli.command(name="measure")
    @application
    @board_option
    @click.option("--duration", metavar="D", help='Virtual time to run, such as "10 s" (default: as declared).')
    @input_option
    @click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Seed of the plant.")
    @click.option(
        "--margin",
        type=click.IntRange(0, 1000),
        default=MARGIN_PERCENT,
        show_default=True,
        help="Added margin in percent.",
    )
    @click.option("--force", is_flag=True, help="Run even if a stack is too small.")
    @json_option
    def command(
        application: str | None,
        board: str | None,
        duration: str | None,
        typed: Path | None,
        seed: int,
        margin: int,
        force: bool,
        as_json: bool,
    ) -> int:
        """Run, proved or not, and suggest wcets and holds from the longest executions seen, with a margin.

        Prints lines for system.toml. Exit code 1: a stack is too small, or the run did not reach its end.
        """
        from takt.commands import verdict
        from takt.image import stack_verdict
        from takt.observe import run

        def judge(image: Image) -> None:
            verdict.refuse(proved, image.stacks, force)

        loaded = run.load(application, board, None, "none")
        duration_ns = run.parse_duration(duration, loaded.system.duration_ns)
        proved = replace(loaded, system=table.with_typed(loaded.system, typed, duration_ns))
        finished = run.run(proved, duration_ns, seed, judge=judge)
        found = suggestions(proved.system, finished.outcome, finished.trace, margin)
        if as_json:
            console.print_json([one.__dict__ for one in found])
        else:
            show_suggestions(found, proved.board.zero_overheads)
        for one in stack_verdict.too_small(finished.outcome.stacks):
            click.echo(f"takt: forced: {one.sentence()}: {one.calls()}", err=True)
        if finished.outcome.failure is not None:
            click.echo(f"takt: {finished.outcome.failure}", err=True)
        return 0 if finished.outcome.failure is None else 1


def show_suggestions(found: list[Suggestion], virtual: bool) -> None:
    """Lines for system.toml, each under a comment that says what was seen."""
    from takt.support.durations import show

    if virtual:
        click.echo("# On this board time passes only as declared: measure on another.")
    if not found:
        click.echo("# Nothing to measure: every task is a synthetic load.")
    for one in found:
        seen = f"at most {brief(one.seen_ns)}" if one.seen_ns else "never seen"
        click.echo(f'# {one.where}: {seen}, declared {show(one.declared_ns)}\n{one.key} = "{show(one.suggested_ns)}"')
