# SPDX-License-Identifier: Apache-2.0
"""What the tables of services must be beyond their keys: each check takes the document, for lines, the system, and one
object of its kind with its index. They raise UserError."""

from __future__ import annotations

from takt.durations import show
from takt.errors import did_you_mean
from takt.locate import Path as Where
from takt.model import Alarm, Hold, Mutex, Ring, Semaphore, System, Task, Watchdog
from takt.reader import Document


def mutex(document: Document, system: System, index: int, item: Mutex) -> None:
    names = [task.name for task in system.tasks]
    label = f'[[mutex]] "{item.name}"'
    seen: set[str] = set()
    for number, user in enumerate(item.users):
        where: Where = ("mutex", index, "users", number)
        if user.task not in names:
            problem = f'{label}, users: task = "{user.task}": no such task'
            document.fail((*where, "task"), problem, did_you_mean(user.task, names))
        if user.task in seen:
            problem = f'{label}, users: task "{user.task}" is named twice'
            document.fail((*where, "task"), problem, "keep the longer hold")
        seen.add(user.task)
        _hold(document, label, user, system.task(user.task), where)
        _within(document, system, label, item, user, where)


def _within(document: Document, system: System, label: str, item: Mutex, user: Hold, where: Where) -> None:
    holds = {other.name: held for other in system.mutexes for held in other.users if held.task == user.task}
    for outer in user.within:
        named = f'{label}, users "{user.task}": within = "{outer}"'
        if outer == item.name:
            document.fail((*where, "within"), f"{named}: a mutex is not locked twice", "remove it")
        if outer not in holds:
            known = did_you_mean(outer, list(holds))
            document.fail((*where, "within"), f"{named}: no mutex that this task uses", known)
        if holds[outer].hold_ns < user.hold_ns:
            problem = f"hold {show(user.hold_ns)} is longer than that of {outer}, {show(holds[outer].hold_ns)}"
            document.fail((*where, "hold"), f"{named}: {problem}", "an outer hold has the inner ones in it")


def _hold(document: Document, label: str, user: Hold, task: Task, where: Where) -> None:
    endless = task.separation_ns is None and task.wcet_ns == 0
    if not endless and user.hold_ns > task.wcet_ns:
        problem = f"hold {show(user.hold_ns)} is longer than the task's wcet {show(task.wcet_ns)}"
        document.fail((*where, "hold"), f'{label}, users "{user.task}": {problem}', f'at most "{show(task.wcet_ns)}"')


def semaphore(document: Document, _system: System, index: int, item: Semaphore) -> None:
    if item.initial > item.maximum:
        problem = f'[[semaphore]] "{item.name}": initial {item.initial} is over maximum {item.maximum}'
        document.fail(("semaphore", index, "initial"), problem, f"at most {item.maximum}")


def ring(document: Document, _system: System, index: int, item: Ring) -> None:
    if item.reader == item.writer:
        problem = f'[[ring]] "{item.name}": "{item.reader}" is its writer and its reader'
        document.fail(("ring", index, "reader"), problem, "two that run beside each other")


def alarm(document: Document, system: System, index: int, item: Alarm) -> None:
    label = f'[[alarm]] "{item.name}"'
    if item.handler is not None and item.wcet_ns == 0:
        document.fail(("alarm", index), f'{label}: "wcet" is missing', "the longest execution of its handler")
    triggers = any(task.trigger == f"alarm {item.name}" for task in system.tasks)
    if item.handler is None and item.wcet_ns == 0 and not triggers:
        hint = f'handler = "{item.name}_came" and its wcet, or a task with trigger = "alarm {item.name}"'
        document.fail(("alarm", index), f"{label}: nothing happens when it comes", hint)


def watchdog(document: Document, system: System, index: int, item: Watchdog) -> None:
    label = f'[[watchdog]] "{item.name}"'
    other = next((before.name for before in system.watchdogs[:index] if before.task == item.task), None)
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
            problem = f'{label}: {key} means nothing with action = "{item.action}"'
            document.fail(("watchdog", index, key), problem, f'action = "notify", or remove {key}')
    if item.action == "restart" and system.runtime_tasks:
        problem = f'{label}: action = "restart" needs a proof, which an interrupt cannot make (runtime_tasks)'
        document.fail(("watchdog", index, "action"), problem, '"stop", or runtime_tasks = 0')
