# SPDX-License-Identifier: Apache-2.0
"""Figures 5.1 to 5.12 of seed 001 from rows of ours, and one of all kernels.

A figure has the seed's panels: four codecs, each without and with the task manager. What the seed's text says in
numbers is a dashed line, as many cycles of our clock.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from takt.bench.studies import rtm_kernels
from takt.bench.studies.plot import COLOURS, SETTINGS, text_of
from takt.bench.studies.rtm import CATEGORIES, reference
from takt.bench.studies.rtm_runs import CLOCK_HZ, CODECS, FRAME_NS
from takt.reproduce.rtm import SEED_HZ, Document, points
from takt.reproduce.rtm_studies.points import Point

PANEL = (4.0, 1.9)  # inches
PARTS = (  # which codecs the first and the second figure of a pair have
    ("gsm encode", "gsm decode", "cipher encrypt", "cipher decrypt"),
    ("adpcm encode", "adpcm decode", "g726 encode", "g726 decode"),
)
NOTHING = "no rows"
SLOWER = SEED_HZ / CLOCK_HZ
CIRCLE = 90.0  # points squared, of all measurements
SIZES = 5  # a circle is the largest of a row of halves that is not larger, or the least
STEPS = 100  # of an axis: circles closer than that are one
WIDTH = 0.03  # of a bar, of the axis
FILLS = (*COLOURS, "#a3a3a3")
KINDS = {"software": "software", "manager": "task manager"}

Axes = Any  # matplotlib's Axes


def _spread(seen: Counter[int], most: float) -> dict[float, float]:
    """The part of the measurements at each of STEPS values up to `most`, which all of them lie below."""
    step = max(most, 1) / STEPS
    found: dict[float, float] = {}
    for value, count in seen.items():
        rounded = round(value / step) * step
        found[rounded] = found.get(rounded, 0) + count / seen.total()
    return found


def size(part: float) -> float:
    """Of a circle, for a part of the measurements: few sizes, or a picture would be large."""
    for halves in range(SIZES):
        if part >= 0.5**halves:
            return CIRCLE * 0.5**halves
    return CIRCLE * 0.5**SIZES


def _utilization(axes: Axes, kernel: str, found: dict[int, Point], kind: str, scale: float) -> None:
    bottoms = [0.0] * len(found)
    for name, colour in zip(CATEGORIES[kernel], FILLS, strict=False):
        shares = [one.categories[name] for one in found.values()]
        axes.bar(list(found), shares, WIDTH * axes.get_xlim()[1], bottoms, color=colour, label=name)
        bottoms = [below + share for below, share in zip(bottoms, shares, strict=True)]
    said = seed_percent(kernel, kind)
    if said is not None:
        constant, each = said
        ends = axes.get_xlim()
        label = "the seed: as many cycles"
        axes.plot(ends, [constant + each * end for end in ends], "k--", linewidth=1, label=label)


def seed_percent(kernel: str, kind: str) -> tuple[float, float] | None:
    """The seed's numbers in percent of our processor: without channels, and for each. None: its text does
    not say it of all categories."""
    if kernel != "classic":
        return None
    constant = each = 0.0
    for line in reference()["line"]:
        if line["kernel"] == kernel and kind in line:
            percent = line[kind] * SLOWER
            if line["each"] == "channel":
                each += percent
            else:
                constant += percent
    return constant, each


def _circles(name: str, unit: float) -> Callable[[Axes, str, dict[int, Point], str, float], None]:
    """Of response times or jitter; an axis has `unit` ns for 1."""

    def draw(axes: Axes, kernel: str, found: dict[int, Point], kind: str, scale: float) -> None:
        by_size: dict[float, list[tuple[int, float]]] = {}  # circles of one size are one mark in the file
        for one in found.values():
            for value, part in _spread(getattr(one, name), scale).items():
                by_size.setdefault(size(part), []).append((one.channels, value / unit))
        for area, marks in sorted(by_size.items(), reverse=True):
            style = {"markersize": area**0.5, "markeredgewidth": 0, "color": COLOURS[0]}
            axes.plot(*zip(*marks, strict=True), "o", label="measured; the area: how many", **style)
        for time in reference()["time"]:
            if (time["kernel"], time["of"]) == (kernel, name):
                shown = time[kind] * SLOWER
                axes.axhline(shown, color="black", linestyle="--", linewidth=1, label="the seed: as many cycles")

    return draw


def _highest(found: dict[int, Point], name: str) -> float:
    """The largest value of a panel, in the unit in which it is kept."""
    if name == "percent":
        return max((one.percent for one in found.values()), default=0.0)
    return float(max((max(getattr(one, name), default=0) for one in found.values()), default=0))


KINDS_OF_FIGURE: dict[str, tuple[str, float, Callable[[Axes, str, dict[int, Point], str, float], None]]] = {
    "percent": ("kernel, percent", 1, _utilization),
    "responses": ("response, us", 1000, _circles("responses", 1000)),
    "jitter": ("jitter, percent", FRAME_NS / 100, _circles("jitter", FRAME_NS / 100)),
}
"""By what it shows: its axis, the unit of that in ns, and what draws a panel."""

FIGURES = {
    f"5.{number + part}": (kernel, shown, codecs)
    for number, kernel, shown in (
        (1, "classic", "percent"),
        (3, "nos", "percent"),
        (5, "classic", "responses"),
        (7, "nos", "responses"),
        (9, "classic", "jitter"),
        (11, "nos", "jitter"),
    )
    for part, codecs in enumerate(PARTS)
}


def in_time(found: dict[int, Point]) -> dict[int, Point]:
    """Without those with which frames are late."""
    return {channels: one for channels, one in found.items() if not one.late}


def figure(document: Document, kernel: str, shown: str, codecs: Sequence[str]) -> str:
    """One of the twelve, as SVG; panels beside each other have the same axis."""
    across, unit, draw = KINDS_OF_FIGURE[shown]

    def fill(grid: Any) -> None:
        for row, codec in zip(grid, codecs, strict=True):
            known = {kind: in_time(points(document, kernel, kind, codec)) for kind in KINDS}
            highest = max(_highest(found, shown) for found in known.values())
            for axes, (kind, found) in zip(row, known.items(), strict=True):
                axes.set_xlim(0, _width(known.values()))
                if found:
                    draw(axes, kernel, found, kind, highest)
                else:
                    axes.text(0.5, 0.5, NOTHING, transform=axes.transAxes, ha="center")
                axes.set_title(f"{codec}, {KINDS[kind]}", fontsize=9)
                axes.set_ylim(0, _ceiling(highest / unit, kernel, shown))
            row[0].set_ylabel(across)

    return _svg(len(codecs), fill)


def _width(some: Iterable[dict[int, Point]]) -> int:
    """Of an axis: codecs of which few channels fit have a short one."""
    return max((max(found, default=0) for found in some), default=0) + 1


def _ceiling(highest: float, kernel: str, shown: str) -> float:
    """Above what is measured, and what the seed says of it."""
    said = [
        time[kind] * SLOWER
        for time in reference()["time"]
        for kind in KINDS
        if (time["kernel"], time["of"]) == (kernel, shown)
    ]
    return 1.1 * max([highest, *said]) or 1


_COORDINATE = re.compile(r'\b(?:d|x|y)="[^"]*"')
_DIGITS = re.compile(r"(\.\d\d)\d+")  # thousands of circles: a hundredth of a point is enough


def _svg(rows: int, fill: Callable[[Any], None]) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({**SETTINGS, "font.size": 8}):
        drawn = Figure(figsize=(2 * PANEL[0], rows * PANEL[1] + 0.6), layout="constrained")
        grid = drawn.subplots(rows, 2, squeeze=False)
        for axes in grid.flat:
            axes.xaxis.get_major_locator().set_params(integer=True, nbins=8)
        fill(grid)
        for axes in grid[-1]:
            axes.set_xlabel("channels")
        names: dict[str, Any] = {}
        for axes in grid.flat:
            for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
                names.setdefault(name, handle)
        drawn.legend(list(names.values()), list(names), loc="outside lower center", ncols=4, frameon=False)
        return _COORDINATE.sub(lambda found: _DIGITS.sub(r"\1", found[0]), text_of(drawn))


def kernels(document: Document) -> str:
    """What each kernel takes with each codec, as SVG: not of the seed."""
    shown = [
        (kernel, kind)
        for kernel, kinds in rtm_kernels.KINDS_OF.items()
        for kind in kinds
        if any((row["kernel"], row["kind"]) == (kernel, kind) for row in document["rows"])
    ]
    index_of = {kernel: number for number, kernel in enumerate(rtm_kernels.KERNELS)}

    def fill(grid: Any) -> None:
        for axes, codec in zip(grid.flat, CODECS, strict=True):
            known = {variant: in_time(points(document, *variant, codec)) for variant in shown}
            for (kernel, kind), found in known.items():
                style = "--" if kind == "manager" else "-"
                shares = [one.percent for one in found.values()]
                label = f"{kernel}, {KINDS[kind]}"
                colour = COLOURS[index_of[kernel]]
                axes.plot(list(found), shares, style, color=colour, marker=".", label=label)
            axes.set_title(codec, fontsize=9)
            axes.set_xlim(0, _width(known.values()))
            axes.set_ylim(bottom=0)
        for row in grid:
            row[0].set_ylabel("kernel, percent")

    return _svg(len(CODECS) // 2, fill)


def pictures(document: Document) -> dict[str, str]:
    """By name of the file."""
    found = {f"reproduction-rtm-{name}.svg": figure(document, *shown) for name, shown in FIGURES.items()}
    return {**found, "reproduction-rtm-kernels.svg": kernels(document)}
