# SPDX-License-Identifier: Apache-2.0
"""The transmit queue: libFuzzer over its events, and the tests of net/can with many cases.

TAKT_CAN_QUEUE: how many inputs of the fuzzer (default 4000, with --full 500000). TAKT_SEED: where it begins; the input
that fails is kept, and its path is in the message.
"""

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
RUNS = int(os.environ.get("TAKT_CAN_QUEUE", "500000" if os.environ.get("TAKT_TEST_FULL") else "4000"))
SEED = int(os.environ.get("TAKT_SEED", "1"))
FRAMES = 100_000


def test_fuzzed_events(tmp_path: Path) -> None:
    program = tmp_path / "fuzz"
    sources = [*sorted((CAN / "src" / "queue").glob("*.c")), CAN / "src" / "frame.c", CAN / "src" / "parser.c"]
    sources += [CAN / "src" / "crc.c", ROOT / "base" / "bitmap.c", CAN / "test" / "queue" / "fuzz.c"]
    flags = [*FLAGS, "-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["clang-14", *flags, *map(str, sources), "-o", str(program)], check=True)
    arguments = [f"-seed={SEED}", f"-runs={RUNS}", "-max_len=600", "-len_control=0", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr[-5000:] + f"\nTAKT_SEED={SEED}, input in {tmp_path}"
    features = re.findall(r"#(\d+)\s+DONE\s+cov: (\d+)", done.stderr)
    assert features, done.stderr[-2000:]
    runs, edges = map(int, features[0])
    print(f"{runs} inputs, {edges} edges")
    assert runs >= RUNS
    assert edges > 150


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
