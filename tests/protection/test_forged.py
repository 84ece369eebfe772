# SPDX-License-Identifier: Apache-2.0
"""A process with the console cannot forge what the tool believes: the record of a fault, or a line of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import FIRST_EMULATED
from takt.image import build
from takt.observe import execute, fault, run
from takt.trace.records import Names, Trace

RECORD = "takt: fault exception address 0x00000666 task 1 time_ns 20000000"
REGISTERS = "takt: registers pc 0x00000666"
APPLICATION = """
[system]
board = "mps2-an385"
scheduler = "dm"
protection = true
plant = "plant.py"

[[task]]
name = "forger"
entry = "forge"
period = "10 ms"
wcet = "2 ms"

[[watchdog]] # which nobody kicks
name = "dog"
task = "forger"
time = "95 ms"

[[process]]
name = "hostile"
tasks = ["forger"]
sources = ["forger.c"]
console = true
serial = true
"""
FORGER = f"""
#include <string.h>

#include "takt_app.h"
#include "takt/board.h"

static const char forged[] = "\\n{RECORD}\\n{REGISTERS}\\n";
static const char coloured[] = "\\033[2J\\rWithin what was proved\\n";

void forge(void *argument)
{{
    uint8_t received[4];
    (void)argument;
    takt_board_console_write(coloured, sizeof coloured - 1);
    takt_board_console_write(forged, sizeof forged - 1);
    (void)takt_board_link_exchange((const uint8_t *)"die\\n", 4, received, sizeof received);
}}
"""
PLANT = """
class World:
    finished = False

    def __init__(self, seed):
        self.seed = seed

    def exchange(self, time_ns, transmitted):
        if self.seed == 2 and time_ns > 20_000_000:
            raise ValueError("what is \\x1b[2Jthis")
        return b""

    def report(self):
        return {"success": True}


def create_plant(seed):
    return World(seed)
"""
MS = 1_000_000


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_process_cannot_forge_a_fault(
    takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: str
) -> None:
    """A run that ends well, one that the plant ends, one that the kernel does: the same text each time."""
    monkeypatch.setattr(build, "BUILD", tmp_path / "builds")
    for name, text in (("system.toml", APPLICATION), ("forger.c", FORGER), ("plant.py", PLANT)):
        (tmp_path / name).write_text(text, encoding="utf-8")

    def document(*more: str) -> tuple[int, dict[str, Any]]:
        said = takt("run", tmp_path, "--board", board, "--json", *more)
        return said.code, json.loads(said.out)

    said = takt("run", tmp_path, "--board", board, "--duration", "50 ms")
    assert said.code == 0, said.out + said.err
    assert "Fault:" not in said.out
    lines = said.out.splitlines()
    assert f"| {RECORD}" in lines, "what the program wrote is shown as that"
    assert "| Within what was proved" in lines
    assert "\x1b" not in said.out
    assert not [line for line in lines[:-1] if line.startswith("Within")]

    code, ended = document("--duration", "50 ms", "--seed", "2")
    assert (code, ended["fault"]) == (1, None)
    assert ended["failure"].startswith("the plant failed at ")
    assert "\x1b" not in ended["failure"]

    code, faulty = document("--duration", "200 ms")
    assert (code, faulty["fault"]["reason"], faulty["fault"]["registers"]) == (1, "watchdog", {})
    assert 95 * MS <= faulty["fault"]["time_ns"] < 96 * MS


@pytest.mark.parametrize(
    "console",
    [
        pytest.param(f"\n{RECORD}\nmore\n", id="text behind it"),
        pytest.param(f"{RECORD}\n", id="no line of its own"),
        pytest.param(f"\n{RECORD}\n{REGISTERS}", id="not ended"),
        pytest.param(f"\n{RECORD}\n\n{REGISTERS}\n", id="a line between"),
    ],
)
def test_a_record_is_what_the_console_ends_with(console: str) -> None:
    assert fault.find(console, Trace(Names("host", "dm", ("a", "b")), ())) is None
    assert fault.without(console) == console


def test_of_several_the_last_is_the_record() -> None:
    last = "takt: fault assertion real.c:7 address 0x00000002 task 0 time_ns 7"
    console = f"\n{RECORD}\n{REGISTERS}\nhalf a line\n{last}\n"
    found = fault.find(console, Trace(Names("host", "dm", ("a", "b")), ()))
    assert found is not None
    assert (found.reason, found.task, found.registers) == ("assertion", "a", {})
    assert fault.without(console) == f"\n{RECORD}\n{REGISTERS}\nhalf a line"


def test_a_board_that_ended_otherwise_is_reported_with_its_console() -> None:
    """As text, which may be of anybody."""
    assert execute.explain(1, f"hello\n{RECORD}\n") == (
        f'the board ended with exit code 1; the last line of its console: "{RECORD}"'
    )
    assert execute.explain(-11, "\x1b[2Jbad") == (
        "the board ended with signal 11 (invalid memory access: a wrong pointer, or a stack overflow); "
        'the last line of its console: "\\x1b[2Jbad"'
    )
    assert execute.explain(3, " \n") == "the board ended with exit code 3; it printed nothing"


def test_lines_of_a_console_are_marked() -> None:
    text = "one\ttwo\r\nreport: mine\x0btrace:\u2028Failed\x1b[1A\n"
    assert run.last_lines(text) == ["| one\ttwo", "| report: mine", "| trace:", "| Failed\\x1b[1A", ""]
    assert run.last_lines("x\n" * 20)[0].startswith("... earlier lines")
    assert len(run.last_lines("x\n" * 20)) == 14
