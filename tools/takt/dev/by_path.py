# SPDX-License-Identifier: Apache-2.0
"""`takt test PATH`: the tests of a file or folder. Tests in Python are those of pytest; those in C, of a source file or
a room, are built with what they need, and nothing else is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from takt.support.errors import UserError, did_you_mean
from takt.support.files import read_text, shown_path
from takt.support.provision import ROOT

ROOMS = {"base": "base", "kernel": "kernel", "reflect": "reflect", "ports": "host"}
"""Rooms that have unit tests, and how the names of those begin."""
BUILD = "/build/host-test/"
_TEST = re.compile(r"^add_test\((?:\[=\[)?([^ \]]+)(?:\]=\])? (.*)\)$", re.MULTILINE)


def meant(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """What `paths` mean: those of pytest, from the root, and regular expressions for names of ctest's tests. UserError:
    there is no such path, or it has no tests."""
    known = [_relative(path) for path in paths]
    nodes = [path for path in known if path.startswith("tests/") or path == "tests"]
    return nodes, list(dict.fromkeys(pattern_of(path) for path in known if path not in nodes))


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


def targets(pattern: str) -> list[str]:
    """Programs that tests of these names run, in the configured build. UserError: no test has such a name."""
    listed = [read_text(path) for path in (ROOT / "build" / "host-test").rglob("CTestTestfile.cmake")]
    found = targets_of(pattern, "\n".join(listed))
    if not found:
        raise UserError(f"no test in C matches {pattern}", "run the folder above it, such as kernel/test")
    return found


def targets_of(pattern: str, listed: str) -> list[str]:
    """The same, by the text of CTestTestfile.cmake: ctest itself does not name a program that was not built."""
    found = set()
    for name, command in _TEST.findall(listed):
        if re.search(pattern, name):
            found |= {Path(argument).name for argument in re.findall(r'"(/[^"]+)"', command) if BUILD in argument}
    return sorted(found)
