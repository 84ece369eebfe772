# SPDX-License-Identifier: Apache-2.0
"""libFuzzer over nodes with hostile neighbours, some of which have the keys, and over areas in hostile memory.

TAKT_FUZZ_NODES: how many inputs (default 30000, with --full 500000), each of up to 40 packets and calls. TAKT_SEED:
where it begins; the input that fails is kept, and its path is in the message.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "reflect" / "core"
RUNS = int(os.environ.get("TAKT_FUZZ_NODES", "500000" if os.environ.get("TAKT_TEST_FULL") else "15000"))
SEED = int(os.environ.get("TAKT_SEED", "1"))


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("fuzz") / "fuzz"
    sources = sorted((CORE / "src").glob("*.c"))
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fno-sanitize-recover=all"]
    command = ["clang-14", *flags, "-fsanitize=fuzzer,address,undefined", f"-I{ROOT}", f"-I{CORE / 'include'}"]
    subprocess.run([*command, *map(str, [*sources, CORE / "test" / "fuzz.c"]), "-o", str(output)], check=True)
    return output


def test_hostile_neighbours_and_memory(fuzzer: Path, tmp_path: Path) -> None:
    arguments = [f"-seed={SEED}", f"-runs={RUNS}", "-max_len=1500", "-len_control=0", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run([str(fuzzer), *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr[-5000:] + f"\nTAKT_SEED={SEED}, input in {tmp_path}"
    features = re.findall(r"#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+)", done.stderr)
    assert features, done.stderr[-2000:]
    runs, edges, _ = map(int, features[0])
    assert runs >= RUNS
    print(f"{runs} inputs, {edges} edges")
    assert edges > 500  # of some 650: it comes through to whole values, not only to what is malformed
