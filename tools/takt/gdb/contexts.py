# SPDX-License-Identifier: Apache-2.0
"""The registers of a task that does not run, as its port saved them, and backtraces from there.

An unwinder says that the frame below the newest one is the task's. So gdb shows the task's stack, and nothing has to
be written to the processor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gdb
import gdb.unwinder

from takt.gdb import target
from takt.gdb.constants import ARMV7M_ALIGNED, ARMV7M_RETURN, RV32_KEPT, RV32_MIE_TIMER, RV32_SAVED, RV32_TRAPS
from takt.gdb.target import Value
from takt.support.c.ports import RV32_FRAME, RV32_FRAME_SIZE, X86_64_SAVED, X86_64_SAVED_SIZE

_ROOMS = tuple(
    f"{Path(__file__).resolve().parents[3] / room}/" for room in ("kernel", "ports", "chips", "boards", "runner")
)


@dataclass(frozen=True)
class Registers:
    """By gdb's names. `exact`: pc is where it goes on, not behind a call."""

    values: dict[str, int]
    exact: bool = False

    @property
    def pc(self) -> int:
        return self.values["pc"]

    def step(self) -> int:
        """What is added to pc: gdb looks for what it knows of a caller one byte before it. Cortex-M: bit 0 is none."""
        return (2 if "lr" in self.values else 1) if self.exact else 0

    @property
    def sp(self) -> int:
        return self.values["sp" if "sp" in self.values else "rsp"]


def _typed(tag: str, function: str) -> Any:
    """A structure's type in the file of a function: an application may have another one of that name."""
    found = gdb.lookup_global_symbol(function) or gdb.lookup_static_symbol(function)
    if found is None:
        return None
    block = found.symtab.static_block()
    try:
        return gdb.lookup_type(f"struct {tag}", block)
    except gdb.error:
        return None


def _field(value: Value, name: str, registers: tuple[str, ...]) -> dict[str, int]:
    """An array of saved words by register."""
    return {register: int(value[name][index]) for index, register in enumerate(registers)}


def _armv7m(pointer: int) -> Registers | None:
    """ports/armv7m/context.c: ten words, and the processor's frame above them if an interrupt took it."""
    kind = _typed("context", "takt_port_context_init")
    if kind is None:
        return None
    saved = gdb.Value(pointer).cast(kind.pointer()).dereference()
    values = _field(saved, "r4_to_r11", tuple(f"r{n}" for n in range(4, 12)))
    pc, sp = int(saved["pc"]) & ~1, pointer + kind.sizeof
    if pc == int(gdb.parse_and_eval("(unsigned long)&resume_preempted")) & ~1:
        return armv7m_frame(sp, values)
    return Registers({**values, "sp": sp, "pc": pc, "lr": 0})


def armv7m_frame(address: int, values: dict[str, int]) -> Registers | None:
    """ports/armv7m/faults.c: the frame that the processor pushes."""
    kind = _typed("frame", "fault_taken")
    if kind is None:
        return None
    frame = gdb.Value(address).cast(kind.pointer()).dereference()
    pushed = _field(frame, "r0_to_r3", ("r0", "r1", "r2", "r3"))
    pushed |= {"r12": int(frame["r12"]), "lr": int(frame["lr"]), "pc": int(frame["pc"]) & ~1}
    aligned = 4 if int(frame["xpsr"]) & ARMV7M_ALIGNED else 0
    return Registers({**values, **pushed, "sp": address + kind.sizeof + aligned}, exact=True)


def _rv32(pointer: int) -> Registers | None:
    """ports/rv32/context.c: 14 words, and the trap's frame above them if an interrupt took it."""
    kind = _typed("context", "takt_port_context_init")
    if kind is None:
        return None
    saved = gdb.Value(pointer).cast(kind.pointer()).dereference()
    values = _field(saved, "s0_to_s11", RV32_SAVED)
    sp = pointer + kind.sizeof
    if int(saved["result"]) < 1 << 31:
        return Registers({**values, "sp": sp, "pc": int(saved["pc"]), "ra": 0})
    return Registers({**values, **_rv32_frame(sp)}, exact=True)


def _rv32_frame(address: int) -> dict[str, int]:
    pushed = {register: _word(address + offset) for register, offset in RV32_FRAME.items() if register != "s0"}
    return {**pushed, "sp": address + RV32_FRAME_SIZE}


def _word(address: int, kind: str = "unsigned int") -> int:
    """A word of memory."""
    return int(gdb.Value(address).cast(gdb.lookup_type(kind).pointer()).dereference())


def _armv7m_protected(task: Value) -> Registers | None:
    """ports/armv7m/protected.c: the kernel has what a switch saves, the task's stack the processor's frame."""
    context = task["in_process"][0]["context"]
    frame = armv7m_frame(int(context["psp"]), _field(context, "r4_to_r11", tuple(f"r{n}" for n in range(4, 12))))
    if frame is None or target.halfword(frame.pc) != ARMV7M_RETURN:
        return frame
    return Registers({**frame.values, "pc": frame.values["lr"] & ~1})  # a call's stub, of which gdb knows no frame


def _rv32_protected(task: Value) -> Registers:
    """ports/rv32/trap_protected.c: all of them. The caller goes on at ra, behind its call."""
    context = task["in_process"][0]["context"]
    values = {"ra": int(context["ra"]), "sp": int(context["sp"]), "pc": int(context["pc"])}
    values |= _field(context, "x5_to_x31", RV32_KEPT)
    return Registers(values, exact=values["pc"] != values["ra"])


def _rv32_user(task: Value) -> Registers | None:
    """Of the running task, when a trap or an interrupt has taken it out of user mode: of what calls preserve the
    processor has what it had. None: none has, or one of the kernel's own is in between."""
    frame = _frame_of((*RV32_TRAPS, "exception_taken"))
    if frame is None or frame.level() == 0:
        return None
    saved = _rv32_protected(task)
    values = _rv32_trapped(frame)
    scratch = values.pop("mscratch")
    if not int(task["in_process"][0]["context"]["guard"]):  # idle: on its own stack, with the frame at what was s0
        address, pc = values["fp"], values.pop("mepc")
        s0 = _word(address + RV32_FRAME["s0"])
        return Registers({**values, **_rv32_frame(address), "fp": s0, "pc": pc}, exact=True)
    if scratch == target.address(task):
        return Registers({**saved.values, **values, "pc": values.pop("mepc")}, exact=True)
    if frame.name() != "exception_taken":
        return None
    del values["mepc"]
    return Registers({**saved.values, **values, "pc": saved.values["ra"]})


def _rv32_trapped(frame: Any) -> dict[str, int]:
    """What the task had in the registers that calls preserve; mscratch; and mepc, which ports/rv32/nested.c keeps while
    others may interrupt the timer's interrupt, and the timer is masked."""
    names = (*RV32_SAVED, "mscratch", "mepc", "mie")
    values = {name: int(frame.read_register(name)) & 0xFFFFFFFF for name in names}
    kept = target.symbol("takt_rv32_interrupted")
    if not values.pop("mie") & RV32_MIE_TIMER and kept is not None:
        values["mepc"] = int(kept["pc"])
    return values


def _frame_of(functions: tuple[str, ...]) -> Any:
    """The newest frame of one of them; None: there is none."""
    frame = gdb.newest_frame()
    while frame is not None and frame.name() not in functions:
        frame = _older(frame)
    return frame


def protected(task: Value) -> bool:
    """Whether the program is one with processes."""
    return target.has(task, "in_process")


def process_of(task: Value) -> int:
    """Where the struct takt_process of a task lies; 0: it is of none."""
    config = task["config"]
    return int(config["process"]) if int(config) and target.has(config.dereference(), "process") else 0


def interrupted(task: Value) -> Registers | None:
    """Of the running task, which an interrupt keeps from going on, or its own trap. None: none does, or gdb's own
    backtrace leads there."""
    if port() != "takt_rv32_vectors":
        return None
    if protected(task):
        return _rv32_user(task)
    frame = _frame_of(RV32_TRAPS)
    if frame is None or frame.level() == 0:  # at level 0 the trap has saved nothing yet, or loaded it already
        return None
    values = _rv32_trapped(frame)
    address, pc = values.pop("mscratch"), values.pop("mepc")
    return Registers({**values, **_rv32_frame(address), "pc": pc}, exact=True)


def _host(pointer: int) -> Registers | None:
    """ports/host/context.c: what takt_host_swap pushed. Of other processors than x86-64 nothing is known here."""
    context = target.at(pointer, "takt_host_context")
    if "x86-64" not in gdb.selected_inferior().architecture().name():
        return None
    sp = int(context["stack_pointer"])
    values = {register: _word(sp + offset, "unsigned long") for register, offset in X86_64_SAVED.items()}
    return Registers({**values, "rsp": sp + X86_64_SAVED_SIZE})


_PROTECTED = {"takt_armv7m_vectors": _armv7m_protected, "takt_rv32_vectors": _rv32_protected}
# A symbol that only programs with this port have, and how it saves.
_PORTS = {"takt_armv7m_vectors": _armv7m, "takt_rv32_vectors": _rv32, "takt_host_context_new": _host}


def port() -> str | None:
    """The symbol that tells the port; None: it is none of ours."""
    return next((name for name in _PORTS if gdb.lookup_global_symbol(name) is not None), None)


def saved(task: Value) -> Registers | None:
    """Of a task that does not run; None: it has no context, or its port is not known here."""
    found = port()
    if protected(task) and found in _PROTECTED:
        return _PROTECTED[found](task)
    pointer = int(task["stack_pointer"])
    return _PORTS[found](pointer) if found is not None and pointer else None


def stack_of(task: Value) -> tuple[int, int]:
    """Lowest address and size in bytes of the stack that a task runs on."""
    if port() == "takt_host_context_new":
        context = target.at(int(task["stack_pointer"]), "takt_host_context")
        return int(context["stack"]), int(context["stack_size"])
    return int(task["config"]["stack"]), int(task["config"]["stack_size"])


def running_sp(task: Value) -> int | None:
    """The stack pointer of the task that runs; None: unknown, in an interrupt."""
    lowest, size = stack_of(task)
    before = interrupted(task)
    if before is not None:
        return before.sp
    frame = gdb.newest_frame()
    for _ in range(target.WALK_MAX):
        if frame is None or not frame.is_valid():
            return None
        sp: int = int(frame.read_register("sp")) & ((1 << 8 * gdb.lookup_type("long").sizeof) - 1)
        if lowest <= sp <= lowest + size:
            return sp
        frame = _older(frame)
    return None


def _older(frame: Any) -> Any:
    try:
        return frame.older()
    except gdb.error:  # a stack that makes no sense from here on
        return None


class _FrameId:
    """What tells a frame from all others."""

    def __init__(self, sp: Value, pc: Value) -> None:
        self.sp = sp
        self.pc = pc


class _Unwinder(gdb.unwinder.Unwinder):  # type: ignore[misc]
    """Puts saved registers below the newest frame, while there are any."""

    def __init__(self) -> None:
        super().__init__("takt")
        self.registers: Registers | None = None

    def __call__(self, pending: Any) -> Any:
        if self.registers is None or pending.level() != 0:
            return None
        pc = pending.read_register("pc")
        nothing = pc.cast(gdb.lookup_type("long")) * 0  # at the lowest address, or gdb takes the next for a cycle
        info = pending.create_unwind_info(_FrameId(nothing, pc))
        values = {**self.registers.values, "pc": self.registers.pc + self.registers.step()}
        for name, value in values.items():
            kind = pending.read_register(name).type
            info.add_saved_register(name, gdb.Value(value).cast(gdb.lookup_type("long")).cast(kind))
        if "lr" in values:
            info.add_saved_register("xpsr", pending.read_register("xpsr"))
        return info


_unwinder = _Unwinder()
_FRAME = re.compile(r"^#(\d+) ( *)", re.MULTILINE)
_BOTTOM = re.compile(r"^#\d+ +0x0+ in \?\? \(\)\n(Backtrace stopped: .*\n)?\Z", re.MULTILINE)


def add() -> None:
    """Makes gdb ask the unwinder."""
    gdb.unwinder.register_unwinder(None, _unwinder, replace=True)


@contextmanager
def at(registers: Registers) -> Iterator[None]:
    """With these registers below the newest frame, and the task's own code selected. gdb.GdbError: gdb does not."""
    before = gdb.selected_frame()
    level = before.level()
    _unwinder.registers = registers
    gdb.invalidate_cached_frames()
    try:
        frame = gdb.newest_frame().older()
        if frame is None:
            raise gdb.GdbError("takt: gdb cannot unwind from the saved registers")
        _own(frame).select()
        yield
    finally:
        _unwinder.registers = None
        gdb.invalidate_cached_frames()
        gdb.execute(f"frame {level}", to_string=True)


def _own(frame: Any) -> Any:
    """The newest frame that is none of the kernel's, a port's or a board's; the newest of all if there is none."""
    here = frame
    for _ in range(target.WALK_MAX):
        if here is None:
            return frame
        where = here.find_sal().symtab
        if where is not None and not where.fullname().startswith(_ROOMS):
            return here
        here = _older(here)
    return frame


def backtrace(registers: Registers, arguments: str = "") -> str:
    """gdb's backtrace from these registers, its frames counted from 0."""
    with at(registers):
        said = gdb.execute(f"backtrace {arguments}", to_string=True)
    frames = list(_FRAME.finditer(said))
    if len(frames) < 2:
        return "its frames are not known\n"
    said = said[frames[1].start() :].replace(f"{registers.pc + registers.step():08x} ", f"{registers.pc:08x} ", 1)
    return ended(_FRAME.sub(lambda match: f"#{int(match[1]) - 1:<{len(match[1])}} {match[2]}", said))


def ended(said: str) -> str:
    """A backtrace without what gdb makes of the 0 that ports put where a task's first caller would stand."""
    return _BOTTOM.sub("", said)
