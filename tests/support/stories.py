# SPDX-License-Identifier: Apache-2.0
"""Random systems, and the executions that their traces record."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from takt.image import build
from takt.observe import run
from takt.trace import records as trace
from takt.trace import segments
from takt.trace.records import Event

DURATION_MS = 60
STEP_US = 2048  # of periods and offsets: whole quanta of the unit, of expiries and of deadlines
WORK_US = 1024  # of executions, which are a little longer: so they end soon after a multiple of that, and not before
MORE_US = 64  # more than a synthetic load leaves to the kernel (docs/CAVEATS.md)
APART_NS = 600_000  # by which each completion lies before the next release: what the kernel takes changes no order
TASKS = 5
Story = list[tuple[str, int, int | None, int | None]]


def declared(chance: random.Random, scheduler: str) -> str:
    """A random system; `equals`: a fixed band in which two share a level."""
    tasks, names = "", []
    for number in range(TASKS):
        period = STEP_US * chance.randrange(5, 15)
        work = WORK_US * chance.randrange(1, 1 + 4 * period // TASKS // WORK_US // 3) + MORE_US
        offset = STEP_US * chance.randrange(0, 5)
        names.append(f"t{number}")
        tasks += f'[[task]]\nname = "t{number}"\nperiod = "{period} us"\noffset = "{offset} us"\nwcet = "{work} us"\n'
    chance.shuffle(names)
    bands = f'[[band]]\nkind = "fixed"\ntasks = [{names[:1]}, {names[1:3]}, {names[3:]}]\n'.replace("'", '"')
    return tasks + (bands if scheduler == "equals" else "")


def story(
    folder: Path, board: str, scheduler: str, engine: str, records: int | None = None
) -> tuple[Story, list[trace.Entry]]:
    """`records`: of the board's task manager, if not those that it has."""
    proved = run.load(str(folder), board, None if scheduler == "equals" else scheduler, "none", None, engine)
    if records is not None:
        proved = replace(proved, board=replace(proved.board, records=(records,)))
    finished = run.run(proved, DURATION_MS * 1_000_000, 1)
    assert finished.outcome.failure is None
    built = build.folder_of(proved.system, proved.board, proved.choice.scheduler)
    entries = [
        entry
        for entry in segments.read(built / "run" / "trace.takt").entries
        if entry.event not in (Event.INTERRUPT, Event.INTERRUPT_END) and entry.event < Event.STAT_JOBS
    ]
    return [(entry.event.name, entry.task, entry.job, entry.band) for entry in entries], entries


def apart(entries: list[trace.Entry]) -> bool:
    """Whether no release comes right after a completion."""
    ends = [entry.time_ns for entry in entries if entry.event is Event.COMPLETE]
    releases = sorted({entry.time_ns for entry in entries if entry.event is Event.RELEASE})
    return all(not end <= release < end + APART_NS for end in ends for release in releases)
