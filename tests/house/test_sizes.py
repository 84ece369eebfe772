# SPDX-License-Identifier: Apache-2.0
"""A folder of a room has at most 15 files of code and 3000 lines; exceptions are in one list, each with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "base",
    "analysis",
    "kernel",
    "ports",
    "chips",
    "boards",
    "runner",
    "net",
    "reflect",
    "replay",
    "hardware",
    "tools/takt",
)
CODE = {".c", ".h", ".S", ".ld", ".sv", ".v", ".sby", ".py", ".js", ".css", ".html", ".toml"}
FILES_MAX, LINES_MAX = 15, 3000

# Folders that may have more, up to these numbers of files and lines, and why.
EXCEPTIONS: dict[str, tuple[int, int]] = {
    # applications include public headers as takt/NAME.h: one flat folder, a header for each object
    "kernel/include/takt": (36, 3900),
    # a file for each kind of service, as CONTRIBUTING.md says
    "tools/takt/declare/service_kinds": (25, 3000),
}


def sizes(root: Path) -> dict[str, tuple[int, int]]:
    """Files and lines of code of each folder that has some, without those below it."""
    found: dict[str, tuple[int, int]] = {}
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in CODE and "__pycache__" not in path.parts and path.is_file():
                name = str(path.parent.relative_to(root))
                files, lines = found.get(name, (0, 0))
                found[name] = files + 1, lines + len(path.read_text(encoding="utf-8").splitlines())
    return found


def too_large(root: Path) -> dict[str, tuple[int, int]]:
    return {
        name: (files, lines)
        for name, (files, lines) in sizes(root).items()
        for files_max, lines_max in [EXCEPTIONS.get(name, (FILES_MAX, LINES_MAX))]
        if files > files_max or lines > lines_max
    }


def test_folders_are_small() -> None:
    assert len(sizes(ROOT)) > 60
    assert too_large(ROOT) == {}


@pytest.mark.parametrize(("files", "lines"), [(FILES_MAX + 1, 1), (1, LINES_MAX + 1)])
def test_large_ones_are_found(tmp_path: Path, files: int, lines: int) -> None:
    folder = tmp_path / "kernel" / "sync"
    folder.mkdir(parents=True)
    for number in range(files):
        (folder / f"{number}.c").write_text("\n" * lines, encoding="utf-8")
    assert too_large(tmp_path) == {"kernel/sync": (files, files * lines)}
