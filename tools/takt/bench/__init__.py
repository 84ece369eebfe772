# SPDX-License-Identifier: Apache-2.0
"""`takt bench`: what is measured, each a subcommand: a module of this package with `add_command(group)`.

A module imports what it works with when it runs, prints a table, and with --json one document (docs/json.md).
"""

from __future__ import annotations

import importlib
import importlib.util

import click

SUBCOMMANDS = (
    "kernel",
    "rhealstone",
    "seed000",
    "share",
    "size",
    "overheads",
    "selection",
    "schedulers",
    "search",
    "analysis",
    "host",
    "ipc",
    "reflect",
    "producer_consumer",
    "calls",
    "processes",
    "rtm",
    "accelerator",
    "area",
    "docs",
)


def add_command(cli: click.Group) -> None:
    @cli.group(name="bench")
    def bench() -> None:
        """Measure the kernel: instructions per operation beside its peers, bytes, overheads."""

    for name in SUBCOMMANDS:
        if importlib.util.find_spec(f"takt.bench.{name}") is not None:
            importlib.import_module(f"takt.bench.{name}").add_command(bench)
