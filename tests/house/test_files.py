# SPDX-License-Identifier: Apache-2.0
"""Every file: its licence line, its length, and words that have no place in it."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SUFFIXES = {".c", ".cpp", ".h", ".S", ".sv", ".ld", ".py", ".toml", ".cmake", ".md", ".in", ".html", ".js", ".css"}
SUFFIXES |= {".sh"}
LEFT_OUT = {".git", ".venv", "build", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"}
LICENCE = "SPDX-License-Identifier: Apache-2.0"
COLUMNS = 120  # of prose
LONGEST = 500  # lines; STYLE: no file over that without a reason
LONGEST_TEST = 350  # of a file of tests: two subjects are two files, and what both share lies in tests/support
REASONS = {
    "tests/tool/malformed.toml": "data: one case for each kind",
    "boards/mps2-an385/overheads.toml": "data: measured",
    "boards/rv32-virt/overheads.toml": "data: measured",
    "tests/mutants/kernel.toml": "data: one fault for each idea",
    "kernel/test/unit/sync/mutexes/hint_test.c": "a scenario, with its tasks, for each sentence of takt/hint.h",
}

# Places that exist only where Takt was made, not where it is used. In halves, or this file would name them.
FORBIDDEN = re.compile(
    "|".join(re.escape(a + b) for a, b in (("/wo", "rk/"), ("../sha", "red"), ("pypi.", "org"), ("deb.", "debian.org")))
)


def files() -> list[Path]:
    """Our text files, wherever they are."""
    found = []
    for folder, names, leaves in os.walk(ROOT):
        names[:] = [name for name in names if name not in LEFT_OUT]
        found += [Path(folder) / leaf for leaf in leaves]
    scripts = {ROOT / "takt", ROOT / ".ci" / "run"}
    return sorted(path for path in found if path.suffix in SUFFIXES or path in scripts or path.name == "CMakeLists.txt")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_file_names_its_licence() -> None:
    first_lines = {
        relative(path): path.read_text(encoding="utf-8").split("\n")[:3] for path in files() if path.suffix != ".md"
    }
    assert [name for name, head in first_lines.items() if not any(LICENCE in line for line in head)] == []


def too_long(lengths: dict[str, int]) -> list[str]:
    """Of files by their paths from the root, with their lines: those that are over what such a file may have."""

    def most(name: str) -> int:
        return LONGEST_TEST if name.startswith("tests/") and name.endswith(".py") else LONGEST

    return [name for name, length in lengths.items() if length > most(name) and name not in REASONS]


def test_no_file_is_too_long() -> None:
    code = [path for path in files() if path.suffix != ".md"]
    assert too_long({relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in code}) == []


def test_what_is_too_long_is_found() -> None:
    """A file of tests sooner than others, and none that has a reason."""
    fine = {"tests/tool/test_fits.py": 350, "tests/tool/effects.toml": 500, "tools/takt/cli.py": 500}
    over = {"tests/tool/test_long.py": 351, "tests/support/long.py": 351, "tests/walks/walk.c": 501, "takt": 501}
    assert too_long(fine | over | dict.fromkeys(REASONS, 501)) == list(over)


def test_no_line_ends_in_white_space_or_holds_a_tab() -> None:
    bad = []
    for path in files():
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if line != line.rstrip() or ("\t" in line and path.suffix in (".c", ".cpp", ".h", ".py", ".sv")):
                bad.append(f"{relative(path)}:{number}")
    assert bad == []


def test_prose_has_lines_that_can_be_read() -> None:
    """Of pages and their templates; tables, code, comments and lines that are one picture or link aside."""
    bad = []
    for path in files():
        if not path.name.endswith((".md", ".md.in")):
            continue
        code = False
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            code ^= line.startswith("```")
            if len(line) > COLUMNS and not code and not re.match(r"\||<!--|    |!?\[[^]]*\]\([^)]*\)$", line):
                bad.append(f"{relative(path)}:{number}")
    assert bad == []


def test_no_place_of_ours_is_named() -> None:
    bad = [relative(path) for path in files() if FORBIDDEN.search(path.read_text(encoding="utf-8"))]
    assert bad == []


def test_the_walk_sees_the_project() -> None:
    seen = {relative(path) for path in files()}
    assert {"takt", ".ci/run", "tools/takt/cli.py", "CMakeLists.txt", "base/tournament.h"} <= seen


def test_tests_of_one_run_have_different_names() -> None:
    """pytest takes two modules of one name for one; those of tests/house run by themselves."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py") if "house" not in path.parts]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []
