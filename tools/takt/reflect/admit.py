# SPDX-License-Identifier: Apache-2.0
"""`takt reflect admit`: does every channel keep its deadline, and when is each push promoted? Exit 0 all do, 1 not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from takt.declare import channels, declaration
from takt.declare.channels import Channel, Plant
from takt.declare.schema import reader
from takt.reflect import admit_library
from takt.reflect.admit_library import Result
from takt.support import console
from takt.support.durations import show
from takt.support.errors import UserError
from takt.support.options import application, json_option

VERDICTS: dict[int, str] = {
    admit_library.OK: "admitted",
    admit_library.REFUSED: "refused",
    admit_library.UNDECIDED: "undecided",
}
_COLOURS = {"admitted": "green", "refused": "red", "undecided": "yellow"}
_TIMES = ("response", "promotion", "push", "network", "receive", "bound")


def load(application: str | None) -> Plant:
    """The nodes and channels of APP. Raises UserError: the file's, or that it has none."""
    document = reader.load(declaration.find(application))
    plant = channels.plant(document, declaration.read_tables(document))
    if not plant.channels:
        document.fail(
            (), "no [[channel]] is declared", '[[channel]] with name = "alarms", writer = "plant", reader = "station"'
        )
    if len(plant.channels) > admit_library.CHANNELS_MAX:
        document.fail(("channel",), f"more than {admit_library.CHANNELS_MAX} channels", "declare fewer channels")
    return plant


def judge(plant: Plant) -> tuple[str, list[Result]]:
    """One of VERDICTS, and a result for each channel. UserError: a message would take its link for years."""
    status, results = admit_library.admit(plant)
    if status == admit_library.INVALID:
        raise UserError(
            "a message would take its link, or its reader's server, more than 36 years",
            "check the units of size, rate and times",
        )
    return VERDICTS[status], results


def refusal(channel: Channel, result: Result) -> str:
    """Why a channel is not admitted: the inequality that fails, with both sides."""
    left, right = f"{result.left_ns} ns", f"{result.right_ns} ns"
    words = {
        "load": {
            "push": f"it and the levels above need {left} of the link of {channel.writer} in {right}",
            "receive": f"{left} of port and server of {channel.reader} are needed in {right}",
        }.get(result.stage, ""),
        "overlap": f"write and push may take {left}, more than its period, {right}",
        "deadline": f"write, push, network, receive and read may take {left}, more than its deadline, {right}",
        "unknown": "no bound was found",
    }
    return f"{channel.name}: at the stage {result.stage}: {words[result.inequality]}"


def document(plant: Plant, verdict: str, results: list[Result]) -> dict[str, Any]:
    """docs/json.md, takt reflect admit."""
    return {
        "verdict": verdict,
        "channels": [_row(channel, result) for channel, result in zip(plant.channels, results, strict=True)],
    }


def _failed(channel: Channel, result: Result) -> dict[str, Any]:
    return {
        "inequality": result.inequality,
        "stage": result.stage,
        "left_ns": result.left_ns,
        "right_ns": result.right_ns,
        "why": refusal(channel, result),
    }


def _row(channel: Channel, result: Result) -> dict[str, Any]:
    known = channel.deadline_ns is not None and result.fits
    times = {f"{name}_ns": getattr(result, f"{name}_ns") if known else None for name in _TIMES}
    return {
        "name": channel.name,
        "writer": channel.writer,
        "reader": channel.reader,
        "kind": channel.kind,
        "admitted": result.fits,
        "band": result.band,
        "level": result.level,
        "deadline_ns": channel.deadline_ns,
        **times,
        "jitter_ns": result.jitter_ns if result.fits else None,
        "pause_ns": result.pause_ns if channel.group is not None else None,
        "refusal": None if result.fits else _failed(channel, result),
    }


def _ms(time_ns: int) -> str:
    """In ms, to a microsecond, rounded up."""
    return f"{-(-time_ns // 1000) / 1000:.3f}"


def table(plant: Plant, results: list[Result]) -> Table:
    """Channels by node and level; times in ms, exact ones by --json."""
    shown = Table(title=None, box=None, header_style="bold", pad_edge=False)
    for name in ("from", "channel", "to", "band"):
        shown.add_column(name)
    for name in ("period", "deadline", *_TIMES):
        shown.add_column(name, justify="right", no_wrap=True)
    nodes = [node.name for node in plant.nodes]
    rows = sorted(zip(plant.channels, results, strict=True), key=lambda row: (nodes.index(row[0].writer), row[1].level))
    for channel, result in rows:
        known = channel.deadline_ns is not None and result.fits
        times = [_ms(getattr(result, f"{name}_ns")) if known else "" for name in _TIMES]
        deadline = "-" if channel.deadline_ns is None else _ms(channel.deadline_ns)
        shown.add_row(
            channel.writer, channel.name, channel.reader, result.band, _ms(channel.period_ns), deadline, *times
        )
    return shown


def show_result(plant: Plant, verdict: str, results: list[Result]) -> None:
    """The table, groups, refusals and the verdict, on standard output."""
    out = console.out()
    out.print(table(plant, results))
    out.print(
        "\ntimes in ms; response: of write and push, if promoted at once; push: its own deadline; bound: of all\n"
    )
    for channel, result in zip(plant.channels, results, strict=True):
        if channel.group is not None:
            out.print(f"{channel.name}: started {show(result.pause_ns)} after another of {channel.group} has stopped")
    for channel, result in zip(plant.channels, results, strict=True):
        if not result.fits:
            out.print(escape(refusal(channel, result)), soft_wrap=not out.is_terminal)
    words = {
        "admitted": "Admitted: every channel keeps its deadline.",
        "refused": "Refused: not every channel is proved to keep its deadline.",
        "undecided": "Undecided: for at least one channel no bound was found.",
    }
    out.print(f"[bold {_COLOURS[verdict]}]{words[verdict]}[/]")


def tell(plant: Plant, results: list[Result], folder: str | None) -> list[str]:
    """Servers of this machine go on with these channels; those that they had go on undisturbed. Names of their nodes.
    UserError: there is none, keys are missing, or one refuses, which has changed nothing then."""
    from takt.reflect import keys, plan, server

    here = [node.name for node in plant.nodes if node.name in server.nodes()]
    if not here:
        names = " or ".join(node.name for node in plant.nodes)
        raise UserError(f"no server of {names} runs on this machine", "takt reflectd APP --node NODE, or --dry-run")
    texts = {}
    for name in here:
        if folder is None and plan.needs_keys(plant, name):
            raise UserError(f'channels of "{name}" go to other machines, and have no keys', "--keys FOLDER")
        found = {} if folder is None else keys.read(keys.path_of(Path(folder), name), keys.of_node(plant, name))
        texts[name] = plan.text(plant, results, name, found, 0)
    for name, text in texts.items():
        server.ask(name, text)
    return here


@click.command()
@application
@click.option("--dry-run", is_flag=True, help="Only check the declaration; send nothing to the nodes.")
@click.option("--keys", "folder", metavar="FOLDER", help="Folder with NODE.keys of the nodes on this machine.")
@json_option
def admit(application: str | None, dry_run: bool, folder: str | None, as_json: bool) -> int:
    """Prove whether every channel of APP keeps its deadline; print when pushes are promoted, and each stage's bound.

    If they are admitted, servers of nodes on this machine take them over at once, without interrupting channels that
    they had. Run it on each node; a channel starts when both its nodes have it.

    Exit code 0: admitted; 1: refused, or undecided because an iteration limit was reached; 2: misuse.
    """
    plant = load(application)
    verdict, results = judge(plant)
    commanded = [] if dry_run or verdict != "admitted" else tell(plant, results, folder)
    if as_json:
        console.print_json({**document(plant, verdict, results), "told": commanded})
    else:
        show_result(plant, verdict, results)
        if commanded:
            console.out().print(f"Commanded: {', '.join(commanded)}.")
    return 0 if verdict == "admitted" else 1


def add_command(group: click.Group) -> None:
    group.add_command(admit)
