# SPDX-License-Identifier: Apache-2.0
"""The proof of a system with its state messages settled (docs/decisions/0015-state-depth.md): of just the copies that
are locked then. `takt check` uses it for a system as it is, and for one with another number in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from takt.declare.schema.model import System
from takt.declare.service_kinds import slot, state_copies
from takt.support.errors import UserError

if TYPE_CHECKING:
    from takt.prove.analysis import Proof
    from takt.prove.choose import Choice, Prover


def bounds(choice: Choice, system: System) -> state_copies.Bounds:
    """The bounds for the depths of state messages. Empty, so by deadlines: it is not proved, or tasks that are started
    at run time may make responses longer, up to the deadlines."""
    if not choice.proved or system.runtime_tasks:
        return {}
    return {task.name: task.response_ns for task in choice.proof.tasks}


def settled(prover: Prover, chosen: Callable[[Prover], Choice]) -> tuple[Prover, Choice]:
    """The system with the copies of its state messages, and the proof. `chosen`: bands, judged with their bounds.
    Slow readers of an earlier proof are not kept."""
    prover = prover.of(state_copies.hopeful(prover.system))
    if prover.system.runtime_tasks:  # by the deadlines
        prover = prover.of(state_copies.settle(prover.system, {}))
        return prover, chosen(prover)
    while True:
        choice = chosen(prover)
        if not choice.proved:
            return prover, choice
        before = state_copies.slow(prover.system)
        prover = prover.of(state_copies.settle(prover.system, bounds(choice, prover.system)))
        if state_copies.slow(prover.system) == before:
            return prover, choice


def send_within_ns(system: System, proof: Proof) -> dict[str, int | None]:
    """How long after its release a job of each task has sent its messages, in a system that is proved: by its deadline
    if tasks may be started at run time. None: nothing bounds it."""
    if system.runtime_tasks:
        return {task.name: task.deadline_ns for task in system.tasks}
    return {task.name: task.response_ns for task in proof.tasks}


def messages_hold(system: System, choice: Choice) -> bool:
    """Whether all messages on buses arrive in time, in a system that is proved."""
    if not system.buses:
        return True
    from takt.prove.bus import together

    return together.hold(system, send_within_ns(system, choice.proof), choice.proof.handled_ns)


def proves(prover: Prover, chosen: Callable[[Prover], Choice]) -> bool:
    """Whether `takt check` would call it proved; a system that it refuses is not proved, either."""
    if state_copies.unguarded(prover.system):
        return False
    try:
        prover, choice = settled(prover, chosen)
        slot.check_levels(prover.system, choice.bands)
    except UserError:
        return False
    return choice.proved and messages_hold(prover.system, choice)


def sure_copies(system: System) -> list[tuple[str, ...]] | None:
    """The slow readers of each state message if the system is proved; None: the proof decides."""
    first = state_copies.hopeful(system)
    most = state_copies.slow(state_copies.settle(first, {}))  # bounds that are proved are no longer than the deadlines
    return most if system.runtime_tasks or state_copies.slow(first) == most else None
