# SPDX-License-Identifier: Apache-2.0
"""`takt bench can`: measures boards/B/can.toml, what the calls and the interrupt of a driven CAN bus cost there.

benchmarks/canbus/costs is the code of a task that sends every message of a system in many orders, with all mailboxes
free, full, and while frames are sent and received. What the simulated controller does takes no time; its calls do.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import click

from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

SOURCE = ROOT / "benchmarks" / "canbus" / "costs" / "costs.c"
MESSAGES = (4, 8, 16, 32)
CONTROLLERS = {8: "", 3: 'data_bitrate = "250 kbit/s"\n'}  # by mailboxes
BOARDS = ("mps2-an385", "rv32-virt")


def declared(board: str, count: int, mailboxes: int) -> str:
    """The system.toml: `count` messages that are sent, and two that are received."""
    bus = f'[[can]]\nname = "body"\nbitrate = "125 kbit/s"\ndriver = true\n{CONTROLLERS[mailboxes]}'
    text = f'[system]\nboard = "{board}"\n{bus}[[task]]\nname = "measure"\nentry = "measure"\nstack = 4096\n'
    text += '[[task]]\nname = "jobs"\nperiod = "1 s"\nwcet = "100 us"\n'
    for index in range(count):
        text += f'[[message]]\nname = "m{index}"\nbus = "body"\nsender = "measure"\nid = {0x100 + index}\nbytes = 8\n'
    for index, (name, more) in enumerate((("state", ""), ("queued", "queue = 4\n"))):
        text += f'[[message]]\nname = "{name}"\nbus = "body"\nfrom = "other"\nid = {0x10 + index}\nbytes = 8\n'
        text += f'period = "{7 + 4 * index} ms"\ndeadline = "1 s"\nreceivers = ["measure"]\n{more}'
    return text


def measure(board: str, count: int, mailboxes: int) -> dict[str, int]:
    """Instructions of each kind, the margin included. UserError: the measurement does not build, or failed."""
    from takt.bench import images
    from takt.bench.overheads import with_margin
    from takt.declare import declaration
    from takt.declare.buses import can_costs
    from takt.declare.schema import boards
    from takt.image import build
    from takt.prove import proof
    from takt.support.compile import BUILD
    from takt.support.files import read_text, write_if_changed

    folder = BUILD / f"bench-can-{count}-{mailboxes}"
    folder.mkdir(parents=True, exist_ok=True)
    write_if_changed(folder / "system.toml", declared(board, count, mailboxes))
    write_if_changed(folder / "costs.c", f"enum {{ COUNT = {count} }};\n{read_text(SOURCE)}")
    with can_costs.measuring(boards.load(board)):
        system = declaration.load(folder / "system.toml")
        image = build.build(proof.prove(system, left_out=True))
    found = images.run(board, image.path, {"proof": image.proof_hash, "seed": 1})
    unit = boards.load(board).instruction_ns
    return {name: with_margin(int(ns), unit) for name, ns in found.items()}


def document(board: str) -> dict[str, Any]:
    """The document of `takt bench can --json` (docs/json.md)."""
    from takt.declare.schema import boards
    from takt.support import console

    entries = []
    for mailboxes in CONTROLLERS:
        rows = []
        for count in MESSAGES:
            with console.doing(f"measuring {count} messages with {mailboxes} mailboxes on {board}"):
                rows.append(measure(board, count, mailboxes))
        most = {name: list(accumulate((row[name] for row in rows), max)) for name in rows[0]}  # up to so many
        entries.append({"mailboxes": mailboxes, "instructions": most})
    unit = boards.load(board).instruction_ns
    return {"board": board, "instruction_ns": unit, "messages": list(MESSAGES), "entries": entries}


def written(found: dict[str, Any]) -> str:
    """The board's can.toml."""
    from takt.declare.buses import can_costs

    entries = {one["mailboxes"]: one["instructions"] for one in found["entries"]}
    return can_costs.text_of(found["instruction_ns"], found["messages"], entries)


def table(found: dict[str, Any]) -> Table:
    rows: list[list[Cell]] = []
    for entry in found["entries"]:
        for name, figures in entry["instructions"].items():
            rows.append([f"{name}, {entry['mailboxes']} mailboxes", *figures])
    heads = [f"{count} messages" for count in found["messages"]]
    return Table(f"Instructions on {found['board']}", ["", *heads], rows)


def add_command(group: click.Group) -> None:
    from takt.support.options import json_option

    @group.command(name="can")
    @click.option("--board", type=click.Choice(BOARDS), default=BOARDS[0], show_default=True, help="The board.")
    @click.option("--check", is_flag=True, help="Write nothing: exit code 1 if the board's file has less.")
    @json_option
    def command(board: str, check: bool, as_json: bool) -> int:
        """Measure what sending and receiving on a CAN bus costs, and write boards/BOARD/can.toml, which proofs read."""
        from takt.declare.buses import can_costs
        from takt.declare.schema import boards
        from takt.support import console
        from takt.support.files import write_whole

        found = document(board)
        if as_json:
            console.print_json(found)
        else:
            click.echo(table(found).text())
        path = can_costs.path_of(boards.load(board))
        if not check:
            write_whole(path, written(found))
            return 0
        more = list(above(found, can_costs.read(boards.load(board)) or {"entry": ()}))
        for line in more:
            click.echo(f"takt: {line}", err=True)
        return 1 if more else 0


def above(found: dict[str, Any], kept: dict[str, Any]) -> list[str]:
    """Figures that are above those of the board's file: a line each."""
    there = {one["mailboxes"]: one for one in kept["entry"]}
    lines = []
    for entry in found["entries"]:
        for name, figures in entry["instructions"].items():
            before = there.get(entry["mailboxes"], {}).get(name, ())
            if len(before) != len(figures) or any(new > old for new, old in zip(figures, before, strict=True)):
                lines.append(f"{name} with {entry['mailboxes']} mailboxes: {figures}, in the file {list(before)}")
    return lines
