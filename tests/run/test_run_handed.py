# SPDX-License-Identifier: Apache-2.0
"""What a waiter was handed, and is stopped before it runs to get, is back: for every object, on every board."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from running import HOST_AND_SECOND, Run

DECLARED = """
[system]
name = "handed"
scheduler = "dm"
duration = "1500 ms"

[[task]]
name = "taker"
entry = "take"
period = "200 ms"
deadline = "199 ms"
wcet = "200 us"
suspension = "150 ms"

[[task]]
name = "giver"
entry = "give"
period = "100 ms"
deadline = "90 ms"
offset = "40 ms"
wcet = "500 us"
suspension = "70 ms"

[[pool]]
name = "blocks"
block_size = 16
count = 1
[[semaphore]]
name = "units"
[[mailbox]]
name = "box"
message_size = 4
capacity = 2
[[priority_mailbox]]
name = "letters"
message_size = 4
capacity = 2
[[pipe]]
name = "stream"
capacity = 8
[[mutex]]
name = "door"
users = [{task = "taker", hold = "20 us"}, {task = "giver", hold = "20 us"}]
[[signal_pool]]
name = "signals"
data_size = 4
count = 1
[[signal_queue]]
name = "inbox"
owner = "taker"
"""

PROGRAM = """
#include "takt_app.h"
#include "takt/board.h"
#include "takt/events.h"

static TAKT_EVENTS_DEFINE(flags, TAKT_TRACE_NO_OBJECT);

enum { BLOCK, UNIT, MESSAGE, LETTER, BYTES, LOCK, FLAGS, SIGNAL, KINDS };

static unsigned kind;
static bool waits;  /* taker's: it is in its call, or was stopped there */
static bool got;    /* taker's: its call has returned with it */
static bool locked; /* giver's: it holds the mutex */
static void *block;
static uint32_t message;

static void say(const char *what, unsigned number)
{
    char text[] = "...... 00\\n";
    for (unsigned i = 0; i < 6 && what[i] != 0; i++) {
        text[i] = what[i];
    }
    text[7] = (char)('0' + number / 10);
    text[8] = (char)('0' + number % 10);
    takt_board_console_write(text, 10);
}

void take(void *argument)
{
    void *taken;
    uint32_t word;
    uint8_t bytes[4];
    struct takt_pipe_count count = {.size = 4, .least = 4};
    struct takt_events_wanted wanted = {.flags = 1, .mode = TAKT_EVENTS_CLEAR};
    struct takt_signal *signal = NULL;
    enum takt_status status = TAKT_TIMEOUT;
    (void)argument;
    while (kind == LOCK && !locked) {
        takt_delay(TAKT_MS(5));
    }
    uint64_t until_ns = takt_now() + TAKT_MS(150); /* past the next job of `give` */
    waits = true;
    switch (kind) {
    case BLOCK: status = takt_pool_allocate_until(&blocks, &taken, until_ns); break;
    case UNIT: status = takt_semaphore_wait_until(&units, until_ns); break;
    case MESSAGE: status = takt_mailbox_receive_until(&box, &word, until_ns); break;
    case LETTER: status = takt_priority_mailbox_receive_until(&letters, &word, until_ns); break;
    case BYTES: status = takt_pipe_read_until(&stream, bytes, &count, until_ns); break;
    case LOCK: status = takt_mutex_lock_until(&door, until_ns); break;
    case FLAGS: status = takt_events_wait_until(&flags, &wanted, until_ns); break;
    case SIGNAL: status = takt_signal_receive_until(&inbox, NULL, &signal, until_ns); break;
    case KINDS:
        say(takt_signal_try_receive(&inbox, NULL, &signal) == TAKT_OK ? "back" : "lost", SIGNAL);
        kind++;
        break;
    default: return;
    }
    waits = false;
    got = status == TAKT_OK;
}

static bool hand(void)
{
    struct takt_pipe_count count = {.size = 4, .least = 4};
    struct takt_signal *signal;
    message = 40 + kind;
    switch (kind) {
    case BLOCK: takt_pool_free(&blocks, block); return true;
    case UNIT: return takt_semaphore_post(&units) == TAKT_OK;
    case MESSAGE: return takt_mailbox_try_send(&box, &message) == TAKT_OK;
    case LETTER: return takt_priority_mailbox_try_send(&letters, &message, 0) == TAKT_OK;
    case BYTES: return takt_pipe_try_write(&stream, &message, &count) == TAKT_OK;
    case LOCK: takt_mutex_unlock(&door); return true;
    case FLAGS: takt_events_set(&flags, 1); return true;
    default:
        signal = takt_signal_allocate(&signals, 1);
        takt_signal_send(&signal, &inbox);
        return true;
    }
}

static bool is_back(void)
{
    uint32_t word = 0;
    struct takt_pipe_count count = {.size = 4, .least = 4};
    switch (kind) {
    case BLOCK: return takt_pool_try_allocate(&blocks) == block;
    case UNIT: return takt_semaphore_try_wait(&units) == TAKT_OK;
    case MESSAGE: return takt_mailbox_try_receive(&box, &word) == TAKT_OK && word == message;
    case LETTER: return takt_priority_mailbox_try_receive(&letters, &word) == TAKT_OK && word == message;
    case BYTES: return takt_pipe_try_read(&stream, &word, &count) == TAKT_OK && word == message;
    case LOCK:
        if (takt_mutex_try_lock(&door) != TAKT_OK) {
            return false;
        }
        takt_mutex_unlock(&door);
        return true;
    case FLAGS: return takt_events_get(&flags) == 1;
    default: return true; /* the taker says so, when it has started again */
    }
}

/* In each job, while the taker waits: what it is handed, and is stopped at once. */
void give(void *argument)
{
    (void)argument;
    if (kind >= KINDS) {
        return;
    }
    got = false;
    if (kind == LOCK) { /* until the taker waits for it */
        locked = takt_mutex_lock(&door) == TAKT_OK;
        takt_delay(TAKT_MS(65));
    }
    bool done = waits;
    done = hand() && done;
    takt_task_stop(TASK_taker);
    done = done && takt_task_stopped(TASK_taker) && !got;
    done = done && is_back();
    if (kind != SIGNAL || !done) {
        say(done ? "back" : "lost", kind);
    }
    kind++;
    waits = false;
    if (takt_task_start(TASK_taker, TASK_taker->config) != TAKT_OK) {
        say("start", kind);
    }
}

void takt_app_init(void)
{
    block = takt_pool_try_allocate(&blocks);
}
"""


@pytest.mark.parametrize("board", HOST_AND_SECOND)
def test_what_a_stopped_waiter_was_handed_is_back(
    run_json: Run, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    _, document = run_json(application(DECLARED, app_dot_c=PROGRAM), "--board", board, "--force")
    assert document["duration_ns"] >= 1_500_000_000
    console = next(scratch_builds.glob("*/run/console.txt")).read_text(encoding="utf-8")
    assert re.findall(r"(back|lost|start).* (\d\d)", console) == [("back", f"{kind:02}") for kind in range(8)]
