# SPDX-License-Identifier: Apache-2.0
"""[[chain]]: its steps, and what it says of tasks and messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Chain, Message, System, Task
from takt.declare.schema.reader import Document
from takt.declare.service_kinds.mailbox import Mailbox
from takt.declare.service_kinds.semaphore import Semaphore
from takt.support.c.analysis import CHAIN_MAX
from takt.support.durations import show
from takt.support.errors import did_you_mean

Step = Task | Message


@dataclass(frozen=True)
class Section:
    """Steps of which the first samples, or is caused, and each other one is triggered by the one before it.
    `period_ns`: of its jobs that count for the chain; 0: the cause releases the first."""

    steps: tuple[Step, ...]
    period_ns: int

    @property
    def names(self) -> str:
        return ", ".join(step.name for step in self.steps)


def read(document: Document, tables: Sequence[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Fields of System. UserError: a chain without a limit."""
    for index, values in enumerate(tables):
        if values["reaction"] is None and values["age"] is None:
            hint = 'reaction = "50 ms", or age = "50 ms"'
            document.fail(("chain", index), f'[[chain]] "{values["name"]}": no limit', hint)
    return {"chains": tuple(Chain(one["name"], one["path"], one["reaction"], one["age"]) for one in tables)}


def check(document: Document, system: System) -> None:
    """Names, and whether each step follows the one before it. UserError."""
    for index, chain in enumerate(system.chains):
        _Path(document, system, index, chain).check()


def sections(system: System, chain: Chain) -> list[Section]:
    """Of a chain that was checked."""
    named = _steps(system)
    found: list[Section] = []
    for index, name in enumerate(chain.path):
        step, before = named[name], named[chain.path[index - 1]] if index else None
        if before is None or (isinstance(step, Task) and step.period_ns is not None):
            found.append(Section((step,), step.period_ns or 0 if isinstance(step, Task) else 0))
            continue
        period_ns = found[-1].period_ns
        if isinstance(step, Message) and step.period_ns is not None and period_ns:
            period_ns = step.period_ns
        found[-1] = Section((*found[-1].steps, step), period_ns)
    return found


def _steps(system: System) -> dict[str, Step]:
    tasks: dict[str, Step] = {task.name: task for task in system.tasks}
    return tasks | {message.name: message for message in system.messages}


def trigger_of(system: System, task: Task) -> tuple[str, Mailbox | Semaphore | None]:
    """The kind of what triggers it, and that object if each of its messages or posts is one job."""
    kind, _, name = (task.trigger or "").partition(" ")
    items: Sequence[Mailbox | Semaphore] = ()
    if kind in ("mailbox", "semaphore"):
        items = system.of(Mailbox) if kind == "mailbox" else system.of(Semaphore)
    return kind, next((item for item in items if item.name == name), None)


class _Path:
    def __init__(self, document: Document, system: System, index: int, chain: Chain) -> None:
        self.document, self.system, self.chain = document, system, chain
        self.where: Where = ("chain", index)
        self.steps = _steps(system)
        self.apart_ns = 0  # between two jobs of the section so far, at least

    def fail(self, index: int, problem: str, hint: str) -> NoReturn:
        label = f'[[chain]] "{self.chain.name}": path: "{self.chain.path[index]}"'
        self.document.fail((*self.where, "path", index), f"{label}: {problem}", hint)

    def check(self) -> None:
        path = self.chain.path
        if len(path) > CHAIN_MAX:
            self.fail(CHAIN_MAX, f"{len(path)} steps, and a chain has at most {CHAIN_MAX}", "two chains")
        for index, name in enumerate(path):
            if name not in self.steps:
                problem = "neither a task nor a message"
                self.fail(index, problem, did_you_mean(name, self.steps) or f'[[task]] with name = "{name}"')
            if name in path[:index]:
                self.fail(index, "twice in the path, which has no cycles", "a chain for each way to it")
            step, before = self.steps[name], self.steps[path[index - 1]] if index else None
            if isinstance(step, Message):
                self._message(index, step, before)
            else:
                self._task(index, step, before)
        self._age()

    def _age(self) -> None:
        found = sections(self.system, self.chain)
        if self.chain.age_ns is not None and found[0].period_ns == 0 and len(found) > 1:
            name, later = found[0].steps[0].name, found[1].steps[0].name
            problem = f'[[chain]] "{self.chain.name}": age: "{name}" is not periodic, so nothing bounds how old what'
            self.document.fail((*self.where, "age"), f'{problem} "{later}" reads may be', "reaction alone")

    def _message(self, index: int, step: Message, before: Step | None) -> None:
        if step.forwards is not None:
            problem = f'a copy of "{step.forwards}", which the proof of chains does not cover'
            self.fail(index, problem, f'"{step.forwards}" as the first step')
        if step.origin is not None:
            if before is not None:
                problem = f"{step.origin} sends it, another node, so it can only be the first step"
                self.fail(index, problem, "a chain that begins with it")
            self.apart_ns = step.period_ns or 1
            return
        if before is None or before.name != step.sender:
            said = "it has no step before it" if before is None else f'not "{before.name}", the step before it'
            self.fail(index, f'its sender is "{step.sender}", {said}', f'"{step.sender}" before it')
        assert isinstance(before, Task)
        period_ns = step.period_ns
        if period_ns is not None and period_ns != before.separation_ns:
            if before.period_ns is None:
                problem = f'sent every {show(period_ns)}, and "{before.name}" has a job every'
                hint = "no period in the message: it is sent in every job"
                self.fail(index, f"{problem} {show(before.separation_ns or 0)}: some cause nothing", hint)
            self.apart_ns = period_ns

    def _task(self, index: int, step: Task, before: Step | None) -> None:
        if step.separation_ns is None:
            problem = "a background task, and nothing bounds when it completes"
            self.fail(index, problem, "a period or min_interarrival, and a wcet")
        if step.burst > 1:
            self.fail(index, "it has bursts, which the proof of chains does not cover", "burst = 1, or another path")
        if isinstance(before, Message):
            self._receives(index, step, before)
        if before is None or step.period_ns is not None:
            self.apart_ns = step.separation_ns
            return
        self._triggered(index, step, before)
        if step.separation_ns > self.apart_ns:
            problem = f"min_interarrival {show(step.separation_ns)}, and the steps before it trigger it every"
            self.fail(index, f"{problem} {show(self.apart_ns)}", f'min_interarrival = "{show(self.apart_ns)}"')

    def _receives(self, index: int, step: Task, before: Message) -> None:
        if step.name not in before.receivers:
            problem = f'it is no receiver of "{before.name}", the step before it'
            receivers = ", ".join(f'"{name}"' for name in (*before.receivers, step.name))
            self.fail(index, problem, f'receivers = [{receivers}] in [[message]] "{before.name}"')
        if step.period_ns is not None and before.queue is not None:
            problem = f'it samples, and "{before.name}" has a queue, whose oldest message it would get'
            self.fail(index, problem, f'no queue: the last value, or trigger = "message {before.name}"')

    def _triggered(self, index: int, step: Task, before: Step) -> None:
        if isinstance(before, Message):
            if step.trigger != f"message {before.name}":
                self._nobody(index, step, before, f'trigger = "message {before.name}", or a period')
            return
        kind, item = trigger_of(self.system, step)
        if item is None:
            hint = f'a mailbox or semaphore with senders = [{{task = "{before.name}"}}] as its trigger, or a period'
            self._nobody(index, step, before, hint)
        senders = [one.task for one in item.senders]
        if senders != [before.name] or item.senders[0].messages != 1:
            problem = f'[[{kind}]] "{item.name}" triggers it, and its senders are not "{before.name}" alone, once'
            hint = f'senders = [{{task = "{before.name}"}}] in it'
            self.fail(index, f"{problem} a job", hint)

    def _nobody(self, index: int, step: Task, before: Step, hint: str) -> NoReturn:
        trigger = f'its trigger is "{step.trigger}"' if step.trigger else "it has no trigger"
        self.fail(index, f'"{before.name}" does not trigger it, and it has no period: {trigger}', hint)
