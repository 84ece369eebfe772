# SPDX-License-Identifier: Apache-2.0
"""With which period of one of its tasks a refuted chain keeps to its limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from takt.declare import with_change
from takt.declare.chains.path import Step
from takt.declare.schema.model import Message, System, Task, Verdict
from takt.prove import analysis_library as c
from takt.prove.chains.chains import ChainProof, bound
from takt.prove.proof import Proved, prove
from takt.prove.reasons.steps import LIMIT, Steps
from takt.support.durations import show

ROUNDS = 8  # proofs of the whole for a task
TASKS = 4  # that are tried
_US = 1_000
EXPECTED = ", its messages expected so often"

Try = Callable[[Step, int], tuple[bool, ChainProof | None]]
"""Proves the whole with a period of a task: whether it holds, and the chain then; None: tasks are not proved."""


def of_system(proved: Proved, chain: ChainProof) -> Iterator[str]:
    """What would prove it, in sentences."""

    def tried(step: Step, period_ns: int) -> tuple[bool, ChainProof | None]:
        system = with_period(proved.system, step.what.name, period_ns)
        found = prove(system, proved.asked, proved.left_out, steps=Steps(LIMIT))
        return found.feasible, named(chain, found.chains) if found.choice.proved else None

    return lines(chain, tried)


def lines(chain: ChainProof, tried: Try) -> Iterator[str]:
    """What would prove it, in sentences."""
    if chain.verdict is not Verdict.INFEASIBLE:
        return
    enough = " and ".join(f'{name} = "{show(ns)}"' for name, ns, _ in chain.exceeded)
    yield f"Chain {chain.chain.name} is proved with {enough}."
    found = longest(chain, tried)
    if found is not None:
        step, period_ns = found
        assert isinstance(step.what, Task)
        yield (
            f"It is proved as declared with {step.name}: period {show(period_ns)} instead of"
            f" {show(step.what.period_ns or 0)} (its deadline no longer{EXPECTED if step.node else ''})."
        )


def named(chain: ChainProof, found: tuple[ChainProof, ...]) -> ChainProof:
    """The same chain of another proof."""
    return next(one for one in found if one.chain.name == chain.chain.name)


def longest(chain: ChainProof, tried: Try) -> tuple[Step, int] | None:
    """The task of a section with the least relative change of its period that proves the whole, and that period. A
    shorter period never makes a response shorter: from the longest with the responses as they are it gets shorter
    until a proof of the whole confirms it."""
    best: tuple[float, Step, int] | None = None
    indexes = sorted(range(len(chain.bounded)), key=lambda index: -chain.bounded[index].waits_ns)
    for index in indexes[:TASKS]:
        section = chain.bounded[index].section
        first = section.steps[0]
        sent = any(isinstance(step.what, Message) and step.what.period_ns is not None for step in section.steps)
        if not isinstance(first.what, Task) or first.what.period_ns is None or sent:
            continue
        found = _of_task(chain, index, first, tried)
        if found is not None and (best is None or found / first.what.period_ns > best[0]):
            best = (found / first.what.period_ns, first, found)
    return None if best is None else best[1:]


def _of_task(chain: ChainProof, index: int, first: Step, tried: Try) -> int | None:
    tasks = [step.what for step in chain.bounded[index].section.steps if isinstance(step.what, Task)]
    least = max([_US, tasks[0].wcet_ns, *(task.min_interarrival_ns or 0 for task in tasks[1:])])
    now, most = chain, tasks[0].period_ns or 0
    for _ in range(ROUNDS):
        period_ns = _longest_as_is(now, index, least, most)
        if period_ns is None:
            return None
        holds, found = tried(first, period_ns)
        if holds:
            return period_ns
        if found is None or found.why:
            return None
        now, most = found, period_ns - _US
    return None


def _longest_as_is(chain: ChainProof, index: int, least: int, most: int) -> int | None:
    """In whole us, with the responses as they are; None: not even the least is short enough."""

    def holds(period_us: int) -> bool:
        return bound(c.load(), chain, {index: period_us * _US}).verdict is Verdict.FEASIBLE

    low, high = -(-least // _US), most // _US
    if low > high or not holds(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low * _US


def with_period(system: System, task: str, period_ns: int) -> System:
    """A deadline that would be longer is as long."""

    def changed(old: Task) -> Task:
        deadline_ns = min(old.deadline_ns or period_ns, period_ns)
        return replace(old, period_ns=period_ns, deadline_ns=deadline_ns)

    return with_change.with_task(system, task, changed)
