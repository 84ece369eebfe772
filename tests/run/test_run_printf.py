# SPDX-License-Identifier: Apache-2.0
"""printf and its like write to the console, from tasks, from processes and from the kernel's side."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import MODES

DECLARED = """
[system]
duration = "25 ms"
protection = PROTECTION

[[task]]
name = "task"
entry = "task_step"
period = "10 ms"
wcet = "2 ms"
stack = 8192

[[process]]
name = "one"
tasks = ["task"]
sources = ["task.c"]
console = true
"""
TASK = """
#include <stdarg.h>
#include <stdio.h>
#include "takt_app.h"

static void vary(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void task_step(void *argument)
{
    static int count;
    (void)argument;
    count++;
    printf("step %d %s %.2f %c\\n", count, "of three", count / 4.0, 'x');
    printf("as puts\\n");
    printf("%s\\n", "as puts too");
    printf("c");
    puts("");
    vary("%0100d\\n", count);
    putchar('!');
    putchar('\\n');
}
"""
KERNEL = """
#include <stdio.h>
#include "takt_app.h"

void takt_app_init(void)
{
    printf("begins: %u\\n", 1u);
}
"""
STEP = "step {0} of three {1:.2f} x\nas puts\nas puts too\nc\n{0:0100d}\n!\n"


@pytest.mark.parametrize(("board", "protection"), MODES)
def test_it_is_on_the_console(takt: Takt, tmp_path: Path, board: str, protection: bool) -> None:
    (tmp_path / "system.toml").write_text(DECLARED.replace("PROTECTION", str(protection).lower()), encoding="utf-8")
    (tmp_path / "task.c").write_text(TASK, encoding="utf-8")
    (tmp_path / "kernel.c").write_text(KERNEL, encoding="utf-8")
    run = takt("run", tmp_path, "--board", board)
    assert run.code == 0, run.out + run.err
    trace = Path(run.out.partition("\ntrace:  ")[2].partition("\n")[0])
    printed = (trace.parent / "console.txt").read_text(encoding="utf-8")
    assert printed == "begins: 1\n" + "".join(STEP.format(count, count / 4) for count in (1, 2, 3))


def test_a_process_without_the_console_may_not(takt: Takt, tmp_path: Path) -> None:
    text = DECLARED.replace("PROTECTION", "true").replace("console = true\n", "")
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    (tmp_path / "task.c").write_text(TASK, encoding="utf-8")
    run = takt("run", tmp_path, "--board", "host")
    assert run.code == 1
    assert "task task made a call that its process may not make" in run.out
