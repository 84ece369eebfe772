# SPDX-License-Identifier: Apache-2.0
"""A declaration as the text of a system.toml: what the readers of other formats can say, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from takt.declare.exchange.model import Left
from takt.declare.schema.model import Band, Interrupt, Server, System, Task
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.support.durations import show

_WIDTH = 118


def text(system: System, head: Sequence[str], left: Sequence[Left]) -> str:
    """The file. `head`: what it says first, in comments; then what of the source is not in it."""
    return "\n".join(_lines(system, head, left)) + "\n"


def _lines(system: System, head: Sequence[str], left: Sequence[Left]) -> Iterator[str]:
    for line in head:
        yield from _comment(line)
    if left:
        yield "#"
        yield "# Left out, with its line there (! makes the bounds optimistic):"
        for one in left:
            yield from _comment(f"{'!' if one.optimistic else '-'} {one.line}: {one.what}")
    yield ""
    yield "[system]"
    yield f'name = "{system.name}"'
    yield f'board = "{system.board}"'
    for task in system.tasks:
        yield from ("", *_task(task, system))
    for server in system.servers:
        yield from ("", *_server(server))
    for band in system.bands:
        yield from ("", *_band(band))
    for mutex in system.of(Mutex):
        yield from ("", *_mutex(mutex))
    for interrupt in system.interrupts:
        yield from ("", *_interrupt(interrupt))


def _comment(text: str) -> Iterator[str]:
    """Comment lines of at most so many columns, whatever the text is: a control character would end the comment."""
    clean = "".join(letter if letter.isprintable() else " " for letter in text)
    line = "#"
    for word in clean.split(" "):
        if len(line) + 1 + len(word) > _WIDTH and line != "#":
            yield line
            line = "#  "
        line += f" {word}"
    yield line.rstrip()


def _task(task: Task, system: System) -> Iterator[str]:
    yield "[[task]]"
    yield f'name = "{task.name}"'
    if task.period_ns is not None:
        yield f'period = "{show(task.period_ns)}"'
    if task.min_interarrival_ns is not None:
        yield f'min_interarrival = "{show(task.min_interarrival_ns)}"'
    if task.burst > 1:
        yield f"burst = {task.burst}"
    if task.burst_distance_ns:
        yield f'burst_distance = "{show(task.burst_distance_ns)}"'
    due = task.deadline_ns
    if due is not None and (due != task.separation_ns or system.server_of(task.name)):
        yield f'deadline = "{show(due)}"'
    if task.wcet_ns:
        yield f'wcet = "{show(task.wcet_ns)}"'
    if task.offset_ns:
        yield f'offset = "{show(task.offset_ns)}"'
    if task.jitter_ns:
        yield f'jitter = "{show(task.jitter_ns)}"'
    if task.suspension_ns:
        yield f'suspension = "{show(task.suspension_ns)}"'
        yield f"waits = {task.waits}"


def _server(server: Server) -> Iterator[str]:
    yield "[[server]]"
    yield f'name = "{server.name}"'
    yield f'kind = "{server.kind}"'
    yield f'budget = "{show(server.budget_ns)}"'
    yield f'period = "{show(server.period_ns)}"'
    if server.deadline_ns != server.period_ns:
        yield f'deadline = "{show(server.deadline_ns)}"'
    yield f"serves = [{', '.join(_quoted(server.serves))}]"


def _quoted(names: Sequence[str]) -> list[str]:
    return [f'"{name}"' for name in names]


def _band(band: Band) -> Iterator[str]:
    yield "[[band]]"
    yield f'kind = "{band.kind}"'
    if band.kind == "edf":
        yield from _listed("tasks", _quoted(band.tasks))
    else:
        groups = [f"[{', '.join(_quoted(group))}]" if len(group) > 1 else f'"{group[0]}"' for group in band.groups]
        yield from _listed("tasks", groups)
    if band.quantum_ns is not None:
        yield f'quantum = "{show(band.quantum_ns)}"'


def _listed(key: str, items: Sequence[str]) -> Iterator[str]:
    """An array in one line, or in one line for each item."""
    line = f"{key} = [{', '.join(items)}]"
    if len(line) <= _WIDTH:
        yield line
        return
    yield f"{key} = ["
    yield from (f"    {item}," for item in items)
    yield "]"


def _mutex(mutex: Mutex) -> Iterator[str]:
    yield "[[mutex]]"
    yield f'name = "{mutex.name}"'
    if mutex.protocol != "inherit":
        yield f'protocol = "{mutex.protocol}"'
    yield from _listed("users", [_hold(user) for user in mutex.users])


def _hold(user: Hold) -> str:
    within = f", within = [{', '.join(_quoted(user.within))}]" if user.within else ""
    locks = f", locks = {user.locks}" if user.locks else ""
    return f'{{task = "{user.task}", hold = "{show(user.hold_ns)}"{within}{locks}}}'


def _interrupt(interrupt: Interrupt) -> Iterator[str]:
    yield "[[interrupt]]"
    yield f'name = "{interrupt.name}"'
    yield f"number = {interrupt.number}"
    yield f'min_interarrival = "{show(interrupt.min_interarrival_ns)}"'
    yield f'wcet = "{show(interrupt.wcet_ns)}"'
