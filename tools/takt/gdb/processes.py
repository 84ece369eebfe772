# SPDX-License-Identifier: Apache-2.0
"""Processes of a protected system: what each is, may reach and has, and the records of their faults."""

from __future__ import annotations

from collections.abc import Iterator

import gdb

from takt.gdb import contexts, records, target
from takt.gdb.target import Value
from takt.gdb.tasks import System
from takt.observe.process_faults import CALLED, ProcessFault
from takt.support.c.kernel import RESTARTS_UNLIMITED, Access

_RIGHTS = ((Access.READ, "r"), (Access.WRITE, "w"), (Access.EXECUTE, "x"))
_STEPS_MAX = 256  # words of a region whose symbols are looked for
_FIRST = ("the shared text", "its text", "its memory")  # takt_process_config.regions


def lines(system: System) -> Iterator[str]:
    """The lines of `takt processes`. gdb.GdbError: there are none."""
    for index, process in enumerate(_all(system)):
        config = process["config"].dereference()
        yield f"{target.text(config['name'])}: {_state(process)}; {_restarts(process)}; {_quota(process)}"
        tasks = [task.name for task in system.tasks if contexts.process_of(task.value) == target.address(process)]
        yield f"  tasks: {', '.join(tasks)}"
        yield from _regions(system, process)
        for name in _attached_interrupts(system, index):
            yield f"  interrupt {name}: attached"


def _all(system: System) -> list[Value]:
    table = system.kernel["system"]
    if not target.has(table.dereference(), "processes") or not int(table["process_count"]):
        raise gdb.GdbError("takt: this system has no processes (protection is off)")
    return [table["processes"][index] for index in range(int(table["process_count"]))]


def _state(process: Value) -> str:
    """A process that faults, or is stopped by a call, ends; then it starts again or not."""
    state = int(process["state"])
    called = target.has(process["config"].dereference(), "on_call")  # perhaps no fault
    if state == target.constant("TAKTI_PROCESS_RUNS"):
        return "running"
    if state == target.constant("TAKTI_PROCESS_RESTARTS"):
        made = f"{int(process['made'])} of {int(process['memory_size'])} bytes are initialized"
        return f"{'is started' if called else 'faulted, and is restarted'}: {made}"
    if state == target.constant("TAKTI_PROCESS_ENDING"):
        after = "is restarted" if int(process["again"]) else "stays stopped"
        return f"{'is' if called else 'faulted, and is'} being stopped: afterwards it {after}"
    return "stopped" if called else "faulted, and stays stopped"


def _restarts(process: Value) -> str:
    config, count = process["config"].dereference(), int(process["restarts"])
    if int(config["on_fault"]) == target.enumerator("takt_on_fault", "TAKT_ON_FAULT_STOP"):
        return "does not restart"
    most = int(config["restarts_max"])
    return f"restarts: {count}" + ("" if most == RESTARTS_UNLIMITED else f" of at most {most}")


def _quota(process: Value) -> str:
    quota = process["quota"]
    return f"{int(quota['memory_used'])} of {int(quota['memory_size'])} bytes of its quota used"


def _regions(system: System, process: Value) -> Iterator[str]:
    """What it may reach now: of its declaration, then what it has attached."""
    declared = int(process["config"]["region_count"])
    for index in range(int(process["region_count"])):
        region = process["regions"][index]
        base, size, access = int(region["base"]), int(region["size"]), int(region["access"])
        rights = "".join(letter if access & bit else "-" for bit, letter in _RIGHTS)
        content = _FIRST[index] if index < len(_FIRST) else _there(system, base, size, bool(region["device"]))
        attached = ", attached" if index >= declared else ""
        yield f"  {rights}  {base:#010x} to {base + size:#010x}  {content}{attached}"


def _there(system: System, base: int, size: int, device: bool) -> str:
    """Names of what is in a region that is not its own."""
    if device:
        names = [target.name_at(address).removeprefix("takti_device_") for address in _devices(system, base)]
        return f"device {', '.join(names) or 'registers'}"
    said = (target.name_at(address) for address in range(base, base + min(size, 4 * _STEPS_MAX), 4))
    names = [name for name in dict.fromkeys(said) if not name.startswith("0x")]
    return f"shared {', '.join(names) or 'memory'}"


def _devices(system: System, base: int) -> Iterator[int]:
    for kind, value in _objects(system):
        if kind == "DEVICE" and int(target.at(int(value), "takt_region")["base"]) == base:
            yield int(value)


def _attached_interrupts(system: System, index: int) -> Iterator[str]:
    for kind, value in _objects(system):
        if kind == "INTERRUPT" and int(target.at(int(value), "takt_process_interrupt")["attached"]) == index:
            yield target.name_at(int(value))


def _objects(system: System) -> Iterator[tuple[str, Value]]:
    """Kind and address of what is behind the handles."""
    table, kinds = system.kernel["system"], target.enumeration("takt_object_kind")
    for index in range(int(table["object_count"])):
        one = table["objects"][index]
        yield kinds.get(int(one["kind"]), "").removeprefix("TAKT_OBJECT_"), one["object"]


def faults(system: System) -> Iterator[str]:
    """The lines of `takt faults`: what the kernel recorded of processes, the oldest first."""
    _all(system)
    kept = target.symbol("takt_process_faults")
    if kept is None or not int(kept["count"]):
        yield "no process has faulted"
        return
    count, room = int(kept["count"]), kept["records"].type.range()[1] + 1
    if count > room:
        yield f"the last {room} of {count} faults:"
    names = records.trace_names(system)
    for number in range(max(0, count - room), count):
        record = kept["records"][number % room]
        found = _fault(system, record)
        yield found.sentence()
        if found.pc:
            yield f"  at {target.line(found.pc, behind=found.kind[0] in CALLED)}"
        yield from list(found.lines(names))[1 if found.pc else 0 :]


def _fault(system: System, record: Value) -> ProcessFault:
    names = records.trace_names(system)
    registers = target.text(record["register_names"]).split() if int(record["register_names"]) else []
    return ProcessFault(
        process=names.process(int(record["process"])),
        task=names.task(int(record["task"])) or "",
        cause=int(record["cause"]),
        address=int(record["address"]),
        time_ns=int(record["time_ns"]),
        restarted=bool(record["restarted"]),
        pc=int(record["pc"]),
        registers={name: int(record["registers"][index]) for index, name in enumerate(registers)},
    )
