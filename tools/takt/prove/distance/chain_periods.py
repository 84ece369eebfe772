# SPDX-License-Identifier: Apache-2.0
"""With which period of one of its tasks a refuted chain keeps to its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from takt.declare import with_change
from takt.declare.schema.model import Message, System, Task, Verdict
from takt.prove import analysis_library as c
from takt.prove.chains.chains import ChainProof, bound
from takt.prove.proof import Proved, prove
from takt.prove.reasons.steps import LIMIT, Steps
from takt.support.durations import show

ROUNDS = 8  # proofs of the whole system for a task
TASKS = 4  # that are tried
_US = 1_000


def lines(proved: Proved, chain: ChainProof) -> Iterator[str]:
    """What would prove it, in sentences."""
    if chain.verdict is not Verdict.INFEASIBLE:
        return
    enough = " and ".join(f'{name} = "{show(ns)}"' for name, ns, _ in chain.exceeded)
    yield f"Chain {chain.chain.name} is proved with {enough}."
    found = longest(proved, chain)
    if found is not None:
        task, period_ns = found
        yield (
            f"It is proved as declared with {task.name}: period {show(period_ns)} instead of"
            f" {show(task.period_ns or 0)} (its deadline no longer)."
        )


def longest(proved: Proved, chain: ChainProof) -> tuple[Task, int] | None:
    """The task of a section with the least relative change of its period that proves the whole, and that period. A
    shorter period never makes a response shorter: from the longest with the responses as they are it gets shorter
    until a proof of the whole confirms it."""
    best: tuple[float, Task, int] | None = None
    indexes = sorted(range(len(chain.bounded)), key=lambda index: -chain.bounded[index].waits_ns)
    for index in indexes[:TASKS]:
        section = chain.bounded[index].section
        first = section.steps[0]
        sent = any(isinstance(step, Message) and step.period_ns is not None for step in section.steps)
        if not isinstance(first, Task) or first.period_ns is None or sent:
            continue
        found = _of_task(proved, chain, index, first)
        if found is not None and (best is None or found / first.period_ns > best[0]):
            best = (found / first.period_ns, first, found)
    return None if best is None else best[1:]


def _of_task(proved: Proved, chain: ChainProof, index: int, task: Task) -> int | None:
    steps = chain.bounded[index].section.steps[1:]
    least = max([_US, task.wcet_ns, *(step.min_interarrival_ns or 0 for step in steps if isinstance(step, Task))])
    now, most = chain, task.period_ns or 0
    for _ in range(ROUNDS):
        period_ns = _longest_as_is(now, index, least, most)
        if period_ns is None:
            return None
        found = prove(_with_period(proved.system, task, period_ns), proved.asked, proved.left_out, steps=Steps(LIMIT))
        if not found.choice.proved:
            return None
        if found.feasible:
            return period_ns
        now, most = next(one for one in found.chains if one.chain.name == chain.chain.name), period_ns - _US
        if now.why:
            return None
    return None


def _longest_as_is(chain: ChainProof, index: int, least: int, most: int) -> int | None:
    """In whole us, with the responses as they are; None: not even the least is short enough."""

    def holds(period_us: int) -> bool:
        return bound(c.load(), chain.chain, chain.bounded, {index: period_us * _US}).verdict is Verdict.FEASIBLE

    low, high = -(-least // _US), most // _US
    if low > high or not holds(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low * _US


def _with_period(system: System, task: Task, period_ns: int) -> System:
    def changed(old: Task) -> Task:
        deadline_ns = min(old.deadline_ns or period_ns, period_ns)
        return replace(old, period_ns=period_ns, deadline_ns=deadline_ns)

    return with_change.with_task(system, task.name, changed)
