# SPDX-License-Identifier: Apache-2.0
"""The files of an application whose change runs it again, and those whose change does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from takt.observe.live import application_files
from takt.observe.live.application_files import Files

DECLARED = """
[build]
sources = ["src/**/*.c"]
include = ["headers"]
libraries = ["libmath.a"]

[[task]]
name = "a"
entry = "a_step"
period = "1 ms"
wcet = "100 us"
"""
SOURCE = '#include "shapes.h"\nvoid a_step(void *argument) { (void)argument; }\n'

Change = Callable[[], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An application with sources, headers and an archive."""
    folder = tmp_path / "application"
    (folder / "src").mkdir(parents=True)
    (folder / "headers").mkdir()
    (folder / "headers" / "shapes.h").write_text("/* circles */\n", encoding="utf-8")
    (folder / "headers" / "unused.h").write_text("/* none includes it */\n", encoding="utf-8")
    (folder / "src" / "a.c").write_text(SOURCE, encoding="utf-8")
    (folder / "libmath.a").write_bytes(b"!<arch>\n")
    (folder / "system.toml").write_text(DECLARED, encoding="utf-8")
    return folder


def find(folder: Path, before: Files | None = None) -> Files:
    return application_files.find(folder / "system.toml", None, before)


def names_of(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def changed(folder: Path, change: Change) -> list[str]:
    before = find(folder)
    assert before.known
    change()
    return names_of(before.changed(find(folder, before)))


def by_rename(path: Path, text: str) -> None:
    """As editors save: the size and the time may stay as they are, the file is another."""
    times = path.stat()
    fresh = path.with_name(".fresh")
    fresh.write_text(text, encoding="utf-8")
    os.utime(fresh, ns=(times.st_atime_ns, times.st_mtime_ns))
    fresh.replace(path)


def test_its_files(folder: Path) -> None:
    found = find(folder)
    assert names_of(sorted(found.of)) == ["shapes.h", "libmath.a", "a.c", "system.toml"]
    assert {folder, folder / "headers"} <= found.folders


def test_what_counts_and_what_does_not(folder: Path) -> None:
    headers = folder / "headers"
    deeper = folder / "src" / "deeper"
    deeper.mkdir()
    assert changed(folder, lambda: by_rename(folder / "src" / "a.c", SOURCE)) == ["a.c"]
    assert changed(folder, lambda: (headers / "shapes.h").write_text("/* squares */\n")) == ["shapes.h"]
    assert changed(folder, lambda: (folder / "libmath.a").write_bytes(b"!<arch>\n\n")) == ["libmath.a"]
    assert changed(folder, lambda: (deeper / "b.c").write_text("int b;\n")) == ["b.c"]
    assert changed(folder, (deeper / "b.c").unlink) == ["b.c"]
    assert changed(folder, lambda: (headers / "unused.h").write_text("/* still */\n")) == []
    assert changed(folder, lambda: (folder / "README").write_text("words\n")) == []
    assert changed(folder, lambda: (folder / "src" / ".a.c.swp").write_text("an editor's\n")) == []


def test_a_wrong_declaration_may_be_mended_by_any_file(folder: Path) -> None:
    before = find(folder)
    declared = folder / "system.toml"
    text = declared.read_text(encoding="utf-8")
    by_rename(declared, text.replace("libmath.a", "libsine.a") + "[")
    wrong = find(folder, before)
    assert not wrong.known
    assert names_of(before.changed(wrong)) == ["system.toml"]
    assert wrong.folders >= before.folders
    (folder / "libsine.a").write_bytes(b"!<arch>\n")
    still = find(folder, wrong)
    assert names_of(wrong.changed(still)) == ["libsine.a"]
    by_rename(declared, text)
    assert names_of(still.changed(find(folder, still))) == ["system.toml"]
    declared.unlink()
    assert names_of(before.changed(find(folder, before))) == ["system.toml"]
