# SPDX-License-Identifier: Apache-2.0
"""Files that describe the messages of a bus, written for a test or by others."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path
from typing import Any

from command_line import Said
from takt.support import provision

SYSTEM_BUS = """
[[can]]
name = "body"
bitrate = "500 kbit/s"
[[message]]
name = "lamp"
bus = "body"
sender = "attitude"
bytes = 8
id = 0x100
deadline = "10 ms"
"""
"""Of a system.toml that has a task attitude."""


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def document(said: Said) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said.out)
    return found


def spoilt(text: str | bytes, seed: int, pieces: bytes = b'"; :@|,09.-BO_\n\\', most: int = 20) -> bytes:
    """With a few places of up to `most` bytes deleted, replaced or filled with bytes of `pieces`."""
    chance = random.Random(seed)
    data = bytearray(text if isinstance(text, bytes) else text.encode())
    for _ in range(chance.randint(1, 4)):
        at, count = chance.randrange(len(data)), chance.randint(0, most)
        data[at : at + count] = bytes(chance.choice(pieces) for _ in range(chance.randint(0, min(most, 5))))
    return bytes(data)


def judged(said: Said, seed: int) -> int:
    """The exit code: a verdict, or one message and nothing else."""
    assert said.code in (0, 1, 2), seed
    assert (said.err.count("try: ") == 1) == (said.code == 2), f"seed {seed}: {said.err}"
    assert said.code != 2 or said.out == "", f"seed {seed}: {said.out}"
    return said.code


def opendbc() -> list[Path]:
    """The DBC files of the package, which is installed when it is first asked for."""
    provision.require_python("dbc")
    found = importlib.util.find_spec("opendbc")
    assert found is not None
    assert found.submodule_search_locations is not None
    return sorted(Path(found.submodule_search_locations[0]).rglob("*.dbc"))
