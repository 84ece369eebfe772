# SPDX-License-Identifier: Apache-2.0
"""`takt test PATH`: the tests of a file or folder. Tests in Python are those of pytest; those in C, of a source file or
a room, are built with what they need, and nothing else is."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from takt.dev.counts import Counts, run_command
from takt.support.errors import UserError, did_you_mean
from takt.support.files import read_text, shown_path
from takt.support.provision import ROOT

ROOMS = {"base": "base", "kernel": "kernel", "reflect": "reflect", "ports": "host"}
"""Rooms that have unit tests, and how the names of those begin."""
BUILD = "/build/host-test/"
_TEST = re.compile(r"^add_test\((?:\[=\[)?([^ \]]+)(?:\]=\])? (.*)\)$", re.MULTILINE)


def run(paths: Sequence[str], full: bool, read: Callable[[Path], Counts], results: Path) -> Counts:
    """Counts of the tests of all `paths`. `read` reads a JUnit file; `results`: the folder for those."""
    results.mkdir(parents=True, exist_ok=True)
    known = [_relative(path) for path in paths]
    nodes = [path for path in known if path.startswith("tests/") or path == "tests"]
    patterns = [pattern_of(path) for path in known if path not in nodes]
    total = Counts()
    if nodes:
        junit = results / "pytest.xml"
        junit.unlink(missing_ok=True)
        command: list[str | Path] = [sys.executable, "-m", "pytest", "-q", f"--junitxml={junit}", *nodes]
        run_command(command, TAKT_TEST_FULL="1" if full else "")
        total += read(junit)
    if patterns:
        total += _ctest("|".join(patterns), full, read, results / "ctest.xml")
    return total


def _relative(path: str) -> str:
    """From the root, with the name of a test behind it, if there is one; UserError if there is no such path."""
    name, colons, node = path.partition("::")
    whole = (Path.cwd() / name).resolve()
    if not whole.exists() or not whole.is_relative_to(ROOT):
        near = did_you_mean(name, sorted([*ROOMS, "tests"]))
        raise UserError(
            f"no file or folder of Takt: {shown_path(Path(name))}", f"a path in {near} (takt test --list: parts)"
        )
    return whole.relative_to(ROOT).as_posix() + colons + node


def pattern_of(path: str) -> str:
    """A regular expression for the names of ctest's tests: of X_test.c those of X, of other files all of their room."""
    room = path.split("/", maxsplit=1)[0]
    if room not in ROOMS:
        others = " or ".join(sorted([*ROOMS, "tests"]))
        raise UserError(
            f"{shown_path(Path(path))} has no tests of its own", f"a path in {others}; takt test -k house or style"
        )
    stem = Path(path).stem
    prefix = re.escape(ROOMS[room])
    return f"^{prefix}_{re.escape(stem.removesuffix('_test'))}(_|$)" if stem.endswith("_test") else f"^{prefix}_"


def _ctest(pattern: str, full: bool, read: Callable[[Path], Counts], junit: Path) -> Counts:
    junit.unlink(missing_ok=True)
    if run_command(["cmake", "--preset", "host-test", f"-DTAKT_TEST_FULL={int(full)}"]) != 0:
        return Counts(failed=1)
    listed = [read_text(path) for path in (ROOT / "build" / "host-test").rglob("CTestTestfile.cmake")]
    targets = targets_of(pattern, "\n".join(listed))
    if not targets:
        raise UserError(f"no test in C is called {pattern}", "the folder above it, such as kernel/test")
    if run_command(["cmake", "--build", "--preset", "host-test", "--target", *targets]) != 0:
        return Counts(failed=1)
    run_command(
        ["ctest", "--preset", "host-test", "-R", pattern, "--output-junit", junit], TAKT_TEST_FULL="1" if full else ""
    )
    return read(junit)


def targets_of(pattern: str, listed: str) -> list[str]:
    """Programs that tests of these names run, by the text of CTestTestfile.cmake: ctest itself does not name one that
    was not built."""
    found = set()
    for name, command in _TEST.findall(listed):
        if re.search(pattern, name):
            found |= {Path(argument).name for argument in re.findall(r'"(/[^"]+)"', command) if BUILD in argument}
    return sorted(found)
