# SPDX-License-Identifier: Apache-2.0
"""`takt check` of a network: what it prints."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from takt.commands.verdict import COLOURS, MARKS, show_bus, show_chains, show_proof
from takt.declare.editor.messages import Message
from takt.declare.network.read import Network
from takt.declare.schema.model import Verdict
from takt.prove.network import periods
from takt.prove.network.network_proof import NetworkProof
from takt.prove.proof import WORDS
from takt.report import advice
from takt.support import console
from takt.support.files import shown_path
from takt.support.names import shown


def show(found: NetworkProof) -> None:
    """The nodes, what they share, the verdict, and what would mend it."""
    out = console.out()
    out.print(f"[bold]{escape(found.network.name)}[/]: {found.size}\n")
    for one in found.nodes:
        if not one.tasks_proved:
            show_proof(one.proved, advice.advise(one.proved))
            out.print()
    out.print(_nodes(found))
    out.print()
    for bus in found.buses:
        show_bus(bus)
    show_chains(found.chains)
    line = f"{WORDS[found.verdict]}: {found.reason()}."
    out.print(f"[bold {COLOURS[found.verdict]}]{escape(line)}[/]", soft_wrap=not out.is_terminal)
    for text in _changes(found):
        out.print(escape(text), soft_wrap=not out.is_terminal)


def _nodes(found: NetworkProof) -> Table:
    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    for name in ("node", "system", "board", "scheduler"):
        table.add_column(name)
    for name in ("tasks", "utilization"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for one in found.nodes:
        proved = one.proved
        load = f"{float(proved.choice.proof.utilization):.1%}"
        cells = (one.node.name, shown(one.node.folder), proved.board.name, proved.choice.scheduler)
        count = str(len(proved.system.tasks))
        table.add_row(*map(escape, cells), count, load, MARKS[one.verdict])
    return table


def _changes(found: NetworkProof) -> Iterator[str]:
    """What would do, where that is known."""
    for one in found.nodes:
        for _, _, hint in one.faults:
            yield f"  try, in {shown_path(one.node.system.path)}: {hint}"
    autos = [bus for bus in found.buses if bus.autos]
    if autos:
        yield "A system that is built alone gives identifiers of its own: write those above into the systems."
    if found.tasks_proved:
        yield from (advice.for_a_bus(bus) for bus in found.late_buses if bus.answer is not None)
        yield from periods.lines(found)


def refutations(found: NetworkProof) -> Iterator[Message]:
    """What is not proved: what a system declares and does not hold, at its line; else at that of the node."""
    rule = "undecided" if found.verdict is Verdict.UNDECIDED else "refuted"
    for one in found.nodes:
        if not one.tasks_proved:
            yield Message(rule, one.reason(), shown_path(found.network.path), max(1, one.node.line))
        for name, problem, hint in one.faults:
            line = int(one.node.system.metadata.get(f"line {name}") or 1)
            yield Message("refuted", f"{problem}\ntry: {hint}", shown_path(one.node.system.path), line)
    if found.tasks_proved:
        for bus in found.late_buses:
            yield Message("message", bus.reason(), shown_path(found.network.path), 1)
        for chain in found.late_chains:
            yield Message("chain", chain.reason(), *_declared_at(found.network, chain.chain.name))


def _declared_at(network: Network, name: str) -> tuple[str, int]:
    """The file and line of a chain of the network, or of one of its systems: NODE.CHAIN."""
    node, dot, own = name.partition(".")
    if not dot:
        index = [chain.name for chain in network.chains].index(name)
        return shown_path(network.path), network.document.line(("chain", index)) or 1
    system = next(one.system for one in network.nodes if one.name == node)
    return shown_path(system.path), int(system.metadata.get(f"line {own}") or 1)
