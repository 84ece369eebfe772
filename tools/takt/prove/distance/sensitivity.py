# SPDX-License-Identifier: Apache-2.0
"""How far a proved system is from not being proved: for each task how much longer its wcet, shorter its period and
later its release (jitter) may get, one at a time, under the list of bands that was proved. Not of tasks that servers
serve, nor of these: budgets stay as they are.

Each limit is found by bisection over the verdict, to the nanosecond: with it the system is proved, with one more it
is not (or the declaration ends there: a jitter as long as the deadline, or any with runtime_tasks or of an interrupt's
handler; a period of 1 ns, or of a sporadic task one of which more than PENDING_MAX fit into a longer deadline; a wcet
as long as the declared budget).

A limit is proved with the scheduler that was asked for, too, which may choose other bands for it: if it is not
with the longest under these bands, the limit is one that is.

The verdict is monotone in each of them, except in three cases. In an edf band, sections of mutexes block by the order
of deadlines after the jitter, and that order changes with the deadline (a period below it) and with the jitter; so do
response times, and with them the readers of state messages that lock the kernel. Where these change, so may the bands
that a search finds. And the limit may be shorter than these bands allow. In these cases, between the declared value and
the limit, the system may also not be proved, and the limit says so."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from takt.declare import with_change
from takt.declare.schema.model import System, Task, Verdict
from takt.declare.service_kinds import state_copies
from takt.declare.service_kinds.slot import Slot
from takt.declare.service_kinds.state_copies import State
from takt.declare.tables import PENDING_MAX
from takt.prove import analysis_library as c
from takt.prove import schedulers, state_message_fixpoint
from takt.prove.analysis import Problem
from takt.prove.breakdown import last
from takt.prove.choose import Choice, Prover, choose
from takt.prove.reasons.steps import CALL_STEPS, Ended
from takt.support.durations import MAX_NS

Holds = Callable[[int], bool]
Changed = Callable[[int], System]

QUICK_TASKS = 32
"""Up to this number of tasks it is fast enough to run without being requested."""

SCALE = 10_000
"""Steps of the factor of all wcets, for 1."""


@dataclass(frozen=True)
class Limits:
    """Of one task, or an interrupt's handler with protection: the longest wcet (of a budget that is enforced: budget;
    another budget that was the wcet stays so), the shortest period (or min_interarrival; a deadline that was not longer
    becomes no longer), the longest jitter. `monotone`: all between holds too."""

    name: str
    wcet_ns_max: int
    period_ns_min: int
    jitter_ns_max: int
    monotone: bool


@dataclass(frozen=True)
class Sensitivity:
    """`scale_max`: the factor of all wcets at once, to 1 / SCALE; None: they are all 0.
    `scale_monotone`: with less than that it holds too. Where no steps were left, there are limits of the first tasks
    only, or of none, and no factor."""

    scale_max: Fraction | None
    scale_monotone: bool
    limits: tuple[Limits, ...]


class _Probe:
    """One proved system whose numbers are changed in place. Where other readers of state messages may be locked than
    now, or there are messages on buses, each change is proved from the beginning (state_message_fixpoint)."""

    def __init__(self, prover: Prover, choice: Choice, asked: str) -> None:
        overheads = prover.costs(choice.bands, choice.cooperative)
        self.prover, self.choice, self.asked, self.steps = prover, choice, asked, prover.steps
        self.problem = Problem(
            prover.system, choice.bands, overheads, choice.cooperative, prover.iterations, prover.steps
        )
        self.slow = state_copies.slow(prover.system)
        self.sends = bool(prover.system.buses)
        self.quick = not self.sends and self._one_job()
        self.tightest = self.problem.level(len(self.problem.tasks) - 1)
        self.slots = bool(prover.system.of(Slot))  # whose levels a list must fit, too
        self.reads = any(state.readers for state in prover.system.of(State))
        self.anew_always = self.reads or self.sends
        self.by_deadlines = prover.system.runtime_tasks > 0  # who is slow; then a longer wcet may make one quick
        self.sure = not self.by_deadlines and self._sure(prover.system)  # with longer wcets and jitters too
        self.searched = asked in ("auto", "csd") or schedulers.csd_number(asked) is not None
        self.reorders = any(one.identifier is None for one in prover.system.messages)  # `auto` may get another one
        self.anew = False  # whether a change was proved from the beginning
        self.uneven = False  # whether with less of one it may not be proved

    def _sure(self, system: System) -> bool:
        return not self.sends and (not self.reads or state_message_fixpoint.sure_copies(system) == self.slow)

    def holds(self) -> bool:
        self.steps.take(CALL_STEPS)
        holds = self.problem.feasible()
        if not holds:
            self.steps.check()
        return holds

    def _one_job(self) -> bool:
        """Whether the first job of each task decides, in a few steps: fixed levels, deadlines within the periods."""
        if self.choice.cooperative or self.problem.known or self.problem.due:
            return False
        tasks = [task for task in self.problem.tasks if task.period_ns]
        within = all(task.deadline_ns <= task.period_ns and not task.burst_more for task in tasks)
        return within and all(task.order == c.EQUAL for task in tasks)

    def _holds_at(self, level: range) -> bool:
        """Of holds() the part of one level, where Problem.known and .due are not set."""
        verdict, failing = ctypes.c_int(), ctypes.c_size_t()
        self.steps.take(CALL_STEPS)
        status = c.load().takt_analysis_part(self.problem.set, level.start, level.stop, verdict, failing)
        self.steps.check()
        return status == c.OK and verdict.value == c.Verdict.FEASIBLE

    def _last_failing(self) -> int | None:
        """The last task for which that is false."""
        count = len(self.problem.tasks)
        verdict, verdicts = ctypes.c_int(), (ctypes.c_int * count)()
        self.steps.take(CALL_STEPS)
        status = c.load().takt_analysis_feasible(self.problem.set, verdict, verdicts, None)
        self.steps.check()
        if status == c.OK and verdict.value == c.Verdict.FEASIBLE:
            return None
        return max((i for i, one in enumerate(verdicts) if one != c.Verdict.FEASIBLE), default=count - 1)

    def _furthest(self, put: Callable[[int], None], most: int) -> int:
        """The last up to `most` that holds, where less of one always does, as `last` finds it: for the level that
        limited the change before this one, then for others that fail there. `put` changes the numbers."""

        def holds(by: int) -> bool:
            put(by)
            return self._holds_at(self.tightest)

        failing: int | None = self.tightest.start
        while most > 0 and failing is not None:
            self.tightest = self.problem.level(failing)
            most = most if holds(most) else last(holds, 0, most - 1)
            put(most)
            failing = self._last_failing()
        return most

    def _block(self) -> None:
        """What blocks depends on execution times: they tell how many sections fall into a busy period."""
        if len(self.problem.holds):
            self.problem.block()

    def _under_the_bands(self, prover: Prover) -> Choice:
        """Bounds take longer than the verdict: they are found only for proved systems."""
        bands, cooperative = self.choice.bands, self.choice.cooperative
        proof = prover.judge(bands, cooperative, responses=False)
        if proof.verdict is Verdict.FEASIBLE:
            proof = prover.judge(bands, cooperative)
        return replace(self.choice, proof=proof)

    def _keeps_bands(self, system: System) -> bool:
        """Whether the scheduler that was asked for would try a list that is known to prove the changed system: that of
        the choice, if its tasks are still in that order, or the list of one kind. A search tries both."""
        if self.asked in ("edf", "bands") or self.reads or self.slots:
            return self.asked in ("edf", "bands")
        name = self.choice.scheduler
        if name not in ("dm", "edf") or self.asked not in ("auto", name):
            return False
        bands = schedulers.plain_bands(system, name)
        return (
            not self.sends
            and bands is not None
            and (bands == self.choice.bands or self.prover.of(system).proves(bands))
        )

    def _proves_as_asked(self, system: System) -> bool:
        proves = state_message_fixpoint.proves(self.prover.of(system), lambda prover: choose(prover, self.asked))
        if not proves:
            self.steps.check()
        return proves

    def _judge(self, holds: Holds, changed: Changed, orders: bool) -> Holds:
        """`holds` tells it as long as the copies are those of now. `orders`: deadlines or jitter change an order."""

        def proves(by: int) -> bool:
            if self.sure and not orders:
                return holds(by)
            system = changed(by)
            if self._sure(system) and not state_copies.unguarded(system):
                return holds(by)
            copies = self.reads and (self.searched or self.by_deadlines)
            self.anew, self.uneven = True, self.uneven or orders or copies or self.reorders
            found = state_message_fixpoint.proves(self.prover.of(system), self._under_the_bands)
            if not found:
                self.steps.check()
            return found

        return proves

    def _most(
        self,
        holds: Holds,
        changed: Changed,
        most: int,
        *,
        now: int = 0,
        orders: bool,
        reranks: bool = False,
        found: int | None = None,
    ) -> int:
        """The last from `now` up to `most` that proves. `reranks`: a change may change the order of the tasks; then,
        and where other readers are locked, one that does so with the scheduler asked for. `found`: the last that
        holds, if that is known."""
        by = last(holds, now, most) if found is None else found
        self.anew = False
        if self.anew_always:  # most often the copies are those of now there too
            proves = self._judge(holds, changed, orders)
            if not proves(by):
                by = last(proves, now, by - 1)
            elif by < most and proves(by + 1):
                by = last(proves, by + 1, most)
        if not self.anew and (not reranks or self._keeps_bands(changed(by))):
            return by
        if self._proves_as_asked(changed(by)):
            return by
        self.uneven = True
        return last(lambda by: self._proves_as_asked(changed(by)), now, by)

    def limits(self, index: int, task: Task) -> Limits:
        item = self.problem.tasks[index]
        charged, jitter = int(item.wcet_ns), int(item.jitter_ns)
        period: int = item.period_ns
        deadline: int = item.deadline_ns
        by_deadline = item.order == c.DEADLINE
        blocked = len(self.problem.holds) > 0
        carries = task.waits > 0 and deadline > period
        line = with_change.line_of(self.prover.system, task)

        def due(period_ns: int) -> int:
            return deadline if deadline > period else min(deadline, period_ns)

        def put(wcet_ns: int = charged, period_ns: int = period, jitter_ns: int = jitter) -> None:
            item.wcet_ns, item.period_ns, item.jitter_ns = wcet_ns, period_ns, jitter_ns
            item.deadline_ns = due(period_ns)
            if line is not None:
                self.problem.interrupts[self.prover.system.interrupts.index(line)].min_interarrival_ns = period_ns
            if blocked or carries:
                self.problem.block()

        def most(put: Callable[[int], None], changed: Changed, most: int, orders: bool, reranks: bool = False) -> int:
            def holds(by: int) -> bool:
                put(by)
                return self.holds()

            found = self._furthest(put, most) if self.quick and not carries else None
            return self._most(holds, changed, most, orders=orders, reranks=reranks, found=found)

        def with_wcet(ns: int) -> System:
            times = {"budget_ns" if task.enforced else "wcet_ns": _declared(task) + ns}
            if task.budget_ns is not None and task.budget_ns == task.wcet_ns:
                times["budget_ns"] = task.wcet_ns + ns
            return self._with(task, **times)

        def with_period(ns: int) -> System:
            key = "period_ns" if task.period_ns is not None else "min_interarrival_ns"
            return self._with(task, **{key: period - ns, "deadline_ns": due(period - ns)})

        def with_jitter(ns: int) -> System:
            return self._with(task, jitter_ns=jitter + ns)

        self.uneven = False
        shortest = _shortest_ns(task) if deadline > period else jitter + 1
        longest = max(0, deadline - charged)
        if task.on_budget == "notify" and (task.budget_ns or 0) > task.wcet_ns:
            longest = min(longest, (task.budget_ns or 0) - task.wcet_ns)
        more = most(lambda ns: put(wcet_ns=charged + ns), with_wcet, longest, False)
        less = most(lambda ns: put(period_ns=period - ns), with_period, period - shortest, True, True)
        latest = 0 if self.prover.system.runtime_tasks or line is not None else deadline - jitter - 1
        later = most(lambda ns: put(jitter_ns=jitter + ns), with_jitter, latest, by_deadline)
        put()
        monotone = not (blocked and by_deadline) or (period - less >= deadline and later == 0)
        return Limits(task.name, _declared(task) + more, period - less, jitter + later, monotone and not self.uneven)

    def _with(self, task: Task, **times: int) -> System:
        return with_change.with_task(self.prover.system, task.name, lambda old: replace(old, **times))  # type: ignore[arg-type]

    def scale_max(self) -> Fraction | None:
        """By doubling, then bisection."""
        free = {task.name for task in self.prover.system.tasks if task.separation_ns}
        wcets = [_declared(ranked.task) if ranked.task.name in free else 0 for ranked in self.problem.ranked]
        charged = [task.wcet_ns for task in self.problem.tasks]

        def holds(factor: int) -> bool:
            for task, base, wcet_ns in zip(self.problem.tasks, charged, wcets, strict=True):
                task.wcet_ns = min(MAX_NS, base - wcet_ns + wcet_ns * factor // SCALE)
            self._block()
            return self.holds()

        def changed(factor: int) -> System:
            return with_change.with_wcets(self.prover.system, lambda wcet_ns: min(MAX_NS, wcet_ns * factor // SCALE))

        if not any(wcets):
            return None
        bad = 2 * SCALE
        while holds(bad):
            bad *= 2
        factor = self._most(holds, changed, 2 * bad, now=SCALE, orders=False)
        for task, base in zip(self.problem.tasks, charged, strict=True):
            task.wcet_ns = base
        self._block()
        return Fraction(factor, SCALE)


def _shortest_ns(task: Task) -> int:
    """The least period with a longer deadline that a declaration allows: the pending releases of a sporadic task are
    limited."""
    return 1 if task.min_interarrival_ns is None else (task.deadline_ns or 0) // (PENDING_MAX + 1) + 1


def _declared(task: Task) -> int:
    """The execution time of a job in the proof, except holds; 0 of a background task, also of one that is served."""
    return (task.budget_ns or 0) if task.enforced else task.wcet_ns


def sensitivity(
    prover: Prover, choice: Choice, asked: str, progress: Callable[[float], None] = lambda _: None
) -> Sensitivity:
    """Of a proved system, `asked` to have that scheduler; tasks in the order of the declaration. As far as the steps of
    the prover allow."""
    probe = _Probe(prover, choice, asked)
    try:
        scale = probe.scale_max()
    except Ended:
        return Sensitivity(None, True, ())
    even = not probe.uneven
    index = {ranked.task.name: number for number, ranked in enumerate(probe.problem.ranked)}
    limits = []
    for number, task in enumerate(prover.system.tasks):
        progress(number / len(prover.system.tasks))
        if task.separation_ns is None or prover.system.server_of(task.name) is not None:
            continue
        try:
            limits.append(probe.limits(index[task.name], task))
        except Ended:
            break
    return Sensitivity(scale, even, tuple(limits))
