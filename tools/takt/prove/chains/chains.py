# SPDX-License-Identifier: Apache-2.0
"""Whether the chains of a system keep to their limits, once its tasks and buses are known.

A chain is cut into sections: the first step of each samples (or is released by the cause), and each other one is
triggered by the step before it. Sections are the steps of `takt_analysis_chain` (takt/analysis_chain.h, with its
definitions and papers). The response of a section is the sum of those of its tasks; the bound of a message counts from
the release of its sender's job, so that it takes the index of the sender's.

The sum covers what the kernel defers: let the first step's arrivals be a(k), at least T apart, and its jobs complete by
a(k) + R. A triggered task that is released no sooner than m <= T after its last release is released by a(k) + R too,
as the release k is that of an earlier j by a(j) + R and (k - j) * m more at most, and a(j) + (k - j) * T <= a(k).
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from takt.declare.chains.read import Section, sections, trigger_of
from takt.declare.queues import Queue
from takt.declare.schema.model import Band, Chain, Message, System, Task, Verdict
from takt.declare.service_kinds.mutex import Mutex
from takt.support.c.analysis import TIME_MAX_NS, ChainBounds, ChainStep, Status
from takt.support.durations import show

ITERATIONS = 100_000  # jobs that are followed at most
NONE = 2**64 - 1


@dataclass(frozen=True)
class Known:
    """What is proved of tasks and messages. `responses_ns`: None: the tasks are not known. `cooperative`: no job is
    preempted. `anew`: tasks that may be started anew while the system runs."""

    system: System
    responses_ns: Mapping[str, int | None] | None
    queues: Sequence[Queue]
    bands: Sequence[Band]
    cooperative: bool
    anew: set[str]
    library: ctypes.CDLL  # of the analysis


@dataclass(frozen=True)
class Bounded:
    """A section, and the bound on its response. `ahead`, `known`: see takt_analysis_chain_step and its `clock`."""

    section: Section
    response_ns: int
    offset_ns: int
    jitter_ns: int
    known: bool
    ahead: bool

    @property
    def waits_ns(self) -> int:
        """Its share of the reaction, where its times are not known: less if it goes ahead of the next."""
        return self.section.period_ns + (self.jitter_ns if self.ahead else self.response_ns)

    def step(self, period_ns: int) -> ChainStep:
        return ChainStep(
            period_ns, self.offset_ns, self.response_ns, self.jitter_ns, 1 if self.known else 0, self.ahead
        )


@dataclass(frozen=True)
class ChainProof:
    """`why`: nothing bounds it; "" : it is bounded. `age_ns` None: also where the cause releases the first step."""

    chain: Chain
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
                    "period_ns": one.section.period_ns or None,
                    "response_ns": one.response_ns,
                    "offset_ns": one.offset_ns if one.known else None,
                    "ahead": one.ahead,
                }
                for one in self.bounded
            ],
        }


def chains(known: Known) -> tuple[ChainProof, ...]:
    return tuple(_of(known, chain) for chain in known.system.chains)


def _of(known: Known, chain: Chain) -> ChainProof:
    responses = known.responses_ns
    if responses is None:
        return ChainProof(chain, (), None, None, "nothing is proved: the tasks are not")
    bounded: list[Bounded] = []
    found = sections(known.system, chain)
    for index, section in enumerate(found):
        why = _unbounded(known, section, responses)
        if why:
            return ChainProof(chain, tuple(bounded), None, None, why)
        after = found[index + 1].steps[0] if index + 1 < len(found) else None
        bounded.append(_bounded(known, section, responses, after))
    return bound(known.library, chain, bounded)


def bound(
    library: ctypes.CDLL, chain: Chain, bounded: Sequence[Bounded], periods: Mapping[int, int] | None = None
) -> ChainProof:
    """`periods`: instead of those of sections, by their number."""
    rows = [one.step((periods or {}).get(index, one.section.period_ns)) for index, one in enumerate(bounded)]
    answer = ChainBounds()
    status = library.takt_analysis_chain(
        (ChainStep * len(rows))(*rows), ctypes.c_size_t(len(rows)), ctypes.c_uint32(ITERATIONS), ctypes.byref(answer)
    )
    if status != Status.OK:
        return ChainProof(chain, tuple(bounded), None, None, f"its times exceed {show(TIME_MAX_NS)}")
    return ChainProof(chain, tuple(bounded), answer.reaction_ns, None if answer.age_ns == NONE else answer.age_ns)


def _unbounded(known: Known, section: Section, responses: Mapping[str, int | None]) -> str:
    for index, step in enumerate(section.steps):
        if responses.get(step.name) is None:
            return f"nothing bounds the response of {step.name}"
        if index and isinstance(step, Task):
            kind, item = trigger_of(known.system, step)
            queue = next((one for one in known.queues if item and (one.kind, one.name) == (kind, item.name)), None)
            if queue is not None and not queue.proved:
                return f"how many {queue.unit} wait in {queue.name} is not proved"
    return ""


def _bounded(known: Known, section: Section, responses: Mapping[str, int | None], after: Any) -> Bounded:
    first, total_ns, before_ns = section.steps[0], 0, 0
    for step in section.steps:
        response_ns = responses[step.name] or 0
        if isinstance(step, Message):
            total_ns = before_ns + response_ns
        else:
            before_ns, total_ns = total_ns, total_ns + response_ns
    alone = first if len(section.steps) == 1 and isinstance(first, Task) and first.period_ns is not None else None
    at = isinstance(first, Task) and first.period_ns == section.period_ns and _arrives(known, first)
    ahead = alone is not None and isinstance(after, Task) and _goes_ahead(known, alone, after)
    offset_ns = (first.offset_ns or 0) if at and isinstance(first, Task) else 0
    return Bounded(section, total_ns, offset_ns, alone.jitter_ns if alone else 0, at, ahead)


def _arrives(known: Known, task: Task) -> bool:
    """Whether the proof may use its offset."""
    return known.system.offsets and task.period_ns is not None and task.name not in known.anew


def _goes_ahead(known: Known, task: Task, after: Task) -> bool:
    """Whether no job of `after` begins while one of `task` is released and not complete: by fixed priority, where
    nothing makes a job of `task` wait."""
    system, level = known.system, {}
    if known.cooperative or system.of(Mutex) or system.protection:
        return False
    for name in (task.name, after.name):
        groups = [(band.kind, group) for band in known.bands for group in band.groups]
        number = next((number for number, (_, group) in enumerate(groups) if name in group), None)
        if number is None or groups[number][0] != "fixed":
            return False
        level[name] = number
    free = task.suspension_ns == 0 and task.on_budget in ("none", "notify")
    return free and level[task.name] < level[after.name]
