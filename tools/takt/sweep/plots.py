# SPDX-License-Identifier: Apache-2.0
"""Pictures of a sweep: breakdown utilizations over tasks, or how many sets are proved over utilization."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from takt.support import provision
from takt.support.files import write_whole
from takt.sweep.study import Point, Study
from takt.sweep.summary import Mean, label

PANELS = 4  # in a row; more make another picture


def _lines(study: Study, means: Iterable[Mean]) -> list[tuple[str, list[tuple[float, float]]]]:
    """By scheduler and way, in the order of the study."""
    found = list(means)
    lines = []
    for name in (label(*case) for case in study.cases):
        points = [
            (float((mean.tasks if study.breakdown else mean.utilization) or 0), 100 * mean.value)
            for mean in found
            if mean.name == name
        ]
        lines.append((name, sorted(points)))
    return lines


def _title(point: Point, study: Study) -> str:
    words = [] if study.breakdown or point.tasks is None else [f"{point.tasks} tasks"]
    words += [f"periods / {point.divisor}"] if study.divisors != (1,) else []
    return ", ".join(words) or study.generator


def pictures(study: Study, means: list[Mean]) -> dict[str, str]:
    """SVG by the name of its file; none of sets that are judged as a file has them."""
    if not study.breakdown and not study.utilizations:
        return {}
    provision.require_python("plot")
    from takt.bench.studies import plot

    across, up = ("tasks", "breakdown utilization, percent") if study.breakdown else ("utilization", "proved, percent")
    least = 5 * (min(100 * mean.value for mean in means) // 5) if study.breakdown else 0  # else lines lie on each other
    found: dict[str, str] = {}
    for board in study.overheads:
        panels: dict[str, plot.Panel] = {}
        for point in study.points:
            title = _title(point, study)
            if point.overheads != board or title in panels:
                continue
            same = [mean for mean in means if mean.in_picture(point, study.breakdown)]
            lines = [
                plot.Line(name, points, index % len(plot.COLOURS), dashed=index >= len(plot.COLOURS))
                for index, (name, points) in enumerate(_lines(study, same))
            ]
            panels[title] = plot.Panel(title, lines)
        shown = list(panels.values())
        for start in range(0, len(shown), PANELS):
            number = f"-{start // PANELS + 1}" if len(shown) > PANELS else ""
            name = re.sub(r"\W+", "-", f"{'breakdown' if study.breakdown else 'proved'}-{board}{number}")
            found[f"{name}.svg"] = plot.svg(shown[start : start + PANELS], across, up, least)
    return found


def write(folder: Path, study: Study, means: list[Mean]) -> list[Path]:
    """The pictures, into a folder."""
    paths = []
    for name, text in pictures(study, means).items():
        write_whole(folder / name, text)
        paths.append(folder / name)
    return paths
