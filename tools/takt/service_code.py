# SPDX-License-Identifier: Apache-2.0
"""The C of services: the definition of each object, and what happens to it at time 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from takt.levels import Level
from takt.model import Alarm, Events, Mailbox, Mutex, Pool, Ring, Semaphore, State, System, Watchdog

_ALIGNED = "__attribute__((aligned(8)))"


def u64(value: int) -> str:
    return f"UINT64_C({value})"


@dataclass(frozen=True)
class Context:
    """What a definition needs to know of the whole. `handling`: the statements of an alarm's handler."""

    system: System
    ids: dict[str, int]  # for the trace
    levels: list[Level]
    handling: Callable[[Alarm], Iterator[str]]

    def task(self, name: str) -> str:
        """The address of a task."""
        return f"&takt_tasks[{[task.name for task in self.system.tasks].index(name)}]"

    def trigger(self, kind: str, name: str) -> str | None:
        """The address of the task that an object releases."""
        found = [task.name for task in self.system.tasks if task.trigger == f"{kind} {name}"]
        return self.task(found[0]) if found else None

    def level(self, task: str) -> int:
        return next(number for number, level in enumerate(self.levels) if task in level.tasks)


def mutex(item: Mutex, context: Context) -> Iterator[str]:
    if item.protocol == "inherit":
        yield f"TAKT_MUTEX_DEFINE({item.name}, {context.ids[item.name]});"
        return
    users = [context.system.task(user.task) for user in item.users]
    best = min(context.level(task.name) for task in users)
    shortest = min(task.deadline_ns or 0 for task in users if context.level(task.name) == best)
    yield f"TAKT_CEILING_DEFINE({item.name}, {context.ids[item.name]}, {best}, {u64(shortest)});"


def semaphore(item: Semaphore, context: Context) -> Iterator[str]:
    trigger = context.trigger("semaphore", item.name)
    if trigger is None:
        yield f"TAKT_SEMAPHORE_DEFINE({item.name}, {context.ids[item.name]}, {item.initial}, {item.maximum});"
    else:
        yield f"TAKT_SEMAPHORE_TRIGGER_DEFINE({item.name}, {context.ids[item.name]}, {trigger});"


def mailbox(item: Mailbox, context: Context) -> Iterator[str]:
    storage, extent = f"takti_storage_{item.name}", f"{item.message_size}, {item.capacity}"
    yield f"static uint8_t {storage}[{item.message_size} * {item.capacity}] {_ALIGNED};"
    arguments = f"{item.name}, {context.ids[item.name]}, {storage}, {extent}"
    trigger = context.trigger("mailbox", item.name)
    if trigger is None:
        yield f"TAKT_MAILBOX_DEFINE({arguments});"
    else:
        yield f"TAKT_MAILBOX_TRIGGER_DEFINE({arguments}, {trigger});"


def state(item: State, _context: Context) -> Iterator[str]:
    yield f"TAKT_STATE_DEFINE({item.name}, {item.message_size}, {item.depth});"


def ring(item: Ring, _context: Context) -> Iterator[str]:
    yield f"TAKT_RING_DEFINE({item.name}, {item.item_size}, {item.capacity});"


def events(item: Events, context: Context) -> Iterator[str]:
    yield f"TAKT_EVENTS_DEFINE({item.name}, {context.ids[item.name]});"


def pool(item: Pool, context: Context) -> Iterator[str]:
    storage, extent = f"takti_storage_{item.name}", f"{item.block_size}, {item.count}"
    yield f"static uint8_t {storage}[TAKT_POOL_BYTES({extent})] {_ALIGNED};"
    yield f"TAKT_POOL_DEFINE({item.name}, {context.ids[item.name]}, {storage}, {extent});"


def alarm(item: Alarm, context: Context) -> Iterator[str]:
    yield f"static void takti_alarm_{item.name}(struct takt_alarm *alarm)\n{{\n    (void)alarm;"
    yield from context.handling(item)
    yield "}"
    arguments = f"{item.name}, {context.ids[item.name]}, takti_alarm_{item.name}, {u64(item.period_ns)}"
    yield f"TAKT_ALARM_DEFINE({arguments});"


def alarm_start(item: Alarm) -> Iterator[str]:
    if item.start_ns is not None:
        yield f"    (void)!takt_alarm_start(&{item.name}, {u64(item.start_ns)});"


def watchdog(item: Watchdog, context: Context) -> Iterator[str]:
    task, action = context.task(item.task), f"TAKT_WATCHDOG_{item.action.upper()}"
    arguments = f"{item.name}, {context.ids[item.name]}, {task}, {u64(item.time_ns)}, {action}"
    yield f"TAKT_WATCHDOG_DEFINE({arguments}, {item.handler or 'NULL'});"


def watchdog_start(item: Watchdog) -> Iterator[str]:
    yield f"    (void)!takt_watchdog_start(&{item.name});"
