# SPDX-License-Identifier: Apache-2.0
"""An alarm: a software timer, which calls a handler or releases a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from takt.declare.schema.kinds import (
    DURATION,
    IDENTIFIER,
    NAME,
    POSITIVE_DURATION,
    Key,
    Table,
)
from takt.declare.schema.model import System, Task
from takt.declare.schema.reader import Document, located
from takt.declare.schema.service import (
    HANDLER_TASK,
    HANDLER_WCET,
    Context,
    Costs,
    Load,
    Service,
    u64,
)

TABLE = Table(
    "alarm",
    "A software timer. Its interrupts count above every band in the proof, and its handler, unless a task calls it."
    ' A task with the trigger "alarm NAME" is released when it expires.',
    (
        NAME,
        Key("period", POSITIVE_DURATION, "It expires repeatedly, at this distance.", default_text="none"),
        Key(
            "min_interarrival",
            POSITIVE_DURATION,
            "It expires once after the program starts it: least time between two expiries.",
            default_text="none",
        ),
        Key("start", DURATION, "Its first expiry.", default_text="none: the program starts it"),
        Key(
            "handler",
            IDENTIFIER,
            "The C function, called in the timer's interrupt or for `queue`: `void NAME(struct takt_alarm *alarm)`.",
            default_text="none: executes for exactly `wcet`",
        ),
        HANDLER_WCET,
        Key(
            "queue",
            IDENTIFIER,
            "The alarm queue whose task calls the handler.",
            default_text="none: the timer's interrupt does",
        ),
        Key(
            "process",
            IDENTIFIER,
            "With protection: the process whose task calls the handler, in user mode; the interrupt only releases it."
            " The task is called `NAME_task`.",
            default_text="none: with protection it only releases a task",
        ),
        *HANDLER_TASK,
    ),
)


@dataclass(frozen=True)
class Alarm:
    """`separation_ns`: least time between two expiries. `start_ns`: the first; None: the program starts it."""

    name: str
    separation_ns: int
    period_ns: int  # 0: it comes once
    start_ns: int | None
    handler: str | None  # C function; None: it executes for wcet_ns, or only releases a task
    wcet_ns: int  # of the handler
    queue: str | None = None  # the alarm queue whose task calls the handler; None: the timer's interrupt does
    process: str | None = None  # with protection: whose task calls the handler, ...
    deadline_ns: int | None = None  # ... its deadline; None: separation_ns
    stack: int = 1024  # ... its stack, bytes
    called: str | None = None  # with protection: the handler that such a task calls, in place of `handler`


def _read(document: Document, values: dict[str, Any], index: int) -> Alarm:
    label = f'[[alarm]] "{values["name"]}"'
    period, distance = values["period"], values["min_interarrival"]
    if period is not None and distance is not None:
        problem = f"{label}: period and min_interarrival exclude each other"
        document.fail(("alarm", index, "min_interarrival"), problem, "keep one")
    if period is None and distance is None:
        problem = f"{label}: neither period nor min_interarrival"
        document.fail(("alarm", index), problem, 'period = "10 ms", or min_interarrival for one that comes once')
    rest = (values[key] for key in ("start", "handler", "wcet", "queue", "process", "deadline", "stack"))
    return Alarm(values["name"], distance or period, period or 0, *rest)


def _check(document: Document, system: System, index: int, item: Alarm) -> None:
    label = f'[[alarm]] "{item.name}"'
    if item.handler is not None and item.wcet_ns == 0:
        document.fail(("alarm", index), f'{label}: "wcet" is missing', "the longest execution of its handler")
    if item.process is not None and (item.handler is None or item.queue is not None):
        other = "no handler" if item.handler is None else "queue"
        problem = f"{label}: process and {other}: a task of the process would call the handler"
        document.fail(("alarm", index, "process"), problem, "handler and process, without queue; or no process")
    triggers = any(task.trigger == f"alarm {item.name}" for task in system.tasks)
    if item.handler is None and item.wcet_ns == 0 and not triggers:
        hint = f'handler = "{item.name}_came" and its wcet, or a task with trigger = "alarm {item.name}"'
        document.fail(("alarm", index), f"{label}: it has no effect when it expires", hint)


def _define(item: Alarm, context: Context) -> Iterator[str]:
    yield f"static void takti_alarm_{item.name}(struct takt_alarm *alarm)\n{{\n    (void)alarm;"
    yield from context.handling(item)
    yield "}"
    arguments = f"{item.name}, {context.ids[item.name]}, takti_alarm_{item.name}, {u64(item.period_ns)}"
    yield (
        f"TAKT_ALARM_DEFINE({arguments});"
        if item.queue is None
        else (f"TAKT_ALARM_QUEUED_DEFINE({arguments}, &{item.queue});")
    )


def _start(item: Alarm) -> Iterator[str]:
    yield f"    TAKT_ALARM_KEEP_DISTANCE({item.name}, {u64(item.separation_ns)});"
    if item.start_ns is not None:
        yield f"    (void)!takt_alarm_start(&{item.name}, {u64(item.start_ns)});"


def _load(item: Alarm, _system: System, costs: Costs) -> Load:
    """The load of an alarm. With a queue its handler is part of the job of the task that serves it."""
    return [((item.wcet_ns if item.queue is None else 0) + costs.interrupt_ns, item.separation_ns)]


def _in_process(item: Alarm) -> tuple[str, str] | None:
    if item.handler is None:
        return None
    hint = "process, whose task then calls it; a task with trigger; or protection = false"
    return "handler: with protection an alarm only releases a task", hint


def task_name(name: str) -> str:
    """The name of the task that calls the handler of an alarm."""
    return f"{name}_task"


def alarmed(system: System) -> System:
    """The system in which each alarm of a process only releases a task, which calls its handler."""
    tasks, alarms = list(system.tasks), []
    processes = {process.name: process for process in system.processes}
    for item in system.of(Alarm):
        if item.process is None:
            alarms.append(item)
            continue
        other = next((task for task in system.tasks if task.trigger == f"alarm {item.name}"), None)
        if other is not None:
            problem = f'[[task]] "{other.name}": trigger = "alarm {item.name}": a task of its process has it already'
            raise located(system, other.name, problem, "a semaphore that the handler posts")
        if system.bands:
            problem = f'[[alarm]] "{item.name}": with process, the task of its handler would be in no [[band]]'
            raise located(system, item.name, problem, 'scheduler = "auto", or a task with trigger')
        name = task_name(item.name)
        tasks.append(
            Task(
                name=name,
                wcet_ns=item.wcet_ns,
                min_interarrival_ns=item.separation_ns,
                deadline_ns=item.deadline_ns or item.separation_ns,
                offset_ns=0,
                trigger=f"alarm {item.name}",
                stack=item.stack,
            )
        )
        owner = processes[item.process]
        processes[owner.name] = replace(owner, tasks=(*owner.tasks, name))
        alarms.append(replace(item, handler=None, wcet_ns=0, called=item.handler))
    system = system.having(Alarm, tuple(alarms))
    return replace(system, tasks=tuple(tasks), processes=tuple(processes.values()))


SERVICE = Service(
    TABLE,
    Alarm,
    _define,
    read=_read,
    check=_check,
    start=_start,
    names=(("queue", "alarm_queue"),),
    handler="struct takt_alarm *alarm",
    load=_load,
    proved=True,
    timers=1,
    releases=True,
    handled=True,
    in_process=_in_process,
)
