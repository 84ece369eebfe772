# SPDX-License-Identifier: Apache-2.0
"""`takt can`: proofs of a CAN bus from the file that describes its messages (docs/can.md)."""

from __future__ import annotations

import click

from takt.can.commands import assign, check, explain, import_file, log, offsets, simulate


def add_command(cli: click.Group) -> None:
    @cli.group(name="can")
    def group() -> None:
        """CAN buses, from the file that describes their messages: do all arrive in time? (docs/can.md)"""

    for module in (check, explain, assign, offsets, import_file, simulate, log):
        module.add_command(group)
