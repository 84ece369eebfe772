# SPDX-License-Identifier: Apache-2.0
"""What waited in the objects whose messages release tasks, from the trace of a run: held against the bound of the
proof (takt.declare.queues)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from takt.declare import processes, services
from takt.declare.queues import Queue
from takt.declare.schema.model import System
from takt.prove.proof import Proved
from takt.support.c.kernel import Status
from takt.support.c.traces import PROCESS_STARTED
from takt.trace.records import NONE, Entry, Event

_KEPT = ("messages", "posts")  # what is counted in a trace

_SERVED = (Event.COMPLETE, Event.LOST, Event.START, Event.STOP)

_BESIDE = (Event.READY, Event.KEY, Event.DEADLINE)  # between a message and the release that it causes


@dataclass(frozen=True)
class QueueFigures:
    """One such object, observed. `messages_max`: the most that waited at a time; `left`: those at the end; `refused`:
    sends that found it full, by a try, or until they timed out or were cancelled; `late`: releases that waited, for the
    minimum inter-arrival or behind a job. None: no trace, or one with gaps. `lost`: releases of its task that were
    dropped."""

    queue: Queue
    lost: int
    messages_max: int | None = None
    left: int | None = None
    refused: int | None = None
    late: int | None = None

    def breaches(self) -> Iterator[str]:
        """Where it left what was proved."""
        queue, bound = self.queue, self.queue.messages
        if bound is None or queue.refutations():
            return
        label = f"{queue.kind} {queue.name}"
        if self.messages_max is not None and self.messages_max > bound:
            yield f"{label} held {self.messages_max} {queue.unit}, its bound is {bound}"
        if self.refused:
            yield f"{label} was full for {self.refused} send{'s' if self.refused > 1 else ''}, its bound is {bound}"
        if self.lost and queue.unit != "bytes":  # the release of a byte before reads them all
            yield f"{self.lost} release{'s' if self.lost > 1 else ''} of {queue.task} by {label} were lost"

    def line(self) -> str:
        """In plain words."""
        queue = self.queue
        head = f"{queue.kind} {queue.name}, which releases {queue.task}:"
        lost = f"{self.lost} lost"
        if self.messages_max is None:
            known = queue.unit in _KEPT or self.refused is None
            full = "no trace: what waited is not known" if known else f"{self.refused} sends were refused"
            return f"{head} {lost} ({full})"
        bound = "not proved" if queue.messages is None else f"bound {queue.messages}"
        of = "" if queue.capacity is None else f" of {queue.capacity}"
        refused = "" if queue.unit == "posts" else f", {self.refused} were refused"
        waited = f"{self.messages_max}{of} {queue.unit} waited at most ({bound}){refused}"
        return f"{head} {waited}; {self.late} of its releases came later than their {queue.unit[:-1]}, {lost}"

    def as_json(self) -> dict[str, Any]:
        """An element of `queues` of `takt run --json` (docs/json.md)."""
        return {
            "kind": self.queue.kind,
            "name": self.queue.name,
            "task": self.queue.task,
            "unit": self.queue.unit,
            "capacity": self.queue.capacity,
            "bound": self.queue.messages,
            "messages_max": self.messages_max,
            "left": self.left,
            "refused": self.refused,
            "late": self.late,
            "lost": self.lost,
        }


@dataclass
class _Seen:
    """Of one object while its records are read. `waits`: tasks that wait, and whether that is to send."""

    task: int
    calls: bool  # a rendezvous: the sender waits as soon as it has sent
    posts: bool  # a semaphore: a post waits until its job is complete
    caller: int = NONE
    stored: int = 0
    most: int = 0
    refused: int = 0
    late: int = 0
    waits: dict[int, bool] = field(default_factory=dict)

    def serve(self, event: Event) -> None:
        """A post's job is complete, or its release was dropped; a task that starts has none."""
        self.stored = max(0, self.stored - 1) if event in (Event.COMPLETE, Event.LOST) else 0

    def give_up(self, late: bool) -> None:
        """A wait to send ended, `late` without the message."""
        self.refused += late
        self.stored -= late and self.calls


def observe(proved: Proved, entries: Sequence[Entry] | None, lost: Sequence[int]) -> tuple[QueueFigures, ...]:
    """`entries`: None, or a trace without gaps; `lost`: dropped releases, by task."""
    system = proved.system
    names = [task.name for task in system.tasks]
    found = [QueueFigures(queue, lost[names.index(queue.task)]) for queue in proved.queues]
    if entries is None or not found:
        return tuple(found)
    ids = {name: number for number, name in enumerate(services.object_kinds(system))}
    seen = {
        ids[one.queue.name]: _Seen(
            names.index(one.queue.task), one.queue.kind == "rendezvous", one.queue.kind == "semaphore"
        )
        for one in found
    }
    posted = {one.task: one for one in seen.values() if one.posts}
    owners = _owners(system, [one.queue.name for one in found], ids) if system.protection else {}
    for index, entry in enumerate(entries):
        if entry.event is Event.PROCESS and entry.value == PROCESS_STARTED:
            for number in owners.get(entry.object, ()):
                seen[number].stored = 0  # it is the process's own: the restart emptied it
        elif entry.event is Event.READY:
            for one in seen.values():
                sends = one.waits.pop(entry.task, False)
                one.give_up(sends and entry.value in (Status.TIMEOUT, Status.CANCELLED))
        elif entry.task in posted and entry.event in _SERVED:
            posted[entry.task].serve(entry.event)
        elif entry.object in seen and entry.event not in (Event.RELEASE, Event.INTERRUPT, Event.INTERRUPT_END):
            _see(seen[entry.object], entry, entries, index)
    figures = zip(found, (seen[ids[one.queue.name]] for one in found), strict=True)
    return tuple(
        QueueFigures(one.queue, one.lost, was.most, was.stored, was.refused, was.late)
        if one.queue.unit in _KEPT
        else QueueFigures(one.queue, one.lost, refused=was.refused)
        for one, was in figures
    )


def watched(proved: Proved) -> tuple[tuple[int, int, bool], ...]:
    """The objects that `observe` follows: their ids, the tasks that they release, and whether that is by posts."""
    system = proved.system
    ids = {name: number for number, name in enumerate(services.object_kinds(system))}
    names = [task.name for task in system.tasks]
    return tuple((ids[one.name], names.index(one.task), one.kind == "semaphore") for one in proved.queues)


def _owners(system: System, names: list[str], ids: dict[str, int]) -> dict[int, list[int]]:
    """By index of a process, the objects that it alone uses."""
    found: dict[int, list[int]] = {}
    for name in names if system.protection else ():
        owner = processes.owner(system, name)
        if owner.isdigit():
            found.setdefault(int(owner), []).append(ids[name])
    return found


def _see(one: _Seen, entry: Entry, entries: Sequence[Entry], index: int) -> None:
    receivers = any(not sends for sends in one.waits.values())
    if entry.event is Event.SEND:
        one.caller = entry.task
    if entry.event is Event.BLOCK:
        one.waits[entry.task] = entry.task == one.caller if one.calls else one.stored > 0
    elif entry.event is (Event.POST if one.posts else Event.SEND) and not receivers:
        one.stored += 1
        one.most = max(one.most, one.stored)
        one.late += _comes_late(one.task, entries, index)
    elif entry.event is Event.RECEIVE and one.waits.get(entry.task, True):
        one.stored = max(0, one.stored - 1)  # otherwise it was handed to a receiver that waited
    elif entry.event is Event.REFUSE:
        one.refused += entry.task != one.task  # what it reads from a pipe comes to an end
    elif entry.event is Event.DELETE:
        one.stored = 0


def _comes_late(task: int, entries: Sequence[Entry], index: int) -> bool:
    """Whether a stored message's release waits: neither it nor its loss is in the records that follow at once."""
    for entry in entries[index + 1 :]:
        if entry.event in _BESIDE:
            continue
        return not (entry.task == task and entry.event in (Event.RELEASE, Event.LOST, Event.OVERRUN))
    return False
