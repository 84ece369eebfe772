# SPDX-License-Identifier: Apache-2.0
"""What the compiler says of an application's files reaches the user, once; of our own there is nothing to say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from takt.support.compile import LINES_MAX, read_ninja

DECLARED = """
[system]
board = "host"
duration = "20 ms"
{more}
[[task]]
name = "a"
entry = "a_job"
period = "10 ms"
wcet = "1 us"
[[mailbox]]
name = "box"
type = "int"
capacity = 4
[[mutex]]
name = "data"
users = [{{ task = "a", hold = "1 us" }}]
"""
PROCESS = """
[[process]]
name = "p"
tasks = ["a"]
sources = ["app.c"]
"""
CODE = """#include <takt_app.h>
int helper(void) { return 1; }
void a_job(void *argument)
{
    int three = 3;
    takt_mutex_try_lock(&data);
    takt_mutex_unlock(&data);
    box_try_send(&three);
}
"""
SAID = (
    "app.c:6:5: warning: ignoring return value of",
    "app.c:8:5: warning: ignoring return value of",
    "app.c:3:18: warning: unused parameter",
)


@pytest.mark.parametrize("protection", ["", "protection = true"])
def test_the_compilers_warnings_are_shown_once_and_only_the_applications(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, protection: str
) -> None:
    declared = DECLARED.format(more=protection) + (PROCESS + 'uses = ["box"]\ngives = ["box"]\n' if protection else "")
    folder = application(declared, app_dot_c=CODE)
    first = takt("run", str(folder), "--json")
    assert json.loads(first.out)["failure"] is None
    for text in SAID:
        assert first.err.count(text) == 1, first.err
    assert first.err.count("warning:") == len(SAID), first.err  # of a helper without a prototype, our own rule: nothing
    assert "warning" not in takt("run", str(folder), "--json").err


def test_a_failed_build_shows_the_warnings_of_what_it_did_compile(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next build does not compile that file again. What the user has ninja say does not matter."""
    monkeypatch.setenv("NINJA_STATUS", "%p ")
    broken = "\n".join(["#include <takt_app.h>", *[f"static int unused{n};" for n in range(LINES_MAX)], "int a = ;"])
    folder = application(DECLARED.format(more=""), app_dot_c=CODE, broken_dot_c=broken)
    failed = takt("build", str(folder))
    assert failed.code == 2
    assert "broken.c:62:9: error: expected expression" in failed.err
    (folder / "broken.c").write_text("", encoding="utf-8")
    mended = takt("build", str(folder))
    assert mended.code == 0
    for text in SAID:
        assert (failed.err + mended.err).count(text) == 1


NINJA = """ninja: Entering directory `/b'
[1/4] Building C object app.c.o
app.c:1:1: warning: one
[0/1] Re-running CMake...
-- Configuring done
[2/4] Building C object two.c.o
FAILED: two.c.o
/usr/bin/cc -Werror=two -c two.c
two.c:1:1: error: two
[3/4] Building C object three.c.o
three.c:1:1: warning: three
ninja: build stopped: subcommand failed.
"""


def test_warnings_and_errors_are_distinguished() -> None:
    said = read_ninja(NINJA)
    assert said.warnings == ("app.c:1:1: warning: one", "three.c:1:1: warning: three")
    assert said.errors == ("two.c:1:1: error: two",)


def test_the_first_error_is_among_the_lines_that_are_shown() -> None:
    lines = ["FAILED: a.o", "cc", *(f"a.c:{n}: warning: w" for n in range(500)), "a.c:9: error: here", "a.c:10: note"]
    shown = read_ninja("\n".join(lines)).shown_errors()
    assert len(shown) <= LINES_MAX + 1
    assert "a.c:9: error: here" in shown


def test_a_linkers_complaint_without_a_step_is_an_error() -> None:
    assert read_ninja("ninja: error: 'a.c', needed by 'a.o', missing").errors == (
        "ninja: error: 'a.c', needed by 'a.o', missing",
    )


def test_what_the_linker_finds_no_room_for_is_one_message(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path
) -> None:
    """Of what the declaration does not tell: data and constants of the application."""
    large = "#include <takt_app.h>\nconst char more[5000000] = {1};\nchar much[6000000];\nvolatile unsigned at;\n"
    large += "void a_job(void *argument) { *(volatile char *)argument = (char)(much[at] + more[at]); }\n"
    declared = DECLARED.format(more="").replace('"host"', '"mps2-an385"')
    said = takt("build", str(application(declared, app_dot_c=large)))
    assert said.code == 2
    assert "failed: it does not fit into the board's memory: " in said.err
    assert "code and constants, " in said.err
    assert "data and stacks, " in said.err
    assert len(said.err.strip().splitlines()) <= 4


def test_a_type_times_a_number_is_limited(takt: Takt, application: Callable[..., Path], scratch_builds: Path) -> None:
    declared = DECLARED.format(more="").replace(
        'type = "int"\ncapacity = 4', 'type = "struct large"\ninclude = "large.h"\ncapacity = 60000'
    )
    header = "struct large { char bytes[60000]; };\n"
    said = takt("build", str(application(declared, app_dot_c=CODE, large_dot_h=header)))
    assert said.code == 2
    assert "capacity of [[mailbox]] box in system.toml times the size of its type: 16777216 bytes at most" in said.err
