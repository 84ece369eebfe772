# SPDX-License-Identifier: Apache-2.0
"""How many conditions of the preprocessor the kernel has: a feature is a plain `if` on its constant, an array of one
element or none (takt/task.h), or a file."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CONDITION = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b", re.MULTILINE)
GUARD = re.compile(r"^#ifndef (\w+_H)\n#define \1$", re.MULTILINE)
MOST = 6.0  # per 1000 lines


def conditions(text: str) -> int:
    """In a C file, without the guard of a header."""
    return len(CONDITION.findall(text)) - (GUARD.search(text) is not None)


def test_the_kernel_has_few_conditions() -> None:
    found = {path: path.read_text(encoding="utf-8") for path in (ROOT / "kernel").rglob("*.[chS]")}
    texts = {path.relative_to(ROOT): text for path, text in found.items() if "test" not in path.parts}
    lines = sum(text.count("\n") for text in texts.values())
    each = {path: conditions(text) for path, text in texts.items()}
    per_1000 = 1000 * sum(each.values()) / lines
    print(f"{sum(each.values())} conditions in {lines} lines of kernel/: {per_1000:.1f} per 1000")
    most = sorted(each, key=lambda path: -each[path])[:10]
    assert per_1000 <= MOST, [f"{path}: {each[path]}" for path in most]


def test_what_counts_as_a_condition() -> None:
    guarded = "#ifndef TAKT_X_H\n#define TAKT_X_H\n#endif\n"
    assert conditions(guarded) == 0
    assert conditions("#ifndef TAKT_X\n#define TAKT_X 0\n#endif\n") == 1
    assert conditions(guarded + "#if A\n  # ifdef B\n#elif C\n#else\n#ifndef D\n#endif\n/* #if is a word */\n") == 4
