# SPDX-License-Identifier: Apache-2.0
"""Checks of the tables of services beyond their keys: each takes the document, for lines, the system, and one
object of its kind with its index. They raise UserError."""

from __future__ import annotations

from takt.declare.schema import state_copies
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import (
    Alarm,
    AlarmQueue,
    Band,
    Condition,
    Hold,
    Mutex,
    PriorityMailbox,
    Read,
    Ring,
    Semaphore,
    SignalQueue,
    Slot,
    State,
    System,
    Task,
    Watchdog,
)
from takt.declare.schema.reader import Document
from takt.support.durations import show
from takt.support.errors import UserError, did_you_mean, one_of
from takt.support.files import shown_path


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
        if user.hold_ns == 0 and item.protocol != "ceiling":
            problem = f'{label}, users "{user.task}": hold = 0 is possible only with protocol = "ceiling"'
            document.fail((*where, "hold"), problem, 'at least "1 ns", or protocol = "ceiling"')
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


def state(document: Document, system: System, index: int, item: State) -> None:
    where, label = ("state", index), f'[[state]] "{item.name}"'
    raw = document.data["state"][index]
    if item.depth is None and not item.readers:
        hint = f'readers = [{{task = "{system.tasks[-1].name}", read = "20 us"}}], or depth = 4'
        document.fail(where, f"{label}: neither readers nor depth", hint)
    for key in ("writes", "depth_max"):
        if key in raw and not item.readers:
            document.fail((*where, key), f"{label}: {key} requires readers", "add readers, or remove it")
    if "depth_max" in raw and item.depth is not None:
        document.fail((*where, "depth_max"), f"{label}: depth and depth_max exclude each other", "keep one")
    if not item.readers:
        return
    task = next((task for task in system.tasks if task.name == item.writer), None)
    if task is not None and task.separation_ns is None:
        problem = f'{label}: the rate of its writes is unknown: "{task.name}" has no period and no min_interarrival'
        document.fail((*where, "writer"), problem, "depth instead of readers, or a min_interarrival of the task")
    for number, read in enumerate(item.readers):
        _read(document, system, (*where, "readers", number), item, read)


def _read(document: Document, system: System, where: Where, item: State, read: Read) -> None:
    label = f'[[state]] "{item.name}", readers'
    known = {task.name: task.wcet_ns for task in system.tasks} | {one.name: one.wcet_ns for one in system.interrupts}
    if read.task not in known:
        problem = f'{label}: task = "{read.task}": no such task or interrupt'
        document.fail((*where, "task"), problem, did_you_mean(read.task, list(known)))
    if [reader.task for reader in item.readers].count(read.task) > 1:
        document.fail((*where, "task"), f'{label}: "{read.task}" is named twice', "keep the longer read")
    wcet_ns = known[read.task]
    if 0 < wcet_ns < read.read_ns:
        problem = f'{label} "{read.task}": read {show(read.read_ns)} is longer than its wcet {show(wcet_ns)}'
        document.fail((*where, "read"), problem, f'at most "{show(wcet_ns)}"')
    need = next(need for need in state_copies.needs(system, item, {}) if need.reader == read.task)
    if state_copies.exceeds(item, need) and not state_copies.lockable(system, item):
        copies = "more copies than possible" if need.copies is None else f"{need.copies} copies"
        problem = f'{label} "{read.task}": it needs {copies}, and no lock keeps interrupt "{item.writer}" from writing'
        document.fail(where, problem, one_of(_without_a_lock(system, item, read, need.copies)))


def _without_a_lock(system: System, item: State, read: Read, copies: int | None) -> list[str]:
    """Hints for a reader that needs `copies`; None: its reads are not bounded."""
    limit, most = state_copies.limit(item), state_copies.COPIES_MAX
    key = "depth_max" if item.depth is None else "depth"
    fewest = state_copies.fewest_copies(system, item, read)
    sooner = "a shorter deadline" if copies is not None else f'a deadline of "{read.task}"'
    found = [sooner] if fewest is not None and fewest <= limit else []
    if copies is not None and copies <= most:
        found.append(f"{key} = {copies}")
    elif fewest is not None and limit < fewest <= most:
        found.append(f"{sooner} with {key} = {most}")
    return [*found, "kernel = true in the [[interrupt]]"]


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
        document.fail(("alarm", index), f"{label}: it has no effect when it expires", hint)


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
            problem = f'{label}: {key} requires action = "notify", not "{item.action}"'
            document.fail(("watchdog", index, key), problem, f'action = "notify", or remove {key}')
    if item.action == "restart" and system.runtime_tasks:
        problem = f'{label}: action = "restart" needs a proof, which an interrupt cannot make (runtime_tasks)'
        document.fail(("watchdog", index, "action"), problem, '"stop", or runtime_tasks = 0')


def slot(document: Document, system: System, index: int, item: Slot) -> None:
    label = f'[[slot]] "{item.name}"'
    if item.important is not None and item.capacity == 1:
        problem = (
            f"{label}: the only buffer is reserved for priorities up to {item.important}: other messages never get one"
        )
        document.fail(("slot", index, "important"), problem, "capacity = 2, or remove it")
    owner = system.task(item.owner)
    if not counted(system, item):
        return
    if owner.separation_ns is None:
        above = next(name for name in item.pinc if system.task(name).deadline_ns is not None)
        problem = f'{label}: pinc: background task "{item.owner}" would run at the level of "{above}" without a bound'
        document.fail(("slot", index, "pinc"), problem, "only background tasks, or an owner with a min_interarrival")
    if owner.suspension_ns:
        problem = f'{label}: pinc: jobs of "{item.owner}" suspend themselves, at a level inherited from messages'
        document.fail(("slot", index, "pinc"), problem, "an owner without suspension: the proof does not cover both")
    used = next((mutex.name for mutex in system.mutexes for user in mutex.users if user.task == item.owner), None)
    if used is not None:
        problem = f'{label}: pinc: "{item.owner}" locks "{used}", whose holders would inherit from messages too'
        document.fail(("slot", index, "pinc"), problem, "an owner that locks no mutex: the proof does not cover both")


def counted(system: System, item: Slot) -> bool:
    """Whether the priority inherited from its messages may delay a task with a deadline."""
    return any(system.task(name).deadline_ns is not None for name in item.pinc)


def slot_levels(system: System, bands: tuple[Band, ...]) -> None:
    """UserError: the owner would inherit a level of an edf band, which is ordered by deadlines."""
    by_deadline = {name for band in bands if band.kind == "edf" for name in band.tasks}
    for item in system.slots:
        wrong = next((name for name in item.pinc if name in by_deadline), None)
        if wrong is not None:
            line = system.metadata.get(f"line {item.name}", "")
            problem = f'[[slot]] "{item.name}": pinc: "{wrong}" is in an edf band, whose level cannot be inherited'
            raise UserError(
                f"{shown_path(system.path)}:{line}: {problem}", 'scheduler = "dm", or a task of a fixed band'
            )


def signal_queue(document: Document, system: System, index: int, item: SignalQueue) -> None:
    other = next((before.name for before in system.signal_queues[:index] if before.owner == item.owner), None)
    if other is not None:
        problem = f'[[signal_queue]] "{item.name}": "{item.owner}" has "{other}" already'
        document.fail(("signal_queue", index, "owner"), problem, "keep one: it may receive by number and by sender")


def priority_mailbox(document: Document, _system: System, index: int, item: PriorityMailbox) -> None:
    where, label = ("priority_mailbox", index), f'[[priority_mailbox]] "{item.name}"'
    if item.handler is not None and item.wcet_ns == 0:
        document.fail(where, f'{label}: "wcet" is missing', "the longest execution of its handler")
    if item.handler is None and item.wcet_ns > 0:
        document.fail((*where, "wcet"), f"{label}: wcet requires a handler", "add handler, or remove wcet")


def condition(document: Document, system: System, index: int, item: Condition) -> None:
    if next(mutex.protocol for mutex in system.mutexes if mutex.name == item.mutex) != "inherit":
        problem = f'[[condition]] "{item.name}": mutex "{item.mutex}" has a ceiling; a condition needs inheritance'
        document.fail(("condition", index, "mutex"), problem, 'protocol = "inherit" in its [[mutex]]')


def alarm_queue(document: Document, system: System, index: int, item: AlarmQueue) -> None:
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
    alarms = [alarm for alarm in system.alarms if alarm.queue == item.name]
    together_ns = sum(alarm.wcet_ns for alarm in alarms)
    if server.wcet_ns < together_ns:
        problem = f"{served}: wcet {show(server.wcet_ns)} is shorter than that of all handlers, {show(together_ns)}"
        document.fail(("task", number, "wcet"), problem, f'at least "{show(together_ns)}"')
    shortest = min(alarms, key=lambda alarm: alarm.separation_ns, default=None)
    if shortest is not None and shortest.separation_ns < (server.min_interarrival_ns or 0):
        problem = f'"{shortest.name}" comes every {show(shortest.separation_ns)}, its job less often'
        hint = f'at most "{show(shortest.separation_ns)}"'
        document.fail(("task", number, "min_interarrival"), f"{served}: {problem}", hint)
