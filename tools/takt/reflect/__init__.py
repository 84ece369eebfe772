# SPDX-License-Identifier: Apache-2.0
"""`takt reflect`: channels of reflective memory between machines."""

from __future__ import annotations

import importlib

import click

SUBCOMMANDS = ("admit",)


def add_command(cli: click.Group) -> None:
    @cli.group(name="reflect")
    def reflect() -> None:
        """Reflective memory: which channels keep their deadlines."""

    for name in SUBCOMMANDS:
        importlib.import_module(f"takt.reflect.{name}").add_command(reflect)
