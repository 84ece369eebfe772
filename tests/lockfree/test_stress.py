# SPDX-License-Identifier: Apache-2.0
"""The shipped ring and state message between threads of this machine, under the sanitizers."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from takt.support.provision import ROOT

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
COUNT = 2_000_000 if FULL else 20_000
TIMEOUT_S = 240
# -fno-builtin: of a copy that the compiler makes inline ThreadSanitizer would see nothing. -Wno-tsan: it warns of
# fences, which it does not follow. They order relaxed accesses of single words, in which it sees no race anyway; that
# they are there is checked in test_targets.py, what they are for in tests/models.
SANITIZERS = {"thread": ["-fsanitize=thread", "-Wno-tsan", "-fno-builtin"], "address": ["-fsanitize=address,undefined"]}


@pytest.fixture(scope="module", params=SANITIZERS)
def stress(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program under a sanitizer."""
    program = tmp_path_factory.mktemp("stress") / "stress"
    command = ["gcc", "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-fno-sanitize-recover=all"]
    command += [*SANITIZERS[request.param], f"-I{ROOT}", f"-I{ROOT / 'kernel' / 'include'}"]
    command += [
        f"-I{ROOT / 'kernel' / 'config' / 'preset' / 'lean'}",
        str(ROOT / "tests" / "lockfree" / "stress.c"),
        "-pthread",
    ]
    done = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def run(stress: Path, what: str) -> str:
    done = subprocess.run(
        [str(stress), what, str(COUNT)], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_rings_of_two_producers(stress: Path) -> None:
    assert run(stress, "ring") == f"{2 * COUNT} items\n"


def test_a_state_message_with_two_readers(stress: Path) -> None:
    said = re.findall(r"^(\d+) messages, \d+ overtaken$", run(stress, "state"), re.MULTILINE)
    assert len(said) == 2
    assert all(int(messages) > 0 for messages in said)
