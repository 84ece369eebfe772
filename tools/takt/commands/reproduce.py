# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce`: published figures, drawn anew. Each subcommand is a module with `add_command(group)`."""

from __future__ import annotations

import click

from takt.reproduce import csd, rtm_command, semaphores
from takt.reproduce.can import command as can
from takt.reproduce.midart import command as midart


def add_command(cli: click.Group) -> None:
    @cli.group(name="reproduce")
    def reproduce() -> None:
        """Reproduce published figures: those of seed 000 on CSD and on semaphores (docs/reproduction.md) and on a CAN
        bus (docs/reproduction-can.md), of seed 001 on a task manager in hardware (docs/reproduction-rtm.md), and of
        seed 002 on deadlines between machines (docs/reproduction-midart.md)."""

    for module in (csd, semaphores, can, rtm_command, midart):
        module.add_command(reproduce)
