# SPDX-License-Identifier: Apache-2.0
"""docs/reproduction.md and its pictures, from the figures that are kept: a part of `takt bench docs`.

The text is benchmarks/reproduction.md.in. @NAME@ in it is what the function in CSD or SEMAPHORES makes of the document
that is kept of that command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from takt.reproduce import csd, semaphores
from takt.support.files import read_text
from takt.support.provision import ROOT

TEMPLATE = ROOT / "benchmarks" / "reproduction.md.in"
NAME = "reproduction.md"
_PART = re.compile(r"@([a-z0-9_]+)@")

Document = dict[str, Any]
Part = Callable[[Document], str]


def points(curves: dict[str, dict[str, dict[str, float]]]) -> Iterator[tuple[str, str, str, float]]:
    """Divisor, scheduler, number of tasks, and what is there."""
    for divisor, by_name in curves.items():
        for name, by_tasks in by_name.items():
            for tasks, value in by_tasks.items():
                yield divisor, name, tasks, value


def where(document: Document, divisor: str, upper: str, lower: str) -> str:
    """With how many tasks one scheduler carries more than another, by the seed's tests."""
    by_name = document["historic"][divisor]
    found = [tasks for tasks, percent in by_name[upper].items() if percent > by_name[lower][tasks]]
    return ", ".join(found) if found else "none"


def better(document: Document) -> str:
    """Where a CSD-x carries more than EDF, a row for each figure, and where RM does."""
    lines = ["| figure | CSD-2 above EDF | CSD-3 | CSD-4 | RM above EDF |", "|---|---|---|---|---|"]
    for divisor, figure in csd.FIGURES.items():
        cells = [where(document, divisor, name, "edf") for name in ("csd2", "csd3", "csd4", "rm")]
        lines.append(f"| {figure} | {' | '.join(cells)} |")
    return "\n".join(lines)


def gains(document: Document) -> str:
    """Points from CSD-2 to CSD-3, and from there to CSD-4, with the most tasks."""
    said = []
    for divisor, figure in csd.FIGURES.items():
        two, three, four = (document["historic"][divisor][name]["50"] for name in ("csd2", "csd3", "csd4"))
        said.append(f"{figure}: {three - two:.1f} and {four - three:.1f}")
    return "; ".join(said)


def near(document: Document) -> str:
    """How many points lie near the reference, and which do not."""
    known = csd.reference()["curves"]
    half = document["half_width"]["historic"]
    gaps = [
        (divisor, name, tasks, percent - known[divisor][name][known["tasks"].index(int(tasks))])
        for divisor, name, tasks, percent in points(document["historic"])
    ]
    beyond = [
        f"{csd.NAMES[name]} /{divisor} with {tasks} tasks: {gap:+.2f} ± {half[divisor][name][tasks]:.2f}"
        for divisor, name, tasks, gap in gaps
        if abs(gap) > csd.NEAR
    ]
    text = f"{len(gaps) - len(beyond)} of {len(gaps)} points lie within {csd.NEAR} points of the reference"
    sure = f"; with certainty, the whole confidence interval, {len(document['far']) or 'none'}"
    return f"{text}. Further away: {'; '.join(beyond)}{sure}." if beyond else f"{text}."


def expected(document: Document) -> str:
    """EDF's points where the reference lies furthest from what is expected, and ours there."""
    known = csd.reference()["curves"]
    gaps = []
    for divisor, name, tasks, percent in points(document["historic"]):
        if name == "edf":
            wanted = csd.expected_edf(int(tasks), int(divisor))
            gaps.append(
                (known[divisor][name][known["tasks"].index(int(tasks))] - wanted, percent - wanted, divisor, tasks)
            )
    theirs, ours, divisor, tasks = max(gaps, key=lambda gap: abs(gap[0]))
    return (
        f"{csd.expected_edf(int(tasks), int(divisor)):.2f} with {tasks} tasks and periods / {divisor}: there the"
        f" reference lies {theirs:+.2f} from it and we {ours:+.2f}"
    )


def same(document: Document) -> str:
    """The schedulers for which both tests say the same of every workload."""
    differ = {name for _, name, _, percent in points(document["refuted"]) if percent}
    return ", ".join(title for name, title in csd.NAMES.items() if name not in differ)


def refuted(document: Document) -> str:
    shares = [percent for _, name, _, percent in points(document["refuted"]) if name in ("csd3", "csd4")]
    return f"{min(shares):.0f} to {max(shares):.0f} %"


def loss(document: Document) -> str:
    """The greatest effect of the errors of the printed tests in a point."""
    losses = [
        (document["historic"][divisor][name][tasks] - percent, name, divisor, tasks)
        for divisor, name, tasks, percent in points(document["exact"])
    ]
    most, name, divisor, tasks = max(losses)
    return f"{most:.2f} points ({csd.NAMES[name]}, periods / {divisor}, {tasks} tasks)"


def removals(document: Document) -> str:
    """Instructions of taking a task out of the tree of an edf level, or of a later key, without and with a hint."""
    names = ("takt_tournament_remove", "takt_tournament_increase")
    profiles = [_functions(document, "edf", row) for row in semaphores.PROFILES]
    plain, hinted = (sum(profile.get(name, 0) for name in names) for profile in profiles)
    return f"{plain} and {hinted}"


def _functions(document: Document, band: str, row: str) -> dict[str, int]:
    found: dict[str, int] = next(
        item["functions"] for item in document["where"] if (item["band"], item["row"]) == (band, row)
    )
    return found


def spent(document: Document) -> str:
    """What t2 and t3 are, and how much of t3 is in functions that only a hint makes run."""
    lines = ["| band | t2, without a hint | t3, with one | of it only with a hint |", "|---|---:|---:|---:|"]
    for band in semaphores.FIGURES:
        plain, hinted = (_functions(document, band, row) for row in semaphores.PROFILES)
        only = sum(count for name, count in hinted.items() if name not in plain)
        lines.append(f"| {band} | {sum(plain.values())} | {sum(hinted.values())} | {only} |")
    return "\n".join(lines)


def slopes(document: Document) -> str:
    found = [semaphores.grown(document["rows"], "edf", "lean", cost) for cost in semaphores.COSTS]
    return f"{found[0]} without a hint and {found[1]} with one"


def worse(document: Document) -> str:
    """What figure 5.11 has no room for."""
    found = [
        f"In a {band} band of preset {preset} a lock and an unlock take {factor:.1f} times as long with a hint as"
        " without: that line is below the picture."
        for band, preset, factor in semaphores.worse(document["rows"])
    ]
    return " ".join(found) or "No line is below the picture."


CSD: dict[str, Part] = {
    "csd": lambda document: csd.command_line(document["workloads"], document["seeds"]),
    "workloads": lambda document: str(document["workloads"]),
    "seeds": lambda document: str(len(document["seeds"])),
    "statements": lambda document: csd.statement_table(document).markdown(),
    "better": better,
    "gains": gains,
    "search_s": lambda document: f"{document['search_s']:.2f}",
    "near": near,
    "expected": expected,
    "printed": lambda document: csd.printed_table(document).markdown(),
    "readings": lambda document: csd.reading_table(document).markdown(),
    "same": same,
    "refuted": refuted,
    "loss": loss,
    "undecided": lambda document: f"{max(percent for *_, percent in points(document['undecided'])):.1f} %",
    "curves": lambda document: "\n\n".join(table.markdown() for table in csd.curve_tables(document)),
}
SEMAPHORES: dict[str, Part] = {
    "locks": lambda document: f"./takt reproduce semaphores --repeats {document['repeats']}",
    "saving": lambda document: semaphores.statement_table(document).markdown(),
    "semaphores": lambda document: "\n\n".join(table.markdown() for table in semaphores.tables(document)),
    "slopes": slopes,
    "worse": worse,
    "removals": removals,
    "spent": spent,
}


def files(folder: Path, curves: Document, locks: Document) -> dict[Path, str]:
    """The page and its pictures, in a folder, from the documents of both commands."""

    def text(found: re.Match[str]) -> str:
        return CSD[found[1]](curves) if found[1] in CSD else SEMAPHORES[found[1]](locks)

    page = _PART.sub(text, read_text(TEMPLATE))
    wanted = {NAME: page, **csd.pictures(curves), **semaphores.pictures(locks)}
    return {folder / name: content for name, content in wanted.items()}
