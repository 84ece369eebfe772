# SPDX-License-Identifier: Apache-2.0
"""The bound on the messages in an object that releases a task: the arrivals of its declared senders against its drain.

A sender s sends at most n messages in each job, between the arrival of that job and its completion. Arrivals are T_s
apart, and a job is complete R_s after its arrival (its response bound, or its deadline where that is not known). So in
any span of length d, both ends included, at most n * (floor((d + R_s) / T_s) + 1) messages come, with `burst` for the 1
where that is declared: alpha(d) is the sum over the senders. An interrupt is handled within R_s of its request, and an
alarm within R_s of its expiry, by an iteration over all that is above the bands.

Each stored message releases a job of the task: at once, or at most T after the release before it, which the kernel
enforces (after a burst it is exactly T). A job is complete R after that release, and has received one message. Let the
message j find no earlier release waiting. Then of the messages from j on, in a span d that begins with j,
max(0, floor((d - R) / T) + 1) have been received, so that at most

    max over d >= 0 of alpha(d) - max(0, floor((d - R) / T) + 1)

are in the queue (a supremum of min-plus calculus: backlog = arrival curve against service curve). Simultaneous events
are taken in the worse order: received is what is complete before the end of the span. alpha changes at the times
k T_s - R_s, which are tried in order until the difference cannot grow any more: it is at most

    sum of n * ((d + R_s) / T_s + 1), less (d - R) / T

which falls when messages come more slowly than 1 / T. If they come faster there is no bound.

A job of a task that a pipe releases reads until the pipe is empty, so releases that are lost do no harm: a byte is read
within T + R, where the write left enough for a release. At most the bytes that come in such a span are in it, and one
less than `trigger_bytes` before.

A post of a semaphore stores nothing: it is a release, at once or later, and waits until its job is complete.

Flags that are satisfied release nothing until the job has cleared them: no more than one release waits.

Releases that wait: of a task whose jobs are complete before the next may be released (R <= T), the releases that are
later than their arrival, alpha(d) - 1 - max(0, floor((d - L) / T)) at most, where the timer's interrupt comes up to L
late; otherwise no more than there are messages.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

from takt.declare import processes, services
from takt.declare.schema.model import Interrupt, Overheads, System, Task, arrivals
from takt.declare.schema.service import Service
from takt.declare.service_kinds import senders
from takt.declare.service_kinds.alarm import Alarm
from takt.support.durations import show

STEPS = 20_000  # of alpha that are tried; after them the bound is that of the line above it, which is no less


@dataclass(frozen=True)
class Source:
    """Messages of one sender: `messages` in each job, of jobs `period_ns` apart that end `within_ns` of arrival, but
    `burst` of which may come at once."""

    messages: int
    period_ns: int
    within_ns: int
    burst: int = 1

    def most(self, span_ns: int) -> int:
        """In any span of that length, both ends included."""
        return self.messages * arrivals(span_ns + self.within_ns, self.period_ns, self.burst)


@dataclass(frozen=True)
class Queue:
    """An object that releases a task, and the bounds on what waits in it.

    `unit`: "messages", "bytes", "posts", or of flags "releases". `capacity`: of those; None: no limit of its own.
    `messages`, `pending`: at most so many are in it, so many releases wait; None: `why` says for what reason that is
    not known. `endless`: they come faster than they are received, on average `apart_ns` apart.
    """

    kind: str
    name: str
    task: str
    capacity: int | None
    pending_max: int
    messages: int | None = None
    pending: int | None = None
    why: str = ""
    endless: bool = False
    apart_ns: int | None = None  # endless: how far apart they come, on average
    unit: str = "messages"

    @property
    def proved(self) -> bool:
        return self.messages is not None

    def refutations(self) -> list[tuple[str, str]]:
        """What is too small, in a sentence, and the value that is enough."""
        if self.endless:
            value = f'min_interarrival = "{show(self.apart_ns)}" of {self.task}' if self.apart_ns else ""
            return [(f"{self.kind} {self.name}: {self.why}", value)]
        found = []
        if self.messages is not None and self.capacity is not None and self.messages > self.capacity:
            problem = f"{self.kind} {self.name}: up to {self.messages} {self.unit} wait, and its capacity is"
            found.append((f"{problem} {self.capacity}", f"capacity = {self.messages}"))
        if self.pending is not None and self.pending > self.pending_max:
            problem = f"{self.kind} {self.name}: up to {self.pending} releases of {self.task} wait, and its pending_max"
            found.append((f"{problem} is {self.pending_max}", f"pending_max = {self.pending}"))
        return found

    def line(self) -> str:
        """In plain words, for the terminal."""
        head = f"{self.kind} {self.name}: releases {self.task}; "
        if not self.proved:
            return f"{head}{self.why}" if self.endless else f"{head}how many {self.unit} wait is not proved: {self.why}"
        if self.unit == "releases":
            return f"{head}a set releases nothing until its flags are cleared, so at most one release waits"
        of = "" if self.capacity is None else f" of {self.capacity}"
        releases = "" if self.pending is None else f", and {self.pending} of {self.pending_max} releases"
        wait = f"{self.unit[:-1]} waits" if self.messages == 1 and not of else f"{self.unit} wait"
        return f"{head}at most {self.messages}{of} {wait}{releases}"

    def as_json(self) -> dict[str, Any]:
        """An element of `queues` of `takt check --json` (docs/json.md)."""
        return {
            "kind": self.kind,
            "name": self.name,
            "task": self.task,
            "unit": self.unit,
            "capacity": self.capacity,
            "messages": self.messages,
            "pending_max": self.pending_max,
            "pending": self.pending,
            "enough": None if not self.proved and not self.endless else not self.refutations(),
            "reason": self.why or None,
        }


def queues(
    system: System, responses_ns: Mapping[str, int | None] | None, overheads: Overheads | None
) -> tuple[Queue, ...]:
    """Every object with messages that releases a task. `responses_ns`: bounds, arrival to completion; None: deadlines
    are not proved."""
    return tuple(
        _queue(system, service, item, task, responses_ns, overheads)
        for service, _, item in services.objects(system)
        if (service.queued and not (service.counted and not item.senders)) or service.drained or service.coalesced
        for task in system.tasks
        if task.trigger == f"{service.kind} {item.name}"
    )


def _queue(
    system: System,
    service: Service,
    item: Any,
    task: Task,
    responses_ns: Mapping[str, int | None] | None,
    overheads: Overheads | None,
) -> Queue:
    unit = "bytes" if service.drained else "releases" if service.coalesced else "messages"
    unit = "posts" if service.counted else unit
    capacity = getattr(item, "capacity", None)
    found = Queue(service.kind, item.name, task.name, capacity, max(task.pending_max, 1), unit=unit)
    if service.coalesced:
        return replace(found, messages=1, pending=1)
    why = _unknown(system, item, responses_ns)
    if why or responses_ns is None:
        return replace(found, why=why)
    late_ns = above_ns(system, overheads)
    known = senders.actors(system)
    sources = [_source(known[one.task], one.messages, responses_ns, late_ns) for one in item.senders]
    apart_ns = task.min_interarrival_ns or 1
    within_ns = _within_ns(task, responses_ns)
    if service.drained:
        came = sum(one.most(apart_ns + within_ns) for one in sources)
        return replace(found, messages=came + (item.trigger_bytes or 1) - 1)
    rate = sum((Fraction(one.messages, one.period_ns) for one in sources), Fraction(0))
    if rate > Fraction(1, apart_ns):
        each = show(int(1 / rate)) if rate else ""
        why = f"{unit} come faster than {task.name} receives them: its min_interarrival is {show(apart_ns)}"
        return replace(found, why=f"{why}, and they come {each} apart on average", endless=True, apart_ns=int(1 / rate))
    messages = backlog(sources, apart_ns, within_ns)
    behind = within_ns > apart_ns or task.burst > 1  # a release may come behind a job that is in time
    pending = messages if behind else min(messages, backlog(sources, apart_ns, late_ns, ahead=1) - 1)
    if service.calls_wait:  # each sender waits until its call is served
        messages = min(messages, len(sources))
    return replace(found, messages=messages, pending=pending)


def _unknown(system: System, item: Any, responses_ns: Mapping[str, int | None] | None) -> str:
    """Why there is no bound; empty: there is one."""
    if not item.senders:
        return "no senders are declared"
    if responses_ns is None:
        return "its tasks are not proved"
    names = {one.task for one in item.senders}
    receiver = [task.name for task in system.tasks if (task.trigger or "").endswith(f" {item.name}")]
    for name in (*receiver, *names):
        server = system.server_of(name)
        if server is not None and responses_ns.get(name) is None:
            return f"nothing bounds the responses of {name}, which {server.name} serves"
    for process in system.processes:
        mine = next((name for name in receiver if name in process.tasks), None)
        if mine is not None and process in system.managed:
            return f'{mine} receives nothing while calls have stopped its process "{process.name}"'
    for process in system.processes if system.protection else ():
        right = processes.rights(system, process).get(item.name, 0)
        if right & processes.GIVE and names.isdisjoint(process.tasks):
            return f'process "{process.name}" may send too, and no task of it is among the senders'
    return ""


def _source(
    actor: Task | Interrupt | Alarm, messages: int, responses_ns: Mapping[str, int | None], late_ns: int | None
) -> Source:
    if isinstance(actor, Interrupt | Alarm):
        apart_ns = actor.min_interarrival_ns if isinstance(actor, Interrupt) else actor.separation_ns
        return Source(messages, apart_ns, apart_ns if late_ns is None else min(late_ns, apart_ns))
    return Source(messages, actor.separation_ns or 1, _within_ns(actor, responses_ns), actor.burst)


def _within_ns(task: Task, responses_ns: Mapping[str, int | None]) -> int:
    bound = responses_ns.get(task.name)
    return (task.deadline_ns or 0) if bound is None else bound


def backlog(sources: list[Source], apart_ns: int, within_ns: int | None, ahead: int = 0) -> int:
    """The most by which arrivals exceed what was received in a span; `ahead`: received before the rest, at its begin,
    so that of a span d the rest is max(0, floor((d - within) / apart)). `within_ns` None: not known, as long as apart.

    The sources are together no faster than one in `apart_ns`."""
    within_ns = apart_ns if within_ns is None else within_ns

    def received(span_ns: int) -> int:
        past_ns = span_ns - within_ns - 1
        return max(0, past_ns // apart_ns + 1 - ahead) if past_ns >= 0 else 0

    def excess(span_ns: int) -> int:
        return sum(one.most(span_ns) for one in sources) - received(span_ns)

    def line(span_ns: int) -> Fraction:
        """No less than the excess of this and all longer spans."""
        came = sum(
            (one.messages * (Fraction(span_ns + one.within_ns, one.period_ns) + one.burst) for one in sources),
            Fraction(0),
        )
        return came - Fraction(span_ns - within_ns - 1, apart_ns) + ahead

    best = excess(0)
    steps = [(one.period_ns - one.within_ns % one.period_ns, one.period_ns) for one in sources]
    heapq.heapify(steps)
    equal = sum((Fraction(one.messages, one.period_ns) for one in sources), Fraction(0)) == Fraction(1, apart_ns)
    horizon_ns = within_ns + apart_ns + 2 * lcm(apart_ns, *(one.period_ns for one in sources))
    for _ in range(STEPS):
        span_ns, period_ns = steps[0]
        if int(line(span_ns)) <= best or (equal and span_ns > horizon_ns):
            return best
        best = max(best, excess(span_ns))
        heapq.heapreplace(steps, (span_ns + period_ns, period_ns))
    return max(best, int(line(steps[0][0])))


def above_ns(system: System, overheads: Overheads | None) -> int | None:
    """How late an interrupt may be handled, the timer's included: a locked section, and all that is above the bands.
    None: no bound was found."""
    load = list(services.timer_load(system, overheads))
    locked_ns = services.locked_ns(system)
    for item in system.interrupts:
        measured_ns = processes.line_ns(system, overheads, item)
        extra_ns = overheads.interrupt_ns if overheads is not None and item.kernel else 0
        load.append((item.wcet_ns + extra_ns if measured_ns is None else measured_ns, item.min_interarrival_ns))
    if overheads is not None:
        locked_ns += overheads.lock_ns
        each_ns = max(overheads.release_ns.values(), default=0) + overheads.timer_ns
        load += [(each_ns * (1 + task.waits), task.separation_ns) for task in system.tasks if task.separation_ns]
    late_ns = locked_ns
    for _ in range(STEPS):
        longer_ns = locked_ns + sum((late_ns // apart_ns + 1) * each_ns for each_ns, apart_ns in load)
        if longer_ns == late_ns:
            return late_ns
        late_ns = longer_ns
        if late_ns > 10**10:
            return None
    return None
