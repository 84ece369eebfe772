# SPDX-License-Identifier: Apache-2.0
"""Exceptions, RTTI and the C++ standard library (tests/run/thrown), and where they are refused."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import FULL, Run, emulated, only_full
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image.application import cxx
from takt.support import provision
from takt.support.provision import ROOT

FOLDER = Path(__file__).parent / "thrown"
PRINTED = "3 times full, 0 objects left, 0 wrong\n"
HERE = all(package.present() for package in provision.packages([cxx.GROUP]))
needs_library = pytest.mark.skipif(not HERE and not FULL, reason="fetches 201 MB: takt test --full")
BOARDS = ["host", pytest.param(*emulated("mps2-an385").values, marks=needs_library)]
ONE_BOARD = BOARDS[1:] if HERE and not FULL else BOARDS

DECLARED = """
[system]
duration = "5 ms"
heap = "8 KiB"
[build]
cxx_library = true
exceptions = true
rtti = true
[[task]]
name = "a"
entry = "a_job"
period = "10 ms"
wcet = "3 ms"
[[interrupt]]
name = "line"
number = 5
handler = "handler"
min_interarrival = "4 ms"
wcet = "100 us"
"""
APP = """
#include <stdexcept>
#include "takt_app.h"
namespace
{
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};
[[noreturn, gnu::noinline]] void thrower()
{
    throw Failure("it");
}
void (*volatile hidden)() = thrower;
} // namespace
/* Not known to this file alone: the compiler would see that there is one step only. */
struct Base {
    Base();
    virtual void step() = 0;
};
[[gnu::noinline]] void call(Base *base)
{
    base->step();
}
Base::Base()
{
    call(this);
}
struct Derived : Base {
    void step() override
    {
    }
};
void handler(void)
{
    HANDLER
}
void a_job(void *)
{
    JOB
}
"""

Application = Callable[..., Path]


@pytest.mark.parametrize("board", ONE_BOARD)
def test_tasks_that_preempt_each_other_throw_and_catch(board: str, run_json: Run, scratch_builds: Path) -> None:
    code, result = run_json(FOLDER, "--board", board)
    assert code == 0, result
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text() == PRINTED
    reasons = [str(bound["reason"]) for bound in result["stacks"]]
    assert board == "host" or all("it may throw, by " in reason and "_step > " in reason for reason in reasons)


THROWS = """#include <stdexcept>
#include <typeinfo>
#include <vector>
#include "takt/board.h"
#include "takt_app.h"

struct Shape {
    virtual ~Shape() = default;
};
struct Round : Shape {};

void handler()
{
}

void a_job(void *)
{
    std::vector<int> some = {1, 2, 3};
    Round round;
    const Shape &shape = round;
    try {
        some.at(3) = dynamic_cast<const Round *>(&shape) != nullptr;
    } catch (const std::out_of_range &) {
        takt_board_console_write(typeid(shape) == typeid(Round) ? "caught\\n" : "", 7);
    }
}
"""


def test_on_host_the_standard_library_needs_no_heap(
    application: Application, run_json: Run, scratch_builds: Path
) -> None:
    folder = application(DECLARED.replace('heap = "8 KiB"\n', ""), app_dot_cpp=THROWS)
    code, result = run_json(folder, "--board", "host")
    assert code == 0, result
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text() == "caught\n"


PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(thrown LANGUAGES C CXX)
find_package(Takt 0.1 REQUIRED)
takt_application(image SYSTEM system.toml)
"""


@only_full
@needs_library
def test_a_build_of_ones_own_throws_and_catches(tmp_path: Path, takt: Takt, scratch_builds: Path) -> None:
    """With the tool chain of the board, which compiles C++ without exceptions."""
    folder, out = tmp_path / "thrown", tmp_path / "out"
    shutil.copytree(FOLDER, folder)
    (folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
    tools = [f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / 'toolchain.cmake'}", "-DTAKT_BOARD=mps2-an385"]
    subprocess.run(["cmake", "-S", folder, "-B", out, *tools, f"-DCMAKE_PREFIX_PATH={ROOT}"], check=True)
    subprocess.run(["cmake", "--build", out], check=True)
    said = takt("run", folder, "--board", "mps2-an385", "--image", out / "image.elf")
    assert said.code == 0, said.err
    assert PRINTED in said.out.replace("| ", "")


UNCAUGHT = {
    "leaves the entry": (
        "",
        "hidden();",
        "C++: std::terminate because of an exception of type (anonymous namespace)::Failure",
        "in task a",
    ),
    "leaves a noexcept function": (
        "",
        "[]() noexcept { throw 3; }();",
        "because of an exception of type int",
        "in task a",
    ),
    "no other handler": (
        "",
        "try { hidden(); } catch (const std::logic_error &) {}",
        "because of an exception of type (anonymous namespace)::Failure",
        "in task a",
    ),
    "nothing to throw again": ("", "throw;", "C++: std::terminate without an exception", "in task a"),
    "a pure virtual function": ("", "Derived derived;", "C++: a call of a pure virtual function", "in task a"),
    "in an interrupt": ("try { hidden(); } catch (...) {}", "", "C++: an exception in an interrupt", ""),
    "larger than the reserve": (
        "",
        "struct { char text[9000]; } large; throw large;",
        "C++: no memory for an exception",
        "in task a",
    ),
}


@pytest.mark.parametrize("board", ONE_BOARD)
@pytest.mark.parametrize("case", UNCAUGHT if FULL else ("leaves the entry", "in an interrupt"))
def test_what_nothing_catches_is_a_fault_that_says_so(
    case: str, board: str, application: Application, takt: Takt, scratch_builds: Path
) -> None:
    handler, job, problem, where = UNCAUGHT[case]
    folder = application(DECLARED, app_dot_cpp=APP.replace("HANDLER", handler).replace("JOB", job))
    said = takt("run", folder, "--board", board)
    assert said.code == 1, said.err
    assert problem in said.out
    assert where in said.out
    assert "an assertion failed" not in said.out


@needs_library
def test_an_interrupt_that_throws_is_seen_in_its_calls(
    application: Application, takt: Takt, scratch_builds: Path
) -> None:
    folder = application(DECLARED, app_dot_cpp=APP.replace("HANDLER", "thrower();").replace("JOB", ""))
    said = takt("build", folder, "--board", "mps2-an385")
    assert said.code == 2
    assert '[[interrupt]] "line": handler: an interrupt may not allocate, and its code does: handler > ' in said.err


PROCESS = '[[process]]\nname = "one"\ntasks = ["a"]\nsources = ["app.cpp"]\n'
REFUSED = {
    "no package": (
        "rv32-virt",
        ("", ""),
        "[build]: exceptions = true needs the C++ standard library, and for the processor of rv32-virt, RV32,",
        "--board mps2-an385 or host",
    ),
    "no heap": ("mps2-an385", ('heap = "8 KiB"', ""), "[build]: exceptions = true needs a heap", 'heap = "16 KiB"'),
    "protection": (
        "mps2-an385",
        ("[build]", f"{PROCESS}[build]"),
        "[build]: exceptions = true is not possible with protection",
        "--no-protection",
    ),
    "library alone": (
        "ibex-soc",
        ("exceptions = true\nrtti = true\n", ""),
        "[build]: cxx_library = true needs the C++ standard library, and for the processor of ibex-soc, RV32",
        "--board mps2-an385 or host",
    ),
}


@pytest.mark.parametrize(("case", "own"), [*((case, False) for case in REFUSED), ("no heap", True)])
def test_it_is_refused_by_the_key(case: str, own: bool, application: Application, takt: Takt, tmp_path: Path) -> None:
    board, (what, other), problem, hint = REFUSED[case]
    folder = application(DECLARED.replace(what, other, 1), app_dot_cpp=APP)
    command = ("generate", folder, "--format", "make", "-o", tmp_path / "out") if own else ("build", folder)
    said = takt(*command, "--board", board, *(["--protection"] if case == "protection" else []))
    assert said.code == 2
    assert problem in said.err
    assert hint in said.err


@pytest.mark.parametrize(
    ("board", "key", "installed"),
    [
        ("mps2-an385", "cxx_library = true\n", [cxx.GROUP]),
        ("mps2-an385", "", []),
        ("host", "cxx_library = true\n", []),
    ],
)
def test_the_package_is_installed_for_a_board_whose_system_asks(
    board: str,
    key: str,
    installed: list[str],
    application: Application,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = DECLARED.replace("cxx_library = true\nexceptions = true\nrtti = true\n", key)
    system = declaration.load(application(text, app_dot_cpp=APP) / "system.toml")
    monkeypatch.setattr(provision.Package, "present", lambda package: False)
    assert list(cxx.groups(system, boards.load(board))) == ["cxx", *installed]
    assert ("needs package libstdc++-arm-none-eabi-picolibc: 201 MB" in capsys.readouterr().err) == bool(installed)


def test_only_a_system_that_asks_has_it_installed() -> None:
    assert all(cxx.GROUP not in provision.groups_of(command) for command in ("build", "run", "test", "bench"))
