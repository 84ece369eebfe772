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
    "app.CXX": "is C++ by another name, which is not built",
    "app.C": "is C++ by another name, which is not built",
    "app.ino": "is C++ of another tool, which is not built",
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
    write(tmp_path, head='sources = ["app.rs"]', files=("app.rs",))
    said = takt("check", tmp_path)
    assert said.code == 2
    assert 'sources: "app.rs" is Rust, which is not built' in said.err
    assert "try: the same in C or C++" in said.err


def test_a_folder_is_no_source(tmp_path: Path) -> None:
    (tmp_path / "lib.c").mkdir()
    assert 'sources: "lib.c" is a folder' in refusal(write(tmp_path, head='sources = ["lib.c"]'))


@pytest.mark.parametrize("name", ["other.C", "other.CC", "other.rs", "start.s"])
def test_what_lies_beside_the_sources_is_not_left_out_silently(tmp_path: Path, name: str) -> None:
    said = refusal(write(tmp_path, files=("app.c", name)))
    assert f'and "{name}" is ' in said
    assert "sources = [...]" in said


def test_named_sources_are_all_that_is_built(tmp_path: Path) -> None:
    path = write(tmp_path, head='sources = ["app.c", "start.S"]', files=("app.c", "start.S", "other.cpp"))
    assert [one.name for one in declaration.load(path).sources] == ["app.c", "start.S"]


def test_c_cxx_and_assembler_of_the_folder_are_built_and_nothing_else(tmp_path: Path) -> None:
    files = ("b.c", "a.c", "d.cpp", "e.cc", "f.cxx", "start.S", "view.h", "plant.py", "notes.md", ".hidden.c", ".#b.c")
    path = write(tmp_path, files=files)
    built = ["a.c", "b.c", "d.cpp", "e.cc", "f.cxx", "start.S"]
    assert [one.name for one in declaration.load(path).sources] == built


@pytest.mark.parametrize(("name", "why"), [("driver.rs", "is Rust"), ("driver.S", "is assembler, which only")])
def test_files_of_processes_are_c_and_cxx(tmp_path: Path, name: str, why: str) -> None:
    files, both = ("app.c", name), 'sources = ["app.c", "driver.S"]'
    path = write(tmp_path, head=both, tail=PROCESS.format(files=f'["{name}"]'), files=(*files, "driver.S"))
    assert f'[[process]] "p": sources: "{name}" {why}' in refusal(path)
    write(tmp_path, head=f'{both}\nshared_sources = ["{name}"]', files=files)
    assert f'[system]: shared_sources: "{name}" {why}' in refusal(path)


def tree(folder: Path) -> None:
    for name in ("app.c", "src/one.c", "src/deep/two.cpp", "src/deep/two_test.cpp", "src/deep/h.h", "src/.git/x.c"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("", encoding="utf-8")


def built(folder: Path, text: str, tail: str = "") -> list[str]:
    """The sources of an application with [build] of this text."""
    path = folder / "system.toml"
    path.write_text(f"[system]\n{text}\n{TASK}{tail}", encoding="utf-8")
    return [str(one.relative_to(folder)) for one in declaration.load(path).sources]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ('sources = ["src/**/*"]', ["src/deep/two.cpp", "src/deep/two_test.cpp", "src/one.c"]),
        ('[build]\nsources = ["src/*"]', ["src/one.c"]),
        ('[build]\nsources = ["src/**/*.c", "src/one.c", "app.c"]', ["src/one.c", "app.c"]),
        ('[build]\nsources = ["src/**/*.cpp"]\nexclude = ["**/*_test.cpp"]', ["src/deep/two.cpp"]),
        ('[build]\nsources = ["src/*/tw[o].cpp", "ap?.c"]', ["src/deep/two.cpp", "app.c"]),
    ],
)
def test_patterns_name_files_that_are_built(tmp_path: Path, text: str, files: list[str]) -> None:
    tree(tmp_path)
    assert built(tmp_path, text) == files


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('sources = ["app.c"]\n[build]\nsources = ["app.c"]', "[system] has sources, too"),
        ('[build]\nsources = ["lib/**/*.c"]', 'sources: "lib/**/*.c" matches no file that is built'),
        ('[build]\nsources = ["src/deep/*.h"]', "matches no file that is built, but 1 that are no source files"),
        ('[build]\nsources = ["src"]', 'sources: "src" is a folder'),
        ('[build]\nexclude = ["src/one.c"]', 'exclude: "src/one.c" is none of the sources'),
        ('[build]\nsources = ["app.c"]\nexclude = ["*.c"]', "leaves none of the sources"),
        ('[build]\ninclude = ["inc"]', 'include: "inc" does not exist'),
        ('[build]\ninclude = ["app.c"]', 'include: "app.c" is a file'),
        ('[build]\nlibraries = ["lib/libx.a"]', 'libraries: "lib/libx.a" does not exist'),
        ('[build]\nlibraries = ["libx"]', "a name is without lib"),
        ('[build]\nlibraries = ["lib/x.so"]', "is a shared library"),
        ('[build]\ndefines = ["2X"]', "not a macro"),
        ('[build]\ndefines = ["-DX"]', "not a macro"),
        ('[build]\ndefines = ["TAKT_PROCESSES=1"]', "names that begin with TAKT_ are Takt's"),
        ("[build]\nc_standard = 99", "must be 11 or 17"),
    ],
)
def test_what_is_wrong_in_build_is_said_with_its_key(tmp_path: Path, text: str, said: str) -> None:
    tree(tmp_path)
    with pytest.raises(UserError) as raised:
        built(tmp_path, text)
    assert said in str(raised.value)
    assert "system.toml:" in str(raised.value)
    assert "\n  try: " in str(raised.value)


FLAGS = (
    "-mcpu=cortex-m4 -march=rv32i -O0 -O3 -Os -std=c99 -ansi -c -o -S -E -MD -DX=1 -I. -isystem -fexceptions -fno-rtti"
    " -lm -Lx -flto -fshort-enums -fpack-struct -Wl,-s -x -specs=nano.specs @file -include\t--x config.h -includex"
).split(" ")


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("key", ["c_flags", "cxx_flags"])
def test_flags_that_contradict_the_build_are_refused(tmp_path: Path, key: str, flag: str) -> None:
    tree(tmp_path)
    with pytest.raises(UserError) as raised:
        built(tmp_path, f'[build]\n{key} = ["{flag}"]')
    assert f"[build]: {key} = " in str(raised.value)


@pytest.mark.parametrize("flag", ["-T", "-Wl,-Tx.ld", "-Wl,-Map=x", "-lm", "x.o", "-nostdlib", "-O2", "-static"])
def test_so_are_flags_of_the_link(tmp_path: Path, flag: str) -> None:
    tree(tmp_path)
    with pytest.raises(UserError) as raised:
        built(tmp_path, f'[build]\nlink_flags = ["{flag}"]')
    assert "[build]: link_flags = " in str(raised.value)


@pytest.mark.parametrize(
    "flag", ["-Wextra", "-Wno-error=x", "-Werror", "-funsigned-char", "-fno-common", "-g3", "-fwrapv"]
)
def test_other_flags_are_taken(tmp_path: Path, flag: str) -> None:
    tree(tmp_path)
    assert built(tmp_path, f'[build]\nc_flags = ["{flag}"]\ncxx_flags = ["{flag}"]\nlink_flags = ["-Wl,-u,x"]') == [
        "app.c"
    ]


def test_a_pattern_of_a_process_is_of_what_is_built(tmp_path: Path) -> None:
    tree(tmp_path)
    tail = '[[process]]\nname = "p"\ntasks = ["a"]\nsources = ["src/deep/*"]\n'
    built(tmp_path, '[build]\nsources = ["src/**/*"]\nexclude = ["**/*_test.cpp"]', tail)
    (process,) = declaration.load(tmp_path / "system.toml").processes
    assert [path.name for path in process.sources] == ["two.cpp"]


def test_a_header_of_a_folder_in_build_is_named_with_its_folder(tmp_path: Path) -> None:
    tree(tmp_path)
    mailbox = '\n[[mailbox]]\nname = "m"\ntype = "struct t"\ninclude = "h.h"\ncapacity = 1\n'
    with pytest.raises(UserError) as raised:
        built(tmp_path, '[build]\ninclude = ["src", "src/deep/"]', mailbox)
    assert 'include = "h.h" does not exist\n  try: include = "src/deep/h.h"' in str(raised.value)
