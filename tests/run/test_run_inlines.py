# SPDX-License-Identifier: Apache-2.0
"""Inline functions and virtual tables that files of two processes have: one is in the image, for both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL, Run

SAME = """#pragma once
struct Shape {
    virtual const char *name() const { return "shape"; }
};
struct Square : Shape {
    const char *name() const override { return "square\\n"; }
};
[[gnu::noinline]] inline int inner(int value)
{
    static const int some[] = {1, 5, 2, 8, 3, 4};
    return some[value % 6];
}
[[gnu::noinline]] inline const char *limited(int value)
{
    switch (inner(value)) {
    case 1: return "one\\n";
    case 2: return "two\\n";
    case 3: return "three\\n";
    case 4: return "four\\n";
    case 5: return "five\\n";
    }
    return "others\\n";
}
"""
TWO = """
[system]
protection = true
duration = "5 ms"
""" + "".join(
    f"""
[[task]]
name = "{name}"
entry = "{name}_job"
period = "10 ms"
wcet = "1 ms"
[[process]]
name = "of_{name}"
tasks = ["{name}"]
sources = ["{name}.cpp"]
console = true
"""
    for name in ("a", "b")
)
JOB = """#include "same.hpp"
#include "takt/board.h"
#include "takt_app.h"
static volatile int value = 3;
static const Square square;
static void write(const char *text)
{{
    int end = 0;
    while (text[end] != '\\n') {{
        end++;
    }}
    takt_board_console_write(text, end + 1);
}}
void {name}_job(void *)
{{
    const Shape *volatile shape = &square;
    write(shape->name());
    write(limited(value));
}}
"""


def two(application: Callable[..., Path], same: str = SAME, declared: str = TWO) -> Path:
    return application(declared, same_dot_hpp=same, a_dot_cpp=JOB.format(name="a"), b_dot_cpp=JOB.format(name="b"))


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_an_inline_function_of_two_processes_is_in_the_text_of_both(
    board: str, run_json: Run, application: Callable[..., Path], scratch_builds: Path
) -> None:
    """The linker keeps one, and one virtual table, with the constants that only one file has."""
    code, result = run_json(two(application), "--board", board)
    assert code == 0, result
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text() == 2 * "square\nothers\n"


@pytest.mark.parametrize(
    ("same", "declared", "problem"),
    [
        (SAME.replace("static const int", "static int"), TWO, "has inner(int)::some, and so has a file of process"),
        (
            SAME.replace("value % 6", "value % 6 + MORE"),
            TWO.replace('"a.cpp"]', '"a.cpp"]\ndefines = ["MORE=0"]').replace(
                '"b.cpp"]', '"b.cpp"]\ndefines = ["MORE=1"]'
            ),
            "a.cpp and b.cpp have different inner(int), of which the image has one",
        ),
    ],
)
def test_what_is_no_constant_of_two_processes_is_refused(
    same: str, declared: str, problem: str, takt: Takt, application: Callable[..., Path], scratch_builds: Path
) -> None:
    said = takt("build", two(application, same, declared), "--board", "mps2-an385")
    assert said.code == 2
    assert problem in said.err
