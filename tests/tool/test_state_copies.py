# SPDX-License-Identifier: Apache-2.0
"""Copies of state messages: against every small alignment of a writer and a reader, and against schedules.

Neither oracle counts writes: both move a buffer of marks as kernel/include/takt/state.h does, and look whether the mark
of the copy that is read changes. From a declaration to its copies: test_state_declared.py.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from takt.declare.schema.model import Band, System, Task
from takt.declare.service_kinds import state_copies
from takt.declare.service_kinds.state_copies import Read, State
from takt.prove import analysis
from takt.support import compile

FULL = bool(os.environ.get("TAKT_TEST_FULL"))


class Moment(NamedTuple):
    """Of a writer and one read. `marks`: of the copies, that of the newest first, as distances from it."""

    since: int  # the last arrival, at most a period
    age: int  # of the writer's job; -1: there is none
    left: int  # writes of that job
    writing: bool
    lasted: int  # the read; -1: it has not begun
    copy: int  # that is read
    mark: int  # that it had
    marks: tuple[int, ...]

    def touched(self) -> bool:
        return self.lasted >= 0 and self.marks[self.copy] != self.mark

    def begin_write(self) -> Moment:
        return self._replace(writing=True, marks=(self.marks[0], 1, *self.marks[2:]))

    def end_write(self) -> Moment:
        """The copy after the newest is the newest."""
        copies = len(self.marks)
        marks = tuple(mark - 1 for mark in (*self.marks[1:], self.marks[0]))
        copy, mark = (self.copy - 1) % copies, self.mark - 1
        if self.lasted < 0:
            copy, mark = 0, 0
        return self._replace(writing=False, left=self.left - 1, marks=marks, copy=copy, mark=mark)


class Case(NamedTuple):
    """`period`, and how long after an arrival a job may write; how long a read lasts; writes a job."""

    period: int
    within: int
    lasts: int
    writes: int = 1


def after(now: Moment, case: Case) -> Iterator[Moment]:
    """What may come next at the same time or, if nothing must come before, at the next time."""
    if now.since == case.period and now.age < 0:
        yield now._replace(since=0, age=0, left=case.writes)
    if now.age >= 0 and now.left and not now.writing:
        yield now.begin_write()
    if now.writing:
        yield now.end_write()
    if now.age >= 0 and not now.writing:
        yield now._replace(age=-1, left=0)
    if now.lasted < 0:
        yield now._replace(lasted=0, copy=0, mark=now.marks[0])
    if now.age < case.within and now.lasted < case.lasts:
        yield now._replace(
            since=min(now.since + 1, case.period),
            age=now.age + (now.age >= 0),
            lasted=now.lasted + (now.lasted >= 0),
        )


def after_interrupt(now: Moment, case: Case) -> Iterator[Moment]:
    """The same for an interrupt: `age` >= 0 says that it is asked for, however often, and it may be kept waiting for
    any time. Its writes are simultaneous for the task that reads."""
    if now.since == case.period:
        yield now._replace(since=0, age=0)
    if now.age >= 0:
        done = now._replace(age=-1)
        for _ in range(case.writes):
            done = done.begin_write()
            if done.touched():
                break
            done = done.end_write()
        yield done._replace(left=0)
    if now.lasted < 0:
        yield now._replace(lasted=0, copy=0, mark=now.marks[0])
    if now.lasted < case.lasts:
        yield now._replace(since=min(now.since + 1, case.period), lasted=now.lasted + (now.lasted >= 0))


def overtakes(case: Case, copies: int, interrupt: bool = False) -> bool:
    """Whether any alignment overtakes the read."""
    first = Moment(case.period, -1, 0, False, -1, 0, 0, (0, *range(1 - copies, 0)))
    seen, todo = {first}, [first]
    while todo:
        for moment in (after_interrupt if interrupt else after)(todo.pop(), case):
            if moment.touched():
                return True
            if moment not in seen:
                seen.add(moment)
                todo.append(moment)
    return False


def needed(case: Case, interrupt: bool = False) -> int:
    return next(copies for copies in itertools.count(2) if not overtakes(case, copies, interrupt))


def cases(period_max: int, lasts_max: int) -> Iterator[Case]:
    for period in range(1, period_max + 1):
        for within, lasts, writes in itertools.product(range(period + 1), range(lasts_max + 1), (1, 2)):
            yield Case(period, within, lasts, writes)


def test_the_depth_is_what_the_worst_alignment_needs() -> None:
    """No copy too few, and none too many where what touches at one time counts as simultaneous."""
    tried = 0
    for case in cases(5 if FULL else 3, 12 if FULL else 7):
        writes = state_copies.most_writes(case.lasts, case.period, case.within, case.writes)
        assert needed(case) == max(2, writes + 1), case
        tried += 1
    assert tried >= (500 if FULL else 100)


def test_the_seeds_formula_is_one_write_short() -> None:
    """Seed 000 prints x - 1 = floor((R - (P - d)) / P)."""
    case = Case(period=4, within=4, lasts=2)
    seeds = 1 + (case.lasts - (case.period - case.within)) // case.period
    assert max(2, seeds + 1) == 2
    assert overtakes(case, 2)
    assert not overtakes(case, 3)


def test_an_interrupt_that_is_kept_waiting() -> None:
    for case in cases(4 if FULL else 3, 12 if FULL else 7):
        if case.within == 0:
            writes = state_copies.most_writes(case.lasts, case.period, case.period, case.writes)
            assert needed(case, interrupt=True) == max(2, writes + 1), case


# Schedules of one processor, one time step after the other.


@dataclass
class Work:
    """A job: which of its units of execution belong to its read or write."""

    task: Task
    arrival: int
    release: int
    units: int
    span: range
    done: int = 0


@dataclass
class Buffer:
    """The marks of a state message's copies."""

    marks: list[int]
    newest: int = 0
    reading: tuple[int, int, int] | None = None  # copy, mark, writes that were under way or begun before the read
    overtaken: int = 0
    most: int = 0  # writes under way at one time or another of one read
    begun: int = 0
    finished: int = 0

    def begin(self, reads: bool) -> None:
        if reads:
            copy = self.newest % len(self.marks)
            self.reading = (copy, self.marks[copy], self.finished)
        else:
            self.begun += 1
            self.marks[(self.newest + 1) % len(self.marks)] = self.newest + 1

    def end(self, reads: bool) -> None:
        if not reads:
            self.newest += 1
            self.finished += 1
        elif self.reading is not None:
            copy, mark, finished = self.reading
            self.overtaken += self.marks[copy] != mark
            self.most = max(self.most, self.begun - finished)


@dataclass
class Machine:
    """Runs tasks by priority or deadline. `longest`: of reads, `response`: of the reader's jobs."""

    system: System
    by_deadline: bool
    choose: random.Random
    copies: int
    buffer: Buffer = field(init=False)
    longest: int = 0

    def jobs(self, horizon: int) -> list[Work]:
        found = []
        for task in self.system.tasks:
            period = task.separation_ns or 0
            arrival = self.choose.randrange(period) if self.choose.random() < 0.7 else 0
            while arrival < horizon:
                units = self.choose.choice([task.wcet_ns, task.wcet_ns, self.choose.randint(1, task.wcet_ns)])
                state = self.system.of(State)[0]
                wanted = state.readers[0].read_ns if task.name == "reader" else 1 + (task.wcet_ns > 1)
                wanted = min(wanted, units)
                first = self.choose.choice([0, units - wanted, self.choose.randint(0, units - wanted)])
                release = arrival + self.choose.choice([0, task.jitter_ns, self.choose.randint(0, task.jitter_ns)])
                found.append(Work(task, arrival, release, units, range(first, first + wanted)))
                gap = self.choose.choice([0, 0, 0, self.choose.randrange(period)]) if task.min_interarrival_ns else 0
                arrival += period + gap
        return found

    def run(self, horizon: int) -> None:
        order = {task.name: number for number, task in enumerate(self.system.tasks)}
        waiting = sorted(self.jobs(horizon), key=lambda work: work.arrival)
        self.buffer = Buffer([*([0] * self.copies)])
        self.buffer.marks = [copy - self.copies for copy in range(self.copies)]
        self.buffer.marks[0] = 0
        began = 0
        for now in range(2 * horizon):
            ready = [work for work in waiting if work.release <= now and work.done < work.units]
            if not ready:
                continue
            deadline = {id(work): work.arrival + (work.task.deadline_ns or 0) for work in ready}
            work = min(ready, key=lambda one: (deadline[id(one)] if self.by_deadline else 0, order[one.task.name]))
            reads = work.task.name == "reader"
            mine = work.task.name in ("reader", "writer") and len(work.span) > 0
            if mine and work.done == work.span[0]:
                self.buffer.begin(reads)
                began = now if reads else began
            work.done += 1
            if mine and work.done == work.span[-1] + 1:
                self.buffer.end(reads)
                self.longest = max(self.longest, now + 1 - began) if reads else self.longest
            if work.done == work.units:
                waiting.remove(work)


def random_system(choose: random.Random) -> System:
    tasks = []
    for name in choose.sample(["writer", "reader", "other", "more"], 4)[: choose.choice([4, 4, 4])]:
        period = choose.choice([3, 4, 5, 6]) if name == "writer" else choose.choice([6, 8, 12, 20, 24])
        wcet = choose.randint(1, 2 if name == "writer" else max(1, period // 4))
        jitter = choose.choice([0, 0, 1])
        deadline = choose.randint(min(period, wcet + 2), period)
        of = Task(name, wcet, deadline_ns=deadline, jitter_ns=jitter)
        sporadic = choose.random() < 0.4
        tasks.append(replace(of, min_interarrival_ns=period) if sporadic else replace(of, period_ns=period))
    read = Read("reader", choose.randint(1, next(task.wcet_ns for task in tasks if task.name == "reader")))
    state = State("pose", 8, "writer", depth_max=256, readers=(read,))
    return System(Path("system.toml"), "random", "host", "dm", tuple(tasks), objects=(state,))


def test_no_schedule_overtakes_a_read() -> None:
    """Random sets that are proved, of fixed priorities and by deadlines, many runs each: no read lasts longer than is
    said, none is overtaken; and some depths are used to the last copy."""
    compile.host_library()
    wanted, runs = (400, 60) if FULL else (60, 15)
    sets, tight, spare = 0, 0, []
    for seed in itertools.count():
        choose = random.Random(seed)
        system, by_deadline = random_system(choose), seed % 2 == 1
        names = tuple(task.name for task in system.tasks)
        band = Band("edf", (names,)) if by_deadline else Band("fixed", tuple((name,) for name in names))
        proof = analysis.analyse(system, (band,), None)
        if proof.verdict != "feasible":
            continue
        bounds = {task.name: task.response_ns for task in proof.tasks}
        system = state_copies.settle(system, bounds)
        state = system.of(State)[0]
        need = state_copies.needs(system, state, bounds)[0]
        most = 0
        for _ in range(runs):
            machine = Machine(system, by_deadline, choose, state.copies)
            machine.run(150)
            assert machine.buffer.overtaken == 0, seed
            assert need.lasts_ns is not None
            assert machine.longest <= need.lasts_ns, seed
            most = max(most, machine.buffer.most)
        spare.append(state.copies - max(2, most + 1))
        tight += spare[-1] == 0
        sets += 1
        if sets == wanted:
            break
    assert min(spare) >= 0
    assert tight >= sets // 10, f"{tight} of {sets} tight; spare {sorted(spare)}"


def test_fewer_copies_are_overtaken() -> None:
    """The machine does see it: by hand, a read of 9 units meets three writes."""
    tasks = (Task("writer", 1, period_ns=4, deadline_ns=2), Task("reader", 9, period_ns=24, deadline_ns=24))
    state = State("pose", 8, "writer", readers=(Read("reader", 9),), copies=4)
    system = System(Path("system.toml"), "small", "host", "dm", tasks, objects=(state,))
    for copies, overtaken in ((3, True), (4, False)):
        found = 0
        for seed in range(30):
            machine = Machine(system, False, random.Random(seed), copies)
            machine.run(100)
            found += machine.buffer.overtaken
        assert (found > 0) == overtaken
