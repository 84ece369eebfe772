# SPDX-License-Identifier: Apache-2.0
"""With which period of one of its tasks a refuted chain of a network keeps to its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from takt.declare.chains.path import Step
from takt.declare.network.read import Network, Node
from takt.declare.schema.model import Message, System, Verdict
from takt.prove.chains.chains import ChainProof
from takt.prove.distance import chain_periods
from takt.prove.network.network_proof import NetworkProof
from takt.support.console import filling


def lines(found: NetworkProof) -> Iterator[str]:
    """What would prove it where all but chains holds, in sentences."""
    if found.late_buses or any(one.faults for one in found.nodes):
        return
    with filling(f"searching for periods with which {found.network.name} is proved"):
        for chain in found.late_chains:
            yield from _of(found, chain)


def _of(found: NetworkProof, chain: ChainProof) -> Iterator[str]:
    def tried(step: Step, period_ns: int) -> tuple[bool, ChainProof | None]:
        other = found.again(_with_period(found.network, step, period_ns))
        holds = other.verdict is Verdict.FEASIBLE
        return holds, chain_periods.named(chain, other.chains) if other.tasks_proved else None

    return chain_periods.lines(chain, tried)


def _with_period(network: Network, step: Step, period_ns: int) -> Network:
    """Receivers of the messages of its jobs expect them so often."""
    (sender,) = (node for node in network.nodes if node.name == step.node)
    name = step.what.name
    sent = {one.name for one in sender.system.messages if one.sender == name and one.period_ns is None}
    changed = {
        id(node.system): chain_periods.with_period(node.system, name, period_ns)
        if node.system is sender.system
        else _expecting(node.system, sender.name, sent, period_ns)
        for node in network.nodes
    }

    def other(node: Node) -> Node:
        return replace(node, system=changed[id(node.system)])

    return replace(network, nodes=tuple(map(other, network.nodes)))


def _expecting(system: System, sender: str, sent: set[str], period_ns: int) -> System:
    """The same, if it receives none of them."""

    def expected(one: Message) -> bool:
        return one.origin == sender and one.name in sent

    if not any(map(expected, system.messages)):
        return system
    messages = (replace(one, period_ns=period_ns) if expected(one) else one for one in system.messages)
    return replace(system, messages=tuple(messages))
