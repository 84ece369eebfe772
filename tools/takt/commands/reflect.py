# SPDX-License-Identifier: Apache-2.0
"""`takt reflect`: reflective memory of this machine, and channels between machines."""

from __future__ import annotations

import click

from takt.reflect import admit, commands, names, profile, rates, values


def add_command(cli: click.Group) -> None:
    @cli.group(name="reflect")
    def reflect() -> None:
        """Reflective memory: the areas of this machine, their writers and values, how often and how late
        (docs/reflect.md); and which channels between machines keep their deadlines."""

    for module in (names, values, rates, admit, commands, profile):
        module.add_command(reflect)
