# SPDX-License-Identifier: Apache-2.0
"""The proof of a network.

Each system is proved by itself: its tasks declare how often they are released, also those that messages release, and
the proof of its processor needs nothing else of the other nodes. The bounds of its tasks are the jitters of what they
send, and so each bus is proved with the messages of all nodes; buses between which nodes forward messages are proved
together (takt.prove.bus.together). At last it is checked that what each system declares of the others' messages is
true: how often and how unevenly they are sent (`from`), and how its own tasks are released by them. These are
assumptions and guarantees: there is no circle between nodes, and a system that keeps what it declares is proved with
any others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

from takt.can import words
from takt.declare.chains.path import task_of
from takt.declare.network.read import Network, Node
from takt.declare.schema.model import System, Verdict
from takt.prove import proof
from takt.prove.bus import together as of_buses
from takt.prove.bus import triggers
from takt.prove.bus.buses import BusProof
from takt.prove.bus.together import Sources
from takt.prove.chains.chains import ChainProof
from takt.prove.network import chains, forwarded, joined
from takt.prove.network.joined import Joined
from takt.prove.proof import Proved
from takt.prove.reasons.steps import Steps
from takt.prove.state_message_fixpoint import send_within_ns

Jitters = dict[tuple[str, str], int | None]
"""By the bus and the name of a message; None: it has no bound."""


@dataclass(frozen=True)
class NodeProof:
    """A node. `broken`: what it declares of the others and does not hold: the table's name, a sentence, and what would
    do."""

    node: Node
    proved: Proved
    broken: tuple[tuple[str, str, str], ...] = ()

    @property
    def tasks_proved(self) -> bool:
        return self.proved.choice.proved

    @cached_property
    def faults(self) -> list[tuple[str, str, str]]:
        """Queues of the system that are too small, and what is broken."""
        queues = self.proved.queues if self.tasks_proved else ()
        return [*((queue.name, *one) for queue in queues for one in queue.refutations()), *self.broken]

    @property
    def verdict(self) -> Verdict:
        """Of its own tasks and queues, and of what it declares of others."""
        if not self.tasks_proved:
            return self.proved.verdict
        return Verdict.INFEASIBLE if self.faults else Verdict.FEASIBLE

    def reason(self) -> str:
        """Why not."""
        name = self.node.name
        if not self.tasks_proved:
            return f"{name}: {self.proved.reason()}"
        return "; ".join(f"{name}: {problem}" for _, problem, _ in self.faults)

    def as_json(self) -> dict[str, Any]:
        """A node of `takt check --json` (docs/json.md)."""
        own = self.proved.as_json()
        kept = ("scheduler", "utilization", "bands", "tasks", "servers", "states", "queues")
        return {
            "name": self.node.name,
            "system": str(self.node.system.path),
            "board": self.proved.board.name,
            "feasible": self.verdict is Verdict.FEASIBLE,
            "verdict": self.verdict.value,
            "reason": None if self.verdict is Verdict.FEASIBLE else self.reason(),
            "changes": [hint for _, _, hint in self.faults],
            **{key: own[key] for key in kept},
        }


@dataclass(frozen=True)
class NetworkProof:
    """The outcome. `again`: proves the network with other systems in the same way, those that are the same not anew."""

    network: Network
    nodes: tuple[NodeProof, ...]
    buses: tuple[BusProof, ...]
    chains: tuple[ChainProof, ...]
    again: Callable[[Network], NetworkProof]

    @property
    def late_buses(self) -> list[BusProof]:
        return [bus for bus in self.buses if bus.verdict is not Verdict.FEASIBLE]

    @property
    def late_chains(self) -> list[ChainProof]:
        return [chain for chain in self.chains if chain.verdict is not Verdict.FEASIBLE]

    @property
    def tasks_proved(self) -> bool:
        """Of all nodes."""
        return all(one.tasks_proved for one in self.nodes)

    @property
    def verdict(self) -> Verdict:
        """Refuted, if something is; else undecided, if something is."""
        found = {*(one.verdict for one in self.nodes), *(one.verdict for one in self.buses)}
        found |= {one.verdict for one in self.chains}
        wanted = (Verdict.INFEASIBLE, Verdict.UNDECIDED)
        return next((verdict for verdict in wanted if verdict in found), Verdict.FEASIBLE)

    @property
    def size(self) -> str:
        """In words."""
        return words.count(self.nodes, "node")

    @property
    def interrupted(self) -> bool:
        return any(one.proved.prover.steps.interrupted for one in self.nodes)

    def reason(self) -> str:
        """One sentence: why this verdict."""
        if self.verdict is Verdict.FEASIBLE:
            sent = [one for bus in self.buses for one in bus.sent]
            buses = "one bus" if len(self.buses) == 1 else f"{len(self.buses)} buses"
            said = f"all deadlines of {self.size} hold"
            said = f"{said}, and those of {words.count(sent, 'message')} on {buses}" if sent else said
            return f"{said}; {words.count(self.chains, 'chain')} within limits" if self.chains else said
        nodes = [one.reason() for one in self.nodes if one.verdict is not Verdict.FEASIBLE]
        if not self.tasks_proved:
            return "; ".join(nodes)  # buses and chains are not proved for that alone
        late = [*(bus.reason() for bus in self.late_buses), *(chain.reason() for chain in self.late_chains)]
        return "; ".join([*nodes, *late])

    def as_json(self) -> dict[str, Any]:
        """The keys of `takt check --json` of a network (docs/json.md)."""
        return {
            "feasible": self.verdict is Verdict.FEASIBLE,
            "verdict": self.verdict.value,
            "reason": self.reason(),
            "nodes": [one.as_json() for one in self.nodes],
            "buses": [bus.as_json() for bus in self.buses],
            "messages": [one for bus in self.buses for one in bus.messages_json()],
            "chains": [chain.as_json() for chain in self.chains],
        }


def prove(
    network: Network,
    scheduler: str | None,
    left_out: bool,
    steps: Callable[[], Steps],
    known: Mapping[int, Proved] = MappingProxyType({}),
) -> NetworkProof:
    """`scheduler`: instead of the declared ones. `steps`: makes those of a system. `known`: proofs of some systems by
    their id(). UserError: the systems do not fit together, or one cannot be proved as it is declared."""
    together = joined.buses(network)
    declared = chains.declared(network, together)
    proofs = dict(known)
    for node in network.nodes:
        if id(node.system) not in proofs:
            proofs[id(node.system)] = proof.prove(node.system, scheduler, left_out, steps=steps())
    nodes = tuple(NodeProof(node, proofs[id(node.system)]) for node in network.nodes)
    responses_ns = _responses(nodes) if all(node.tasks_proved for node in nodes) else None
    traffics = [one.traffic for one in together]
    handled_ns = {one.node.name: one.proved.choice.proof.handled_ns for one in nodes}
    sources = forwarded.sources(network, traffics, handled_ns)
    found = of_buses.settled(_stand_in(network), traffics, sources, responses_ns)
    if responses_ns is not None:
        jitters_ns = _jitters(together, {proof.bus.name: proof for proof in found}, sources, responses_ns)
        nodes = tuple(_judged(one, together, found, jitters_ns) for one in nodes)
    of_chains = chains.prove(declared, {one.node.name: one.proved for one in nodes}, found)
    again = partial(prove, scheduler=scheduler, left_out=left_out, steps=steps, known=proofs)
    return NetworkProof(network, nodes, found, of_chains, again)


def _judged(one: NodeProof, together: list[Joined], found: tuple[BusProof, ...], jitters_ns: Jitters) -> NodeProof:
    by_name = {proof.bus.name: proof for proof in found}
    own = tuple(_own(one.node, by_name[bus.name]) for bus in one.node.system.buses)
    proved = replace(one.proved, joined=own)
    return replace(one, proved=proved, broken=tuple(_broken(one.node, together, own, jitters_ns)))


def _own(node: Node, proof: BusProof) -> BusProof:
    """The bus as the node's system declares it, with the bounds that it has in the network; others' messages that it
    does not declare are those of a file, to it."""
    declared = {one.name: one for one in node.system.messages if one.bus == proof.bus.name}
    sent = tuple(replace(one, declared=declared.get(one.frame.name)) for one in proof.sent)
    return replace(proof, sent=sent)


def _responses(nodes: tuple[NodeProof, ...]) -> dict[str, int | None]:
    """Bounds of all tasks, by NODE.TASK."""
    return {
        task_of(one.node.name, task): bound
        for one in nodes
        for task, bound in send_within_ns(one.node.system, one.proved.choice.proof).items()
    }


def _jitters(
    together: list[Joined], proofs: dict[str, BusProof], sources: Sources, responses_ns: dict[str, int | None]
) -> Jitters:
    """How late nodes of the network queue what they send and forward."""
    found: Jitters = {}
    for bus in together:
        for one in bus.traffic.messages:
            if one.sender is not None:
                found[bus.name, one.name] = responses_ns[one.sender]
            elif one.forwards is not None:
                source = sources[bus.name, one.name]
                found[bus.name, one.name] = of_buses.late_ns(source, proofs[source.message.bus])
    return found


def _stand_in(network: Network) -> System:
    """What messages about a bus as a whole are located in: the network's file."""
    return replace(network.nodes[0].system, path=network.path, name=network.name, metadata={})


def _broken(
    node: Node, together: list[Joined], own: tuple[BusProof, ...], jitters_ns: Jitters
) -> Iterator[tuple[str, str, str]]:
    """What the node declares of messages of others and of their arrival, and what does not hold."""
    for bus in together:
        for expected in bus.expected:
            if expected.member.node is node:
                name = expected.message.name
                jitter_ns = jitters_ns[bus.name, name]
                if jitter_ns is not None:  # else its bus is not proved for that
                    yield from expected.refutations(bus.traffic.periods_ns[name], jitter_ns)
    yield from triggers.refutations(node.system, own)
