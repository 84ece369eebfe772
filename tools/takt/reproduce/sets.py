# SPDX-License-Identifier: Apache-2.0
"""What hints, sets of them and early releases are worth in schedulability: the study benchmarks/sweep/hints.toml, whose
results are kept and shown in docs/sweep.md. Future work in seed 000, 5.4.2 and 5.6."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from takt.support.provision import ROOT
from takt.sweep import plots, rows, study, summary, workers
from takt.sweep.study import Study

STUDY = ROOT / "benchmarks" / "sweep" / "hints.toml"
KEPT = "hints"
PAGE, PICTURE = "sweep.md", "sweep-hints.svg"
_REGION = re.compile(r"(<!-- hints -->\n).*?(<!-- hints end -->)", re.DOTALL)


def load() -> Study:
    return study.load(STUDY)


def measure(jobs: int) -> dict[str, Any]:
    """The means, and the breakdown utilization of every set, in the order of the study's rows."""
    from takt.support import compile

    compile.host_library()
    wanted = load()
    everything = rows.chunks(wanted)
    finished = dict(workers.on_this_machine(everything, jobs))
    found = [row for chunk in everything for row in finished[chunk.number]]
    return {
        "points": [mean.as_json(True) for mean in summary.means(wanted, found)],
        "breakdowns": [row["breakdown"] for row in found],
    }


def means(document: dict[str, Any]) -> list[summary.Mean]:
    return [
        summary.Mean(
            point["overheads"],
            point["tasks"],
            point["divisor"],
            None,
            point["scheduler"],
            point["sets"],
            point["breakdown"],
            point["undecided"],
            point["way"],
        )
        for point in document["points"]
    ]


def markdown(document: dict[str, Any]) -> str:
    """A row for each number of tasks and divisor, a column for each way, percent."""
    wanted, found = load(), means(document)
    names = [way or "" for _, way in wanted.cases]
    lines = ["| tasks | periods | " + " | ".join(names) + " |", "| ---: | --- |" + " ---: |" * len(names)]
    for start in range(0, len(found), len(names)):
        part = found[start : start + len(names)]
        cells = " | ".join(f"{100 * mean.value:.2f}" for mean in part)
        lines.append(f"| {part[0].tasks} | / {part[0].divisor} | {cells} |")
    return "\n".join(lines)


def files(folder: Path, document: dict[str, Any], page: str) -> dict[Path, str]:
    """The page with its table, and its picture."""
    shown = _REGION.sub(lambda found: f"{found[1]}{markdown(document)}\n{found[2]}", page)
    return {folder / PAGE: shown, folder / PICTURE: next(iter(plots.pictures(load(), means(document)).values()))}
