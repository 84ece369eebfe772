# SPDX-License-Identifier: Apache-2.0
"""`takt run`: proves, builds, runs on a board, and holds what was observed against what was proved."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import click

from takt.commands import verdict
from takt.declare import declaration
from takt.declare.console import table
from takt.declare.network import read as of_networks
from takt.declare.schema.model import Verdict
from takt.declare.schema.reader import Document
from takt.image.build import Image
from takt.image.tables import fault_code
from takt.observe import debug, inject
from takt.observe.live import watch
from takt.observe.live.view import LiveView
from takt.observe.run import (
    DEFAULT_SEED,
    Finished,
    load,
    parse_duration,
    refuse_access_cycles,
    refuse_live,
    run,
    run_debugged,
    show_run,
)
from takt.observe.terminal import session
from takt.prove.bus import faults as faults_of_buses
from takt.support import console
from takt.support.errors import UserError
from takt.support.files import write_whole
from takt.trace.segments import Recorded

LONG = 300_000  # events: the report of more takes several seconds, which is said


def write_report(finished: Finished) -> Path:
    """report.html beside the trace."""
    from takt.report import page as report

    path = finished.folder / "report.html"
    long = finished.seen.events > LONG
    with console.doing(f"drawing {finished.seen.events} events") if long else nullcontext():
        recorded = Recorded(finished.trace_path)
        write_whole(path, report.page(finished.outcome, recorded, finished.seen.reader, finished.folder))
    return path


_JUDGED = ": such a run is not judged"
_APART = (  # options of which one excludes the other, and why
    ("--access-cycles", "a debugger", ""),
    ("--json", "a debugger", _JUDGED),
    ("--gdb-script", "--gdb-port, with which you start the debugger", ""),
    ("--image", "--inject", ", which compiles faults into it"),
    ("--inject of a bus", "a debugger", _JUDGED),
    ("--watch", "a debugger", ""),
    ("--live", "a debugger", ", which stops the board"),
    ("--live", "--console", ", which takes the terminal"),
    ("--live", "--input", ", which is typed in virtual time"),
    *(("--console", name, _JUDGED) for name in ("a debugger", "--json", "--inject", "--image", "--access-cycles")),
    ("--console", "--input", ": there you type"),
    ("--console", "--watch", ", which ends each run when a file changes"),
)


def _refuse_together(used: Mapping[str, object]) -> None:
    for one, other, why in _APART:
        if used[one] and used[other]:
            raise UserError(f"{one} cannot be used with {other}{why}", "only one of the two options")


@dataclass(frozen=True)
class _Network:
    """Options of a run of a network."""

    scheduler: str | None
    overheads: str
    protection: bool | None
    force: bool
    duration: str | None
    seed: int
    as_json: bool


def _refuse_for_network(used: Mapping[str, object]) -> None:
    """UserError: an option is of one system."""
    for name, value in used.items():
        if value:
            raise UserError(f"{name} is not for a network, whose nodes run together", "takt run of one of its systems")


def _run_network(document: Document, asked: _Network) -> int:
    from takt.observe import network
    from takt.prove.network import network_proof
    from takt.prove.reasons.steps import LIMIT, Steps

    whole = of_networks.load(document, asked.protection)
    found = network_proof.prove(whole, asked.scheduler, asked.overheads == "none", lambda: Steps(LIMIT))
    network.refuse(found)
    duration_ns = parse_duration(asked.duration, max(node.system.duration_ns for node in whole.nodes))
    if found.verdict is not Verdict.FEASIBLE and not asked.force:
        if asked.as_json:
            console.print_json(found.as_json())
        else:
            click.echo(f"Not proved: {found.reason()}.")
        verdict.refuse_to_go_on()
    ran = network.run_all(found, duration_ns, asked.seed)
    if asked.as_json:
        console.print_json(ran.as_json())
    else:
        network.show(ran)
    return 0 if ran.passed else 1


def add_command(cli: click.Group) -> None:
    from takt.support.options import (
        access_cycles_option,
        application,
        board_option,
        engine_option,
        input_option,
        json_option,
        proof_options,
        protection_option,
    )

    @cli.command(name="run")
    @application
    @proof_options
    @board_option
    @engine_option
    @protection_option
    @access_cycles_option
    @click.option("--force", is_flag=True, help="Run even if the proof fails or a stack is too small.")
    @click.option("--duration", metavar="D", help='Virtual time to run, such as "10 s" (default: as declared).')
    @click.option(
        "--seed", type=click.IntRange(0, 2**63 - 1), default=DEFAULT_SEED, show_default=True, help="Seed of the plant."
    )
    @click.option(
        "--inject",
        "injections",
        multiple=True,
        metavar="FAULT",
        help="Inject a fault: TASK:stray|overflow|illegal|hang|assert@TIME (docs/processes.md), or on a simulated CAN"
        " bus BUS:flips=RATE, BUS:dead=NODE@TIME or BUS:babble=MESSAGE (docs/can.md). Repeatable.",
    )
    @input_option
    @click.option(
        "--image",
        "given",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Run this image, of a build of your own (docs/build.md), and build none.",
    )
    @click.option(
        "--console",
        "connected",
        is_flag=True,
        help="Connect this terminal with the board's console, in real time (docs/console.md).",
    )
    @click.option(
        "--live",
        is_flag=True,
        help="Show tasks, loads, misses and the log as they come; Ctrl-C ends the run (docs/live.md).",
    )
    @click.option("--gdb", is_flag=True, help="Run under gdb, stopped at the first task (docs/debugging.md).")
    @click.option(
        "--gdb-port",
        type=click.IntRange(1, 65535),
        metavar="N",
        help="Wait at this port for a debugger that you start.",
    )
    @click.option(
        "--gdb-script",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="As --gdb, with commands of gdb from FILE.",
    )
    @click.option(
        "--watch", "watched", is_flag=True, help="Again when a file of the application changes, until Ctrl-C."
    )
    @json_option
    @click.pass_context
    def command(
        context: click.Context,
        application: str | None,
        scheduler: str | None,
        overheads: str,
        board: str | None,
        engine: str | None,
        protection: bool | None,
        access_cycles: int,
        force: bool,
        duration: str | None,
        seed: int,
        injections: tuple[str, ...],
        typed: Path | None,
        given: Path | None,
        connected: bool,
        live: bool,
        gdb: bool,
        gdb_port: int | None,
        gdb_script: Path | None,
        watched: bool,
        as_json: bool,
    ) -> int:
        """Prove, build and run; compare the observed times with the proved ones.

        Leaves a trace, a JSON file and one HTML page (timeline, figures) in the build folder. Exit code 0: within what
        was proved; 1: refused, an execution over its wcet, a response over its bound, a miss of a proved system, a
        fault that was not injected, a failure of the plant, or an injected fault that was not caught, or after which a
        restarted task completed no job; 2: misuse.
        """
        debugged = gdb or gdb_port is not None or gdb_script is not None
        used = {
            "a debugger": debugged,
            "--access-cycles": access_cycles,
            "--console": connected,
            "--gdb-port, with which you start the debugger": gdb_port is not None,
            "--gdb-script": gdb_script,
            "--image": given,
            "--inject": injections,
            "--inject of a bus": any(map(faults_of_buses.is_of_bus, injections)),
            "--input": typed,
            "--json": as_json,
            "--live": live,
            "--watch": watched,
        }
        _refuse_together(used)
        if watched:
            return watch.watch(application, protection, watch.arguments_of(context, "watched"))
        document = of_networks.document_of(declaration.find(application))
        if document is not None:
            _refuse_for_network({"--board": board, "--engine": engine, **used, "--json": False})
            asked = _Network(scheduler, overheads, protection, force, duration, seed, as_json)
            return _run_network(document, asked)
        proved = load(application, board, scheduler, overheads, protection, engine)
        refuse_access_cycles(proved, access_cycles)
        if live:
            refuse_live(proved)
        duration_ns = parse_duration(duration, proved.system.duration_ns)
        proved = replace(proved, system=table.with_typed(proved.system, typed, duration_ns))
        of_buses = [text for text in injections if faults_of_buses.is_of_bus(text)]
        of_tasks = tuple(text for text in injections if text not in of_buses)
        faults = inject.parse(of_tasks, proved.system, proved.board, duration_ns)
        bus_faults = faults_of_buses.parse(of_buses, proved.buses, duration_ns) if of_buses else {}
        verdict.refuse_unproved(proved, force, as_json)
        proved = fault_code.into(proved, faults)

        def judge(image: Image) -> None:
            verdict.refuse(proved, image.stacks, force, as_json)

        if connected:
            return session.run(proved, duration_ns if duration is not None else None, seed, judge)
        if debugged:
            return run_debugged(proved, duration_ns, seed, debug.Wanted(gdb_port, gdb_script), judge, given)
        lasts = duration_ns if duration is not None or not (live and sys.stderr.isatty()) else None

        def show(image: Image, said: Path) -> LiveView:
            return LiveView(proved, image.path, said, lasts)

        finished = run(proved, lasts, seed, access_cycles, judge, given, show if live else None, bus_faults=bus_faults)
        page = write_report(finished)
        if as_json:
            console.print_json(finished.outcome.as_json(samples=False))
        else:
            show_run(finished, page)
        return 0 if finished.outcome.passed else 1
