# SPDX-License-Identifier: Apache-2.0
"""A system that says what is typed (tests/run/console/echo.c), with or without protection."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from takt.support.provision import ROOT

SYSTEM = """
[system]
board = "host"
scheduler = "dm"
duration = "1 s"
protection = @protection@
[console]
input = @input@
rate = @rate@
[[task]]
name = "echo"
entry = "echo_step"
min_interarrival = "@apart@"
wcet = "1 ms"
trigger = "pipe console_input"
[[process]]
name = "reader"
tasks = ["echo"]
sources = ["echo.c"]
uses = ["console_input"]
console = true
"""


def system(folder: Path, protection: bool = False, size: int = 64, rate: int = 9600, apart: str = "10 ms") -> Path:
    shutil.copy(ROOT / "tests" / "run" / "console" / "echo.c", folder)
    given = {"protection": str(protection).lower(), "input": size, "rate": rate, "apart": apart}
    (folder / "system.toml").write_text(re.sub("@(.*?)@", lambda found: str(given[found[1]]), SYSTEM), encoding="utf-8")
    return folder
