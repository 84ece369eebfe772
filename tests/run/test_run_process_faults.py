# SPDX-License-Identifier: Apache-2.0
"""What is read of the faults of processes, from whole streams, from ones with gaps and from damaged ones."""

from __future__ import annotations

import pytest
from takt.observe import process_faults
from takt.observe.process_faults import CAUSES
from takt.support.c.kernel import ProcessCause
from takt.trace.records import NONE, Entry, Event, Names, Trace

NAMES = Names("host", "dm", ("one", "two"), processes=("first", "second"))
FIELDS = ("FAULT", "FAULT_TIME", "FAULT_ADDRESS", "FAULT_PC", "FAULT_NAME", "FAULT_REGISTER")


def stat(event: str, value: int, task: int = 0) -> Entry:
    return Entry(99, Event[f"STAT_{event}"], task, None, None, NONE, value)


def record(time_ns: int, cause: int = 0, task: int = 0, process: int = 0, address: int = 0x20) -> list[Entry]:
    """As the board sends it."""
    letters = int.from_bytes(b"mcause", "little")
    values = (process | cause << 8 | 1 << 16, time_ns, address, 0x8000, letters, 5)
    return [stat(name, value, task) for name, value in zip(FIELDS, values, strict=True)]


def fault_at(time_ns: int, value: int, task: int = 0, process: int = 0) -> Entry:
    return Entry(time_ns, Event.PROCESS, task, None, None, process, value)


def other(time_ns: int) -> Entry:
    return Entry(time_ns, Event.COMPLETE, 1, None, None, NONE, 0)


def trace(*entries: Entry) -> Trace:
    return Trace(NAMES, entries)


def test_a_record_tells_all_and_the_trace_what_was_before() -> None:
    before = [other(time) for time in range(20)]
    (fault,) = process_faults.read(
        trace(*before, fault_at(20, 4), fault_at(30, 16, NONE), other(40), *record(19, cause=4))
    )
    assert (fault.process, fault.task, fault.kind[0]) == ("first", "one", "assert")
    assert (fault.address, fault.pc) == (0x20, 0x8000)
    assert fault.registers == {"mcause": 5}
    assert fault.last == (*before[-11:], fault_at(20, 4))
    document = fault.as_json(NAMES)
    assert document["last"][-1]["event"] == "process"
    assert [document[key] for key in ("cause", "time_ns", "restarted")] == ["assert", 19, True]
    lines = list(fault.lines(NAMES))
    assert lines[0] == "  at address 0x00008000"
    assert "mcause 0x00000005" in lines[1]
    assert len(lines) == 2 + 2 + 12


def test_older_ones_than_the_kernel_keeps_are_of_the_trace() -> None:
    entries = [fault_at(10, 0), fault_at(11, 16, NONE), fault_at(20, 2, 1, 1), fault_at(30, 5)]
    faults = process_faults.read(trace(*entries, *record(29, cause=5)))
    assert [(fault.task, fault.cause, fault.address, fault.restarted) for fault in faults] == [
        ("one", 0, None, True),
        ("two", 2, None, False),
        ("one", 5, 0x20, True),
    ]
    assert [fault.last[-1] for fault in faults] == [entries[0], entries[2], entries[3]]


def test_records_without_their_part_of_the_trace_stay() -> None:
    """It was overwritten: the last ones are paired from the end."""
    first, second = process_faults.read(trace(fault_at(20, 0, 1), *record(10), *record(19, task=1)))
    assert (first.task, first.last) == ("one", ())
    assert (second.task, second.last) == ("two", (fault_at(20, 0, 1),))


@pytest.mark.parametrize("cause", [len(CAUSES), 77, 255])
def test_an_unknown_cause_is_reported_as_such(cause: int) -> None:
    for entries in ((fault_at(5, cause),), tuple(record(5, cause=cause))):
        (fault,) = process_faults.read(trace(*entries))
        assert fault.kind[0] == "unknown"
        assert fault.as_json(NAMES)["cause"] == "unknown"
        assert "does not know" in fault.sentence()


@pytest.mark.parametrize("missing", FIELDS)
def test_a_stream_with_a_record_missing_is_read(missing: str) -> None:
    """What is not whole is left out, and does not leak into the next."""
    names = [entry for entry in record(10) if entry.event is not Event[f"STAT_{missing}"]]
    found = process_faults.read(trace(*names, *record(50, task=1, address=0x40)))
    whole = missing in ("FAULT_PC", "FAULT_NAME", "FAULT_REGISTER")
    assert [fault.task for fault in found] == (["one", "two"] if whole else ["two"])
    assert (found[-1].address, found[-1].time_ns, found[-1].registers) == (0x40, 50, {"mcause": 5})


def test_names_that_are_none_are_read() -> None:
    entries = [*record(5, task=40, process=9)[:4], stat("FAULT_NAME", 0xFFFE_FDFC_0000_00FF, 40)]
    entries.append(stat("FAULT_REGISTER", 1 << 60, 40))
    (fault,) = process_faults.read(trace(*entries))
    assert (fault.task, fault.process) == ("task 40", "process 9")
    assert list(fault.lines(NAMES))


def test_every_cause_of_the_kernel_has_words() -> None:
    assert set(CAUSES) == set(ProcessCause)
