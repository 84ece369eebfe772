# SPDX-License-Identifier: Apache-2.0
"""A mutex, with inheritance or with a ceiling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from takt.declare.schema.kinds import (
    DURATION,
    IDENTIFIER,
    NAME,
    TABLES,
    Key,
    Table,
    choice,
    integer,
    list_of,
)
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Process, System, Task
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    FIFO,
    PRIORITY,
    Context,
    Service,
    fifo_word,
    u64,
    waiters_key,
)
from takt.support.durations import show
from takt.support.errors import did_you_mean

LOCKS_MAX = 255
"""Of one mutex by a job."""

_USER = Table(
    "users",
    "",
    (
        Key("task", IDENTIFIER, "The task.", required=True),
        Key(
            "hold",
            DURATION,
            "The longest that it executes while holding it, inner sections included. `0 ns`, with a ceiling: it never"
            " locks it, and only lifts the ceiling.",
            required=True,
        ),
        Key(
            "within",
            list_of(IDENTIFIER),
            "Mutexes that it holds when it locks this one. Orders that allow a deadlock are refuted.",
            default=(),
            default_text="none: it holds no other",
        ),
        Key(
            "locks",
            integer(1, LOCKS_MAX),
            "How often a job calls lock at most, calls that time out included. The proof charges a wait for each (one"
            " if it is not known), and counts by them how many sections of less urgent tasks a job may wait for. With"
            " it, `within` must name every mutex in whose section the task locks this one.",
            default_text="not known: a section of every less urgent task may count",
        ),
    ),
)


@dataclass(frozen=True)
class Hold:
    """A user of a mutex and the longest it executes while holding it (nested sections included)."""

    task: str
    hold_ns: int
    within: tuple[str, ...] = ()  # mutexes that it holds when it locks this one
    locks: int | None = None  # of one job, at most; None: not known


TABLE = Table(
    "mutex",
    "A mutex. Its users' longest holds are the blocking in the proof: of each less urgent task one, or of each "
    "mutex as many as urgent jobs lock it, whichever is less. Waits with a hint (`takt_hint_next`) are covered by it.",
    (
        NAME,
        Key(
            "users",
            TABLES,
            'Every task that locks it: `{task = "control", hold = "40 us"}`.',
            required=True,
            table=_USER,
        ),
        Key(
            "protocol",
            choice("inherit", "ceiling"),
            "`inherit`: an owner inherits the priority (edf bands: the deadline) of its waiters; `takt_mutex_lock`. "
            "`ceiling`: from the lock on it runs at least with the best level of a user, in an edf band with "
            "a deadline no later than the lock and the shortest of the users in it; `takt_ceiling_lock`. So a section"
            " that no task preempts has the best task among the users: the first of a fixed first band, of an edf one"
            ' that with the shortest deadline, with `hold = "0 ns"` if it does not lock it.',
            default="inherit",
        ),
        waiters_key(
            "Of a mutex, `inherit` only: an unlock hands it over to that task, its owner inherits from all waiters. The"
            " proof counts a section of every less urgent user, however often urgent jobs lock it. Hints on it have"
            " no effect."
        ),
    ),
)


@dataclass(frozen=True)
class Mutex:
    name: str
    users: tuple[Hold, ...]
    protocol: str = "inherit"  # or "ceiling": takt/ceiling.h
    waiters: str = PRIORITY

    @property
    def lockers(self) -> tuple[str, ...]:
        """The users that ever lock it: others only lift its ceiling."""
        return tuple(self.locks)

    @cached_property
    def locks(self) -> Counter[str]:
        """How often a job of each locker locks it in the proof."""
        found = Counter[str]()
        for user in self.users:
            if user.hold_ns > 0 or self.protocol == "inherit":
                found[user.task] += user.locks or 1
        return found


def _read(_document: Document, values: dict[str, Any], _index: int) -> Mutex:
    users = tuple(Hold(user["task"], user["hold"], user["within"], user["locks"]) for user in values["users"])
    return Mutex(values["name"], users, values["protocol"], values["waiters"])


def _check(document: Document, system: System, index: int, item: Mutex) -> None:
    names = [task.name for task in system.tasks]
    label = f'[[mutex]] "{item.name}"'
    if item.protocol == "ceiling" and item.waiters == FIFO:
        problem = f'{label}: waiters = "{FIFO}" is not possible with protocol = "ceiling", which keeps all users away'
        document.fail(("mutex", index, "waiters"), problem, 'remove it, or protocol = "inherit"')
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
    holds = {other.name: held for other in system.of(Mutex) for held in other.users if held.task == user.task}
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


def _define(item: Mutex, context: Context) -> Iterator[str]:
    if item.protocol == "inherit":
        yield f"TAKT_MUTEX_{fifo_word(item)}DEFINE({item.name}, {context.ids[item.name]});"
        return
    users = [context.system.task(user.task) for user in item.users]
    best = min(context.level(task.name) for task in users)
    shortest = min(task.deadline_ns or 0 for task in users if context.level(task.name) == best)
    yield f"TAKT_CEILING_DEFINE({item.name}, {context.ids[item.name]}, {best}, {u64(shortest)});"


def hold_ns(system: System, name: str) -> int:
    """The longest declared hold of a task. Where its budget is enforced and its process may create mutexes, for which
    it declares none: the budget."""
    longest = system.derived(_longest_holds).get(name, 0)
    creating = [process for process in system.processes if process.mutexes and name in process.tasks]
    if any(process.mutex_hold_ns is None for process in creating):
        task = system.task(name)
        return max(longest, task.budget_ns or 0 if task.enforced else 0)
    return longest


def _longest_holds(system: System) -> dict[str, int]:
    longest: dict[str, int] = {}
    for mutex in (*system.of(Mutex), *created_mutexes(system)):
        for user in mutex.users:
            longest[user.task] = max(longest.get(user.task, 0), user.hold_ns)
    return longest


def created_mutexes(system: System) -> Iterator[Mutex]:
    """Mutexes that processes with `mutex_hold` may create, with all of their tasks and threads as users. Each may be
    locked in a section of any declared one."""
    for process in system.processes:
        hold_ns = process.mutex_hold_ns
        if hold_ns is None:
            continue
        users = [Hold(name, hold_ns) for name in thread_names(process)]
        for task in map(system.task, process.tasks):
            outer = tuple(mutex.name for mutex in system.of(Mutex) if task.name in mutex.lockers)
            endless = task.separation_ns is None and task.wcet_ns == 0
            users.append(Hold(task.name, hold_ns if endless else max(min(hold_ns, task.wcet_ns), 1), outer))
        yield from (Mutex(f"{process.name}.mutexes[{number}]", tuple(users)) for number in range(process.mutexes))


def thread_names(process: Process) -> list[str]:
    """Of those that may lock mutexes with `mutex_hold`, as users of them: no task has such a name."""
    count = 0 if process.mutex_hold_ns is None else process.threads
    return [f"{process.name}.threads[{number}]" for number in range(count)]


SERVICE = Service(
    TABLE,
    Mutex,
    _define,
    read=_read,
    check=_check,
    struct=lambda item: "ceiling" if item.protocol == "ceiling" else "mutex",
    blocks=True,
    waited=True,
    handled=True,
)
