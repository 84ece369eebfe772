# SPDX-License-Identifier: Apache-2.0
"""How much memory a system needs at least of its board, before anything is compiled: all of it fits into the board's.

These are least sizes: the kernel's own data and the C library's come on top. The linker reports an excess that this
does not find."""

from __future__ import annotations

from takt.declare.memory_need import Need, objects
from takt.declare.schema.boards import Board
from takt.declare.schema.model import System
from takt.declare.schema.processes import HEAP_SIZE_MIN
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.trace.records import RECORD_SIZE

HOST_MAX = 1 << 28
"""Bytes of all together, where the board sets no limit."""
INTERRUPT_STACK = 8192  # boards/*/link.ld
IDLE_STACK = 1024  # idle sends the trace (runner/run.c)
ADMISSION_STACK = 1536  # more, where it makes proofs for threads (kernel/process/admitted.c)
HOST_TRACE_RECORDS = 1 << 16
LARGEST = 3


def trace_records(system: System, board: Board) -> int:
    """Records of the trace ring: a sixteenth of the board's memory, down to a power of two; lean: none."""
    if system.preset == "lean":
        return 0
    if not board.ram:
        return HOST_TRACE_RECORDS
    return max(64, 1 << (board.ram // 16 // RECORD_SIZE).bit_length() - 1)


def of_board(system: System, board: Board, cooperative: bool) -> list[Need]:
    """All that an image has on a board. `cooperative`: jobs have one stack."""
    needs = list(objects(system))
    if cooperative:
        stacks = [need for need in needs if need.table == "task"]
        needs = [need for need in needs if need.table != "task"] + sorted(stacks, key=lambda need: -need.size)[:1]
    needs.append(Need("", 0, "the trace", "", trace_records(system, board) * RECORD_SIZE))
    needs.append(Need("", 0, "the stack of interrupts", "", INTERRUPT_STACK if board.ram else 0))
    idle = IDLE_STACK + (ADMISSION_STACK if system.protection and system.runtime_tasks else 0)
    return [*needs, Need("", 0, "the stack of idle", "", idle)]


def largest(needs: list[Need]) -> str:
    """The largest, in words."""
    found = sorted(needs, key=lambda need: -need.size)[:LARGEST]
    return ", ".join(need.label for need in found if need.size)


def refuse(system: System, board: Board, cooperative: bool) -> None:
    """UserError: more than the board has, whatever the linker does."""
    needs = of_board(system, board, cooperative)
    whole, limit = sum(need.size for need in needs), board.ram or HOST_MAX
    if whole <= limit:
        return
    has = f"{board.name} has {limit} bytes of RAM" if board.ram else f"at most {limit} are possible"
    problem = f"its data needs at least {whole} bytes, and {has}; the largest: {largest(needs)}"
    raise UserError(f"{shown_path(system.path)}: {problem}", f"{_smaller(needs, limit)}, or use another board")


def _smaller(needs: list[Need], limit: int) -> str:
    """What to try: if the largest is a heap, the largest one with which all of it fits."""
    first = max(needs, key=lambda need: need.size)
    fits = (limit - sum(need.size for need in needs) + first.size) // 8 * 8
    if not first.keys.startswith("heap = ") or fits < HEAP_SIZE_MIN:
        return "reduce the largest"
    of = f'[[process]] "{first.name}"' if first.name else "[system]"
    return f'heap = "{fits} bytes" at most in {of}'
