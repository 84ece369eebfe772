# SPDX-License-Identifier: Apache-2.0
"""What C and C++ call when a program has lost its way is a fault with a name: abort, a pure virtual function, what
would throw without exceptions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL, SECOND_EMULATED

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

Application = Callable[..., Path]


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
@pytest.mark.parametrize("case", CASES if FULL else ("abort", "pure virtual"))
def test_it_is_a_fault_that_says_so(
    case: str, board: str, application: Application, takt: Takt, scratch_builds: Path
) -> None:
    files, problem = CASES[case]
    said = takt("run", application(DECLARED.partition("[[process]]")[0], **files), "--board", board)
    assert said.code == 1, said.err
    assert problem in said.out
    assert "in task a" in said.out
    assert "an assertion failed" not in said.out


@pytest.mark.parametrize("board", BOARDS if FULL else SECOND_EMULATED)
def test_of_a_process_it_is_a_fault_of_that_process(
    board: str, application: Application, takt: Takt, scratch_builds: Path
) -> None:
    """Also where the compiler makes the call, as headers of C++ have it."""
    other = 'extern "C" void other(void);\nvoid other(void)\n{\n    __builtin_abort();\n}\n'
    folder = application(
        DECLARED,
        app_dot_c=JOB.replace("NEXT", "void other(void); other();"),
        other_dot_cpp=other,
    )
    for text in (
        other,
        other.replace("__builtin_abort", "abort").replace('extern "C"', '#include <stdlib.h>\nextern "C"'),
    ):
        (folder / "other.cpp").write_text(text, encoding="utf-8")
        said = takt("run", folder, "--board", board, "--protection")
        assert said.code == 1, said.err
        assert "process one: task a failed an assertion (abort)" in said.out
