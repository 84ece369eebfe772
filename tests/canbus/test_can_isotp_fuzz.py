# SPDX-License-Identifier: Apache-2.0
"""libFuzzer over a channel of ISO-TP whose other end, bus and caller do anything (net/can/test/isotp/isotp_fuzz.c).

TAKT_FUZZ_ISOTP: how many inputs (default 2500, with --full 200000). TAKT_SEED: where it begins; the input that fails
is kept, and its path is in the message.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from takt.support.provision import ROOT

RUNS = int(os.environ.get("TAKT_FUZZ_ISOTP", "200000" if os.environ.get("TAKT_TEST_FULL") else "2500"))
SEED = int(os.environ.get("TAKT_SEED", "1"))
EDGES = 300


def test_another_end_that_sends_anything(tmp_path: Path) -> None:
    net = ROOT / "net" / "can"
    frames = (net / "src" / f"{name}.c" for name in ("crc", "frame", "length", "parser"))
    sources = [*sorted((net / "src" / "isotp").glob("*.c")), *frames, net / "test" / "isotp" / "isotp_fuzz.c"]
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fno-sanitize-recover=all"]
    command = ["clang-14", *flags, "-fsanitize=fuzzer,address,undefined", f"-I{ROOT}", f"-I{net / 'include'}"]
    program = tmp_path / "fuzz"
    subprocess.run([*command, *map(str, sources), "-o", str(program)], check=True)
    arguments = [f"-seed={SEED}", f"-runs={RUNS}", "-max_len=1000", "-len_control=0", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr[-5000:] + f"\nTAKT_SEED={SEED}, input in {tmp_path}"
    found = re.findall(r"#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+)", done.stderr)
    assert found, done.stderr[-2000:]
    runs, edges, _ = map(int, found[0])
    print(f"{runs} inputs, {edges} edges")
    assert runs >= RUNS
    assert edges > EDGES
