# SPDX-License-Identifier: Apache-2.0
"""What is for tasks alone is refused in a handler, with the calls that lead to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import emulated

DECLARED = """
[system]
board = "mps2-an385"
[console]
input = 32
[[interrupt]]
name = "line"
number = 5
handler = "handler"
min_interarrival = "10 ms"
wcet = "100 us"
[[semaphore]]
name = "units"
[[task]]
name = "one"
entry = "one_job"
period = "10 ms"
wcet = "1 ms"
stack = 2048
"""
CODE = """
#include <stdio.h>
#include "takt_app.h"
volatile int sink;
void deeper(void);
void __attribute__((noinline)) deeper(void) { CALL; }
void handler(void) { deeper(); }
void one_job(void *argument) { (void)argument; takt_delay(TAKT_US(1)); sink = getchar(); }
"""


@pytest.mark.parametrize("board", [emulated("mps2-an385")])
def test_what_waits_is_refused_in_a_handler(takt: Takt, tmp_path: Path, board: str) -> None:
    (tmp_path / "system.toml").write_text(DECLARED)
    for call, what in (
        ("takt_delay(TAKT_MS(1))", "call takt_delay, and its code does: handler > deeper > takt_delay"),
        ("sink = getchar()", "wait for input, and its code does: handler > deeper > fgetc"),
        ('(void)scanf("%d", (int *)&sink)', "wait for input, and its code does: handler > deeper > scanf"),
    ):
        (tmp_path / "app.c").write_text(CODE.replace("CALL", call))
        said = takt("build", tmp_path, "--board", board)
        assert said.code == 2, said.out + said.err
        assert f'[[interrupt]] "line": handler: an interrupt may not {what}' in said.err
    allowed = 'printf("%d", sink); takt_semaphore_post(&units); (void)takt_semaphore_try_wait(&units)'
    allowed += '; (void)sscanf("5", "%d", (int *)&sink)'
    (tmp_path / "app.c").write_text(CODE.replace("CALL", allowed))
    said = takt("build", tmp_path, "--board", board)
    assert said.code == 0, said.out + said.err
