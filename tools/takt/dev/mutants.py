# SPDX-License-Identifier: Apache-2.0
"""Mutation: each one-line fault of tests/mutants/*.toml, put into a scratch copy of the tree, must fail its test.

[[mutant]]
file = "tools/takt/support/durations.py"
find = "nanoseconds > MAX_NS"                 # stands in the file exactly once
replace = "nanoseconds >= MAX_NS"
test = "tests/tool/test_durations.py::test_longest"   # a pytest node, or "ctest:NAME" (a regular expression)
why = "the longest duration is accepted"
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from takt.declare.schema import reader
from takt.declare.schema.kinds import STRING, Key, Kind, Table
from takt.dev import by_path
from takt.dev.counts import Counts
from takt.support import children
from takt.support.errors import UserError
from takt.support.files import read_text, shown_path, write_whole
from takt.support.provision import ROOT

TIMEOUT_S = 300  # a mutant that hangs is found too
BUILD_S = 3600  # on a busy machine
_LEFT = ("variable", "parameter", "function", "but-set-variable", "but-set-parameter")
UNUSED = " ".join(f"-Wno-error=unused-{what}" for what in _LEFT)
"""What a fault no longer uses is no reason not to compile it."""
NO_SUCH_TEST = 4  # exit code of pytest: that is none, or one of --full
LEFT_OUT = (".git", ".venv", "build", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis")

_MUTANT = Table(
    "mutant",
    "A one-line fault.",
    (
        Key("file", STRING, "Path from the root.", required=True),
        Key("find", STRING, "A text that occurs in it exactly once.", required=True),
        Key("replace", STRING, "The text that replaces it.", required=True),
        Key("test", STRING, 'A pytest node, or "ctest:NAME".', required=True),
        Key("why", STRING, "What the fault would do.", required=True),
    ),
)
_FILE = Table(
    "",
    "The file.",
    (Key("mutant", Kind("array of tables", lambda value: value), "Mutants.", required=True, table=_MUTANT),),
    many=False,
)


class Outcome(Enum):
    """How a test ended. BROKEN: it did not compile or load, which shows nothing."""

    PASSED = "passed"
    FAILED = "failed"
    BROKEN = "broken"


@dataclass(frozen=True)
class Mutant:
    """One fault. `where` is its file and line in tests/mutants."""

    where: str
    file: str
    find: str
    replace: str
    test: str
    why: str


def load(folder: Path) -> list[Mutant]:
    """Every mutant, checked: its text occurs in its file exactly once, its test of pytest exists. Raises UserError."""
    found: list[Mutant] = []
    for path in sorted(folder.glob("*.toml")):
        document = reader.load(path)
        rows: list[dict[str, Any]] = reader.read_table(document, _FILE, document.data, ())["mutant"]
        for index, values in enumerate(rows):
            key = ("mutant", index)
            target = ROOT / values["file"]
            count = read_text(target).count(values["find"]) if target.is_file() else 0
            if count != 1:
                document.fail(
                    (*key, "find"),
                    f"[[mutant]]: find occurs {count} times in {values['file']}",
                    "a text that occurs exactly once",
                )
            if values["find"] == values["replace"]:
                document.fail((*key, "replace"), "[[mutant]]: replace is the same as find", "a text that makes a fault")
            missing = _missing(values["test"])
            if missing is not None:
                document.fail((*key, "test"), f"[[mutant]]: test: {missing}", 'FILE::NAME of pytest, or "ctest:NAME"')
            found.append(Mutant(f"{path.name}:{document.lines[key]}", **values))
    return found


def _missing(test: str) -> str | None:
    """What of a test of pytest does not exist. Those of ctest are known when they are built."""
    if test.startswith("ctest:"):
        return None
    name, *functions = test.partition("[")[0].split("::")
    path = ROOT / name
    if not path.is_file():
        return f"no file {name}"
    if functions and f"def {functions[-1]}(" not in read_text(path):
        return f"no function {functions[-1]} in {name}"
    return None


def run(folder: Path, only: str) -> Counts:
    """Runs the mutants whose file, test or place in `folder` contains `only`. A killed mutant passes, one that survives
    fails."""
    chosen = [
        mutant for mutant in load(folder) if any(only in text for text in (mutant.where, mutant.file, mutant.test))
    ]
    if not chosen:
        raise UserError(
            f'no mutant of {shown_path(folder)} has "{only}" in its own file, that of the fault, or its test',
            "--mutants without --only",
        )
    children.adopt()
    with tempfile.TemporaryDirectory(prefix="takt-mutants-") as name:
        tree = Path(name) / "takt"
        print(f"copying the tree to {tree}", flush=True)
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        (tree / ".venv").symlink_to(ROOT / ".venv")
        counts = _baseline(tree, sorted({mutant.test for mutant in chosen}))
        if counts.failed:
            return counts
        for number, mutant in enumerate(chosen):
            counts += _one(tree, mutant, f"{number + 1}/{len(chosen)}")
    return counts


def _baseline(tree: Path, tests: list[str]) -> Counts:
    """Every named test passes on the tree as it is; only failures count."""
    failed = 0
    for number, test in enumerate(tests):
        print(f"unmutated {number + 1}/{len(tests)}: {test}", flush=True)
        outcome, output = _run_test(tree, test)
        if outcome is not Outcome.PASSED:
            print(f"{output}\n{test} fails without a mutation, or does not exist", flush=True)
            failed += 1
    return Counts(failed=failed)


def _one(tree: Path, mutant: Mutant, number: str) -> Counts:
    path = tree / mutant.file
    text = read_text(path)
    start = time.monotonic()
    _write(path, text.replace(mutant.find, mutant.replace))
    try:
        outcome, output = _run_test(tree, mutant.test, every_case=True)
    finally:
        _write(path, text)
    word = {Outcome.PASSED: "SURVIVED", Outcome.FAILED: "killed", Outcome.BROKEN: "INVALID"}[outcome]
    print(
        f"{number} {word:<8} {time.monotonic() - start:5.1f} s  {mutant.where} {mutant.file}: {mutant.why}", flush=True
    )
    if outcome is Outcome.BROKEN:
        print(f"{output[-2000:]}\nthe test did not run to its end: a mutant must compile and load", flush=True)
    return Counts(passed=1) if outcome is Outcome.FAILED else Counts(failed=1)


def _write(path: Path, text: str) -> None:
    """With a time stamp that no build takes for the old one."""
    write_whole(path, text)
    now = time.time_ns()
    os.utime(path, ns=(now, now))
    for cached in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        cached.unlink()


def _run_test(tree: Path, test: str, every_case: bool = False) -> tuple[Outcome, str]:
    """How the named test ends, and what it printed; of pytest the cases of a usual run, and with `every_case` those of
    --full if they pass."""
    if not test.startswith("ctest:"):
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
        code, output = _quietly(tree, command)
        for_full = code == NO_SUCH_TEST or (code == 0 and " passed" not in output)
        if for_full or (code == 0 and every_case):
            code, output = _quietly(tree, command, BUILD_S, TAKT_TEST_FULL="1")
        return {0: Outcome.PASSED, 1: Outcome.FAILED}.get(code, Outcome.BROKEN), output
    name = test.removeprefix("ctest:")
    if not (tree / "build" / "host-test").exists():
        configure = ["cmake", "--preset", "host-test", "-DTAKT_TEST_FULL=1", f"-DCMAKE_C_FLAGS={UNUSED}"]
        code, output = _quietly(tree, configure, BUILD_S)
        if code != 0:
            return Outcome.BROKEN, output
    programs = by_path.programs_of(tree, name)
    if programs:
        code, output = _quietly(tree, ["cmake", "--build", "--preset", "host-test", "--target", *programs], BUILD_S)
        if code != 0:
            return Outcome.BROKEN, output
    select = ["--no-tests=error", "-R", name]
    full = "" if "exhaustive" in test else "1"  # which takes hours for all
    code, output = _quietly(tree, ["ctest", "--preset", "host-test", *select], TAKT_TEST_FULL=full, TAKT_MUTANT="1")
    return Outcome.PASSED if code == 0 else Outcome.FAILED, output


def _quietly(tree: Path, command: list[str], within_s: float = TIMEOUT_S, **variables: str) -> tuple[int, str]:
    """Exit code and output; what does not end counts as failed (1)."""
    own = {"PYTHONPATH": str(tree / "tools"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **own, **variables}
    try:
        done = children.run(command, cwd=tree, environment=environment, within_s=within_s)
    except subprocess.TimeoutExpired:
        return 1, f"no end after {within_s:.0f} s"
    finally:
        children.end_all()  # what a test that was ended, or failed, has left running
    return done.returncode, done.stdout + done.stderr
