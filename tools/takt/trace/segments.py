# SPDX-License-Identifier: Apache-2.0
"""A trace in files: FILE.takt and, where it is long, FILE.2.takt, FILE.3.takt ..., each a trace file of its own. One
that is not the first begins with a record of its time; numbers that are not there were not kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from takt.support import files
from takt.support.c.traces import NO_BAND, NONE, WIDE, Event
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.trace.library import Reader
from takt.trace.records import OF_LOG, Entries, Entry, Names, Trace, names_of_line, refuse_damage

_HINT = "a file that `takt run` wrote"
_FOLLOWS = frozenset({Event.TIME, Event.DEADLINE, Event.LOG_WORDS})  # records that go on from the one before


def path_of(first: Path, number: int) -> Path:
    """The file with that number."""
    return first if number == 1 else first.with_suffix(f".{number}{first.suffix}")


def starts_event(data: bytes | bytearray, offset: int) -> bool:
    """Whether the record there begins an event."""
    return data[offset + 4] not in _FOLLOWS


def gap(count: int) -> bytes:
    """A record that says how many are not there."""
    return WIDE.pack(0, Event.LOST_RECORDS, NO_BAND, NONE, count)


def content(path: Path) -> tuple[Names, bytes]:
    """Of one file. UserError: it cannot be read, is no trace, or is of another version."""
    line, newline, records = files.read(path, hint=_HINT).partition(b"\n")
    return _names(path, line if newline else b""), records


def head(path: Path) -> Names:
    """The same without its records."""
    most = 1 << 16
    while b"\n" not in (data := files.read_first(path, most, _HINT)) and len(data) == most:
        most *= 4
    line, newline, _ = data.partition(b"\n")
    return _names(path, line if newline else b"")


def _names(path: Path, line: bytes) -> Names:
    names = names_of_line(path, line) if line else None
    if names is None:
        raise UserError(f"{shown_path(path)}: not a Takt trace", "a trace.takt that `takt run` wrote")
    return names


class Recorded:
    """A trace file with the segments that follow it; one of these alone where its name is given. UserError: as
    `content`."""

    def __init__(self, path: Path) -> None:
        self.names = head(path)
        segments = {self.names.segment: path}
        if self.names.segment == 1:
            segments |= _following(path)
        self.numbers, self.paths = list(segments), list(segments.values())
        if len(self.paths) > 1:  # the last one has all strings
            self.names = replace(self.names, strings=head(self.paths[-1]).strings)

    def through(self, reader: Reader, until_ns: int | None = None) -> Iterator[None]:
        """Has a reader read it; at each stop, what is given is to be taken. `until_ns`: segments behind that time are
        left out, except those around a gap and the last one. UserError: a record is damaged."""
        for index, path in enumerate(self.paths):
            if until_ns is not None and reader.totals.now_ns > until_ns and self._goes_on(index):
                continue
            before, (_, part) = int(reader.totals.records), content(path)
            for _ in reader.chunks(part):
                yield
            self._refuse(reader, index, before, len(part))
        reader.finish()
        yield

    def _goes_on(self, index: int) -> bool:
        """Whether the segments before and after one are there."""
        around = self.numbers[max(index - 1, 0) : index + 2]
        return len(around) == 3 and around[2] - around[0] == 2

    def _refuse(self, reader: Reader, number: int, before: int, size: int) -> None:
        try:
            refuse_damage(reader.totals, before, size)
        except ValueError as error:
            problem = f"{shown_path(self.paths[number])}: damaged trace: {error}"
            raise UserError(problem, "run again, which writes a new file") from None

    def check(self) -> None:
        """UserError: a record is damaged."""
        for _ in self.through(Reader(self.names.declared())):
            pass

    def entries(self) -> Iterator[Entry]:
        """All of them."""
        yield from self.events(Event)

    def of_log(self) -> Iterator[Entry]:
        """What takt.trace.log_lines reads."""
        yield from self.events(OF_LOG)

    def events(self, wanted: Iterable[Event]) -> Iterator[Entry]:
        """Those of some kinds, and a few others."""
        reader, made = Reader(self.names.declared(self.names.segment == 1)), Entries()
        for event in wanted:
            reader.give(event)
        for _ in self.through(reader):
            yield from made.of(reader.events())
        yield from made.rest()


def _following(path: Path) -> dict[int, Path]:
    """The other segments of a trace, by their numbers, in order."""
    found = {}
    for other in path.parent.glob(f"{path.stem}.*{path.suffix}"):
        number = other.stem[len(path.stem) + 1 :]
        if number.isdigit() and head(other).segment == int(number):
            found[int(number)] = other
    return dict(sorted(found.items()))


def read(path: Path) -> Trace:
    """A trace file, with the segments that follow it. UserError: as Recorded, or it is damaged."""
    recorded = Recorded(path)
    return Trace(recorded.names, tuple(recorded.entries()))
