# SPDX-License-Identifier: Apache-2.0
"""Numbers and layouts are changed in their headers alone: after `takt docs` everything works as before."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import only_full
from takt.support.provision import ROOT

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache", ".hypothesis")
CHANGES = {
    "kernel/include/takt/trace.h": {
        "TAKT_EVENT_STAT_JOBS = 64": "TAKT_EVENT_STAT_JOBS = 40",
        "TAKT_TRACE_IDLE UINT16_C(0xFFFE)": "TAKT_TRACE_IDLE UINT16_C(0xFFF0)",
        "TAKT_TRACE_TIMER UINT16_C(0xFFFE)": "TAKT_TRACE_TIMER UINT16_C(0xFFF1)",
    },
    "runner/include/takt/board.h": {"TAKT_EVENT_STAT_WRITES = 128": "TAKT_EVENT_STAT_WRITES = 90"},
    "analysis/include/takt/analysis.h": {
        "struct takt_analysis_task {\n": "struct takt_analysis_task {\n    uint32_t unused;\n",
    },
}


def takt(root: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(root / "takt"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)


def ran(root: Path) -> dict[str, Any]:
    done = takt(root, "run", "apps/troublesome", "--board", "host", "--scheduler", "edf", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return {key: said[key] for key in ("verdict", "within_proof", "tasks") if key in said}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with other numbers in its headers."""
    root = tmp_path_factory.mktemp("changed") / "takt"
    shutil.copytree(ROOT, root, ignore=LEFT_OUT, symlinks=True)
    (root / ".venv").symlink_to((ROOT / ".venv").resolve())
    for name, pairs in CHANGES.items():
        text = (root / name).read_text(encoding="utf-8")
        for old, new in pairs.items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (root / name).write_text(text, encoding="utf-8")
    return root


@only_full
def test_everything_follows_a_header(changed: Path) -> None:
    stale = takt(changed, "docs", "--check")
    assert stale.returncode == 1
    assert stale.stdout.splitlines() == [
        f"tools/takt/support/c/{name}.py is out of date; write it with: takt docs"
        for name in ("traces", "analysis", "admission")
    ]
    assert takt(changed, "docs").returncode == 0
    assert takt(changed, "docs", "--check").returncode == 0
    assert ran(changed) == ran(ROOT)
