# SPDX-License-Identifier: Apache-2.0
"""`takt run --gdb` at a terminal, and --gdb-port: what is typed reaches gdb, and nothing is left behind."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from children import takt_command
from running import BOARDS, FIRST_EMULATED, FULL, emulated
from takt.observe.debug import DEBUGGER, EXTENSION
from takt.support.provision import ROOT

ENDLESS = """
[system]
duration = "1000000 s"
[[task]]
name = "sample"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "report"
period = "100 ms"
wcet = "5 ms"
"""
LIMIT_S = 60.0


class Terminal:
    """The text of a terminal, and what types into it."""

    def __init__(self, fd: int, pid: int) -> None:
        self.fd = fd
        self.pid = pid
        self.text = ""

    def until(self, wanted: str) -> str:
        """What came up to the text that is wanted, and takes it away."""
        limit = time.monotonic() + LIMIT_S
        while wanted not in self.text:
            assert time.monotonic() < limit, f"no {wanted!r} in {self.text!r}"
            if select.select([self.fd], [], [], 0.1)[0]:
                self.text += os.read(self.fd, 4096).decode(errors="replace")
        before, _, self.text = self.text.partition(wanted)
        return before

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def code(self) -> int:
        """Of the program that the terminal is for, which ends by itself."""
        limit = time.monotonic() + LIMIT_S
        while True:
            assert time.monotonic() < limit, "it does not end"
            try:
                if select.select([self.fd], [], [], 0.1)[0] and not os.read(self.fd, 4096):
                    break
            except OSError:  # nobody has it open any more
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@contextmanager
def terminal(*command: str | Path) -> Iterator[Terminal]:
    pid, fd = pty.fork()
    if pid == 0:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools"), "TERM": "dumb", "HOME": "/nonexistent"}
        words = takt_command(*command)
        os.execve(words[0], words, environment)
    try:
        yield Terminal(fd, pid)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        os.close(fd)


def left(folder: Path) -> list[int]:
    """Processes that still run an image of the application, or debug it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            line = path.read_bytes().decode(errors="replace")
            if re.search(rf"/{re.escape(folder.name)}\.[0-9a-f]{{8}}-", line):
                found.append(int(path.parent.name))
    return found


def gone(folder: Path) -> bool:
    """Whether they are all gone, in the end."""
    limit = time.monotonic() + 5
    while left(folder) and time.monotonic() < limit:
        time.sleep(0.05)
    return not left(folder)


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[Path]:
    """An application that does not end; no other folder has its name. A test that fails leaves nothing either."""
    folder = tmp_path / f"endless-{os.getpid()}-{tmp_path.name}"
    folder.mkdir()
    (folder / "system.toml").write_text(ENDLESS, encoding="utf-8")
    yield folder
    for pid in left(folder):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def interrupted(at: Terminal) -> str:
    """Ctrl-C, when the system has run for a while: gdb says that it continues before it does."""
    at.type("continue\n")
    at.until("Continuing.")
    time.sleep(0.3)
    at.type("\x03")
    return at.until("(gdb) ")


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_a_session(endless: Path, board: str) -> None:
    with terminal("run", endless, "--board", board, "--gdb") as at:
        assert "the first task is sample" in at.until("(gdb) ")
        at.type("\x03")  # where nothing runs: it is gdb's, and ends nothing
        at.until("(gdb) ")
        assert "SIGINT" in interrupted(at)
        at.type("takt tasks\n")
        tasks = at.until("(gdb) ")
        assert len(re.findall(r"^\* (sample|report|idle) ", tasks, re.MULTILINE)) == 1
        assert "SIGINT" in interrupted(at)
        assert left(endless)
        at.type("quit\n")
        at.until("(y or n) ")
        at.type("y\n")
        assert at.code() == 0
    assert gone(endless)


@pytest.mark.parametrize("board", [emulated("mps2-an385")])
def test_a_closed_terminal_ends_everything(endless: Path, board: str) -> None:
    with terminal("run", endless, "--board", board, "--gdb") as at:
        at.until("(gdb) ")
        assert left(endless)
        os.kill(at.pid, signal.SIGTERM)
        assert at.code() == 128 + signal.SIGTERM
    assert gone(endless)


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_port_for_any_debugger(endless: Path, board: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with terminal("run", endless, "--board", board, "--gdb-port", str(port)) as at:
        at.until("waits for a debugger")
        said = " ".join(at.until("-ex 'takt start'").split())
        image = re.search(rf"{DEBUGGER} (\S+\.elf) -x {EXTENSION.relative_to(ROOT)} -ex 'target remote", said)
        assert image is not None
        assert f"127.0.0.1:{port}" in said
        asked = ["-ex", f"target remote 127.0.0.1:{port}", "-ex", "takt start", "-ex", "takt tasks"]
        words = [
            DEBUGGER,
            "-nx",
            "-q",
            "-batch",
            str(ROOT / image[1]),
            "-x",
            str(EXTENSION),
            *asked,
            "-ex",
            "disconnect",
        ]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd=ROOT)
        assert "* sample" in done.stdout, done.stdout + done.stderr
        at.type("\x03")
        assert at.code() == 130
    assert gone(endless)
