# SPDX-License-Identifier: Apache-2.0
"""The reader of traces (replay/): which events it gives, what it counts, and parts of the time."""

from __future__ import annotations

import random

from takt.support.c.replay import BINS, EVENT, Choice
from takt.trace.library import Reader
from takt.trace.records import NONE, Entries, Entry, Event, Names, encode, rows

NAMES = Names("host", "dm", ("a", "b"), ("m", "q"), kinds=("mutex", "mailbox"))


def event(time_ns: int, kind: Event, task: int = 0, target: int = NONE, value: int = 0) -> Entry:
    return Entry(time_ns, kind, task, 0, None, target, value)


def given(reader: Reader, entries: list[Entry]) -> list[Entry]:
    found, packed, made = list[Entry](), rows(entries), Entries()
    while packed:
        packed = packed[reader.take(packed) * EVENT.size :]
        found += made.of(reader.events())
    reader.finish()
    return [*found, *made.of(reader.events()), *made.rest()]


def test_a_chosen_event_comes_with_those_before_it() -> None:
    story = [event(time, Event.RUN, time % 2) for time in range(30)]
    story[20] = event(20, Event.PROCESS, 1, 0, 2)
    story[25] = event(25, Event.PROCESS, 1, 0, 16)
    reader = Reader(NAMES.declared())
    reader.c.takt_replay_choose(reader.handle, Event.PROCESS, Choice.GIVE_LAST)
    assert given(reader, story) == [*story[9:26], *story[26:]]  # none twice, and the last 12 of the trace


def test_the_event_after_a_gap_is_given() -> None:
    story = [event(time, Event.RUN, time % 2) for time in range(60)]
    story[20] = Entry(20, Event.LOST_RECORDS, NONE, None, None, NONE, 7)
    reader = Reader(NAMES.declared())
    reader.c.takt_replay_choose(reader.handle, Event.LOST_RECORDS, Choice.GIVE_AFTER)
    assert given(reader, story)[:2] == story[20:22]
    assert (reader.totals.lost, reader.totals.gaps) == (7, 1)


def test_what_an_object_causes_is_given() -> None:
    story = [
        event(0, Event.RUN, 0),
        event(1, Event.BLOCK, 1, 1),  # chosen: the task waits for it ...
        event(2, Event.SEND, 0, 1),  # ... and what is done to it,
        event(2, Event.KEY, 1, NONE, 3),  # with what is between
        event(2, Event.READY, 1),
        event(2, Event.RELEASE, 1, NONE, 9),  # and what it causes
        event(3, Event.LOCK, 0, 0),
        event(4, Event.BLOCK, 1, 1),  # again, until its timeout
        event(5, Event.RUN, 0),
        event(6, Event.READY, 1, NONE, 1),
        event(7, Event.READY, 1),  # of another wait
    ]
    reader = Reader(NAMES.declared())
    reader.c.takt_replay_choose_object(reader.handle, 1, 1, False)
    last = [event(10 + time, Event.RUN, 0) for time in range(20)]
    assert given(reader, [*story, *last]) == [*story[1:6], story[7], story[9], *last[-12:]]
    assert reader.c.takt_replay_locks(reader.handle, 0, 0) == 1
    assert reader.c.takt_replay_locks(reader.handle, 1, 0) == 0


def test_parts_of_the_time() -> None:
    """However often they grow, what a lane executed in a part is what it executed then."""
    source = random.Random(3)
    story, at = [], 0
    executed: list[tuple[int, int]] = []
    for number in range(400):
        begin, at = at, at + source.choice((1, 7, 400, 90_000))
        story.append(event(begin, Event.RUN, number % 2))
        executed += [(begin, at)] if number % 2 == 0 else []
    story = [event(0, Event.READY, 0), event(0, Event.READY, 1), *story, event(at, Event.RUN, 1)]
    reader = Reader(NAMES.declared())
    given(reader, story)
    width = int(reader.totals.bin_ns)
    assert (BINS // 2 - 1) * width <= at < BINS * width
    lane = reader.c.takt_replay_busy(reader.handle, 0)
    for part in range(BINS):
        low, high = part * width, (part + 1) * width
        expected = sum(max(0, min(high, end) - max(low, begin)) for begin, end in executed)
        assert lane[part] == expected, part


def test_records_in_odd_pieces_are_counted_alike() -> None:
    story = [event(100 * time, Event.RELEASE if time % 3 else Event.RUN, time % 2, NONE, 2**40) for time in range(3000)]
    data = encode([entry if entry.event is Event.RELEASE else entry._replace(value=0) for entry in story])
    reader, at = Reader(NAMES.declared()), 0
    for size in (160, 16, 4096, len(data)):
        at += reader.feed(data[at : at + size][:-16] if size == len(data) else data[at : at + size])
    assert (at, reader.totals.events) == (len(data) - 16, 3000 - 1)  # the last release waits for its deadline
    assert reader.feed(data[at:]) == 16
    assert reader.totals.events == 3000
