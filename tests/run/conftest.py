# SPDX-License-Identifier: Apache-2.0
"""What the tests of generate, build, run and trace share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import Run
from takt import build


@pytest.fixture
def scratch_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Images of this test are built under its own folder; the kernel is shared with all others."""
    folder = tmp_path / "builds"
    monkeypatch.setattr(build, "BUILD", folder)
    return folder


@pytest.fixture
def run_json(takt: Takt) -> Run:
    """`takt run ... --json`: exit code and document."""

    def run(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
        said = takt("run", *arguments, "--json")
        assert said.out, said.err
        return said.code, json.loads(said.out)

    return run


@pytest.fixture
def application(tmp_path: Path) -> Callable[..., Path]:
    """Writes an application folder: a declaration and files by name."""

    def write(declaration: str, name: str = "app", **files: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "system.toml").write_text(declaration, encoding="utf-8")
        for stem, text in files.items():
            (folder / stem.replace("_dot_", ".")).write_text(text, encoding="utf-8")
        return folder

    return write
