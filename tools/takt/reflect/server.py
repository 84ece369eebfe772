# SPDX-License-Identifier: Apache-2.0
"""What the server of a node on this machine says, and is told (reflect/linux/server/control.h)."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

from takt.errors import UserError

WITHIN_S = 2.0


def folder() -> Path:
    """Where names are, as reflect/linux/src/folder.c has it."""
    if asked := os.environ.get("TAKT_REFLECT_FOLDER"):
        return Path(asked)
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "takt" if runtime else Path(f"/run/takt-{os.geteuid()}")


def nodes() -> list[str]:
    """Nodes that have, or had, a server here."""
    try:
        return sorted(path.name[:-1] for path in folder().iterdir() if path.name.endswith("@"))
    except OSError:
        return []


def ask(node: str, request: str) -> dict[str, Any]:
    """Its answer. UserError: it has no server here, or refuses."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(WITHIN_S)
        try:
            descriptor = os.open(folder(), os.O_PATH | os.O_DIRECTORY)
            try:
                connection.connect(f"/proc/self/fd/{descriptor}/{node}@")  # however long the folder's path is
            finally:
                os.close(descriptor)
            connection.sendall(f"{request}\n".encode())
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        except OSError:
            raise UserError(f'node "{node}" has no server here', f"takt reflectd APP --node {node}") from None
    document: dict[str, Any] = json.loads(answer)
    if "error" in document:
        raise UserError(f"{node}: {document['error']}", f"takt reflect info --node {node}")
    return document


def state(node: str) -> dict[str, Any]:
    """docs/json.md, takt reflect info --node."""
    return ask(node, "state")
