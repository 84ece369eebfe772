# SPDX-License-Identifier: Apache-2.0
"""`takt reflect`: reflective memory of this machine (takt.reflect.areas is its Python binding), and channels between
machines."""

from __future__ import annotations

import importlib

import click

SUBCOMMANDS = ("names", "values", "rates", "admit", "told", "profile")


def add_command(cli: click.Group) -> None:
    @cli.group(name="reflect")
    def reflect() -> None:
        """Reflective memory: who writes which area of this machine, what stands in it, how often and how late
        (docs/reflect.md); and which channels between machines keep their deadlines."""

    for name in SUBCOMMANDS:
        importlib.import_module(f"takt.reflect.{name}").add_command(reflect)
