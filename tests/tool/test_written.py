# SPDX-License-Identifier: Apache-2.0
"""Files are written whole or not at all: a full disk and a process that dies leave the old one, or none."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from children import environment
from command_line import Takt
from takt import cli
from takt.support import compile, files
from takt.support.errors import UserError
from takt.support.provision import ROOT

ROOM = 64 * 1024


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file can grow beyond that: a write fails in the middle, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_that_finds_no_room_is_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("old")
    with room(10), pytest.raises(OSError, match="File too large") as raised:
        files.write_whole(path, "x" * 100)
    assert raised.value.filename == str(path)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["kept"]


def test_a_file_takes_the_pages_of_one_that_is_needed_no_more(tmp_path: Path) -> None:
    spent, path = tmp_path / "spent", tmp_path / "path"
    spent.write_text("x" * 100)
    same = spent.stat().st_ino
    files.write_over(spent, path, "head\n", b"rest")
    assert (path.read_text(), path.stat().st_ino) == ("head\nrest", same)
    with room(10), pytest.raises(OSError, match="File too large") as raised:
        files.write_over(path, tmp_path / "next", "y" * 100)
    assert raised.value.filename == str(tmp_path / "next")
    assert names(tmp_path) == []


def test_what_must_be_new_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_text("old")
    with pytest.raises(FileExistsError) as raised:
        files.write_whole(path, "new", new=True)
    assert raised.value.filename == str(path)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        files.write_whole(tmp_path / "link", "new", new=True)
    files.write_whole(tmp_path / "secret", "new", new=True, mode=0o600)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert path.read_text() == "old"
    assert names(tmp_path) == ["link", "secret", "there"]


def test_of_several_new_files_all_are_there_or_none(tmp_path: Path) -> None:
    with room(10), pytest.raises(OSError, match="File too large"):
        files.write_all({tmp_path / "first": "x", tmp_path / "second": "x" * 100})
    assert names(tmp_path) == []


def test_a_new_application_that_finds_no_room_is_none(takt: Takt, tmp_path: Path) -> None:
    with room(900):
        said = takt("new", tmp_path / "app")
    assert (said.code, said.err.count("\n")) == (2, 2)
    assert "cannot be created: File too large" in said.err
    assert names(tmp_path) == []
    assert takt("new", tmp_path / "app").code == 0


def test_messages_of_disks(tmp_path: Path) -> None:
    for number in (errno.ENOSPC, errno.EDQUOT):
        said = cli._file_message(OSError(number, os.strerror(number), "a/b"))
        assert said == f"a/b: {os.strerror(number)}\n  try: free some space"
    words = "No usable temporary directory found in ['/tmp']"
    said = cli._file_message(FileNotFoundError(errno.ENOENT, words))
    assert said is not None
    assert said.startswith("no folder for temporary files")
    said = cli._file_message(OSError(errno.EROFS, "Read-only file system", str(ROOT / "build" / ".lock")))
    assert said is not None
    assert "a clone of Takt that you may write to" in said
    said = cli._file_message(OSError(errno.EROFS, "Read-only file system", str(tmp_path)))
    assert said is not None
    assert said.endswith("try: another folder, or its owner")


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        (
            "FAILED: a.o\ncc x\n/usr/bin/ld: final link failed: No space left on device\n",
            "no space left on the disk of ",
        ),
        (
            "FAILED: a.a\nar x\n/usr/bin/ar: unable to copy file 'x.a'; reason: Success\n",
            "no space left on the disk of ",
        ),
        (
            "FAILED: a.o\ncc x\ncc: fatal error: Killed signal terminated program cc1\n",
            "a program that it started was killed",
        ),
    ],
)
def test_a_build_that_found_no_room_or_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, problem: str
) -> None:
    def wait(command: object, log: object, *more: object) -> int:
        log.write(printed.encode())  # type: ignore[attr-defined]
        return 1

    monkeypatch.setattr(compile, "_wait", wait)
    with pytest.raises(UserError) as raised:
        compile._ninja(tmp_path, "all", "building it")
    assert raised.value.problem.startswith(f"building it failed: {problem}")
    assert "mend the first error" not in raised.value.hint


def test_a_full_disk(tmp_path: Path) -> None:
    """Of a real file system: what is written there is reported with its name, and what was there is as it was."""
    full = tmp_path / "full"
    full.mkdir()
    python = f"{sys.executable} -m takt"
    generate = f"{python} generate {ROOT}/apps/troublesome --scheduler edf -o {full}"
    commands = [
        f"mount -t tmpfs -o size={ROOM} tmpfs {full} || exit",
        f"{generate} && echo old >> {full}/system.c",
        f"head -c {ROOM} /dev/zero > {full}/rest 2>/dev/null",
        f"{generate}; echo code $?",
        f"{python} new {full}/app; echo code $?",
        f"tail -n 1 {full}/system.c; ls -A {full}",
    ]
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("mounts a disk of its own as root")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", "\n".join(commands)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[-6:] == ["code 2", "code 2", "old", "rest", "system.c", "takt_app.h"], done.stderr
    assert f"takt: {full}/system.c: No space left on device\n  try: free some space\n" in done.stderr
    assert f"takt: {full}/app cannot be created: No space left on device\n" in done.stderr
    assert "Traceback" not in done.stderr
