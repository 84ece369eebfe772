# SPDX-License-Identifier: Apache-2.0
"""The steps of a chain: tasks of one node or several, and messages between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from takt.declare.schema.model import Chain, Message, System, Task
from takt.declare.service_kinds.mailbox import Mailbox
from takt.declare.service_kinds.semaphore import Semaphore
from takt.support.c.analysis import CHAIN_MAX
from takt.support.durations import show
from takt.support.errors import did_you_mean, one_of


@dataclass(frozen=True)
class Step:
    """`name`: as in the path of a network; of a system alone as it is declared. A message has whole names, too.
    `node`: of a task, whose clock it has; "": there is one alone. `system`: of a task."""

    name: str
    what: Task | Message
    node: str = ""
    system: System | None = None


Steps = Mapping[str, Step]
"""What a path may name."""
Fail = Callable[[int | str, str, str], NoReturn]
"""UserError at a step of the path, or at a key: the problem, and what to try."""


@dataclass(frozen=True)
class Section:
    """Steps of which the first samples, or is caused, and each other one is triggered by the one before it.
    `period_ns`: of its jobs that count for the chain; 0: the cause releases the first."""

    steps: tuple[Step, ...]
    period_ns: int

    @property
    def names(self) -> str:
        return ", ".join(step.name for step in self.steps)


def task_of(node: str, name: str) -> str:
    """What a task is called in a network."""
    return f"{node}.{name}" if node else name


def tasks_of(system: System, node: str = "") -> dict[str, Step]:
    """By their names in the system."""
    return {task.name: Step(task_of(node, task.name), task, node, system) for task in system.tasks}


def of_system(system: System, node: str = "") -> dict[str, Step]:
    """Its tasks and messages, by their names in it."""

    def whole(one: Message) -> Message:
        sender = None if one.sender is None else task_of(node, one.sender)
        return replace(one, sender=sender, receivers=tuple(task_of(node, name) for name in one.receivers))

    return tasks_of(system, node) | {one.name: Step(one.name, whole(one)) for one in system.messages}


def sections(steps: Steps, chain: Chain) -> list[Section]:
    """Of a chain that was checked."""
    found: list[Section] = []
    for index, name in enumerate(chain.path):
        step, first = steps[name], index == 0
        if first or (isinstance(step.what, Task) and step.what.period_ns is not None):
            found.append(Section((step,), step.what.period_ns or 0 if isinstance(step.what, Task) else 0))
            continue
        period_ns = found[-1].period_ns
        if isinstance(step.what, Message) and step.what.period_ns is not None and period_ns:
            period_ns = step.what.period_ns
        found[-1] = Section((*found[-1].steps, step), period_ns)
    return found


def trigger_of(step: Step) -> tuple[str, Mailbox | Semaphore | None]:
    """Of a task: the kind of what triggers it, and that object if each of its messages or posts is one job."""
    assert isinstance(step.what, Task)
    assert step.system is not None
    kind, _, name = (step.what.trigger or "").partition(" ")
    items: Sequence[Mailbox | Semaphore] = ()
    if kind in ("mailbox", "semaphore"):
        items = step.system.of(Mailbox) if kind == "mailbox" else step.system.of(Semaphore)
    return kind, next((item for item in items if item.name == name), None)


def check(steps: Steps, chain: Chain, fail: Fail) -> None:
    """Names, and whether each step follows the one before it. Raises what `fail` raises."""
    _Path(steps, chain, fail).check()


class _Path:
    def __init__(self, steps: Steps, chain: Chain, fail: Fail) -> None:
        self.steps, self.chain, self.raises = steps, chain, fail
        self.apart_ns = 0  # between two jobs of the section so far, at least

    def fail(self, index: int, problem: str, hint: str) -> NoReturn:
        label = f'[[chain]] "{self.chain.name}": path: "{self.chain.path[index]}"'
        self.raises(index, f"{label}: {problem}", hint)

    def check(self) -> None:
        path = self.chain.path
        if len(path) > CHAIN_MAX:
            self.fail(CHAIN_MAX, f"{len(path)} steps, and a chain has at most {CHAIN_MAX}", "two chains")
        for index, name in enumerate(path):
            if name not in self.steps:
                self._unknown(index, name)
            if name in path[:index]:
                self.fail(index, "twice in the path, which has no cycles", "a chain for each way to it")
            step, before = self.steps[name], self.steps[path[index - 1]] if index else None
            if isinstance(step.what, Message):
                self._message(index, step, step.what, before)
            else:
                self._task(index, step, step.what, before)
        self._age()

    def _unknown(self, index: int, name: str) -> NoReturn:
        nodes = list(dict.fromkeys(step.node for step in self.steps.values() if step.node))
        node, dot, task = name.rpartition(".")
        if dot and nodes and node not in nodes:
            self.fail(index, f'no node is called "{node}"', did_you_mean(node, nodes) or one_of(nodes))
        problem = f"{node} has no such task" if dot and nodes else "neither a task nor a message"
        on_nodes = [whole for whole in self.steps if whole.endswith(f".{name}")]
        hint = one_of(f'"{whole}"' for whole in on_nodes) or did_you_mean(name, self.steps)
        self.fail(index, problem, hint or f'[[task]] with name = "{task}"{f" in {node}" if dot and nodes else ""}')

    def _age(self) -> None:
        found = sections(self.steps, self.chain)
        if self.chain.age_ns is not None and found[0].period_ns == 0 and len(found) > 1:
            name, later = found[0].steps[0].name, found[1].steps[0].name
            problem = f'[[chain]] "{self.chain.name}": age: "{name}" is not periodic, so nothing bounds how old what'
            self.raises("age", f'{problem} "{later}" reads may be', "reaction alone")

    def _message(self, index: int, step: Step, one: Message, before: Step | None) -> None:
        if one.forwards is not None:
            if before is None or before.name != one.forwards:
                said = "it has no step before it" if before is None else f'not of "{before.name}", the step before it'
                self.fail(index, f'a copy of "{one.forwards}", {said}', f'"{one.forwards}" before it')
            return
        if one.sender is None:
            if before is not None:
                problem = f"{one.origin} sends it, another node, so it can only be the first step"
                self.fail(index, problem, "a chain that begins with it")
            self.apart_ns = one.period_ns or 1
            return
        if before is None or before.name != one.sender:
            said = "it has no step before it" if before is None else f'not "{before.name}", the step before it'
            self.fail(index, f'its sender is "{one.sender}", {said}', f'"{one.sender}" before it')
        assert isinstance(before.what, Task)
        if one.period_ns is not None and one.period_ns != before.what.separation_ns:
            if before.what.period_ns is None:
                problem = f'sent every {show(one.period_ns)}, and "{before.name}" has a job every'
                hint = "no period in the message: it is sent in every job"
                self.fail(index, f"{problem} {show(before.what.separation_ns or 0)}: some cause nothing", hint)
            self.apart_ns = one.period_ns

    def _task(self, index: int, step: Step, task: Task, before: Step | None) -> None:
        if task.separation_ns is None:
            problem = "a background task, and nothing bounds when it completes"
            self.fail(index, problem, "a period or min_interarrival, and a wcet")
        if task.burst > 1:
            self.fail(index, "it has bursts, which the proof of chains does not cover", "burst = 1, or another path")
        if before is not None and isinstance(before.what, Message):
            self._receives(index, step, task, before.what)
        elif before is not None and before.node != step.node:
            sent = [name for name, one in self.steps.items() if _between(before, one.what, step)]
            problem = f'"{before.name}", the step before it, is on another node, and no message is between them'
            self.fail(
                index, problem, one_of(f'"{name}"' for name in sent) or f"a [[message]] that {step.node} receives"
            )
        if before is None or task.period_ns is not None:
            self.apart_ns = task.separation_ns
            return
        self._triggered(index, step, task, before)
        if task.separation_ns > self.apart_ns:
            problem = f"min_interarrival {show(task.separation_ns)}, and the steps before it trigger it every"
            self.fail(index, f"{problem} {show(self.apart_ns)}", f'min_interarrival = "{show(self.apart_ns)}"')

    def _receives(self, index: int, step: Step, task: Task, before: Message) -> None:
        assert step.system is not None
        if step.name not in before.receivers:
            problem = f'it is no receiver of "{before.name}", the step before it'
            declared = next((one.receivers for one in step.system.messages if one.name == before.name), ())
            receivers = ", ".join(f'"{name}"' for name in (*declared, task.name))
            there = f" of {step.node}" if step.node else ""
            self.fail(index, problem, f'receivers = [{receivers}] in [[message]] "{before.name}"{there}')
        if task.period_ns is not None and any(
            one.name == before.name and one.queue is not None for one in step.system.messages
        ):
            problem = f'it samples, and "{before.name}" has a queue, whose oldest message it would get'
            self.fail(index, problem, f'no queue: the last value, or trigger = "message {before.name}"')

    def _triggered(self, index: int, step: Step, task: Task, before: Step) -> None:
        if isinstance(before.what, Message):
            if task.trigger != f"message {before.name}":
                self._nobody(index, task, before, f'trigger = "message {before.name}", or a period')
            return
        kind, item = trigger_of(step)
        sender = before.what.name
        if item is None:
            hint = f'a mailbox or semaphore with senders = [{{task = "{sender}"}}] as its trigger, or a period'
            self._nobody(index, task, before, hint)
        if [one.task for one in item.senders] != [sender] or item.senders[0].messages != 1:
            problem = f'[[{kind}]] "{item.name}" triggers it, and its senders are not "{sender}" alone, once'
            hint = f'senders = [{{task = "{sender}"}}] in it'
            self.fail(index, f"{problem} a job", hint)

    def _nobody(self, index: int, task: Task, before: Step, hint: str) -> NoReturn:
        trigger = f'its trigger is "{task.trigger}"' if task.trigger else "it has no trigger"
        self.fail(index, f'"{before.name}" does not trigger it, and it has no period: {trigger}', hint)


def _between(before: Step, what: Task | Message, after: Step) -> bool:
    return isinstance(what, Message) and what.sender == before.name and after.name in what.receivers
