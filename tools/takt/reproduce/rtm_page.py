# SPDX-License-Identifier: Apache-2.0
"""docs/reproduction-rtm.md and its pictures, from the figures that are kept: a part of `takt bench docs`.

The text is benchmarks/reproduction-rtm.md.in. @NAME@ in it is what the function in PARTS makes of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from takt.bench.documents import results
from takt.bench.studies.rtm_runs import HYPERPERIOD_MS
from takt.reproduce import rtm
from takt.reproduce.rtm_figures import FIGURES, pictures
from takt.reproduce.rtm_studies import seeds, suite, waits
from takt.support.files import read_text
from takt.support.provision import ROOT

TEMPLATE = ROOT / "benchmarks" / "reproduction-rtm.md.in"
NAME = "reproduction-rtm.md"
STUDIES = (waits, seeds, suite)  # each has a document of its own, which is kept
_PART = re.compile(r"@([a-z0-9_-]+)@")
SHOWN = {"percent": "share", "responses": "response time", "jitter": "jitter"}

Document = rtm.Document


def figures(document: Document) -> str:
    """The twelve, each under its number."""
    lines = []
    for number, (kernel, shown, codecs) in FIGURES.items():
        kinds = ", ".join(dict.fromkeys(codec.split()[0] for codec in codecs))
        lines.append(f"![Figure {number}: {SHOWN[shown]}, {kernel}, {kinds}](reproduction-rtm-{number}.svg)")
    return "\n\n".join(lines)


def grid(document: Document) -> str:
    """Which channels, by codecs that have the same."""
    by_numbers: dict[str, list[str]] = {}
    periods = {row["codec"]: row["periods"] for row in document["rows"]}
    for codec, channels in document["channels"].items():
        numbers = f"{', '.join(map(str, channels))} for {HYPERPERIOD_MS * periods[codec]} ms"
        by_numbers.setdefault(numbers, []).append(codec)
    return "; ".join(f"{', '.join(codecs)}: {numbers}" for numbers, codecs in by_numbers.items())


def _of_study(study: ModuleType) -> Callable[[Document], str]:
    return lambda _: str(study.markdown(results(study.NAME)))


PARTS: dict[str, Callable[[Document], str]] = {
    "runs": lambda document: str(len(document["rows"])),
    "seeds": lambda document: str(document["seeds"]),
    "megahertz": lambda document: str(document["clock_hz"] // 10**6),
    "tick": lambda document: str(document["tick_us"]),
    "grid": grid,
    "claims": lambda document: rtm.claim_table(document).markdown(),
    "lines": lambda document: rtm.line_table(document).markdown(),
    "beside": lambda document: rtm.beside_table(document).markdown(),
    "overload": lambda document: rtm.overload_table(document).markdown(),
    "figures": figures,
    **{study.NAME: _of_study(study) for study in STUDIES},
}


def files(folder: Path, document: Document) -> dict[Path, str]:
    """The page and its pictures, in a folder."""
    page = _PART.sub(lambda found: PARTS[found[1]](document), read_text(TEMPLATE))
    return {folder / name: content for name, content in {NAME: page, **pictures(document)}.items()}
