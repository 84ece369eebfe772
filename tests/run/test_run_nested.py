# SPDX-License-Identifier: Apache-2.0
"""Interrupts that interrupt that of the timer while it serves several timers, where a handler masks them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import emulated
from rv32_registers import registers_assembly
from takt.trace import segments
from takt.trace.records import TIMER, Event

TASKS = 8
TICK, SOFTWARE = 20, 0

# Many releases at once, every 1 ms, and an interrupt at ever new distances from them. They interrupt `first`, which
# goes on, `last`, which does not, and idle.
SYSTEM = """
[[task]]
name = "first"
entry = "look_step"
period = "300 us"
wcet = "120 us"

[[task]]
name = "last"
entry = "look_step"
period = "2 ms"
offset = "930 us"
wcet = "120 us"

[[interrupt]]
name = "tick"
number = 20
min_interarrival = "59 us"
wcet = "1 us"
handler = "tick"

[[interrupt]]
name = "software"
number = 0
min_interarrival = "59 us"
wcet = "1 us"
handler = "software"
""" + "".join(
    f"""
[[task]]
name = "t{number}"
entry = "quick_step"
period = "1 ms"
wcet = "4 us"
"""
    for number in range(TASKS)
)

PROCESS = f"""
[[process]]
name = "all"
tasks = ["first", "last", {", ".join(f'"t{number}"' for number in range(TASKS))}]
sources = ["app.c", "registers.c"]
"""

# The handlers are the kernel's also where tasks are in a process: in a file of their own.
HANDLERS = """
#include "takt_app.h"

#define MSIP (*(volatile uint32_t *)0x02000000u)

static inline void change_registers(void)
{
    __asm volatile("li t0, 1\\n\\tli t1, 2\\n\\tli t2, 3\\n\\tli a0, 4\\n\\tli a1, 5\\n\\tli a2, 6\\n\\tli a3, 7\\n\\t"
                   "li a4, 8\\n\\tli a5, 9\\n\\tli a6, 10\\n\\tli a7, 11\\n\\tli t3, 12\\n\\tli t4, 13\\n\\t"
                   "li t5, 14\\n\\tli t6, 15"
                   :
                   :
                   : "t0", "t1", "t2", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t3", "t4", "t5", "t6");
}

void tick(void)
{
    change_registers();
    MSIP = 1; /* comes when this one ends */
}

void software(void)
{
    change_registers();
}
"""

STEPS = """
#include "takt_app.h"

uint32_t look(void);

void quick_step(void *argument)
{
    (void)argument;
}

void look_step(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 4; i++) {
        if (look() != 0) {
            __builtin_trap();
        }
        takt_task_yield();
    }
}
"""


def nested(trace: Path) -> Counter[tuple[int, int]]:
    """How often each interrupt came in that of the timer, by number and the jobs that this one had released until then.
    All end in the order of a stack."""
    active: list[int] = []
    found: Counter[tuple[int, int]] = Counter()
    released = 0
    for entry in segments.read(trace).entries:
        assert entry.event is not Event.LOST_RECORDS
        if entry.event is Event.INTERRUPT:
            assert active in ([], [TIMER])
            assert entry.object != TIMER or active == []
            if active:
                found[entry.object, released] += 1
            else:
                released = 0
            active.append(entry.object)
        elif entry.event is Event.RELEASE:
            released += 1
        elif entry.event is Event.INTERRUPT_END:
            assert active.pop() == entry.object
        elif entry.event is Event.RUN:
            assert active == []
    return found


@pytest.mark.parametrize("protection", [False, True])
@pytest.mark.parametrize("board", [emulated("rv32-virt")])
def test_others_interrupt_the_timer(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, board: str, protection: bool
) -> None:
    """Every register of the tasks survives, and every job ends."""
    folder = application(
        SYSTEM + PROCESS * protection,
        app_dot_c=STEPS,
        handlers_dot_c=HANDLERS,
        registers_dot_c=registers_assembly(),
    )
    mode = "--protection" if protection else "--no-protection"
    options = ("--overheads", "none", "--force", "--duration", "90 ms", "--json")
    said = takt("run", folder, "--board", board, mode, *options)
    assert said.code in (0, 1), said.out + said.err  # the kernel's own time is not proved here
    jobs = {task["name"]: (task["jobs"], task["misses"]) for task in json.loads(said.out)["tasks"]}
    assert {name: jobs[name] for name in jobs if name.startswith("t")} == {f"t{n}": (90, 0) for n in range(TASKS)}
    assert jobs["first"] == (300, 0)
    (path,) = scratch_builds.glob("*/run/trace.takt")
    found = nested(path)
    for number in (TICK, SOFTWARE):
        assert {released for of, released in found if of == number} >= set(range(1, TASKS)), found
