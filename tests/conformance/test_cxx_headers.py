# SPDX-License-Identifier: Apache-2.0
"""Public headers in C++: each alone without a warning, and with the same layout of every structure as in C."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from running import only_full
from takt.image.application.cmake import FREESTANDING
from takt.support.names import CXX_HEADERS
from takt.support.provision import ROOT

ONLY = {
    "plain": ("takt_managed_processes", "takt_process"),
    "processes": ("takt_ring_ends", "takt_state_newest", "takt_port_map"),
}
"""Structures that there are only there."""
USES = Path(__file__).parent / "headers.cpp"
PUBLIC = ("kernel", "runner", "net/can", "net/e2e", "net/clock", "reflect/core", "reflect/linux", "analysis")
HEADERS = sorted(path for room in PUBLIC for path in (ROOT / room / "include/takt").glob("*.h*"))
CONFIG = "kernel/config/preset/standard", "kernel/config/sched/budgets"
FOLDERS = [ROOT, *(ROOT / room / "include" for room in PUBLIC), *(ROOT / name for name in CONFIG)]
COMPILERS = {
    "host": ["g++"],
    "armv7m": ["arm-none-eabi-g++", "-mcpu=cortex-m3", "-mthumb", "-specs=picolibc.specs"],
    "rv32": ["riscv64-unknown-elf-g++", "-march=rv32imac", "-mabi=ilp32", "-specs=picolibc.specs"],
}
KINDS = {
    "plain": [],
    "processes": ["-DTAKT_PROCESSES=1", "-DTAKT_PROCESS_SLOTS=1", "-DTAKT_BURSTS=1", "-DTAKT_SERVERS=1"],
}
HEADS = [f'#include "takt/{name}.h"\n' for name in ("admission", "board", "create", "invariants", "server", "takt")]
LIBRARY = Path("/usr/include/newlib/c++/12.2.1")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def refused(port: str, *arguments: str | Path, own: bool = True) -> str:
    """What a compiler says of a file. `own`: our headers are ours, not the system's."""
    if shutil.which(COMPILERS[port][0]) is None:
        pytest.skip(f"{COMPILERS[port][0]} is not installed")
    folders = [*FOLDERS, ROOT / "ports" / port]
    includes = [word for folder in folders for word in ("-I" if own else "-isystem", folder)]
    done = subprocess.run([*COMPILERS[port], *includes, *arguments], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("kind", KINDS)
def test_each_header_is_cxx_without_a_warning(kind: str, tmp_path: Path) -> None:
    """All in one run of the compiler, each in its own file."""
    files = []
    for number, header in enumerate(HEADERS):
        path = tmp_path / f"{number}.cpp"
        path.write_text(f'#include "{header}"\n', encoding="utf-8")
        files.append(path)
    more = ["-DTAKT_IN_PROCESS=1"] if kind == "processes" else []
    assert refused("host", "-std=c++17", "-fsyntax-only", *STRICT, *KINDS[kind], *more, *files) == ""


@pytest.mark.parametrize(
    ("port", "standard"), [("host", "c++17"), ("host", "c++20"), ("armv7m", "c++17"), ("rv32", "c++17")]
)
def test_objects_are_defined_in_cxx(port: str, standard: str) -> None:
    assert refused(port, f"-std={standard}", "-fsyntax-only", *STRICT, USES, own=False) == ""


@only_full
@pytest.mark.parametrize("standard", ["gnu++17", "gnu++20"])
@pytest.mark.parametrize("port", ["armv7m", "rv32"])
def test_boards_have_the_headers_of_the_library(port: str, standard: str, tmp_path: Path) -> None:
    """All that GCC 12 has, without a warning."""
    names = sorted(CXX_HEADERS - ({"coroutine"} if standard == "gnu++17" else set()))
    source = tmp_path / "all.cpp"
    source.write_text("".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in names))
    library = [f"-I{folder}" for folder in (LIBRARY, LIBRARY / "arm-none-eabi/thumb/v7-m/nofp")]
    assert (LIBRARY / "span").is_file()
    assert refused(port, f"-std={standard}", "-fsyntax-only", *STRICT, *FREESTANDING, *library, source) == ""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("port", COMPILERS)
def test_structures_have_one_layout_in_both_languages(port: str, kind: str, tmp_path: Path) -> None:
    """Their sizes, and where the last members are."""
    text = "".join(path.read_text(encoding="utf-8") for path in HEADERS if path.parts[-4] in ("kernel", "analysis"))
    names = sorted(set(re.findall(r"^struct (takt_\w+) \{", text, re.MULTILINE)) - {"takt_port_context", "takt_reader"})
    assert len(names) > 50
    elsewhere = [name for other, only in ONLY.items() if other != kind for name in only]
    sizes = {}
    for suffix, options in ((".c", ["-x", "c", "-std=gnu11"]), (".cpp", ["-x", "c++", "-std=gnu++17"])):
        path = tmp_path / f"sizes{suffix}"
        analyses = sorted(path.name for path in (ROOT / "analysis" / "include" / "takt").glob("*.h"))
        lines = [*HEADS, *(f'#include "takt/{name}"\n' for name in analyses)]
        lines += ['#ifdef __cplusplus\nextern "C"\n#endif\n', "const unsigned sizes[] = {"]
        lines += [f"sizeof(struct {name}), " for name in names if name not in elsewhere]
        path.write_text("".join([*lines, "};\n"]), encoding="utf-8")
        object_ = path.with_suffix(f"{suffix}.s")
        assert refused(port, *options, *KINDS[kind], "-S", "-o", object_, path) == ""
        sizes[suffix] = re.findall(r"\.(?:long|word|zero|space)\t(\d+)", object_.read_text(encoding="utf-8"))
    assert sizes[".c"] == sizes[".cpp"]
    assert len(sizes[".c"]) > 40
