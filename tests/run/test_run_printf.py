# SPDX-License-Identifier: Apache-2.0
"""printf and its like write to the console, from tasks, from processes and from the kernel's side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_MODE, FULL, MODES, Run

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


@pytest.mark.parametrize(("board", "protection"), FIRST_MODE)
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


OWN_STREAM = """
#include <stdio.h>
#include "takt_app.h"

static int nowhere(char character, FILE *file)
{
    (void)file;
    return character;
}

static FILE own = FDEV_SETUP_STREAM(nowhere, NULL, NULL, _FDEV_SETUP_WRITE);

void task_step(void *argument)
{
    (void)argument;
    fprintf(&own, "%d", 1);
}
"""


@pytest.mark.parametrize(("board", "protection"), MODES[1:3] + MODES[4:] if FULL else FIRST_MODE)
def test_the_stack_of_a_task_that_prints_has_a_bound(
    run_json: Run, takt: Takt, application: Callable[..., Path], board: str, protection: bool
) -> None:
    """Which the run stays below; a stack below it is refused before the run. A stream of the application's own may
    call anything."""
    declared = DECLARED.replace("PROTECTION", str(protection).lower())
    task = TASK.replace("(void)argument;", 'char text[8]; (void)argument; snprintf(text, 8, "%f", 0.1);')
    folder = application(declared, task_dot_c=task.replace('printf("c")', 'fprintf(stdout, "%s", text)'))
    code, result = run_json(folder, "--board", board)
    assert code == 0, result
    (bound,) = result["stacks"]
    assert bound["needs"] is not None, bound["reason"]
    assert result["tasks"][0]["stack_max"] <= bound["needs"] < 1400
    (folder / "system.toml").write_text(declared.replace("stack = 8192", "stack = 384"), encoding="utf-8")
    said = takt("build", folder, "--board", board)
    assert said.code == 1
    assert f"the stack of task is too small: it needs up to {bound['needs']} bytes and has 384" in said.err
    assert "vfprintf" in said.err
    if not protection:
        (folder / "task.c").write_text(OWN_STREAM, encoding="utf-8")
        said = takt("build", folder, "--board", board)
        assert "the application makes streams of its own" in said.out
