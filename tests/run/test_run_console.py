# SPDX-License-Identifier: Apache-2.0
"""[console] and `takt run --console`: bytes that are typed reach a task as they are, no faster than the line brings
them, and those that find the pipe full are lost."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from children import END_S, environment, takt_command
from echo import system
from running import BOARDS, FIRST_MODE, FULL, SECOND_MODE
from takt.declare import declaration
from takt.declare.schema import boards
from takt.support.errors import UserError
from takt.support.provision import ROOT
from takt.trace import records, segments
from takt.trace.records import Event

SAID = bytes(range(256)).replace(b"\x03", b"") * 2


def command(folder: Path, board: str, *more: str) -> list[str]:
    return takt_command("run", folder, "--board", board, "--console", *more)


def connected(folder: Path, board: str, given: bytes, *more: str) -> tuple[bytes, records.Trace]:
    """What the board said to that input, and its trace."""
    done = subprocess.run(
        command(folder, board, *more), input=given, capture_output=True, env=environment(), check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    path = re.search(r"trace: (\S+)", done.stderr.decode())
    assert path is not None
    assert b"nothing is held against the proof" in done.stderr
    return done.stdout, segments.read(ROOT / path[1])


@pytest.mark.parametrize(("board", "protection"), SECOND_MODE)
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


@pytest.mark.parametrize(("board", "protection"), FIRST_MODE)
def test_the_input_stream_of_c_waits_for_characters(tmp_path: Path, board: str, protection: bool) -> None:
    """What scanf puts back is read next; a line that is longer than the buffer is read in parts."""
    path = system(tmp_path, protection) / "system.toml"
    of_echo = 'min_interarrival = "10 ms"\nwcet = "1 ms"\ntrigger = "pipe console_input"\n'
    text = path.read_text(encoding="utf-8")
    assert of_echo in text
    path.write_text(text.replace(of_echo, 'style = "loop"\nstack = 4096\n'), encoding="utf-8")
    (tmp_path / "echo.c").write_text(SCANS, encoding="utf-8")
    said, _ = connected(tmp_path, board, b"3 4xyz\n40 2;12345678\n5!\n")
    assert said == b"2 7 xyz\n2 42 ;12345672 13 !\n"


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_without_a_console_there_is_no_input_stream(tmp_path: Path, board: str) -> None:
    declared = '[system]\nboard = "host"\n[[task]]\nname = "echo"\nentry = "echo_step"\nstyle = "loop"\n'
    (tmp_path / "system.toml").write_text(declared, encoding="utf-8")
    for called in ("scanf(&character)", "getchar()", "fgets(&character, 1, stdin)")[: 3 if FULL else 1]:
        step = f"void echo_step(void *argument)\n{{\n    char character;\n    (void)argument, (void)!{called};\n}}\n"
        (tmp_path / "echo.c").write_text(f"#include <stdio.h>\n{step}", encoding="utf-8")
        built = takt_command("build", tmp_path, "--board", board)
        done = subprocess.run(built, capture_output=True, env=environment(), check=False, text=True)
        assert done.returncode == 2
        assert "failed: stdin: this system declares no input of the console" in done.stderr.replace("\n  ", " ")


def test_what_finds_the_pipe_full_is_lost(tmp_path: Path) -> None:
    said, _ = connected(system(tmp_path, size=32, rate=100_000, apart="500 ms"), "host", b"x" * 100, "--force")
    assert 32 < len(said) < 70  # the first job reads few, the next what fits


Session = tuple[subprocess.Popen[bytes], int, int]
"""A process, our end of its terminal, and its end."""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Session]]:
    """Starts sessions on the host in a terminal, which hand over keys already."""
    opened: list[int] = []
    system(tmp_path)

    def start(**more: Any) -> Session:
        ours, theirs = pty.openpty()
        opened.extend((ours, theirs))
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs, **more}
        process = subprocess.Popen(command(tmp_path, "host"), env=environment(), **streams)
        while termios.tcgetattr(theirs)[3] & termios.ECHO != 0:  # until it has the terminal
            assert process.poll() is None
            time.sleep(0.01)
        return process, ours, theirs

    yield start
    for end in opened:
        os.close(end)


def heard(ours: int, wanted: bytes) -> bytes:
    """What the session says in its terminal until a text comes."""
    said = b""
    while wanted not in said:
        assert select.select([ours], [], [], END_S)[0], said
        said += os.read(ours, 4096)
    return said


def left(ours: int) -> bytes:
    """What else it said."""
    said = b""
    while select.select([ours], [], [], 0)[0]:
        said += os.read(ours, 4096)
    return said


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, None])
def test_a_signal_ends_and_the_terminal_is_as_before(terminal: Callable[..., Session], end: int | None) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    os.close(ours)
    os.close(theirs)
    process, ours, theirs = terminal()
    heard(ours, b"Ctrl-C ends it")
    os.write(ours, b"typed\n")
    heard(ours, b"typed")
    if end is not None:
        process.send_signal(end)
    else:  # the board is killed
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
        os.kill(int(found[-1]), signal.SIGKILL)
    heard(ours, b"of the board's time")
    assert process.wait(timeout=20) == (0 if end is not None else 1)
    assert termios.tcgetattr(theirs) == before


def test_any_number_of_ctrl_c_ends_as_one_does(terminal: Callable[..., Session]) -> None:
    process, ours, _ = terminal()
    said = heard(ours, b"Ctrl-C ends it")
    for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):  # two at once
        process.send_signal(number)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        said += left(ours)
    said += left(ours)
    assert process.returncode == 0
    assert said.count(b"of the board's time") == 1
    assert b"Traceback" not in said
    assert f"kill -KILL {process.pid}".encode() in said


def test_what_was_typed_and_not_taken_is_no_command_line(terminal: Callable[..., Session]) -> None:
    """The rest of a paste stays in the terminal's buffer, which the shell of the user would read next."""
    process, ours, theirs = terminal()
    heard(ours, b"Ctrl-C ends it")
    os.set_blocking(ours, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(ours, b"rm\n" * 1000)
            left(ours)
    process.send_signal(signal.SIGTERM)
    while process.poll() is None:
        left(ours)
    assert select.select([theirs], [], [], 0)[0] == []


def test_an_output_that_nobody_reads_does_not_hold_it(terminal: Callable[..., Session]) -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, bytes(4096))
    process, ours, _ = terminal(stdout=writer)
    os.close(writer)
    os.write(ours, b"typed\n")
    heard(ours, b"Ctrl-C ends it")
    process.send_signal(signal.SIGINT)
    heard(ours, b"of the board's time")
    assert process.wait(timeout=20) == 0
    os.close(reader)


PLANT = """
class Lamp:
    finished = False
    turn = 0

    def exchange(self, time_ns, transmitted):
        self.turn += 1
        if self.turn == {last}:
            raise ValueError("broken")
        return b"lamp %d;" % self.turn

    def report(self):
        return {{}}

def create_plant(seed):
    return Lamp()
"""
LINKED = """
#include "takt/board.h"
#include "takt_app.h"

void echo_step(void *argument)
{
    (void)argument;
    uint8_t received[64];
    size_t length = takt_board_link_exchange(received, 0, received, sizeof received);
    takt_board_console_write((const char *)received, length);
}
"""


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_a_plant_plays_along(tmp_path: Path, board: str) -> None:
    """What it raises ends the session, and is said."""
    path = system(tmp_path) / "system.toml"
    text = path.read_text(encoding="utf-8").replace("[system]\n", '[system]\nplant = "lamp.py"\n')
    text = text.replace('min_interarrival = "10 ms"', 'period = "100 ms"').replace(
        'trigger = "pipe console_input"\n', ""
    )
    path.write_text(text, encoding="utf-8")
    (tmp_path / "echo.c").write_text(LINKED, encoding="utf-8")
    (tmp_path / "lamp.py").write_text(PLANT.format(last=0), encoding="utf-8")
    said, _ = connected(tmp_path, board, b"", "--duration", "350 ms")
    assert said == b"lamp 1;lamp 2;lamp 3;lamp 4;"
    (tmp_path / "lamp.py").write_text(PLANT.format(last=3), encoding="utf-8")
    reader, writer = os.pipe()  # an input that does not end
    done = subprocess.run(
        command(tmp_path, board), stdin=reader, capture_output=True, env=environment(), check=False, timeout=60
    )
    os.close(reader)
    os.close(writer)
    assert done.returncode == 1
    assert done.stdout == b"lamp 1;lamp 2;"
    assert re.search(rb"failed: the plant failed at \d+ ns: .*broken", done.stderr), done.stderr


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
