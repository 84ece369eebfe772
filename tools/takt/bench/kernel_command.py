# SPDX-License-Identifier: Apache-2.0
"""`takt bench kernel`."""

from __future__ import annotations

import json

import click

from takt.bench.kernel import (
    BANDS,
    BOARDS,
    EVERYWHERE,
    PRESETS,
    REPEATS,
    TASKS,
    Plan,
    golden,
    golden_path,
    golden_plan,
    measure,
    rows_run,
    show,
)
from takt.support.files import write_whole


def add_command(group: click.Group) -> None:
    from takt.support.options import choice_option, count_option, json_option

    @group.command(name="kernel")
    @choice_option("--board", BOARDS, BOARDS[0], "The emulated board to measure on.")
    @click.option(
        "--band", "bands", multiple=True, type=click.Choice(BANDS), help="Only this kind of band; may be repeated."
    )
    @click.option(
        "--tasks",
        multiple=True,
        type=click.IntRange(2, 64),
        help="Only with this number of other tasks; may be repeated.",
    )
    @click.option(
        "--preset", "presets", multiple=True, type=click.Choice(PRESETS), help="Only this preset; may be repeated."
    )
    @count_option("--repeats", REPEATS, "Runs of each operation.")
    @click.option("--no-peers", is_flag=True, help="Do not measure kernels that must be downloaded.")
    @click.option("--no-sweep", is_flag=True, help="Do not measure how long interrupts wait.")
    @click.option("--update", is_flag=True, help="Only rewrite the reviewed figures (benchmarks/golden).")
    @click.option("--profile", metavar="ROW", help="Only count the instructions of one operation by function.")
    @json_option
    def command(
        board: str,
        bands: tuple[str, ...],
        tasks: tuple[int, ...],
        presets: tuple[str, ...],
        repeats: int,
        no_peers: bool,
        no_sweep: bool,
        update: bool,
        profile: str | None,
        as_json: bool,
    ) -> int:
        """Count instructions per kernel operation, by kind of band and number of tasks, and those of FreeRTOS.

        FreeRTOS is measured bare and, as FreeRTOS-traced, with a trace and assertions, as preset standard has them.

        Guest instructions of an emulated board, counted exactly, preset lean unless stated otherwise. Everything
        takes some minutes; --band fixed --tasks 4 --preset lean --no-sweep is quick.
        """
        from takt.support import console

        if profile is not None:
            from takt.bench import profiling

            kernel = (presets or PRESETS)[0]
            run = rows_run(board, kernel, (bands or BANDS)[0], (tasks or TASKS)[0], 1)
            profiling.show(profiling.profile(run, profile))
            return 0
        if update:
            lines = json.dumps(golden(measure(golden_plan(board)))).replace("}, ", "},\n").replace("], ", "],\n")
            write_whole(golden_path(board), lines + "\n")
            return 0
        sweep = frozenset[tuple[str, str]]() if no_sweep else EVERYWHERE
        plan = Plan(board, bands or BANDS, tasks or TASKS, presets or PRESETS, repeats, not no_peers, sweep)
        rows = measure(plan)
        if as_json:
            console.print_json({"board": board, "repeats": repeats, "rows": [row.as_json() for row in rows]})
        else:
            show(rows)
        return 0
