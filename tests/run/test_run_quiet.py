# SPDX-License-Identifier: Apache-2.0
"""The kernel on the task manager without a trace: tasks wait quietly there (hardware/driver/state.h), and run as ever.

What ran when is noted by the tasks themselves, and printed before the end. The host's kernel takes no time.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from running import FULL, only_full
from stories import DURATION_MS, STEP_US, TASKS, apart, declared, story
from takt.observe import run

BOARD = "ibex-soc"
LEAN = '[system]\nname = "quiet"\npreset = "lean"\n'
TELLER = f'[[task]]\nname = "teller"\nentry = "tell"\nperiod = "1 s"\noffset = "{DURATION_MS - 4} ms"\nwcet = "3 ms"\n'
NOTES = """
#include "takt_app.h"
#include "takt/board.h"
#include <string.h>
static char notes[4000];
static unsigned noted;
static void note(char what)
{
    if (noted < sizeof notes - 1) {
        notes[noted++] = what;
    }
}
void tell(void *argument)
{
    (void)argument;
    takt_board_console_write("ran ", 4);
    takt_board_console_write(notes, noted);
    takt_board_console_write("\\n", 1);
}
"""


def ran(folder: Path, board: str, scheduler: str | None, engine: str) -> str:
    """What the tasks noted; empty if the last did not come to tell it."""
    proved = run.load(str(folder), board, scheduler, "none", None, engine)
    finished = run.run(proved, DURATION_MS * 1_000_000, 1)
    assert finished.outcome.failure is None
    return finished.console.partition("ran ")[2].partition("\n")[0]


def same(folder: Path, scheduler: str | None = None) -> str:
    """It is the same on all."""
    expected = ran(folder, "host", scheduler, "software")
    for engine in ("software", "rtm") if FULL else ("rtm",):
        assert ran(folder, BOARD, scheduler, engine) == expected, engine
    return expected


def noting(text: str, scheduler: str) -> str:
    """The system with the jobs below, and with the one that tells."""
    for task in range(TASKS):
        text = text.replace(f'name = "t{task}"\n', f'name = "t{task}"\nentry = "job{task}"\n')
    return text + ('[[band]]\nkind = "fixed"\ntasks = ["teller"]\n' if scheduler == "equals" else "") + TELLER


def jobs(text: str) -> str:
    """In C: each notes its begin and its end."""
    return "".join(
        f"void job{task}(void *argument)\n{{\n    (void)argument;\n    note('{chr(65 + task)}');\n"
        f"    takt_work(TAKT_US({work}));\n    note('{chr(97 + task)}');\n}}\n"
        for task, work in enumerate(re.findall(r'wcet = "(\d+) us"', text))
    )


@pytest.mark.skipif(not FULL, reason="several runs, cycle by cycle: takt test --full")
@pytest.mark.parametrize("scheduler", ["edf", "dm", "equals"])
@pytest.mark.parametrize("seed", range(4))
def test_without_a_trace_tasks_run_in_the_same_order(
    application: Callable[..., Path], scratch_builds: Path, scheduler: str, seed: int
) -> None:
    """A random system, of which the host, where the kernel takes no time, says that no order is close."""
    chance = random.Random(f"quiet {scheduler} {seed}")
    named = None if scheduler == "equals" else scheduler
    for number in itertools.count():
        text = declared(chance, scheduler)
        _, entries = story(application(text, f"traced{number}"), "host", scheduler, "software")
        if not apart(entries):
            continue
        folder = application(LEAN + noting(text, scheduler), f"quiet{number}", app_dot_c=NOTES + jobs(text))
        if ran(folder, "host", named, "software"):
            break
    noted = same(folder, named)
    assert len(noted) > 4 * TASKS
    assert re.search("[A-E][A-E]", noted), "one is preempted"


# When the first comes for the second time it runs from 24.576 to 43.008 ms, and the others come meanwhile.
ASKED = """
[[task]]
name = "first"
entry = "first_job"
period = "24576 us"
wcet = "20 ms"
""" + "".join(
    f'[[task]]\nname = "{name}"\nentry = "{name}_job"\nperiod = "24576 us"\noffset = "{offset} us"\nwcet = "1 ms"\n'
    for name, offset in (("held", 2 * STEP_US), ("early", 8 * STEP_US), ("gone", 2 * STEP_US), ("last", 3 * STEP_US))
)
ASKED_CODE = (
    NOTES
    + """
static void job(char what)
{
    note(what);
    takt_work(TAKT_US(500));
}
void held_job(void *argument)
{
    (void)argument;
    job('h');
}
void early_job(void *argument)
{
    (void)argument;
    job('e');
}
void gone_job(void *argument)
{
    (void)argument;
    job('g');
}
static unsigned turn;
void last_job(void *argument)
{
    (void)argument;
    job('l');
    if (turn != 2) {
        return;
    }
    takt_task_resume(TASK_held);
    note('m');
    takt_delay(TAKT_US(2048)); /* over when the others have slept for as long, or run */
    note('n');
    takt_task_resume(TASK_early);
}
void first_job(void *argument)
{
    (void)argument;
    note('f');
    if (++turn != 2) {
        return;
    }
    takt_work(TAKT_US(8192));
    takt_task_suspend(TASK_held);  /* its time has come */
    takt_task_suspend(TASK_early); /* its time has not */
    takt_task_stop(TASK_gone);
    note(takt_task_stopped(TASK_gone) ? 's' : '?');
    takt_work(TAKT_US(10240));
    note('F');
}
"""
)


@only_full
def test_a_task_that_is_asked_about_has_been_released(application: Callable[..., Path], scratch_builds: Path) -> None:
    noted = same(application(LEAN + ASKED + TELLER, app_dot_c=ASKED_CODE), "dm")
    assert noted.startswith("fhglefsFlhmne"), noted


EQUALS = (
    "".join(
        f'[[task]]\nname = "{name}"\nentry = "{name}_job"\nperiod = "{period} us"\nwcet = "200 us"\n'
        for name, period in (("p", STEP_US), ("q", 2 * STEP_US), ("r", 4 * STEP_US))
    )
    + '[[band]]\nkind = "fixed"\ntasks = [["p", "q", "r"], "teller"]\n'
)
EQUALS_CODE = NOTES + "".join(
    f"void {name}_job(void *argument)\n{{\n    (void)argument;\n    note('{name}');\n    takt_work(TAKT_US(100));\n}}\n"
    for name in "pqr"
)


def test_equal_expiries_go_in_the_order_in_which_they_were_armed(
    application: Callable[..., Path], scratch_builds: Path
) -> None:
    """The slowest was armed first, and is the last that was declared."""
    folder = application(LEAN + EQUALS + TELLER, app_dot_c=EQUALS_CODE)
    expected = ran(folder, "host", None, "software")
    assert "prqp" in expected[3:] or "rqp" in expected[3:]
    assert ran(folder, BOARD, None, "rtm") == expected


# Ends of jobs that are not like most: too late, after a sleep, and of a task that was started with other limits.
ENDS = "".join(
    f'[[task]]\nname = "{name}"\nentry = "{name}_job"\nperiod = "{period} us"\n'
    f'offset = "{offset} us"\nwcet = "{wcet} us"\n'
    for name, period, offset, wcet in (
        ("beat", STEP_US, 0, 200),
        ("once", 60 * STEP_US, 2 * STEP_US + 500, 100),
        ("some", 4 * STEP_US, STEP_US + 40, 1000),
        ("other", 8 * STEP_US, 700, 1000),
    )
)
ENDS_CODE = (
    NOTES.replace("takt_board_console_write(notes, noted);", "tell_counts();").replace(
        "void tell(", "static void tell_counts(void);\nvoid tell("
    )
    + """
static unsigned turn;
static unsigned others; /* jobs since its configuration changed */
static struct takt_task_config changed;
static void count(uint32_t number)
{
    note((char)('0' + number));
}
static void tell_counts(void)
{
    struct takt_task *const tasks[] = {TASK_some, TASK_other};
    for (unsigned i = 0; i < 2; i++) {
        struct takt_task_statistics counted = takt_task_statistics(tasks[i]);
        note(' ');
        count(counted.jobs_completed);
        count(counted.misses);
        count(counted.overruns);
    }
    takt_board_console_write(notes, noted);
}
void beat_job(void *argument)
{
    (void)argument;
    note('.');
    takt_work(TAKT_US(100));
}
void once_job(void *argument)
{
    (void)argument;
    takt_task_stop(TASK_other);
    changed = *TASK_other->config;
    changed.deadline_ns *= 3;
    note(takt_task_start(TASK_other, &changed) == TAKT_OK ? '!' : '?');
}
void some_job(void *argument)
{
    (void)argument;
    note('s');
    turn++;
    takt_work(turn == 2 ? TAKT_MS(10) : TAKT_US(900)); /* the next release passes, and it is late */
    if (turn == 4) {
        takt_delay(TAKT_US(2500));
    }
    note('S');
}
void other_job(void *argument)
{
    (void)argument;
    note('o');
    bool longer = changed.deadline_ns != 0 && others++ == 0;
    takt_work(longer ? TAKT_US(11400) : TAKT_US(150)); /* the next release passes */
    note('O');
}
"""
)


def test_a_job_that_ends_otherwise_is_counted_and_released_as_ever(
    application: Callable[..., Path], scratch_builds: Path
) -> None:
    folder = application(LEAN + ENDS + TELLER, app_dot_c=ENDS_CODE)
    expected = ran(folder, "host", "dm", "software")
    assert expected.endswith(" 711 501"), "jobs, misses and overruns of both"
    assert ran(folder, BOARD, "dm", "rtm") == expected
