# SPDX-License-Identifier: Apache-2.0
"""Lines over a number, as an SVG picture. The same figures make the same file, byte for byte."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PANEL, HEIGHT = 5.4, 3.8  # inches
COLOURS = ("#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#374151")
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "takt",  # names of clip paths are random otherwise
    "svg.fonttype": "none",
    "path.simplify": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#dddddd",
}


@dataclass(frozen=True)
class Line:
    """`colour`: a axes in COLOURS. `marks`: only its points."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: int
    dashed: bool = False
    marks: bool = False


@dataclass(frozen=True)
class Panel:
    """`note`: words at the lower edge."""

    title: str
    lines: Sequence[Line]
    note: str = ""


def text_of(figure: Any) -> str:
    """The file of a matplotlib Figure, to be asked for within its SETTINGS."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    head, rest = out.getvalue().split("\n", 1)
    return f"{head}\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n{rest}"


def svg(panels: Sequence[Panel], across: str, up: str, least: float = 0) -> str:
    """Panels side by side, with one legend. `across`, `up`: what the axes show; `up` begins at `least`."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(PANEL * len(panels), HEIGHT), layout="constrained")
        axes_list = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, panel in zip(axes_list, panels, strict=True):
            for line in panel.lines:
                across_values, up_values = zip(*line.points, strict=True)
                style = "o" if line.marks else "--" if line.dashed else "-"
                axes.plot(across_values, up_values, style, color=COLOURS[line.colour], label=line.name)
            axes.set(title=panel.title, xlabel=across)
            if panel.note:
                axes.text(0.02, 0.02, panel.note, transform=axes.transAxes, fontsize=8)
        axes_list[0].set(ylabel=up)
        axes_list[0].set_ylim(bottom=least)
        names = axes_list[0].get_legend_handles_labels()
        figure.legend(*names, loc="outside lower center", ncols=2 * len(panels), frameon=False)
        return text_of(figure)
