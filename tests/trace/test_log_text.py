# SPDX-License-Identifier: Apache-2.0
"""Messages of the log as text, against the C library's own formatting of the same arguments."""

from __future__ import annotations

import ctypes
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from takt.support.c.traces import Event
from takt.support.errors import UserError
from takt.trace import log, log_lines, records, segments
from takt.trace.log import Message
from takt.trace.recording import Watched, seen_of

CASES: list[tuple[str, tuple[object, ...]]] = [
    ("plain, 100 %%", ()),
    ("%d %i %5d|%-5d|%05d|%+d|% d", tuple(ctypes.c_int(value) for value in (1, -2, 3, -4, -5, 6, 7))),
    ("%u %x %X %#x %o %#o", tuple(ctypes.c_uint(value) for value in (4294967295, 255, 255, 255, 8, 8))),
    ("%hd %hhd %hu %hhu", tuple(ctypes.c_int(value) for value in (-70000, 300, -1, -1))),
    ("%lld %llu %llx %jd %zu", tuple(ctypes.c_longlong(value) for value in (-(2**40), 2**40, 2**40, -1, 5))),
    ("%f %.2f %10.3f|%-10.1f", tuple(ctypes.c_double(value) for value in (1.5, -2.25, 3, 4))),
    ("%e %g %G %.0f", tuple(ctypes.c_double(value) for value in (5e9, 6, 7e-9, 2.5))),
    ("%f %f %5.1f", tuple(ctypes.c_double(value) for value in (float("inf"), float("-inf"), float("nan")))),
    ("%c%c", (ctypes.c_int(65), ctypes.c_int(122))),
    ("%*d|%-*d", tuple(ctypes.c_int(value) for value in (6, 42, -6, 7))),
    ("%.*f", (ctypes.c_int(3), ctypes.c_double(0.5))),
    ("%'d|%'8d|%d", tuple(ctypes.c_int(value) for value in (1000000, 5, 6))),
    ("%2$d %1$5d %2$x", tuple(ctypes.c_int(value) for value in (7, 255))),
    ("%.3d|%.0d|%8.4x", (ctypes.c_int(7), ctypes.c_int(0), ctypes.c_uint(255))),
]  # fmt: skip


def words_of(arguments: tuple[object, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sizes and words of arguments, as the macros of takt/log.h lay them out."""
    sizes: list[int] = []
    words: list[int] = []
    for argument in arguments:
        content = bytes(argument)  # type: ignore[call-overload]
        sizes.append(len(content))
        words += struct.unpack(f"<{len(content) // 4}I", content)
    return tuple(sizes), tuple(words)


@pytest.mark.parametrize(("text", "arguments"), CASES)
def test_as_the_c_library_formats(text: str, arguments: tuple[object, ...]) -> None:
    buffer = ctypes.create_string_buffer(500)
    ctypes.CDLL(None).snprintf(buffer, 500, text.encode(), *arguments)
    sizes, words = words_of(arguments)
    assert log.text(Message("info", "", "a.c", 1, text, sizes), words, {}) == buffer.value.decode()


def test_what_the_host_cannot_know() -> None:
    message = Message("info", "", "a.c", 1, "%s and %s, %d", (4, 4, 4))
    assert log.text(message, (1, 2, 3), {1: "one"}) == "one and <0x2>, 3"
    assert log.text(message, (1, 2), {}) == "<0x1> and <0x2>, ?"
    assert list(log.addresses(message, (1, 2, 3))) == [1, 2]
    assert log.text(message, (0, 1, 2), {0: "vectors", 1: "one"}) == "(null) and one, 2"
    swapped = Message("info", "", "a.c", 1, "%2$d %1$s %3$d", (4, 4))
    assert log.text(swapped, (1, 2), {1: "one"}) == "2 one ?"
    assert list(log.addresses(swapped, (1, 2))) == [1]
    odd = Message("info", "", "a.c", 1, "%Lf %n %y %99999d %d", (16, 4, 4, 4, 4))
    assert log.text(odd, (0,) * 8, {}) == "? ? ? ? 0"


LOG = {7: Message("error", "m", "a.c", 1, "%u %u %u", (4, 4, 4)), 9: Message("mark_begin", "", "a.c", 2, "span", ())}
NAMES = records.Names(board="b", scheduler="s", tasks=("a",), log=LOG)


def entry(time_ns: int, event: Event, task: int = records.NONE, **more: Any) -> records.Entry:
    return records.Entry(time_ns, event, task, None, None, records.NONE, 0)._replace(**more)


def test_a_message_is_of_what_runs() -> None:
    message: dict[str, Any] = {"value": 7, "words": (1, 2, 3, 0)}
    written = [
        entry(0, Event.LOG, **message),
        entry(1, Event.RUN, 0),
        entry(2, Event.LOG, 0, **message),
        entry(3, Event.INTERRUPT, object=5),
        entry(4, Event.LOG, **message),
        entry(5, Event.INTERRUPT_END, object=5),
        entry(6, Event.LOG, 0, value=9, words=(0, 0)),
        entry(7, Event.LOST_RECORDS, value=3),
        entry(8, Event.LOG, records.UNKNOWN, value=8, words=(1, 2)),
    ]
    data = records.encode(written)
    assert list(records.decode(data)) == written
    seen = records.Trace(NAMES, tuple(records.decode(data)))
    assert [(line.time_ns, line.level, line.text) for line in log_lines.lines(seen)] == [
        *((time, "error", "1 2 3") for time in (0, 2, 4)),
        (8, "", "message 8: 0x1 0x2"),
    ]
    assert log_lines.spans(seen, 9) == [log_lines.Span(0, 6, 7, 0, "span", ended=False)]  # its end may be lost
    assert seen_of(seen, Watched()).messages() == {"error": 3}
    *_, interrupt, lost, last = (line.split() for line in log_lines.shown(seen))
    assert interrupt[1:5] == ["error", "no", "task", "m:"]
    assert lost[1:6] == ["lost", "3", "records", "of", "the"]
    assert last[1:3] == ["?", ":"]
    assert seen.entries[-1].named(NAMES)["task"] is None


def test_spans_nest_and_end_with_their_task() -> None:
    texts = ("outer", "inner", "other")
    levels = ("mark_begin", "mark_end")
    messages = {2 * i + j: Message(levels[j], "", "a.c", 1, text, ()) for i, text in enumerate(texts) for j in (0, 1)}
    names = replace(NAMES, tasks=("a", "b"), log=messages)
    begin = {text: 2 * i for i, text in enumerate(texts)}

    def mark(time_ns: int, task: int, number: int) -> records.Entry:
        return entry(time_ns, Event.LOG, task, value=number)

    written = [
        mark(1, 0, begin["outer"]),
        mark(2, 0, begin["inner"]),
        mark(3, 1, begin["inner"]),
        mark(4, 1, begin["inner"] + 1),
        mark(5, 0, begin["other"] + 1),  # without a beginning
        mark(6, 0, begin["outer"] + 1),  # ends the inner one too
        mark(7, 0, begin["other"]),
        mark(8, 1, begin["other"]),
        entry(9, Event.STOP, 0),
    ]
    found = [tuple(span) for span in log_lines.spans(records.Trace(names, tuple(written)), 20)]
    assert found == [
        (0, 1, 6, 0, "outer", True),
        (0, 2, 6, 1, "inner", False),
        (1, 3, 4, 0, "inner", True),
        (0, 7, 9, 0, "other", False),
        (1, 8, 20, 0, "other", False),
    ]


def test_words_without_their_message_are_skipped() -> None:
    whole = records.encode([entry(5, Event.LOG, value=7, words=(1, 2, 3, 0))])
    assert list(records.decode(whole[records.RECORD_SIZE :])) == []


@pytest.mark.parametrize("damage", ['["error", "m", "a.c", 1, 5, []]', '["loud", "m", "a.c", 1, "", []]', "5"])
def test_a_damaged_header_is_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "trace.takt"
    first = replace(NAMES, log={7: NAMES.log[7]}).header()
    path.write_bytes(first.replace(b'["error", "m", "a.c", 1, "%u %u %u", [4, 4, 4]]', damage.encode()))
    with pytest.raises(UserError, match="damaged trace"):
        segments.read(path)
