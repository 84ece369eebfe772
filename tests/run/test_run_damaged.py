# SPDX-License-Identifier: Apache-2.0
"""A run whose program damaged what the kernel tells of it has failed: exit code 1, with what is known all the same."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from command_line import Takt
from running import FIRST_EMULATED
from takt.observe import execute
from takt.trace import records
from takt.trace.recording import Recording, Watched

DECLARED = """[system]
board = "host"
duration = "20 ms"
[[task]]
name = "a"
period = "5 ms"
wcet = "1 ms"
"""
NONSENSE = b"\xff" * records.RECORD_SIZE


def test_records_before_the_first_nonsense_are_sound(tmp_path: Path) -> None:
    def sound(data: bytes) -> int:
        recording = Recording(tmp_path / "trace.takt", records.Names("host", "dm", ("a",)), Watched(), lambda _: {})
        for at in range(0, len(data), 7):
            recording.write(data[at : at + 7])
        recording.end()
        assert recording.bytes == len(data)
        return recording.sound

    good = records.encode(
        [records.Entry(time_ns, records.Event.RUN, 0, None, 0, records.NONE, 0) for time_ns in (5, 1 << 40, 1 << 41)]
    )
    assert sound(good) == len(good) == 5 * records.RECORD_SIZE
    assert sound(good + NONSENSE + good) == len(good)
    assert sound(good + b"x" * 15) == len(good)
    assert sound(good + good) == len(good) + records.RECORD_SIZE, "time goes back"
    assert sound(NONSENSE) == sound(b"") == 0


@pytest.mark.parametrize("failure", [None, "the board ended with exit code 3"])
def test_a_damaged_trace_fails_the_run(
    takt: Takt,
    application: Callable[..., Path],
    scratch_builds: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: str | None,
) -> None:
    ran = execute.run

    def damaged(*arguments: Any, recording: Recording, **more: Any) -> execute.Run:
        sent = Sent()
        done = ran(*arguments, recording=cast(Recording, sent), **more)
        begin = 2 * records.RECORD_SIZE
        recording.write(sent.data[:begin] + NONSENSE + sent.data[begin:])
        return replace(done, failure=failure)

    monkeypatch.setattr(execute, "run", damaged)
    folder = application(DECLARED)
    said = takt("run", folder, "--json")
    assert said.code == 1
    damage = "its trace is damaged from record 2 on: the kernel's memory was overwritten"
    assert json.loads(said.out)["failure"] == (f"{failure}; {damage}" if failure else damage)
    (left,) = scratch_builds.glob("*/run/trace.takt")
    assert takt("trace", left).code == 0


class Sent:
    """What a board sent, as it is."""

    def __init__(self) -> None:
        self.data, self.now_ns = b"", 0

    def take(self, file: int) -> int:
        more = os.read(file, 1 << 20)
        self.data += more
        return len(more)


ENDLESS = """#include "takt_app.h"
static __attribute__((noinline)) int down(int n)
{
    volatile int keep[20];
    keep[0] = n;
    return n < 100000 ? down(n + 1) + keep[0] : 0;
}
void a_job(void *argument)
{
    (void)argument;
    (void)down(0);
}
"""


@pytest.mark.parametrize("board", FIRST_EMULATED[:1])
def test_a_recursion_without_end(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    """It writes over all memory below its stack: whatever comes of that, the run fails and the stack is named."""
    declared = DECLARED.replace('"a"', '"a"\nentry = "a_job"')
    said = takt("run", application(declared, app_dot_c=ENDLESS), "--board", board)
    assert said.code == 1
    last = said.out.splitlines()[-1]
    assert last.startswith("Failed after ")
    assert "No bound is known of the stack of a (" in last
