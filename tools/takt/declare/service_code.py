# SPDX-License-Identifier: Apache-2.0
"""The C of services: the definition of each object, and its initialization at time 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from takt.declare import service_calls
from takt.declare.schema.levels import Level
from takt.declare.schema.model import (
    Alarm,
    AlarmQueue,
    Condition,
    Events,
    Mailbox,
    Mutex,
    Pipe,
    Pool,
    PriorityMailbox,
    Rendezvous,
    Ring,
    Semaphore,
    SignalPool,
    SignalQueue,
    Slot,
    State,
    System,
    Watchdog,
)

_ALIGNED = "__attribute__((aligned(8)))"


def u64(value: int) -> str:
    return f"UINT64_C({value})"


@dataclass(frozen=True)
class Context:
    """Context of a definition. `handling`: the statements of an alarm's handler."""

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


def _bytes(size: int | None, type_name: str | None) -> str:
    """The size of a message, in C."""
    return f"{size}" if type_name is None else f"sizeof({type_name})"


def size_of(item: State | Ring) -> str:
    """The size of a message or item, in C."""
    return _bytes(item.message_size if isinstance(item, State) else item.item_size, item.type)


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
    storage, size = f"takti_storage_{item.name}", _bytes(item.message_size, item.type)
    yield f"static uint8_t {storage}[{size} * {item.capacity}] {_ALIGNED};"
    arguments = f"{item.name}, {context.ids[item.name]}, {storage}, {size}, {item.capacity}"
    trigger = context.trigger("mailbox", item.name)
    if trigger is None:
        yield f"TAKT_MAILBOX_DEFINE({arguments});"
    else:
        yield f"TAKT_MAILBOX_TRIGGER_DEFINE({arguments}, {trigger});"


def state(item: State, _context: Context) -> Iterator[str]:
    yield f"TAKT_STATE_DEFINE({item.name}, {size_of(item)}, {item.copies});"
    yield f"uint32_t {service_calls.overtaken(item)};"


def ring(item: Ring, _context: Context) -> Iterator[str]:
    yield f"TAKT_RING_DEFINE({item.name}, {size_of(item)}, {item.capacity});"


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
    yield (
        f"TAKT_ALARM_DEFINE({arguments});"
        if item.queue is None
        else (f"TAKT_ALARM_QUEUED_DEFINE({arguments}, &{item.queue});")
    )


def alarm_start(item: Alarm) -> Iterator[str]:
    yield f"    TAKT_ALARM_KEEP_DISTANCE({item.name}, {u64(item.separation_ns)});"
    if item.start_ns is not None:
        yield f"    (void)!takt_alarm_start(&{item.name}, {u64(item.start_ns)});"


def watchdog(item: Watchdog, context: Context) -> Iterator[str]:
    task, action = context.task(item.task), f"TAKT_WATCHDOG_{item.action.upper()}"
    arguments = f"{item.name}, {context.ids[item.name]}, {task}, {u64(item.time_ns)}, {action}"
    yield f"TAKT_WATCHDOG_DEFINE({arguments}, {item.handler or 'NULL'});"


def watchdog_start(item: Watchdog) -> Iterator[str]:
    yield f"    (void)!takt_watchdog_start(&{item.name});"


def slot(item: Slot, context: Context) -> Iterator[str]:
    storage, size = f"takti_storage_{item.name}", _bytes(item.message_size, item.type)
    yield f"static uint8_t {storage}[TAKT_SLOT_BYTES({size}, {item.capacity})] {_ALIGNED};"
    if item.pinc:
        levels = ", ".join(str(context.level(task)) for task in item.pinc)
        yield f"static const uint8_t takti_pinc_{item.name}[] = {{{levels}}};"
        arguments = f"takti_inheritance_{item.name}, takti_pinc_{item.name}, {len(item.pinc)}"
        yield f"static TAKT_SLOT_INHERITANCE_DEFINE({arguments});"
    yield f"static const struct takt_slot_config takti_slot_{item.name} = {{"
    yield f"    .storage = {storage},"
    yield f"    .inheritance = {f'&takti_inheritance_{item.name}' if item.pinc else 'NULL'},"
    yield f"    .important = {'UINT32_MAX' if item.important is None else f'UINT32_C({item.important})'},"
    yield f"    .message_size = {size},\n    .capacity = {item.capacity},\n    .id = {context.ids[item.name]},"
    yield f"    .by_priority = {'true' if item.order == 'priority' else 'false'},\n}};"
    yield f"TAKT_SLOT_DEFINE({item.name}, &takti_slot_{item.name});"


def signal_pool(item: SignalPool, _context: Context) -> Iterator[str]:
    storage, size = f"takti_storage_{item.name}", _bytes(item.data_size, item.type)
    yield f"static uint8_t {storage}[TAKT_SIGNAL_BYTES({size}) * {item.count}] {_ALIGNED};"
    yield f"TAKT_SIGNAL_POOL_DEFINE({item.name}, {storage}, {size}, {item.count});"


def signal_queue(item: SignalQueue, context: Context) -> Iterator[str]:
    yield f"TAKT_SIGNAL_QUEUE_DEFINE({item.name}, {context.ids[item.name]}, {context.task(item.owner)});"


def pipe(item: Pipe, context: Context) -> Iterator[str]:
    storage = f"takti_storage_{item.name}"
    yield f"static uint8_t {storage}[{item.capacity}];"
    yield f"TAKT_PIPE_DEFINE({item.name}, {context.ids[item.name]}, {storage}, {item.capacity});"


def priority_mailbox(item: PriorityMailbox, context: Context) -> Iterator[str]:
    storage, size = f"takti_storage_{item.name}", _bytes(item.message_size, item.type)
    yield f"static uint8_t {storage}[TAKT_PRIORITY_MAILBOX_BYTES({size}, {item.capacity})] {_ALIGNED};"
    handler = "NULL"
    if item.handler is not None:
        handler = f"takti_arrival_{item.name}"
        yield f"static void {handler}(const void *message)\n{{\n    {item.handler}(message);\n}}"
    arguments = f"{context.ids[item.name]}, {storage}, {size}, {item.capacity}, {handler}"
    yield f"TAKT_PRIORITY_MAILBOX_DEFINE({item.name}, {arguments});"


def condition(item: Condition, context: Context) -> Iterator[str]:
    yield f"TAKT_CONDITION_DEFINE({item.name}, {context.ids[item.name]});"


def rendezvous(item: Rendezvous, context: Context) -> Iterator[str]:
    yield f"TAKT_RENDEZVOUS_DEFINE({item.name}, {context.ids[item.name]});"


def alarm_queue(item: AlarmQueue, context: Context) -> Iterator[str]:
    """An alarm queue with the semaphore that releases its task, and that task's job."""
    posted, server = f"takti_came_{item.name}", context.trigger("alarm_queue", item.name)
    yield f"static TAKT_SEMAPHORE_TRIGGER_DEFINE({posted}, {context.ids[item.name]}, {server});"
    yield f"TAKT_ALARM_QUEUE_DEFINE({item.name}, &{posted});"
    yield f"static void takti_serve_{item.name}(void *argument)\n{{\n    (void)argument;"
    yield f"    (void)takt_alarm_serve(&{item.name});\n}}"
