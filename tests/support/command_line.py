# SPDX-License-Identifier: Apache-2.0
"""What tests of the command line share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from takt.support.provision import ROOT


@dataclass(frozen=True)
class Said:
    """What a command said."""

    code: int
    out: str
    err: str


Takt = Callable[..., Said]


def refusal(found: Said) -> tuple[str, str]:
    """What a command refuses, in one message, and what to try."""
    assert found.code == 2
    assert found.err.count("\n") == 2
    problem, _, tried = found.err.removeprefix("takt: ").partition("\n  try: ")
    return problem, tried


def keys(value: Any, prefix: str = "") -> Iterator[str]:
    """Keys of a JSON document as docs/json.md writes them."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{prefix}{name}"
            yield from keys(inner, f"{prefix}{name}.")
    elif isinstance(value, list):
        for element in value:
            yield from keys(element, f"{prefix.removesuffix('.')}[].")


def documented(command: str) -> set[str]:
    """Keys that docs/json.md lists for a command."""
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    section = next(part for part in text.split("\n## ") if part.startswith(f"`takt {command} "))
    return set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
