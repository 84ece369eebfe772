# SPDX-License-Identifier: Apache-2.0
"""A watchdog of a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import (
    IDENTIFIER,
    NAME,
    POSITIVE_DURATION,
    Key,
    Table,
    choice,
)
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    HANDLER_WCET,
    Context,
    Costs,
    Load,
    Service,
    u64,
)

TABLE = Table(
    "watchdog",
    "A task must call `takt_watchdog_kick(&NAME)` at least every `time`, from the start on. The proof counts the"
    " timer's interrupts that look after it.",
    (
        NAME,
        Key("task", IDENTIFIER, "The task; each has one at most.", required=True),
        Key("time", POSITIVE_DURATION, "The longest between two kicks.", required=True),
        Key(
            "action",
            choice("notify", "stop", "restart", "halt"),
            "`notify`: calls the handler; `stop`, `restart`: the task, which comes back at its next release; `halt`:"
            " the system stops with a fault.",
            default="halt",
        ),
        Key(
            "handler",
            IDENTIFIER,
            "Notify: the C function, called in the timer's interrupt: `void NAME(struct takt_watchdog *watchdog)`.",
            default_text="none",
        ),
        HANDLER_WCET,
    ),
)


@dataclass(frozen=True)
class Watchdog:
    name: str
    task: str
    time_ns: int
    action: str  # notify | stop | restart | halt
    handler: str | None  # notify: C function
    wcet_ns: int  # of the handler


def _read(_document: Document, values: dict[str, Any], _index: int) -> Watchdog:
    return Watchdog(*(values[key] for key in ("name", "task", "time", "action", "handler", "wcet")))


def _check(document: Document, system: System, index: int, item: Watchdog) -> None:
    label = f'[[watchdog]] "{item.name}"'
    other = next((before.name for before in system.of(Watchdog)[:index] if before.task == item.task), None)
    if other is not None:
        document.fail(("watchdog", index, "task"), f'{label}: "{item.task}" has "{other}" already', "keep one")
    notify = item.action == "notify"
    if notify and item.handler is None:
        problem, hint = f'{label}: action = "notify" needs a handler', f'handler = "{item.name}_expired"'
        document.fail(("watchdog", index, "action"), problem, hint)
    if notify and item.wcet_ns == 0:
        document.fail(("watchdog", index), f'{label}: "wcet" is missing', "the longest execution of its handler")
    for key, there in (("handler", item.handler is not None), ("wcet", item.wcet_ns > 0)):
        if there and not notify:
            problem = f'{label}: {key} requires action = "notify", not "{item.action}"'
            document.fail(("watchdog", index, key), problem, f'action = "notify", or remove {key}')
    if item.action == "restart" and system.runtime_tasks and not system.protection:
        problem = f'{label}: action = "restart" needs a proof, which an interrupt cannot make (runtime_tasks)'
        document.fail(("watchdog", index, "action"), problem, '"stop", or runtime_tasks = 0')


def _define(item: Watchdog, context: Context) -> Iterator[str]:
    task, action = context.task(item.task), f"TAKT_WATCHDOG_{item.action.upper()}"
    arguments = f"{item.name}, {context.ids[item.name]}, {task}, {u64(item.time_ns)}, {action}"
    yield f"TAKT_WATCHDOG_DEFINE({arguments}, {item.handler or 'NULL'});"


def _start(item: Watchdog) -> Iterator[str]:
    yield f"    (void)!takt_watchdog_start(&{item.name});"


def _load(item: Watchdog, _system: System, costs: Costs) -> Load:
    """The load of a watchdog: at most two interrupts within its time, so it counts as two sources."""
    wcet_ns = item.wcet_ns + costs.interrupt_ns + costs.action_ns
    return [(wcet_ns, item.time_ns), (costs.interrupt_ns, item.time_ns)]


SERVICE = Service(
    TABLE,
    Watchdog,
    _define,
    read=_read,
    check=_check,
    start=_start,
    names=(("task", "task"),),
    handler="struct takt_watchdog *watchdog",
    load=_load,
    proved=True,
    timers=1,
    handled=True,
)
