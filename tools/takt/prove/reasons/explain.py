# SPDX-License-Identifier: Apache-2.0
"""The reason of a verdict, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Protocol

from takt.declare import services
from takt.declare.schema.model import System, Verdict
from takt.declare.service_kinds import state_copies
from takt.support.c import analysis as c
from takt.support.durations import show


class TaskProof(Protocol):
    """takt.prove.analysis.TaskProof, which imports this."""

    @property
    def name(self) -> str: ...
    @property
    def deadline_ns(self) -> int | None: ...
    @property
    def response_ns(self) -> int | None: ...


class Problem(Protocol):
    """Of takt.prove.analysis.Problem, what is said of it."""

    tasks: Any
    ranked: Any
    set: Any
    system: System
    declared: System
    stand_in: dict[str, int]
    due: dict[int, int]
    served: Any
    overflows: bool

    def level(self, index: int) -> range: ...
    def due_ns(self, index: int) -> int: ...
    def shares(self, end: int, waiting: range = ...) -> Iterator[Fraction]: ...


def praise(tasks: Sequence[TaskProof], servers: Sequence[TaskProof]) -> str:
    """Of a proved system: which deadline is the closest."""
    all_of = [("task", task) for task in tasks] + [("server", server) for server in servers]
    bounded = [(kind, one) for kind, one in all_of if one.response_ns and one.deadline_ns]
    if not bounded:
        return "every deadline holds"
    kind, tightest = min(bounded, key=lambda pair: (pair[1].deadline_ns or 0) - (pair[1].response_ns or 0))
    return (
        f"every deadline holds; the least slack has {kind} {tightest.name}: worst-case response "
        f"{show(tightest.response_ns or 0)}, deadline {show(tightest.deadline_ns or 0)}"
    )


def explain(problem: Problem, verdicts: list[Verdict], bounds: list[int | None], why: c.Reason, limit: str) -> str:
    """The first task or edf band with the worst verdict, and the numbers that show it. `limit`: which one was reached,
    if it is undecided."""
    index = verdicts.index(max(verdicts, key=lambda one: c.Verdict[one.name]))
    if index in problem.due:
        return _of_served(problem, index, bounds[index])
    return _of_level(problem, index, verdicts, bounds, why, limit)


def _of_level(
    problem: Problem,
    index: int,
    verdicts: list[Verdict],
    bounds: list[int | None],
    why: c.Reason,
    limit: str,
) -> str:
    members = problem.level(index)
    edf = problem.tasks[index].order == c.Order.DEADLINE
    name, deadline = problem.ranked[index].task.name, show(problem.due_ns(index))
    subject = f"{'server' if name in problem.stand_in else 'task'} {name}"
    if edf:
        subject = f"in the edf band of {', '.join(problem.ranked[i].task.name for i in members)}"
    share = sum(problem.shares(members.stop, members), Fraction(0))
    if share > 1:
        percent = f"{float(100 * share):.6g}"
        over = "a little over 100" if percent == "100" else percent
        waits = any(ranked.task.waits for ranked in problem.ranked[: members.stop])
        counted = ", waits of jobs counted as execution" if waits else ""
        return f"{subject}: with everything of higher priority, the load is {over} % of the processor{counted}"
    if verdicts[index] == Verdict.UNDECIDED:
        limit = "a busy period is longer than 2^63 ns" if problem.overflows else limit
        if share == 1:
            jobs = problem.set.cycle_jobs
            limit = f"a busy period may have no end at a load of 100 %, and the hyperperiod has over {jobs} jobs"
        return f"{subject}: undecided, {limit}; nothing is proved or refuted"
    for i in members if edf else (index,):
        jitter_ns, deadline_ns = problem.tasks[i].jitter_ns, problem.tasks[i].deadline_ns
        if jitter_ns >= deadline_ns:
            first = f"{subject}: " if edf else ""
            late = f"jitter {show(jitter_ns)} is not shorter than its deadline {show(deadline_ns)}"
            return f"{first}task {problem.ranked[i].task.name}: {late}: a job may be released too late"
    bound = bounds[index]
    late = f"worst-case response {show(bound or 0)} exceeds its deadline {deadline}"
    copy = _locked_copy(problem)
    if not edf:
        return f"{subject}: {late if bound else f'its response exceeds its deadline {deadline}'}{copy}"
    if why.task not in members:
        return f"{subject}: task {name}: {late}{copy}"
    demand = f"the jobs with deadlines up to t = {show(why.time_ns)} need {show(why.demand_ns)}"
    example = f"; task {name}: {late}" if bound else ""
    return f"{subject}: {demand}, but only {show(why.available_ns)} fits{example}{copy}"


def _of_served(problem: Problem, index: int, bound: int | None) -> str:
    name = problem.ranked[index].task.name
    server = problem.declared.server_of(name)
    by = server.name if server else ""
    deadline = show(problem.due[index])
    if bound is None:
        return f"task {name}, served by {by}: no bound within its deadline {deadline}: {problem.served[by].why}"
    return f"task {name}, served by {by}: worst-case response {show(bound)} exceeds its deadline {deadline}"


def _locked_copy(problem: Problem) -> str:
    """The part of a slow reader of a state message in the blocking, if no handler locks the kernel for longer."""
    found = state_copies.longest_copy(problem.system)
    if found is None or found[1].read_ns < services.locked_ns(problem.system):
        return ""
    state, read = found
    return f"; this includes {show(read.read_ns)} for which {read.task} reads {state.name} with the kernel locked"
