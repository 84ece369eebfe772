# SPDX-License-Identifier: Apache-2.0
"""The memory of heaps in C."""

from __future__ import annotations

from collections.abc import Iterator

from takt.declare.schema.model import Process, System


def name(process: Process) -> str:
    """The memory of the heap of a process in C."""
    return f"takti_heap_{process.name}"


def memory(process: Process) -> Iterator[str]:
    """The definition of it."""
    if process.heap:
        yield f"uint8_t {name(process)}[{process.heap}] __attribute__((aligned(8)));"


def unprotected(system: System) -> Iterator[str]:
    """The heap of a system without protection."""
    if system.heap_size and not system.protection:
        yield '#include "base/heap.h"'
        yield f"static uint8_t takti_heap_memory[{system.heap_size}] __attribute__((aligned(8)));"
        yield "const struct taktb_heap takti_heap = {takti_heap_memory, sizeof takti_heap_memory};"


def tables(system: System) -> Iterator[str]:
    """The memory of each process's heap, for the kernel."""
    if system.heap_size:
        yield '#include "base/heap.h"'
        yield from (f"extern uint8_t {name(one)}[{one.heap}];" for one in system.processes if one.heap)
        yield f"const struct taktb_heap takti_heaps[{len(system.processes)}] = {{"
        yield from (f"    {{{name(one) if one.heap else 'NULL'}, {one.heap}}}," for one in system.processes)
        yield "};"
