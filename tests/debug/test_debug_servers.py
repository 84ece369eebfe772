# SPDX-License-Identifier: Apache-2.0
"""`takt objects` and `takt timers` under gdb: servers, what is left of their budgets, and when it comes back."""

from __future__ import annotations

from pathlib import Path

from command_line import Takt
from running import only_full

DECLARATION = """
[system]
board = "host"
scheduler = "dm"

[[task]]
name = "look"
period = "20 ms"
offset = "5 ms"
deadline = "1 ms"
wcet = "100 us"
entry = "look"

[[task]]
name = "shell"
entry = "shell"
style = "loop"

[[task]]
name = "log"
entry = "write_log"
style = "loop"

[[server]]
name = "flood"
kind = "deferrable"
budget = "2 ms"
period = "10 ms"
serves = ["shell"]

[[server]]
name = "disk"
kind = "sporadic"
budget = "3 ms"
period = "10 ms"
serves = ["log"]
"""

PROGRAM = """
#include "takt_app.h"

void shell(void *argument)
{
    (void)argument;
    for (;;) {
        takt_work(TAKT_US(100));
    }
}

void write_log(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_MS(3));
    takt_work(TAKT_MS(1));
    takt_delay_until(TAKT_S(1));
}

void look(void *argument)
{
    (void)argument;
    takt_work(TAKT_US(10));
}
"""


@only_full
def test_what_is_left_of_budgets(takt: Takt, tmp_path: Path) -> None:
    """At 5 ms the shell has used all, from 0 to 2 ms, and the log 1 ms, which comes back at 13 ms."""
    (tmp_path / "system.toml").write_text(DECLARATION, encoding="utf-8")
    (tmp_path / "app.c").write_text(PROGRAM, encoding="utf-8")
    script = tmp_path / "commands.gdb"
    script.write_text("break look\ncontinue\ntakt objects\ntakt timers\nkill\n", encoding="utf-8")
    said = takt("run", tmp_path, "--gdb-script", script)
    assert said.code == 0, said.out + said.err
    assert "server  flood  deferrable, no budget until 10 ms, serves shell\n" in said.out
    assert "server  disk   sporadic, 2 ms of 3 ms left, 1 ms from 13 ms, serves log\n" in said.out
    assert "\n10 ms  server flood\n" in said.out
