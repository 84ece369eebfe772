# SPDX-License-Identifier: Apache-2.0
"""What C and C++ call when a program has lost its way is a fault with a name: abort, a pure virtual function, what
would throw without exceptions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL

DECLARED = """
[system]
duration = "5 ms"
protection = false
[[task]]
name = "a"
entry = "a_job"
period = "10 ms"
wcet = "3 ms"
stack = 4096
[[process]]
name = "one"
tasks = ["a"]
sources = ["app.c", "other.cpp"]
"""
JOB = """
#include <stdlib.h>
#include "takt_app.h"
void a_job(void *argument)
{
    (void)argument;
    NEXT
}
"""
# Not known to one function alone: the compiler would see that there is one step only.
VIRTUAL = """
extern "C" void a_job(void *);
struct Base {
    Base();
    virtual void step() = 0;
    virtual ~Base() = default;
};
[[gnu::noinline]] static void call(Base *base)
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
void a_job(void *)
{
    Derived derived;
}
"""
DELETED = """
extern "C" void a_job(void *);
struct Object {
    virtual ~Object() = default;
};
[[gnu::noinline]] static void end(Object *object)
{
    delete object;
}
void a_job(void *)
{
    Object object;
    end(&object);
}
"""
THROWN = """
namespace std { [[noreturn]] void __throw_out_of_range(const char *); }
extern "C" void a_job(void *);
void a_job(void *)
{
    std::__throw_out_of_range("at");
}
"""
CASES = {
    "abort": ({"app_dot_c": JOB.replace("NEXT", "abort();")}, "C: a call of abort"),
    "pure virtual": ({"app_dot_cpp": VIRTUAL}, "C++: a call of a pure virtual function"),
    "delete": ({"app_dot_cpp": DELETED}, "C++: delete without a heap"),
    "throw": ({"app_dot_cpp": THROWN}, "C++: std::out_of_range, and there are no exceptions"),
}
IN_ENTRY = ("abort", "throw")
"""Those that the task's function calls itself, as the last thing that it does."""
LOST = {
    "pure virtual": "__cxa_pure_virtual",
    "delete": "operator delete(void*, unsigned int)",
    "throw": "std::__throw_out_of_range(char const*)",
}
"""The functions that end them."""

Application = Callable[..., Path]


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
@pytest.mark.parametrize("case", CASES if FULL else ("abort", "pure virtual"))
def test_it_is_a_fault_that_says_so(
    case: str, board: str, application: Application, takt: Takt, scratch_builds: Path
) -> None:
    files, problem = CASES[case]
    said = takt("run", application(DECLARED.partition("[[process]]")[0], **files), "--board", board)
    assert said.code == 1, said.err
    caller = "a_job" if case in IN_ENTRY else ".+"
    assert re.search(rf"{re.escape(problem)} at address 0x[0-9a-f]+ \({caller} \+ \d+\), in task a", said.out)
    assert "an assertion failed" not in said.out


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_of_a_process_it_is_a_fault_of_that_process(
    board: str, application: Application, takt: Takt, scratch_builds: Path
) -> None:
    """Also where the compiler makes the call, as headers of C++ have it."""
    other = 'extern "C" void other(void);\nvoid other(void)\n{\n    __builtin_abort();\n}\n'
    job = JOB.replace("NEXT", "void other(void); other();")
    in_c = job.replace("#include <stdlib.h>", "").replace("other();\n", "__builtin_abort();\n")
    folder = application(DECLARED, app_dot_c=job, other_dot_cpp=other)
    for name, text in (
        ("other.cpp", other),
        ("other.cpp", "#include <stdlib.h>\n" + other.replace("__builtin_abort", "abort")),
        ("app.c", in_c),
    ):
        (folder / name).write_text(text, encoding="utf-8")
        said = takt("run", folder, "--board", board, "--protection")
        assert said.code == 1, said.err
        assert "process one: task a failed an assertion (abort)" in said.out


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
@pytest.mark.parametrize("case", LOST if FULL else ("pure virtual",))
def test_with_protection_the_function_says_it(
    case: str, board: str, application: Application, takt: Takt, scratch_builds: Path
) -> None:
    """The processor's fault is in a function that no program calls by itself. On host there is none of a process."""
    declared = DECLARED.replace('"app.c", "other.cpp"', '"app.cpp"')
    said = takt("run", application(declared, **CASES[case][0]), "--board", board, "--protection")
    assert said.code == 1, said.err
    if board == "host":
        assert f"{CASES[case][1]} at address 0x" in said.out
        return
    assert "process one: task a executed an illegal instruction" in said.out
    assert re.search(rf"at address 0x[0-9a-f]{{8}} \({re.escape(LOST[case])} \+ \d+\)", said.out)
