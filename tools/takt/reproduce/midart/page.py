# SPDX-License-Identifier: Apache-2.0
"""docs/reproduction-midart.md and its pictures, from the figures that are kept: a part of `takt bench docs`.

The text is benchmarks/reproduction-midart.md.in. @NAME@ in it is what the function in PARTS makes of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from takt.reproduce.midart import tables
from takt.reproduce.midart.figures import PICTURES, PREFIX, pictures
from takt.reproduce.midart.tables import Document
from takt.support.files import read_text
from takt.support.provision import ROOT

TEMPLATE = ROOT / "benchmarks" / "reproduction-midart.md.in"
NAME = "reproduction-midart.md"
_PART = re.compile(r"@([a-z0-9_-]+)@")
GOALS = {  # ratios (tables.ratios): what is said of them, and what was wanted at most
    "T1_54": ("T1 at 54 %: 99th percentile", 1 / 8),
    "T1_85": ("T1 at 85 %: 99th percentile", 1 / 8),
    "T2_54": ("T2 at 54 %: median", 1.10),
    "T2_85": ("T2 at 85 %: median", 1.10),
    "filtered": ("bytes for a reader of 10 Hz", 1 / 50),
}
GOALS_ALONE = {  # tables.alone
    "lost_85": ("values lost at 85 %", 0),
    "deviation": ("14 readers: 99th percentile of a period's deviation in the median round, by the period", 0.05),
}


def goals_tables(document: Document) -> str:
    """What was wanted, and what came out."""
    parts = []
    for head, goals, found in (
        ("ours by the best of the peers", GOALS, tables.ratios(document)),
        ("of ours", GOALS_ALONE, tables.alone(document)),
    ):
        lines = [f"| {head} | wanted, at most | here |", "|---|---:|---:|"]
        for name, (words, wanted) in goals.items():
            value = found.get(name)
            lines.append(f"| {words} | {wanted:.3g} | {'not measured' if value is None else f'{value:.3g}'} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _picture(number: str) -> Callable[[Document], str]:
    return lambda document: f"![Figure {number}]({PREFIX}-{number}.svg)" if document[PICTURES[number][0]] else ""


def _table(name: str) -> Callable[[Document], str]:
    return lambda document: tables.TABLES[name](document).markdown()


PARTS: dict[str, Callable[[Document], str]] = {
    "goals": goals_tables,
    "note": tables.note,
    **{name: _table(name) for name in tables.TABLES},
    **{f"figure-{number}": _picture(number) for number in PICTURES},
}


def files(folder: Path, document: Document) -> dict[Path, str]:
    """The page and its pictures, in a folder."""
    page = _PART.sub(lambda found: PARTS[found[1]](document), read_text(TEMPLATE))
    return {folder / NAME: page, **{folder / name: text for name, text in pictures(document).items()}}
