# SPDX-License-Identifier: Apache-2.0
"""Several commands on one application at a time, and one that is killed in the middle: the next has whole files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from children import alive, children, environment, kill, takt_command, wait_until
from takt.declare import declaration
from takt.support import compile

DECLARED = """[system]
board = "host"
duration = "20 ms"
[[task]]
name = "a"
entry = "a_job"
period = "5 ms"
wcet = "1 ms"
"""
CODE = '#include "takt_app.h"\nvoid a_job(void *argument)\n{\n    (void)argument;\n}\n'
TAKT = takt_command()


@pytest.fixture
def app(tmp_path: Path) -> Path:
    (tmp_path / "system.toml").write_text(DECLARED, encoding="utf-8")
    (tmp_path / "app.c").write_text(CODE, encoding="utf-8")
    return tmp_path


def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
    command = [*TAKT, *map(str, arguments)]
    return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_three_at_once(app: Path) -> None:
    started = [start("run", app, "--json"), start("run", app, "--json"), start("build", app)]
    ended = [one.communicate(timeout=120) for one in started]
    assert [one.returncode for one in started] == [0, 0, 0], ended
    documents = [json.loads(out) for out, _ in ended[:2]]
    assert [document["failure"] for document in documents] == [None, None]
    assert documents[0]["tasks"] == documents[1]["tasks"]


def test_one_that_is_killed_while_it_builds(app: Path) -> None:
    """Its compilers end too, and what they left is not taken for whole."""
    (app / "app.c").write_text(CODE + "".join(f"int v{n}(void) {{ return {n}; }}\n" for n in range(40_000)))
    killed = start("build", app)
    known: list[int] = []
    try:
        wait_until(lambda: any(map(_compiles, _descendants(killed.pid))), 60, "the compiler")
        known = _descendants(killed.pid)
        os.kill(killed.pid, signal.SIGKILL)
        wait_until(lambda: not any(map(alive, known)), 10, "the end of the compiler")
    finally:
        kill([killed.pid, *known])
        killed.communicate()
    (app / "app.c").write_text(CODE, encoding="utf-8")
    with start("run", app, "--json") as again:
        out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert json.loads(out)["failure"] is None
    folder = compile.BUILD.glob(f"{app.name}.*-host-*")
    assert not [path for one in folder for path in one.rglob(".takt.*")], "what was begun beside a file"
    assert declaration.load(app / "system.toml").name == app.name


def _descendants(process: int) -> list[int]:
    found = children(process)
    return [*found, *(deeper for one in found for deeper in _descendants(one))]


def _compiles(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/comm").read_text(encoding="utf-8").startswith("cc1")
    except OSError:
        return False
