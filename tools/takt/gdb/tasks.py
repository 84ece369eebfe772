# SPDX-License-Identifier: Apache-2.0
"""Tasks: what each is, does and waits for, in words; and the table of `takt tasks`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import gdb

from takt.gdb import contexts, objects, ring, target
from takt.gdb.objects import Awaited, Object, awaited
from takt.gdb.target import Value
from takt.support.c.kernel import FAULT_MAGIC, STACK_FILL
from takt.support.durations import show
from takt.trace.records import NO_JOB

GUARD = FAULT_MAGIC.to_bytes(4, "little")  # the lowest word of a stack that is checked


@dataclass(frozen=True)
class Task:
    name: str
    value: Value  # struct takt_task
    idle: bool = False  # the kernel's own; a task of the declaration may have its name

    @property
    def address(self) -> int:
        return target.address(self.value)

    def timer_ns(self) -> int | None:
        """The time that it waits for; None: none."""
        timer = self.value["timer"]
        return int(timer["at_ns"]) if int(timer["armed"]) else None

    @property
    def process(self) -> str:
        """The name of its process; "": it is of none."""
        address = contexts.process_of(self.value)
        return target.text(target.at(address, "takt_process")["config"]["name"]) if address else ""

    def flag(self, name: str) -> bool:
        bit = target.constant(f"TAKTI_FLAG_{name}")
        return bool(int(self.value["timer"]["flags"]) & bit)


class System:
    """A system that has started, as it is now."""

    def __init__(self) -> None:
        self.kernel = target.kernel()
        self.states = target.enumeration("takti_state")

    @cached_property
    def tasks(self) -> list[Task]:
        """In the order of the declaration, then those of other variables, then idle."""
        table = self.kernel["system"]
        found = [table["tasks"][index] for index in range(int(table["task_count"]))]
        addresses = {target.address(value) for value in found}
        for _, value in objects.variables("takt_task"):
            if target.address(value) not in addresses and int(value["config"]):
                addresses.add(target.address(value))
                found.append(value)
        named = [Task(target.text(value["config"]["name"]) or "?", value) for value in found if int(value["config"])]
        return [*named, *self._threads(), Task("idle", self.kernel["idle"], idle=True)]

    def _threads(self) -> Iterator[Task]:
        """Those of processes that have not ended: by the process and its slot in the quota."""
        stopped = target.enumerator("takti_state", "TAKTI_DORMANT")
        for number, (_, value) in enumerate(objects.variables("takt_thread")):
            task = value["task"]
            if int(task["config"]) and int(task["timer"]["state"]) != stopped:
                yield Task(f"{target.text(task['config']['name'])}_{number}", task)

    @cached_property
    def objects(self) -> list[Object]:
        return objects.find()

    @cached_property
    def _names(self) -> dict[int, str]:
        return {task.address: task.name for task in self.tasks}

    def name(self, address: int) -> str | None:
        return self._names.get(address)

    @property
    def running(self) -> int:
        return int(self.kernel["ready"]["running"])

    def task(self, name: str) -> Task:
        """gdb.GdbError: no task is called so."""
        for task in self.tasks:
            if task.name == name:
                return task
        raise gdb.GdbError(f'takt: no task "{name}"; the tasks are {", ".join(task.name for task in self.tasks)}')

    def state(self, task: Task) -> str:
        """What the task does or waits for, in words."""
        if task.address == self.running:
            return "running" if target.started(self.kernel) or not task.idle else "running (the system starts)"
        name = self.states.get(int(task.value["timer"]["state"]), "?").removeprefix("TAKTI_")
        words = self._words(task, name)
        return f"{words}; suspended" if name != "SUSPENDED" and task.flag("SUSPENDED") else words

    def _words(self, task: Task, name: str) -> str:
        until_ns = task.timer_ns()
        if name in ("BLOCKED", "BLOCKED_MUTEX", "BLOCKED_PIPE", "BLOCKED_FIFO") and int(task.value["wait_queue"]):
            said = self.awaited(task, name).words(self.name)
            until = f" until {target.shown_time(until_ns)}" if until_ns is not None else ""
            ahead = "early, because of its hint,  " if task.flag("HINTED") and task.flag("AHEAD") else ""
            return f"waits {ahead}for {said}{until}"
        if name in ("BLOCKED", "BLOCKED_DELAY"):
            return f"sleeps until {target.shown_time(until_ns)}" if until_ns is not None else "waits for ever"
        if name == "BLOCKED_JOB":
            released = f"waits for its next release at {target.shown_time(until_ns or 0)}"
            return released if until_ns is not None else "waits for a trigger to release it"
        return {"READY": "ready", "SUSPENDED": "suspended", "DORMANT": "stopped"}.get(name, f"state {name}")

    def awaited(self, task: Task, state: str) -> Awaited:
        identity = target.of_feature(task.value, "trace", "wait_object", -1)
        return awaited(task.value["wait_queue"], state == "BLOCKED_MUTEX", identity, self.objects)

    def held(self, task: Task) -> list[str]:
        """The objects that a task owns; at the end how many more there are that no variable names."""
        names = []
        for one in self.objects:
            mutex = one.mutex()
            if mutex is not None and int(mutex["owner"]) == task.address:
                names.append(one.name)
        more = (int(task.value["holds"]) & target.constant("TAKTI_HOLDS_COUNT")) - len(names)
        return [*names, f"{more} more"] if more > 0 else names

    def level(self, task: Task) -> str:
        level = target.level_of(self.kernel, task.value)
        own = int(task.value["config"]["level"]) if not task.idle else level
        inherited = f" (own {own})" if level != own and level is not None else ""
        return "-" if level is None or task.idle else f"{level}{inherited}"

    def deadline_ns(self, task: Task) -> int | None:
        """The absolute deadline that counts, or that of its job; None: it has neither."""
        if target.in_edf(self.kernel, task.value):
            return int(task.value["key_deadline_ns"][0])
        jobs = int(task.value["config"]["release"]) != target.enumerator("takt_release_kind", "TAKT_BACKGROUND")
        return int(task.value["job_deadline_ns"]) or None if jobs and task.flag("ACTIVE") else None

    def sp(self, task: Task) -> int | None:
        if task.address == self.running:
            return contexts.running_sp(task.value)
        registers = contexts.saved(task.value) if self.state(task) != "stopped" else None
        return None if registers is None else registers.sp

    def stack(self, task: Task) -> str:
        """Bytes in use now and most ever, of how many."""
        lowest, size = contexts.stack_of(task.value)
        sp = self.sp(task)
        used = "?" if sp is None else str(lowest + size - sp)
        most = self._most(lowest, size)
        return f"{used}/{size}" if most is None else f"{used}/{size}, most {most}"

    def _most(self, lowest: int, size: int) -> int | str | None:
        """Bytes of a stack ever used; None: it was not filled before."""
        if not target.has(self.kernel, "trace") or contexts.port() == "takt_host_context_new":
            return None
        content = bytes(gdb.selected_inferior().read_memory(lowest, size))
        guarded = content.startswith(GUARD)
        untouched = next((index for index, byte in enumerate(content[4:], 4) if byte != STACK_FILL), size)
        if not guarded and content[:4] != bytes([STACK_FILL] * 4):
            return f"{size} (full)"
        return size - (untouched if untouched > 4 else 0)

    def time(self) -> str:
        """When this is."""
        now_ns = ring.now_ns(self.kernel)
        when = "" if now_ns is None else f"at {target.shown_time(now_ns)}" if self._exact() else f"after {show(now_ns)}"
        half = "; the kernel is locked: its lists may be inconsistent" if target.locked() else ""
        return f"{when}{half}".removeprefix("; ")

    def _exact(self) -> bool:
        return contexts.port() == "takt_host_context_new"

    def job(self, task: Task) -> str:
        number = target.of_feature(task.value, "trace", "job_number", NO_JOB)
        return "" if number == NO_JOB else str(number)


@dataclass(frozen=True)
class Column:
    """Of `takt tasks`. `present`: whether this build has anything to say in it."""

    title: str
    of: Callable[[System, Task], str]
    present: Callable[[System], bool] = lambda _system: True


def _sp(system: System, task: Task) -> str:
    sp = system.sp(task)
    return "?" if sp is None else f"{sp:#x}"


def _deadline(system: System, task: Task) -> str:
    deadline_ns = system.deadline_ns(task)
    return "-" if deadline_ns is None else target.shown_time(deadline_ns)


COLUMNS = (
    Column("task", lambda system, task: f"{'*' if task.address == system.running else ' '} {task.name}"),
    Column(
        "process", lambda _system, task: task.process or "-", lambda system: contexts.protected(system.kernel["idle"])
    ),
    Column("level", System.level),
    Column("deadline", _deadline),
    Column("state", System.state),
    Column("holds", lambda system, task: ", ".join(system.held(task)) or "-"),
    Column("stack", System.stack),
    Column("sp", _sp),
)


def table(system: System) -> Iterator[str]:
    """The lines of `takt tasks`."""
    columns = [column for column in COLUMNS if column.present(system)]
    rows = [[column.title for column in columns]]
    rows[0][0] = f"  {rows[0][0]}"
    rows += [[column.of(system, task) for column in columns] for task in system.tasks]
    return aligned(rows)


def aligned(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
