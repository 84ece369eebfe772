# SPDX-License-Identifier: Apache-2.0
"""Messages of the log and spans, from tasks, an interrupt and the start, in what `takt run` and `takt trace` make of
them; in processes too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import Said, Takt, documented
from running import FULL, emulated, only_full
from takt.declare.schema import boards
from takt.support.provision import ROOT
from takt.trace.records import Event
from takt.trace.segments import read

DECLARED = """
[system]
duration = "95 ms"
preset = "PRESET"
protection = PROTECTION

[[task]]
name = "fast"
entry = "fast_step"
period = "10 ms"
wcet = "2 ms"

[[task]]
name = "slow"
entry = "slow_step"
period = "50 ms"
wcet = "20 ms"

[[interrupt]]
name = "line"
number = 3
min_interarrival = "30 ms"
wcet = "100 us"
handler = "line_handler"

[[process]]
name = "one"
tasks = ["fast", "slow"]
sources = ["tasks.c"]
"""

TASKS = """
#include "takt/takt.h"
#include "takt/board.h"
#include "takt_app.h"

static const char *const names[] = {"zero", "one", "two"};
static char written[] = "at first";

void fast_step(void *argument)
{
    static unsigned count;
    (void)argument;
    takt_log_debug("not compiled %u", count);
    takt_log_info("step %u of %s: %5.2f|%-6lld|%#x", count, names[count % 3], count / 4.0, -(1LL << 40), 255u);
    count++;
}

void slow_step(void *argument)
{
    (void)argument;
    takt_mark_begin("whole");
    takt_work(TAKT_MS(4));
    takt_mark_begin("part");
    takt_work(TAKT_MS(8));
    takt_mark_end("part");
    written[0] = 'A';
    takt_log_error("written %s", written);
    takt_log_warning("100 %% done");
    takt_mark_end("whole");
}
"""

KERNEL = """
#define TAKT_LOG_MODULE "line"
#include "takt/takt.h"
#include "takt_app.h"

void takt_app_init(void)
{
    takt_log_info("begins");
}

void line_handler(void)
{
    takt_log_error("line %d", -1);
}
"""


def system(folder: Path, protection: bool = False, preset: str = "standard") -> Path:
    text = DECLARED.replace("PROTECTION", str(protection).lower()).replace("PRESET", preset)
    (folder / "system.toml").write_text(text, encoding="utf-8")
    (folder / "tasks.c").write_text(TASKS, encoding="utf-8")
    (folder / "kernel.c").write_text(KERNEL, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("board", "protection"),
    [
        ("host", False),
        pytest.param("host", True, marks=only_full),
        emulated("mps2-an385", False),
        emulated("rv32-virt", True),
    ],
)
def test_messages_and_spans(takt: Takt, tmp_path: Path, board: str, protection: bool) -> None:
    run = takt("run", system(tmp_path, protection), "--board", board)
    assert run.code == 0, run.out
    assert "  warning  slow     tasks.c:28: 100 % done" in run.out
    path = trace_of(run)
    lines = takt("trace", path, "--log").out.splitlines()
    assert " ".join(lines[0].split()[1:]) == "info no task line: begins"
    steps = [line for line in lines if "step" in line]
    expected = [f"step {at} of {('zero', 'one', 'two')[at % 3]}: {at / 4:5.2f}|-1099511627776|0xff" for at in range(10)]
    assert [line.partition("tasks.c:14: ")[2] for line in steps] == expected
    assert all(line.split()[1:3] == ["info", "fast"] for line in steps)
    interrupts = [line for line in lines if "line: line -1" in line]
    assert len(interrupts) == 4
    assert all(line.split()[1:4] == ["error", "no", "task"] for line in interrupts)
    assert not any("not compiled" in line for line in lines)
    assert {key for line in documents(takt, path) for key in line} == documented("trace")
    assert any(re.search(r"tasks\.c:\d+: written <0x[0-9a-f]+>$", line) for line in lines)  # not as it was at first
    spans = [(line["event"], line["text"]) for line in documents(takt, path) if line["event"].startswith("mark")]
    assert spans == [("mark_begin", "whole"), ("mark_begin", "part"), ("mark_end", "part"), ("mark_end", "whole")] * 2
    assert all(line["task"] == "slow" for line in documents(takt, path) if line["event"].startswith("mark"))


ODD = """
#include <wchar.h>

#include "takt/takt.h"
#include "takt_app.h"

static const char raw[] = "caf\\xe9 \\x1b[31mred";
static const wchar_t wide[] = L"wide";
static const char open_ended[4] = {'a', 'b', 'c', 'd'};
static const char longest[] = "LONG";
static volatile int seven = 7;

struct Early {
    explicit Early(int with)
    {
        takt_log_info("constructed with %d", with);
        takt_log_info("%d %d %d %d %d", with, with, with, with, with);
    }
};
static Early early(seven);

void odd_step(void *)
{
    takt_log_info("bytes \\xff of %s", raw);
    takt_log_info("%ls and %lc", wide, (wint_t)0x20ac);
    takt_log_info("%.4s|%-6.3s|%s", open_ended, open_ended, longest);
    [] { takt_log_info("lambda"); }();
}
"""
ODD_DECLARED = """
[system]
duration = "90 ms"
[[task]]
name = "odd"
entry = "odd_step"
period = "50 ms"
wcet = "1 ms"
[[process]]
name = "one"
tasks = ["odd"]
sources = ["odd.cpp"]
constructors_wcet = "300 us"
"""
SAID_ODD = ["bytes \ufffd of caf\ufffd \x1b[31mred", "? and ?", f"abcd|abc   |{'x' * 200}...", "lambda"]


@pytest.mark.parametrize(
    ("board", "protection"),
    [
        ("host", False),
        emulated("rv32-virt", True),
        *([emulated("mps2-an385", True)] if FULL else []),
    ],
)
def test_odd_texts_and_constructors(takt: Takt, tmp_path: Path, board: str, protection: bool) -> None:
    """A process has its constructors run after the start; of what runs before it nothing is written."""
    (tmp_path / "system.toml").write_text(ODD_DECLARED, encoding="utf-8")
    (tmp_path / "odd.cpp").write_text(ODD.replace("LONG", "x" * 300), encoding="utf-8")
    run = takt("run", tmp_path, "--board", board, *(["--protection"] if protection else []))
    assert run.code == 0, run.err
    found = [(line["task"], line["text"]) for line in documents(takt, trace_of(run)) if line["event"] == "log"]
    early = [("one_constructors", text) for text in ("constructed with 7", "7 7 7 7 7")] if protection else []
    jobs = 1 if protection else 2  # the first release passes while the constructors run
    assert found == [*early, *[("odd", text) for text in SAID_ODD] * jobs]


def documents(takt: Takt, path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in takt("trace", path, "--json").out.splitlines()]


def test_a_preset_without_trace_has_no_log(takt: Takt, tmp_path: Path) -> None:
    run = takt("run", system(tmp_path, preset="lean"), "--board", "host")
    assert run.code == 0, run.out
    path = trace_of(run)
    assert not any(entry.event is Event.LOG for entry in read(path).entries)
    assert "log:" not in run.out


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            'takt_log_info("%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7, 8, 9)',
            "a message of the log has at most 8 arguments",
        ),
        ('takt_log_info("one\\0two")', "the format of a message of the log has a zero inside"),
    ],
)
def test_what_is_no_message_is_refused(takt: Takt, tmp_path: Path, call: str, said: str) -> None:
    folder = system(tmp_path)
    source = (folder / "tasks.c").read_text(encoding="utf-8")
    (folder / "tasks.c").write_text(source.replace('takt_mark_begin("whole")', call), encoding="utf-8")
    build = takt("build", folder, "--board", "host")
    assert build.code != 0
    errors = [line for line in build.err.splitlines() if " error: " in line]
    assert len(errors) == 1
    assert said in errors[0]


BURST = """
[system]
duration = "10 ms"
protection = PROTECTION

[[task]]
name = "burst"
entry = "burst_step"
period = "10 ms"
wcet = "5 ms"

[[process]]
name = "one"
tasks = ["burst"]
sources = ["tasks.c"]
"""

CALLS = """
#include "takt/takt.h"
#include "takt_app.h"

static volatile int value;

void burst_step(void *argument)
{
    int a = value;
    int b = value;
    (void)argument;
TWO
FOUR
}
"""
COUNT = 10
CALLS = CALLS.replace("TWO", '    takt_log_info("%d %d", a, b);\n' * COUNT)
CALLS = CALLS.replace("FOUR", '    takt_log_info("%d %d %d %d", a, b, a, b);\n' * COUNT)


def trace_of(run: Said) -> Path:
    """The file that a run left behind."""
    return Path(run.out.partition("\ntrace:  ")[2].partition("\n")[0])


@pytest.mark.parametrize(
    ("board", "protection"),
    [emulated(name, mode) for name, mode in (("mps2-an385", False), ("rv32-virt", True))]
    + [emulated(name, mode) for name, mode in (("mps2-an385", True), ("rv32-virt", False)) if FULL],
)
def test_the_page_says_what_a_message_costs(takt: Takt, tmp_path: Path, board: str, protection: bool) -> None:
    """From the time stamp of one message to that of the next, as neither needs the full time before it."""
    (tmp_path / "system.toml").write_text(BURST.replace("PROTECTION", str(protection).lower()), encoding="utf-8")
    (tmp_path / "tasks.c").write_text(CALLS, encoding="utf-8")
    run = takt("run", tmp_path, "--board", board)
    assert run.code == 0, run.out
    stamps = [entry.time_ns for entry in read(trace_of(run)).entries if entry.event is Event.LOG]
    assert len(stamps) == 2 * COUNT
    instruction_ns = boards.load(board).instruction_ns
    bursts = (stamps[:COUNT], stamps[COUNT:])
    found = [round((burst[-1] - burst[0]) / (COUNT - 1) / instruction_ns) for burst in bursts]
    kind = "in a process" if protection else "without protection"
    rows = (ROOT / "docs" / "log.md").read_text(encoding="utf-8").splitlines()
    row = next(line for line in rows if line.startswith(f"| {board} | {kind} |"))
    assert row == f"| {board} | {kind} | {' | '.join(map(str, found))} |"
