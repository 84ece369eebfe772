# SPDX-License-Identifier: Apache-2.0
"""apps/rust: a task in Rust, where Debian's compiler and the source of its library `core` are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from children import environment
from running import APPS, EMULATED, Run, only_full

MISSING = not (shutil.which("bindgen") and list(Path("/usr/src").glob("rustc-*/library/core")))


@only_full  # compiles `core`
@pytest.mark.skipif(MISSING, reason="rustc-web, rust-web-src and bindgen are not installed")
@pytest.mark.parametrize("board", EMULATED)
def test_a_task_in_rust_runs(board: str, run_json: Run, tmp_path: Path, scratch_builds: Path) -> None:
    folder = tmp_path / "apps" / "rust"
    shutil.copytree(APPS / "rust", folder, ignore=shutil.ignore_patterns("lib"))
    command = ["sh", str(APPS / "rust" / "library.sh"), board, str(folder)]
    subprocess.run(command, check=True, env=environment())
    code, result = run_json(folder, "--board", board)
    assert code == 0, result
    assert "control" not in (result["failure"] or "")
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text() == "1 positions, the last 0\n5 positions, the last 761\n"
