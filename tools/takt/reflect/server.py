# SPDX-License-Identifier: Apache-2.0
"""Answers of and commands to the server of a node on this machine (reflect/linux/server/control.h)."""

from __future__ import annotations

import errno
import json
import os
import socket
import struct
import time
from pathlib import Path
from typing import Any

from takt.support.errors import UserError
from takt.support.names import shown

WITHIN_S = 2.0
ANSWER_MAX = 64 << 20  # bytes; the state of as many channels as there may be has less


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
    """Its answer. UserError: it has no server here, gives no answer in WITHIN_S, or refuses."""
    until_s = time.monotonic() + WITHIN_S
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            _connect(connection, node)
        except (OSError, ValueError) as error:
            if isinstance(error, BlockingIOError):
                raise _silent(node) from None
            raise UserError(
                f'node "{shown(node)}" has no server on this machine', f"takt reflectd APP --node {shown(node)}"
            ) from None
        try:
            connection.settimeout(WITHIN_S)
            connection.sendall(os.fsencode(f"{request}\n"))
            connection.shutdown(socket.SHUT_WR)
            document = json.loads(_rest(connection, until_s))
        except (OSError, ValueError):  # it hung up, is stopped, or is no server at all
            raise _silent(node) from None
    if not isinstance(document, dict):
        raise _silent(node)
    if "error" in document:
        raise UserError(f"{node}: {document['error']}", f"takt reflect info --node {node}")
    return document


def _connect(connection: socket.socket, node: str) -> None:
    """BlockingIOError: too many others wait, so it did not answer within WITHIN_S. OSError: there is none."""
    if "/" in node:
        raise FileNotFoundError(node)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", int(WITHIN_S), 0))
    descriptor = os.open(folder(), os.O_PATH | os.O_DIRECTORY)
    try:
        connection.connect(f"/proc/self/fd/{descriptor}/{node}@")  # however long the folder's path is
    finally:
        os.close(descriptor)


def _rest(connection: socket.socket, until_s: float) -> bytes:
    """All that comes. OSError: not within that time, or so much that it is no answer."""
    answer = bytearray()
    while len(answer) < ANSWER_MAX:
        connection.settimeout(max(until_s - time.monotonic(), 0.001))
        data = connection.recv(1 << 16)
        if not data:
            return bytes(answer)
        answer += data
    raise OSError(errno.EMSGSIZE, "the answer is too long")


def _silent(node: str) -> UserError:
    return UserError(
        f'the server of node "{shown(node)}" does not answer', "run it again; the server may be suspended or busy"
    )


STATE = {"node", "process", "real_time", "counters", "senders", "receivers"}


def state(node: str) -> dict[str, Any]:
    """docs/json.md, takt reflect info --node."""
    found = ask(node, "state")
    if not found.keys() >= STATE:
        raise _silent(node)
    return found
