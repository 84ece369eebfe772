# SPDX-License-Identifier: Apache-2.0
"""Messages of the log in gdb: `takt log`, and among the events of `takt trace`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FULL

DECLARED = """
[system]
duration = "1 s"
preset = "PRESET"

[[task]]
name = "speaker"
entry = "speaker_step"
period = "10 ms"
wcet = "1 ms"
"""
SOURCE = """
#define TAKT_LOG_MODULE "voice"
#include "takt/takt.h"
#include "takt_app.h"

static const char *const words[] = {"zero", "one", "two", "three"};

void observe(unsigned job);
__attribute__((noinline)) void observe(unsigned job)
{
    __asm volatile("" : : "r"(job) : "memory");
}

void speaker_step(void *argument)
{
    static unsigned job;
    (void)argument;
    takt_mark_begin("speech");
    takt_log_warning("job %u says %s, %.2f and %lld", job, words[job % 4], job / 4.0F, -(1LL << 40));
    takt_mark_end("speech");
    if (job == 3) {
        observe(job);
    }
    job++;
}
"""


def application(folder: Path, preset: str = "standard") -> Path:
    (folder / "system.toml").write_text(DECLARED.replace("PRESET", preset), encoding="utf-8")
    (folder / "speaker.c").write_text(SOURCE, encoding="utf-8")
    return folder


def script(folder: Path, *commands: str) -> Path:
    path = folder / "commands.gdb"
    path.write_text("".join(f"echo \\n@@@\\n\n{command}\n" for command in commands), encoding="utf-8")
    return path


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_the_last_messages(takt: Takt, tmp_path: Path, board: str) -> None:
    commands = script(tmp_path, "takt log", "break observe", "continue", "takt log", "takt log 1", "takt trace 5")
    said = takt("run", application(tmp_path), "--overheads", "none", "--board", board, "--gdb-script", commands)
    assert said.code == 0, said.out + said.err
    _, none, _, _, whole, last, events = (part.strip("\n") for part in said.out.split("\n@@@"))
    assert none == "no message of the log is in the trace"
    expected = [
        f"warning  speaker  voice: job {job} says {word}, {job / 4:.2f} and -1099511627776"
        for job, word in enumerate(("zero", "one", "two", "three"))
    ]
    assert [line.split(maxsplit=1)[1] for line in whole.splitlines()] == expected
    assert re.match(r" +3\d\.\d{6}  ", whole.splitlines()[-1])
    assert last == whole.splitlines()[-1]
    texts = [re.split(r"  +", line.strip())[-1] for line in events.splitlines()[-3:]]
    assert texts == ["speech", f"warning {expected[3].partition('  ')[2].partition('  ')[2]}", "speech"]


def test_it_says_what_is_wrong(takt: Takt, tmp_path: Path) -> None:
    folder = application(tmp_path)
    said = takt("run", folder, "--board", "host", "--gdb-script", script(tmp_path, "takt log all"))
    assert "takt: the argument of `takt log` is a number of messages, such as 50" in said.err
    (tmp_path / "lean").mkdir()
    lean = application(tmp_path / "lean", "lean")
    said = takt("run", lean, "--board", "host", "--gdb-script", script(tmp_path, "takt log"))
    assert "takt: this kernel has no trace" in said.err
    assert said.code == 1
