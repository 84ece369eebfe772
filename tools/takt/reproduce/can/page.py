# SPDX-License-Identifier: Apache-2.0
"""docs/reproduction-can.md and its pictures, from the figures that are kept: a part of `takt bench docs`.

The text is benchmarks/reproduction-can.md.in. @NAME@ in it is what the function in PARTS makes of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from takt.reproduce.can import tables
from takt.reproduce.can.figures import PREFIX, pictures
from takt.reproduce.can.study import FIGURES, Document
from takt.support.files import read_text
from takt.support.provision import ROOT

TEMPLATE = ROOT / "benchmarks" / "reproduction-can.md.in"
NAME = "reproduction-can.md"
_PART = re.compile(r"@([a-z0-9_.-]+)@")


def _figure(number: str) -> Callable[[Document], str]:
    return lambda _: f"![Figure {number}]({PREFIX}-{number}.svg)"


def _at(document: Document, case: str, test: str, policy: str, streams: int) -> float:
    found: float = document["cases"][case]["feasible"][test][policy][document["streams"].index(streams)]
    return found


def _most(document: Document, policy: str, case: str) -> str:
    return f"{max(document['cases'][case]['refuted'][policy]):.1f}"


def later(document: Document) -> str:
    """By how many points ED* would be lower if its order were that of latest starts."""
    found = document["cases"]["low-100"]["feasible"]["stuffed"]
    return f"{max(a - b for a, b in zip(found['ed'], found['ed_start'], strict=True)):.0f}"


def long(document: Document) -> str:
    """ED on 29 bits by DM and MTS, with 12 streams."""
    said = []
    for test, words in tables.TESTS.items():
        values = [f"{_at(document, 'low-100', test, policy, 12):.0f}" for policy in ("ed29", "dm", "mts", "ed")]
        said.append(f"{words}: {values[0]} % beside DM's {values[1]}, MTS' {values[2]} and ED*'s {values[3]}")
    return "; ".join(said)


PARTS: dict[str, Callable[[Document], str]] = {
    "workloads": lambda document: str(document["workloads"]),
    "near": tables.near,
    "far": lambda document: tables.gap_table(document).markdown(),
    "statements": lambda document: tables.statement_table(document).markdown(),
    "curves": lambda document: "\n\n".join(table.markdown() for table in tables.curve_tables(document)),
    "costs_7.3": lambda document: tables.cost_table(document, "7.3").markdown(),
    "costs_7.4": lambda document: tables.cost_table(document, "7.4").markdown(),
    "update": lambda document: tables.update_table(document).markdown(),
    "refuted": lambda document: _most(document, "mts", "low-100"),
    "refuted_six": lambda document: _most(document, "mts", "sporadic-6-epoch-4"),
    "refuted_dm": lambda document: _most(document, "dm", "low-100"),
    "later": later,
    "long": long,
    **{f"figure-{number}": _figure(number) for number in FIGURES},
}


def files(folder: Path, document: Document) -> dict[Path, str]:
    """The page and its pictures, in a folder."""
    page = _PART.sub(lambda found: PARTS[found[1]](document), read_text(TEMPLATE))
    return {folder / NAME: page, **{folder / name: text for name, text in pictures(document).items()}}
