# SPDX-License-Identifier: Apache-2.0
"""`takt reflect`: reflective memory of this machine, and channels between machines."""

from __future__ import annotations

import click

from takt.reflect import admit, commands, names, profile, rates, values


def add_command(cli: click.Group) -> None:
    @cli.group(name="reflect")
    def reflect() -> None:
        """Reflective memory: inspect, read and write the areas of this machine
        (docs/reflect.md), and check which channels between machines keep their deadlines."""

    for module in (names, values, rates, admit, commands, profile):
        module.add_command(reflect)
