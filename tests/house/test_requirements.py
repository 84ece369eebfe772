# SPDX-License-Identifier: Apache-2.0
"""Packages of Python that are installed on demand go into one environment, also while something runs there."""

from __future__ import annotations

import re
from pathlib import Path

LOCKS = Path(__file__).resolve().parents[2] / "tools" / "requirements"
PINNED = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


def test_no_two_locks_pin_different_versions_of_a_package() -> None:
    """One may pin several, for different versions of Python: then all that have the package do."""
    pinned: dict[str, dict[str, set[str]]] = {}
    for path in LOCKS.glob("*.lock"):
        for name, version in PINNED.findall(path.read_text(encoding="utf-8")):
            versions = pinned.setdefault(name.lower().replace("_", "-"), {}).setdefault(path.name, set())
            versions.add(version)
    assert len(pinned) > 50
    assert {name: locks for name, locks in pinned.items() if len(set(map(frozenset, locks.values()))) > 1} == {}
