# SPDX-License-Identifier: Apache-2.0
"""`takt can check`"""

from __future__ import annotations

import click

from takt.can.commands.options import Bus, bus_options
from takt.support import console
from takt.support.errors import NO, YES
from takt.support.options import json_option


def add_command(group: click.Group) -> None:
    @group.command(name="check")
    @bus_options
    @click.option("--all", "every", is_flag=True, help="List every message.")
    @json_option
    def check_command(bus: Bus, every: bool, as_json: bool) -> int:
        """Prove that every message of a bus arrives by its deadline, or list those that may not.

        FILE: a description of the messages: .dbc, .kcd, .arxml, .sym, or .csv with the header
        name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms. A deadline is the period unless the file says it.
        Exit code 0: proved; 1: refuted, or undecided; 2: misuse. docs/can.md
        """
        from takt.can import words

        asked = bus.answer()
        if as_json:
            console.print_json(words.document(asked))
        else:
            click.echo(words.text(asked, every))
        return YES if asked.feasible else NO
