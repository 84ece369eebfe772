# SPDX-License-Identifier: Apache-2.0
"""The emulated boards, and all ports against each other."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, EMULATED, FIRST_EMULATED, SECOND_EMULATED, Run, assert_the_same, entries_of, only_full
from takt.declare.schema import boards
from takt.image import build
from takt.image.build import Image
from takt.observe import execute, run
from takt.support.errors import UserError
from takt.trace import segments
from takt.trace.records import Event

BARE = ("--overheads", "none")
TROUBLE = APPS / "troublesome"


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_under_rm_the_fifth_task_misses_at_8_ms(run_json: Run, board: str) -> None:
    _, document = run_json(TROUBLE, "--board", board, *BARE, "--scheduler", "rm", "--force")
    assert document["first_miss"] == {"task": "t5", "release_ns": 0, "deadline_ns": 8_000_000}


@only_full  # test_an_application_keeps_its_proof has the same tasks
@pytest.mark.parametrize("board", FIRST_EMULATED)
@pytest.mark.parametrize("scheduler", ["edf", "csd2"])
def test_under_edf_and_csd_none_misses(run_json: Run, scheduler: str, board: str) -> None:
    _, document = run_json(TROUBLE, "--board", board, *BARE, "--scheduler", scheduler)
    assert (document["misses"], document["first_miss"]) == (0, None)
    assert [task["jobs"] for task in document["tasks"]] == [250, 200, 167, 143, 125, 50, 34, 20, 10, 8]


@pytest.mark.parametrize("board", FIRST_EMULATED)
@pytest.mark.parametrize("name", ["troublesome", "avionics"])
def test_an_application_keeps_its_proof(run_json: Run, name: str, board: str) -> None:
    code, document = run_json(APPS / name, "--board", board)
    assert (code, document["misses"], document["within_proof"]) == (0, 0, True)


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_a_synthetic_load_executes_for_its_wcet(run_json: Run, board: str) -> None:
    """However often it is preempted; what the kernel takes to begin and end it is in it."""
    _, document = run_json(TROUBLE, "--board", board, *BARE, "--scheduler", "edf")
    for task in document["tasks"]:
        assert 0.9 * task["wcet_ns"] <= task["execution_ns_max"] <= task["wcet_ns"], task["name"]


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_preemption_is_not_taken_for_execution(run_json: Run, application: Callable[..., Path], board: str) -> None:
    """About 60 preemptions, or interrupts, of one job."""
    tasks = "".join(
        f'[[task]]\nname = "{name}"\nperiod = "{period} ms"\nwcet = "{wcet}"\n'
        for name, period, wcet in (("quick", 1, "300 us"), ("slow", 100, "40 ms"))
    )
    interrupt = '[[interrupt]]\nname = "tick"\nnumber = 20\nmin_interarrival = "1 ms"\nwcet = "50 us"\n'
    for name, text in (("preempted", tasks), ("interrupted", tasks + interrupt)):
        for scheduler in ("dm", "edf"):
            folder = application(text, f"{name}_{scheduler}")
            _, document = run_json(folder, "--board", board, "--scheduler", scheduler, "--duration", "400 ms")
            assert document["breaches"] == []
            slow = document["tasks"][1]
            assert 0.98 * slow["wcet_ns"] <= slow["execution_ns_max"] <= slow["wcet_ns"]


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_two_runs_leave_the_same_trace(takt: Takt, scratch_builds: Path, board: str) -> None:
    traces = []
    for _ in range(2):
        takt("run", TROUBLE, "--board", board, *BARE, "--scheduler", "edf", "--duration", "300 ms")
        (path,) = scratch_builds.glob("*/run/trace.takt")
        traces.append(entries_of(path))
    assert len(traces[0]) > 600
    assert_the_same(*traces)


@pytest.mark.parametrize("board", EMULATED)
def test_the_clock_is_read_just_before_the_processor_sleeps(scratch_builds: Path, takt: Takt, board: str) -> None:
    """Or QEMU wakes it late by all the instructions since the clock was read, when its main loop looks too early."""
    assert takt("build", TROUBLE, "--board", board, *BARE).code == 0
    (image,) = scratch_builds.glob("*/application.elf")
    shown = [f"{boards.load(board).tools}objdump", "-d", "--no-show-raw-insn", str(image)]
    text = subprocess.run(shown, check=True, capture_output=True, text=True).stdout
    asleep = re.findall(r"\t(\w+)[^\n]*\n[^\n]*\twfi\b", text)
    assert asleep
    assert set(asleep) <= {"ldr", "lw"}


# Every event lies 1 ms or more from the next one of another task, so kernel time cannot change their order.
APART = {
    "fixed": ("dm", (("brief", 20, 1, 3), ("middle", 40, 6, 20), ("rest", 80, 33, 2))),
    "edf": ("edf", (("brief", 20, 1, 3), ("middle", 40, 6, 20), ("rest", 80, 33, 2))),
    "late": ("rm", (("first", 10, 0, 5), ("second", 60, 2, 12))),  # `second` misses its deadline of 20 ms
}


@pytest.mark.parametrize("board", FIRST_EMULATED)
@pytest.mark.parametrize("name", APART)
def test_every_port_tells_the_story_of_the_host(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, name: str, board: str
) -> None:
    scheduler, tasks = APART[name]
    text = "".join(
        f'[[task]]\nname = "{task}"\nperiod = "{period} ms"\noffset = "{offset} ms"\nwcet = "{wcet} ms"\n'
        + ('deadline = "20 ms"\n' if task == "second" else "")
        for task, period, offset, wcet in tasks
    )
    folder = application(text)
    stories = []
    for runs_on in ("host", board):
        options = ("--board", runs_on, *BARE, "--scheduler", scheduler, "--duration", "398 ms", "--force")
        takt("run", folder, *options)
        (path,) = scratch_builds.glob(f"*-{runs_on}-*/run/trace.takt")
        story = [
            (entry.event.name, entry.task, entry.job, entry.band)
            for entry in segments.read(path).entries
            if entry.event not in (Event.INTERRUPT, Event.INTERRUPT_END) and entry.event < Event.STAT_JOBS
        ]
        stories.append(story)
    assert len(stories[0]) > 80
    assert stories[0] == stories[1]


def test_a_missing_emulator_is_reported(tmp_path: Path) -> None:
    board = replace(boards.load("mps2-an385"), run=("qemu-system-nowhere", "{image}"))
    image = Image(tmp_path / "image", tmp_path, 0, 0, 0, 0, False)
    with pytest.raises(UserError, match="qemu-system-nowhere is not installed, and mps2-an385 needs it"):
        execute.prepare(image, board, duration_ns=1, seed=1, plant=None)


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_stale_image_is_noticed(takt: Takt, scratch_builds: Path, board: str) -> None:
    proved = run.load(str(TROUBLE), board, "edf", "none")
    image = build.build(proved)
    other = replace(image, proof_hash=image.proof_hash ^ 1)
    taken = run.recording_of(proved, other)
    done = execute.run(
        other, proved.board, duration_ns=1_000_000, seed=1, plant=None, progress=lambda _: None, recording=taken
    )
    assert done.failure == "the image carries the hash of another proof: it was not built from these tables"
