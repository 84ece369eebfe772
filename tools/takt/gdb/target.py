# SPDX-License-Identifier: Apache-2.0
"""What is read from the stopped program, through the types in its debug information: no offset stands here.

Fields that a preset or a kind of kernel does not have are asked for with `has`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import gdb

from takt.support.c.kernel import FOREVER
from takt.support.durations import show

WALK_MAX = 4096  # a damaged list may go round in a circle

Value = Any
"""A gdb.Value."""


def symbol(name: str) -> Value | None:
    """A variable of the program by name, static or not; None: there is none."""
    found = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    if found is not None and found.addr_class == gdb.SYMBOL_LOC_UNRESOLVED:  # a declaration; C has one such name
        return gdb.parse_and_eval(name)
    return found.value() if found is not None and found.is_variable else None


def has(value: Value, field: str) -> bool:
    """Whether a structure has the field in this build: not as an array of no element (kernel/include/takt/task.h)."""
    return any(one.name == field and one.type.sizeof for one in value.type.strip_typedefs().fields())


def word(value: Value, field: str, default: int = 0) -> int:
    """A number or address in a field; `default` where the build has no such field."""
    return int(value[field]) if has(value, field) else default


def of_feature(value: Value, part: str, field: str, default: int) -> int:
    """The same of a field in a part that a structure has only with a feature: an array of one element or none."""
    return int(value[part][0][field]) if has(value, part) else default


def text(pointer: Value) -> str:
    """A C string; "" for NULL."""
    return pointer.string(errors="replace") if int(pointer) else ""


def halfword(location: int) -> int:
    """16 bits of memory."""
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(location, 2)), "little")


def enumeration(tag: str) -> dict[int, str]:
    """The names of an enumeration's values."""
    return {int(field.enumval): field.name for field in gdb.lookup_type(f"enum {tag}").fields()}


def enumerator(tag: str, name: str) -> int:
    """A value of an enumeration by name."""
    return next(value for value, known in enumeration(tag).items() if known == name)


def constant(name: str) -> int:
    """An enumerator of an enumeration without a tag; 0: this build does not know it."""
    try:
        return int(gdb.parse_and_eval(name))
    except gdb.error:
        return 0


def address(value: Value) -> int:
    """Where an object of the program lies."""
    return int(value.address)


def owner_of(member: int, tag: str, field: str) -> Value:
    """The `struct tag` whose `field` lies at an address."""
    whole = gdb.lookup_type(f"struct {tag}")
    offset = next(one.bitpos // 8 for one in whole.fields() if one.name == field)
    return at(member - offset, tag)


def at(location: int, tag: str) -> Value:
    """The `struct tag` at an address."""
    return gdb.Value(location).cast(gdb.lookup_type(f"struct {tag}").pointer()).dereference()


def chain(first: Value, link: str = "next") -> Iterator[Value]:
    """The structures of a list that ends with NULL, or where it comes back to its beginning."""
    start, here = int(first), first
    for _ in range(WALK_MAX):
        if not int(here):
            return
        yield here.dereference()
        here = here[link]
        if int(here) == start:
            return


def shown_time(at_ns: int) -> str:
    """An absolute time in words."""
    return "never" if at_ns == FOREVER else show(at_ns)


def where(location: int) -> str:
    """An address, with the symbol that it lies in."""
    said = gdb.execute(f"info symbol {location:#x}", to_string=True).strip()
    return f"{location:#x}" if said.startswith("No symbol") else f"{said.split(' in section')[0]} ({location:#x})"


def name_at(location: int) -> str:
    """The symbol at an address; the address, if there is none."""
    said = gdb.execute(f"info symbol {location:#x}", to_string=True).strip()
    return f"{location:#x}" if said.startswith("No symbol") else str(said.split()[0])


def line(location: int, behind: bool = False) -> str:
    """An address of the program, with its function and where that stands in the sources; `behind`: the call before."""
    found = gdb.find_pc_line(location - 1 if behind else location)
    stands = f" at {found.symtab.filename}:{found.line}" if found.symtab is not None else ""
    return f"{where(location)}{stands}"


def code(pointer: Value) -> int:
    """Where a function begins: bit 0 of a pointer to one says Thumb."""
    thumb = gdb.selected_inferior().architecture().name().startswith("arm")
    return int(pointer) & ~1 if thumb else int(pointer)


def kernel() -> Value:
    """takti_kernel of a system that has started. gdb.GdbError: there is none, in one sentence."""
    whole = symbol("takti_kernel")
    if whole is None:
        raise gdb.GdbError("takt: no Takt kernel in this program (takti_kernel is not in its debug information)")
    if gdb.selected_thread() is None:
        raise gdb.GdbError("takt: no task runs yet; `takt start` runs the program up to its first task")
    if not int(whole["system"]):
        raise gdb.GdbError("takt: the system has not started (takt_start was not called); try `takt start`")
    return whole


def see_all() -> None:
    """Makes QEMU show all memory: else, of an ARMv7-M, only what the code that it stopped in may read."""
    with contextlib.suppress(gdb.error):  # it is no remote target
        gdb.execute("maintenance packet Qqemu.PhyMemMode:1", to_string=True)


def started(whole: Value) -> bool:
    """Whether the clock runs, and tasks may."""
    return bool(whole["timers"]["running"])


def level_of(whole: Value, task: Value) -> int | None:
    """The level that a task has now, 0 the highest; None: before all (idle, while the system starts)."""
    location = int(task["level"])
    levels = whole["ready"]["levels"]
    size = levels.type.target().sizeof
    return (location - address(levels)) // size if location else None


def in_edf(whole: Value, task: Value) -> bool:
    """Whether the level that a task has now goes by deadline."""
    level = level_of(whole, task)
    if level is None or not has(whole["ready"], "edf"):
        return False
    words = whole["ready"]["edf"]
    word_of = level // 32 if words.type.sizeof > words.type.target().sizeof else 0
    return bool(int(words[word_of]) & int(task["level_bit"]))


def locked() -> bool:
    """Whether the kernel is in the middle of a change, so that lists may be too. Not every debugger can tell."""
    lock = symbol("takt_host_lock")
    if lock is not None:
        return bool(lock["closed"])
    try:
        frame = gdb.newest_frame()
        if frame.architecture().name().startswith("riscv"):
            return not int(frame.read_register("mstatus")) & 8
        return int(frame.read_register("basepri")) != 0
    except (gdb.error, ValueError):
        return False
