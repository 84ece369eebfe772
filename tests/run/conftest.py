# SPDX-License-Identifier: Apache-2.0
"""What the tests of generate, build, run and trace share."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import Run
from takt.image import build


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


@pytest.fixture
def edited(request: pytest.FixtureRequest, tmp_path: Path, scratch_builds: Path) -> Callable[..., Path]:
    """The application in FOLDER of the test's file with texts replaced: (file, what, with what), each of which occurs
    there once."""

    def edit(*changes: tuple[str, str, str]) -> Path:
        source: Path = request.module.FOLDER
        folder = tmp_path / source.name
        shutil.copytree(source, folder)
        for name, what, other in changes:
            text = (folder / name).read_text(encoding="utf-8")
            assert text.count(what) == 1, what
            (folder / name).write_text(text.replace(what, other), encoding="utf-8")
        return folder

    return edit
