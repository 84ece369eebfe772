# SPDX-License-Identifier: Apache-2.0
"""Systems that are nodes of a CAN bus, as text, and what `takt check` says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from can_files import document, write
from command_line import Takt, refusal

MS = 1_000_000
TASKS = """[system]
board = "host"
scheduler = "dm"
name = "dash"
[[task]]
name = "control"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "logger"
period = "100 ms"
wcet = "5 ms"
[[task]]
name = "rest"
"""
BUS = '[[can]]\nname = "body"\nbitrate = "500 kbit/s"\n'


def message(name: str, keys: str) -> str:
    return f'[[message]]\nname = "{name}"\nbus = "body"\nbytes = 8\n{keys}\n'


BRAKE = message("brake", 'sender = "control"\nid = 0x100\ndeadline = "5 ms"')
SPEED = message("speed", 'from = "engine"\nid = 0x200\nperiod = "5 ms"\njitter = "1 ms"')
TRACE = message("trace", 'sender = "logger"\nid = 0x300')
WHOLE = TASKS + BUS + BRAKE + SPEED + TRACE
AUTO = 'id = "auto"'


def checked(takt: Takt, folder: Path, text: str, *options: str) -> dict[str, Any]:
    write(folder, "system.toml", text)
    return document(takt("check", folder, "--json", "--no-sensitivity", *options))


def responses(found: dict[str, Any]) -> dict[str, int | None]:
    return {one["name"]: one["response_ns"] for one in found["messages"]}


def refused(takt: Takt, folder: Path, text: str, said: str, hint: str) -> None:
    """With one message at a line, and what to try."""
    write(folder, "system.toml", text)
    problem, tried = refusal(takt("check", folder))
    assert said in problem
    assert problem.partition(": ")[0].endswith(tuple(f"system.toml:{line}" for line in range(1, 60)))
    assert hint in tried
    assert bool(tried.strip())
