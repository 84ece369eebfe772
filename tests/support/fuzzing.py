# SPDX-License-Identifier: Apache-2.0
"""Harnesses of libFuzzer in C: built with the sanitizers, and run from a seed for a number of inputs."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from takt.support.provision import ROOT

SEED = int(os.environ.get("TAKT_SEED", "1"))
_FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fno-sanitize-recover=all"]


def inputs(variable: str, usual: int, full: int) -> int:
    """How many inputs: an environment variable, or by the kind of test."""
    return int(os.environ.get(variable, full if os.environ.get("TAKT_TEST_FULL") else usual))


def build(output: Path, sources: Iterable[Path], include: Path, calls: Iterable[str] = ()) -> Path:
    """`calls`: those of the C library that the harness has its own of, as __wrap_CALL."""
    wrapped = [f"-Wl,--wrap={call}" for call in calls]
    command = ["clang-14", *_FLAGS, "-fsanitize=fuzzer,address,undefined", f"-I{ROOT}", f"-I{include}"]
    subprocess.run([*command, *map(str, sources), *wrapped, "-o", str(output)], check=True)
    return output


def run(program: Path, folder: Path, runs: int, length: int) -> int:
    """The edges that `runs` inputs of at most `length` bytes reach. One that fails is kept in `folder`."""
    options = [f"-seed={SEED}", f"-runs={runs}", f"-max_len={length}", "-len_control=0", f"-artifact_prefix={folder}/"]
    done = subprocess.run([str(program), *options], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr[-5000:] + f"\nTAKT_SEED={SEED}, input in {folder}"
    found = re.findall(r"#(\d+)\s+DONE\s+cov: (\d+)", done.stderr)
    assert found, done.stderr[-2000:]
    ran, edges = map(int, found[0])
    print(f"{ran} inputs, {edges} edges")
    assert ran >= runs
    return edges
