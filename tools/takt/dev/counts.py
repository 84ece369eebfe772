# SPDX-License-Identifier: Apache-2.0
"""Outcomes of tests, and the commands that have them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from takt.support import children
from takt.support.provision import ROOT

WORDS_MAX = 12  # of a command that is shown


@dataclass(frozen=True)
class Counts:
    """Outcomes of tests."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


def run_command(command: Sequence[str | Path], **environment: str) -> int:
    """Runs in the root with our Python path; output goes where ours goes. Returns the exit code."""
    more = [f"... and {len(command) - WORDS_MAX} more"] if len(command) > WORDS_MAX else []
    print(f"$ {' '.join([*map(_short, command[:WORDS_MAX]), *more])}", flush=True)
    merged = {**os.environ, "PYTHONPATH": str(ROOT / "tools"), **environment}
    with children.start(command, ending=children.GENTLY, cwd=ROOT, env=merged) as child:
        return child.wait()


def _short(argument: str | Path) -> str:
    text = str(argument)
    return "python" if text == sys.executable else text.removeprefix(f"{ROOT}/")
