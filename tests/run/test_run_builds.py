# SPDX-License-Identifier: Apache-2.0
"""Builds of one's own, apps/builds: CMake, Make and Meson link the image that `takt build` makes, to the byte."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, BOARDS, EMULATED, FULL, only_full
from takt.support import provision
from takt.support.provision import ROOT

HERE = BOARDS if FULL else EMULATED[:1]
TOOLS = f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / 'toolchain.cmake'}"
EARLY = """
static volatile int32_t count;
__attribute__((constructor)) static void early(void)
{
    count = 1;
}
"""

MEMORY = """
#include <stdlib.h>
_Noreturn void filter_failed(void);
int32_t *filter_memory(void)
{
    int32_t *memory = malloc(100);
    if (memory == NULL) {
        filter_failed(); /* the machine code ends with this call, and that of the runner is behind it */
    }
    return memory;
}
"""
FAILED = """
_Noreturn void filter_failed(void);
_Noreturn void filter_failed(void)
{
    __builtin_trap();
}
"""
USES = """    int32_t *kept = filter_memory();
    *kept = newest;
    free(kept);
"""


@pytest.fixture
def folder(tmp_path: Path, scratch_builds: Path) -> Path:
    """apps/builds, whose library has a constructor: own builds always link what calls it, `takt build` where one is."""
    provision.require("builds")
    folder = tmp_path / "builds"
    shutil.copytree(APPS / "builds", folder, ignore=shutil.ignore_patterns("out"))
    with (folder / "filter" / "filter.c").open("a", encoding="utf-8") as file:
        file.write(EARLY)
    return folder


@dataclass(frozen=True)
class Built:
    """By a build system: the image, and what builds it again."""

    image: Path
    again: tuple[str | Path, ...]


Way = Callable[[Path, str], Built]


def by_cmake(folder: Path, board: str) -> Built:
    out = folder / "out" / "cmake"
    said(folder, "cmake", "-S", ".", "-B", out, TOOLS, f"-DTAKT_BOARD={board}", f"-DCMAKE_PREFIX_PATH={ROOT}")
    again = ("cmake", "--build", out)
    said(folder, *again)
    return Built(out / ("control" if board == "host" else "control.elf"), again)


def by_make(folder: Path, board: str) -> Built:
    again = ("make", "-s", f"BOARD={board}", f"TAKT={ROOT / 'takt'}")
    said(folder, *again)
    return Built(folder / "out" / board / "control.elf", again)


def by_meson(folder: Path, board: str) -> Built:
    out = folder / "out" / "meson"
    cross = [] if board == "host" else ["--cross-file", f"{board}.ini"]
    said(folder, "meson", "setup", out, f"-Dboard={board}", f"-Dtakt={ROOT / 'takt'}", *cross)
    again = ("ninja", "-C", out)
    said(folder, *again)
    return Built(out / "control.elf", again)


WAYS: list[Way] = [by_cmake, by_meson, by_make]


def said(folder: Path, *command: str | Path, code: int = 0) -> str:
    """What a program prints that ends with this code; 1: any but 0."""
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    assert min(done.returncode, 1) == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def loaded(image: Path) -> dict[str, tuple[int, bytes]]:
    """What is loaded of an image, with its addresses, without the hash of the file and its debug information."""
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        parts = [part for part in ELFFile(file).iter_sections() if part["sh_flags"] & 2]
        return {part.name: (part["sh_addr"], part.data()) for part in parts if part.name != ".note.gnu.build-id"}


def by_takt(takt: Takt, folder: Path, board: str) -> Path:
    built = takt("build", folder, "--board", board)
    assert built.code == 0, built.err
    return next(Path(ROOT, line.split(": ")[0]) for line in built.out.splitlines() if "bytes of code" in line)


@pytest.mark.parametrize("board", HERE)
def test_four_ways_make_the_same_image(folder: Path, takt: Takt, board: str) -> None:
    wanted = loaded(by_takt(takt, folder, board))
    assert ".text" in wanted
    for way in WAYS:
        image = way(folder, board).image
        assert loaded(image) == wanted, way
    check_runs(takt, folder, board, image)


@only_full
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("board", EMULATED)
def test_with_a_heap_too_and_bounds_of_stacks_are_known(folder: Path, takt: Takt, board: str, way: Way) -> None:
    rewrite(folder / "system.toml", 'board = "host"', 'heap = "1 KiB"')
    rewrite(folder / "filter" / "filter.c", EARLY, MEMORY)  # the library's options are its own, and so is the order
    with (folder / "app.c").open("a", encoding="utf-8") as file:
        file.write(EARLY)
    rewrite(folder / "app.c", '#include "filter.h"', '#include <stdlib.h>\n#include "filter.h"')
    before = "static struct filter filter;"
    rewrite(folder / "app.c", before, f"int32_t *filter_memory(void);{FAILED}{before}")
    rewrite(folder / "app.c", "    mean_write(&newest);\n", f"{USES}    mean_write(&newest);\n")
    wanted = loaded(by_takt(takt, folder, board))
    image = way(folder, board).image
    assert loaded(image) == wanted
    ran = takt("run", folder, "--board", board, "--image", image, "--duration", "100 ms", "--json")
    assert ran.code == 0, ran.err
    assert [one["reason"] for one in json.loads(ran.out)["stacks"]] == [None, None]


def check_runs(takt: Takt, folder: Path, board: str, image: Path) -> None:
    """The image of the system as it is declared now is run, and judged as any other; no other is."""
    near = os.path.relpath(image)
    ran = takt("run", folder, "--board", board, "--image", near, "--duration", "100 ms", "--json")
    assert ran.code == 0, ran.err
    assert {task["name"]: task["jobs"] for task in json.loads(ran.out)["tasks"]} == {"sample": 20, "report": 1}
    rewrite(folder / "system.toml", 'period = "5 ms"', 'period = "4 ms"')
    for given, problem in ((image, "was not built from"), (folder / "app.c", "app.c is no image of Takt")):
        refused = takt("run", folder, "--board", board, "--image", given)
        assert refused.code == 2
        assert problem in refused.err


def rewrite(path: Path, what: str, other: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(what) == 1
    path.write_text(text.replace(what, other), encoding="utf-8")


@pytest.mark.parametrize("way", [by_cmake, *(pytest.param(way, marks=only_full) for way in WAYS[1:])])
def test_a_change_of_the_declaration_is_proved_and_built(folder: Path, takt: Takt, way: Way) -> None:
    built = way(folder, "host")
    rewrite(folder / "system.toml", 'period = "5 ms"', 'period = "4 ms"')
    said(folder, *built.again)
    ran = takt("run", folder, "--image", built.image, "--duration", "10 ms")
    assert ran.code == 0, ran.err
    rewrite(folder / "system.toml", 'wcet = "2 ms"', 'wcet = "99 ms"')
    assert "Refuted: no scheduler proves it" in said(folder, *built.again, code=1)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--source", "gone.c"], "--source gone.c does not exist"),
        (["--source", "README.md"], "--source README.md: its name ends in none of .c, .cpp, .cc, .cxx, .S"),
        (["--compiler", "gcc", "--board", "mps2-an385"], "needs a GCC for arm-none-eabi, and gcc compiles for x86_64"),
        (["--compiler", "no-such"], "no-such is no compiler"),
        ([], "takt.mk exists and was not generated by takt: it would be overwritten"),
    ],
)
def test_generate_refuses(
    folder: Path, takt: Takt, monkeypatch: pytest.MonkeyPatch, options: list[str], problem: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "out").mkdir()
    (folder / "out" / "takt.mk").write_text("all: own\n", encoding="utf-8")
    refused = takt("generate", folder, "--format", "make", "-o", folder / "out", *options)
    assert (refused.code, problem in refused.err) == (2, True), refused.err
    assert (folder / "out" / "takt.mk").read_text(encoding="utf-8") == "all: own\n"


def test_a_protected_system_is_refused(takt: Takt, tmp_path: Path) -> None:
    refused = takt("generate", ROOT / "tests" / "protection" / "two", "--format", "cmake", "-o", tmp_path)
    assert "with protection, memory is placed in two links, which takt build does" in refused.err


def test_options_of_a_format_need_one(folder: Path, takt: Takt) -> None:
    assert "--source, --compiler and --force are for --format" in takt("generate", folder, "--force").err
    assert "--format needs --output" in takt("generate", folder, "--format", "make").err


def refused(folder: Path, text: str, languages: str = "C") -> str:
    """What CMake refuses of a project."""
    head = f"cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES {languages})\n"
    (folder / "CMakeLists.txt").write_text(head + text, encoding="utf-8")
    tools = ("-DCMAKE_C_COMPILER_FORCED=ON", "-DCMAKE_CXX_COMPILER_FORCED=ON", f"-DTakt_DIR={ROOT / 'cmake'}")
    return " ".join(said(folder, "cmake", "-S", ".", "-B", f"out/{languages}", *tools, code=1).split())


def test_cmake_refuses(folder: Path) -> None:
    found = "find_package(Takt 0.1 REQUIRED)\n"
    assert "try: SYSTEM system.toml" in refused(folder, f"{found}takt_application(control SOURCES app.c)")
    assert "unknown argument app.c" in refused(folder, f"{found}takt_application(control app.c SYSTEM system.toml)")
    assert "gone.toml does not exist" in refused(folder, f"{found}takt_application(control SYSTEM gone.toml)")
    assert "project(NAME LANGUAGES C)" in refused(folder, f"{found}takt_application(a SYSTEM system.toml)", "CXX")
    within = f"add_subdirectory({ROOT} takt)\ntakt_application(control SOURCES app.c)"
    assert "try: SYSTEM system.toml" in refused(folder, within)
    (folder / "app.S").touch()
    other = refused(folder, f"{found}takt_application(control SYSTEM system.toml SOURCES app.c app.S)")
    assert "app.S is built, and the project is without ASM" in other
    for version in ("0.0", "0.99", "1", "1.1.2"):
        other = refused(folder, f"find_package(Takt {version} REQUIRED)", "NONE")
        assert f'compatible with requested version "{version}"' in other
    rewrite(folder / "system.toml", 'wcet = "2 ms"', 'wcet = "99 ms"')
    other = refused(folder, f"{found}takt_application(control SYSTEM system.toml)")
    assert "takt refuses" in other
    assert "Refuted" in other


def test_the_tool_chain_of_a_board(folder: Path) -> None:
    script = folder / "show.cmake"
    script.write_text(
        f'include({ROOT}/cmake/toolchain.cmake)\nmessage("${{CMAKE_CXX_FLAGS_INIT}}")\n', encoding="utf-8"
    )
    flags = said(folder, "cmake", "-DTAKT_BOARD=mps2-an385", "-P", script).split()
    assert {"-mcpu=cortex-m3", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"} <= set(flags)
    board = said(folder, "cmake", "-DTAKT_BOARD=mps2", "-P", ROOT / "cmake" / "toolchain.cmake", code=1)
    assert 'TAKT_BOARD is "mps2", which is no board of Takt' in board
    assert "one of host, mps2-an385, rv32-virt" in " ".join(board.split())
