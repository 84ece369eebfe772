# SPDX-License-Identifier: Apache-2.0
"""`takt bench size`: bytes of the kernel are as reviewed (benchmarks/golden), and within their limits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command_line import Takt, documented
from running import FULL
from takt.bench import size

LIMITS = {
    "mps2-an385": {"minimal": 1600, "full": 3800, "everything": size.LINE, "task_block": 72, "ram_10_tasks": 1024},
    "rv32-virt": {"minimal": 2200, "full": 4500, "everything": 18_500, "task_block": 72, "ram_10_tasks": 1024},
}
TARGETS = list(LIMITS) if FULL else list(LIMITS)[:1]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return size.document(TARGETS)


def test_the_sizes_are_as_reviewed(found: dict[str, Any]) -> None:
    wanted = {
        name: value if name != "boards" else {board: value[board] for board in TARGETS}
        for name, value in size.golden().items()
    }
    assert found == wanted, "reviewed and meant? ./takt bench size --update"


@pytest.mark.parametrize("board", TARGETS)
def test_the_sizes_are_within_their_limits(found: dict[str, Any], board: str) -> None:
    over = {name: found["boards"][board][name] for name, most in LIMITS[board].items()}
    assert {name: value for name, value in over.items() if value > LIMITS[board][name]} == {}


@pytest.mark.parametrize("board", TARGETS)
def test_a_set_has_what_it_calls_and_no_more(found: dict[str, Any], board: str) -> None:
    """Jobs, the trace and inheritance are linked only where they are used; no set needs the C library."""
    listing = size.symbols(board, "minimal")
    assert {"takt_semaphore_wait", "takti_timer_interrupt", "takt_port_switch"} <= listing
    assert not {"takti_key_update", "takti_job_end", "takt_task_suspend", "takti_trace_write"} & listing
    assert "takti_key_update" in size.symbols(board, "full")
    every = {"takti_job_end", "takti_trace_write", "takt_slot_flush", "takt_pipe_read", "takt_signal_send"}
    every |= {"takt_alarm_serve", "takt_watchdog_kick", "takt_hint_next", "takt_ceiling_lock"}
    budgets, admission = {"takti_budget_due", "takt_task_budget_ns"}, {"takti_admission_add"}
    assert every | budgets | admission <= size.symbols(board, "checked")
    assert every | budgets <= size.symbols(board, "budgets")
    everything = size.symbols(board, "everything")
    assert every <= everything
    assert not (budgets | admission) & everything


def test_the_keys_are_documented(takt: Takt) -> None:
    said = takt("bench", "size", "--board", "mps2-an385", "--json")
    assert said.code == 0, said.err
    boards = json.loads(said.out)["boards"]
    assert list(boards) == ["mps2-an385"]
    assert {"boards", *(f"boards.*.{key}" for key in boards["mps2-an385"])} == documented("bench size")


MAP = """
Discarded input sections

 .text.gone     0x0000000000000000       0x40 kernel/libtakt_kernel.a(task.c.obj)

Linker script and memory map

.text           0x0000000000000000      0x100
 .text.takt_now
                0x0000000000000010       0x20 kernel/libtakt_kernel.a(start.c.obj)
                0x0000000000000010                takt_now
 .text.x        0x0000000000000030        0x8 base/libtakt_base.a(heap.c.obj)
 *fill*         0x0000000000000038        0x4
 .rodata.x.str1.1
                0x000000000000003c        0x5 kernel/libtakt_kernel.a(job.c.obj)
                                          0x9 (size before relaxing)
 .text.main     0x0000000000000044       0x10 CMakeFiles/application.dir/runner/run.c.obj
.bss            0x0000000020000000        0x8
 COMMON         0x0000000020000000        0x8 kernel/libtakt_kernel.a(start.c.obj)
 .debug_info    0x0000000000000000      0x999 kernel/libtakt_kernel.a(start.c.obj)
"""


def test_what_is_kept_is_counted_by_room_and_kind() -> None:
    counted = size.count(MAP)
    assert counted["code"] == {"kernel": 0x25, "base": 8, "port": 0, "library": 0}
    assert counted["data"] == {"kernel": 8, "base": 0, "port": 0, "library": 0}


def test_a_section_of_an_unknown_kind_is_not_passed_over() -> None:
    strange = " .fast          0x0000000000000000        0x4 kernel/libtakt_kernel.a(start.c.obj)\n"
    with pytest.raises(ValueError, match=r"\.fast"):
        size.count(MAP + strange)
