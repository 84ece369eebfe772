# SPDX-License-Identifier: Apache-2.0
"""The log of a run: messages that its program wrote (takt/log.h), with their times. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from takt.support.names import line_of
from takt.trace.log import LEVELS
from takt.trace.records import NONE, Event, Trace

SHOWN = tuple(level for level in LEVELS if level not in ("none", "mark_begin", "mark_end"))


class Line(NamedTuple):
    """One message. `task`: as in an entry of the trace."""

    time_ns: int
    task: int
    level: str
    where: str
    text: str  # one line


class Mark(NamedTuple):
    """The beginning or the end of a span."""

    time_ns: int
    task: int
    begins: bool
    name: str


def lines(trace: Trace) -> Iterator[Line]:
    """The messages of a trace, in order; spans aside."""
    for entry in trace.entries:
        if entry.event is Event.LOG:
            named = entry.named(trace.names)
            if named["event"] == "log":
                yield Line(
                    entry.time_ns, entry.task, named["level"] or "", named["where"] or "", line_of(named["text"])
                )


def marks(trace: Trace) -> Iterator[Mark]:
    """Where spans begin and end, in order."""
    for entry in trace.entries:
        message = trace.names.log.get(entry.value) if entry.event is Event.LOG else None
        if message is not None and message.level.startswith("mark"):
            yield Mark(entry.time_ns, entry.task, message.level == "mark_begin", line_of(message.format))


def counts(trace: Trace) -> dict[str, int]:
    """How many messages there are of each level that has any."""
    log = trace.names.log
    found = Counter(
        log[entry.value].level for entry in trace.entries if entry.event is Event.LOG and entry.value in log
    )
    return {level: found[level] for level in SHOWN if found[level]}


def shown(trace: Trace) -> Iterator[str]:
    """For people: aligned columns, times in ms with all their digits."""
    width = max([len("no task"), *(len(name) for name in trace.names.tasks)])
    for line in lines(trace):
        task = "no task" if line.task == NONE else trace.names.task(line.task) or ""
        time = f"{line.time_ns // 1_000_000}.{line.time_ns % 1_000_000:06d}"
        yield f"{time:>16}  {line.level:<7}  {task:<{width}}  {line.where}: {line.text}"
