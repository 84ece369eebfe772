# SPDX-License-Identifier: Apache-2.0
"""[console] and `takt run --console`: bytes that are typed reach a task as they are, no faster than the line brings
them, and those that find the pipe full are lost."""

from __future__ import annotations

import itertools
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from children import environment
from running import FIRST_EMULATED, MODES
from takt.declare import declaration
from takt.declare.schema import boards
from takt.support.errors import UserError
from takt.support.provision import ROOT
from takt.trace import records
from takt.trace.records import Event

SYSTEM = """
[system]
board = "host"
scheduler = "dm"
protection = @protection@
[console]
input = @input@
rate = @rate@
[[task]]
name = "echo"
entry = "echo_step"
min_interarrival = "@apart@"
wcet = "1 ms"
trigger = "pipe console_input"
[[process]]
name = "reader"
tasks = ["echo"]
sources = ["echo.c"]
uses = ["console_input"]
console = true
"""
SAID = bytes(range(256)).replace(b"\x03", b"") * 2


def system(folder: Path, protection: bool = False, size: int = 64, rate: int = 9600, apart: str = "10 ms") -> Path:
    shutil.copy(ROOT / "tests" / "run" / "console" / "echo.c", folder)
    given = {"protection": str(protection).lower(), "input": size, "rate": rate, "apart": apart}
    (folder / "system.toml").write_text(re.sub("@(.*?)@", lambda found: str(given[found[1]]), SYSTEM), encoding="utf-8")
    return folder


def command(folder: Path, board: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "takt", "run", str(folder), "--board", board, "--console", *more]


def connected(folder: Path, board: str, given: bytes, *more: str) -> tuple[bytes, records.Trace]:
    """What the board said to that input, and its trace."""
    done = subprocess.run(
        command(folder, board, *more), input=given, capture_output=True, env=environment(), check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    path = re.search(r"trace: (\S+)", done.stderr.decode())
    assert path is not None
    assert b"nothing is held against the proof" in done.stderr
    return done.stdout, records.read(ROOT / path[1])


@pytest.mark.parametrize(("board", "protection"), MODES)
def test_bytes_arrive_as_they_are_at_the_rate_of_the_line(tmp_path: Path, board: str, protection: bool) -> None:
    said, seen = connected(system(tmp_path, protection), board, SAID)
    assert said == SAID
    number = boards.load(board).console_interrupt
    came, done = (
        [entry.time_ns for entry in seen.entries if entry.event == event and entry.object == number]
        for event in (Event.INTERRUPT, Event.INTERRUPT_END)
    )
    assert len(came) == len(done) >= len(SAID)
    longest = max(end - begin for begin, end in zip(came, done, strict=True))
    assert longest <= boards.load(board).console_wcet, longest
    apart = [after - before for before, after in itertools.pairwise(came)]
    assert min(apart) > 10**10 // 9600 - 100_000  # a lock delays an interrupt


SCANS = """
#include <stdio.h>
#include "takt_app.h"

void echo_step(void *argument)
{
    (void)argument;
    for (;;) {
        int first = 0, second = 0, found = scanf("%d %d", &first, &second), next = getchar();
        char rest[8] = "";
        if (fgets(rest, sizeof rest, stdin) == NULL) {
            puts("it ends");
        }
        printf("%d %d %c%s", found, first + second, next, rest);
    }
}
"""


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_the_input_stream_of_c_waits_for_characters(tmp_path: Path, board: str) -> None:
    """What scanf puts back is read next; a line that is longer than the buffer is read in parts."""
    path = system(tmp_path) / "system.toml"
    of_echo = 'min_interarrival = "10 ms"\nwcet = "1 ms"\ntrigger = "pipe console_input"\n'
    text = path.read_text(encoding="utf-8")
    assert of_echo in text
    path.write_text(text.replace(of_echo, 'style = "loop"\nstack = 4096\n'), encoding="utf-8")
    (tmp_path / "echo.c").write_text(SCANS, encoding="utf-8")
    said, _ = connected(tmp_path, board, b"3 4xyz\n40 2;12345678\n5!\n")
    assert said == b"2 7 xyz\n2 42 ;12345672 13 !\n"


def test_what_finds_the_pipe_full_is_lost(tmp_path: Path) -> None:
    said, _ = connected(system(tmp_path, size=32, rate=100_000, apart="500 ms"), "host", b"x" * 100, "--force")
    assert 32 < len(said) < 70  # the first job reads few, the next what fits


def test_ctrl_c_ends_and_the_terminal_is_as_before(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    for end in (signal.SIGINT, signal.SIGTERM, None):
        process = subprocess.Popen(
            command(system(tmp_path), "host"), stdin=theirs, stdout=theirs, stderr=theirs, env=environment()
        )
        said = b""
        while b"Ctrl-C ends it" not in said:
            said += os.read(ours, 4096)
        while termios.tcgetattr(theirs)[3] & termios.ECHO != 0:  # until it has the terminal
            assert process.poll() is None, said
            time.sleep(0.01)
        os.write(ours, b"typed\n")
        while b"typed" not in said:
            said += os.read(ours, 4096)
        if end is not None:
            process.send_signal(end)
        else:  # the board is killed
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
            os.kill(int(children[-1]), signal.SIGKILL)
        while b"of the board's time" not in said:
            said += os.read(ours, 4096)
        assert process.wait(timeout=20) == (0 if end is not None else 1), said
        assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("input = 64", "", '"input" is missing'),
        ("input = 64", "input = 31", "input"),
        ("rate = 9600", "rate = 100", "rate"),
        ('board = "host"', 'board = "ibex-soc"', "[console]: the console of ibex-soc has no input"),
        ("[[process]]", '[[interrupt]]\nname = "x"\nnumber = 63\nmin_interarrival = "1 ms"\nwcet = "1 us"\n[[process]]',
         'number = 63 is that of [console] on host'),
        ("[[process]]", '[[semaphore]]\nname = "console_input"\n[[process]]', "console_input"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = system(tmp_path) / "system.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError) as found:
        declaration.load(path)
    assert problem in str(found.value)


def test_a_console_is_not_judged(tmp_path: Path) -> None:
    done = subprocess.run(
        command(system(tmp_path), "host", "--json"), capture_output=True, env=environment(), check=False
    )
    assert done.returncode == 2
    assert b"--console cannot be used with --json" in done.stdout + done.stderr
