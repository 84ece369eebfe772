# SPDX-License-Identifier: Apache-2.0
"""new, docs and the parts of `takt test`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Takt
from takt.dev import docs, mutants, testing
from takt.dev.counts import Counts
from takt.support import provision
from takt.support.errors import UserError


def test_the_declaration_page_is_up_to_date(takt: Takt) -> None:
    assert takt("docs", "--check").code == 0


def test_an_old_page_is_noticed(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "page.md"
    old.write_text("old")
    monkeypatch.setattr(docs, "PAGE", old)
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    said = takt("docs", "--check")
    assert said.code == 1
    assert "page.md is out of date" in said.out


def test_new_makes_what_check_accepts(takt: Takt, tmp_path: Path) -> None:
    folder = tmp_path / "far" / "first"
    said = takt("new", folder)
    assert said.code == 0
    assert f"./takt run {folder} --board host" in said.out
    document = json.loads(takt("check", folder, "--json").out)
    assert document["feasible"]
    assert len(document["tasks"]) == 3


def test_what_new_suggests_to_break_is_refused(takt: Takt, tmp_path: Path) -> None:
    takt("new", tmp_path / "first")
    declaration = tmp_path / "first" / "system.toml"
    text = declaration.read_text().replace('wcet = "400 us"', 'wcet = "9.9 ms"')
    declaration.write_text(text)
    said = takt("check", tmp_path / "first")
    assert said.code == 1
    assert "Refuted: " in said.out
    assert "control" in said.out.splitlines()[-1]


def test_new_overwrites_nothing(takt: Takt, tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text("mine")
    said = takt("new", tmp_path)
    assert said.code == 2
    assert "exists already and is not an empty folder" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["app.c"]


def test_counts_of_junit(tmp_path: Path) -> None:
    path = tmp_path / "results.xml"
    path.write_text('<testsuites><testsuite tests="7" failures="1" errors="2" skipped="1"/></testsuites>')
    assert testing.read_junit(path) == Counts(3, 3, 1)


def test_no_junit_is_a_failure(tmp_path: Path) -> None:
    assert testing.read_junit(tmp_path / "nowhere.xml") == Counts(failed=1)


def test_unknown_part(takt: Takt) -> None:
    said = takt("test", "-k", "hosue")
    assert (said.code, said.err) == (2, 'takt: no part "hosue"\n  try: "house" (takt test --list)\n')


def test_every_folder_of_tests_is_a_part() -> None:
    folders = {
        path.parent.relative_to(provision.ROOT / "tests").parts[0]
        for path in (provision.ROOT / "tests").rglob("test_*.py")
    }
    assert folders <= {part.name for part in testing.parts()}


def test_mutants_are_well_formed() -> None:
    assert mutants.load(provision.ROOT / "tests" / "mutants")


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("find", "not in there", "m.toml:3: .* find occurs 0 times in takt"),
        ("test", "tests/tool/test_none.py::test_x", "m.toml:5: .* test: no file tests/tool/test_none.py"),
        ("test", "tests/tool/test_commands.py::test_a_mutant", "m.toml:5: .* no function test_a_mutant in tests/tool"),
    ],
)
def test_a_mutant_must_find_its_line_and_its_test(tmp_path: Path, key: str, value: str, problem: str) -> None:
    here = "tests/tool/test_commands.py"
    fields = {"file": "takt", "find": "#!/bin/sh", "replace": "x", "test": here, "why": "w", key: value}
    text = "[[mutant]]\n" + "".join(f'{key} = "{value}"\n' for key, value in fields.items())
    (tmp_path / "m.toml").write_text(text)
    with pytest.raises(UserError, match=problem):
        mutants.load(tmp_path)
