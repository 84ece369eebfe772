# SPDX-License-Identifier: Apache-2.0
"""A stack that is smaller than what its task may need is in the verdict: refused, or said of what was forced."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from running import FIRST_EMULATED, MODES, SECOND_EMULATED, only_full

DECLARED = """
[system]
board = "{board}"
scheduler = "dm"
duration = "60 ms"
protection = {protection}
[[task]]
name = "victim"
entry = "victim"
period = "100 ms"
deadline = "90 ms"
wcet = "9 ms"
stack = 2048
suspension = "30 ms"
waits = 2
[[task]]
name = "big"
entry = "big"
period = "50 ms"
deadline = "20 ms"
offset = "10 ms"
wcet = "2 ms"
stack = 512
[[process]]
name = "both"
tasks = ["big", "victim"]
sources = ["app.c"]
console = true
"""
CODE = """
#include <takt_app.h>
#include <takt/board.h>
static volatile uint8_t sink;
/* Its frame reaches over the end of the stack, the guard there, and into the other stack. */
static __attribute__((noinline)) void deep(unsigned from)
{
    volatile uint8_t frame[1400];
    for (unsigned i = 0; i < 600; i++) {
        frame[i] = (uint8_t)(from + i);
    }
    sink = frame[0];
}
void big(void *argument) { (void)argument; deep(3); }
void victim(void *argument) { (void)argument; takt_delay(TAKT_MS(20)); }
"""


@pytest.fixture
def stack_jumps(application: Callable[..., Path]) -> Callable[..., str]:
    def write(board: str, protection: bool = False, **other: str) -> str:
        declared = DECLARED.format(board=board, protection=str(protection).lower())
        for what, instead in other.items():
            declared = declared.replace(what.replace("_", " = "), instead)
        return str(application(declared, app_dot_c=CODE))

    return write


@pytest.mark.parametrize(("board", "protection"), MODES[1:3] + MODES[4:])
def test_a_stack_below_its_bound_is_refused_with_the_calls_that_need_it(
    takt: Takt, stack_jumps: Callable[..., str], scratch_builds: Path, board: str, protection: bool
) -> None:
    folder = stack_jumps(board, protection)
    said = takt("run", folder)
    assert said.code == 1
    assert "the stack of big is too small: it needs up to " in said.err
    assert "bytes and has 512\n  big 0" in said.err
    assert "> app.c:deep 14" in said.err
    assert 'in [[task]] "big", or smaller local variables' in said.err
    assert "victim" not in said.err
    assert not (scratch_builds / "run").exists()
    wanted = said.err.partition("try: stack = ")[2].partition(" ")[0]
    forced = takt("run", folder, "--force")
    assert forced.code == 1
    assert "Within what was proved" not in forced.out
    last = next(line for line in forced.out.splitlines() if line.startswith("Not within"))
    assert f"the stack of big is too small: it needs up to {wanted} bytes and has 512: big " in last
    path = Path(folder) / "system.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("stack = 512", f"stack = {wanted}"), encoding="utf-8")
    assert takt("run", folder).code == 0


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_every_command_that_builds_to_run_refuses(
    takt: Takt, stack_jumps: Callable[..., str], scratch_builds: Path, tmp_path: Path, board: str
) -> None:
    folder = stack_jumps(board)
    built = takt("build", folder)
    assert (built.code, built.out) == (1, "")
    forced = takt("build", folder, "--force")
    assert forced.code == 0
    assert forced.out.splitlines()[-1].startswith("Forced: the stack of big is too small: ")
    asked = takt("run", folder, "--json")
    document = json.loads(asked.out)
    assert asked.code == 1
    assert [(one["name"], one["bytes"], one["needs"] > 1400) for one in document["stacks"]] == [
        ("victim", 2048, False),
        ("big", 512, True),
    ]
    wanted = {key.removeprefix("stacks[].") for key in documented("run") if key.startswith("stacks[].")}
    assert set(keys(document["stacks"][1])) == wanted
    assert [one["function"] for one in document["stacks"][1]["way"]] == ["big", "app.c:deep"]
    assert takt("measure", folder).code == 1
    assert "forced: the stack of big" in takt("measure", folder, "--force").err
    assert takt("run", folder, "--gdb-script", "/dev/null").code == 1
    reported = takt("report", folder, "-o", str(tmp_path / "page.html"))
    assert reported.code == 1
    assert "The stack of big is too small" in reported.out


UNKNOWN = """
#include <takt_app.h>
static void (*volatile where)(void);
static void nothing(void) { }
static __attribute__((noinline)) int down(int n) { volatile int keep = n; return n > 0 ? down(n - 1) + keep : 0; }
void big(void *argument) { (void)argument; where = nothing; where(); }
void victim(void *argument) { (void)argument; (void)down(2); }
"""


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_where_no_bound_is_known_the_verdict_says_so_and_nothing_is_refused(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    declared = DECLARED.format(board=board, protection="false")
    folder = str(application(declared, app_dot_c=UNKNOWN))
    said = takt("run", folder)
    assert said.code == 0
    verdict = next(line for line in said.out.splitlines() if line.startswith("Within what was proved"))
    assert "No bound is known of the stack of victim (recursion: app.c:down > app.c:down)" in verdict
    assert "big (big: it calls through a pointer, and the functions that may be called are not declared)" in verdict
    assert "No bound is known of the stack of victim" in takt("build", folder).out


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_function_that_is_declared_weak_is_the_one_that_was_compiled(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    """The kernel has such ones for what a task is handed: with objects that a program creates, without protection."""
    declared = DECLARED.format(board=board, protection="false").replace("console = true", "mutexes = 1")
    code = CODE.replace("1400", "700").replace("(void)argument; takt_delay", "takt_task_stop(argument); takt_delay")
    said = takt("run", application(declared.replace("512", "2048"), app_dot_c=code), "--force")
    assert "No bound is known" not in said.out
    assert "stack" in said.out


def test_stacks_of_the_host_are_its_own(takt: Takt, stack_jumps: Callable[..., str], scratch_builds: Path) -> None:
    said = takt("run", stack_jumps("host"))
    assert said.code == 0
    assert "bound is known" not in said.out


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_file_that_is_gone_is_in_no_bound(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, board: str
) -> None:
    """What the compiler wrote of it stays in the build folder."""
    declared = DECLARED.format(board=board, protection="false").replace('["app.c"]', '["other.c"]')
    folder = application(declared, other_dot_c=CODE)
    assert takt("build", str(folder)).code == 1
    (folder / "other.c").write_text(CODE.replace("[1400]", "[40]").replace("< 600", "< 40"), encoding="utf-8")
    assert takt("build", str(folder)).code == 0
    (folder / "other.c").write_text(CODE, encoding="utf-8")
    assert takt("build", str(folder)).code == 1
    (folder / "other.c").rename(folder / "app.c")
    (folder / "app.c").write_text(CODE.replace("[1400]", "[40]").replace("< 600", "< 40"), encoding="utf-8")
    (folder / "system.toml").write_text(declared.replace("other.c", "app.c"), encoding="utf-8")
    assert takt("build", str(folder)).code == 0


WAITS = """
#include <takt_app.h>
static volatile uint8_t sink;
/* Its frame begins below the end of the stack, and nothing is written there: the guard word stays. */
static __attribute__((noinline)) void deep(void)
{
    volatile uint8_t frame[1400];
    %s;
    sink = frame[1399];
}
void big(void *argument) { (void)argument; deep(); }
void victim(void *argument) { (void)argument; }
"""
OTHER = """
[[task]]
name = "quick"
period = "1 ms"
wcet = "50 us"
"""


@pytest.mark.parametrize("waits", ["takt_delay(TAKT_MS(1))", "takt_work(TAKT_MS(4))"])
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_task_that_waits_outside_of_its_stack_is_a_fault_with_its_name(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, board: str, waits: str
) -> None:
    """By itself, or preempted there."""
    declared = DECLARED.format(board=board, protection="false").replace('wcet = "2 ms"', 'wcet = "5 ms"') + OTHER
    said = takt("run", str(application(declared, app_dot_c=WAITS % waits)), "--force")
    assert said.code == 1
    assert "a stack overflowed" in said.out, said.out + said.err
    assert "in task big" in said.out.splitlines()[-1]
    assert " of 1024" not in said.out, "figures of stacks that a frame has gone through"


LEAVES = """
#include <takt_app.h>
#include <takt/board.h>
static volatile uint8_t sink;
/* Of its frame only the ends are written: beyond the guard, in the other stack. */
static __attribute__((noinline)) void deep(void)
{
    volatile uint8_t frame[1400];
    frame[0] = 1;
    %s;
    sink = frame[1399];
}
void big(void *argument) { (void)argument; deep(); }
void victim(void *argument)
{
    (void)argument;
    takt_delay(TAKT_MS(15));
    takt_board_console_write("goes on\\n", 8);
}
void outside(void *argument) { (void)argument; }
"""


@pytest.mark.parametrize("waits", ["takt_delay(TAKT_MS(6))", "takt_work(TAKT_MS(6))"])
@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_a_process_whose_task_leaves_its_stack_ends_before_another_of_its_tasks_runs(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, board: str, waits: str
) -> None:
    """By itself, in a call, or preempted by `victim`, which has waited; the kernel and other processes go on."""
    declared = DECLARED.format(board=board, protection="true").replace('wcet = "2 ms"', 'wcet = "7 ms"')
    declared = declared.replace('deadline = "90 ms"', 'deadline = "19 ms"').replace('"20 ms"', '"40 ms"')
    declared += (
        OTHER.replace("quick", "outside") + '[[process]]\nname = "other"\ntasks = ["outside"]\nsources = ["o.c"]\n'
    )
    code = LEAVES % waits
    folder = application(declared, app_dot_c=code[: code.index("void outside")])
    (folder / "o.c").write_text(f"#include <takt_app.h>\n{code[code.index('void outside') :]}", encoding="utf-8")
    said = takt("run", str(folder), "--force", "--json")
    assert said.code == 1
    document = json.loads(said.out)
    (fault,) = document["faults"]
    assert (fault["process"], fault["task"], fault["cause"]) == ("both", "big", "overflow"), fault
    assert "goes on" not in (next(scratch_builds.glob("app.*")) / "run" / "console.txt").read_text(encoding="utf-8")
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    assert jobs["victim"] == jobs["big"] == 0
    assert jobs["outside"] > 55
