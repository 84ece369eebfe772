# SPDX-License-Identifier: Apache-2.0
"""The kernel on the task manager (hardware/driver/rtm.c): tasks run as they do with the kernel's own queues."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, FULL, only_full
from stories import TASKS, apart, declared, story
from takt.declare.schema import boards
from takt.image import build, simulator
from takt.observe import run
from takt.support.errors import UserError
from takt.trace.records import Event

BOARD = "ibex-soc"
LATE_NS = 50_000  # a release, after its time


@pytest.mark.parametrize("scheduler", ["edf", *(["equals", "dm"] if FULL else [])])
@pytest.mark.parametrize("seed", range(4 if FULL else 1))
def test_both_engines_tell_the_same_story(
    application: Callable[..., Path], scratch_builds: Path, scheduler: str, seed: int
) -> None:
    """A random system, of which the host, where the kernel takes no time, says that no order is close."""
    chance = random.Random(f"{scheduler} {seed}")
    for number in itertools.count():
        folder = application(declared(chance, scheduler), f"app{number}")
        expected, entries = story(folder, "host", scheduler, "software")
        if apart(entries):
            break
    assert sum(name == "COMPLETE" for name, *_ in expected) > 2 * TASKS
    assert any(first[0] == "RUN" and second[0] == "RELEASE" for first, second in itertools.pairwise(expected))
    for engine in ("software", "rtm"):
        assert story(folder, BOARD, scheduler, engine)[0] == expected, engine


def resting(count: int) -> str:
    """Tasks that are released after the end, and have a record of the task manager each until then."""
    task = '[[task]]\nname = "r{}"\nperiod = "7 s"\noffset = "6 s"\nwcet = "1 us"\n'
    return "".join(task.format(number) for number in range(count))


@only_full
@pytest.mark.parametrize(("records", "rest", "given"), [(16, 4, 16), (32, 20, 32), (128, 62, None), (128, 121, None)])
def test_so_it_is_with_any_number_of_records(
    application: Callable[..., Path], scratch_builds: Path, records: int, rest: int, given: int | None
) -> None:
    """Those of the tasks that run are the last."""
    chance = random.Random(records)
    for number in itertools.count():
        text = resting(rest) + declared(chance, "edf")
        folder = application(text, f"app{number}")
        expected, entries = story(folder, "host", "edf", "software")
        if apart(entries):
            break
    assert sum(name == "COMPLETE" for name, *_ in expected) > 2 * TASKS
    proved = run.load(str(folder), BOARD, "edf", "none", None, "rtm")
    assert given is not None or build.records_of(proved, "rtm") == records
    assert story(folder, BOARD, "edf", "rtm", given)[0] == expected


@only_full
def test_a_unit_with_fewer_records_is_none_for_the_image(
    application: Callable[..., Path], scratch_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel says so at its start."""
    proved = run.load(str(application(resting(63))), BOARD, "edf", "none", None, "rtm")
    fewer = simulator.require(proved.board, pmp=False)
    monkeypatch.setattr(simulator, "require", lambda *_, **__: fewer)
    failure = run.run(proved, 10_000_000, 1).outcome.failure
    assert failure is not None
    assert "hardware/driver/rtm.c" in str(failure)


LENT = """
[[task]]
name = "high"
entry = "high_job"
period = "40960 us"
offset = "4096 us"
wcet = "1040 us"
[[task]]
name = "owner"
entry = "owner_job"
period = "40960 us"
wcet = "8208 us"
[[task]]
name = "equal"
period = "40960 us"
offset = "2048 us"
wcet = "1040 us"
[[band]]
kind = "fixed"
tasks = ["high", ["owner", "equal"]]
[[mutex]]
name = "m"
users = [{task = "high", hold = "512 us"}, {task = "owner", hold = "6144 us"}]
"""
LENT_CODE = """
#include "takt_app.h"
static void hold(uint64_t duration_ns)
{
    (void)takt_mutex_lock(&m);
    takt_work(duration_ns);
    takt_mutex_unlock(&m);
}
void high_job(void *argument)
{
    (void)argument;
    hold(TAKT_US(500));
}
void owner_job(void *argument)
{
    (void)argument;
    hold(TAKT_US(6000));
    takt_work(TAKT_US(2000));
}
"""


def test_a_task_that_inherits_no_more_goes_before_its_equals(
    application: Callable[..., Path], scratch_builds: Path
) -> None:
    """While it owned what a better one waits for, an equal of its own level has become ready."""
    folder = application(LENT, app_dot_c=LENT_CODE)
    expected, entries = story(folder, "host", "bands", "software")
    ran = [entry.task for entry in entries if entry.event is Event.RUN][:5]
    assert ran == [1, 0, 1, 0, 1]  # and then the equal
    assert story(folder, BOARD, "bands", "rtm")[0] == expected


WOKEN = """
[[task]]
name = "waiter"
entry = "waiter_job"
period = "1 s"
wcet = "1 ms"
suspension = "900 ms"
[[task]]
name = "poster"
entry = "poster_job"
period = "8192 us"
wcet = "4 ms"
[[task]]
name = "background"
entry = "background_loop"
[[band]]
kind = "fixed"
tasks = ["waiter", "poster", "background"]
[[semaphore]]
name = "s"
maximum = 100
"""
WOKEN_CODE = """
#include "takt_app.h"
void waiter_job(void *argument)
{
    (void)argument;
    for (;;) {
        (void)takt_semaphore_wait(&s);
    }
}
void background_loop(void *argument)
{
    (void)argument;
    for (;;) {
        takt_work(TAKT_US(100));
    }
}
void poster_job(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < POSTS; i++) {
        (void)takt_semaphore_post(&s);
    }
}
"""


@only_full
def test_a_task_woken_by_a_call_needs_no_interrupt(application: Callable[..., Path], scratch_builds: Path) -> None:
    """The kernel writes the running task to the unit: however often a better task is woken, the timer's interrupt comes
    for the releases alone."""
    taken, waits = [], []
    for posts in (0, 20):
        code = f"#define POSTS {posts}u\n{WOKEN_CODE}"
        folder = application('[system]\npreset = "lean"\n' + WOKEN, f"posts{posts}", app_dot_c=code)
        finished = run.run(run.load(str(folder), BOARD, None, "none", None, "rtm"), 40_000_000, 1)
        assert finished.outcome.failure is None
        assert finished.outcome.cycles is not None
        counts = {one.name: one.instructions for one in finished.outcome.cycles.functions}
        taken.append(counts["takti_timer_interrupt"])
        waits.append(counts["takt_semaphore_wait"])
    assert waits[1] > 50 * waits[0]
    assert taken[0] == taken[1]


def test_an_expiry_beyond_the_horizon_is_parked(application: Callable[..., Path], scratch_builds: Path) -> None:
    """The unit holds expiries of the next 68 s."""
    text = "".join(
        f'[[task]]\nname = "{name}"\nperiod = "{period} s"\nwcet = "1 ms"\n'
        for name, period in (("near", 60), ("far", 150))
    )
    proved = run.load(str(application(text)), BOARD, "dm", "none", None, "rtm")
    finished = run.run(proved, 310_000_000_000, 1)
    assert finished.outcome.failure is None
    releases = [
        (entry.task, entry.time_ns)
        for entry in finished.trace.entries
        if entry.event is Event.RELEASE and entry.time_ns > 0
    ]
    wanted = [(0, 60), (0, 120), (1, 150), (0, 180), (0, 240), (1, 300), (0, 300)]  # in the order of arming
    assert [task for task, _ in releases] == [task for task, _ in wanted]
    for (_, time_ns), (_, at_s) in zip(releases, wanted, strict=True):
        assert 0 <= time_ns - at_s * 1_000_000_000 < LATE_NS


def test_its_image_has_no_queue_of_its_own(application: Callable[..., Path], scratch_builds: Path) -> None:
    """Neither the tournament nor the sorted timer queue, nor what arms the one-shot."""
    folder = application(declared(random.Random(1), "edf"))
    proved = run.load(str(folder), BOARD, "edf", "none", None, "rtm")
    image = build.build(proved)
    text = (image.folder / "application.map").read_text(encoding="utf-8")
    linked = text.split("Linker script and memory map")[1]
    assert "rtm.c.obj" in linked
    assert "tournament.c.obj" not in linked
    names = set(re.findall(r"\b(takt_tournament_\w+|takt_port_timer_set)\b", linked))
    assert names == set()


def test_other_boards_have_no_task_manager(takt: Takt) -> None:
    said = takt("run", APPS / "troublesome", "--board", "rv32-virt", "--engine", "rtm")
    assert said.code == 2
    assert "--engine rtm: rv32-virt has none" in said.err


def test_deadlines_that_the_unit_does_not_tell_apart_are_refused(application: Callable[..., Path]) -> None:
    periods = {"rare": 9, "other": 1}
    text = "".join(f'[[task]]\nname = "{name}"\nperiod = "{periods[name]} s"\nwcet = "1 ms"\n' for name in periods)
    proved = run.load(str(application(text)), BOARD, "edf", "none", None, "rtm")
    with pytest.raises(UserError, match="its deadline is longer than 8 s, the longest that the task manager compares"):
        build.build(proved)


@pytest.mark.parametrize(("tasks", "records"), [(1, 64), (62, 64), (63, 128), (126, 128)])
def test_the_task_manager_has_as_many_records_as_are_needed(
    application: Callable[..., Path], tasks: int, records: int
) -> None:
    """One for each task, and two."""
    proved = run.load(str(application(resting(tasks))), BOARD, "edf", "none", None, "rtm")
    assert build.records_of(proved, "rtm") == records
    assert build.records_of(proved, "software") == 64


def test_more_timers_than_records_are_refused(application: Callable[..., Path]) -> None:
    proved = run.load(str(application(resting(127))), BOARD, "edf", "none", None, "rtm")
    with pytest.raises(UserError, match="of ibex-soc has 128 records at most, but 129 are needed: one for each task"):
        build.build(proved)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("records = [64, 128]", "records = [64, 96]", r"records = \[64, 96\]: expected powers of two"),
        ("records = [64, 128]", "records = [8, 64]", "records"),
        ("records = [64, 128]", "records = [64, 256]", "records"),
        ("records = [64, 128]", "", '"rtm" and `records` go together'),
        (', "rtm"]', "]", '"rtm" and `records` go together'),
    ],
)
def test_a_board_says_how_many_there_may_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, old: str, new: str, problem: str
) -> None:
    text = (boards.folder_of(BOARD) / "board.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / BOARD).mkdir()
    (tmp_path / BOARD / "board.toml").write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(boards, "FOLDER", tmp_path)
    with pytest.raises(UserError, match=problem):
        boards.load(BOARD)
