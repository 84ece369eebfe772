# SPDX-License-Identifier: Apache-2.0
"""Paths for other programs, names for people, and children that end with us."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from children import alive, environment, wait_until
from takt.support import children, files, names, plain
from takt.support.errors import UserError
from takt.support.provision import ROOT

ODD = os.fsdecode(b"a ,%$#\"\\;:'&()*?[b]\n\xe9")
FULL = bool(os.environ.get("TAKT_TEST_FULL"))


def test_a_plain_path_stays_as_it_is(tmp_path: Path) -> None:
    assert plain.path(tmp_path / "x.c") == Path(os.path.realpath(tmp_path)) / "x.c"
    assert not plain.stands_for(tmp_path)


def test_an_odd_one_is_reached_by_a_link(tmp_path: Path) -> None:
    folder = tmp_path / ODD / "inner"
    folder.mkdir(parents=True)
    (folder / "x.c").write_text("x")
    found = plain.path(folder / "x.c")
    assert plain.is_plain(found)
    assert found.read_text() == "x"
    assert found.parts[-2:] == ("inner", "x.c")
    assert found.parent == plain.path(folder)
    assert files.shown_path(found) == names.shown(str(folder / "x.c"))
    assert plain.restored(f"{found}:1: error") == f"{names.shown(str(folder))}/x.c:1: error"


def test_each_odd_character_has_a_link(tmp_path: Path) -> None:
    for character in " ,%$#\"\\;:'=@~&|<>()[]{}*?!^`\n\x7f\u00e9\udce9":
        assert not plain.is_plain(f"/a{character}b"), character
        assert plain.path(tmp_path / character / "x").parts[-2] != character, character


def test_a_file_of_an_odd_name_keeps_its_suffix(tmp_path: Path) -> None:
    (tmp_path / f"{ODD}.c").write_text("x")
    found = plain.path(tmp_path / f"{ODD}.c")
    assert (found.suffix, found.read_text(), plain.is_plain(found)) == (".c", "x", True)


def test_a_link_that_leads_elsewhere_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / ODD).mkdir()
    link = plain.path(tmp_path / ODD)
    link.unlink()
    link.symlink_to("/")
    assert plain.path(tmp_path / ODD) == link
    assert link.samefile(tmp_path / ODD)


def test_any_name_of_bytes(tmp_path: Path) -> None:
    """Each has a link of its own, is shown in one line, and is printed without a mistake."""
    chance = random.Random(27)
    seen = set()
    for _ in range(3000 if FULL else 100):
        name = bytes(chance.choice([*range(1, 47), *range(48, 256)]) for _ in range(chance.randrange(1, 60)))
        folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name + b"#"))
        folder.mkdir(exist_ok=True)
        found = plain.path(folder / "x")
        seen.add(found)
        assert plain.is_plain(found)
        assert found.parent.samefile(folder)
        assert re.fullmatch(r"[^\x00-\x1f\x7f-\x9f]+", files.shown_path(folder))
        files.shown_path(folder).encode()
    assert len(seen) == len(list(tmp_path.iterdir()))


def test_the_launcher_makes_the_same_link(tmp_path: Path) -> None:
    """Of a checkout whose own path is odd: its Python gets the plain one."""
    root = tmp_path / ODD / "takt-1.0+x"
    (root / "tools" / "requirements").mkdir(parents=True)
    (root / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(ROOT / "takt", root)
    for lock in ("run", "test"):
        (root / ".venv" / f"{lock}.lock").write_text("")
        (root / "tools" / "requirements" / f"{lock}.lock").write_text("")
    python = root / ".venv" / "bin" / "python"
    python.write_text('#!/bin/sh\necho "$0 $PYTHONPATH $*"\n')
    python.chmod(0o755)
    link = plain.path(root)
    link.parent.unlink()
    for _ in range(2):
        done = subprocess.run([root / "takt", "check"], capture_output=True, text=True, check=False)
        assert done.stdout == f"{link}/.venv/bin/python {link}/tools -m takt check\n", done.stderr
        assert link.samefile(root)


def test_nobody_else_may_own_the_folder_of_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor write there: another user could lead the build astray. The next folder is taken."""
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setattr(plain, "FOLDERS", (str(first), str(second)))
    mine = f"takt-{os.geteuid()}"
    (first / mine).mkdir(parents=True)
    (first / mine).chmod(0o777)
    second.mkdir()
    plain._folder.cache_clear()
    try:
        assert plain._folder() == second / mine
        (second / mine).rmdir()
        (second / mine).symlink_to(first)
        plain._folder.cache_clear()
        with pytest.raises(UserError, match="no folder for a symbolic link"):
            plain._folder()
    finally:
        plain._folder.cache_clear()


def test_a_temporary_folder_is_plain_and_short(tmp_path: Path) -> None:
    odd = tmp_path / ODD
    odd.mkdir()
    changed = {"TMPDIR": str(odd)}
    plain.temporary(changed)
    assert Path(changed["TMPDIR"]).samefile(odd)
    assert plain.is_plain(changed["TMPDIR"])
    cases: list[tuple[dict[str, str], dict[str, str]]] = [
        ({"TMPDIR": f"{odd}/none"}, {}),
        ({"TMPDIR": "/tmp"}, {"TMPDIR": "/tmp"}),
        ({}, {}),
    ]
    for given, left in cases:
        plain.temporary(given)
        assert given == left


def test_what_a_program_says_may_be_any_bytes() -> None:
    done = children.run(["printf", "\\351\\n\\303\\274"])
    assert (done.returncode, done.stdout) == (0, "\\xe9\nü")


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError) as raised:
        children.run(["no-such-program-of-takt"])
    assert raised.value.filename == "no-such-program-of-takt"


def test_no_child_outlives_the_tool() -> None:
    """Even killed, it takes them along."""
    code = (
        "from takt.support import children\n"
        "child = children.start(['sleep', '1000'])\n"
        "print(child.pid, flush=True)\n"
        "children.run(['sleep', '1000'])\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], env=environment(), stdout=subprocess.PIPE) as tool:
        assert tool.stdout is not None
        child = int(tool.stdout.readline())
        wait_until(lambda: Path(f"/proc/{child}/comm").read_text() == "sleep\n", 10, "its start")
        os.kill(tool.pid, signal.SIGKILL)
        wait_until(lambda: not alive(child), 5, "the end of the child")


def test_what_a_child_leaves_behind_is_ended_too() -> None:
    """A program in a session of its own, whose parent has ended."""
    quiet = "start_new_session=True, stdout=s.DEVNULL, stderr=s.DEVNULL"
    leaves = f"import subprocess as s; print(s.Popen(['sleep', '1000'], {quiet}).pid)"
    code = (
        "import sys\n"
        "from takt.support import children\n"
        "children.adopt()\n"
        f"print(children.run([sys.executable, '-c', {leaves!r}]).stdout, flush=True)\n"
        "children.end_all()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, timeout=60, check=True)
    assert not alive(int(done.stdout))
