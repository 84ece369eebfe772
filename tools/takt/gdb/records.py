# SPDX-License-Identifier: Apache-2.0
"""Armed expiries, the fault record, and the end of the trace ring."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gdb

from takt.gdb import contexts, ring, target
from takt.gdb.constants import ARMV7M_ALIGNED
from takt.gdb.contexts import Registers
from takt.gdb.objects import Object
from takt.gdb.target import Value
from takt.gdb.tasks import System, aligned
from takt.observe import log_texts
from takt.observe.fault import Fault
from takt.support.c.kernel import FAULT_MAGIC
from takt.trace import log_lines
from takt.trace.records import Entry, Names, Trace, columns, decode


def timers(system: System) -> Iterator[str]:
    """The lines of `takt timers`: what is armed, the next first."""
    rows = [
        ["at", "for"],
        *([target.shown_time(int(timer["at_ns"])), _whose(system, timer)] for timer in _armed(system)),
    ]
    if len(rows) == 1:
        yield "no timer is armed"
        return
    yield from aligned(rows)


def _armed(system: System) -> Iterator[Value]:
    row = system.kernel["timers"]
    if not target.has(row, "last"):  # compiled for size: a list
        yield from target.chain(row["first"])
        return
    yield from target.chain(row["due"])
    address = row["first"]
    while int(address) and int(address) <= int(row["last"]):
        yield from target.chain(address.dereference())
        address += 1


def _whose(system: System, timer: Value) -> str:
    address = target.address(timer)
    state = system.states.get(int(timer["state"]), "")
    if state == "TAKTI_TIMER_DEADLINE":
        late = target.owner_of(address, "takt_deadline_timer", "timer")["task"]
        return f"the deadline of {system.name(int(late))}"
    if state == "TAKTI_TIMER_CALL":
        return _call(system, address)
    if state in ("TAKTI_TIMER_SLICE", "TAKTI_TIMER_BUDGET"):
        limit = "time slice" if state.endswith("SLICE") else "budget, or section,"
        return f"the end of the {limit} of {system.name(system.running)}"
    owner = target.owner_of(address, "takt_task", "timer")
    task = next((task for task in system.tasks if task.address == target.address(owner)), None)
    return f"a task at {address:#x}" if task is None else f"{task.name}, which {system.state(task)}"


def _call(system: System, address: int) -> str:
    kinds = ("takt_alarm", "takt_watchdog", "takt_server")
    of = next((one for one in system.objects if one.kind.tag in kinds and one.holds(address)), None)
    if of is not None:
        return f"{of.kind.name} {of.name}"
    call = target.owner_of(address, "takti_call", "timer")
    return f"a call of {target.where(target.code(call['function']))}"


def fault_record() -> Value | None:
    """The record, if it is valid."""
    record = target.symbol("takt_fault_record")
    return record if record is not None and int(record["magic"]) == FAULT_MAGIC else None


def fault(system: System) -> Fault | None:
    """The fault record; None: nothing is recorded."""
    record = fault_record()
    if record is None:
        return None
    reasons = target.enumeration("takt_fault_reason")
    names = target.text(record["register_names"]).split()
    return Fault(
        reason=reasons.get(int(record["reason"]), "?").removeprefix("TAKT_FAULT_").lower(),
        file=target.text(record["file"]) or None,
        line=int(record["line"]) if int(record["file"]) else None,
        address=int(record["address"]),
        task=trace_names(system).task(int(record["task"])),
        time_ns=int(record["time_ns"]),
        registers={name: int(record["registers"][index]) for index, name in enumerate(names)},
        last=(),
    )


def fault_registers(fault: Fault) -> Registers | None:
    """Where an exception was, to be followed by a backtrace; None: the port did not save enough."""
    known = {"pc", "sp", "lr", "ra", *(f"r{n}" for n in range(13)), *(f"a{n}" for n in range(8))}
    values = {name: value for name, value in fault.registers.items() if name in known}
    if "s0" in fault.registers:
        values["fp"] = fault.registers["s0"]
    if "pc" not in values or "sp" not in values:
        return None
    if fault.registers.get("xpsr", 0) & ARMV7M_ALIGNED:
        values["sp"] += 4  # the port counts the processor's frame without what aligned it
    return Registers(values, exact=True)


def fault_lines(system: System) -> Iterator[str]:
    """The lines of `takt fault`."""
    found = fault(system)
    if found is None:
        yield "no fault is recorded"
        return
    yield found.sentence()
    yield from found.lines(trace_names(system))
    if found.reason == "watchdog":
        record = fault_record()
        if record is not None:
            yield f"  of task {trace_names(system).task(int(record['line']))}"
    registers = fault_registers(found)
    if registers is not None:
        yield contexts.backtrace(registers).rstrip()
    elif found.address:
        yield f"  at {target.where(found.address)}"


def trace_names(system: System) -> Names:
    """What numbers in the trace mean, from the program itself."""
    configs = system.kernel["system"]["configs"]
    count = int(system.kernel["system"]["task_count"])
    numbered = {int(task.value["config"]["index"]): task.name for task in system.tasks if not task.idle}
    numbered |= {index: target.text(configs[index]["name"]) for index in range(count)}
    by_id: dict[int, Object] = {one.identity: one for one in system.objects if one.identity is not None}
    size = max(by_id, default=-1) + 1
    table = system.kernel["system"].dereference()
    processes = int(table["process_count"]) if target.has(table, "process_count") else 0
    return Names(
        board="",
        scheduler="",
        tasks=tuple(numbered.get(index, f"task {index}") for index in range(max(numbered, default=-1) + 1)),
        objects=tuple(by_id[number].name if number in by_id else f"object {number}" for number in range(size)),
        processes=tuple(target.text(table["process_configs"][index]["name"]) for index in range(processes)),
    )


def trace_lines(system: System, wanted: int) -> Iterator[str]:
    """The lines of `takt trace`: the last `wanted` events. gdb.GdbError: this kernel has no trace."""
    entries = last_entries(system, wanted)
    if not entries:
        yield "no event is recorded yet"
        return
    shown = _with_texts(system, entries)
    yield from columns(shown.names, shown.entries)


def log(system: System, wanted: int) -> Iterator[str]:
    """The lines of `takt log`: the last `wanted` messages of the ring. gdb.GdbError: this kernel has no trace."""
    entries = last_entries(system, ring.capacity(system.kernel) if ring.traced(system.kernel) else 1)
    lines = list(log_lines.shown(_with_texts(system, entries)))
    if not lines:
        yield "no message of the log is in the trace"
    yield from lines[-wanted:]


def _with_texts(system: System, entries: list[Entry]) -> Trace:
    """The texts of messages are those in the program's file."""
    name = gdb.current_progspace().filename
    names = trace_names(system)
    return Trace(names if name is None else log_texts.into(names, Path(name), entries), tuple(entries))


def last_entries(system: System, wanted: int) -> list[Entry]:
    """The last events of the ring, those that the board has sent too."""
    if not ring.traced(system.kernel):
        raise gdb.GdbError("takt: this kernel has no trace (preset lean, or no room for one)")
    entries: list[Entry] = []
    for count in (2 * wanted, ring.capacity(system.kernel)):  # some records are no events
        found = ring.last_records(system.kernel, count)
        entries = list(decode(found.content, from_start=found.from_start))
        if len(entries) >= wanted:
            break
    return entries[-wanted:]
