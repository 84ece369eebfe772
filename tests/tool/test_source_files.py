# SPDX-License-Identifier: Apache-2.0
"""Sources that are not built are refused by name, declared or found, and at `check` already."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from takt.declare import declaration
from takt.support.errors import UserError

TASK = '\n[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 us"\n'
PROCESS = '\n[[process]]\nname = "p"\ntasks = ["a"]\nsources = {files}\n'


def write(folder: Path, head: str = "", tail: str = "", files: tuple[str, ...] = ("app.c",)) -> Path:
    for name in files:
        (folder / name).write_text("", encoding="utf-8")
    path = folder / "system.toml"
    path.write_text(f'[system]\nboard = "host"\n{head}\n{TASK}{tail}', encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as raised:
        declaration.load(path)
    return str(raised.value)


NOT_BUILT = {
    "app.cpp": "is C++, which is not built",
    "app.cc": "is C++, which is not built",
    "app.CXX": "is C++, which is not built",
    "app.C": "is C++, which is not built",
    "app.s": "is assembler, which is not built",
    "app.asm": "is assembler, which is not built",
    "app.rs": "is Rust, which is not built",
    "app.m": "is Objective-C, which is not built",
    "app.h": "is a header, which is not built alone",
    "app.hpp": "is a header, which is not built alone",
    "app.o": "is no C file",
    "app": "is no C file",
}


@pytest.mark.parametrize("name", NOT_BUILT)
def test_a_source_that_is_not_built_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, head=f'sources = ["app.c", "{name}"]', files=("app.c", name))
    said = refusal(path)
    assert f'system.toml:3: [system]: sources: "{name}" {NOT_BUILT[name]}' in said
    assert "\n  try: " in said


def test_check_refuses_too_and_says_what_to_try(takt: Takt, tmp_path: Path) -> None:
    write(tmp_path, head='sources = ["app.cpp"]', files=("app.cpp",))
    said = takt("check", tmp_path)
    assert said.code == 2
    assert 'sources: "app.cpp" is C++, which is not built' in said.err
    assert "try: the same in C" in said.err


def test_a_folder_is_no_source(tmp_path: Path) -> None:
    (tmp_path / "lib.c").mkdir()
    assert 'sources: "lib.c" is a folder' in refusal(write(tmp_path, head='sources = ["lib.c"]'))


@pytest.mark.parametrize("name", ["other.cpp", "other.CC", "other.rs", "start.s"])
def test_what_lies_beside_the_sources_is_not_left_out_silently(tmp_path: Path, name: str) -> None:
    said = refusal(write(tmp_path, files=("app.c", name)))
    assert f'and "{name}" is ' in said
    assert "sources = [...]" in said


def test_named_sources_are_all_that_is_built(tmp_path: Path) -> None:
    path = write(tmp_path, head='sources = ["app.c", "start.S"]', files=("app.c", "start.S", "other.cpp"))
    assert [one.name for one in declaration.load(path).sources] == ["app.c", "start.S"]


def test_c_and_assembler_of_the_folder_are_built_and_nothing_else(tmp_path: Path) -> None:
    files = ("b.c", "a.c", "start.S", "view.h", "plant.py", "notes.md", ".hidden.cpp", ".#b.c")
    path = write(tmp_path, files=files)
    assert [one.name for one in declaration.load(path).sources] == ["a.c", "b.c", "start.S"]


@pytest.mark.parametrize(("name", "why"), [("driver.cpp", "is C++"), ("driver.S", "is assembler, which only")])
def test_files_of_processes_are_c(tmp_path: Path, name: str, why: str) -> None:
    files, both = ("app.c", name), 'sources = ["app.c", "driver.S"]'
    path = write(tmp_path, head=both, tail=PROCESS.format(files=f'["{name}"]'), files=(*files, "driver.S"))
    assert f'[[process]] "p": sources: "{name}" {why}' in refusal(path)
    write(tmp_path, head=f'{both}\nshared_sources = ["{name}"]', files=files)
    assert f'[system]: shared_sources: "{name}" {why}' in refusal(path)
