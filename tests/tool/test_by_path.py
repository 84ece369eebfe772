# SPDX-License-Identifier: Apache-2.0
"""`takt test PATH`: which tests a path means, and that they are counted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Takt
from takt.dev import by_path, testing
from takt.support.provision import ROOT

NAMES = ("kernel_semaphore", "kernel_semaphore_fixed_lean", "kernel_sema", "base_arith", "host_port", "reflect_wire")

MEANT = {
    "kernel/test/unit/semaphore_test.c": {"kernel_semaphore", "kernel_semaphore_fixed_lean"},
    "kernel/test": {"kernel_semaphore", "kernel_semaphore_fixed_lean", "kernel_sema"},
    "kernel/sync/semaphore.c": {"kernel_semaphore", "kernel_semaphore_fixed_lean", "kernel_sema"},
    "base/test/arith_test.c": {"base_arith"},
    "ports/host": {"host_port"},
    "reflect/core/wire.c": {"reflect_wire"},
}


@pytest.mark.parametrize("path", MEANT)
def test_what_a_path_in_c_means(path: str) -> None:
    assert {name for name in NAMES if re.search(by_path.pattern_of(path), name)} == MEANT[path]


LISTED = """
add_test([=[kernel_a]=] "/clone/build/host-test/kernel/test/kernel_a_test" "signals")
set_tests_properties([=[kernel_a]=] PROPERTIES  TIMEOUT "120")
add_test(reflect_b "/clone/build/host-test/reflect_b_test" "/clone/build/host-test/takt-reflectd" "/dev/null")
"""


def test_programs_are_built_that_tests_run() -> None:
    assert by_path.targets_of("^kernel_", LISTED) == ["kernel_a_test"]
    assert by_path.targets_of("^(kernel|reflect)_", LISTED) == ["kernel_a_test", "reflect_b_test", "takt-reflectd"]
    assert by_path.targets_of("^none_", LISTED) == []


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
    monkeypatch.setattr(by_path, "targets", lambda _: ["all"])
    patterns = [f"^kernel_{number}(_|$)" for number in range(20)]
    assert testing._ctest(False, patterns).failed == 3
    parts = [command[-1].split("(_|$)|") for command in called if command[0] == "ctest"]
    assert [len(part) for part in parts] == [8, 8, 4]
    assert all("--no-tests=error" in command for command in called if command[0] == "ctest")
