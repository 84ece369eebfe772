# SPDX-License-Identifier: Apache-2.0
"""Figures per preset that are kept under review in benchmarks/golden: comparing, printing, writing anew."""

from __future__ import annotations

import json
import sys
from pathlib import Path

PRESETS = ("lean", "standard")

Rows = dict[str, int]


def differences(wanted: dict[str, Rows], found: dict[str, Rows]) -> list[str]:
    """What is not as reviewed, one line each."""
    lines = []
    for preset in PRESETS:
        old, new = wanted.get(preset, {}), found[preset]
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                lines.append(f"{preset} {name}: {old.get(name, 'no row')} -> {new.get(name, 'no row')}")
    return lines


def load(golden: Path) -> dict[str, Rows]:
    """The reviewed figures."""
    figures: dict[str, Rows] = json.loads(golden.read_text(encoding="utf-8"))
    return figures


def report(found: dict[str, Rows], golden: Path, title: str) -> int:
    """Prints the table; with --update on the command line it is the new golden. Returns the exit code."""
    if "--update" in sys.argv[1:]:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"{title:44}{'lean':>10}{'standard':>10}")
    for name in found["lean"]:
        print(f"{name:44}{found['lean'][name]:>10}{found['standard'][name]:>10}")
    return 0
