# SPDX-License-Identifier: Apache-2.0
"""A kernel compiled for size is the same kernel: what runs on it comes out as on the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import APPS, FIRST_EMULATED, FULL, SECOND_EMULATED, Run, only_full
from takt.image import build
from takt.support import compile as compiling

TROUBLE = APPS / "troublesome"
BARE = ("--overheads", "none")

PLAIN = """
[system]
board = "{board}"
preset = "{preset}"
scheduler = "rm"
duration = "100 ms"
[[semaphore]]
name = "request"
[[mutex]]
name = "turn"
users = [{{task = "asker", hold = "2 ms"}}, {{task = "answerer", hold = "1 ms"}}]
[[mailbox]]
name = "answers"
message_size = 4
capacity = 2
[[task]]
name = "asker"
entry = "ask"
[[task]]
name = "answerer"
entry = "answer"
"""

# The third question is never answered; the lock is held over a sleep, so the answerer waits for it.
TASKS = r"""
#include "takt_app.h"
#include "takt/board.h"

void ask(void *argument)
{
    (void)argument;
    for (uint32_t wanted = 1; wanted <= 5; wanted++) {
        uint32_t got = 0;
        (void)takt_semaphore_post(&request);
        (void)takt_mutex_lock(&turn);
        takt_delay(TAKT_MS(1));
        takt_mutex_unlock(&turn);
        enum takt_status status = takt_mailbox_receive_until(&answers, &got, takt_now() + TAKT_MS(10));
        if (wanted == 3 ? status != TAKT_TIMEOUT : status != TAKT_OK || got != wanted) {
            return;
        }
    }
    takt_board_console_write("five questions\n", 15);
}

void answer(void *argument)
{
    (void)argument;
    for (uint32_t number = 1;; number++) {
        (void)takt_semaphore_wait(&request);
        (void)takt_mutex_lock(&turn);
        takt_mutex_unlock(&turn);
        if (number != 3) {
            (void)takt_mailbox_send(&answers, &number);
        }
    }
}
"""


@pytest.fixture
def for_size(scratch_builds: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Images of this test are compiled for size."""

    def small(preset: str, folder: Path, settings: dict[str, str], *rest: Any) -> None:
        compiling.compile_preset(preset, folder, {**settings, "CMAKE_BUILD_TYPE": "MinSizeRel"}, *rest)

    monkeypatch.setattr(build, "compile_preset", small)
    monkeypatch.setattr(build, "ROOMS", scratch_builds.parent / "rooms")
    return scratch_builds


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_the_troublesome_ones_run_as_ever(for_size: Path, run_json: Run, board: str) -> None:
    _, edf = run_json(TROUBLE, "--board", board, *BARE, "--scheduler", "edf")
    assert (edf["misses"], edf["first_miss"]) == (0, None)
    assert [task["jobs"] for task in edf["tasks"]] == [250, 200, 167, 143, 125, 50, 34, 20, 10, 8]
    _, fixed = run_json(TROUBLE, "--board", board, *BARE, "--scheduler", "rm", "--force")
    assert fixed["first_miss"] == {"task": "t5", "release_ns": 0, "deadline_ns": 8_000_000}


@pytest.mark.parametrize("board", SECOND_EMULATED)
@pytest.mark.parametrize("preset", ["lean", "standard"] if FULL else ["lean"])
def test_a_system_without_jobs(
    for_size: Path, takt: Takt, application: Callable[..., Path], board: str, preset: str
) -> None:
    said = takt("run", application(PLAIN.format(board=board, preset=preset), tasks_dot_c=TASKS))
    assert "five questions" in said.out, said.err
    (settings,) = for_size.glob("*/takt-settings.json")
    assert '"TAKT_SCHED": "plain"' in settings.read_text(encoding="utf-8")
