# SPDX-License-Identifier: Apache-2.0
"""The threads of the server under the thread sanitizer: what reflect/linux/test has of servers, with one that says when
two threads meet without a lock."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from running import only_full
from takt.support.provision import ROOT

CORE, LINUX = ROOT / "reflect" / "core", ROOT / "reflect" / "linux"
FLAGS = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}"]
INCLUDES = [f"-I{CORE / 'include'}", f"-I{LINUX / 'include'}"]
TIMEOUT_S = 200


def compiled(program: Path, sources: list[Path], *more: str) -> Path:
    libraries = ["-pthread", "-lsodium"]
    command = ["gcc", *FLAGS, *INCLUDES, *more, *map(str, sources), "-o", str(program), *libraries]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # -fno-builtin, -Wno-tsan: as tests/lockfree/test_stress.py says.
    core = (CORE / "src").glob("*.c")
    sources = [*core, *(LINUX / "src").glob("*.c"), *(LINUX / "server").glob("*.c")]
    program = tmp_path_factory.mktemp("races") / "takt-reflectd"
    return compiled(program, sources, "-fsanitize=thread", "-Wno-tsan", "-fno-builtin")


@pytest.mark.parametrize("name", ["server", pytest.param("server_killed", marks=only_full)])
def test_no_two_threads_meet(server: Path, tmp_path: Path, name: str) -> None:
    sources = [LINUX / "test" / f"{name}_test.c", CORE / "src" / "area.c", *(LINUX / "src").glob("*.c")]
    test = compiled(tmp_path / name, sources)
    options = f"halt_on_error=1 abort_on_error=1 log_path={tmp_path / 'race'}"
    environment = {"TAKT_CASES": "6", **os.environ, "TSAN_OPTIONS": options}
    done = subprocess.run(
        [str(test), str(server)], env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    said = "".join(path.read_text() for path in tmp_path.glob("race.*"))
    assert done.returncode == 0, said + done.stdout
    assert said == ""
