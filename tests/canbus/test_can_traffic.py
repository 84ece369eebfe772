# SPDX-License-Identifier: Apache-2.0
"""The bus frame by frame beside the one bit by bit, on many random frames with faults; and what a frame costs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from can_files import compiled
from running import only_full
from takt.support import provision

BUSES = "2200"
FRAMES = 100_000
INSTRUCTIONS_MAX = 1700
"""Of a frame. With 2730 frames in a second of the bus, 1000 times real time are 4.6 * 10^9 a second."""


@only_full
def test_many_frames_with_faults(tmp_path: Path) -> None:
    program = compiled("net/can/test/traffic_test.c", tmp_path / "traffic")
    done = subprocess.run(
        [str(program)], env={**os.environ, "TAKT_CASES": BUSES}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    frames, errors, off = map(int, re.findall(r"(\d+) (?:frames|errors|times)", done.stdout))
    assert (frames > FRAMES, errors > FRAMES, off > 100) == (True, True, True), done.stdout


def counted(program: Path, seconds: int) -> tuple[int, int]:
    """Instructions and frames."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*tool, str(program), str(seconds)], capture_output=True, text=True, check=True)
    refs = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    frames = re.match(r"(\d+) frames, load 0\.6", done.stdout)
    assert refs is not None, done.stderr
    assert frames is not None, done.stdout
    return int(refs[1].replace(",", "")), int(frames[1])


@only_full
def test_instructions_of_a_frame(tmp_path: Path) -> None:
    provision.require("count")
    program = compiled("benchmarks/canbus/measure.c", tmp_path / "measure")
    (few, few_frames), (many, many_frames) = counted(program, 2), counted(program, 6)
    assert (many - few) / (many_frames - few_frames) < INSTRUCTIONS_MAX
