# SPDX-License-Identifier: Apache-2.0
"""Trace files: what is written is read back, what is damaged is refused, and the page lists every event."""

from __future__ import annotations

import json
import random
import re
import struct
from pathlib import Path

import pytest
from command_line import Takt
from takt.support.c.traces import RECORD as LAYOUT
from takt.support.provision import ROOT
from takt.trace import records, segments
from takt.trace.records import IDLE, NONE, TIMER, Entry, Event, Names

NAMES = Names("host", "csd2", ("fast", "slow"), ("lock",), ({"kind": "edf", "tasks": ["fast", "slow"]},), {7: "radio"})


def test_the_page_lists_every_event() -> None:
    page = (ROOT / "docs/trace.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    assert {name.upper(): int(number) for number, name in rows} == {event.name: int(event) for event in Event}


def test_the_page_draws_the_record() -> None:
    """Its table of bytes, with what the fields are called in C."""
    page = (ROOT / "docs/trace.md").read_text(encoding="utf-8").partition("\n## The file")[2]
    rows = re.findall(r"^\| (\d+)(?:-(\d+))? \|", page, re.MULTILINE)
    sizes = [int(last or first) - int(first) + 1 for first, last in rows]
    assert sizes == [struct.calcsize(letter) for letter in LAYOUT.format.strip("<")]


NONE_OF_THEM = (
    Event.TIME,
    Event.DEADLINE,
    Event.LOG,
    Event.LOG_WORDS,
)  # of a log: tests/trace/test_log_text.py


def random_entries(seed: int, count: int) -> list[Entry]:
    choose = random.Random(seed)
    now, entries = 0, []
    for _ in range(count):
        now += choose.choice([0, 1, 999, 10**6, 2**32 - 1, 2**32, 2**40])
        event = choose.choice([event for event in Event if event not in NONE_OF_THEM])
        task = choose.choice([0, 1, 77, NONE, IDLE])
        band = choose.choice([None, 0, 3])
        if event is Event.RELEASE:
            deadline_ns = choose.choice([0, now, now + 1, now + 2**32 - 2, now + 2**32 - 1, max(now - 7, 0), 2**64 - 1])
            entries.append(Entry(now, event, task, choose.choice([None, 0, 2**32 - 2]), band, NONE, deadline_ns))
        elif event >= Event.STAT_JOBS or event is Event.LOST_RECORDS:
            entries.append(Entry(now, event, task, None, band, NONE, choose.choice([0, 5, 2**64 - 1, 2**33 + 2**50])))
        else:
            job = choose.choice([None, 0, 2**32 - 2])
            entries.append(Entry(now, event, task, job, band, choose.choice([0, 9, NONE]), choose.randrange(2**16)))
    return entries


@pytest.mark.parametrize("seed", range(20))
def test_what_is_encoded_is_decoded(seed: int) -> None:
    entries = random_entries(seed, 200)
    data = records.encode(entries)
    assert list(records.decode(data)) == entries


def test_a_file_is_read_back(tmp_path: Path) -> None:
    entries = random_entries(1, 50)
    path = tmp_path / "trace.takt"
    records.write(path, NAMES, records.encode(entries))
    assert segments.read(path) == records.Trace(NAMES, tuple(entries))


def example(tmp_path: Path) -> Path:
    entries = [
        Entry(0, Event.RELEASE, 0, 0, 0, NONE, 7),
        Entry(1500, Event.LOCK, 0, 0, 0, 0, 0),
        Entry(2000, Event.INTERRUPT, NONE, None, None, 7, 0),
        Entry(2001, Event.INTERRUPT_END, NONE, None, None, TIMER, 0),
        Entry(5_000_000_000, Event.RUN, IDLE, None, None, NONE, 0),
        Entry(5_000_000_000, Event.READY, 1, 3, 0, NONE, 2),
        Entry(5_000_000_000, Event.STAT_JOBS, 1, None, None, NONE, 2**40),
    ]
    path = tmp_path / "trace.takt"
    records.write(path, NAMES, records.encode(entries))
    return path


def test_json_lines(takt: Takt, tmp_path: Path) -> None:
    said = takt("trace", example(tmp_path), "--json")
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert said.code == 0
    keys = {"time_ns": 0, "event": "release", "task": "fast", "job": 0, "band": 0, "object": None, "value": 7}
    assert lines[0] == keys
    assert [line["object"] for line in lines] == [None, "lock", "radio", "timer", None, None, None]
    assert [line["task"] for line in lines] == ["fast", "fast", None, None, "idle", "slow", "slow"]
    assert lines[4]["time_ns"] == 5_000_000_000
    assert lines[6]["value"] == 2**40
    assert "value" not in lines[1]


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        (Entry(0, Event.OVERRUN, 0, 4, 0, NONE, 3), 3),
        (Entry(0, Event.LOST, 0, 4, 0, NONE, 255), 255),
        (Entry(0, Event.FAULT, 0, 4, 0, 300, 0), 300),  # a line, as the kernel writes it
    ],
)
def test_how_many_and_which_line(entry: Entry, value: int) -> None:
    line = entry.named(NAMES)
    assert (line["object"], line["value"]) == (None, value)


def test_text_columns_are_aligned(takt: Takt, tmp_path: Path) -> None:
    lines = takt("trace", example(tmp_path)).out.splitlines()
    assert len(lines) == 8
    column = lines[0].index("event")
    assert all(line[column - 2 : column] == "  " and line[column] != " " for line in lines)
    assert lines[1].split() == ["0.000000", "release", "fast", "0", "0", "7"]


HEADER = NAMES.header()
RECORD = records.encode([Entry(0, Event.RUN, 0, 0, 0, NONE, 0)])


def changed(**fields: object) -> bytes:
    return json.dumps({**json.loads(HEADER), **fields}).encode() + b"\n" + RECORD


MALFORMED = {
    "empty": (b"", "not a Takt trace"),
    "no line": (HEADER.strip(), "not a Takt trace"),
    "not JSON": (b"hello\n" + RECORD, "not a Takt trace"),
    "binary": (bytes(range(256)) * 4, "not a Takt trace"),
    "not UTF-8": (b"\xff\xfe{}\n", "not a Takt trace"),
    "an array": (b"[1]\n" + RECORD, "not a Takt trace"),
    "nested": (b"[" * 100_000 + b"\n", "not a Takt trace"),
    "other format": (changed(format="perfetto"), "not a Takt trace"),
    "other version": (changed(version=1), "trace format version 1; this takt reads 2"),
    "tasks are numbers": (changed(tasks=[1]), "its first line"),
    "no tasks": (b'{"format": "takt-trace", "version": 2}\n', "its first line"),
    "bands are strings": (changed(bands=["edf"]), "its first line"),
    "interrupts are no table": (changed(interrupts=[]), "its first line"),
    "an escape sequence": (changed(tasks=["\x1b[2J"]), "its first line"),
    "half a character": (changed(tasks=["\ud800"]), "its first line"),
    "a deadline is text": (changed(deadlines_ns=["1 ms"]), "its first line"),
    "a budget is a number": (changed(budgets=[7]), "expected a budget"),
    "a budget is endless": (
        changed(budgets=[{"budget_ns": 1, "hold_ns": None, "on_budget": "stop"}]),
        "expected nanoseconds",
    ),
    "more tasks than numbers": (changed(tasks=["t"] * 0xFFFF), "its first line"),
    "time goes back": (
        HEADER + records.encode([Entry(2**33, Event.RUN, 0, 0, 0, NONE, 0)]) + struct.pack("<QQ", 0, 2**32),
        "record 2 (byte 32 of the records): time goes back to 4294967296 ns",
    ),
    "interrupt is no number": (changed(interrupts={"x": "radio"}), "its first line"),
    "cut": (HEADER + RECORD + RECORD[:7], "the last record is cut: 7 of 16 bytes"),
    "unknown event": (
        HEADER + RECORD + struct.pack("<IBBHIHH", 0, 40, 0, 0, 0, 0, 0),
        "record 1 (byte 16 of the records): unknown event 40",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_refused(takt: Takt, tmp_path: Path, name: str) -> None:
    content, message = MALFORMED[name]
    path = tmp_path / "broken.takt"
    path.write_bytes(content)
    said = takt("trace", path, "--json")
    assert said.code == 2
    assert said.out == ""
    assert message in said.err
    assert said.err.startswith(f"takt: {path}: ")
    assert len(said.err.splitlines()) == 2


def test_a_file_that_is_not_there(takt: Takt, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.takt", tmp_path):
        said = takt("trace", path)
        assert said.code == 2
        assert "cannot be read" in said.err


def test_a_record_of_a_task_that_has_no_name(takt: Takt, tmp_path: Path) -> None:
    """A trace of another build still prints."""
    path = tmp_path / "trace.takt"
    records.write(path, NAMES, records.encode([Entry(0, Event.LOCK, 9, 0, 0, 4, 0)]))
    line = json.loads(takt("trace", path, "--json").out)
    assert (line["task"], line["object"]) == ("task 9", "object 4")


def test_a_release_whose_deadline_was_lost(tmp_path: Path) -> None:
    """The record that would tell it was overwritten: nothing is made up."""
    far = records.encode([Entry(5, Event.RELEASE, 0, 0, 0, NONE, 2**40)])
    lost = records.encode([Entry(0, Event.LOST_RECORDS, NONE, None, None, NONE, 3)])
    first, second = list(records.decode(far[:16] + lost))
    assert (first.value, first.named(NAMES)["value"], second.value) == (0, None, 3)
    assert next(records.decode(far)).value == 2**40


def test_keys_name_whose_they_are() -> None:
    assert Entry(0, Event.KEY, 1, 0, 0, 0, 2).named(NAMES)["object"] == "fast"
    assert Entry(0, Event.KEY, 1, 0, 0, NONE, 3).named(NAMES)["object"] is None
