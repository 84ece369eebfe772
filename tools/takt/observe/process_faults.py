# SPDX-License-Identifier: Apache-2.0
"""Faults of processes in a run: what the kernel's records say of each, and the trace before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from takt.image import functions
from takt.observe.fault import LAST_RECORDS, record_lines
from takt.support.c.kernel import ProcessCause
from takt.support.c.traces import (
    FAULT_CAUSE,
    FAULT_RESTARTED,
    PROCESS_ON_CALL,
    PROCESS_START_CALL,
    PROCESS_STARTED,
    PROCESS_STOP_CALL,
    REGISTER_LETTERS,
)
from takt.support.durations import brief
from takt.trace.records import Entry, Event, Names, Trace

# The JSON's word, and what the task did.
CAUSES: dict[int, tuple[str, str]] = {
    ProcessCause.STRAY: ("stray", "accessed memory without the right to it"),
    ProcessCause.STACK: ("overflow", "overflowed its stack"),
    ProcessCause.ILLEGAL: ("illegal", "executed an illegal instruction"),
    ProcessCause.CALL: (
        "call",
        "made a call that its process may not make, or passed a handle or pointer that its process may not use",
    ),
    ProcessCause.ASSERTION: ("assert", "failed an assertion"),
    ProcessCause.BUDGET: ("budget", "used up its budget"),
    ProcessCause.HEAP_DAMAGED: (
        "heap",
        "freed or resized what is no block of its heap in use, or has overwritten its heap",
    ),
}
CALLED = ("call", "assert")
"""Of which pc is behind the call."""
NO_FAULT = (PROCESS_STARTED, PROCESS_STOP_CALL, PROCESS_START_CALL, PROCESS_ON_CALL)
"""Values of records of processes that are no causes."""
UNKNOWN = ("unknown", "stopped with a cause that this version of takt does not know")


@dataclass(frozen=True)
class ProcessFault:
    """A process that was stopped. `address`: what the task reached for, of `assert` the line, 0: abort, of `budget` 1:
    with a wait or yield; `pc`: where it was, 0: not known; None, and no registers: the kernel's record of it is no
    more. `function`: that pc is in. `last`: the end of the trace up to it."""

    process: str
    task: str
    cause: int  # a ProcessCause, if the stream is whole
    address: int | None
    time_ns: int
    restarted: bool
    pc: int | None = None
    registers: dict[str, int] = field(default_factory=dict)
    last: tuple[Entry, ...] = ()
    function: str | None = None

    @property
    def kind(self) -> tuple[str, str]:
        """The JSON's word for the cause, and what the task did."""
        return CAUSES.get(self.cause, UNKNOWN)

    def sentence(self) -> str:
        """What happened, for people."""
        word, did = self.kind
        detail = " (abort)" if word == "assert" and self.address == 0 else ""
        if self.address:
            detail = {
                "assert": f" (line {self.address})",
                "budget": " with a wait or yield beyond what it declares (keys waits, suspension)",
            }.get(word, f" ({self.address:#x})")
        after = "restarted" if self.restarted else "stopped"
        return f"process {self.process}: task {self.task} {did}{detail} at {brief(self.time_ns)}; it was {after}"

    def lines(self, names: Names) -> Iterator[str]:
        """For people: where, the registers and the last records."""
        if self.pc:
            yield f"  at address 0x{self.pc:08x}{functions.shown(self.function)}"
        yield from record_lines(self.registers, self.last, names)

    def as_json(self, names: Names) -> dict[str, Any]:
        return {
            "process": self.process,
            "task": self.task,
            "cause": self.kind[0],
            "address": self.address,
            "pc": self.pc,
            "function": self.function,
            "time_ns": self.time_ns,
            "restarted": self.restarted,
            "registers": self.registers,
            "last": [entry.named(names) for entry in self.last],
        }


@dataclass(frozen=True)
class ProcessCall:
    """A call that started or stopped a process. `task`: the caller; None: an interrupt. `ran_ns`: of a start, when its
    tasks started; None: not in this run, or it is a stop."""

    process: str
    call: str  # "start" | "stop"
    task: str | None
    time_ns: int
    ran_ns: int | None

    def as_json(self) -> dict[str, Any]:
        return vars(self).copy()


def calls(trace: Trace) -> tuple[ProcessCall, ...]:
    """Those that had an effect, in their order."""
    entries = [entry for entry in trace.entries if entry.event is Event.PROCESS]
    found = []
    for index, entry in enumerate(entries):
        if entry.value in (PROCESS_START_CALL, PROCESS_STOP_CALL):
            started = entry.value == PROCESS_START_CALL
            after = next(_of_process(entries[index + 1 :], entry.object), None)
            ran_ns = after.time_ns if started and after is not None and after.value == PROCESS_STARTED else None
            task = trace.names.task(entry.task)
            process = trace.names.process(entry.object)
            found.append(ProcessCall(process, "start" if started else "stop", task, entry.time_ns, ran_ns))
    return tuple(found)


def call_lines(found: Iterable[ProcessCall]) -> Iterator[str]:
    """For people: a line for each process."""
    by_process: dict[str, list[ProcessCall]] = {}
    for one in found:
        by_process.setdefault(one.process, []).append(one)
    for name, mine in by_process.items():
        starts = [one for one in mine if one.call == "start"]
        took = max((one.ran_ns - one.time_ns for one in starts if one.ran_ns is not None), default=None)
        line = f"process {name}: {len(starts)} start{'s' * (len(starts) != 1)} and {len(mine) - len(starts)} "
        line += f"stop{'s' * (len(mine) - len(starts) != 1)} by calls, the last (a {mine[-1].call}) at "
        line += brief(mine[-1].time_ns)
        yield line + ("" if took is None else f"; its tasks started at most {brief(took)} after a start")


def by_kind(faults: Iterable[ProcessFault]) -> list[list[ProcessFault]]:
    """Those of one task, with one cause and one end, together: kinds in the order of their first."""
    kinds: dict[tuple[str, str, int, bool], list[ProcessFault]] = {}
    for one in faults:
        kinds.setdefault((one.process, one.task, one.cause, one.restarted), []).append(one)
    return list(kinds.values())


def read(trace: Trace, where: functions.Where = functions.nowhere) -> tuple[ProcessFault, ...]:
    """All that the trace tells of; of the last ones, which the kernel still had in the end, all that it knew."""
    names = trace.names
    entries = [entry for entry in trace.entries if entry.event < Event.STAT_JOBS]
    traced = [index for index, entry in enumerate(entries) if _is_fault(entry)]
    kept = list(_kept(trace))
    found = []
    for older in traced[: max(0, len(traced) - len(kept))]:
        entry = entries[older]
        task, process = names.task(entry.task) or "", names.process(entry.object)
        again = any(one.value == PROCESS_STARTED for one in _of_process(entries[older:], entry.object))
        found.append(ProcessFault(process, task, entry.value, None, entry.time_ns, again, last=_last(entries, older)))
    missing: list[int | None] = [None] * (len(kept) - len(traced))  # the trace has gaps
    for at, (index, fields) in zip([*missing, *traced[max(0, len(traced) - len(kept)) :]], kept, strict=True):
        cause_word, registers = fields.cause_word, fields.registers
        process, cause = names.process(cause_word & 0xFF), cause_word >> FAULT_CAUSE & 0xFF
        restarted = bool(cause_word >> FAULT_RESTARTED)
        last = () if at is None or entries[at].task != index else _last(entries, at)
        task = names.task(index) or ""
        at_ns, address = fields.values[Event.STAT_FAULT_TIME], fields.values[Event.STAT_FAULT_ADDRESS]
        one = ProcessFault(process, task, cause, address, at_ns, restarted, None, registers, last)
        pc = fields.values.get(Event.STAT_FAULT_PC)
        found.append(replace(one, pc=pc, function=where(pc, one.kind[0] in CALLED) if pc else None))
    return tuple(found)


def _is_fault(entry: Entry) -> bool:
    return entry.event is Event.PROCESS and entry.value not in NO_FAULT


def _of_process(entries: list[Entry], process: int) -> Iterator[Entry]:
    return (entry for entry in entries if entry.event is Event.PROCESS and entry.object == process)


def _last(entries: list[Entry], index: int) -> tuple[Entry, ...]:
    return tuple(entries[max(0, index + 1 - LAST_RECORDS) : index + 1])


@dataclass
class _Record:
    """The records of one fault at the end of a run."""

    cause_word: int
    values: dict[Event, int] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=dict)
    name: str = "?"  # of the register whose value comes next


_OF_FAULTS = (
    *(Event.STAT_FAULT, Event.STAT_FAULT_TIME, Event.STAT_FAULT_ADDRESS, Event.STAT_FAULT_PC),
    *(Event.STAT_FAULT_NAME, Event.STAT_FAULT_REGISTER),
)


def _kept(trace: Trace) -> Iterator[tuple[int, _Record]]:
    """Index of the task and the records of each fault that is complete in the trace, registers excepted."""
    found: list[tuple[int, _Record]] = []
    for entry in trace.entries:
        if entry.event is Event.STAT_FAULT:
            found.append((entry.task, _Record(entry.value)))
        elif entry.event not in _OF_FAULTS or not found or found[-1][0] != entry.task:
            continue
        elif entry.event is Event.STAT_FAULT_NAME:
            letters = entry.value.to_bytes(REGISTER_LETTERS, "little").rstrip(b"\0")
            found[-1][1].name = letters.decode("ascii", errors="replace")
        elif entry.event is Event.STAT_FAULT_REGISTER:
            found[-1][1].registers[found[-1][1].name] = entry.value
        else:
            found[-1][1].values[entry.event] = entry.value
    needed = {Event.STAT_FAULT_TIME, Event.STAT_FAULT_ADDRESS}
    yield from ((task, record) for task, record in found if needed <= set(record.values))
