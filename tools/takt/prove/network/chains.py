# SPDX-License-Identifier: Apache-2.0
"""The chains of a network: those of its file, and those of its systems with the bounds of the buses that all nodes
share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from takt.declare.chains import path, read
from takt.declare.chains.path import Step, Steps, task_of
from takt.declare.network.read import Network
from takt.declare.schema.model import Chain, Message
from takt.prove import analysis_library
from takt.prove.bus.buses import BusProof
from takt.prove.chains import chains
from takt.prove.chains.chains import ChainProof
from takt.prove.network.joined import Joined
from takt.prove.proof import Proved


@dataclass(frozen=True)
class Declared:
    """A chain as it is called in the network, and what its path may name."""

    chain: Chain
    steps: Steps


def declared(network: Network, together: Sequence[Joined]) -> list[Declared]:
    """UserError: one of the network's file is none. Those of systems were checked with these."""
    steps = _steps(network, together) if network.chains else {}
    _refuse_ambiguous(network, together)
    read.check_all(network.document, steps, network.chains)
    found = [Declared(chain, steps) for chain in network.chains]
    for node in network.nodes:
        own = path.of_system(node.system, node.name)
        found += [Declared(replace(one, name=f"{node.name}.{one.name}"), own) for one in node.system.chains]
    return found


def prove(found: Sequence[Declared], proofs: Mapping[str, Proved], buses: Sequence[BusProof]) -> tuple[ChainProof, ...]:
    """`proofs`: by node."""
    if not found:
        return ()
    known = chains.known(proofs, buses, analysis_library.load())
    return tuple(chains.prove(known, one.steps, one.chain) for one in found)


def _steps(network: Network, together: Sequence[Joined]) -> dict[str, Step]:
    """Tasks by NODE.TASK, and messages."""
    found = {step.name: step for node in network.nodes for step in path.tasks_of(node.system, node.name).values()}
    return found | {one.name: Step(one.name, one) for bus in together for one in _messages(bus)}


def _messages(bus: Joined) -> Iterator[Message]:
    """With the receivers of all nodes."""
    for one in bus.traffic.messages:
        copies = [(member.node.name, copy) for member in bus.members for copy in member.traffic.messages]
        receivers = [task_of(node, task) for node, copy in copies if copy.name == one.name for task in copy.receivers]
        yield replace(one, receivers=tuple(receivers))


def _refuse_ambiguous(network: Network, together: Sequence[Joined]) -> None:
    """UserError: messages of two buses have the name of a step."""
    often = Counter(one.name for bus in together for one in bus.traffic.messages)
    for index, chain in enumerate(network.chains):
        for at, name in enumerate(chain.path):
            if often[name] > 1:
                problem = f'[[chain]] "{chain.name}": path: messages of two buses are called "{name}"'
                network.document.fail(("chain", index, "path", at), problem, "another name for one of them")
