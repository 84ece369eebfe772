# SPDX-License-Identifier: Apache-2.0
"""`takt run` of a network: its nodes, each in a process of its own, in one virtual time. How they keep to it stands in
library/can/host/network.c."""

from __future__ import annotations

import mmap
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from takt.declare.network.read import Node
from takt.declare.schema.reader import located
from takt.image import build
from takt.image.build import Image
from takt.observe import run
from takt.observe.outcome import Outcome
from takt.observe.run import Finished
from takt.prove.network.network_proof import NetworkProof, NodeProof
from takt.support import console
from takt.support.durations import brief
from takt.support.errors import UserError
from takt.support.files import shown_path

NODES_MAX = 64
_HEAD = struct.Struct(f"<I{NODES_MAX}B")  # struct takt_network_file
_LOOK_S = 0.1


@dataclass(frozen=True)
class NodeRun:
    """What came of a node, with the bounds of the network."""

    node: Node
    finished: Finished
    outcome: Outcome

    @property
    def logs(self) -> list[Path]:
        """What each of its buses carried, as candump writes it."""
        return [self.finished.folder / f"{bus.name}.log" for bus in self.node.system.driven]


@dataclass(frozen=True)
class NetworkRun:
    """A run of all nodes."""

    proved: NetworkProof
    nodes: tuple[NodeRun, ...]

    @property
    def passed(self) -> bool:
        return all(one.outcome.passed for one in self.nodes)

    def as_json(self) -> dict[str, Any]:
        """The document of `takt run --json` of a network (docs/json.md)."""
        return {
            "passed": self.passed,
            "feasible": self.proved.as_json()["feasible"],
            "nodes": [{"name": one.node.name, **one.outcome.as_json(samples=False)} for one in self.nodes],
        }


def refuse(found: NetworkProof) -> None:
    """UserError: such a network cannot be run."""
    network = found.network
    if len(network.nodes) > NODES_MAX:
        raise UserError(f"{network.name}: more than {NODES_MAX} nodes cannot run together", "fewer nodes")
    for one in found.nodes:
        system, name = one.node.system, one.node.name
        if one.proved.board.name != "host":
            problem = f"{name} is for {one.proved.board.name}: nodes run together on host alone"
            raise located(system, "board", problem, 'board = "host", or takt run of this system alone')
        for bus in system.buses:
            if not bus.driver or bus.interface is not None:
                problem = f'[[can]] "{bus.name}" of {name}: {"interface" if bus.driver else "no driver"}: a run of a'
                raise located(system, bus.name, f"{problem} network simulates its buses", "driver = true alone")
        for message in system.messages:
            if message.is_sent and message.identifier is None:
                problem = f'[[message]] "{message.name}": id = "auto": each node would give its own in a run'
                raise located(system, message.name, problem, "the identifier that takt check prints")


def run_all(found: NetworkProof, duration_ns: int, seed: int) -> NetworkRun:
    """Builds the nodes, and runs them together. UserError: one does not build."""
    images = [build.build(one.proved) for one in found.nodes]
    numbers = {name: number for number, name in enumerate(_shared(found))}
    driven = [one for one in found.nodes if any(bus.name in numbers for bus in one.node.system.driven)]
    activity = f"running {found.network.name}: {found.size}, {brief(duration_ns)}"
    with _file(len(driven)) as (path, gone), console.doing(activity):
        starts = [
            _Start(one, image, _options(one, path, driven.index(one), numbers) if one in driven else {})
            for one, image in zip(found.nodes, images, strict=True)
        ]
        for start in starts:
            start.go(duration_ns, seed)
        while any(start.thread.is_alive() for start in starts):
            for start in starts:
                start.thread.join(_LOOK_S)
                if not start.thread.is_alive() and start.proof in driven:
                    gone(driven.index(start.proof))
    return NetworkRun(found, tuple(_judged(found, start) for start in starts))


class _Start:
    """A node, in a thread of its own: its process ends with it (support.children)."""

    def __init__(self, proof: NodeProof, image: Image, options: dict[str, object]) -> None:
        self.proof, self.image, self.options = proof, image, options
        self.finished: Finished | None = None
        self.error: BaseException | None = None

    def go(self, duration_ns: int, seed: int) -> None:
        self.thread = threading.Thread(target=self._run, args=(duration_ns, seed), daemon=True)
        self.thread.start()

    def _run(self, duration_ns: int, seed: int) -> None:
        proved = self.proof.proved
        try:
            self.finished = run.run(proved, duration_ns, seed, network=self.options, built=self.image)
        except BaseException as error:
            self.error = error


def _options(one: NodeProof, path: Path, index: int, numbers: dict[str, int]) -> dict[str, object]:
    buses = enumerate(one.node.system.driven)
    of_buses = {f"network_bus{own}": numbers[bus.name] for own, bus in buses if bus.name in numbers}
    return {"network": path, "network_node": index, **of_buses}


def _shared(found: NetworkProof) -> list[str]:
    """Buses of several nodes. Of any other the node's image plays all the rest, as in a run of the system alone."""
    names = [bus.name for one in found.nodes for bus in one.node.system.buses]
    return [bus.bus.name for bus in found.buses if names.count(bus.bus.name) > 1]


@contextmanager
def _file(nodes: int) -> Iterator[tuple[Path, Any]]:
    """The memory that the nodes share, and what says that one has ended."""
    with tempfile.TemporaryDirectory(prefix="takt-") as folder:
        path = Path(folder) / "network"
        path.write_bytes(_HEAD.pack(nodes, *[0] * NODES_MAX))
        with path.open("r+b") as file, mmap.mmap(file.fileno(), _HEAD.size) as memory:

            def gone(node: int) -> None:
                memory[4 + node] = 1

            yield path, gone


def _judged(found: NetworkProof, start: _Start) -> NodeRun:
    """With the bounds of messages among those of all nodes."""
    if start.error is not None or start.finished is None:
        raise start.error or RuntimeError("a node has no outcome")
    name, outcome = start.proof.node.name, start.finished.outcome
    bounds = {
        (bus.bus.name, one.frame.name): one.response_ns
        for bus in found.buses
        for one in bus.sent
        if one.declared is not None and one.declared.origin == name
    }
    messages = tuple(
        replace(one, bound_ns=bounds.get((one.bus, one.name))) if one.sent else one for one in outcome.messages
    )
    return NodeRun(start.proof.node, start.finished, replace(outcome, messages=messages))


def show(ran: NetworkRun) -> None:
    """What was seen of each node, beside what was proved."""
    out = console.out()
    for one in ran.nodes:
        proved = one.outcome.proved
        out.print(f"[bold]{escape(one.node.name)}[/] on {proved.board.name}, scheduler {proved.choice.scheduler}\n")
        out.print(run.table(one.outcome))
        for figures in one.outcome.messages:
            out.print(escape(figures.line()), soft_wrap=not out.is_terminal)
        for path in one.logs:
            click.echo(f"log:   {shown_path(path)}")
        click.echo(f"trace: {shown_path(one.finished.trace_path)}")
        colour = "green" if one.outcome.passed else "red"
        out.print(f"[{colour}]{escape(one.outcome.line())}[/]\n", soft_wrap=not out.is_terminal)
    failed = [one.node.name for one in ran.nodes if not one.outcome.passed]
    last = f"Not within what was proved: {', '.join(failed)}." if failed else "All nodes stayed within what was proved."
    out.print(f"[bold {'red' if failed else 'green'}]{escape(last)}[/]", soft_wrap=not out.is_terminal)
