# SPDX-License-Identifier: Apache-2.0
"""`takt test PATH`: which tests a path means, and that they are counted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Takt
from takt.dev import by_path, testing
from takt.support.errors import UserError
from takt.support.provision import ROOT

LISTED = """
add_test([=[kernel_semaphore]=] "/clone/build/host-test/kernel/test/kernel_semaphore_test" "signals")
set_tests_properties([=[kernel_semaphore]=] PROPERTIES  LABELS "kernel/test/unit/sync/semaphore_test.c" TIMEOUT "120")
add_test([=[kernel_sync_test_c]=] "/clone/build/host-test/kernel/test/kernel_sync_test")
set_tests_properties([=[kernel_sync_test_c]=] PROPERTIES  LABELS "kernel/test/unit/sync_test.c" TIMEOUT "120")
add_test([=[base_arith]=] "/clone/build/host-test/base/test/base_arith_test")
set_tests_properties([=[base_arith]=] PROPERTIES  LABELS "base/test/arith_test.c" TIMEOUT "120")
add_test(reflect_b "/clone/build/host-test/reflect_b_test" "/clone/build/host-test/takt-reflectd" "/dev/null")
set_tests_properties(reflect_b PROPERTIES  LABELS "reflect/linux/test/b_test.c" TIMEOUT "120")
"""
KERNEL = ["kernel_semaphore_test", "kernel_sync_test"]

PROGRAMS = {
    "kernel/test/unit/sync/semaphore_test.c": ["kernel_semaphore_test"],
    "kernel/test/unit/sync": ["kernel_semaphore_test"],
    "kernel/test": KERNEL,
    "kernel/sync/semaphore.c": KERNEL,
    "kernel/test/unit/core/hint_scenario.h": KERNEL,
    "base": ["base_arith_test"],
    "base/bitmap.h": ["base_arith_test"],
    "reflect/linux/test/b_test.c": ["reflect_b_test", "takt-reflectd"],
}


@pytest.mark.parametrize("path", PROGRAMS)
def test_programs_that_the_tests_of_a_path_run(path: str) -> None:
    found = by_path.chosen_of([path], LISTED)
    assert found.programs == PROGRAMS[path]
    assert len(found.patterns) == 1


def test_tests_of_several_paths() -> None:
    found = by_path.chosen_of(["base/test", "kernel/test/unit/sync/semaphore_test.c"], LISTED)
    assert found.programs == ["base_arith_test", "kernel_semaphore_test"]
    labels = by_path.labels_of(LISTED)
    assert [name for name in labels if re.search("|".join(found.patterns), labels[name])] == [
        "kernel_semaphore",
        "base_arith",
    ]


def test_a_file_of_tests_that_are_not_built() -> None:
    """It has none of its own, and those of its folder are not meant."""
    with pytest.raises(UserError, match=r"no test runs kernel/test/unit/sync/new_test.c"):
        by_path.chosen_of(["kernel/test/unit/sync/new_test.c"], LISTED)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), "no file or folder of Takt: nowhere"),
        (("docs/index.md",), "docs/index.md has no tests of its own"),
        (("tests", "-k", "house"), "exclude each other"),
        (("tests", "--mutants"), "exclude each other"),
    ],
)
def test_what_has_no_tests(takt: Takt, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str) -> None:
    monkeypatch.chdir(ROOT)
    said = takt("test", *arguments)
    assert said.code == 2
    assert words in said.err
    assert "try: " in said.err


def test_one_test_in_python(takt: Takt, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder that it is called from does not matter, nor results of another run."""
    monkeypatch.chdir(ROOT / "tests")
    monkeypatch.setattr("takt.dev.testing.RESULTS", tmp_path)
    said = takt("test", "tool/test_prose.py")
    last = said.out.splitlines()[-1]
    assert said.code == 0, said.out
    assert re.fullmatch(r"[1-9]\d* passed, 0 failed", last)


def test_many_files_in_c_are_several_calls_of_ctest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A regular expression of ctest's may not be long; a call that finds no test has failed."""
    called: list[list[str]] = []

    def run_command(command: list[object], **_: str) -> int:
        called.append([str(word) for word in command])
        return 8 if command[0] == "ctest" else 0

    monkeypatch.setattr(testing, "run_command", run_command)
    paths = [f"kernel/test/{number}_test.c" for number in range(20)]
    monkeypatch.setattr(by_path, "chosen", lambda _: by_path.Chosen(paths, ["all"]))
    assert testing._ctest(False, paths).failed == 3
    parts = [command[-1].split("|") for command in called if command[0] == "ctest"]
    assert [len(part) for part in parts] == [8, 8, 4]
    assert all("--no-tests=error" in command for command in called if command[0] == "ctest")
