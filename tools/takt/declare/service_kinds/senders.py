# SPDX-License-Identifier: Apache-2.0
"""The declared senders of an object that releases a task: what the bound on its queue is proved from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.declare.schema.kinds import IDENTIFIER, TABLES, Key, Table, integer
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Interrupt, System, Task
from takt.declare.schema.reader import Document
from takt.declare.service_kinds.alarm import Alarm
from takt.support.errors import did_you_mean

MESSAGES_MAX = 0xFFFF

BYTES_MAX = 1 << 20

_TASK = Key("task", IDENTIFIER, "The task, interrupt or alarm.", required=True)
_MOST = "The most that it sends in one job, one interrupt, or one call of the alarm's handler."
_SENDER = Table("senders", "", (_TASK, Key("messages", integer(1, MESSAGES_MAX), _MOST, default=1)))
_POSTER = Table("senders", "", (_TASK, Key("posts", integer(1, MESSAGES_MAX), _MOST, default=1)))
_WRITER = Table("senders", "", (_TASK, Key("bytes", integer(1, BYTES_MAX), _MOST, required=True)))

SENDERS = Key(
    "senders",
    TABLES,
    'Every task, interrupt and alarm that sends to it, where it releases a task: `{task = "control", messages = 2}`.'
    " From them `takt check` proves how many messages are in it at most, and refuses less `capacity` and less"
    " `pending_max`.",
    default=(),
    default_text="none: that number is not proved",
    table=_SENDER,
)

WRITERS = Key(
    "senders",
    TABLES,
    'Every task, interrupt and alarm that writes to it, where it releases a task: `{task = "control", bytes = 12}`.'
    " From them `takt check` proves how many bytes are in it at most, and refuses less `capacity`.",
    default=(),
    default_text="none: that number is not proved",
    table=_WRITER,
)

POSTERS = Key(
    "senders",
    TABLES,
    'Every task, interrupt and alarm that posts it, where it releases a task: `{task = "control", posts = 2}`.'
    " From them `takt check` proves how many posts are not served and how many releases wait at most, and refuses"
    " less `pending_max`.",
    default=(),
    default_text="none: that number is not proved",
    table=_POSTER,
)


@dataclass(frozen=True)
class Sender:
    """A task, interrupt or alarm, and the most messages, posts, or bytes, that it sends in one job."""

    task: str
    messages: int = 1


def of(values: dict[str, Any]) -> tuple[Sender, ...]:
    """From the checked value of the key."""
    return tuple(
        Sender(one["task"], one.get("messages") or one.get("posts") or one["bytes"]) for one in values["senders"]
    )


def actors(system: System) -> dict[str, Task | Interrupt | Alarm]:
    """What may send, by name."""
    found: tuple[Task | Interrupt | Alarm, ...] = (*system.tasks, *system.interrupts, *system.of(Alarm))
    return {one.name: one for one in found}


def check(document: Document, system: System, kind: str, index: int, item: Any) -> None:
    """Refuses senders that are not there, or whose rate is not known, and senders to what releases no task."""
    label, known = f'[[{kind}]] "{item.name}"', actors(system)
    if item.senders and not any(task.trigger == f"{kind} {item.name}" for task in system.tasks):
        problem = f"{label}: senders: it releases no task, and the bound is of the messages that wait for that"
        document.fail((kind, index, "senders"), problem, f'a task with trigger = "{kind} {item.name}", or remove it')
    for number, sender in enumerate(item.senders):
        where: Where = (kind, index, "senders", number)
        if sender.task not in known:
            problem = f'{label}, senders: task = "{sender.task}": no such task, interrupt or alarm'
            document.fail((*where, "task"), problem, did_you_mean(sender.task, known))
        for problem, hint in _wrong(label, item, known[sender.task], number):
            document.fail((*where, "task"), problem, hint)
        for problem, hint in _alarm(label, system, known[sender.task]):
            document.fail((*where, "task"), problem, hint)


def _alarm(label: str, system: System, actor: Task | Interrupt | Alarm) -> Iterator[tuple[str, str]]:
    """An alarm sends in its handler, in the timer's interrupt."""
    if not isinstance(actor, Alarm):
        return
    head = f'{label}, senders: alarm "{actor.name}"'
    if actor.queue is not None:
        serves = (f'task = "{task.name}"' for task in system.tasks if task.trigger == f"alarm_queue {actor.queue}")
        yield f"{head}: a task calls its handler, for its queue", next(serves, "that task")
    elif actor.handler is None or actor.process is not None:
        why = "it has no handler" if actor.handler is None else "with process a task calls its handler"
        yield f"{head}: {why}", f'a task with trigger = "alarm {actor.name}" that sends'


def _wrong(label: str, item: Any, actor: Task | Interrupt | Alarm, number: int) -> Iterator[tuple[str, str]]:
    if any(before.task == actor.name for before in item.senders[:number]):
        yield f'{label}, senders: "{actor.name}" is named twice', "one entry, with the sum of both"
    if isinstance(actor, Task) and actor.separation_ns is None:
        problem = f'{label}, senders: the rate of its messages is unknown: "{actor.name}" has no period and no'
        yield f"{problem} min_interarrival", "one of them for the task, or no senders: then no bound is proved"
    if isinstance(actor, Interrupt) and not actor.kernel:
        yield f'{label}, senders: interrupt "{actor.name}" may not call the kernel', "kernel = true in its table"


def check_owner(document: Document, system: System, kind: str, index: int, item: Any) -> None:
    """Refuses another task than the owner of the object to be released by it."""
    released = next((task.name for task in system.tasks if task.trigger == f"{kind} {item.name}"), item.owner)
    if released != item.owner:
        problem = f'[[{kind}]] "{item.name}": owner = "{item.owner}": it releases "{released}", which may not receive'
        document.fail((kind, index, "owner"), problem, f'owner = "{released}", or the trigger of "{item.owner}"')
