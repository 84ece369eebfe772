# SPDX-License-Identifier: Apache-2.0
"""The log of a run: messages that its program wrote (takt/log.h), with their times. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from takt.support.names import line_of
from takt.trace.log import LEVELS
from takt.trace.records import NONE, UNKNOWN, Entry, Event, Names

SHOWN = tuple(level for level in LEVELS if level not in ("none", "mark_begin", "mark_end"))

_GAP = " records of the trace, messages of the log perhaps among them"


class Events(Protocol):
    """A trace, of which `OF_LOG` is read in order."""

    @property
    def names(self) -> Names:
        """What its numbers mean."""

    def of_log(self) -> Iterator[Entry]:
        """Those events of it, perhaps among others."""


class Line(NamedTuple):
    """One message. `task`: as in an entry of the trace."""

    time_ns: int
    task: int
    level: str
    where: str
    text: str  # one line


class Span(NamedTuple):
    """What the program marked. `depth`: how many spans of the same task or interrupt are around it."""

    task: int
    start_ns: int
    end_ns: int
    depth: int
    name: str  # one line
    ended: bool  # by takt_mark_end


def lines(trace: Events) -> Iterator[Line]:
    """The messages of a trace, in order; spans aside."""
    yield from (line for entry in trace.of_log() if (line := _line(entry, trace.names)) is not None)


def _line(entry: Entry, names: Names) -> Line | None:
    """None: it is no message."""
    named = entry.named(names) if entry.event is Event.LOG else None
    if named is None or named["event"] != "log":
        return None
    return Line(entry.time_ns, entry.task, named["level"] or "", named["where"] or "", line_of(named["text"]))


def spans(trace: Events, end_ns: int) -> list[Span]:
    """In the order of their beginnings. One without an end lasts until that of the span around it, the stop of its
    task, lost records, or `end_ns`."""
    found: list[Span] = []
    active: dict[int, list[tuple[int, str]]] = {}  # by task: since when, and the name

    def close(task: int, now_ns: int, ends: str | None = None) -> None:
        begun = active.get(task, [])
        name = None
        while begun and (ends is None or name != ends):
            since_ns, name = begun.pop()
            found.append(Span(task, since_ns, now_ns, len(begun), name, name == ends))

    for entry in trace.of_log():
        if entry.event is Event.STOP:
            close(entry.task, entry.time_ns)
        elif entry.event is Event.LOST_RECORDS:
            for task in active:
                close(task, entry.time_ns)
        message = trace.names.log.get(entry.value) if entry.event is Event.LOG else None
        if message is None or not message.level.startswith("mark"):
            continue
        begun, name = active.setdefault(entry.task, []), line_of(message.format)
        if message.level == "mark_begin":
            begun.append((entry.time_ns, name))
        elif any(name == one for _, one in begun):
            close(entry.task, entry.time_ns, name)
    for task in active:
        close(task, end_ns)
    return sorted(found, key=lambda span: (span.start_ns, span.depth))


def is_gap(text: str) -> bool:
    """Of a line of `shown`: records were lost there."""
    return text.endswith(_GAP)


def shown(trace: Events) -> Iterator[str]:
    """For people: aligned columns, times in ms with all their digits; a line where records were lost."""
    for entry in trace.of_log():
        line = _line(entry, trace.names)
        if line is not None:
            task = {NONE: "no task", UNKNOWN: "?"}.get(line.task) or trace.names.task(line.task) or ""
            yield row(trace.names, entry.time_ns, line.level, task, f"{line.where}: {line.text}")
        elif entry.event is Event.LOST_RECORDS and trace.names.log:
            yield row(trace.names, entry.time_ns, "lost", "", f"{entry.value}{_GAP}")


def row(names: Names, time_ns: int, kind: str, task: str, text: str) -> str:
    """One line of `shown`. `names`: of the trace, whose longest name of a task says how wide its column is."""
    width = max([len("no task"), *(len(name) for name in names.tasks)])
    time = f"{time_ns // 1_000_000}.{time_ns % 1_000_000:06d}"
    return f"{time:>16}  {kind:<7}  {task:<{width}}  {text}"
