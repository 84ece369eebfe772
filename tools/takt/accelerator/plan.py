# SPDX-License-Identifier: Apache-2.0
"""What happens when, as far as a declaration says it: the loads that `walk` plays."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from takt.declare import missed, services
from takt.declare.schema import boards, levels
from takt.declare.schema.model import System, Task
from takt.declare.service_kinds.alarm import Alarm
from takt.declare.service_kinds.mutex import Mutex
from takt.image.build import records_of
from takt.image.tables import generate
from takt.prove.proof import Proved
from takt.support.errors import UserError

"""Objects whose declaration does not say how often they are used."""


@dataclass(frozen=True)
class Load:
    """A task. `parts_ns`: what a job executes, with a wait of `wait_ns` after each but the last. `period_ns` None: it
    begins once. `source`: the index of what releases it, in Plan.sources; None: time does."""

    name: str
    level: int
    edf: bool
    parts_ns: tuple[float, ...]
    wait_ns: float
    period_ns: int | None
    offset_ns: int
    deadline_ns: int | None
    sections: int
    watched: bool
    source: int | None = None
    pending_max: int = 1


@dataclass(frozen=True)
class Source:
    """An event every `period_ns` from `start_ns` on. `kind`: an "alarm", in the timer's interrupt; an "interrupt" of
    its own; a "call" of the running task, that releases a job."""

    name: str
    period_ns: int
    start_ns: int
    handler_ns: int
    kind: str


@dataclass(frozen=True)
class Plan:
    """`kernel`: its folder of kernel/config/sched/."""

    loads: tuple[Load, ...]
    sources: tuple[Source, ...]
    kernel: str

    @property
    def called(self) -> set[str]:
        """Tasks that a call releases: when in its job somebody calls, nothing declares."""
        return {one.name for one in self.loads if one.source is not None and self.sources[one.source].kind == "call"}

    @property
    def longest_ns(self) -> int:
        """The longest distance of two equal events."""
        return max([0, *(one.period_ns or 0 for one in self.loads), *(one.period_ns for one in self.sources)])


def plan(proved: Proved) -> Plan:
    """Of a system, with every job as long as its wcet and every interrupt as often as it may come."""
    system = proved.system
    sources: dict[str, Source] = {}
    for alarm in system.of(Alarm):
        if alarm.period_ns:
            start_ns = alarm.period_ns if alarm.start_ns is None else alarm.start_ns
            handler_ns = 0 if alarm.queue is not None else alarm.wcet_ns
            sources[f"alarm {alarm.name}"] = Source(alarm.name, alarm.period_ns, start_ns, handler_ns, "alarm")
    for item in system.interrupts:
        each_ns = item.min_interarrival_ns
        sources[f"interrupt {item.name}"] = Source(item.name, each_ns, each_ns, item.wcet_ns, "interrupt")
    for task in system.tasks:
        if task.trigger is not None and task.trigger.split()[0] not in ("interrupt", "alarm", "alarm_queue"):
            each_ns = task.min_interarrival_ns or 0
            sources[task.trigger] = Source(task.trigger, each_ns, each_ns, 0, "call")
    names = list(sources)
    ranks = {name: (number, level.edf) for number, level in enumerate(levels.levels(proved.bands, system))
             for name in level.tasks}  # fmt: skip
    loads = tuple(_load(proved, task, ranks[task.name], names) for task in system.tasks)
    kernel = levels.kernel_kind(system, proved.bands, proved.choice.cooperative)
    return Plan(loads, tuple(sources.values()), kernel)


def _load(proved: Proved, task: Task, rank: tuple[int, bool], sources: list[str]) -> Load:
    own_ns = generate.work_ns(task, proved.board) if task.entry is None else task.wcet_ns
    parts_ns: tuple[float, ...] = (own_ns / (task.waits + 1),) * (task.waits + 1)
    if task.separation_ns is None and not task.wcet_ns:
        parts_ns = (inf,)
    return Load(
        name=task.name,
        level=rank[0],
        edf=rank[1],
        parts_ns=parts_ns,
        wait_ns=task.suspension_ns / task.waits if task.waits else 0,
        period_ns=task.separation_ns,
        offset_ns=task.offset_ns or 0,
        deadline_ns=task.deadline_ns,
        sections=sum(mutex.locks[task.name] for mutex in proved.system.of(Mutex)),
        watched=missed.watched(task),
        source=sources.index(task.trigger) if task.trigger in sources else None,
        pending_max=task.pending_max,
    )


def refuse(proved: Proved, kernels: tuple[str, ...], preset: str, records: int) -> None:
    """UserError: what events of this system take was not measured."""
    system = proved.system
    kernel = levels.kernel_kind(system, proved.bands, proved.choice.cooperative)
    if kernel not in kernels:
        raise UserError(
            f"the costs of events were not measured for kernel {kernel}", f"a system for {', '.join(kernels)}"
        )
    if system.preset != preset:
        raise UserError(f"the costs of events were measured for preset {preset}", f'preset = "{preset}"')
    if records_of(proved, boards.RTM) != records:
        problem = f"the costs of events were measured with {records} records, one for each task and timer"
        raise UserError(f"{problem}, but {generate.timers_needed(system)} are needed", "a smaller system")


def untold(system: System) -> list[str]:
    """What of the declaration is not in a plan, in plain words."""
    found = []
    triggers = {(task.trigger or "").partition(" ")[2] for task in system.tasks}
    waited = (item for service, _, item in services.objects(system) if service.waited and service.kind != "mutex")
    others = any(item.name not in triggers for item in waited)
    if others or any(len(mutex.lockers) > 1 for mutex in system.of(Mutex)):
        found.append("waits for mutexes and calls on other objects: their number is not declared")
    if system.runtime_tasks or system.threads:
        found.append("tasks started at run time")
    if system.quantum_ns or any(band.quantum_ns for band in system.bands):
        found.append("time slices")
    if any(task.burst > 1 for task in system.tasks):
        found.append("bursts")
    if system.protection:
        found.append("costs of processes")
    return found
