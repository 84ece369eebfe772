# SPDX-License-Identifier: Apache-2.0
"""Figures 7.6 to 7.13: a panel for each kind of test, over the load of the bus. Marks are another program's points."""

from __future__ import annotations

from takt.reproduce.can.study import CASES, FIGURES, Document, reference
from takt.reproduce.can.tables import TESTS, title_of

PREFIX = "reproduction-can"
TITLES = {
    "historic": "the seed's conditions",
    "sound": "conditions that hold",
    "stuffed": "conditions that hold, stuff bits counted",
}
POLICIES = ("ed", "mts", "dm", "ed29")  # which have colours of their own, and lines in figures
DASHED = {"dm", "ed29"}  # in figures of several cases, whose colours are those of the cases


def _loads(document: Document, case: str, test: str) -> list[float]:
    found: list[float] = document["cases"][case]["load_stuffed" if test == "stuffed" else "load"]
    return found


def _marks(document: Document, case: str, policy: str, test: str) -> list[tuple[float, float]]:
    """The reference's points at our loads."""
    known = reference()
    values = known["curves"].get(case, {}).get(policy, {}).get(test, [])
    at = dict(zip(document["streams"], _loads(document, case, test), strict=True))
    return [
        (at[streams], value)
        for streams, value in zip(known["streams"], values, strict=False)
        if value >= 0 and streams in at
    ]


def picture(document: Document, figure: str) -> str:
    """As SVG."""
    from takt.bench.studies import plot

    cases = FIGURES[figure]
    panels = []
    for test in TESTS:
        lines, marks = [], []
        for index, case in enumerate(cases):
            for policy in (one for one in POLICIES if one in CASES[case].policies):
                if len(cases) > 1 and policy not in ("mts", "dm"):
                    continue
                alone = len(cases) == 1
                colour = POLICIES.index(policy) if alone else index
                values = document["cases"][case]["feasible"][test][policy]
                points = list(zip(_loads(document, case, test), values, strict=True))
                dashed = policy in DASHED and (not alone or policy == "ed29")
                name = title_of(figure, policy, case)
                lines.append(plot.Line(name, points, colour, dashed))
                found = _marks(document, case, policy, test) if alone else []
                if found:
                    marks.append(plot.Line(f"{name}, reference", found, colour, marks=True))
        panels.append(plot.Panel(TITLES[test], [*lines, *marks]))
    return plot.svg(panels, "load of the bus, percent", "feasible workloads, percent")


def pictures(document: Document) -> dict[str, str]:
    """By name of the file: of the figures whose cases are there."""
    return {
        f"{PREFIX}-{figure}.svg": picture(document, figure)
        for figure, cases in FIGURES.items()
        if all(case in document["cases"] for case in cases)
    }
