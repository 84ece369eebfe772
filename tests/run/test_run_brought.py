# SPDX-License-Identifier: Apache-2.0
"""An application that was not written for Takt (tests/run/brought): C and C++ in folders, own headers, an archive."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import EMULATED_MODES, Run

FOLDER = Path(__file__).parent / "brought"
Edited = Callable[..., Path]

COMPILERS = {
    "host": ("gcc", "ar"),
    "mps2-an385": ("arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb", "arm-none-eabi-ar"),
    "rv32-virt": ("riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32", "riscv64-unknown-elf-ar"),
}
PRINTED = "brought, and runs\n6 steps, output 260\n"


def archive(folder: Path, board: str, of: str | None = None, options: str = "") -> Path:
    """lib/BOARD/libfilter.a of an application, compiled for the board `of`."""
    compiler, ar = COMPILERS[of or board]
    path = folder / "lib" / board / "libfilter.a"
    path.parent.mkdir(exist_ok=True)
    command = [*compiler.split(), *options.split(), "-O2", "-I", str(folder / "include"), "-c"]
    subprocess.run([*command, folder / "lib/filter.c", "-o", path.with_suffix(".o")], check=True)
    path.unlink(missing_ok=True)
    subprocess.run([ar, "rcs", path, path.with_suffix(".o")], check=True)
    return path


@pytest.mark.parametrize(
    ("board", "protection"), EMULATED_MODES, ids=lambda value: {False: "plain", True: "protected"}.get(value, value)
)
def test_it_runs_on_every_board(
    board: str, protection: bool, edited: Edited, run_json: Run, scratch_builds: Path
) -> None:
    folder = edited()
    archive(folder, board)
    code, result = run_json(folder, "--board", board, *(["--protection"] if protection else []))
    assert code == 0, result
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text() == PRINTED


REFUSED = {
    "float ABI": (
        "mps2-an385",
        "mps2-an385",
        "-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16",
        "passes floating-point",
    ),
    "Cortex-M33": ("mps2-an385", "mps2-an385", "-mcpu=cortex-m33 -mfloat-abi=soft", "is for another Arm than"),
    "other processor": ("mps2-an385", "host", "", "is for x86-64, and the board has Arm"),
    "64 bit": ("rv32-virt", "rv32-virt", "-march=rv64imac -mabi=lp64", "is of 64 bits, and the board has 32"),
    "RISC-V with floats": ("rv32-virt", "rv32-virt", "-march=rv32imafc -mabi=ilp32f", "has the single-float ABI"),
    "more instructions": ("rv32-virt", "rv32-virt", "-march=rv32imafc -mabi=ilp32", "has instructions of f"),
    "bitcode": ("mps2-an385", "mps2-an385", "-flto", "was compiled with -flto"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_archive_for_another_processor_is_refused(
    case: str, edited: Edited, takt: Takt, scratch_builds: Path
) -> None:
    board, of, options, why = REFUSED[case]
    folder = edited()
    archive(folder, board, of, options)
    said = takt("build", folder, "--board", board)
    assert said.code == 2
    assert f'system.toml: [build]: libraries: "lib/{board}/libfilter.a": libfilter.o {why}' in said.err
    assert "  try: " in said.err


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "does not exist"),
        (b"", "neither an archive nor"),
        (b"!<thin>\n", "a thin archive"),
        (b"!<arch>\nx" * 9, "damaged"),
    ],
)
def test_what_is_no_archive_is_refused(
    content: bytes | None, why: str, edited: Edited, takt: Takt, scratch_builds: Path
) -> None:
    folder = edited()
    if content is not None:
        (folder / "lib/host").mkdir()
        (folder / "lib/host/libfilter.a").write_bytes(content)
    said = takt("build", folder, "--board", "host")
    assert said.code == 2
    assert why in said.err


WRONG = {
    "no extern C": (
        "include/brought/filter.h",
        'extern "C" {\n',
        'extern "C++" {\n',
        "libfilter.a defines filter_step as a function of C, and C++ calls one of C++",
        'extern "C" before its declaration',
    ),
    "entry of C++": (
        "src/control/report.cc",
        '#include "takt_app.h"\n',
        '#define TAKT_APP_H\n#include "takt/takt.h"\nextern "C" struct takt_mutex data;\n',
        "report_step: report.cc defines it as a function of C++",
        'extern "C" before its definition',
    ),
    "throws": (
        "src/control/controller.cpp",
        "    steps_++;\n",
        "    if (steps_++ > 9) {\n        throw 1;\n    }\n",
        "exception handling disabled",
        "exceptions = true",
    ),
    "typeid": (
        "src/control/controller.cpp",
        "    steps_++;\n",
        "    steps_ += dynamic_cast<const Proportional *>(&law_) != nullptr;\n",
        "-fno-rtti",
        "rtti = true",
    ),
    "new": (
        "src/control/controller.cpp",
        "    static Controller &found = instance;",
        "    static Controller &found = *new Controller(instance);",
        "there is no memory for new",
        "placement in a block of a [[pool]]",
    ),
    "header": (
        "src/control/controller.cpp",
        '#include "gains.hpp"',
        '#include "gain.hpp"',
        "gain.hpp: No such file",
        'include = ["FOLDER"] in [build]',
    ),
    "standard library": (
        "src/control/controller.cpp",
        '#include "gains.hpp"',
        "#include <vectors>",
        "vectors: No such file",
        'a header of the C++ library: "vector"',
    ),
    "not there": (
        "src/control/controller.cpp",
        "    steps_++;",
        "    extern int elsewhere(int);\n    steps_ = elsewhere(steps_);",
        "brought::elsewhere(int)",
        "add the file that defines it",
    ),
    "library": (
        "system.toml",
        '"m"]',
        '"mm"]',
        '[build]: libraries: "mm": the compiler has no libmm.a',
        "the path of the archive",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_cxx_is_said_in_its_terms(
    case: str, edited: Edited, takt: Takt, scratch_builds: Path
) -> None:
    name, what, other, problem, hint = WRONG[case]
    folder = edited((name, what, other))
    archive(folder, "mps2-an385")
    said = takt("build", folder, "--board", "mps2-an385")
    assert said.code == 2
    assert problem in said.err
    assert hint in said.err


ALONE = {
    "constructor": (
        [
            (
                "src/control/controller.cpp",
                "constinit Proportional proportional(OFFSET)",
                "volatile int offset = OFFSET;\nProportional proportional(offset)",
            )
        ],
        'controller.cpp has static objects whose constructors are code, and is in process "loop"',
    ),
    "inline function": (
        [
            (
                "src/control/inner/gains.hpp",
                "} // namespace brought",
                "[[gnu::noinline]] inline int limited(int value)\n{\n    return value > 9 ? 9 : value;\n}\n}",
            ),
            ("src/control/controller.cpp", "    steps_++;", "    steps_ += limited(target) != 0;"),
            ("src/legacy/clock.cpp", "    return clock.start();", "    return brought::limited(clock.start());"),
            (
                "src/legacy/clock.cpp",
                '#include "takt_app.h"\n',
                '#include "../control/inner/gains.hpp"\n#include "takt_app.h"\n',
            ),
        ],
        "has brought::limited(int), and so has a file of",
    ),
    "variable of an archive": (
        [
            (
                "lib/filter.c",
                "    filter->state +=",
                "    static int calls;\n    filter->state += calls++ < 0;\n    filter->state +=",
            )
        ],
        "libfilter.a(libfilter.o): calls",
    ),
    "archive calls the kernel": (
        [
            (
                "lib/filter.c",
                "    filter->state +=",
                "    extern void takt_hook_idle(void);\n    takt_hook_idle();\n    filter->state +=",
            )
        ],
        "libfilter.a(libfilter.o) calls takt_hook_idle, which belongs to the kernel",
    ),
}


@pytest.mark.parametrize("case", ALONE)
def test_what_a_process_cannot_have_is_refused(case: str, edited: Edited, takt: Takt, scratch_builds: Path) -> None:
    changes, problem = ALONE[case]
    folder = edited(*changes)
    archive(folder, "mps2-an385")
    said = takt("run", folder, "--board", "mps2-an385", "--protection")
    assert said.code == 2
    assert problem in said.err
