# SPDX-License-Identifier: Apache-2.0
"""What a board sends, as it comes: read once for the figures of the run, and kept in files of a bounded size.

A long trace is kept in segments: the first ones and the last ones, each a trace file of its own. What is between them
is counted, and is in no file.
"""

from __future__ import annotations

import ctypes
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from takt.support.c.replay import LAST as LAST_EVENTS
from takt.support.c.replay import Choice
from takt.support.c.traces import Event
from takt.support.files import write_over, write_whole
from takt.trace import log, segments
from takt.trace.library import Reader
from takt.trace.log_lines import SHOWN
from takt.trace.records import RECORD_SIZE, Entries, Entry, Names, Trace, time_record
from takt.trace.replay import Times, times

SEGMENT = 32 << 20
"""Bytes of records of a file, about."""
PIECE = 1 << 20
"""Bytes that are taken at a time."""
FIRST, LAST = 14, 15
"""How many files are kept of the beginning and of the end: less than 1 GB together."""


class Follower(Protocol):
    """Takes events of these kinds as they come, and others."""

    @property
    def events(self) -> tuple[Event, ...]: ...
    def take(self, entry: Entry) -> None: ...


@dataclass(frozen=True)
class Watched:
    """What is judged event by event. `objects`: id, the task that it releases, and whether that is by posts.
    `follower`: of what is judged without being kept."""

    objects: tuple[tuple[int, int, bool], ...] = ()
    injections: bool = False
    follower: Follower | None = None


@dataclass(frozen=True)
class Seen:
    """What a run is judged by. `entries`: those that are judged one by one, of the whole trace."""

    names: Names
    entries: tuple[Entry, ...]
    reader: Reader
    watched: Watched

    @property
    def now_ns(self) -> int:
        """The time of the last record."""
        return int(self.reader.totals.now_ns)

    @property
    def events(self) -> int:
        """How many there are, figures at the end aside."""
        return int(self.reader.totals.events)

    @property
    def lost_records(self) -> int:
        return int(self.reader.totals.lost)

    def times(self) -> list[Times] | None:
        """None: there is no trace (preset lean), or one with gaps."""
        return times(self.reader, self.names) if self.events and not self.reader.totals.gaps else None

    def completed(self, task: int) -> int:
        """Jobs of a task."""
        return int(self.reader.c.takt_replay_figures(self.reader.handle, task).contents.completed)

    def locks(self, task: int, mutex: int) -> int:
        """How often a task got a mutex."""
        return int(self.reader.c.takt_replay_locks(self.reader.handle, task, mutex))

    def messages(self) -> dict[str, int]:
        """How many messages of the log there are of each level that has any."""
        found: Counter[str] = Counter()
        for number, message in self.names.log.items():
            found[message.level] += self.reader.c.takt_replay_messages(self.reader.handle, number)
        return {level: found[level] for level in SHOWN if found[level]}


def reader_of(names: Names, watched: Watched) -> Reader:
    """A reader that gives what is judged one by one."""
    reader = Reader(names.declared())

    def choose(choice: Choice, events: Iterable[Event]) -> None:
        for event in events:
            reader.give(event, choice)

    choose(Choice.GIVE, (event for event in Event if event >= Event.STAT_JOBS))
    if watched.injections:
        choose(Choice.GIVE, (Event.TAKE, Event.RELEASE, Event.MISS, Event.COMPLETE))
        choose(Choice.GIVE_AFTER, (Event.LOST_RECORDS,))
    if watched.follower is not None:
        choose(Choice.GIVE, watched.follower.events)
    choose(Choice.GIVE_LAST, (Event.PROCESS,))
    for target, task, posts in watched.objects:
        reader.c.takt_replay_choose_object(reader.handle, target, task, posts)
    return reader


class _Kept:
    """Of the entries that a reader gives, those that are judged, and strings of messages."""

    def __init__(self, names: Names, watched: Watched) -> None:
        self.entries: list[Entry] = []
        self.addresses: set[int] = set()
        self._follower = watched.follower
        self._dropped = () if self._follower is None or watched.objects or watched.injections else self._follower.events
        self._log = names.log
        self._made = Entries()
        self._messages: deque[Entry] = deque(maxlen=LAST_EVENTS)

    def add(self, rows: memoryview) -> None:
        self._add(self._made.of(rows))

    def end(self) -> None:
        self._add(self._made.rest())
        self.entries += self._messages

    def _add(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if self._follower is not None:
                self._follower.take(entry)
                if entry.event in self._dropped:
                    continue
            if entry.event is not Event.LOG:
                self.entries += [*self._messages, entry]
                self._messages.clear()
                continue
            self._messages.append(entry)
            if entry.value in self._log:
                self.addresses.update(log.addresses(self._log[entry.value], entry.words))


class Recording:
    """Takes a trace by `write`; `end` gives what was seen. `strings`: what an image has at some addresses."""

    def __init__(
        self, path: Path, names: Names, watched: Watched, strings: Callable[[Iterable[int]], dict[int, str]]
    ) -> None:
        self.bytes = 0  # that the board sent
        self.dropped = 0  # records that are in no file
        self._path, self._names, self._strings = path, names, strings
        self._reader = reader_of(names, watched)
        for number, message in names.log.items():
            if log.refers(message):
                self._reader.c.takt_replay_choose_message(self._reader.handle, number)
        self._kept = _Kept(names, watched)
        self._watched = watched
        self._buffer = bytearray(SEGMENT + PIECE)  # of the segment, and what came behind it
        self._view = memoryview(self._buffer)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._buffer))
        self._filled = self._read = 0  # bytes of it that there are, and that were read
        self._number = 1
        self._records: list[int] = []  # of each segment
        for left in path.parent.glob(f"{path.stem}.*{path.suffix}"):
            left.unlink()

    @property
    def now_ns(self) -> int:
        """The time of the last record."""
        return int(self._reader.totals.now_ns)

    @property
    def sound(self) -> int:
        """Bytes of the records before the first that is damaged."""
        return int(self._reader.totals.records) * RECORD_SIZE

    def take(self, file: int) -> int:
        """What a file, which has some, gives next: how many bytes that are."""
        more = os.readv(file, [self._view[self._filled : self._filled + PIECE]])
        self._advance(more)
        return more

    def write(self, data: bytes) -> None:
        """What the board sent next, in parts of any size."""
        for at in range(0, len(data), PIECE):
            part = data[at : at + PIECE]
            self._view[self._filled : self._filled + len(part)] = part
            self._advance(len(part))

    def _advance(self, more: int) -> None:
        self.bytes += more
        self._filled += more
        whole = self._filled - self._filled % RECORD_SIZE
        cut = self._cut(whole)
        self._feed(cut)
        if self._reader.totals.error:
            self._filled = self._read  # nothing is kept of what follows
        elif self._read > SEGMENT - RECORD_SIZE and self._filled > self._read:
            rest = bytes(self._view[self._read : self._filled])
            self._close()
            self._filled = RECORD_SIZE + len(rest)
            self._view[: self._filled] = time_record(self.now_ns) + rest
            self._read = RECORD_SIZE
            self._feed(self._filled - self._filled % RECORD_SIZE)

    def _cut(self, whole: int) -> int:
        """Where the segment ends, in what there is: an event is not cut."""
        at = min(max(SEGMENT, self._read), whole)
        while at < whole and not segments.starts_event(self._buffer, at):
            at += RECORD_SIZE
        return at

    def _feed(self, until: int) -> None:
        begin = self._read
        for taken in self._reader.chunks_at(self._address + begin, until - begin):
            self._kept.add(self._reader.events())
            self._read = begin + taken

    def _close(self) -> None:
        """Writes the segment, and forgets the one for which there is no room any more."""
        self._names = replace(self._names, strings=self._strings(self._kept.addresses))
        names = replace(self._names, segment=self._number)
        path, old = segments.path_of(self._path, self._number), self._number - LAST
        if old > FIRST:
            write_over(segments.path_of(self._path, old), path, names.header(), self._view[: self._read])
            self.dropped += self._records[old - 1]
        else:
            write_whole(path, names.header(), self._view[: self._read])
        self._records.append(self._read // RECORD_SIZE - (self._number > 1))
        self._number += 1

    def _say_gap(self) -> None:
        """In the first segment after those that were dropped, before its time: the gap begins where they did."""
        path = segments.path_of(self._path, self._number - LAST)
        names, records = segments.content(path)
        write_whole(path, names.header(), segments.gap(self.dropped), records)

    def end(self) -> Seen:
        """Nothing follows."""
        self._reader.finish()
        self._kept.add(self._reader.events())
        self._kept.end()
        self._close()
        if self.dropped:
            self._say_gap()
        return Seen(self._names, tuple(self._kept.entries), self._reader, self._watched)


def seen_of(trace: Trace, watched: Watched) -> Seen:
    """The same of events that are there already."""
    reader, kept = reader_of(trace.names, watched), _Kept(trace.names, watched)
    for _ in trace.through(reader):
        kept.add(reader.events())
    kept.end()
    return Seen(trace.names, tuple(kept.entries), reader, watched)
