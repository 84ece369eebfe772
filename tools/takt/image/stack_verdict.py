# SPDX-License-Identifier: Apache-2.0
"""What becomes of an image whose stacks are smaller than their bounds: it is refused, or its verdict says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from takt.declare import memory_need, processes
from takt.declare.schema.model import System
from takt.image.stack_bounds import Bound
from takt.prove.proof import Proved
from takt.support import console

SHOWN = 3  # stacks without a bound that a line names


def too_small(stacks: Iterable[Bound]) -> list[Bound]:
    return [one for one in stacks if one.fits is False]


def refuse(proved: Proved, stacks: Sequence[Bound], force: bool, as_json: bool = False) -> None:
    """Ends the command with exit code 1 if a stack is smaller than its bound, unless it is forced."""
    small = too_small(stacks)
    if not small or force:
        return
    if as_json:
        from takt.report import advice

        console.print_json({**advice.document(proved), "stacks": [one.as_json() for one in stacks]})
    for one in small:
        click.echo(f"takt: {one.sentence()}\n  {one.calls()}; {one.rest} besides", err=True)
    wanted = ", ".join(_larger(proved, one) for one in small)
    click.echo(f"  try: {wanted}, or less in local variables; --force runs it all the same", err=True)
    raise click.exceptions.Exit(1)


def _larger(proved: Proved, small: Bound) -> str:
    """The value of `stack` that would do, and where it is declared."""
    needs = small.needs or 0
    if proved.choice.cooperative:
        return f"stack = {needs - memory_need.IDLE_STACK} in one [[task]]"
    return f'stack = {needs} in [[{_table(proved.system, small.name)}]] "{small.name}"'


def _table(system: System, task: str) -> str:
    """What declares it: an interrupt of a process is a task, too."""
    lines = (item.name for item in system.interrupts if item.process is not None)
    return "interrupt" if system.protection and processes.line_name(task) in lines else "task"


def unknown(stacks: Iterable[Bound]) -> str:
    """One sentence on those without a bound; "": all have one."""
    found = [one for one in stacks if one.needs is None]
    if not found:
        return ""
    named = ", ".join(f"{one.name} ({one.reason})" for one in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"No bound is known of the stack of {named}{more}."


def lines(stacks: Sequence[Bound]) -> list[str]:
    """What `takt build` says of them after all else: the last of it what was forced."""
    small = [f"Forced: {one.sentence()}: {one.calls()}." for one in too_small(stacks)]
    return [*filter(None, [unknown(stacks)]), *small]
