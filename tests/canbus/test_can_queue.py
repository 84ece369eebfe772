# SPDX-License-Identifier: Apache-2.0
"""The transmit queue: the tests of net/can with many cases."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from running import only_full
from takt.support.provision import ROOT

CAN = ROOT / "net" / "can"
FOLDERS = ("net/can/src", "net/can/src/queue", "net/can/src/simulated", "analysis/src", "analysis/src/can", "base")
INCLUDES = [f"-I{ROOT}", f"-I{CAN / 'include'}", f"-I{ROOT / 'analysis' / 'include'}"]
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-g", "-Wall", "-Wextra", "-Werror", *INCLUDES]
FRAMES = 100_000


def run_many(name: str, cases: str, folder: Path) -> str:
    program = folder / name
    sources = [str(path) for one in FOLDERS for path in sorted((ROOT / one).glob("*.c"))]
    test = str(CAN / "test" / "queue" / f"{name}_test.c")
    subprocess.run(["gcc", *FLAGS, "-O2", *sources, test, "-o", str(program)], check=True)
    done = subprocess.run(
        [str(program)], env={**os.environ, "TAKT_CASES": cases}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@only_full
def test_many_frames_beside_the_naive_model(tmp_path: Path) -> None:
    begun, _, off = map(int, re.findall(r"(\d+) (?:frames|with|times)", run_many("queue_model", "1500", tmp_path)))
    assert begun > FRAMES
    assert off > 100


@only_full
def test_many_sets_within_their_bounds(tmp_path: Path) -> None:
    found = re.match(r"(\d+) sets, (\d+) of", run_many("queue_bound", "3000", tmp_path))
    assert found is not None
    assert int(found[1]) == 3000
