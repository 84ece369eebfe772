# SPDX-License-Identifier: Apache-2.0
"""`takt bench`: what is measured, each a subcommand: a module with `add_command(group)`.

A module imports what it works with when it runs, prints a table, and with --json one document (docs/json.md).
"""

from __future__ import annotations

import click

from takt.accelerator import bench as accelerator
from takt.bench import calls, ipc, kernel_command, overheads, processes, producer_consumer, rhealstone, size
from takt.bench.seed000 import share
from takt.bench.seed000 import study as seed000
from takt.bench.studies import analysis, can_drive, lockstep, reflect, rtm, schedulers, search, selection, simulation
from takt.bench.tool import waits
from takt.hardware import area
from takt.reproduce import measured_pages


def add_command(cli: click.Group) -> None:
    @cli.group(name="bench")
    def bench() -> None:
        """Measure the kernel: instructions per operation beside its peers, bytes, overheads."""

    for module in (
        kernel_command,
        rhealstone,
        seed000,
        share,
        size,
        overheads,
        selection,
        schedulers,
        search,
        analysis,
        simulation,
        ipc,
        reflect,
        producer_consumer,
        calls,
        can_drive,
        lockstep,
        processes,
        rtm,
        accelerator,
        area,
        waits,
        measured_pages,
    ):
        module.add_command(bench)
