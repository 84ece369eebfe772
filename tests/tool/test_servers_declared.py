# SPDX-License-Identifier: Apache-2.0
"""What [[server]] declares, and what it changes in the tasks that it serves. Refusals: malformed.toml."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.declare import declaration
from takt.declare.schema.model import Server, System

MS = 1_000_000

DECLARED = """
[[task]]
name = "control"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "shell"
[[task]]
name = "log"
min_interarrival = "5 ms"
wcet = "200 us"
{log}
[[server]]
name = "comms"
kind = "{kind}"
budget = "300 us"
period = "2 ms"
serves = ["shell", "log"]
{more}
"""


def load(folder: Path, kind: str = "polling", log: str = "", more: str = "") -> System:
    path = folder / "system.toml"
    path.write_text(DECLARED.format(kind=kind, log=log, more=more), encoding="utf-8")
    return declaration.load(path)


@pytest.mark.parametrize("kind", ["deferrable", "polling", "sporadic"])
def test_each_key_of_a_server_is_read(tmp_path: Path, kind: str) -> None:
    found = load(tmp_path, kind).servers
    assert found == (Server("comms", kind, 300_000, 2 * MS, 2 * MS, ("shell", "log")),)
    assert load(tmp_path, kind, more='deadline = "1 ms"').servers[0].deadline_ns == MS


def test_a_served_task_has_only_a_declared_deadline(tmp_path: Path) -> None:
    assert load(tmp_path).task("log").deadline_ns is None
    assert load(tmp_path, log='deadline = "5 ms"').task("log").deadline_ns == 5 * MS
    assert load(tmp_path).task("control").deadline_ns == 10 * MS


def test_a_band_names_the_server(tmp_path: Path) -> None:
    bands = '[[band]]\nkind = "edf"\ntasks = ["comms", "control"]\n'
    assert load(tmp_path, more=bands).bands[0].groups == (("control", "comms"),)
