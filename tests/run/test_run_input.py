# SPDX-License-Identifier: Apache-2.0
"""`takt run --input`: the bytes of a file come over the console's line in virtual time, the same in each run, and the
run is compared with the proof."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest
from children import environment, takt_command
from echo import system
from running import APPS, BOARDS, FIRST_EMULATED, FIRST_MODE, FULL, assert_the_same, entries_of, only_full
from takt.declare.console.table import LATE_NS
from takt.declare.schema import boards
from takt.support import durations
from takt.support.provision import ROOT
from takt.trace.records import Event

SAID = bytes(range(256)) * 3
CHARACTER_NS = 10**10 // 9600


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = takt_command(*arguments)
    return subprocess.run(command, capture_output=True, env=environment(), check=False, text=True)


def typed(folder: Path, said: bytes) -> Path:
    path = folder / "what is typed"
    path.write_bytes(said)
    return path


@pytest.mark.parametrize(("board", "protection"), FIRST_MODE)
def test_the_bytes_come_at_the_rate_of_the_line(tmp_path: Path, board: str, protection: bool) -> None:
    system(tmp_path, protection)
    traces = []
    for _ in range(2):
        done = run("run", tmp_path, "--board", board, "--input", typed(tmp_path, SAID))
        assert done.returncode == 0, done.stdout + done.stderr
        found = re.search(r"trace: +(\S+)/trace\.takt", done.stdout)
        assert found is not None
        folder = ROOT / found[1]
        assert (folder / "console.txt").read_bytes() == SAID
        traces.append(entries_of(folder / "trace.takt"))
    assert_the_same(*traces)
    number = boards.load(board).console_interrupt
    came = [entry.time_ns for entry in traces[1] if entry.event == Event.INTERRUPT and entry.object == number][
        : len(SAID)
    ]
    assert len(came) == len(SAID)
    apart = [after - before for before, after in itertools.pairwise([0, *came])]
    assert min(apart) > CHARACTER_NS - LATE_NS  # one that is late because of a lock comes before one that is not
    assert came[-1] < len(SAID) * (CHARACTER_NS + LATE_NS)


STREAMS = """
[system]
board = "host"
scheduler = "dm"
duration = "100 ms"
[console]
input = 64
rate = 10000
[[task]]
name = "first"
entry = "first_main"
style = "loop"
stack = 4096
[[task]]
name = "second"
entry = "second_main"
style = "loop"
stack = 4096
"""
READS = """
#include <stdio.h>
#include "takt/task.h"
#include "takt/time.h"
#include "takt_app.h"

static unsigned now_ms(void)
{
    return (unsigned)(takt_now() / TAKT_MS(1));
}

void first_main(void *argument)
{
    (void)argument;
    for (;;) {
        int character = getchar(), next = getchar();
        printf("%u %c%c, ", now_ms(), character, next);
        takt_delay_until(now_ms() * TAKT_MS(1) + TAKT_US(1500));
    }
}

void second_main(void *argument)
{
    char text[4];
    (void)argument;
    for (;;) {
        int number = 0, found = scanf("%d", &number);
        takt_delay(TAKT_MS(2));
        char *read = fgets(text, sizeof text, stdin);
        printf("%u %d %d %s, ", now_ms(), found, number, read != NULL ? text : "nothing");
    }
}
"""


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_the_input_stream_of_c_has_the_same_bytes_at_the_same_times(tmp_path: Path, board: str) -> None:
    """A character comes each millisecond, and two tasks read. What scanf puts back is for the next one that reads."""
    (tmp_path / "system.toml").write_text(STREAMS, encoding="utf-8")
    (tmp_path / "read.c").write_text(READS, encoding="utf-8")
    done = run("run", tmp_path, "--board", board, "--input", typed(tmp_path, b"a1b2c;dxeyf3g4h:i"))
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"trace: +(\S+)/trace\.takt", done.stdout)
    assert found is not None
    printed = (ROOT / found[1] / "console.txt").read_text(encoding="utf-8")
    assert printed == "3 ab, 6 ;c, 10 1 12 dxy, 11 ef, 14 4g, "


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_measure_sees_what_input_causes(tmp_path: Path, board: str) -> None:
    def suggested(*more: str | Path) -> int:
        done = run("measure", APPS / "shell", "--board", board, "--duration", "1 s", *more)
        assert done.returncode == 0, done.stderr
        found = re.search(r'^# \[\[task\]\] "shell".*\nwcet = "(.+)"', done.stdout, re.MULTILINE)
        assert found is not None, done.stdout
        return durations.parse(found[1])

    assert suggested("--input", typed(tmp_path, b"tasks\rstacks\r")) > 3 * suggested()


@pytest.mark.parametrize(
    ("app", "more", "problem"),
    [
        ("shell", ["--duration", "10 ms"], " for 10 bytes, and the run lasts 10 ms"),
        ("shell", ["--console"], "--console cannot be used with --input"),
        ("troublesome", [], "has no [console]"),
    ],
)
def test_what_cannot_be(tmp_path: Path, app: str, more: list[str], problem: str) -> None:
    done = run("run", APPS / app, "--board", "host", "--input", typed(tmp_path, b"x" * 10), *more)
    assert done.returncode == 2
    assert problem in done.stderr


def test_what_is_no_file() -> None:
    done = run("run", APPS / "shell", "--board", "host", "--input", "/dev/zero")
    assert done.returncode == 2
    assert "--input /dev/zero" in done.stderr
