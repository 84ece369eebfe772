# SPDX-License-Identifier: Apache-2.0
"""Flights that are protected, cut short, disturbed or without a part, by `takt run`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flying import copy, fly
from running import BOARDS, SECOND_EMULATED, only_full


@contextmanager
def busy_machine() -> Iterator[None]:
    """Beside a process that never rests."""
    spinner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        spinner.kill()
        spinner.wait()


@only_full  # test_crashes.py flies protected in a usual run
@pytest.mark.parametrize("board", BOARDS)
def test_flies_protected(board: str) -> None:
    """Five processes, the driver of the serial line among them, from the same sources."""
    flown = fly(copy("protected"), board, "--protection")
    assert flown.plant["success"], flown.plant["reasons"]
    assert flown.code == 0
    assert flown.result["within_proof"]
    assert flown.result["faults"] == []
    assert flown.result["misses"] == 0
    assert {task["name"]: task["jobs"] for task in flown.result["tasks"]}["link"] > 10_000


@only_full
def test_flies_protected_with_the_kernels_interrupt() -> None:
    """One line chooses: the line's handler is the kernel's, and works whatever the processes write to it."""
    folder = copy("kernels")
    path = folder / "system.toml"
    text, count = re.subn(r'(?m)^process = "line".*\n', "", path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    flown = fly(folder, "host", "--protection", "--duration", "12 s")
    assert count == 1
    assert "link" not in {task["name"] for task in flown.result["tasks"]}
    assert flown.result["misses"] == 0
    assert flown.plant["board"]["frames"] > 1000
    assert flown.plant["reasons"][0].startswith("the flight ended at")


@only_full
@pytest.mark.parametrize("board", BOARDS)
def test_repeats_itself_to_the_byte_beside_a_busy_machine(board: str) -> None:
    folder = copy("repeated")
    first = fly(folder, board, "--duration", "15 s")
    trace = first.trace
    with busy_machine():
        second = fly(folder, board, "--duration", "15 s")
    assert second.plant["digest"] == first.plant["digest"]
    assert second.result == first.result
    assert second.trace == trace


@only_full
@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_a_bad_line_is_survived_in_time(board: str) -> None:
    share = "corrupt=0.1, shorten=0.1, drop=0.05, late=0.1, garbage=0.2"
    flown = fly(copy("bad-line", share), board, "--duration", "30 s")
    assert flown.result["breaches"] == []
    assert flown.result["misses"] == 0
    # It flies: every command arrived, and nothing is wrong but that the flight was cut short.
    assert flown.plant["commands_acknowledged"] == 2
    assert flown.plant["reasons"][0].startswith("the flight ended at")
    seen = flown.plant["board"]
    assert min(seen["bad_crc"], seen["bad_length"], seen["late"], seen["lost"]) > 30


@only_full
def test_without_the_control_task_the_run_fails() -> None:
    flown = fly(copy("no-control", without="control"), "host")
    assert "control" not in [task["name"] for task in flown.result["tasks"]]
    assert flown.code == 1
    assert any("climbed" in reason for reason in flown.plant["reasons"])


@only_full
def test_with_frozen_rotors_the_run_fails() -> None:
    flown = fly(copy("frozen", "freeze_s=20.0"), "host")
    assert flown.code == 1
    assert not flown.plant["success"]
    assert flown.result["misses"] == 0  # on time, and yet
