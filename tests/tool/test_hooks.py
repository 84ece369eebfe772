# SPDX-License-Identifier: Apache-2.0
"""`takt test --install-hooks`: git refuses a commit of which the fast parts of the tests find a fault."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import Takt
from running import only_full
from takt.dev import hooks, mutants, testing
from takt.support.provision import ROOT

CONFIG = ".pre-commit-config.yaml"
FILE = Path("tools") / "takt" / "support" / "names.py"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository of its own with the files of this tree, and its Python packages."""
    folder = tmp_path / "clone"
    shutil.copytree(ROOT, folder, symlinks=True, ignore=shutil.ignore_patterns(*mutants.LEFT_OUT))
    (folder / ".venv").symlink_to((ROOT / ".venv").resolve())
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return folder


def git(folder: Path, *arguments: str | Path, code: int = 0) -> str:
    """What it says. Of the hooks only `style`, which takes seconds."""
    named = {f"GIT_{role}_{what}": "nobody@localhost" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {"PRE_COMMIT_HOME": str(folder.parent / "pre-commit"), "SKIP": "types,house"}
    own |= {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}  # nothing answers
    left = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env={**left, **named, **own}, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == code, said
    return said


@only_full
def test_a_wrongly_formatted_file_is_not_committed(clone: Path) -> None:
    done = subprocess.run(
        [clone / "takt", "test", "--install-hooks"], cwd=clone, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first = git(clone, "rev-parse", "HEAD")
    right = (clone / FILE).read_text(encoding="utf-8") + "\n\nNAME_MAX = 9\n"
    (clone / FILE).write_text(right.replace("NAME_MAX = 9", "NAME_MAX=9"), encoding="utf-8")
    git(clone, "add", FILE)
    (clone / FILE).write_text(right, encoding="utf-8")  # what counts is what would be committed
    said = git(clone, "commit", "-m", "wrong", code=1)
    assert re.search(r"formatters and linters.*Failed", said), said
    assert str(FILE) in said, said
    assert git(clone, "rev-parse", "HEAD") == first
    assert (clone / FILE).read_text(encoding="utf-8") == right

    git(clone, "add", FILE)
    said = git(clone, "commit", "-m", "right")
    assert re.search(r"formatters and linters.*Passed", said), said
    assert git(clone, "rev-parse", "HEAD~") == first


def test_the_hooks_are_the_fast_parts() -> None:
    text = (ROOT / CONFIG).read_text(encoding="utf-8")
    found = re.findall(r"- id: (\w+)\n.*\n +entry: \./takt test -k (\w+)\n +language: system\n", text)
    assert found == [(name, name) for name in ("style", "types", "house")]
    assert {name for name, _ in found} <= {part.name for part in testing.parts()}
    assert text.count("- repo:") == text.count("- repo: local") == 1  # nothing is fetched


def test_what_is_no_clone(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "ROOT", tmp_path)
    said = takt("test", "--install-hooks")
    assert said.code == 2
    assert f"{tmp_path} is not a git clone: it has no .git\n  try: clone it with git" in said.err
