# SPDX-License-Identifier: Apache-2.0
"""takt.files: what is no regular file is refused, and nothing that is read makes a command wait."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest
from command_line import Takt
from takt import files
from takt.errors import UserError

TASK = '[system]\nboard = "host"\n[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\n'
KINDS = ("FIFO", "folder", "device", "socket")


def make(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match kind:
        case "FIFO":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case "socket":
            monkeypatch.chdir(path.parent)  # the address of one is short
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(path.name)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    path = tmp_path / "x"
    make(kind, path, monkeypatch)
    with pytest.raises(UserError, match="cannot be read: ") as raised:
        files.read(path)
    assert kind in str(raised.value.problem) or kind == "folder"
    assert not files.generated(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["system.toml", "app.c", "system.c", "takt_app.h"])
def test_what_is_no_file_of_an_application(
    takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    if name != "system.toml":
        (tmp_path / "system.toml").write_text(TASK)
    make(kind, tmp_path / name, monkeypatch)
    said = takt("generate", tmp_path)
    assert said.code == 2
    assert name in said.err
    assert not (tmp_path / ("system.c" if name != "system.c" else "takt_app.h")).exists()


def test_a_file_that_is_longer_than_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as those of /proc, of size 0."""
    path = Path("/proc/self/maps")
    assert len(files.read(path)) > 100
    with pytest.raises(UserError, match="longer than 100 bytes"):
        files.read(path, 100)
    monkeypatch.setattr(files, "_PIECE", 7)
    assert files.read(Path("/proc/version")) == Path("/proc/version").read_bytes()


def test_a_file_that_cannot_be_read_on(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.symlink_to("/proc/self/mem")
    with pytest.raises(UserError, match="cannot be read: Input/output error"):
        files.generated(path)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with path.open("wb") as file:
        file.truncate(8 << 30)
    with pytest.raises(UserError, match="longer than 4294967296 bytes"):
        files.read(path)
    assert not files.generated(path)


def test_a_file_that_would_make_one_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As /proc/kmsg does, a regular file by its mode."""
    reading, writing = os.pipe2(os.O_NONBLOCK)
    path = tmp_path / "x"
    path.write_text("x")
    monkeypatch.setattr(os, "open", lambda *_: reading)
    monkeypatch.setattr(stat, "S_ISREG", lambda _: True)
    with pytest.raises(UserError, match="cannot be read: nothing is there yet"):
        files.read(path)
    os.close(writing)
