# SPDX-License-Identifier: Apache-2.0
"""Nodes with clocks of their own: many frames within and beyond the tolerance, and their levels as sigrok decodes
them, whose decoder resynchronizes by rules of its own."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import can_oracle
from can_files import compiled, decoded_levels
from running import only_full
from takt.support import provision

BUSES = "8400"
FRAMES = 100_000


@only_full
def test_many_frames_within_the_tolerance(tmp_path: Path) -> None:
    program = compiled("net/can/test/clock_test.c", tmp_path / "clock")
    env = {**os.environ, "TAKT_CASES": BUSES}
    done = subprocess.run([str(program)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    frames, failed, buses = map(int, re.findall(r"\d+", done.stdout))
    assert (frames > FRAMES, 10 * failed > 9 * buses) == (True, True), done.stdout


@only_full
def test_levels_of_clocks_that_differ(tmp_path: Path) -> None:
    provision.require("decode")
    program, vcd = compiled("net/can/test/clock_test.c", tmp_path / "clock"), tmp_path / "a.vcd"
    env = {**os.environ, "TAKT_VCD": str(vcd)}
    done = subprocess.run([str(program)], env=env, capture_output=True, text=True, check=True)
    sent = [(int(one[0]), one[1] == "1", one[2]) for one in (line.split(" ") for line in done.stdout.splitlines())]
    found = list(decoded_levels(vcd))
    assert len(found) >= 39
    for (identifier, data, check, _), (number, extended, text) in zip(found, sent, strict=False):
        content = bytes.fromhex(text)
        frame = can_oracle.Frame(id=number, extended=extended, dlc=len(content), data=content)
        assert (identifier, data, check) == (number, text, can_oracle.classic_check(frame))
