# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def declare(tmp_path: Path) -> Callable[..., Path]:
    """Writes a system.toml from task rows (name, period or deadline/period in ms, wcet in us)."""

    def write(*rows: tuple[str, str, int], head: str = "", tail: str = "") -> Path:
        tasks = ""
        for name, times, wcet in rows:
            deadline, _, period = times.rpartition("/")
            tasks += f'\n[[task]]\nname = "{name}"\nperiod = "{period} ms"\nwcet = "{wcet} us"\n'
            tasks += f'deadline = "{deadline} ms"\n' if deadline else ""
        path = tmp_path / "system.toml"
        path.write_text(f"[system]\n{head}\n{tasks}{tail}", encoding="utf-8")
        return path

    return write
