# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, full or of another encoding: the listed exit code, and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from children import environment
from takt import streams
from takt.support.provision import ROOT

TASK = '[system]\nname = "s"\nboard = "host"\n[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\n'
LAUNCHER = f"{ROOT}/takt"
MODULE = f"{sys.executable} -m takt"


def said(command: str, redirections: str, **more: str) -> tuple[int, str, str]:
    """Of a shell: exit code, standard output and standard error, where they are not redirected."""
    done = subprocess.run(
        ["sh", "-c", f"{command} {redirections}"], env={**environment(), **more}, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def check(tmp_path: Path) -> str:
    (tmp_path / "system.toml").write_text(TASK)
    return f"check {tmp_path} --json"


@pytest.mark.parametrize("program", [LAUNCHER, MODULE], ids=["launcher", "module"])
def test_an_output_that_is_closed(check: str, program: str) -> None:
    code, _, err = said(f"{program} {check}", ">&-")
    assert code == 1
    assert err.endswith("takt: standard output: Bad file descriptor\n")


@pytest.mark.parametrize("program", [LAUNCHER, MODULE], ids=["launcher", "module"])
def test_all_that_are_closed(check: str, program: str) -> None:
    assert said(f"{program} {check}", "<&- >&- 2>&-") == (1, "", "")
    assert said(f"{program} check /nonexistent", "<&- >&- 2>&-") == (2, "", "")


def test_a_device_that_is_full(check: str) -> None:
    code, _, err = said(f"{MODULE} {check}", ">/dev/full")
    assert code == 1
    assert err.endswith("takt: standard output: No space left on device\n")


def test_a_terminal_that_another_program_made_to_not_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its buffer is full at first."""
    reader, writer = os.pipe2(os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    monkeypatch.setattr("takt.streams.select.select", lambda *_: os.read(reader, 1 << 20))
    assert streams._Stream(writer, loses=False).write(b"result") == len(b"result")
    os.close(reader)
    os.close(writer)


def test_a_page_of_help_that_is_lost() -> None:
    assert said(f"{MODULE} --help", ">/dev/full")[0] == 1


@pytest.mark.parametrize("lost", ["2>/dev/full", "2>&-", "<&-"])
def test_progress_and_input_are_no_result(check: str, lost: str) -> None:
    code, out, _ = said(f"{MODULE} {check}", lost)
    assert (code, out[0]) == (0, "{")


def test_misuse_stays_misuse_when_nobody_hears_of_it() -> None:
    assert said(f"{MODULE} check /nonexistent", "2>/dev/full") == (2, "", "")


def test_an_encoding_that_lacks_the_characters(tmp_path: Path) -> None:
    """Names of any bytes, and a terminal that knows Latin-1 only."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xe9\xc5\x99\n"))
    folder.mkdir()
    for encoding, letter in (("latin-1", b"\\u0159"), ("utf-8", b"\xc5\x99")):
        more = {**environment(), "PYTHONIOENCODING": encoding}
        done = subprocess.run([*MODULE.split(), "check", folder], env=more, capture_output=True, check=False)
        assert done.returncode == 2
        assert b"/\\xe9" + letter + b"\\x0a holds no system.toml" in done.stderr
