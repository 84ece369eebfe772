# SPDX-License-Identifier: Apache-2.0
"""What the records of a run, so far, say of its tasks: loads, jobs, misses, responses, margins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from takt.observe import process_faults
from takt.trace.records import IDLE, Entry, Event, Names
from takt.trace.replay import INTERRUPTS, Replay

LOAD_NS = 1_000_000_000  # a load is that of the last stretch of such a length
PENDING_MAX = 1000  # jobs of a task whose ends may be missing in the trace


@dataclass
class TaskSoFar:
    """One task. Times in ns; None: nothing is known of it yet."""

    jobs: int = 0  # completed
    misses: int = 0
    response_ns_max: int | None = None
    margin_ns_min: int | None = None  # from the end of a job to its deadline; negative: it was late
    begun: dict[int, tuple[int, int | None]] = field(default_factory=dict)  # by job: its release, and its deadline


@dataclass(frozen=True)
class News:
    """An event that a reader should see. `kind`: missed, fault, budget or lost."""

    time_ns: int
    kind: str
    task: str
    text: str


class Figures:
    """The whole system. `step` takes every entry in order."""

    def __init__(self, names: Names) -> None:
        self.tasks = [TaskSoFar() for _ in names.tasks]
        self.now_ns = 0
        self.lost_records = 0
        self.replay = Replay(names)
        self._names = names
        self._used_ns: dict[int, int] = {}  # in this stretch, by task or INTERRUPTS
        self._since_ns = 0  # it began
        self._load: dict[int, float] = {}
        self._steps: dict[Event, Callable[[Entry], News | None]] = {
            Event.RELEASE: self._release,
            Event.COMPLETE: self._complete,
            Event.MISS: self._miss,
            Event.LOST_RECORDS: self._lose,
            Event.PROCESS: self._process,
            Event.BUDGET: self._budget,
        }

    def step(self, entry: Entry) -> News | None:
        if entry.event >= Event.STAT_JOBS:
            return None
        self.pass_to(entry.time_ns)
        self.replay.step(entry)
        one = self._steps.get(entry.event)
        return one(entry) if one is not None else None

    def pass_to(self, now_ns: int) -> None:
        """Time passes without a record."""
        while now_ns - self._since_ns >= LOAD_NS:
            self._use(self._since_ns + LOAD_NS)
            self._load = {actor: used_ns / LOAD_NS for actor, used_ns in self._used_ns.items()}
            self._used_ns, self._since_ns = {}, self._since_ns + LOAD_NS
        self._use(now_ns)

    def _use(self, now_ns: int) -> None:
        busy = self.replay.busy()
        if busy is not None and now_ns > self.now_ns:
            self._used_ns[busy[0]] = self._used_ns.get(busy[0], 0) + now_ns - self.now_ns
        self.now_ns = max(self.now_ns, now_ns)

    def load(self, actor: int) -> float:
        """A share of the processor, 0 to 1, of a task or INTERRUPTS: of the last second of the run, or since the start
        in the first."""
        if self._since_ns:
            return self._load.get(actor, 0.0)
        return self._used_ns.get(actor, 0) / self.now_ns if self.now_ns else 0.0

    def load_of_all(self) -> float:
        """Of all tasks and interrupts together."""
        return sum(self.load(actor) for actor in (INTERRUPTS, *range(len(self.tasks))))

    @property
    def misses(self) -> int:
        return sum(task.misses for task in self.tasks)

    def least_margin(self) -> tuple[int, str] | None:
        """In ns, and of which task; None: no job with a deadline has ended."""
        known = [
            (task.margin_ns_min, name)
            for task, name in zip(self.tasks, self._names.tasks, strict=True)
            if task.margin_ns_min is not None
        ]
        return min(known, default=None)

    def _release(self, entry: Entry) -> None:
        task = self.tasks[entry.task]
        relative_ns = self._names.deadline_ns(entry.task)
        deadline_ns = entry.value or None
        release_ns = entry.time_ns if deadline_ns is None or relative_ns is None else deadline_ns - relative_ns
        if entry.job is not None and len(task.begun) < PENDING_MAX:
            task.begun[entry.job] = release_ns, deadline_ns

    def _complete(self, entry: Entry) -> None:
        task = self.tasks[entry.task]
        task.jobs += 1
        begun = task.begun.pop(entry.job, None) if entry.job is not None else None
        if begun is None:
            return
        release_ns, deadline_ns = begun
        task.response_ns_max = max(task.response_ns_max or 0, entry.time_ns - release_ns)
        if deadline_ns is not None:
            margin_ns = deadline_ns - entry.time_ns
            task.margin_ns_min = margin_ns if task.margin_ns_min is None else min(task.margin_ns_min, margin_ns)

    def _miss(self, entry: Entry) -> News:
        self.tasks[entry.task].misses += 1
        job = "" if entry.job is None else f" of job {entry.job}"
        return News(entry.time_ns, "missed", self._names.task(entry.task) or "", f"the deadline{job} passed")

    def _lose(self, entry: Entry) -> News:
        self.lost_records += entry.value
        for task in self.tasks:
            task.begun = {}
        text = f"{entry.value} trace records were lost: there was no idle time in which to send them"
        return News(entry.time_ns, "lost", "", text)

    def _process(self, entry: Entry) -> News | None:
        process, task = self._names.process(entry.object), self._names.task(entry.task) or ""
        if entry.value in process_faults.CAUSES:
            return News(entry.time_ns, "fault", task, f"process {process}: {process_faults.CAUSES[entry.value][1]}")
        return None

    def _budget(self, entry: Entry) -> News | None:
        if entry.task >= IDLE or entry.value not in _BUDGETS:
            return None
        return News(entry.time_ns, "budget", self._names.task(entry.task) or "", _BUDGETS[entry.value])


_BUDGETS = {
    0: "its job used up its budget",
    1: "its job used up its budget: demoted",
    2: "its job used up its budget: stopped",
    3: "its section lasted longer than its hold: stopped",
}
