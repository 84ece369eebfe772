# SPDX-License-Identifier: Apache-2.0
"""Tasks that a received message releases: what they declare has to allow for how unevenly it arrives.

A message with the period T, whose bound is R and whose frame takes C at least, arrives with a jitter of at most R - C.
The kernel releases the task no sooner than `min_interarrival` (m) after its last release, so a release is at most
J - (T - m) later than its arrival, if m is at most T: as of the n messages of a burst the last n - 1 come T apart. With
`drift` T is that of a fast clock, and the system's own clock is slow where it makes m longer, and fast where it counts
the delay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from takt.can import lengths
from takt.can.check import PPM
from takt.declare.schema.model import System, Task
from takt.support.durations import show

if TYPE_CHECKING:
    from takt.prove.bus.buses import BusProof, Sent


def refutations(system: System, proofs: Sequence[BusProof]) -> Iterator[tuple[str, str, str]]:
    """Tasks that declare too little: the task, a sentence, and the value that is enough."""
    found = {f"message {one.declared.name}": (one, proof) for proof in proofs for one in proof.sent if one.declared}
    for task in system.tasks:
        if task.trigger in found:
            yield from _of(task, *found[task.trigger])


def _of(task: Task, one: Sent, proof: BusProof) -> Iterator[tuple[str, str, str]]:
    declared_ns, apart_ns = one.frame.period_ns, task.min_interarrival_ns
    if one.response_ns is None or declared_ns is None or apart_ns is None:
        return
    question = proof.traffic.question
    period_ns = question.by_fast(declared_ns)
    if question.by_slow(apart_ns) > period_ns:
        counted_ns = period_ns * (PPM - question.drift_ppm) // PPM
        problem = f"{task.trigger} releases {task.name} every {show(counted_ns)}, more often than its min_interarrival"
        yield (
            task.name,
            f"{problem} of {show(apart_ns)}",
            f'[[task]] "{task.name}": min_interarrival = "{show(counted_ns)}"',
        )
        return
    jitter_ns = one.response_ns - lengths.unstuffed(one.frame, question.rate, question.fd).ns + 1  # that is rounded up
    late_ns = question.by_slow(max(0, jitter_ns - (period_ns - question.by_slow(apart_ns))))
    if late_ns > task.jitter_ns:
        problem = f"{task.trigger} comes up to {show(jitter_ns)} unevenly, so {task.name} is released up to"
        problem += f" {show(late_ns)} late by its min_interarrival of {show(apart_ns)}, and its jitter is"
        yield task.name, f"{problem} {show(task.jitter_ns)}", f'[[task]] "{task.name}": jitter = "{show(late_ns)}"'
    waiting = late_ns // apart_ns + 1
    if late_ns and waiting > task.pending_max:
        problem = f"up to {waiting} releases of {task.name} by {task.trigger} wait, more than its pending_max"
        yield task.name, f"{problem} of {task.pending_max}", f'[[task]] "{task.name}": pending_max = {waiting}'
