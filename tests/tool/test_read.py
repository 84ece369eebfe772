# SPDX-License-Identifier: Apache-2.0
"""takt.support.files: what is no regular file is refused, and nothing that is read makes a command wait."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from pathlib import Path

import pytest
from command_line import Takt
from takt.declare.code import includes
from takt.support import files
from takt.support.errors import UserError

TASK = '[system]\nboard = "host"\n[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\n'
SOURCE = '[system]\nboard = "host"\nplant = "p.py"\nsources = ["a.c"]\n' + TASK.partition("\n")[2].partition("\n")[2]
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
    if (kind, name) == ("folder", "app.c"):  # what is in folders of an application is not built, whatever their names
        assert said.code == 0
        return
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
    with pytest.raises(UserError, match="cannot be read: no such file exists yet"):
        files.read(path)
    os.close(writing)


LINKS = {"is a symbolic link to itself": "{name}", "is a symbolic link to a file that does not exist": "nowhere"}


@pytest.mark.parametrize("said", LINKS)
@pytest.mark.parametrize("name", ["system.toml", "a.c", "p.py", ""])
def test_a_link_that_leads_nowhere(takt: Takt, tmp_path: Path, said: str, name: str) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "system.toml").write_text(SOURCE)
    for own in ("a.c", "p.py"):
        (folder / own).write_text("")
    path = folder / name
    path.unlink() if name else shutil.rmtree(path)
    path.symlink_to(LINKS[said].format(name=path.name))
    done = takt("check", folder)
    assert done.code == 2
    assert said in done.err
    assert (name or "app") in done.err


def test_a_source_that_is_a_fifo_is_called_one(takt: Takt, tmp_path: Path) -> None:
    for text in (SOURCE.replace('plant = "p.py"\n', ""), TASK):
        (tmp_path / "system.toml").write_text(text)
        if not (tmp_path / "a.c").exists():
            os.mkfifo(tmp_path / "a.c")
        done = takt("check", tmp_path)
        assert done.code == 2
        assert "is a FIFO, not a file" in done.err
        assert 'try: "a.c"' not in done.err


INCLUDES = {
    '#include "x.h"': "a.c:2",
    "# include <x.h>": "a.c:2",
    '#include "near.h"': "near.h:1",
    '__asm__(".incbin \\"x.h\\"");': "a.c:2",
}


@pytest.mark.parametrize("line", INCLUDES)
def test_what_is_included_may_not_make_one_wait(tmp_path: Path, line: str) -> None:
    """Also through a header that is one."""
    (tmp_path / "near.h").write_text('#include "sub/../x.h"\n#include "a.c"\n')
    (tmp_path / "sub").mkdir()
    source = tmp_path / "a.c"
    source.write_text(f"\n{line}\n")
    os.mkfifo(tmp_path / "x.h")
    with pytest.raises(UserError) as raised:
        includes.refuse([source], [tmp_path])
    assert f'{INCLUDES[line]}: includes "x.h", which is a FIFO, not a file' in raised.value.problem


@pytest.mark.parametrize("command", ["build", "hints"])
def test_no_compiler_is_started_to_wait(takt: Takt, tmp_path: Path, command: str) -> None:
    (tmp_path / "system.toml").write_text(TASK)
    (tmp_path / "a.c").write_text('#include "x.h"\n')
    os.mkfifo(tmp_path / "x.h")
    done = takt(command, tmp_path)
    assert done.code == 2
    assert "which is a FIFO, not a file" in done.err


def test_what_is_included_from_elsewhere_is_the_compilers(tmp_path: Path) -> None:
    (tmp_path / "string.h").mkdir()
    source = tmp_path / "a.c"
    source.write_text("#include <string.h>\n#include NAME\n")
    includes.refuse([source], [tmp_path])
    source.write_text("x", encoding="utf-16")
    with pytest.raises(UserError, match="it is UTF-16"):
        includes.refuse([source], [tmp_path])
