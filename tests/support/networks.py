# SPDX-License-Identifier: Apache-2.0
"""Networks in a folder, and what a run of one leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from can_files import write
from running import takt as run_takt
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build


def network(folder: Path, systems: dict[str, str]) -> Path:
    nodes = "".join(f'[[node]]\nname = "{name}"\nsystem = "{name}"\n' for name in systems)
    write(folder, "system.toml", nodes)
    for name, text in systems.items():
        (folder / name).mkdir(exist_ok=True)
        write(folder / name, "system.toml", text)
    return folder


def left(folder: Path, node: str, file: str) -> bytes:
    """What a run left of a node; nothing of a bus that carried nothing. Logs call a bus by its place in the node."""
    system = declaration.load(folder / node / "system.toml")
    path = build.folder_of(system, boards.load("host"), "dm") / "run" / file
    return path.read_bytes().replace(b" can1 ", b" can0 ") if path.exists() else b""


def ran(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    return run_takt("run", folder, *options)


def seen(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(node["name"], one["name"]): one for node in document["nodes"] for one in node["messages"]}
