# SPDX-License-Identifier: Apache-2.0
"""Files that describe the messages of a bus, written for a test or by others."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from command_line import Said
from takt.support import provision


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def document(said: Said) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said.out)
    return found


def opendbc() -> list[Path]:
    """The DBC files of the package, which is installed when it is first asked for."""
    provision.require_python("dbc")
    found = importlib.util.find_spec("opendbc")
    assert found is not None
    assert found.submodule_search_locations is not None
    return sorted(Path(found.submodule_search_locations[0]).rglob("*.dbc"))
