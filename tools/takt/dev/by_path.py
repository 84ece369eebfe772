# SPDX-License-Identifier: Apache-2.0
"""`takt test PATH`: the tests of a file or folder. Tests in Python are those of pytest; those in C, of a source file or
a room, are built with what they need, and nothing else is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from takt.support.errors import UserError, did_you_mean
from takt.support.files import read_text, shown_path
from takt.support.provision import ROOT

ROOMS = ("base", "kernel", "library", "net", "ports", "reflect", "replay")
"""Rooms that have unit tests."""
BUILD = "/build/host-test/"
_TEST = re.compile(r"^add_test\((?:\[=\[)?([^ \]]+)(?:\]=\])? (.*)\)$", re.MULTILINE)
_LABEL = re.compile(
    r"^set_tests_properties\((?:\[=\[)?([^ \]]+)(?:\]=\])? PROPERTIES .*?LABELS \"([^\"]+)\"", re.MULTILINE
)


@dataclass(frozen=True)
class Chosen:
    """Tests of ctest: `patterns` are regular expressions for their labels, `programs` what they run."""

    patterns: list[str]
    programs: list[str]


def meant(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of `paths`, from the root: those of pytest, and those in C. UserError: there is no such path, or it has no
    tests."""
    known = [_relative(path) for path in paths]
    nodes = [path for path in known if path.startswith("tests/") or path == "tests"]
    rest = [path for path in known if path not in nodes]
    for path in rest:
        if path.split("/", maxsplit=1)[0] not in ROOMS:
            others = " or ".join(sorted([*ROOMS, "tests"]))
            raise UserError(
                f"{shown_path(Path(path))} has no tests of its own", f"a path in {others}; takt test -k house or style"
            )
    return nodes, list(dict.fromkeys(rest))


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


def chosen(paths: Sequence[str]) -> Chosen:
    """Of paths in C, by the configured build."""
    return chosen_of(paths, _listed(ROOT))


def programs_of(tree: Path, name: str) -> list[str]:
    """What the tests run whose name matches the regular expression `name`, by the configured build of `tree`."""
    return _programs(_listed(tree), lambda test: re.search(name, test) is not None)


def _listed(tree: Path) -> str:
    return "\n".join(read_text(path) for path in (tree / "build" / "host-test").rglob("CTestTestfile.cmake"))


def chosen_of(paths: Sequence[str], listed: str) -> Chosen:
    """The same, by the text of CTestTestfile.cmake: ctest itself does not name a program that was not built."""
    labels = labels_of(listed)
    patterns = [_pattern(path, labels.values()) for path in paths]
    programs = _programs(listed, lambda test: any(re.search(pattern, labels.get(test, "")) for pattern in patterns))
    return Chosen(patterns, programs)


def _programs(listed: str, chosen: Callable[[str], bool]) -> list[str]:
    found = {
        Path(argument).name
        for test, command in _TEST.findall(listed)
        if chosen(test)
        for argument in re.findall(r'"(/[^"]+)"', command)
        if BUILD in argument
    }
    return sorted(found)


def labels_of(listed: str) -> dict[str, str]:
    """Of each test its label: the file that it is in."""
    return dict(_LABEL.findall(listed))


def _pattern(path: str, labels: Collection[str]) -> str:
    """Of a file X_test.c its tests, of a folder those in it and below; of another path those of the nearest folder that
    has some. UserError: X_test.c has none in this build."""
    where = PurePosixPath(path)
    for folder in (where, *where.parents[:-1]):
        if any(PurePosixPath(label).is_relative_to(folder) for label in labels):
            return f"^{re.escape(str(folder))}(/|$)"
        if folder.name.endswith("_test.c"):
            break
    raise UserError(
        f"no test runs {shown_path(ROOT / path)}", "run the folder above it, or add --full, which builds more tests"
    )
