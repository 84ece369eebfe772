# SPDX-License-Identifier: Apache-2.0
"""The repair of a system that is not proved feasible: the factor by which all wcets must shrink, and the smallest
change of a single number, relative to the number.

Single numbers: of each task its wcet (or enforced budget), suspension, jitter, period (a deadline equal to it follows)
and deadline, beyond the period too where the declaration takes that; of each server its budget, period and deadline;
of each interrupt its wcet, down to none, and min_interarrival (of one whose process calls the handler: a task's, except
jitter); each hold of a mutex; of each state message the copies that a reader may need and each
read; of each message on a bus its deadline.
Whether a change proves is the whole verdict of `check` under the scheduler that was asked for: rm, dm and searches
order the tasks again, and the readers of state messages that lock the kernel are found again.

A number is looked at only if changing it by less than the best so far proves; then by bisection. That finds the
smallest change where the verdict is monotone. It is not where a new period, deadline or jitter changes the order of
tasks and with it which task blocks or delays which: with mutexes or jitter, under rm with deadlines below periods, with
deadlines beyond the period, and under csdN, whose bands must all have tasks; nor where other bands or another order of
tasks make others copy locked; nor where a search is not made again for each number, but under the bands of now. There
the change that is named proves, and one step less does not, but a smaller one might.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from takt.declare import lock_order, processes, with_change
from takt.declare.schema.model import Interrupt, Message, Server, System, Task
from takt.declare.service_kinds import state_copies
from takt.declare.service_kinds.alarm import Alarm
from takt.declare.service_kinds.mutex import Mutex
from takt.declare.service_kinds.state_copies import State
from takt.prove import created, schedulers, state_message_fixpoint
from takt.prove.choose import Choice, Prover, auto, choose
from takt.prove.distance import relevant
from takt.prove.reasons.steps import Ended
from takt.support.c.kernel import STATE_DEPTH_MAX
from takt.support.durations import MAX_NS

PARTS = 1_000_000
"""Of the factor of all wcets: its resolution. Times are found to the nanosecond."""

LONGEST = 1000
"""Times are lengthened by this factor at most."""

_US = 1_000


@dataclass(frozen=True)
class Knob:
    """A number that may change, from `now` towards `limit`: ns, or PARTS of scale, or copies. `kind`: scale, task,
    server, interrupt, mutex, state or message; `key`: of system.toml; `task`: of a hold or read. `reorders`: it may
    change the order of tasks."""

    kind: str
    name: str
    key: str
    now: int
    limit: int
    make: Callable[[int], System]
    reorders: bool = False
    task: str | None = None

    @property
    def is_time(self) -> bool:
        return self.kind != "scale" and not self.key.startswith("depth")

    @property
    def room(self) -> int:
        return abs(self.limit - self.now)

    def at(self, by: int) -> int:
        return self.now + by if self.limit > self.now else self.now - by


@dataclass(frozen=True)
class Change:
    """A knob turned to `to`; `relative` to what it was. `monotone`: no smaller turn of it proves. `shown`: to the
    microsecond on the safe side if that proves too. `also`: other keys that change with it, so that the declaration is
    one."""

    knob: Knob
    to: int
    monotone: bool
    shown: int
    also: tuple[str, ...] = ()

    @property
    def relative(self) -> Fraction:
        return Fraction(abs(self.to - self.knob.now), self.knob.now)


def all_wcets(system: System) -> Knob:
    """Their common factor."""
    return Knob(
        "scale", "", "wcet", PARTS, 0, lambda to: with_change.with_wcets(system, lambda wcet_ns: wcet_ns * to // PARTS)
    )


def singles(system: System) -> list[Knob]:
    found = [knob for task in system.tasks if task.separation_ns for knob in _task_knobs(system, task)]
    found += [knob for server in system.servers for knob in _server_knobs(system, server)]
    lines = [with_change.line_of(system, task) for task in system.tasks]
    for item in system.interrupts:
        found += _interrupt_knobs(system, item) if item not in lines else ()
    for mutex in system.of(Mutex):
        found += _mutex_knobs(system, mutex)
    for state in system.of(State):
        found += _state_knobs(system, state)
    found += [_message_knob(system, one) for one in system.messages if one.deadline_ns is not None]
    return [knob for knob in found if knob.now > 0 and knob.room > 0]


def _server_knobs(system: System, server: Server) -> Iterator[Knob]:
    def knob(key: str, now: int, limit: int, of: Callable[[Server, int], Server]) -> Knob:
        make = lambda to: with_change.with_server(system, server.name, lambda old: of(old, to))  # noqa: E731
        return Knob("server", server.name, key, now, limit, make, key != "budget")

    def slower(old: Server, to: int) -> Server:
        return replace(old, period_ns=to, deadline_ns=to if old.deadline_ns == old.period_ns else old.deadline_ns)

    longest = max(server.period_ns, min(server.period_ns * LONGEST, MAX_NS // 4))
    yield knob("budget", server.budget_ns, 1, lambda old, to: replace(old, budget_ns=to))
    yield knob("period", server.period_ns, longest, slower)
    yield knob("deadline", server.deadline_ns, server.period_ns, lambda old, to: replace(old, deadline_ns=to))


def _mutex_knobs(system: System, mutex: Mutex) -> Iterator[Knob]:
    """A hold has those in it that are within: no shorter."""

    def changed(task: str) -> Callable[[int], System]:
        return lambda to: with_change.with_hold(system, mutex.name, task, to)

    for user in mutex.users:
        inner = [other for item in system.of(Mutex) for other in item.users if mutex.name in other.within]
        least = max((other.hold_ns for other in inner if other.task == user.task), default=1)
        yield Knob("mutex", mutex.name, "hold", user.hold_ns, least, changed(user.task), task=user.task)


def _state_knobs(system: System, state: State) -> Iterator[Knob]:
    def changed(of: Callable[[State, int], State]) -> Callable[[int], System]:
        return lambda to: with_change.with_state(system, state.name, lambda old: of(old, to))

    def read(task: str) -> Callable[[State, int], State]:
        return lambda old, to: replace(
            old, readers=tuple(replace(one, read_ns=to) if one.task == task else one for one in old.readers)
        )

    if not state.readers:
        return
    if state.depth is None:
        deeper = changed(lambda old, to: replace(old, depth_max=to))
    else:
        deeper = changed(lambda old, to: replace(old, depth=to))
    key = "depth_max" if state.depth is None else "depth"
    yield Knob("state", state.name, key, state_copies.limit(state), STATE_DEPTH_MAX, deeper)
    for reader in state.readers:
        made = changed(read(reader.task))
        yield Knob("state", state.name, "read", reader.read_ns, 1, made, task=reader.task)


def _message_knob(system: System, message: Message) -> Knob:
    due_ns = message.deadline_ns or 0

    def later(to: int) -> System:
        changed = (replace(one, deadline_ns=to) if one is message else one for one in system.messages)
        return replace(system, messages=tuple(changed))

    return Knob("message", message.name, "deadline", due_ns, max(due_ns, min(due_ns * LONGEST, MAX_NS // 4)), later)


def _task_knobs(system: System, task: Task) -> Iterator[Knob]:
    period, deadline = task.separation_ns or 0, task.deadline_ns or task.separation_ns or 0
    served = [alarm for alarm in system.of(Alarm) if alarm.queue is not None and alarm.queue == task.serves]
    kind = "task" if with_change.line_of(system, task) is None else "interrupt"

    def knob(key: str, now: int, limit: int, of: Callable[[Task, int], Task], reorders: bool = False) -> Knob:
        make = lambda to: with_change.with_task(system, task.name, lambda old: of(old, to))  # noqa: E731
        return Knob(kind, task.name, key, now, limit, make, reorders)

    if processes.budget_is_wcet(system, task):
        yield knob("wcet", task.wcet_ns, 1, lambda old, to: replace(old, wcet_ns=to, budget_ns=to))
    elif task.enforced and task.budget_ns:
        yield knob(
            "budget", task.budget_ns, 1, lambda old, to: replace(old, budget_ns=to, wcet_ns=min(old.wcet_ns, to))
        )
    else:
        least = max(1, sum(alarm.wcet_ns for alarm in served))
        yield knob("wcet", task.wcet_ns, least, lambda old, to: replace(old, wcet_ns=to))
    yield knob("suspension", task.suspension_ns, 1, lambda old, to: replace(old, suspension_ns=to))
    yield knob("jitter", task.jitter_ns, 0, lambda old, to: replace(old, jitter_ns=to), True)
    key = "period" if task.period_ns is not None else "min_interarrival"

    def slower(old: Task, to: int) -> Task:
        follows = old.deadline_ns is not None and deadline == period
        times = {f"{key}_ns": to, "deadline_ns": to if follows else old.deadline_ns}
        return replace(old, **times)  # type: ignore[arg-type]

    longest = max(period, min(period * LONGEST, MAX_NS // 4))
    rarest = min([longest, *(max(period, alarm.separation_ns) for alarm in served)])
    yield knob(key, period, rarest, slower, True)
    latest = max(deadline, _latest_ns(system, task, longest))
    if task.deadline_ns is None:  # served
        return
    yield knob("deadline", deadline, latest, lambda old, to: replace(old, deadline_ns=to), True)


def _latest_ns(system: System, task: Task, longest_ns: int) -> int:
    """The longest deadline that may be declared, up to `longest_ns`."""
    period = task.separation_ns or 0
    if system.runtime_tasks or task.on_miss == "skip" or with_change.line_of(system, task) is not None:
        return period
    if task.min_interarrival_ns is None:
        return longest_ns
    return max(period, min(longest_ns, (task.pending_max - task.burst + 2) * period - 1))


def _interrupt_knobs(system: System, item: Interrupt) -> Iterator[Knob]:
    def changed(of: Callable[[Interrupt, int], Interrupt]) -> Callable[[int], System]:
        return lambda to: with_change.with_interrupt(system, item.name, lambda old: of(old, to))

    yield Knob("interrupt", item.name, "wcet", item.wcet_ns, 0, changed(lambda old, to: replace(old, wcet_ns=to)))
    rarer = changed(lambda old, to: replace(old, min_interarrival_ns=to))
    longest = min(item.min_interarrival_ns * LONGEST, MAX_NS // 4)
    yield Knob("interrupt", item.name, "min_interarrival", item.min_interarrival_ns, longest, rarer)


@dataclass(frozen=True)
class _Trial:
    """A system that is not proved, and how changes of it are judged. `anew`: by a search, if `asked` is one; else by
    the list of `choice`. Ended: an answer other than `it proves` before no steps are left."""

    prover: Prover
    choice: Choice
    asked: str
    anew: bool

    @property
    def whole(self) -> bool:
        """Whether a change is judged as `takt check` judges it."""
        return self.anew or self.asked not in ("auto", "csd")

    def _under_the_bands(self, prover: Prover) -> Choice:
        return replace(self.choice, proof=prover.judge(self.choice.bands, self.choice.cooperative))

    def _proves(self, changed: System, chosen: Callable[[Prover], Choice]) -> bool:
        found = state_message_fixpoint.proves(self.prover.of(changed), chosen)
        if not found:
            self.prover.steps.check()
        return found

    def surely(self, changed: System) -> bool:
        return self._proves(changed, lambda prover: choose(prover, self.asked))

    def proves(self, changed: System) -> bool:
        if self.whole:
            return self.surely(changed)
        if changed.buses or any(state.readers for state in changed.of(State)):
            return self._proves(changed, self._under_the_bands)
        return self.prover.of(changed).proves(self.choice.bands, self.choice.cooperative)

    def named(self, knob: Knob, to: int) -> Change:
        also = _also(self.prover.system, knob, to)
        if self.prover.steps.out:
            return Change(knob, to, False, to, also)
        shown = _rounded(knob, to)
        shown = shown if shown == to or self.surely(knob.make(shown)) else to
        monotone = self.whole and _monotone(self.prover.system, knob, to, self.asked)
        return Change(knob, to, monotone, shown, also)

    def helpful(self) -> Callable[[Knob], bool]:
        """Which single changes are worth a look."""
        bands = schedulers.plain_bands(self.prover.system, self.asked) if self.whole else self.choice.bands
        if (
            self.prover.system.buses
            or bands is None
            or self.choice.cooperative
            or not relevant.applies(self.prover.system)
        ):
            return lambda knob: True
        found = relevant.Relevant(self.prover, bands)

        def helps(knob: Knob) -> bool:
            if knob.kind == "mutex":
                return (knob.name, knob.task) in found.of_mutexes
            return knob.kind != "task" or knob.name in found.tasks

        return helps


def changes(
    prover: Prover, choice: Choice, asked: str, anew: bool, progress: Callable[[float], None] = lambda _: None
) -> tuple[Change, ...]:
    """Of all wcets and of a single number, the smaller first, as far as they exist. `anew`: search again for each
    change, if `asked` is a search; else under the list of `choice`. Where the prover's steps run out, those that were
    found by then, and smaller ones may exist."""
    if lock_order.cycle(prover.system):
        return ()
    trial = _Trial(prover, choice, asked, anew)
    turned = [found for found in _smallest(trial, progress) if found is not None]
    try:
        if not trial.whole:  # the bands that are searched for may be others, with another order of tasks, other copies
            turned = [(knob, to) for knob, to in turned if prover.steps.out or trial.surely(knob.make(to))]
        made = [trial.named(knob, to) for knob, to in turned]
    except Ended:
        made = [trial.named(knob, to) for knob, to in turned]  # asks nothing
    return tuple(sorted(made, key=lambda item: item.relative))


def _smallest(trial: _Trial, progress: Callable[[float], None]) -> list[tuple[Knob, int] | None]:
    """The smallest change of a single number and of all wcets; of those that were looked at before Ended."""
    best: Change | None = None
    scaled: tuple[Knob, int] | None = None
    try:
        scale = all_wcets(trial.prover.system)
        by = _least(scale, None, trial.proves)
        scaled = None if by is None else (scale, scale.at(by))
        helps = trial.helpful()
        every = [knob for knob in singles(trial.prover.system) if helps(knob)]
        for number, knob in enumerate(every):
            progress(number / len(every))
            by = _least(knob, best, trial.proves)
            if by is not None:
                best = Change(knob, knob.at(by), False, knob.at(by))
    except Ended:
        pass
    return [(best.knob, best.to) if best else None, scaled]


def _monotone(system: System, knob: Knob, to: int, asked: str) -> bool:
    """Whether no number nearer than `to` proves either."""
    changed = knob.make(to)
    if knob.reorders and _orders(changed, asked):
        return False
    before, after = state_message_fixpoint.sure_copies(system), state_message_fixpoint.sure_copies(changed)
    if before is None or after is None:
        return not (knob.reorders or asked in ("auto", "csd") or schedulers.csd_number(asked) is not None)
    return before == after or knob.kind == "state"


def _orders(system: System, asked: str) -> bool:
    """Whether the order of tasks affects more than their priority: the verdict may then not be monotone."""
    times = [(task.deadline_ns or 0, task.separation_ns or 0) for task in system.tasks]
    orders = (
        bool(created.in_proof(system).of(Mutex))
        or any(task.jitter_ns for task in system.tasks)
        or asked.startswith("csd")
    )
    orders = orders or (asked == "rm" and any(deadline < period for deadline, period in times))
    return orders or (asked not in ("edf", "bands") and any(deadline > period for deadline, period in times))


def _rounded(knob: Knob, to: int) -> int:
    if not knob.is_time or to < _US:
        return to
    return to // _US * _US if to < knob.now else min(-(-to // _US) * _US, knob.limit)


def _also(system: System, knob: Knob, to: int) -> tuple[str, ...]:
    """Keys that `knob` does not name, where they change."""
    changed = knob.make(to)
    found = [
        key
        for old, new in zip(system.tasks, changed.tasks, strict=True)
        for key in ("wcet", "budget", "deadline")
        if getattr(old, f"{key}_ns") != getattr(new, f"{key}_ns")
        and not (key == "budget" and processes.budget_is_wcet(changed, new))
    ]
    found += ["hold"] if system.of(Mutex) != changed.of(Mutex) else []
    found += ["read"] if [one.readers for one in system.of(State)] != [one.readers for one in changed.of(State)] else []
    return tuple(dict.fromkeys(key for key in found if key != knob.key))


def _least(knob: Knob, best: Change | None, proves: Callable[[System], bool]) -> int | None:
    """By how little the knob must turn, if that is less than the best."""
    most = knob.room
    if best:
        most = min(most, -(-best.relative.numerator * knob.now // best.relative.denominator) - 1)
    if most < 1 or not proves(knob.make(knob.at(most))):
        return None
    low = 0
    while most - low > 1:
        middle = (low + most) // 2
        low, most = (low, middle) if proves(knob.make(knob.at(middle))) else (middle, most)
    return most


def another_scheduler(prover: Prover, asked: str) -> Choice | None:
    """The scheduler that auto finds for the system as it is, if that proves and was not requested."""
    if asked == "auto":
        return None
    try:
        prover, found = state_message_fixpoint.settled(prover, auto)
    except Ended:
        return None
    return found if found.proved and state_message_fixpoint.messages_hold(prover.system, found) else None
