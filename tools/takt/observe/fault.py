# SPDX-License-Identifier: Apache-2.0
"""The fault record of a run: what the board wrote to its console when it stopped, and the trace before it.

A process that has the console may write what looks like a record. The kernel's is known by its start: interrupts stay
off while it is written, and then the run ends with an exit code of its own, so nothing can follow it. Any other is text
of the program, and is shown as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.image import functions
from takt.image.application.names import demangled_type
from takt.support.durations import show
from takt.trace.records import Entry, Event, Names, Trace, columns

LAST_RECORDS = 12
_OF_CODE = ("assertion", "exception")
"""Reasons whose address is that of code: of an assertion behind the call."""
_HEAD = "\ntakt: fault "
_RECORD = re.compile(
    rf"{_HEAD}(?P<reason>\w+)(?: (?P<file>\S.*?):(?P<line>\d+))? address 0x(?P<address>[0-9a-f]+)"
    r" task (?P<task>\d+) time_ns (?P<time>\d+)\n(?:takt: registers(?P<registers>(?: \w+ 0x[0-9a-f]+)+)\n)?"
)


@dataclass(frozen=True)
class Fault:
    """What stopped a system. `address`: of the program; `file` and `line`: of an assertion."""

    reason: str  # "assertion" | "exception" | "stack" | "watchdog" | "invariant"
    file: str | None  # of an invariant, of the heap and of exceptions: what is wrong
    line: int | None
    address: int
    task: str | None  # or "idle"; None: before the start
    time_ns: int
    registers: dict[str, int]  # those that the port saves; none of an assertion
    last: tuple[Entry, ...]  # of the trace
    function: str | None = None  # that the address is in

    def as_json(self, names: Names) -> dict[str, Any]:
        return {
            "reason": self.reason,
            "file": self.file,
            "line": self.line,
            "address": self.address,
            "function": self.function,
            "task": self.task,
            "time_ns": self.time_ns,
            "registers": self.registers,
            "last": [entry.named(names) for entry in self.last],
        }

    def sentence(self) -> str:
        known = {
            "assertion": "an assertion failed",
            "stack": "a stack overflowed",
            "watchdog": "a watchdog expired",
            "deadlock": "noted: a lock was refused because it would have caused a deadlock",
            "section": "noted: a task was stopped in a section that exceeded its hold",
        }
        cause = known.get(self.reason, f"an {self.reason}")
        address = f"at address 0x{self.address:08x}{functions.shown(self.function)}"
        where = f"at {self.file}:{self.line}" if self.file is not None else address
        if self.file is not None and self.file.startswith(("heap: ", "C: ", "C++: ")):  # of library/ and runner/cxx
            cause, where = self.file, address
        if self.reason == "invariant":
            cause, where = f'the kernel is damaged: "{self.file}" does not hold', f"for what is at 0x{self.address:08x}"
        task = {None: "before the start", "idle": "in idle time"}.get(self.task, f"in task {self.task}")
        return f"{cause} {where}, {task}, at {show(self.time_ns) if self.time_ns else '0'}"

    def lines(self, names: Names) -> Iterator[str]:
        """For people: the registers and the last records."""
        yield from record_lines(self.registers, self.last, names)


def record_lines(registers: dict[str, int], last: tuple[Entry, ...], names: Names) -> Iterator[str]:
    """For people: registers by name, and the last records of the trace."""
    items = [f"{name} 0x{value:08x}" for name, value in registers.items()]
    for start in range(0, len(items), 4):
        yield f"  {'  '.join(f'{item:<16}' for item in items[start : start + 4])}".rstrip()
    if last:
        yield "  the last records of the trace:"
        yield from (f"  {line}" for line in columns(names, last))


def without(console: str) -> str:
    """The text of a console, which ends with a record, less that record."""
    match = _last(console)
    return console if match is None else console[: match.start()]


def _last(console: str) -> re.Match[str] | None:
    """The record that a console ends with."""
    return _RECORD.fullmatch(console, max(0, console.rfind(_HEAD)))


def _as_source(file: str | None) -> str | None:
    """With the type of an exception (runner/cxx/exceptions.c) as the source names it."""
    what, of_type, name = (file or "").partition(" of type ")
    return f"{what}{of_type}{demangled_type(name)}" if what.startswith("C++: ") and name else file


def find(console: str, trace: Trace, where: functions.Where = functions.nowhere) -> Fault | None:
    """The fault that ended a run, whose exit code was that of a fault; None: its console does not end with a record."""
    match = _last(console)
    if match is None:
        return None
    words = (match["registers"] or "").split()
    entries = [entry for entry in trace.entries if entry.event < Event.STAT_JOBS]
    reason, address = match["reason"], int(match["address"], 16)
    return Fault(
        reason=reason,
        file=_as_source(match["file"]),
        line=int(match["line"]) if match["line"] else None,
        address=address,
        task=trace.names.task(int(match["task"])),
        time_ns=int(match["time"]),
        registers={name: int(value, 16) for name, value in zip(words[::2], words[1::2], strict=True)},
        last=tuple(entries[-LAST_RECORDS:]),
        function=where(address, reason == "assertion") if reason in _OF_CODE else None,
    )
