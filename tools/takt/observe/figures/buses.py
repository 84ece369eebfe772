# SPDX-License-Identifier: Apache-2.0
"""Messages on CAN buses that a system drives: what a run saw of them, beside what was proved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from takt.prove.proof import Proved
from takt.support.c.traces import Event
from takt.support.durations import show


@dataclass(frozen=True)
class MessageFigures:
    """One [[message]]. `response_ns_max`: of a sent one, to the end of its frame and intermission; None: received, or
    none was. `bound_ns`: None: nothing is proved. `interface`: of the machine, where nodes and Linux itself are not
    held to the proof: what is observed there is shown beside the bound, and is no breach of it. `late_ns`: when one was
    known first to be above its bound, or lost. `beyond`: why that does not count, since more was injected than the
    proof counts with."""

    name: str
    bus: str
    sent: bool
    count: int
    lost: int
    response_ns_max: int | None
    bound_ns: int | None
    interface: str | None = None
    forwards: str | None = None
    late_ns: int | None = None
    beyond: str | None = None

    @property
    def is_above(self) -> bool:
        """Whether one took longer than its bound."""
        return self.response_ns_max is not None and self.bound_ns is not None and self.response_ns_max > self.bound_ns

    def breaches(self) -> Iterator[str]:
        """Where it left what was proved."""
        what = "sent" if self.sent else "received"
        if self.beyond is not None:
            return
        if self.is_above and self.interface is None and self.response_ns_max and self.bound_ns is not None:
            yield f"message {self.name} took {show(self.response_ns_max)}, its bound is {show(self.bound_ns)}"
        if self.lost:
            many = f"{self.lost} messages {self.name} were" if self.lost > 1 else f"a message {self.name} was"
            more = "the task queued" if self.forwards is None else f"of {self.forwards} came"
            why = f"{more} more than declared, or the bus was off" if self.sent else "its queue was full"
            if self.interface is not None and self.sent:
                why = f"{more} more than declared, or {self.interface} did not send them"
            yield f"{many} not {what}: {why}"

    def line(self) -> str:
        """What was seen, beside the bound."""
        lost = f", {self.lost} lost" if self.lost else ""
        beyond = "" if self.beyond is None else f"; not judged: {self.beyond}"
        where = self.bus if self.interface is None else f"{self.bus} ({self.interface})"
        if not self.sent:
            return f"message {self.name} on {where}: {self.count} received{lost}{beyond}"
        times = ""
        if self.response_ns_max is not None:
            bound = "no bound" if self.bound_ns is None else f"bound {show(self.bound_ns)}"
            if self.interface is not None and self.bound_ns is not None:
                bound += f"; {'above it, ' if self.is_above else ''}not judged: {self.interface} is outside the proof"
            times = f", the longest took {show(self.response_ns_max)} ({bound})"
        return f"message {self.name} on {where}: {self.count} sent{lost}{times}{beyond}"

    def as_json(self) -> dict[str, Any]:
        """An element of `messages` of `takt run --json` (docs/json.md)."""
        return {
            "name": self.name,
            "bus": self.bus,
            "sent": self.sent,
            "count": self.count,
            "lost": self.lost,
            "response_ns_max": self.response_ns_max,
            "bound_ns": self.bound_ns,
            "interface": self.interface,
            "late_ns": self.late_ns,
            "beyond": self.beyond,
        }


def observe(proved: Proved, totals: Mapping[tuple[Event, int], int]) -> tuple[MessageFigures, ...]:
    """By the figures at the end of a run, in the order of the tables."""
    bounds = {one.frame.name: one.response_ns for proof in proved.buses for one in proof.sent if one.declared}
    outside = {bus.name: bus.interface for bus in proved.system.buses}
    found = []
    for index, one in enumerate(proved.system.messages):
        count = totals.get((Event.STAT_MESSAGES, index))
        if count is None:
            continue
        sent = one.is_sent
        response_ns = totals.get((Event.STAT_MESSAGE_RESPONSE, index), 0)
        found.append(
            MessageFigures(
                forwards=one.forwards,
                name=one.name,
                bus=one.bus,
                sent=sent,
                count=count,
                lost=totals.get((Event.STAT_MESSAGES_LOST, index), 0),
                response_ns_max=response_ns if sent and count else None,
                bound_ns=bounds.get(one.name) if sent else None,
                interface=outside.get(one.bus),
                late_ns=totals.get((Event.STAT_MESSAGE_LATE, index)) or None,
            )
        )
    return tuple(found)
