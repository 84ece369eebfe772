# SPDX-License-Identifier: Apache-2.0
"""Whether chains keep to their limits, once the tasks and buses of their nodes are known.

A chain is cut into sections: the first step of each samples (or is released by the cause), and each other one is
triggered by the step before it. Sections are the steps of `takt_analysis_chain` (takt/analysis_chain.h, with its
definitions and papers), and each has the clock of the node of its first step. The bound of a message counts from
the release of its sender's job, so that it takes the place of the sender's.

What a triggered task adds covers what the kernel defers: let the first step's arrivals be a(k), at least T apart, and
the jobs before it complete by a(k) + R. The task is released no sooner than m <= T after its last release, so by
a(k) + R too: the release k is that of an earlier j by a(j) + R and (k - j) * m more at most, and a(j) + (k - j) * T <=
a(k). Its releases are m apart, and so are the times that lie its jitter J before each of them. Taken as its arrivals,
they are each followed by a release within J, and so by a completion within its bound W, which counts from arrivals: by
a(k) + R - J + W. By deadlines an arrival has effect on priorities, so there the whole of W is added.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from takt.can.check import PPM
from takt.declare.chains.path import Section, Step, Steps, sections, trigger_of
from takt.declare.queues import Queue
from takt.declare.schema.model import Band, Chain, Message, System, Task, Verdict
from takt.declare.service_kinds.mutex import Mutex
from takt.support.c.analysis import TIME_MAX_NS, ChainBounds, ChainStep, Status
from takt.support.durations import show

if TYPE_CHECKING:
    from takt.prove.bus.buses import BusProof

ITERATIONS = 100_000  # jobs that are followed at most
NONE = 2**64 - 1


class Node(Protocol):
    """What counts of a takt.prove.proof.Proved."""

    @property
    def system(self) -> System: ...
    @property
    def choice(self) -> Any: ...
    @property
    def within_ns(self) -> Mapping[str, int | None]: ...
    @property
    def queues(self) -> Sequence[Queue]: ...
    @property
    def bands(self) -> Sequence[Band]: ...
    @property
    def anew(self) -> set[str]: ...


@dataclass(frozen=True)
class Known:
    """What is proved of tasks and messages. `nodes`: by name; "" of a system alone; None: tasks are not proved.
    `messages_ns`: bounds by bus and name. `drift_ppm`: of each bus."""

    nodes: Mapping[str, Node] | None
    messages_ns: Mapping[tuple[str, str], int | None]
    drift_ppm: Mapping[str, int]
    library: ctypes.CDLL  # of the analysis

    def response_ns(self, step: Step) -> int | None:
        """Of a message from the release of its sender's job."""
        if isinstance(step.what, Message):
            return self.messages_ns.get((step.what.bus, step.what.name))
        return self.of(step).within_ns.get(step.what.name)

    def of(self, step: Step) -> Node:
        """Of a task."""
        assert self.nodes is not None
        return self.nodes[step.node]

    def clock(self, step: Step) -> int:
        """Of a task, its node's number, > 0."""
        return list(self.nodes or ()).index(step.node) + 1

    def fixed_level(self, step: Step) -> int | None:
        """Of a task, its place in the order of priorities, if they are fixed."""
        groups = [(band.kind, group) for band in self.of(step).bands for group in band.groups]
        level = next((level for level, (_, group) in enumerate(groups) if step.what.name in group), None)
        return level if level is not None and groups[level][0] == "fixed" else None


def known(nodes: Mapping[str, Node], buses: Iterable[BusProof], library: ctypes.CDLL) -> Known:
    """`buses`: that join the nodes."""
    if not all(one.choice.proved for one in nodes.values()):
        return Known(None, {}, {}, library)
    messages_ns: dict[tuple[str, str], int | None] = {}
    drift_ppm = {}
    for proof in buses:
        drift_ppm[proof.bus.name] = proof.bus.drift_ppm
        messages_ns |= {(proof.bus.name, one.declared.name): one.response_ns for one in proof.sent if one.declared}
    return Known(nodes, messages_ns, drift_ppm, library)


@dataclass(frozen=True)
class Bounded:
    """A section, and the bound on its response. `ahead`, `clock`: see takt_analysis_chain_step."""

    section: Section
    response_ns: int
    offset_ns: int
    jitter_ns: int
    clock: int
    ahead: bool

    @property
    def known(self) -> bool:
        """Whether its arrivals are."""
        return self.clock > 0

    @property
    def waits_ns(self) -> int:
        """Its share of the reaction, where its times are not known: less if it goes ahead of the next."""
        return self.section.period_ns + (self.jitter_ns if self.ahead else self.response_ns)

    def step(self, period_ns: int) -> ChainStep:
        return ChainStep(period_ns, self.offset_ns, self.response_ns, self.jitter_ns, self.clock, self.ahead)


@dataclass(frozen=True)
class ChainProof:
    """`chain`: with its path as the network has it. `why`: nothing bounds it; "" : it is bounded. `age_ns` None: also
    where the cause releases the first step. `drift_ppm`: by how much each clock may be wrong."""

    chain: Chain
    drift_ppm: int
    bounded: tuple[Bounded, ...]
    reaction_ns: int | None
    age_ns: int | None
    why: str = ""

    @property
    def verdict(self) -> Verdict:
        if self.why:
            return Verdict.UNDECIDED
        return Verdict.INFEASIBLE if self.exceeded else Verdict.FEASIBLE

    @property
    def exceeded(self) -> list[tuple[str, int, int]]:
        """What it is, its bound and its limit."""
        chain = self.chain
        both = (("reaction", self.reaction_ns, chain.reaction_ns), ("age", self.age_ns, chain.age_ns))
        return [(name, bound, limit) for name, bound, limit in both if bound and limit is not None and bound > limit]

    def reason(self) -> str:
        """Of a refutation or what is undecided: a part of a sentence."""
        if self.why:
            return f"chain {self.chain.name} has no bound: {self.why}"
        largest = max(self.bounded, key=lambda one: one.waits_ns)
        parts = " + ".join(f"{show(one.waits_ns)} of {one.section.names}" for one in self.bounded)
        known = ", less as their offsets are known" if any(one.known for one in self.bounded) else ""
        found = [f"{name} of up to {show(bound)} > {show(limit)}" for name, bound, limit in self.exceeded]
        shares = f"a reaction is {parts}{known}; the largest share has {largest.section.names}"
        return f"chain {self.chain.name} has {' and '.join(found)} ({shares})"

    def as_json(self) -> dict[str, Any]:
        """A chain of `takt check --json` (docs/json.md)."""
        return {
            "name": self.chain.name,
            "path": list(self.chain.path),
            "reaction_ns": self.reaction_ns,
            "reaction_limit_ns": self.chain.reaction_ns,
            "age_ns": self.age_ns,
            "age_limit_ns": self.chain.age_ns,
            "feasible": self.verdict is Verdict.FEASIBLE,
            "reason": None if self.verdict is Verdict.FEASIBLE else self.reason(),
            "steps": [
                {
                    "names": [step.name for step in one.section.steps],
                    "node": one.section.steps[0].node or None,
                    "period_ns": one.section.period_ns or None,
                    "response_ns": one.response_ns,
                    "offset_ns": one.offset_ns if one.known else None,
                    "ahead": one.ahead,
                }
                for one in self.bounded
            ],
        }


def prove(known: Known, steps: Steps, chain: Chain) -> ChainProof:
    """`chain`: one that was checked, whose path has names of `steps`."""
    found = sections(steps, chain)
    messages = [step.what for section in found for step in section.steps if isinstance(step.what, Message)]
    drift_ppm = max((known.drift_ppm.get(one.bus, 0) for one in messages), default=0)
    proof = ChainProof(replace(chain, path=tuple(steps[name].name for name in chain.path)), drift_ppm, (), None, None)
    if known.nodes is None:
        return replace(proof, why="nothing is proved: the tasks are not")
    bounded: list[Bounded] = []
    for index, section in enumerate(found):
        why = _unbounded(known, section)
        if why:
            return replace(proof, bounded=tuple(bounded), why=why)
        after = found[index + 1].steps[0] if index + 1 < len(found) else None
        bounded.append(_bounded(known, section, after))
    return bound(known.library, replace(proof, bounded=tuple(bounded)))


def bound(library: ctypes.CDLL, proof: ChainProof, periods: Mapping[int, int] | None = None) -> ChainProof:
    """Anew, from its sections. `periods`: instead of theirs, by their number."""
    rows = [one.step((periods or {}).get(index, one.section.period_ns)) for index, one in enumerate(proof.bounded)]
    answer = ChainBounds()
    status = library.takt_analysis_chain(
        (ChainStep * len(rows))(*rows), ctypes.c_size_t(len(rows)), ctypes.c_uint32(ITERATIONS), ctypes.byref(answer)
    )
    if status != Status.OK:
        return replace(proof, reaction_ns=None, age_ns=None, why=f"its times exceed {show(TIME_MAX_NS)}")
    reaction_ns, age_ns = (
        None if ns == NONE else -(-ns * PPM // (PPM - proof.drift_ppm)) for ns in (answer.reaction_ns, answer.age_ns)
    )
    return replace(proof, reaction_ns=reaction_ns, age_ns=age_ns)


def _unbounded(known: Known, section: Section) -> str:
    for index, step in enumerate(section.steps):
        if known.response_ns(step) is None:
            return f"nothing bounds the response of {step.name}"
        if index and isinstance(step.what, Task):
            kind, item = trigger_of(step)
            queues = known.of(step).queues
            queue = next((one for one in queues if item and (one.kind, one.name) == (kind, item.name)), None)
            if queue is not None and not queue.proved:
                return f"how many {queue.unit} wait in {queue.name} is not proved"
    return ""


def _bounded(known: Known, section: Section, after: Step | None) -> Bounded:
    first, total_ns, before_ns = section.steps[0], 0, 0
    for step in section.steps:
        response_ns = known.response_ns(step) or 0
        if isinstance(step.what, Message):
            total_ns = before_ns + response_ns
        else:
            fixed = step is not first and known.fixed_level(step) is not None
            before_ns = total_ns - (step.what.jitter_ns if fixed else 0)
            total_ns = before_ns + response_ns
    task = first.what if isinstance(first.what, Task) and first.what.period_ns is not None else None
    alone = task if len(section.steps) == 1 else None
    at = task is not None and task.period_ns == section.period_ns and _arrives(known.of(first), task)
    ahead = alone is not None and after is not None and _goes_ahead(known, first, after)
    return Bounded(
        section,
        total_ns,
        (task.offset_ns or 0) if task is not None and at else 0,
        alone.jitter_ns if alone is not None else 0,
        known.clock(first) if at else 0,
        ahead,
    )


def _arrives(on: Node, task: Task) -> bool:
    """Whether the proof may use its offset."""
    return on.system.offsets and task.period_ns is not None and task.name not in on.anew


def _goes_ahead(known: Known, step: Step, after: Step) -> bool:
    """Whether no job of `after` begins while one of `step` is released and not complete: by fixed priority, where
    nothing makes a job of `step` wait. Tasks with no message between them are on one node."""
    task, other = step.what, after.what
    if not isinstance(task, Task) or not isinstance(other, Task):
        return False
    on = known.of(step)
    levels = known.fixed_level(step), known.fixed_level(after)
    if on.choice.cooperative or on.system.of(Mutex) or on.system.protection or levels[0] is None or levels[1] is None:
        return False
    free = task.suspension_ns == 0 and task.on_budget in ("none", "notify")
    return free and levels[0] < levels[1]
