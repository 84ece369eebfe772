# SPDX-License-Identifier: Apache-2.0
"""`takt advise`: what another system would change, without building one."""

from __future__ import annotations

import click
from rich.table import Table

from takt.accelerator.costs import BOARD
from takt.accelerator.forecast import Forecast
from takt.support import console
from takt.support.durations import brief


def add_command(cli: click.Group) -> None:
    from takt.support.options import access_cycles_option, application, json_option

    @cli.group(name="advise")
    def advise() -> None:
        """Forecast the effect of a change: whether a task manager in hardware pays."""

    @advise.command(name="accelerator")
    @application
    @click.option("--scheduler", metavar="S", help="Scheduler instead of the declared one, as for takt check.")
    @access_cycles_option
    @json_option
    def command(application: str | None, scheduler: str | None, access_cycles: int, as_json: bool) -> int:
        """Does a task manager in hardware pay for APP on the board ibex-soc?

        Forecasts the kernel's share and every response with the kernel's own queues and with the task manager, from the
        declaration and from measured times of kernel events (docs/hardware.md). Builds and runs nothing. Exit code 0:
        it pays; 1: it does not; 2: misuse.
        """
        from takt.accelerator.forecast import forecast
        from takt.declare import declaration
        from takt.prove import proof

        system = declaration.with_board(declaration.load(declaration.find(application), False), BOARD)
        found = forecast(proof.prove(system, scheduler, left_out=True), access_cycles)
        if as_json:
            console.print_json(found.as_json())
        else:
            show(found)
        return 0 if found.pays else 1


def show(found: Forecast) -> None:
    """Tables and the verdict, on standard output."""
    out = console.out()
    proved = found.proved
    far = f", {found.access_cycles} more cycles for each access" if found.access_cycles else ""
    out.print(f"{proved.system.name} on {BOARD}, scheduler {proved.choice.scheduler}{far}\n", markup=False)
    out.print(_kernel(found))
    out.print()
    out.print(_responses(found))
    out.print()
    if found.close_calls:
        out.print("* Uncertain: a job ends at nearly the same time as a job of higher priority is released.")
    if not proved.feasible:
        out.print("Not proved: the figures above leave out jobs that miss their deadline.\n")
    for text in found.as_json()["not_counted"]:
        out.print(f"Not counted: {text}.", markup=False)
    out.print(found.verdict(), markup=False, soft_wrap=not out.is_terminal)


def _kernel(found: Forecast) -> Table:
    grid = Table(box=None, header_style="bold", pad_edge=False)
    grid.add_column("the kernel")
    for name in ("its own queues", "task manager"):
        grid.add_column(name, justify="right")
    document = found.as_json()
    software, rtm = document["engines"]
    grid.add_row("share of the processor", *(f"{100 * one['kernel_share']:.2f} %" for one in (software, rtm)))
    grid.add_row(
        "accesses to the task manager per second", *(f"{one['accesses_per_s']:.0f}" for one in (software, rtm))
    )
    for event in document["events"]:
        grid.add_row(f"{event['name']}, per second", f"{event['software_per_s']:.1f}", f"{event['rtm_per_s']:.1f}")
    return grid


def _responses(found: Forecast) -> Table:
    grid = Table(box=None, header_style="bold", pad_edge=False)
    grid.add_column("response")
    for name in ("deadline", "longest: own queues", "task manager", "mean: own queues", "task manager"):
        grid.add_column(name, justify="right")
    keys = ("deadline_ns", "software_longest_ns", "rtm_longest_ns", "software_mean_ns", "rtm_mean_ns")
    for task in found.as_json()["tasks"]:
        mark = " *" if task["close_call"] else ""
        grid.add_row(f"{task['name']}{mark}", *("-" if task[key] is None else brief(task[key]) for key in keys))
    return grid
