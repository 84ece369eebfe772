# SPDX-License-Identifier: Apache-2.0
"""A task that starts others on the running system, under the proof that is linked into the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL

DECLARATION = """
[system]
scheduler = "edf"
runtime_tasks = 2
duration = "200 ms"

[[task]]
name = "starter"
entry = "starter_step"
period = "50 ms"
wcet = "20 ms"
stack = 1536 # admission is on it

[[task]]
name = "load"
period = "20 ms"
wcet = "4 ms"
"""

PROGRAM = """
#include "takt_app.h"
#include "takt/board.h"
#include <string.h>

static uint64_t stacks[3][128];
static struct takt_task guests[3];
static unsigned guest_jobs;

static void guest_step(void *argument)
{
    (void)argument;
    guest_jobs++;
    takt_work(TAKT_MS(1));
}

static void say(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

static void start(unsigned number, uint64_t wcet_ns)
{
    static struct takt_task_config configs[3];
    configs[number] = (struct takt_task_config){.name = "guest",
                                               .entry = guest_step,
                                               .stack = stacks[number],
                                               .stack_size = sizeof stacks[number],
                                               .index = (uint16_t)(2 + number % 2),
                                               .release = TAKT_PERIODIC,
                                               .level = TASK_load->config->level,
                                               .period_ns = TAKT_MS(20),
                                               .deadline_ns = TAKT_MS(20),
                                               .wcet_ns = wcet_ns};
    enum takt_status status = takt_task_start(&guests[number], &configs[number]);
    say(status == TAKT_OK ? "started " : status == TAKT_REFUSED ? "refused " : status == TAKT_LIMIT ? "full " : "? ");
}

void starter_step(void *argument)
{
    static unsigned job;
    (void)argument;
    switch (job++) {
    case 0: /* 0.4 + 0.2 of the processor are taken */
        start(0, TAKT_MS(5));
        start(1, TAKT_MS(5)); /* 0.25 more would be too much */
        break;
    case 1:
        takt_task_stop(&guests[0]);
        start(1, TAKT_MS(5)); /* the stopped task counts until its deadline: 60 ms */
        break;
    case 2:
        start(1, TAKT_MS(5));
        say(guest_jobs > 0 ? "ran " : "did not run ");
        break;
    default:
        break;
    }
}
"""


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_tasks_are_admitted_and_refused(takt: Takt, tmp_path: Path, scratch_builds: Path, board: str) -> None:
    (tmp_path / "guests").mkdir()
    (tmp_path / "guests" / "system.toml").write_text(DECLARATION, encoding="utf-8")
    (tmp_path / "guests" / "app.c").write_text(PROGRAM, encoding="utf-8")
    said = takt("run", tmp_path / "guests", "--board", board)
    assert "started refused refused started ran" in said.out, said.out + said.err
    assert said.code == 0
