# SPDX-License-Identifier: Apache-2.0
"""[[chain]]: reactions and ages that a run showed, beside what was proved.

Each job of the last step is followed back to the job of the first step whose input it uses, in the order of the trace.
A job that samples uses what the last job of the step before it had written when it began; as nothing in a trace tells
when a job reads and writes, it counts as reading when it begins and as writing when it is complete, so that neither
time is shorter than what the program saw. A job that is triggered uses what the job sent or posted that released it:
one for each, in their order. Times count from releases, and from when each step was released once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from takt.declare import services
from takt.declare.chains import path
from takt.declare.chains.path import trigger_of
from takt.declare.schema.model import Message, System, Task
from takt.prove.chains.chains import ChainProof
from takt.prove.proof import Proved
from takt.support.c.traces import Event
from takt.support.durations import show
from takt.trace.recording import Seen
from takt.trace.records import Entry

FOLLOWED = (Event.RELEASE, Event.RUN, Event.COMPLETE, Event.LOST, Event.STOP)
"""Events of tasks; with those of the objects that trigger steps."""


@dataclass(frozen=True)
class ChainFigures:
    """`proof`: what it is held against. `instances`: causes that were followed to their effect; None, as all is then:
    nothing was followed, and `why`. Times None: there was none."""

    proof: ChainProof
    instances: int | None = None
    reaction_ns: int | None = None
    age_ns: int | None = None
    why: str = ""

    def breaches(self) -> Iterator[str]:
        """Where it left what was proved."""
        proof = self.proof
        for what, found, bound in (
            ("a reaction", self.reaction_ns, proof.reaction_ns),
            ("an age", self.age_ns, proof.age_ns),
        ):
            if found is not None and bound is not None and found > bound:
                yield f"chain {proof.chain.name} had {what} of {show(found)}, its bound is {show(bound)}"

    def line(self) -> str:
        """What was seen, beside the bounds."""
        name, proof = self.proof.chain.name, self.proof
        if self.instances is None:
            return f"chain {name}: not followed, {self.why}"
        times = [
            f"the longest {what} was {show(found)} ({'no bound' if bound is None else f'bound {show(bound)}'})"
            for what, found, bound in (
                ("reaction", self.reaction_ns, proof.reaction_ns),
                ("age", self.age_ns, proof.age_ns),
            )
            if found is not None
        ]
        return ", ".join([f"chain {name}: {self.instances} instances", *times])

    def as_json(self) -> dict[str, Any]:
        """An element of `chains` of `takt run --json` (docs/json.md)."""
        return {
            "name": self.proof.chain.name,
            "instances": self.instances,
            "reaction_observed_ns": self.reaction_ns,
            "reaction_ns": self.proof.reaction_ns,
            "age_observed_ns": self.age_ns,
            "age_ns": self.proof.age_ns,
            "reason": self.why or None,
        }


@dataclass(eq=False)
class _Job:
    """`number`: of the jobs of the first step. `released_ns` of the first step's job that it goes back to."""

    origin: tuple[int, int] | None  # number and release
    begun: bool = False


class _Chain:
    """One chain of tasks while a trace is read. `objects`: by id, the step that each triggers."""

    def __init__(self, tasks: Sequence[int], objects: dict[int, int], caused: bool) -> None:
        self.steps = {task: step for step, task in enumerate(tasks)}
        self.objects, self.caused = objects, caused
        self.triggered = set(objects.values())
        self.current: list[_Job | None] = [None] * len(tasks)
        self.latest: list[_Job | None] = [None] * len(tasks)  # the last that is complete
        self.sent: list[deque[_Job]] = [deque() for _ in tasks]
        self.unreleased = set(range(len(tasks)))  # steps that were not released yet
        self.since_ns = 0  # when each was
        self.causes: deque[tuple[int, int]] = deque()  # number of the job that shows it first, and its time
        self.jobs = 0  # of the first step
        self.before_ns: int | None = None
        self.running = -1
        self.why = ""
        self.instances, self.reaction_ns, self.age_ns = 0, 0, 0

    def take(self, entry: Entry) -> None:
        event = entry.event
        if event is Event.RUN:
            self.running = entry.task
        step = self.steps.get(entry.task)
        if step is None or self.why:
            return
        if event is Event.RELEASE:
            self._release(step, entry)
        elif event is Event.RUN:
            self._begin(step)
        elif event is Event.COMPLETE:
            self._complete(step, entry.time_ns)
        elif event in (Event.LOST, Event.STOP) and step in self.triggered:
            self.why = "a release of a step was lost"
        elif event in (Event.SEND, Event.POST) and not entry.value and self.objects.get(entry.object) == step + 1:
            job = self.current[step]
            if job is not None:
                self.sent[step + 1].append(job)

    def _release(self, step: int, entry: Entry) -> None:
        now_ns, origin = entry.time_ns, None
        if step in self.unreleased:
            self.unreleased.discard(step)
            self.since_ns = now_ns
        if step == 0:
            origin = (self.jobs, now_ns)
            since_ns = now_ns if self.caused else self.before_ns
            if since_ns is not None and not self.unreleased:
                self.causes.append((self.jobs, max(since_ns, self.since_ns)))
            self.before_ns = now_ns
            self.jobs += 1
        elif step in self.triggered:
            if not self.sent[step]:
                self.why = "a step was released by something else"
                return
            origin = self.sent[step].popleft().origin
        self.current[step] = _Job(origin)
        if entry.task == self.running:
            self._begin(step)

    def _begin(self, step: int) -> None:
        job = self.current[step]
        if job is None or job.begun:
            return
        job.begun = True
        if step and step not in self.triggered:
            before = self.latest[step - 1]
            job.origin = before.origin if before is not None else None

    def _complete(self, step: int, now_ns: int) -> None:
        job, self.current[step] = self.current[step], None
        if job is None:
            return
        self.latest[step] = job
        if step + 1 < len(self.steps) or job.origin is None:
            return
        number, released_ns = job.origin
        if not self.unreleased and released_ns >= self.since_ns:
            self.age_ns = max(self.age_ns, now_ns - released_ns)
        while self.causes and self.causes[0][0] <= number:
            self.instances += 1
            self.reaction_ns = max(self.reaction_ns, now_ns - self.causes.popleft()[1])


class Follower:
    """Follows the chains of a system through a trace."""

    events = FOLLOWED

    def __init__(self, system: System) -> None:
        self.chains = [_chain(system, index) for index in range(len(system.chains))]

    def take(self, entry: Entry) -> None:
        """The next event."""
        for one in self.chains:
            if one is not None:
                one.take(entry)

    def figures(self, proofs: Sequence[ChainProof], whole: bool) -> tuple[ChainFigures, ...]:
        """`whole`: there was a trace, without gaps."""
        return tuple(_figures(proof, one, whole) for proof, one in zip(proofs, self.chains, strict=True))


def follower(proved: Proved) -> Follower | None:
    """None: there is no chain."""
    return Follower(proved.system) if proved.system.chains else None


def observe(proved: Proved, seen: Seen) -> tuple[ChainFigures, ...]:
    """`seen`: with a follower of `proved`, if it has chains."""
    found = seen.watched.follower
    return found.figures(proved.chains, seen.times() is not None) if isinstance(found, Follower) else ()


def _figures(proof: ChainProof, one: _Chain | None, whole: bool) -> ChainFigures:
    if one is None:
        return ChainFigures(proof, why="as messages on a bus are not in the trace")
    if not whole:
        return ChainFigures(proof, why="as there is no trace, or one with gaps")
    if one.why:
        return ChainFigures(proof, why=one.why)
    found = ChainFigures(proof, one.instances)
    return replace(found, reaction_ns=one.reaction_ns, age_ns=one.age_ns or None) if one.instances else found


def _chain(system: System, index: int) -> _Chain | None:
    """None: it has messages."""
    named, chain = path.of_system(system), system.chains[index]
    steps = [named[name] for name in chain.path]
    if any(isinstance(step.what, Message) for step in steps):
        return None
    ids = {name: number for number, name in enumerate(services.object_kinds(system))}
    order = {task.name: number for number, task in enumerate(system.tasks)}
    objects, first = {}, steps[0].what
    for number, step in enumerate(steps[1:], 1):
        _, item = trigger_of(step)
        if isinstance(step.what, Task) and step.what.period_ns is None and item is not None:
            objects[ids[item.name]] = number
    caused = isinstance(first, Task) and first.period_ns is None
    return _Chain([order[step.name] for step in steps], objects, caused)
