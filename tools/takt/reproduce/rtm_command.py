# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce rtm`: the experiments of seed 001, chapter 5, on the board ibex-soc."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from takt.bench.studies.rtm import KERNELS
from takt.bench.studies.rtm_runs import CODECS
from takt.reproduce import rtm


def add_command(group: click.Group) -> None:
    from takt.bench.documents import folder_of, out_option, tell
    from takt.support.options import json_option

    @group.command(name="rtm")
    @click.option(
        "--kernel",
        "kernels",
        multiple=True,
        type=click.Choice(KERNELS),
        help="Only this kernel; may be repeated (default: those of the seed).",
    )
    @click.option(
        "--codec", "codecs", multiple=True, type=click.Choice(CODECS), help="Only this codec; may be repeated."
    )
    @click.option("--seeds", type=click.IntRange(1, 1000), help="Number of seeds of the random interrupts.")
    @click.option("--full", is_flag=True, help="Run all of benchmarks/rtm/full.toml, which takes hours.")
    @click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 64), help="Runs in parallel.")
    @out_option
    @json_option
    def command(
        kernels: tuple[str, ...],
        codecs: tuple[str, ...],
        seeds: int | None,
        full: bool,
        jobs: int,
        out: Path | None,
        as_json: bool,
    ) -> int:
        """Draw figures 5.1 to 5.12 of seed 001: a kernel's share, response and jitter with and without a task manager.

        Without options it draws the stored figures. With options it simulates that part of the grid on the board
        ibex-soc; finished runs are kept, and the same command continues after an interruption.
        """
        from takt.bench import documents
        from takt.reproduce.rtm_figures import pictures

        folder = folder_of(out, as_json)
        if not (kernels or codecs or seeds or full):
            document = documents.results(rtm.KEPT)
        else:
            wanted = rtm.full()
            chosen = tuple(name for name in CODECS if name in (codecs or wanted.codecs))
            wanted = replace(
                wanted,
                kernels=tuple(name for name in KERNELS if name in (kernels or wanted.kernels)),
                codecs=chosen,
                channels={name: wanted.channels[name] for name in chosen},
                periods={name: wanted.periods[name] for name in chosen},
                seeds=seeds or wanted.seeds,
            )
            document = rtm.measure(wanted, rtm.RESULTS, jobs)
        tell(document, None if as_json else rtm.text(document), pictures, folder)
        return 0
