# SPDX-License-Identifier: Apache-2.0
"""`takt can check`"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import click

from takt.can.commands.options import Bus, bus_options
from takt.can.commands.scheduler import Mixed, scheduler_options
from takt.support import console
from takt.support.errors import NO, YES, UserError
from takt.support.options import json_option


def with_offsets(bus: Bus, text: str | None) -> Bus:
    """The bus with the offsets of the option. UserError: of its file, at the line."""
    from pathlib import Path

    from takt.can.files import offset_table
    from takt.support.names import shown

    if text == "none":
        return bus
    messages = bus.messages
    if text is not None:
        if not text.lower().endswith(".csv"):
            raise UserError(f'--offsets: "{shown(text)}" is none', f"none, or a .csv file with {offset_table.HEADER}")
        offsets = offset_table.read(Path(text), [one.name for one in messages])
        messages = [replace(one, offset_ns=offsets.get(one.name)) for one in messages]
    return replace(bus, messages=messages, question=replace(bus.question, offsets=True))


def _check_mixed(mixed: Mixed, bus: Bus, offsets: str | None, every: bool, as_json: bool) -> int:
    from takt.can.mts import words

    if offsets not in (None, "none"):
        raise UserError("--offsets: they do not count with --scheduler mts", "without --offsets")
    judged = mixed.judged(bus)
    if as_json:
        console.print_json(words.document(judged))
    else:
        click.echo(words.text(judged, every))
    return YES if judged.feasible else NO


def add_command(group: click.Group) -> None:
    @group.command(name="check")
    @partial(bus_options, at_random=True)
    @click.option(
        "--offsets",
        metavar="O",
        help="Of releases by their senders' clocks: none, or a .csv file with name,offset_ms (default: as FILE says).",
    )
    @scheduler_options
    @click.option("--all", "every", is_flag=True, help="List every message.")
    @json_option
    def check_command(bus: Bus, mixed: Mixed | None, offsets: str | None, every: bool, as_json: bool) -> int:
        """Prove that every message of a bus arrives by its deadline, or list those that may not.

        FILE: a description of the messages: .dbc, .kcd, .arxml, .sym, or .csv with the header
        name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms,offset_ms. A deadline is the period unless the
        file says it. Exit code 0: proved; 1: refuted, or undecided; 2: misuse. docs/can.md
        """
        from takt.can import words
        from takt.can.at_random import words as at_random

        if mixed is not None:
            return _check_mixed(mixed, bus, offsets, every, as_json)
        asked = with_offsets(bus, offsets).answer()
        missed = at_random.found(asked)
        if as_json:
            console.print_json(at_random.complete(words.document(asked), asked, missed))
        else:
            click.echo(words.text(asked, every, at_random.more(asked, missed)))
        return YES if asked.feasible else NO
