# SPDX-License-Identifier: Apache-2.0
"""`takt bench network`: how fast the nodes of a network run together, beside real time.

Nodes for `host` of ten tasks: two of 400 jobs a second and eight of 25, which send the messages, and a ring of nodes in
which each receives two. With 16 nodes that is 16000 jobs and 3750 frames a second on one bus of 500 kbit/s; with fewer
nodes the bus has as many frames. Of each size one network keeps its trace, and one does not (preset lean). Timed is the
run of the processes, from the start of the first to the end of the last, trace included; nothing is built meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from takt.support.tables import Cell, Table

MESSAGES = 150
PERIOD_MS = 40
TASKS = {"fast": 2, "slow": 8}
NODES = (4, 16)
KINDS = {"host": "lean", "host, traced": "standard"}


def declared(nodes: int, preset: str) -> dict[str, str]:
    """The system.toml of each node, and of the network as `""`."""
    names = [f"n{index}" for index in range(nodes)]
    found = {"": "".join(f'[[node]]\nname = "{name}"\nsystem = "{name}"\n' for name in names)}
    for index, name in enumerate(names):
        text = f'[system]\nboard = "host"\nscheduler = "dm"\npreset = "{preset}"\n'
        text += '[[can]]\nname = "bus"\nbitrate = "500 kbit/s"\ndriver = true\n'
        for kind, period in (("fast", "2.5 ms"), ("slow", f"{PERIOD_MS} ms")):
            for number in range(TASKS[kind]):
                text += f'[[task]]\nname = "{kind}{number}"\nperiod = "{period}"\nwcet = "50 us"\n'
        for number in range(_count(nodes, index)):
            text += _message(nodes, index, number) + f'sender = "slow{number % TASKS["slow"]}"\n'
            text += f'deadline = "{PERIOD_MS} ms"\n'
        before = (index + 1) % nodes
        for number in range(2):
            text += _message(nodes, before, number) + f'from = "{names[before]}"\nperiod = "{PERIOD_MS} ms"\n'
            text += f'jitter = "5 ms"\nreceivers = ["slow{number}"]\n'
        found[name] = text
    return found


def _count(nodes: int, node: int) -> int:
    """Messages that a node sends."""
    return MESSAGES // nodes + (node < MESSAGES % nodes)


def _message(nodes: int, node: int, number: int) -> str:
    identifier = 0x100 + number * nodes + node
    return f'[[message]]\nname = "m{node}_{number}"\nbus = "bus"\nbytes = 4\nid = {identifier}\n'


def measure(nodes: int, kind: str, duration_s: int) -> dict[str, Any]:
    """An entry of `lockstep`, with `frames_per_s`. UserError: it does not build, or a node broke its bounds."""
    from takt.declare.network import read
    from takt.declare.schema import reader
    from takt.observe import network
    from takt.prove.network import network_proof
    from takt.prove.reasons.steps import LIMIT, Steps
    from takt.support.compile import BUILD
    from takt.support.errors import UserError
    from takt.support.files import shown_path, write_if_changed

    folder = BUILD / f"bench-network-{nodes}-{KINDS[kind]}"
    for name, text in declared(nodes, KINDS[kind]).items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        write_if_changed(folder / name / "system.toml", text)
    whole = read.load(reader.load(folder / "system.toml"))
    found = network_proof.prove(whole, None, False, lambda: Steps(LIMIT))
    ran = network.run_all(found, duration_s * 1_000_000_000, 1)
    if not ran.passed:
        shown = shown_path(folder)
        raise UserError(f"{shown}: a node was not within what was proved", f"takt run {shown}")
    seconds = min(one.finished.wall_s for one in ran.nodes)  # all of them run since the last one was started
    frames = sum(message.count for one in ran.nodes for message in one.outcome.messages if message.sent)
    return {
        "nodes": nodes,
        "kind": kind,
        "times_real_time": duration_s / seconds,
        "frames_per_s": frames / seconds,
    }


def document(sizes: Sequence[int], duration_s: int) -> dict[str, Any]:
    """The document of `takt bench network --json` (docs/json.md). UserError: as `measure`."""
    rows = [measure(nodes, kind, duration_s) for nodes in sizes for kind in KINDS]
    return {
        "frames_per_s": max(row.pop("frames_per_s") for row in rows),
        "lockstep": rows,
    }


def table(found: dict[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [f"{one['nodes']} nodes, {one['kind']}", f"{one['times_real_time']:.1f}"] for one in found["lockstep"]
    ]
    return Table("Nodes that run together", ["", "times real time"], rows)


def add_command(group: click.Group) -> None:
    from takt.support.options import json_option

    @group.command(name="network")
    @click.option("--nodes", type=click.IntRange(2, 64), multiple=True, default=NODES, help="Number of nodes.")
    @click.option("--duration", type=click.IntRange(1, 1000), default=10, help="Of each run, in seconds.")
    @json_option
    def command(nodes: tuple[int, ...], duration: int, as_json: bool) -> int:
        """Measure how fast the nodes of a network run together: times real time, and frames a second."""
        from takt.support import console

        found = document(nodes, duration)
        if as_json:
            console.print_json(found)
        else:
            click.echo(table(found).text())
        return 0
