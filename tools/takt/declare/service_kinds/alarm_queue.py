# SPDX-License-Identifier: Apache-2.0
"""An alarm queue: a task calls the handlers of its alarms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt.declare.schema.kinds import (
    NAME,
    Table,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    Context,
    Service,
)
from takt.declare.service_kinds.alarm import Alarm
from takt.support.durations import show

TABLE = Table(
    "alarm_queue",
    'Alarms whose handlers a task calls: the one with the trigger "alarm_queue NAME", which has no `entry`. Its wcet'
    " is no less than that of all these handlers together, its `min_interarrival` no more than any alarm's.",
    (NAME,),
)


@dataclass(frozen=True)
class AlarmQueue:
    name: str


def _check(document: Document, system: System, index: int, item: AlarmQueue) -> None:
    label, trigger = f'[[alarm_queue]] "{item.name}"', f"alarm_queue {item.name}"
    number = next((number for number, task in enumerate(system.tasks) if task.trigger == trigger), None)
    if number is None:
        document.fail(("alarm_queue", index), f"{label}: no task serves it", f'a task with trigger = "{trigger}"')
    server = system.tasks[number]
    served = f'[[task]] "{server.name}": trigger = "{trigger}"'
    if server.entry is not None:
        problem = f"{served}: its job calls the handlers of the alarms, so it has no entry"
        document.fail(("task", number, "entry"), problem, "remove it; handler in each [[alarm]]")
    if server.pending_max == 0:
        problem = f"{served}: with pending_max = 0 an alarm could stay in the queue"
        document.fail(("task", number, "pending_max"), problem, "1, or leave it out")
    alarms = [alarm for alarm in system.of(Alarm) if alarm.queue == item.name]
    together_ns = sum(alarm.wcet_ns for alarm in alarms)
    if server.wcet_ns < together_ns:
        problem = f"{served}: wcet {show(server.wcet_ns)} is shorter than that of all handlers, {show(together_ns)}"
        document.fail(("task", number, "wcet"), problem, f'at least "{show(together_ns)}"')
    shortest = min(alarms, key=lambda alarm: alarm.separation_ns, default=None)
    if shortest is not None and shortest.separation_ns < (server.min_interarrival_ns or 0):
        problem = f'"{shortest.name}" comes every {show(shortest.separation_ns)}, its job less often'
        hint = f'at most "{show(shortest.separation_ns)}"'
        document.fail(("task", number, "min_interarrival"), f"{served}: {problem}", hint)


def _define(item: AlarmQueue, context: Context) -> Iterator[str]:
    """An alarm queue with the semaphore that releases its task, and that task's job."""
    posted, server = f"takti_came_{item.name}", context.trigger("alarm_queue", item.name)
    yield f"static TAKT_SEMAPHORE_TRIGGER_DEFINE({posted}, {context.ids[item.name]}, {server});"
    yield f"TAKT_ALARM_QUEUE_DEFINE({item.name}, &{posted});"
    yield f"static void takti_serve_{item.name}(void *argument)\n{{\n    (void)argument;"
    yield f"    (void)takt_alarm_serve(&{item.name});\n}}"


SERVICE = Service(
    TABLE,
    AlarmQueue,
    _define,
    check=_check,
    releases=True,
)
