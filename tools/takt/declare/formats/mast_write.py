# SPDX-License-Identifier: Apache-2.0
"""A system as a model of MAST 1.5, for its worst-case analyses: written in microseconds."""

from __future__ import annotations

from collections.abc import Iterator

from takt.declare.exchange.model import Left
from takt.declare.formats.csv_file import of_tasks
from takt.declare.schema.model import Band, Server, System, Task
from takt.declare.schema.reader import located
from takt.declare.service_kinds.mutex import Mutex
from takt.declare.services import objects

_UNIT = "us"
_HEAD = f"""-- Written by takt export.
-- unit: {_UNIT}
"""


def write(system: System, bands: tuple[Band, ...]) -> tuple[str, list[Left]]:
    """The model, and what of the system it does not say."""
    _refuse_names(system)
    model = _Model(system, bands)
    return _HEAD + "\n".join(f"{line};\n" for line in model.objects()), list(model.left())


def _refuse_names(system: System) -> None:
    """UserError: two names that MAST does not tell apart."""
    seen: dict[str, str] = {}
    names = [*system.names, *(one.name for one in system.interrupts), *(one.name for one in system.of(Mutex))]
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            problem = f'"{other}" and "{name}" are one name in MAST, which has no case'
            raise located(system, name, problem, "another name")


def _time(value_ns: int) -> str:
    return f"{value_ns // 1000}.{value_ns % 1000:03d}"


class _Model:
    def __init__(self, system: System, bands: tuple[Band, ...]) -> None:
        self.system = system
        groups = [(band, group) for band in bands for group in band.groups]
        self.by_deadline = {name for band in bands if band.kind == "edf" for name in band.tasks}
        # Background tasks are below all others; an EDF band has one priority.
        self.priorities = {name: len(groups) + 1 - index for index, (_, group) in enumerate(groups) for name in group}
        self.bands = [band for band in bands if band.kind == "edf"]
        self.all_bands = bands

    def objects(self) -> Iterator[str]:
        yield f"Model (Model_Name => {self._word(self.system.name)}, Model_Date => 2000-01-01)"
        yield "Processing_Resource (Type => Regular_Processor, Name => processor)"
        yield (
            "Scheduler (Type => Primary_Scheduler, Name => scheduler, Host => processor,\n"
            "   Policy => (Type => Fixed_Priority))"
        )
        yield from self._edf_bands()
        for mutex in self.system.of(Mutex):
            kind = "Immediate_Ceiling_Resource" if mutex.protocol == "ceiling" else "Priority_Inheritance_Resource"
            if any(user.hold_ns == 0 for user in mutex.users):
                ceiling = max(self.priorities.get(user.task, 1) for user in mutex.users)
                yield (
                    f"Shared_Resource (Type => {kind}, Name => {mutex.name}, Ceiling => {ceiling}, Preassigned => Yes)"
                )
            else:
                yield f"Shared_Resource (Type => {kind}, Name => {mutex.name})"
        for interrupt in self.system.interrupts:
            yield from self._interrupt(interrupt.name, interrupt.wcet_ns, interrupt.min_interarrival_ns)
        for task in self.system.tasks:
            if self._is_said(task):
                yield from self._task(task)

    def _word(self, text: str) -> str:
        """A name of the user's as an identifier of MAST."""
        word = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in text)
        return word if word[:1].isalpha() else f"m_{word}"

    def _edf_bands(self) -> Iterator[str]:
        for number, band in enumerate(self.bands):
            priority = self.priorities[band.tasks[0]]
            yield (
                f"Scheduling_Server (Type => Regular, Name => band_{number}, Scheduler => scheduler,\n"
                f"   Server_Sched_Parameters => (Type => Fixed_Priority_Policy, The_Priority => {priority}))"
            )
            yield (
                f"Scheduler (Type => Secondary_Scheduler, Name => edf_{number}, Server => band_{number},\n"
                "   Policy => (Type => EDF))"
            )

    def _is_said(self, task: Task) -> bool:
        return task.wcet_ns > 0 and task.burst == 1

    def _task(self, task: Task) -> Iterator[str]:
        yield from self._operations(task)
        yield self._server(task)
        event = f"e_{task.name}"
        due = ""
        if task.deadline_ns is not None:
            due = (
                ",\n         Timing_Requirements => (Type => Hard_Global_Deadline,"
                f"\n            Deadline => {_time(task.deadline_ns)}, Referenced_Event => {event})"
            )
        yield (
            f"Transaction (Type => Regular, Name => {task.name},\n"
            f"   External_Events => ((Type => {self._arrival(task)}, Name => {event})),\n"
            f"   Internal_Events => ((Type => Regular, Name => o_{task.name}{due})),\n"
            f"   Event_Handlers => ((Type => Activity, Input_Event => {event}, Output_Event => o_{task.name},\n"
            f"      Activity_Operation => {task.name}, Activity_Server => {self._server_name(task)})))"
        )

    def _arrival(self, task: Task) -> str:
        if task.period_ns is not None:
            more = f", Max_Jitter => {_time(task.jitter_ns)}, Phase => {_time(task.offset_ns or 0)}"
            return f"Periodic, Period => {_time(task.period_ns)}{more}"
        if task.min_interarrival_ns is not None:
            return f"Sporadic, Min_Interarrival => {_time(task.min_interarrival_ns)}"
        return "Unbounded"

    def _server_name(self, task: Task) -> str:
        server = self.system.server_of(task.name)
        return task.name if server is None else server.name

    def _server(self, task: Task) -> str:
        server = self.system.server_of(task.name)
        scheduler = "scheduler"
        if server is not None:
            policy = self._budget(server)
        elif task.name in self.by_deadline:
            number = next(index for index, band in enumerate(self.bands) if task.name in band.tasks)
            scheduler = f"edf_{number}"
            policy = f"Type => EDF_Policy, Deadline => {_time(task.deadline_ns or 0)}"
        else:
            policy = f"Type => Fixed_Priority_Policy, The_Priority => {self.priorities.get(task.name, 1)}"
        return (
            f"Scheduling_Server (Type => Regular, Name => {self._server_name(task)}, Scheduler => {scheduler},\n"
            f"   Server_Sched_Parameters => ({policy}))"
        )

    def _budget(self, server: Server) -> str:
        priority = self.priorities.get(server.name, 1)
        if server.kind == "sporadic":
            return (
                f"Type => Sporadic_Server_Policy, Normal_Priority => {priority}, Background_Priority => 1,\n"
                f"      Initial_Capacity => {_time(server.budget_ns)},"
                f" Replenishment_Period => {_time(server.period_ns)}"
            )
        return f"Type => Polling_Policy, The_Priority => {priority}, Polling_Period => {_time(server.period_ns)}"

    def _operations(self, task: Task) -> Iterator[str]:
        """The operation of a job; its sections are operations in it: the longest of each mutex, as often as it is."""
        inner: list[str] = []
        for mutex in self.system.of(Mutex):
            for user in mutex.users:
                if user.task != task.name or user.hold_ns == 0 or user.within:
                    continue
                name = f"{task.name}.{mutex.name}"
                nested = [
                    (one.name, held.hold_ns)
                    for one in self.system.of(Mutex)
                    for held in one.users
                    if held.task == task.name and mutex.name in held.within
                ]
                locks = ", ".join([mutex.name, *(one for one, _ in nested)]) if nested else mutex.name
                yield (
                    f"Operation (Type => Simple, Name => {name}, Worst_Case_Execution_Time => {_time(user.hold_ns)},\n"
                    f"   Shared_Resources_List => ({locks}))"
                )
                inner += [name] * (user.locks or 1)
        if not inner:
            yield (
                f"Operation (Type => Simple, Name => {task.name}, Worst_Case_Execution_Time => {_time(task.wcet_ns)})"
            )
            return
        yield (
            f"Operation (Type => Enclosing, Name => {task.name}, Worst_Case_Execution_Time => {_time(task.wcet_ns)},\n"
            f"   Composite_Operation_List => ({', '.join(inner)}))"
        )

    def _interrupt(self, name: str, wcet_ns: int, apart_ns: int) -> Iterator[str]:
        yield f"Operation (Type => Simple, Name => {name}, Worst_Case_Execution_Time => {_time(wcet_ns)})"
        priority = len(self.priorities) + 2
        yield (
            f"Scheduling_Server (Type => Regular, Name => {name}, Scheduler => scheduler,\n"
            f"   Server_Sched_Parameters => (Type => Interrupt_FP_Policy, The_Priority => {priority}))"
        )
        yield (
            f"Transaction (Type => Regular, Name => {name},\n"
            f"   External_Events => ((Type => Sporadic, Name => e_{name}, Min_Interarrival => {_time(apart_ns)})),\n"
            f"   Internal_Events => ((Type => Regular, Name => o_{name})),\n"
            f"   Event_Handlers => ((Type => Activity, Input_Event => e_{name}, Output_Event => o_{name},\n"
            f"      Activity_Operation => {name}, Activity_Server => {name})))"
        )

    def left(self) -> Iterator[Left]:
        for task in self.system.tasks:
            yield from self._of_task(task)
        for server in self.system.servers:
            yield from self._of_server(server)
        for service, _, item in objects(self.system):
            if not isinstance(item, Mutex):
                yield self._one(item.name, f'[[{service.kind}]] "{item.name}"')
        for mutex in self.system.of(Mutex):
            yield from self._of_mutex(mutex)
        yield from of_tasks(self.system, self.all_bands)

    def _one(self, name: str, what: str, optimistic: bool = True) -> Left:
        return Left(int(self.system.metadata.get(f"line {name}") or 0), what, optimistic)

    def _of_task(self, task: Task) -> Iterator[Left]:
        label = f'[[task]] "{task.name}"'
        if not task.wcet_ns:
            yield self._one(task.name, f"{label}: a background task without a wcet", False)
        elif task.burst > 1:
            yield self._one(task.name, f"{label}: burst")
        if task.suspension_ns:
            yield self._one(task.name, f"{label}: suspension")
        if task.min_interarrival_ns is not None and task.jitter_ns:
            yield self._one(task.name, f"{label}: jitter of a sporadic task")

    def _of_server(self, server: Server) -> Iterator[Left]:
        label = f'[[server]] "{server.name}"'
        if server.kind == "deferrable" or len(server.serves) > 1:
            yield self._one(server.name, f"{label}: {server.kind} for {len(server.serves)} tasks")
        elif server.kind == "polling" and server.budget_ns != self.system.task(server.serves[0]).wcet_ns:
            yield self._one(server.name, f"{label}: budget; there it is the wcet of the task")
        if server.deadline_ns != server.period_ns:
            yield self._one(server.name, f"{label}: deadline", False)

    def _of_mutex(self, mutex: Mutex) -> Iterator[Left]:
        label = f'[[mutex]] "{mutex.name}"'
        if any(user.within for user in mutex.users):
            yield self._one(mutex.name, f"{label}: sections in others last as long as those", False)
        if any(user.locks is None and user.hold_ns for user in mutex.users):
            yield self._one(mutex.name, f"{label}: locks are not known; there each job locks it once")
        if mutex.waiters != "priority":
            yield self._one(mutex.name, f"{label}: waiters in FIFO order")
