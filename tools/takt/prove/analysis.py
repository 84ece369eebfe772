# SPDX-License-Identifier: Apache-2.0
"""The proof of a declaration: analysis/ (C, by ctypes) applied to a model.System under a list of bands.

Times are integer nanoseconds. How kernel overheads enter (model.Overheads), each a maximum:

- a release is an interrupt above all bands with the task's period, also when the task is a low one: `release_ns` of its
  band's kind, plus `timer_ns` when it is late under notify or stop, whose deadline timer expires once per job;
- the switch to the job and its completion are added to its execution: `switch_ns + complete_ns`. A task that is
  released and runs at once is the best task, so that switch delays only itself and tasks of lower priority;
- every declared lock of a mutex is charged as contended, with a wake and a block: all three once more. Where a job
  waits, or may be started anew, nothing is said of how often it locks a mutex in a busy period (takt_analysis_hold);
- one lock of a mutex with waiters in FIFO order may wait for several sections, after each of which the kernel hands it
  over: what a contended lock costs is in such a section too, and in those around it (budgets.handed_ns);
- a job that waits (`suspension`, mutexes aside) is counted as if it executed meanwhile, which is right for any order of
  jobs on one processor (Chen et al. 2019, "Many suspensions, many problems": suspension-oblivious analysis); for those
  below it, as release jitter where that is less (takt_analysis_suspended). While all
  that should go first wait, others run: when one of those wakes, each of the others may be in a section once more, and
  one of them in a locked section of the kernel, so every wait adds `Problem.resumed_ns`. It costs a switch away and one
  back (`switch_ns + complete_ns`), and its wake is one more release above all bands, with its timeout's timer
  (`timer_ns`). Wakes of jobs that were released before a busy period come in it too: as many jobs as periods fit into
  the deadline count for that, once in every busy period;
- with processes, an interrupt of one takes `line_ns` and its task `ack_ns` more; faults: process_load.fault_load;
- an interrupt that calls the kernel takes `interrupt_ns` more; alarms and watchdogs: services.timer_load;
- a task with on_budget demote or stop is charged `budget` and its longest hold in place of its wcet: a budget used up
  in a section is followed by the rest of that, and with the kernel locked (`lock_ns`, a locked copy, a handler) by
  the rest of the call; each of its sections may take its longest hold, which is the limit that
  the kernel enforces; and the kernel's timer comes due once for the budget and once for a section (`timer_ns` each),
  with a switch away (`complete_ns`);
- a demoted job in a section is not charged: in a busy period that began after its lock it takes one hold and no more,
  and the charge for that task is more, a job or a hold;
- where a band has a quantum, its timer is armed at switches, `timer_ns` more per completion, and the end of a slice, a
  timer interrupt and a switch, is an interrupt above all bands with the shortest quantum as its period: every slice
  that ends in a busy period has run its whole quantum there;
- mutexes that a process creates with `mutex_hold` are mutexes of all its tasks, and its threads are background tasks
  (takt.prove.created);
- a server is a task of its own, and what it serves are background tasks (takt.prove.servers.view);
- the longest locked section `lock_ns` delays every job once per busy period;
- so does the expiry of each timer that a background task or a thread has armed (budgets.expiries_ns).
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from takt.declare import lock_order, processes, services, with_change
from takt.declare.code import constructors
from takt.declare.schema import model
from takt.declare.schema.model import Verdict
from takt.declare.schema.service import FIFO
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.prove import analysis_library as c
from takt.prove import budgets, created, schedulers, servers
from takt.prove.analysis_library import AnalysisError, load
from takt.prove.bus import handling
from takt.prove.reasons import explain
from takt.prove.reasons.steps import TASK_STEPS, Steps
from takt.support.durations import MAX_NS
from takt.support.files import shown_path

__all__ = [
    "ITERATIONS",
    "VERDICTS",
    "AnalysisError",
    "Problem",
    "Proof",
    "TaskProof",
    "analyse",
    "endless",
    "load",
]

ITERATIONS = 200_000  # per level and per response: sums over all tasks; a few seconds at the very worst

CYCLE_JOBS = 1_000_000
"""Of a hyperperiod that decides where no busy period ends (takt_analysis_set)."""

VERDICTS = tuple(Verdict[one.name] for one in c.Verdict)  # by their number in C


@dataclass(frozen=True)
class TaskProof:
    """One task. `response_ns`: bound on arrival to completion; None: background, unbounded or not found. Of a server:
    of its budget."""

    name: str
    verdict: Verdict
    deadline_ns: int | None
    response_ns: int | None


@dataclass(frozen=True)
class Proof:
    """A system under one list of bands. `utilization`: declared wcets; `load`: with interrupts and kernel time."""

    verdict: Verdict
    tasks: tuple[TaskProof, ...]  # in declaration order
    utilization: Fraction
    load: Fraction
    reason: str  # one sentence
    servers: tuple[TaskProof, ...] = ()  # in declaration order
    unbounded: tuple[tuple[str, str], ...] = ()  # servers for whose work no bound was found, and why
    handled_ns: int | None = None  # bound on an interrupt and its handler, where messages are forwarded by one


@dataclass(frozen=True)
class _Ranked:
    """A task with its rank: `level` counts down from 0, `kind` and `band` are those of its band."""

    task: model.Task
    level: int
    kind: str
    band: model.Band


def _rank(system: model.System, bands: tuple[model.Band, ...]) -> list[_Ranked]:
    """All tasks, highest level first; background tasks that no band names go last."""
    named = {name for band in bands for name in band.tasks}
    rest = [task.name for task in system.tasks if task.name not in named]
    for name in rest:
        if system.task(name).separation_ns is not None:
            raise AnalysisError(f"task {name} is in no band", "name it in one")
    if rest:
        bands = (*bands, model.Band("fixed", (tuple(rest),)))
    groups = [(band, group) for band in bands for group in band.groups]
    ranked = [
        _Ranked(system.task(name), level, band.kind, band)
        for level, (band, group) in enumerate(groups)
        for name in group
    ]
    for higher, lower in pairwise(ranked):
        if higher.task.separation_ns is None and lower.task.separation_ns is not None:
            raise AnalysisError(
                f"background task {higher.task.name} is not below task {lower.task.name}, which has a deadline",
                "move it to a band of its own at the end",
            )
    return ranked


class Problem:
    """A declaration in the form of the C library, and its answers."""

    def __init__(
        self,
        system: model.System,
        bands: tuple[model.Band, ...],
        overheads: model.Overheads | None,
        cooperative: bool,
        iterations: int,
        steps: Steps | None = None,
    ) -> None:
        self.library = load()
        self.steps = steps or Steps()
        self.steps.take(TASK_STEPS * len(system.tasks))
        faults = budgets.fault_load(system, overheads)
        self.declared = created.in_proof(system)
        system = servers.in_proof(self.declared)
        self.ranked = _rank(system, bands)
        self.overheads = overheads
        self.quantum_ns = min((band.quantum_ns for band in bands if band.quantum_ns), default=0)
        self.system = system
        self.uses = Counter(task for mutex in system.of(Mutex) for task in mutex.locks.elements())
        self.locked_ns = budgets.locked_ns(system, overheads)
        self.resumed_ns = budgets.resumed_ns(system, overheads)
        if overheads and len(self.declared.tasks) > overheads.tasks_max:
            raise AnalysisError(
                f"{len(self.declared.tasks)} tasks, but the overheads of {overheads.board} were measured with at most "
                f"{overheads.tasks_max}",
                "--overheads none",
            )
        self.tasks = (c.Task * len(self.ranked))(*(self._task(ranked, cooperative) for ranked in self.ranked))
        self.stand_in = {ranked.task.name: i for i, ranked in enumerate(self.ranked) if self._server(ranked)}
        kind = next((ranked.kind for ranked in self.ranked if self._server(ranked)), "fixed")
        self.due = {
            i: due
            for i, ranked in enumerate(self.ranked)
            if system.servers
            and system.server_of(ranked.task.name)
            and (due := self.declared.task(ranked.task.name).deadline_ns)
        }
        """Deadlines of what servers serve."""
        self.served: dict[str, servers.Bounds] = {}  # by server, of the last responses()
        released = list(servers.releases(self.declared, overheads, kind))
        self.at_once_ns = sum(each_ns * more for each_ns, _, more in released)
        waits = [one.task.suspension_ns for one in self.ranked]
        self.suspensions = (ctypes.c_uint64 * len(waits))(*waits)
        """What of each wcet_ns is waits that need not count as execution for tasks below."""
        self.in_phase = {name for period in schedulers.transactions(system) for name in period}
        self.known = bool(self.in_phase) or any(self.suspensions)
        """Whether bounds of responses can accept what the verdict of the levels does not."""
        interrupts = [self._interrupt(self._interrupt_cost(i), i.min_interarrival_ns) for i in system.interrupts]
        interrupts += [self._interrupt(*load) for load in faults]
        interrupts += [self._interrupt(*load) for load in services.timer_load(system, overheads)]
        interrupts += [self._interrupt(each_ns, apart_ns) for each_ns, apart_ns, _ in released]
        if overheads and self.quantum_ns:
            interrupts.append(self._interrupt(overheads.timer_ns + overheads.complete_ns["fixed"], self.quantum_ns))
        self.interrupts = (c.Interrupt * len(interrupts))(*interrupts)
        self.set = c.Set(
            tasks=self.tasks,
            task_count=len(self.tasks),
            interrupts=self.interrupts,
            interrupt_count=len(self.interrupts),
            lock_ns=self.locked_ns,
            iterations=iterations,
            cooperative=cooperative,
            cycle_jobs=CYCLE_JOBS,
            steps=self.steps.pointer,
        )
        index = {ranked.task.name: (i, ranked) for i, ranked in enumerate(self.ranked)}
        alone, again = lock_order.sections_alone(system), schedulers.started_anew(system)
        holds = [
            c.Hold(
                hold_ns=self._hold_ns(hold, user.task) + self._handed_ns(mutex.name, user),
                mutex=number,
                task=at,
                alone=(mutex.name, hold.task) in alone,
                nested=bool(hold.within) or hold.locks is None,
                fifo=mutex.waiters == FIFO,
                locks=0 if hold.task in again or user.task.waits else hold.locks or 0,
            )
            for number, mutex in enumerate(system.of(Mutex))
            for hold in mutex.users
            for at, user in [index[hold.task]]
        ]
        holds += [c.Hold(mutex=number, task=index[one.name][0]) for one, number in servers.waited_for(self.declared)]
        self.holds = (c.Hold * len(holds))(*holds)
        self.overflows = False  # whether responses() met times that do not fit into 63 bits
        self.block()

    @staticmethod
    def _interrupt(wcet_ns: int, min_interarrival_ns: int) -> c.Interrupt:
        return c.Interrupt(wcet_ns=wcet_ns, min_interarrival_ns=min_interarrival_ns)

    def _task(self, ranked: _Ranked, cooperative: bool) -> c.Task:
        task, release, execution = ranked.task, ranked.task.miss_wcet_ns, ranked.task.wcet_ns
        if task.enforced:
            execution = (task.budget_ns or 0) + self.longest_ns(task)
        execution += task.suspension_ns + task.waits * self.resumed_ns
        if self.overheads and task.separation_ns is not None:
            release += self.overheads.release_ns[ranked.kind]
            own = budgets.own_ns(self.overheads, ranked.kind, bool(self.quantum_ns))
            woken = self.overheads.release_ns[ranked.kind]
            execution += (1 + task.waits) * own + self.uses[task.name] * (own + woken)
            execution += (task.waits + self.uses[task.name]) * self.overheads.fifo_ns
            release += task.waits * (woken + self.overheads.timer_ns)
            if self.overheads.processes and with_change.line_of(self.system, task) is not None:
                execution += self.overheads.processes.ack_ns
            if task.on_miss in ("notify", "stop"):
                release += self.overheads.timer_ns
            if task.on_budget != "none":
                release += self.overheads.timer_ns * (2 if task.name in self.uses else 1)
                execution += self.overheads.complete_ns[ranked.kind]
        server = self._server(ranked)
        if server is not None:
            execution = servers.execution_ns(self.system, self.overheads, server, ranked.kind, bool(self.quantum_ns))
            release = servers.release_ns(self.overheads, server, ranked.kind)
        times = {
            "wcet_ns": execution,
            "period_ns": task.separation_ns or 0,
            "deadline_ns": (task.deadline_ns or task.separation_ns or 0),
            "jitter_ns": task.jitter_ns,
            "release_cost_ns": release,
        }
        if max(times.values()) > MAX_NS:
            line = self.system.metadata.get(f"line {task.name}", "")
            problem = (
                f"a time of {max(times.values())} ns, waits and kernel included, exceeds the limit of the "
                f"analysis, {MAX_NS} ns"
            )
            where, _ = constructors.declared(self.system, task.name)
            label = f"{shown_path(self.system.path)}:{line}: {where}"
            raise AnalysisError(f"{label}: {problem}", "a shorter wcet, suspension, period or deadline")
        order = c.DEADLINE if ranked.kind == "edf" and not cooperative else c.EQUAL
        made = c.Task(
            **times,
            level=ranked.level,
            order=order,
            burst_more=task.burst - 1,
            distance_ns=task.burst_distance_ns,
        )
        if server is not None:
            servers.load(server, made)
        return made

    def _server(self, ranked: _Ranked) -> model.Server | None:
        return servers.stands_in(self.system, ranked.task.name) if self.system.servers else None

    def due_ns(self, index: int) -> int:
        """The deadline of a task; of a server without the jitter that others meet."""
        task = self.tasks[index]
        late_ns = task.jitter_ns if self.ranked[index].task.name in self.stand_in else 0
        return int(task.deadline_ns - late_ns)

    def _carried_ns(self) -> int:
        """Wakes in a busy period of jobs that were released before it."""
        if self.overheads is None:
            return 0
        wake_ns = max(self.overheads.release_ns.values()) + self.overheads.timer_ns
        waiting = ((ranked.task.waits, task) for ranked, task in zip(self.ranked, self.tasks, strict=True))
        carried = ((waits, task.burst_more - (-task.deadline_ns // task.period_ns)) for waits, task in waiting if waits)
        return sum(waits * jobs * wake_ns for waits, jobs in carried)

    def _interrupt_cost(self, interrupt: model.Interrupt) -> int:
        measured_ns = processes.line_ns(self.system, self.overheads, interrupt)
        if measured_ns is not None:
            return measured_ns
        return interrupt.wcet_ns + (self.overheads.interrupt_ns if self.overheads and interrupt.kernel else 0)

    def block(self) -> None:
        """Blocking of every task, anew when levels, deadlines, periods or jitter changed."""
        timers_ns = budgets.expiries_ns(self.system, self.overheads)
        self.set.lock_ns = self.locked_ns + self._carried_ns() + timers_ns + self.at_once_ns
        self._refuse(c.block(self.library, self.set, self.tasks, self.holds, len(self.system.of(Mutex))))

    def _hold_ns(self, hold: Hold, task: model.Task) -> int:
        return self.longest_ns(task) if task.enforced and hold.hold_ns > 0 else hold.hold_ns

    def _handed_ns(self, mutex: str, holder: _Ranked) -> int:
        own_ns = budgets.own_ns(self.overheads, holder.kind, bool(self.quantum_ns)) if self.overheads else 0
        return budgets.handed_ns(self.system, self.overheads, mutex, holder.task.name, holder.kind, own_ns)

    def longest_ns(self, task: model.Task) -> int:
        return budgets.longest_ns(self.system, self.overheads, task)

    @staticmethod
    def _refuse(status: int) -> None:
        if status != c.OK:
            raise AnalysisError(
                "the analysis rejects this declaration",
                "deadlines and inter-arrival times above 0, jitter below the deadline, holds within the wcet",
            )

    def feasible(self) -> bool:
        """Whether every deadline holds."""
        verdict = ctypes.c_int()
        status = self.library.takt_analysis_feasible(self.set, verdict, None, None)
        holds = status == c.OK and VERDICTS[verdict.value] is Verdict.FEASIBLE
        asks = self.due if holds else status == c.OK and self.known
        return self.judge()[0] is Verdict.FEASIBLE if asks else holds

    def judge(self) -> tuple[Verdict, list[Verdict], c.Reason]:
        verdict, numbers, reason = ctypes.c_int(), (ctypes.c_int * len(self.tasks))(), c.Reason()
        if self.steps.out:  # the blocking may be less than it was found to be
            return Verdict.UNDECIDED, [Verdict.UNDECIDED] * len(self.tasks), reason
        self._refuse(self.library.takt_analysis_feasible(self.set, verdict, numbers, reason))
        verdicts = [VERDICTS[number] for number in numbers]
        if self.due or (self.known and VERDICTS[verdict.value] is not Verdict.FEASIBLE):
            for i, bound in enumerate(self.responses()):
                if self.tasks[i].period_ns and bound is not None and bound <= self.due_ns(i):
                    verdicts[i] = Verdict.FEASIBLE
                elif i in self.due:
                    late = bound is None or bound > self.due[i]
                    verdicts[i] = Verdict.INFEASIBLE if late else Verdict.FEASIBLE
        return max(verdicts, key=VERDICTS.index, default=Verdict.FEASIBLE), verdicts, reason

    def responses(self) -> list[int | None]:
        """The bound of each task; None: there is none, or it was not found."""
        count = len(self.tasks)
        bounds, statuses = (ctypes.c_uint64 * count)(), (ctypes.c_int * count)()
        if any(self.suspensions):
            jitters, tried = (ctypes.c_uint64 * count)(), (ctypes.c_uint64 * count)()
            statuses_of = (ctypes.c_uint32 * count)()
            work = c.Work(tasks=(c.Task * count)(), jitters_ns=jitters, bounds_ns=tried, statuses=statuses_of)
            status = self.library.takt_analysis_suspended(self.set, self.suspensions, work, bounds, statuses)
        else:
            status = self.library.takt_analysis_responses(self.set, bounds, statuses)
        self._refuse(status)
        if self.in_phase:
            self._with_offsets(bounds, statuses)
        self.overflows = c.OVERFLOW in statuses
        found = [bound if status == c.OK else None for bound, status in zip(bounds, statuses, strict=True)]
        return self._with_servers(found) if self.system.servers else found

    def _with_servers(self, found: list[int | None]) -> list[int | None]:
        """Bounds of servers without the jitter that others meet, and of what they serve."""
        numbers = {ranked.task.name: i for i, ranked in enumerate(self.ranked)}
        for server in self.declared.servers:
            at, kind = self.stand_in[server.name], self.ranked[self.stand_in[server.name]].kind
            charged_ns = budgets.own_ns(self.overheads, kind, bool(self.quantum_ns)) if self.overheads else 0
            of = self.served[server.name] = servers.bounds(self.declared, server, self.set, at, found[at], charged_ns)
            for name, response_ns in of.responses_ns.items():
                found[numbers[name]] = response_ns
            if (bound := found[at]) is not None:
                found[at] = bound - int(self.tasks[at].jitter_ns)
        return found

    def _with_offsets(self, bounds: ctypes.Array[ctypes.c_uint64], statuses: ctypes.Array[ctypes.c_int]) -> None:
        """Takes the bounds that are less with the tasks' offsets."""
        count, first = len(self.tasks), dict[int, int]()
        phases = (c.Phase * count)()
        for i, (ranked, task) in enumerate(zip(self.ranked, self.tasks, strict=True)):
            group = first.setdefault(task.period_ns, i) if ranked.task.name in self.in_phase else i
            phases[i] = c.Phase(offset_ns=ranked.task.offset_ns or 0, group=group)
        found, tried = (ctypes.c_uint64 * count)(), (ctypes.c_int * count)()
        self._refuse(self.library.takt_analysis_phased(self.set, phases, (ctypes.c_size_t * count)(), found, tried))
        for i in range(count):
            if tried[i] == c.OK and (statuses[i] != c.OK or found[i] < bounds[i]):
                bounds[i], statuses[i] = found[i], c.OK

    def shares(self, end: int, waiting: range = range(0)) -> Iterator[Fraction]:
        """Shares of the processor: of interrupts, all releases, and the jobs of the first `end` tasks. Waits count
        where nothing else is known of them, and those of `waiting`."""
        for interrupt in self.interrupts:
            yield Fraction(interrupt.wcet_ns, interrupt.min_interarrival_ns)
        for i, task in enumerate(self.tasks):
            if task.period_ns:
                waits_ns = 0 if i in waiting else self.suspensions[i]
                yield Fraction(task.release_cost_ns + (task.wcet_ns - waits_ns if i < end else 0), task.period_ns)

    def level(self, index: int) -> range:
        """Indices of the tasks that share the level of one."""
        same = [i for i, task in enumerate(self.tasks) if task.level == self.tasks[index].level]
        return range(same[0], same[-1] + 1)


def analyse(
    system: model.System,
    bands: tuple[model.Band, ...],
    overheads: model.Overheads | None,
    *,
    cooperative: bool = False,
    responses: bool = True,
    iterations: int = ITERATIONS,
    steps: Steps | None = None,
) -> Proof:
    """Prove or refute every deadline of `system` under `bands` (highest first).

    `cooperative`: jobs are not preempted by jobs; the bands then give their order. `responses=False` leaves the bounds
    out (all None), for searches over many lists of bands. `steps`: where they run out, what is known then.
    AnalysisError for a system that the analysis does not support."""
    shares = (Fraction(t.wcet_ns, t.separation_ns) for t in servers.in_proof(system).tasks if t.separation_ns)
    utilization = sum(shares, Fraction(0))
    if cooperative and endless(system):
        tasks = tuple(TaskProof(t.name, Verdict.INFEASIBLE, t.deadline_ns, None) for t in system.tasks)
        never = "a background task without a wcet never yields under `cooperative`; declare its wcet"
        reason = f"task {endless(system)[0]}: {never}"
        return Proof(Verdict.INFEASIBLE, tasks, utilization, utilization, reason)
    circle = lock_order.cycle(system)
    if circle:
        stuck = {edge.task for edge in circle}
        verdict_of = {True: Verdict.INFEASIBLE, False: Verdict.UNDECIDED}
        tasks = tuple(TaskProof(t.name, verdict_of[t.name in stuck], t.deadline_ns, None) for t in system.tasks)
        return Proof(Verdict.INFEASIBLE, tasks, utilization, utilization, lock_order.describe(circle))
    problem = Problem(system, bands, overheads, cooperative, iterations, steps)
    verdict, verdicts, why = problem.judge()
    bounds: list[int | None] = [None] * len(verdicts)
    if responses:
        verdict = _refine(problem, verdicts, bounds)
    by_name = {
        ranked.task.name: TaskProof(ranked.task.name, verdicts[i], _deadline(ranked.task), bounds[i])
        for i, ranked in enumerate(problem.ranked)
    }
    for task in system.tasks:
        if system.server_of(task.name):
            by_name[task.name] = replace(by_name[task.name], deadline_ns=task.deadline_ns)
    tasks = tuple(by_name[task.name] for task in system.tasks)
    budgeted = tuple(by_name[server.name] for server in system.servers)
    unbounded = tuple((name, of.why) for name, of in problem.served.items() if of.why)
    whole = sum(problem.shares(len(problem.tasks)), Fraction(0))
    limit = problem.steps.why() if problem.steps.out else f"the limit of {iterations} iterations was reached"
    reason = (
        explain.praise(tasks, budgeted)
        if verdict is Verdict.FEASIBLE
        else explain.explain(problem, verdicts, bounds, why, limit)
    )
    handled_ns = handling.within_ns(problem) if any(one.forwards for one in system.messages) else None
    return Proof(verdict, tasks, utilization, whole, reason, budgeted, unbounded, handled_ns)


def endless(system: model.System) -> list[str]:
    """Background tasks that do not end."""
    return [task.name for task in system.tasks if task.separation_ns is None and task.wcet_ns == 0]


def _deadline(task: model.Task) -> int | None:
    return task.deadline_ns or task.separation_ns


def _refine(problem: Problem, verdicts: list[Verdict], bounds: list[int | None]) -> Verdict:
    """Fill in the bounds and tell the tasks of one edf level apart by them. Returns the system's verdict.

    A refuted level whose bounds were not found keeps its verdict for all its tasks; where one that is proved has none,
    as where no busy period ends, the deadline is one.
    """
    for i, (task, bound) in enumerate(zip(problem.tasks, problem.responses(), strict=True)):
        if bound is None and task.period_ns and verdicts[i] is Verdict.FEASIBLE:
            bounds[i] = problem.due_ns(i)
            continue
        bounds[i] = bound
        if task.order == c.DEADLINE and bound is not None:
            verdicts[i] = Verdict.FEASIBLE if bound <= task.deadline_ns else Verdict.INFEASIBLE
    return max(verdicts, key=VERDICTS.index, default=Verdict.FEASIBLE)
