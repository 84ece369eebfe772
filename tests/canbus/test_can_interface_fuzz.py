# SPDX-License-Identifier: Apache-2.0
"""libFuzzer over what comes from CAN interfaces (library/can/test/*_fuzz.c).

TAKT_FUZZ_CAN: how many inputs (default 20000, with --full 2000000). TAKT_SEED: where it begins; the input that fails is
kept, and its path is in the message.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from takt.support.provision import ROOT

RUNS = int(os.environ.get("TAKT_FUZZ_CAN", "2000000" if os.environ.get("TAKT_TEST_FULL") else "20000"))
SEED = int(os.environ.get("TAKT_SEED", "1"))
CALLS = "socket setsockopt ioctl bind write recvmsg close"
FRAMES = ("crc", "frame", "length", "parser", "errors", "filter")


@pytest.mark.parametrize(("name", "calls", "edges_min"), [("socketcan", CALLS, 230)])
def test_anything_that_comes(name: str, calls: str, edges_min: int, tmp_path: Path) -> None:
    net, library = ROOT / "net" / "can", ROOT / "library" / "can"
    sources = [library / "host" / f"{name}.c", library / "test" / f"{name}_fuzz.c"]
    sources += [net / "src" / f"{one}.c" for one in FRAMES]
    flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fno-sanitize-recover=all"]
    command = ["clang-14", *flags, "-fsanitize=fuzzer,address,undefined", f"-I{ROOT}", f"-I{net / 'include'}"]
    wrapped = [f"-Wl,--wrap={call}" for call in calls.split()]
    program = tmp_path / "fuzz"
    subprocess.run([*command, *map(str, sources), *wrapped, "-o", str(program)], check=True)
    arguments = [f"-seed={SEED}", f"-runs={RUNS}", "-max_len=600", "-len_control=0", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr[-5000:] + f"\nTAKT_SEED={SEED}, input in {tmp_path}"
    found = re.findall(r"#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+)", done.stderr)
    assert found, done.stderr[-2000:]
    runs, edges, _ = map(int, found[0])
    print(f"{runs} inputs, {edges} edges")
    assert runs >= RUNS
    assert edges > edges_min
