# SPDX-License-Identifier: Apache-2.0
"""What would make a system that is not proved feasible: by what all wcets must shrink together, and the smallest change
of a single number, relative to the number.

Single numbers: of each task its wcet (or enforced budget), suspension, period (a deadline equal to it follows) and
deadline, up to the period; of each interrupt its wcet, down to none, and min_interarrival; each hold of a mutex.
Whether a change proves is the whole verdict of `check` under the scheduler that was asked for: rm, dm and searches
place the tasks anew.

A number is looked at only if changing it by less than the best so far proves; then by bisection. That finds the
smallest change where the verdict is monotone. It is not where a new period or deadline changes the order of tasks and
with it who blocks or delays whom: with mutexes or jitter, under rm with deadlines below periods, and under csdN, whose
bands must all have tasks. There the change that is named proves, and one step less does not, but a smaller one might.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from takt import change, lock_order
from takt.choose import Choice, Prover, auto, choose
from takt.durations import MAX_NS
from takt.model import Interrupt, System, Task

PARTS = 1_000_000
"""Of the factor of all wcets: its resolution. Times are found to the nanosecond."""

LONGEST = 1000
"""Times are lengthened to so many times at most."""


@dataclass(frozen=True)
class Knob:
    """A number that may change, from `now` towards `limit`. `kind`: scale, task, interrupt or mutex; `key`: of
    system.toml; `task`: whose hold."""

    kind: str
    name: str
    key: str
    now: int
    limit: int
    make: Callable[[int], System]
    reorders: bool = False
    task: str | None = None

    @property
    def room(self) -> int:
        return abs(self.limit - self.now)

    def at(self, by: int) -> int:
        return self.now + by if self.limit > self.now else self.now - by


@dataclass(frozen=True)
class Change:
    """A knob turned to `to`; `relative` to what it was. `monotone`: no smaller turn of it proves."""

    knob: Knob
    to: int
    monotone: bool

    @property
    def relative(self) -> Fraction:
        return Fraction(abs(self.to - self.knob.now), self.knob.now)


def all_wcets(system: System) -> Knob:
    """Their common factor."""
    return Knob(
        "scale", "", "wcet", PARTS, 0, lambda to: change.with_wcets(system, lambda wcet_ns: wcet_ns * to // PARTS)
    )


def singles(system: System) -> list[Knob]:
    found = [knob for task in system.tasks if task.separation_ns for knob in _task_knobs(system, task)]
    for item in system.interrupts:
        found += _interrupt_knobs(system, item)
    for mutex in system.mutexes:
        for user in mutex.users:
            made = _hold_maker(system, mutex.name, user.task)
            found.append(Knob("mutex", mutex.name, "hold", user.hold_ns, 1, made, task=user.task))
    return [knob for knob in found if knob.now > 0 and knob.room > 0]


def _hold_maker(system: System, mutex: str, task: str) -> Callable[[int], System]:
    return lambda to: change.with_hold(system, mutex, task, to)


def _task_knobs(system: System, task: Task) -> Iterator[Knob]:
    period, deadline = task.separation_ns or 0, task.deadline_ns or task.separation_ns or 0

    def changed(of: Callable[[Task, int], Task]) -> Callable[[int], System]:
        return lambda to: change.with_task(system, task.name, lambda old: of(old, to))

    if task.enforced and task.budget_ns:
        spent = changed(lambda old, to: replace(old, budget_ns=to, wcet_ns=min(old.wcet_ns, to)))
        yield Knob("task", task.name, "budget", task.budget_ns, 1, spent)
    else:
        yield Knob("task", task.name, "wcet", task.wcet_ns, 1, changed(lambda old, to: replace(old, wcet_ns=to)))
    if task.suspension_ns:
        yield Knob(
            "task",
            task.name,
            "suspension",
            task.suspension_ns,
            1,
            changed(lambda old, to: replace(old, suspension_ns=to)),
        )
    key = "period" if task.period_ns is not None else "min_interarrival"

    def slower(old: Task, to: int) -> Task:
        times = {f"{key}_ns": to, "deadline_ns": to if deadline == period else deadline}
        return replace(old, **times)  # type: ignore[arg-type]

    longest = min(period * LONGEST, MAX_NS // 4)
    yield Knob("task", task.name, key, period, max(period, longest), changed(slower), reorders=True)
    if deadline < period:
        later = changed(lambda old, to: replace(old, deadline_ns=to))
        yield Knob("task", task.name, "deadline", deadline, period, later, reorders=True)


def _interrupt_knobs(system: System, item: Interrupt) -> Iterator[Knob]:
    def changed(of: Callable[[Interrupt, int], Interrupt]) -> Callable[[int], System]:
        return lambda to: change.with_interrupt(system, item.name, lambda old: of(old, to))

    yield Knob("interrupt", item.name, "wcet", item.wcet_ns, 0, changed(lambda old, to: replace(old, wcet_ns=to)))
    rarer = changed(lambda old, to: replace(old, min_interarrival_ns=to))
    longest = min(item.min_interarrival_ns * LONGEST, MAX_NS // 4)
    yield Knob("interrupt", item.name, "min_interarrival", item.min_interarrival_ns, longest, rarer)


def changes(
    prover: Prover, choice: Choice, asked: str, anew: bool, progress: Callable[[float], None] = lambda _: None
) -> tuple[Change, ...]:
    """Of all wcets and of a single number, the smaller first, as far as they exist. `anew`: search again for each
    change, if `asked` is a search; else under the list of `choice`."""
    system = prover.system
    if lock_order.cycle(system):
        return ()

    def proves(changed: System) -> bool:
        other = prover.of(changed)
        if anew or asked not in ("auto", "csd"):
            return choose(other, asked).proved
        return other.proves(choice.bands, choice.cooperative)

    short = any((task.deadline_ns or 0) < (task.separation_ns or 0) for task in system.tasks)
    orders = bool(system.mutexes) or any(task.jitter_ns for task in system.tasks) or (asked == "rm" and short)
    orders = orders or asked.startswith("csd")
    best: Change | None = None
    every = singles(system)
    for number, knob in enumerate(every):
        progress(number / len(every))
        by = _least(knob, best, proves)
        if by is not None:
            best = Change(knob, knob.at(by), not (knob.reorders and orders))
    scale = all_wcets(system)
    by = _least(scale, None, proves)
    found = [best] if best else []
    found += [Change(scale, scale.at(by), True)] if by is not None else []
    return tuple(sorted(found, key=lambda item: item.relative))


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
    """What auto finds for the system as it is, if that proves and was not asked for."""
    if asked == "auto":
        return None
    found = auto(prover)
    return found if found.proved else None
