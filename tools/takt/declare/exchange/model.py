# SPDX-License-Identifier: Apache-2.0
"""What a reader found in a file of another tool, before it is a declaration: names as the file has them, priorities as
numbers. `assemble.py` makes the declaration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.names import shown

TASKS_MAX = 1000
SHOWN_MAX = 60  # characters of a word of the file in a message


def quoted(word: str) -> str:
    """A word of the file, in a message."""
    word = shown(word)
    return f'"{word if len(word) <= SHOWN_MAX else word[: SHOWN_MAX - 3] + "..."}"'


@dataclass(frozen=True)
class Left:
    """Something of the file that Takt has no counterpart for. `optimistic`: without it the bounds may be too small for
    what the file describes."""

    line: int
    what: str
    optimistic: bool

    def sentence(self) -> str:
        """For people."""
        kind = "left out, optimistic" if self.optimistic else "left out"
        return f"{kind}: {f'line {self.line}: ' if self.line else ''}{self.what}"

    def as_json(self) -> dict[str, int | str | bool]:
        """An element of `left_out` (docs/json.md)."""
        return {"line": self.line, "what": self.what, "optimistic": self.optimistic}


@dataclass(frozen=True)
class Job:
    """A task. Times in ns. `priority`: the greater the more urgent; with `by_deadline` that of all tasks which are
    scheduled by deadline together; None: it has none."""

    name: str
    line: int
    wcet_ns: int
    period_ns: int | None = None  # neither this nor the next: a background task
    min_interarrival_ns: int | None = None
    deadline_ns: int | None = None
    jitter_ns: int = 0
    offset_ns: int = 0
    suspension_ns: int = 0
    waits: int = 0
    burst: int = 1
    burst_distance_ns: int = 0
    priority: Fraction | None = None
    by_deadline: bool = False
    preemptive: bool = True


@dataclass(frozen=True)
class Use:
    """The sections of a job on one resource: how many, and how long the longest is."""

    task: str
    hold_ns: int
    locks: int | None
    within: tuple[str, ...] = ()  # resources


@dataclass(frozen=True)
class Resource:
    name: str
    line: int
    protocol: str  # inherit | ceiling
    users: tuple[Use, ...]


@dataclass(frozen=True)
class Budgeted:
    """A server, which stands in the order of priorities for the task that it serves."""

    name: str
    line: int
    kind: str  # of takt.declare.schema.servers
    budget_ns: int
    period_ns: int
    priority: Fraction | None
    serves: str
    by_deadline: bool = False
    deadline_ns: int | None = None


@dataclass(frozen=True)
class Device:
    """An interrupt, above all tasks."""

    name: str
    line: int
    wcet_ns: int
    min_interarrival_ns: int


@dataclass
class Found:
    """All that a reader found. `notes`: what it did with it, for people."""

    tool: str
    jobs: list[Job] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    servers: list[Budgeted] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    quantum_ns: int = 0  # among equals; 0: they are FIFO

    def leave(self, line: int, what: str, optimistic: bool = True) -> None:
        """Lists once what has no counterpart."""
        one = Left(line, what, optimistic)
        if one not in self.left:
            self.left.append(one)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


@dataclass(frozen=True)
class Source:
    """The file that is read, for messages, and what the command says of it: the unit of times without one, the
    processor of several."""

    path: Path
    unit: str | None = None
    processor: str | None = None

    def error(self, line: int, problem: str, hint: str = "") -> UserError:
        """FILE:LINE: problem."""
        return UserError(f"{shown_path(self.path)}{f':{line}' if line else ''}: {shown(problem)}", shown(hint))

    def fail(self, line: int, problem: str, hint: str = "") -> NoReturn:
        raise self.error(line, problem, hint)

    def limit(self, count: int, line: int) -> None:
        """UserError: more tasks than are read."""
        if count > TASKS_MAX:
            self.fail(line, f"{count} tasks; takt import takes at most {TASKS_MAX}", "a smaller model")

    def chosen(self, processors: Sequence[str], line: int) -> str:
        """The processor that is read: the only one, or the one that was asked for."""
        names = list(dict.fromkeys(processors))
        asked = self.processor
        if asked is not None:
            found = next((name for name in names if name.lower() == asked.lower()), None)
            if found is None:
                known = ", ".join(map(quoted, names[:8]))
                self.fail(0, f"no processor {quoted(asked)} that executes tasks", f"--processor with one of {known}")
            return found
        if len(names) > 1:
            few = ", ".join(map(quoted, names[:8])) + (", ..." if len(names) > 8 else "")
            self.fail(line, f"tasks on {len(names)} processors ({few}); a system has one", f"--processor {names[0]}")
        return names[0]
