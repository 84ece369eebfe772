# SPDX-License-Identifier: Apache-2.0
"""State messages, rings, event flags, pools, alarms, watchdogs: their checks, their C, what a proof adds for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from takt.errors import did_you_mean
from takt.model import Alarm, Events, Overheads, Pool, Ring, State, System, Watchdog
from takt.reader import Document

KINDS = ("state", "ring", "events", "pool", "alarm", "watchdog")

_ALIGNED = "__attribute__((aligned(8)))"


def by_kind(system: System) -> dict[str, tuple[Any, ...]]:
    """The objects of each of KINDS, in declaration order."""
    return dict(
        zip(
            KINDS,
            (system.states, system.rings, system.events, system.pools, system.alarms, system.watchdogs),
            strict=True,
        )
    )


def read(document: Document, tables: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Fields of System. Raises UserError."""
    return {
        "states": tuple(State(**values) for values in tables["state"]),
        "rings": tuple(Ring(**values) for values in tables["ring"]),
        "events": tuple(Events(**values) for values in tables["events"]),
        "pools": tuple(Pool(**values) for values in tables["pool"]),
        "alarms": tuple(_alarm(document, values, index) for index, values in enumerate(tables["alarm"])),
        "watchdogs": tuple(
            Watchdog(
                values["name"], values["task"], values["time"], values["action"], values["handler"], values["wcet"]
            )
            for values in tables["watchdog"]
        ),
    }


def _alarm(document: Document, values: dict[str, Any], index: int) -> Alarm:
    label = f'[[alarm]] "{values["name"]}"'
    period, distance = values["period"], values["min_interarrival"]
    if period is not None and distance is not None:
        problem = f"{label}: period and min_interarrival exclude each other"
        document.fail(("alarm", index, "min_interarrival"), problem, "keep one")
    if period is None and distance is None:
        problem = f"{label}: neither period nor min_interarrival"
        document.fail(("alarm", index), problem, 'period = "10 ms", or min_interarrival for one that comes once')
    return Alarm(values["name"], distance or period, period or 0, values["start"], values["handler"], values["wcet"])


def check(document: Document, system: System) -> None:
    """What the tables say of each other. Raises UserError."""
    actors = [*(task.name for task in system.tasks), *(item.name for item in system.interrupts)]

    def known(kind: str, index: int, key: str, name: str, names: list[str], what: str) -> None:
        if name not in names:
            problem = f'[[{kind}]] "{by_kind(system)[kind][index].name}": {key} = "{name}": no such {what}'
            document.fail((kind, index, key), problem, did_you_mean(name, names))

    for index, state in enumerate(system.states):
        known("state", index, "writer", state.writer, actors, "task or interrupt")
    for index, ring in enumerate(system.rings):
        known("ring", index, "writer", ring.writer, actors, "task or interrupt")
        known("ring", index, "reader", ring.reader, actors, "task or interrupt")
        if ring.reader == ring.writer:
            problem = f'[[ring]] "{ring.name}": "{ring.reader}" is its writer and its reader'
            document.fail(("ring", index, "reader"), problem, "two that run beside each other")
    _check_alarms(document, system)
    for index, watchdog in enumerate(system.watchdogs):
        known("watchdog", index, "task", watchdog.task, [task.name for task in system.tasks], "task")
        _check_watchdog(document, system, index, watchdog)


def _check_alarms(document: Document, system: System) -> None:
    triggers = {task.trigger for task in system.tasks}
    for index, alarm in enumerate(system.alarms):
        label = f'[[alarm]] "{alarm.name}"'
        if alarm.handler is not None and alarm.wcet_ns == 0:
            document.fail(("alarm", index), f'{label}: "wcet" is missing', "the longest execution of its handler")
        if alarm.handler is None and alarm.wcet_ns == 0 and f"alarm {alarm.name}" not in triggers:
            hint = f'handler = "{alarm.name}_came" and its wcet, or a task with trigger = "alarm {alarm.name}"'
            document.fail(("alarm", index), f"{label}: nothing happens when it comes", hint)


def _check_watchdog(document: Document, system: System, index: int, watchdog: Watchdog) -> None:
    label = f'[[watchdog]] "{watchdog.name}"'
    other = next((item.name for item in system.watchdogs[:index] if item.task == watchdog.task), None)
    if other is not None:
        document.fail(("watchdog", index, "task"), f'{label}: "{watchdog.task}" has "{other}" already', "keep one")
    notify = watchdog.action == "notify"
    if notify and watchdog.handler is None:
        problem, hint = f'{label}: action = "notify" needs a handler', f'handler = "{watchdog.name}_expired"'
        document.fail(("watchdog", index, "action"), problem, hint)
    if notify and watchdog.wcet_ns == 0:
        document.fail(("watchdog", index), f'{label}: "wcet" is missing', "the longest execution of its handler")
    for key, there in (("handler", watchdog.handler is not None), ("wcet", watchdog.wcet_ns > 0)):
        if there and not notify:
            problem = f'{label}: {key} means nothing with action = "{watchdog.action}"'
            document.fail(("watchdog", index, key), problem, f'action = "notify", or remove {key}')
    if watchdog.action == "restart" and system.runtime_tasks:
        problem = f'{label}: action = "restart" needs a proof, which an interrupt cannot make (runtime_tasks)'
        document.fail(("watchdog", index, "action"), problem, '"stop", or runtime_tasks = 0')


def functions(system: System) -> Iterator[tuple[str, int, str, str | None]]:
    """Kind, index, name and C function of those that have a handler."""
    for kind in ("alarm", "watchdog"):
        for index, item in enumerate(by_kind(system)[kind]):
            yield kind, index, item.name, item.handler


def timers(system: System) -> int:
    """Instants of alarms and watchdogs that may be armed at once."""
    return len(system.alarms) + len(system.watchdogs)


def calls(system: System) -> bool:
    """Whether there is something whose calls have longer locked sections than jobs and delays."""
    return any(by_kind(system)[kind] for kind in ("events", "pool", "alarm", "watchdog"))


def timer_load(system: System, overheads: Overheads | None) -> list[tuple[int, int]]:
    """What alarms and watchdogs take above all bands: longest execution and least distance of each, ns.

    Each interrupt of the timer as one that releases a job (`release_ns`) and arms a timer (`timer_ns`). A watchdog's
    are at most two within its time, so it is two sources; its action is charged as a switch and the end of a job.
    """
    interrupt = max(overheads.release_ns.values(), default=0) + overheads.timer_ns if overheads else 0
    action = max(map(overheads.job_ns, overheads.release_ns), default=0) if overheads else 0
    load = [(alarm.wcet_ns + interrupt, alarm.separation_ns) for alarm in system.alarms]
    for watchdog in system.watchdogs:
        load.append((watchdog.wcet_ns + interrupt + action, watchdog.time_ns))
        load.append((interrupt, watchdog.time_ns))
    return [(wcet_ns, separation_ns) for wcet_ns, separation_ns in load if wcet_ns > 0]


def declarations(system: System) -> Iterator[str]:
    """For takt_app.h."""
    for kind, objects in by_kind(system).items():
        yield from (f"extern struct takt_{kind} {item.name};" for item in objects)
    yield from (f"#define SIZE_{item.name} {item.message_size}u" for item in system.states)
    yield from (f"#define SIZE_{item.name} {item.item_size}u" for item in system.rings)


def prototypes(system: System) -> Iterator[str]:
    """Of the handlers that the application defines."""
    found = dict.fromkeys((kind, handler) for kind, _, _, handler in functions(system) if handler is not None)
    yield from (f"void {handler}(struct takt_{kind} *{kind});" for kind, handler in found)


def definitions(
    system: System, ids: dict[str, int], handler: Callable[[Alarm], Iterator[str]], u64: Callable[[int], str]
) -> Iterator[str]:
    """For system.c. `handler`: the statements of an alarm's."""
    for state in system.states:
        yield f"TAKT_STATE_DEFINE({state.name}, {state.message_size}, {state.depth});"
    for ring in system.rings:
        yield f"TAKT_RING_DEFINE({ring.name}, {ring.item_size}, {ring.capacity});"
    for events in system.events:
        yield f"TAKT_EVENTS_DEFINE({events.name}, {ids[events.name]});"
    for pool in system.pools:
        storage, extent = f"takti_storage_{pool.name}", f"{pool.block_size}, {pool.count}"
        yield f"static uint8_t {storage}[TAKT_POOL_BYTES({extent})] {_ALIGNED};"
        yield f"TAKT_POOL_DEFINE({pool.name}, {ids[pool.name]}, {storage}, {extent});"
    for alarm in system.alarms:
        yield f"static void takti_alarm_{alarm.name}(struct takt_alarm *alarm)\n{{\n    (void)alarm;"
        yield from handler(alarm)
        yield "}"
        arguments = f"{alarm.name}, {ids[alarm.name]}, takti_alarm_{alarm.name}, {u64(alarm.period_ns)}"
        yield f"TAKT_ALARM_DEFINE({arguments});"
    index = {task.name: number for number, task in enumerate(system.tasks)}
    for dog in system.watchdogs:
        task, action = f"&takt_tasks[{index[dog.task]}]", f"TAKT_WATCHDOG_{dog.action.upper()}"
        arguments = f"{dog.name}, {ids[dog.name]}, {task}, {u64(dog.time_ns)}, {action}, {dog.handler or 'NULL'}"
        yield f"TAKT_WATCHDOG_DEFINE({arguments});"


def starts(system: System, u64: Callable[[int], str]) -> Iterator[str]:
    """Statements at time 0."""
    for alarm in system.alarms:
        if alarm.start_ns is not None:
            yield f"    (void)!takt_alarm_start(&{alarm.name}, {u64(alarm.start_ns)});"
    for watchdog in system.watchdogs:
        yield f"    (void)!takt_watchdog_start(&{watchdog.name});"
