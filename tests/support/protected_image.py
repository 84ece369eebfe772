# SPDX-License-Identifier: Apache-2.0
"""What tests of protected images share: how they are built and run."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from running import on_board
from takt.declare import declaration
from takt.declare.schema.model import System
from takt.image import build
from takt.prove import proof


@cache
def built(application: Path, board_name: str, preset: str | None = None, budgets: bool = True) -> tuple[System, Path]:
    """A declaration with protection, for that board, and its image. `preset`: another one; `budgets`: as declared, or
    none, which is another kind of kernel."""
    system = declaration.with_board(declaration.load(declaration.find(str(application)), True), board_name)
    system = system if preset is None else replace(system, preset=preset)
    if not budgets:
        tasks = (replace(task, on_budget="none", budget_ns=None) for task in system.tasks)
        processes = (replace(process, deadline_threads=0) for process in system.processes)  # theirs are budgets, too
        system = replace(system, tasks=tuple(tasks), processes=tuple(processes), runtime_tasks=0)
    return system, build.build(proof.prove(system)).path


def run(image: Path, board_name: str, timeout_s: int = 60, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Runs an image; the console is in stdout."""
    return on_board(board_name, image, options, within_s=timeout_s)


def console_values(console: bytes, word: bytes) -> dict[str, Any]:
    """The JSON behind a word on the console, the last time: what a process writes there comes before the end."""
    _, found, rest = console.rpartition(b"\n" + word + b" {")
    assert found, console[-2000:].decode(errors="replace")
    document: dict[str, Any] = json.loads("{" + rest.partition(b"\n")[0].decode())
    return document
