# SPDX-License-Identifier: Apache-2.0
"""A long trace: it is read once, kept in segments of which the middle ones are dropped, and counted as a whole."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from command_line import Takt
from takt.report import lanes, page
from takt.trace import recording, segments
from takt.trace.log import Message
from takt.trace.recording import Recording, Watched, seen_of
from takt.trace.records import NONE, RECORD_SIZE, Entry, Event, Names, Trace, encode
from takt.trace.segments import Recorded, content, path_of, read

NAMES = Names(
    "host",
    "dm",
    ("a", "b"),
    ("m", "q"),
    kinds=("mutex", "mailbox"),
    deadlines_ns=(50, 90),
    log={
        3: Message("info", "motor", "a.c", 7, "%d %d %d %s", (4, 4, 4, 4)),
        4: Message("error", "", "b.c", 8, "x", ()),
    },
)
SEGMENT = 64 * RECORD_SIZE


def random_story(seed: int, count: int) -> list[Entry]:
    """Events of more than one record among them, far apart at times."""
    source = random.Random(seed)
    story, now = [Entry(0, Event.RUN, 0, None, None, NONE, 0)], 0
    for job in range(count):
        now += source.choice((0, 1, 900, 2**33))
        task = source.randrange(2)
        story.append(
            source.choice(
                (
                    Entry(now, Event.RELEASE, task, job, 0, NONE, now + source.choice((5, 2**34))),
                    Entry(now, Event.RUN, task, job, 0, NONE, 0),
                    Entry(now, Event.COMPLETE, task, job, 0, NONE, 0),
                    Entry(now, Event.BLOCK, task, job, 0, source.choice((0, 1, NONE)), 0),
                    Entry(now, Event.LOCK, task, job, 0, 0, 0),
                )
            )
        )
        if job % 5 == 0:
            running = next(entry.task for entry in reversed(story) if entry.event is Event.RUN)
            story.append(Entry(now, Event.LOG, running, None, None, NONE, 3, (job, 2, 3, 4096)))
    return [*story, Entry(now, Event.STAT_END, NONE, None, None, NONE, now)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "SEGMENT", SEGMENT)
    monkeypatch.setattr(recording, "PIECE", 7 * RECORD_SIZE + 3)


def recorded(path: Path, data: bytes) -> tuple[Recording, recording.Seen]:
    taken = Recording(path, NAMES, Watched(), lambda addresses: {address: f"at {address}" for address in addresses})
    taken.write(data)
    return taken, taken.end()


@pytest.mark.parametrize("seed", range(8))
def test_what_is_written_in_segments_is_read_back(tmp_path: Path, small: None, seed: int) -> None:
    story = random_story(seed, 600)
    path = tmp_path / "trace.takt"
    taken, seen = recorded(path, encode(story))
    files = sorted(tmp_path.iterdir())
    assert len(files) > 8
    assert all(file.stat().st_size < 2 * SEGMENT + 2000 for file in files)
    whole = read(path)
    assert list(whole.entries) == story
    assert whole.names.strings == {4096: "at 4096"}
    once = seen_of(Trace(NAMES, tuple(story)), Watched())
    assert (seen.times(), seen.messages(), taken.dropped) == (once.times(), once.messages(), 0)
    assert [seen.locks(task, 0) for task in (0, 1)] == [
        sum(entry.event is Event.LOCK and entry.task == task for entry in story) for task in (0, 1)
    ]
    alone = read(path_of(path, 3))
    assert alone.names.segment == 3
    known = [entry._replace(task=0) if entry.event is Event.LOG else entry for entry in story]  # who runs may not be
    part = [entry._replace(task=0) if entry.event is Event.LOG else entry for entry in alone.entries]
    at = known.index(part[0])
    assert part == known[at : at + len(part)]


def test_the_middle_of_a_long_trace_is_counted_and_dropped(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "FIRST", 3)
    monkeypatch.setattr(recording, "LAST", 2)
    (tmp_path / "trace.9.takt").write_text("of a run before")
    story = random_story(1, 2000)
    path = tmp_path / "trace.takt"
    taken, seen = recorded(path, encode(story))
    kept = Recorded(path)
    numbers = [Recorded(one).names.segment for one in kept.paths]
    assert numbers[:3] == [1, 2, 3]
    assert len(numbers) == len(list(tmp_path.iterdir())) == 5
    assert numbers[4] == numbers[3] + 1 > 20
    entries = list(kept.entries())
    (lost,) = (index for index, entry in enumerate(entries) if entry.event is Event.LOST_RECORDS)
    assert entries[:lost] == story[:lost]
    behind = [entry._replace(task=0) if entry.event is Event.LOG else entry for entry in entries[lost + 1 :]]
    expected = [entry._replace(task=0) if entry.event is Event.LOG else entry for entry in story]
    assert behind == expected[-len(behind) :]
    assert entries[lost].value == taken.dropped > 1000
    sizes = sum(len(content(part)[1]) // RECORD_SIZE - (part != path) for part in kept.paths)
    assert sizes - 1 + taken.dropped == len(encode(story)) // RECORD_SIZE
    assert (seen.lost_records, seen.events) == (0, len(story) - 1)  # the board lost none, and all were read
    shown = page.trace_page(kept)
    assert f"{taken.dropped} from " in shown
    reads: list[Path] = []

    def noted(one: Path) -> tuple[Names, bytes]:
        reads.append(one)
        return content(one)

    monkeypatch.setattr(segments, "content", noted)
    low, high = 0, entries[5].time_ns
    some, every = lanes.lanes(kept, [(low, high)], seen.reader), lanes.lanes(kept, [(low, high)])
    assert lanes.detail(some, NAMES, (low, high)) == lanes.detail(every, NAMES, (low, high))
    assert (some.gaps, some.end_ns) == (every.gaps, every.end_ns)
    (hole,) = some.gaps
    assert (hole.start_ns, hole.detail) == (entries[lost - 1].time_ns, taken.dropped)
    assert hole.end_ns == entries[lost + 1].time_ns
    assert hole.end_ns - hole.start_ns > low + entries[-1].time_ns // 2  # most of the run
    assert len(reads) == 2 * 5 - 1  # one segment less: it is neither drawn nor beside the gap


def test_memory_does_not_grow_with_the_trace(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "FIRST", 2)
    monkeypatch.setattr(recording, "LAST", 2)
    story = [entry for entry in random_story(2, 400) if entry.event not in (Event.LOG, Event.STAT_END)]
    rounds, length = 200, story[-1].time_ns + 1
    part = encode(story)
    taken = Recording(tmp_path / "trace.takt", NAMES, Watched(), lambda _: {})
    peaks = []
    tracemalloc.start()
    for number in range(rounds):
        if number and number % 20 == 0:
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.reset_peak()
        taken.write(
            part
            if not number
            else encode([entry._replace(time_ns=entry.time_ns + number * length) for entry in story[:40]])
        )
    tracemalloc.stop()
    # What is imported or made once, here or by another thread of the process, is in one of the differences.
    assert median(later - before for before, later in pairwise(peaks)) < 2_000
    assert taken.end().events == len(story) + 40 * (rounds - 1)


def test_a_segment_that_is_none_is_refused(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "trace.takt"
    path.write_bytes(NAMES.header().replace(b'"tasks"', b'"segment": 0, "tasks"'))
    said = takt("trace", path)
    assert (said.code, said.out) == (2, "")
    assert "expected the number of a segment, found 0" in said.err


DECLARED = """
[system]
duration = "300 ms"
[[task]]
name = "work"
period = "5 ms"
wcet = "1 ms"
"""


def test_a_run_in_segments(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "FIRST", 2)
    monkeypatch.setattr(recording, "LAST", 2)
    folder = application(DECLARED)
    said = takt("run", folder, "--board", "host")
    assert said.code == 0, said.err
    (path,) = scratch_builds.glob("*/run/trace.takt")
    line = next(line for line in said.out.splitlines() if line.startswith("trace:"))
    assert " and 3 more segments; " in line
    assert line.endswith(" records between are counted and in no file")
    document = json.loads((path.parent / "run.json").read_text(encoding="utf-8"))
    (task,) = document["tasks"]
    assert (task["jobs"], task["share"], document["lost_records"]) == (60, 0.2, 0)
    again = takt("run", folder, "--board", "host", "--duration", "5 ms")
    assert again.code == 0
    assert [one.name for one in path.parent.glob("trace*")] == ["trace.takt"]
