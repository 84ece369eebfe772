# SPDX-License-Identifier: Apache-2.0
"""State messages that a background task writes, in processes: read by another process, and by its writer's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from unittest.mock import ANY

import pytest
from command_line import Takt
from running import SECOND_EMULATED, Run

DECLARATION = """
[system]
board = "mps2-an385"
protection = true

[[task]]
name = "reader"
entry = "reader_job"
period = "10 ms"
wcet = "1 ms"

[[task]]
name = "writer"
entry = "writer_body"

[[state]]
name = "pose"
message_size = 16
writer = "writer"
depth = 3
READERS

[[process]]
name = "first"
tasks = ["reader"]
sources = ["reader.c"]

[[process]]
name = "second"
tasks = ["writer"]
sources = ["writer.c"]
"""
READ = """
    uint32_t message[4];
    TAKT_ASSERT(pose_read(message) == TAKT_OK && message[0] == message[3]);
    seen = message[3] != 0;
"""
READER = """
#include "takt_app.h"
static bool seen;
void reader_job(void *argument)
{
    (void)argument;
    READ
    (void)seen;
}
"""
WRITER = """
#include "takt_app.h"
static bool seen;
void writer_body(void *argument)
{
    (void)argument;
    for (uint32_t count = 1;; count++) {
        uint32_t written[4] = {count, count, count, count};
        pose_write(written);
        READ
        TAKT_ASSERT(SEEN);
    }
}
"""
NAMED = 'readers = [{ task = "reader", read = "20 us" }]'


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_another_process_reads_with_the_kernel_locked(
    takt: Takt, run_json: Run, application: Callable[..., Path], board: str
) -> None:
    """However often the writer, whose rate nothing bounds, writes meanwhile."""
    writer = WRITER.replace("READ", "seen = true;").replace("SEEN", "seen")
    folder = application(
        DECLARATION.replace("READERS", NAMED), reader_dot_c=READER.replace("READ", READ), writer_dot_c=writer
    )
    code, document = run_json(folder, "--board", board, "--duration", "100 ms")
    assert (code, document["breaches"]) == (0, [])
    (pose,) = document["states"]
    assert pose["overtaken"] == 0
    assert pose["writes"] > 0
    (proved,) = json.loads(takt("check", folder, "--json").out)["states"]
    assert proved["readers"] == [
        {"name": "reader", "read_ns": 20_000, "lasts_ns": ANY, "writes": None, "depth": None, "locked": True}
    ]


def test_without_readers_its_writer_s_process_reads(run_json: Run, application: Callable[..., Path]) -> None:
    folder = application(
        DECLARATION.replace("READERS", ""),
        reader_dot_c=READER.replace("READ", ""),
        writer_dot_c=WRITER.replace("READ", READ).replace("SEEN", "seen"),
    )
    code, document = run_json(folder, "--duration", "100 ms")
    assert (code, document["breaches"]) == (0, [])
