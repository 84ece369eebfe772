# SPDX-License-Identifier: Apache-2.0
"""What the page of a proof says of the image: bounds of stacks hold what runs saw, memory is what the linker placed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, FIRST_EMULATED, Run
from takt.commands.report import collect
from takt.declare import declaration
from takt.image import build
from takt.image.stack_bounds import Bound
from takt.prove.proof import Proved, prove
from takt.report import memory_map
from takt.report.proof import page

CALLS = """
[system]
board = "mps2-an385"
scheduler = "edf"
[[task]]
name = "plain"
entry = "plain"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "deep"
entry = "deep"
period = "20 ms"
wcet = "1 ms"
[[task]]
name = "again"
entry = "again"
period = "30 ms"
wcet = "1 ms"
[[task]]
name = "pointed"
entry = "pointed"
period = "40 ms"
wcet = "1 ms"
[[task]]
name = "lengthy"
entry = "lengthy"
period = "50 ms"
wcet = "1 ms"
"""

CODE = """#include <takt_app.h>
void (*volatile where)(void);
volatile int depth;
void plain(void *argument) { (void)argument; }
void deep(void *argument) { volatile char room[2000]; room[depth] = 1; (void)argument; }
__attribute__((noinline)) static int down(int n) { volatile int keep = n; return n > 0 ? down(n - 1) + keep : 0; }
void again(void *argument) { (void)argument; depth = down(depth); }
void pointed(void *argument) { (void)argument; where(); depth++; }
void lengthy(void *argument) { volatile char room[depth + 1]; room[depth] = 1; (void)argument; }
"""


def proved(application: Path, board: str | None = None) -> Proved:
    return prove(declaration.with_board(declaration.load(declaration.find(str(application))), board))


def bounds(found: Proved) -> dict[str, Bound]:
    return {one.name: one for one in build.build(found).stacks}


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_no_run_needs_more_stack_than_the_bound(board: str, run_json: Run) -> None:
    """Bounds of all six tasks: through the C library's mathematics and the kernel."""
    found = bounds(proved(APPS / "flight", board))
    _, seen = run_json(str(APPS / "flight"), "--board", board, "--duration", "2 s")
    for task in seen["tasks"]:
        bound = found[task["name"]]
        assert bound.needs is not None, bound.reason
        assert task["stack_max"] <= bound.needs <= bound.declared
        assert bound.way[0]


def test_what_has_no_bound_says_why(application: Callable[..., Path]) -> None:
    system = proved(application(CALLS, app_dot_c=CODE))
    found = bounds(system)
    assert found["plain"].fits
    assert found["deep"].fits is False
    assert (found["deep"].needs or 0) > 2000
    assert found["again"].needs is None
    assert "recursion: app.c:down" in found["again"].reason
    assert found["pointed"].needs is None
    assert (
        found["pointed"].reason
        == "pointed: it calls through a pointer, and the functions that may be called are not declared"
    )
    assert "lengthy: no bound" in found["lengthy"].reason
    text = page(system, collect(system, True))
    assert "too small" in text
    assert "recursion: app.c:down &gt; app.c:down" in text


def test_machine_code_with_a_pointer_has_no_bound(application: Callable[..., Path]) -> None:
    """A function in assembly: calls by name are followed, with what it pushes; one through a register is not."""
    code = """
        #include <takt_app.h>
        __asm__(".global named\\n.type named, %function\\n.thumb_func\\nnamed: push {r4-r11, lr}\\n bl leaf\\n"
                "pop {r4-r11, pc}\\n.size named, . - named\\n"
                ".global loose\\n.type loose, %function\\n.thumb_func\\nloose: push {r4, lr}\\n blx r4\\n"
                "pop {r4, pc}\\n.size loose, . - loose\\n");
        void named(void);
        void loose(void);
        void leaf(void) { volatile char room[400]; room[0] = 1; }
        void plain(void *argument) { (void)argument; }
        void deep(void *argument) { (void)argument; named(); __asm__ volatile(""); }
        void again(void *argument) { (void)argument; }
        void pointed(void *argument) { (void)argument; loose(); __asm__ volatile(""); }
        void lengthy(void *argument) { (void)argument; }
    """
    found = bounds(proved(application(CALLS, app_dot_c=code)))
    assert [name for name, _ in found["deep"].way[-2:]] == ["named", "leaf"]
    assert (found["deep"].needs or 0) >= 36 + 400
    assert found["pointed"].reason == "loose: its machine code jumps or calls through a pointer"


def test_memory_is_what_the_linker_placed() -> None:
    found = proved(APPS / "troublesome", "mps2-an385")
    image = build.build(found)
    memory = memory_map.read(image.path, found.board)
    tool = subprocess.run(["arm-none-eabi-size", str(image.path)], capture_output=True, text=True, check=True)
    text, data, bss = map(int, tool.stdout.splitlines()[1].split()[:3])
    assert memory.flash == text + data
    assert memory.ram == data + bss
    assert memory.stacks == sum(task.stack for task in found.system.tasks) + 1024
    assert sum(memory_map.parts(memory).values()) == memory.ram
    assert memory.largest[0].name == "takti_trace_records"


def test_what_does_not_build_has_a_page_all_the_same(
    takt: Takt, application: Callable[..., Path], tmp_path: Path
) -> None:
    folder = application(CALLS, app_dot_c="int broken(\n")
    said = takt("report", str(folder), "-o", str(tmp_path / "page.html"))
    assert said.code == 0
    assert "without its sections on memory and stacks" in said.err
    assert "the image does not build" in (tmp_path / "page.html").read_text(encoding="utf-8")
