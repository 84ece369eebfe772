# SPDX-License-Identifier: Apache-2.0
"""Protected systems: the same sources run in processes as without, and a process at fault is reported. What they are
linked with: test_run_reach.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt, documented
from running import BOARDS, FULL, SECOND_EMULATED, only_full
from takt.declare.declaration import load, with_board
from takt.declare.schema import boards
from takt.image import build
from takt.support.c.kernel import AlarmChange
from takt.support.provision import ROOT
from takt.trace import segments
from takt.trace.records import Event

FOLDER = ROOT / "tests" / "protection" / "two"
Edited = Callable[..., Path]


@pytest.mark.parametrize("board", BOARDS if FULL else SECOND_EMULATED)
def test_processes_do_what_the_system_does_without(takt: Takt, board: str) -> None:
    """What the consumer adds up shows every message, every state, shared memory, and the interrupt's ticks."""
    texts = []
    for mode in ("--protection", "--no-protection"):
        said = takt("run", FOLDER, "--board", board, mode, "--duration", "300 ms", "--json")
        assert said.code == 0, said.out + said.err
        document = json.loads(said.out)
        texts.append((image_folder(document, board, mode) / "run" / "console.txt").read_text())
        jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
        assert jobs["producer"] == 30
        assert jobs["consumer"] == 15
        assert ("tick" in jobs) == (mode == "--protection")
        assert jobs.get("tick", 60) == 60
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) == 15


ALARMS = """
[system]
board = "host"
protection = true

[[task]]
name = "impatient"
entry = "impatient_job"
period = "10 ms"
wcet = "1 ms"

[[task]]
name = "woken"
entry = "woken_job"
trigger = "alarm soon"
min_interarrival = "25 ms"
wcet = "1 ms"

[[alarm]]
name = "soon"
min_interarrival = "25 ms"

[[process]]
name = "only"
tasks = ["impatient", "woken"]
sources = ["only.c"]
"""
IMPATIENT = """
#include "takt_app.h"
#include "takt/time.h"
void impatient_job(void *argument)
{
    (void)argument;
    takt_alarm_restart(&soon, takt_now() + 1000);
}
void woken_job(void *argument)
{
    (void)argument;
}
"""


def test_an_alarm_keeps_its_distance_from_any_starter(takt: Takt, tmp_path: Path) -> None:
    """Each 10 ms it is started for at once: it comes each 25 ms, as the proof has it. A start moves one that waits."""
    (tmp_path / "system.toml").write_text(ALARMS, encoding="utf-8")
    (tmp_path / "only.c").write_text(IMPATIENT, encoding="utf-8")
    said = takt("run", tmp_path, "--duration", "200 ms", "--json")
    assert said.code == 0, said.out + said.err
    system = with_board(load(tmp_path / "system.toml"), "host")
    folder = build.folder_of(system, boards.load("host"), json.loads(said.out)["scheduler"])
    entries = segments.read(folder / "run" / "trace.takt").entries
    came = [entry.time_ns for entry in entries if entry.event is Event.ALARM and entry.value == AlarmChange.CAME]
    assert len(came) >= 7
    assert min(later - sooner for sooner, later in pairwise(came)) == 25_000_000


def image_folder(document: dict[str, Any], board: str, mode: str) -> Path:
    system = with_board(load(FOLDER / "system.toml", mode == "--protection"), board)
    return build.folder_of(system, boards.load(board), document["scheduler"])


def test_a_long_text_leaves_in_pieces(takt: Takt, edited: Edited) -> None:
    """A text of several traps comes out whole, and nobody is at fault."""
    long = "0123456789" * 15
    app = edited(
        ("consumer.c", "takt_board_console_write(text, sizeof text);", f'takt_board_console_write("{long}\\n", 151);')
    )
    said = takt("run", app, "--board", "host", "--duration", "30 ms", "--json")
    assert said.code == 0, said.out + said.err
    system = with_board(load(app / "system.toml"), "host")
    folder = build.folder_of(system, boards.load("host"), json.loads(said.out)["scheduler"])
    assert (folder / "run" / "console.txt").read_text() == f"{long}\n" * 2


FORGED = "(void)takt_mutex_lock((struct takt_mutex *)0x1234560);"
# A call that no file makes (watchdog_start), so that the kernel of this image does not have it.
UNLINKED = {
    "mps2-an385": '__asm volatile("movw r12, #86\\n\\tsvc 0" ::: "r0", "r1", "r2", "r3", "r12", "memory");',
    "rv32-virt": '__asm volatile("li t0, 86\\n\\tecall" ::: "a0", "a1", "t0", "memory");',
}
STRAY = "*(volatile uint32_t *)0x20001000 = 1;"


@pytest.mark.parametrize(
    ("board", "file", "statement", "process", "cause", "address", "restarted"),
    [
        pytest.param("host", "consumer.c", FORGED, "sink", "call", 0x1234560, False, marks=only_full),
        pytest.param("mps2-an385", "consumer.c", UNLINKED["mps2-an385"], "sink", "call", 86, False, marks=only_full),
        ("rv32-virt", "consumer.c", UNLINKED["rv32-virt"], "sink", "call", 86, False),
        pytest.param("mps2-an385", "consumer.c", STRAY, "sink", "stray", 0x20001000, False, marks=only_full),
        ("mps2-an385", "producer.c", STRAY, "source", "stray", 0x20001000, True),
    ],
)
def test_a_process_at_fault_is_reported(
    takt: Takt,
    edited: Edited,
    board: str,
    file: str,
    statement: str,
    process: str,
    cause: str,
    address: int,
    restarted: bool,
) -> None:
    """In JSON, in words and in the trace; the run is not within the proof."""
    folder = edited((file, "    (void)argument;\n", f"    (void)argument;\n    {statement}\n"))
    said = takt("run", folder, "--board", board, "--duration", "60 ms", "--json")
    assert said.code == 1, said.out + said.err
    document = json.loads(said.out)
    assert not document["within_proof"]
    first = document["faults"][0]
    assert {f"faults[].{key}" for key in first} == {key for key in documented("run") if key.startswith("faults[].")}
    task = file.removesuffix(".c")
    expected = {"process": process, "task": task, "cause": cause, "address": address, "restarted": restarted}
    assert expected.items() <= first.items()
    assert first["time_ns"] < 20_000_000
    assert (len(document["faults"]) > 1) == restarted
    text = takt("run", folder, "--board", board, "--duration", "60 ms")
    assert text.code == 1
    assert text.out.count(f"Process fault: process {process}: task {task} ") == 1
    assert (f"{len(document['faults']) - 1} more of this kind, the last at " in text.out) == restarted
    assert "Within what was proved" not in text.out
    trace = next(line.split(": ", 1)[1].strip() for line in text.out.splitlines() if line.startswith("trace:"))
    events = takt("trace", trace).out.splitlines()
    assert any(f" {process} " in line and line.split()[1] == "process" for line in events)
