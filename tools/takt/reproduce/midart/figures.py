# SPDX-License-Identifier: Apache-2.0
"""Figures 4 to 12 of seed 002 from rows of ours. What a document has no rows of has no picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from takt.bench.studies.plot import COLOURS, SETTINGS, text_of
from takt.reproduce.midart.tables import Document, Row, name_of

PANEL = (4.0, 2.2)  # inches
STEPS = 200  # of a distribution: more are not seen
DASHES = {"default": "-", "best": "--", "priorities": ":"}
PREFIX = "reproduction-midart"

Grid = Any  # matplotlib's Axes, rows of them


def _colours(document: Document) -> dict[str, str]:
    names = list(document["versions"])
    return {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(names)}


def _svg(rows: int, columns: int, fill: Callable[[Grid], None]) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({**SETTINGS, "font.size": 8}):
        drawn = Figure(figsize=(columns * PANEL[0], rows * PANEL[1] + 0.5), layout="constrained")
        grid = drawn.subplots(rows, columns, squeeze=False)
        fill(grid)
        names: dict[str, Any] = {}
        for axes in grid.flat:
            for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
                names.setdefault(name, handle)
        if names:
            drawn.legend(list(names.values()), list(names), loc="outside lower center", ncols=4, frameon=False)
        return text_of(drawn)


def beyond(values: Sequence[float]) -> list[tuple[float, float]]:
    """A distribution: at STEPS parts of the values, the least that so many do not exceed, and the part that lies
    beyond."""
    ordered = sorted(values)
    count = len(ordered)
    indices = sorted({min(count - 1, round(step * count / STEPS)) for step in range(STEPS + 1)}) if count else []
    return [(ordered[index], 1 - index / count) for index in indices]


def periods(document: Document) -> str:
    """Figures 4 to 7: the time between sends of T1 and T2, in a column for each carrier as it is."""
    load = min(row["load"] for row in document["priority"])
    rows = [row for row in document["priority"] if row["load"] == load and row["setting"] == "default"]
    columns = list(dict.fromkeys(row["carrier"] for row in rows))
    colours = _colours(document)

    def fill(grid: Grid) -> None:
        for line, stream in zip(grid, ("T1", "T2"), strict=True):
            chosen = {row["carrier"]: row for row in rows if row["stream"] == stream}
            most = max((max(row["send_periods_us"], default=0) for row in chosen.values()), default=0)
            for axes, carrier in zip(line, columns, strict=True):
                values = [value / 1000 for value in chosen[carrier]["send_periods_us"]]
                axes.plot(values, color=colours[carrier], linewidth=0.6)
                axes.set_title(f"{stream}, {carrier}", fontsize=9)
                axes.set_ylim(0, 1.1 * most / 1000 or 1)
            line[0].set_ylabel("between sends, ms")
        for axes in grid[-1]:
            axes.set_xlabel("execution")

    return _svg(2, len(columns), fill)


def latencies(document: Document) -> str:
    """Of figures 4 to 7: what part of the values takes longer from release to receive."""
    loads = sorted({row["load"] for row in document["priority"]})
    colours = _colours(document)

    def fill(grid: Grid) -> None:
        for line, load in zip(grid, loads, strict=True):
            for axes, stream in zip(line, ("T1", "T2"), strict=True):
                for row in document["priority"]:
                    if (row["load"], row["stream"]) == (load, stream) and row["latencies_us"]:
                        across, up = zip(*beyond(row["latencies_us"]), strict=True)
                        style = DASHES.get(row["setting"], "-.")
                        label = name_of(row)
                        axes.plot(across, up, style, color=colours[row["carrier"]], label=label, linewidth=1.2)
                axes.set(xscale="log", yscale="log", title=f"{stream}, {load} % of the link", xlabel="us")
            line[0].set_ylabel("part that takes longer")

    return _svg(len(loads), 2, fill)


def _by_size(document: Document, value: Callable[[Row], float | None], across: str) -> str:
    carriers = list(dict.fromkeys(row["carrier"] for row in document["sizes"]))
    blocks = sorted({row["block"] for row in document["sizes"]})

    def fill(grid: Grid) -> None:
        for axes, carrier in zip(grid[0], carriers, strict=True):
            for block, colour in zip(blocks, COLOURS, strict=False):
                rows = [row for row in document["sizes"] if (row["carrier"], row["block"]) == (carrier, block)]
                points = [(row["bytes"] / 1024, value(row)) for row in rows if value(row) is not None]
                if points:
                    label = f"blocks of {block // 1024} KB" if block else "its own way"
                    axes.plot(*zip(*points, strict=True), marker=".", color=colour, label=label)
            axes.set(title=carrier, xlabel="message, KB")
            axes.set_ylim(bottom=0)
        grid[0][0].set_ylabel(across)

    return _svg(1, len(carriers), fill)


def sending(document: Document) -> str:
    """Figure 8."""
    return _by_size(document, lambda row: row["send_us"]["p50"], "sending, us")


def throughput(document: Document) -> str:
    """Figure 9."""
    rate = "burst_bytes_per_s"
    return _by_size(document, lambda row: None if row[rate] is None else row[rate] / 1e6, "receiver, MB/s")


def timers(document: Document) -> str:
    """Figure 10."""

    def fill(grid: Grid) -> None:
        axes = grid[0][0]
        for source in dict.fromkeys(row["source"] for row in document["timers"]):
            rows = [row for row in document["timers"] if row["source"] == source]
            for name, colour in zip(("p50", "p99"), COLOURS, strict=False):
                points = [row["late_us"][name] for row in rows]
                label = f"{source}, {'median' if name == 'p50' else '99 %'}"
                axes.plot([row["timers"] for row in rows], points, marker=".", color=colour, label=label)
        axes.set(xlabel="timers", ylabel="until the last is handled, us")
        axes.set_ylim(bottom=0)

    return _svg(1, 1, fill)


def readers(document: Document) -> str:
    """Figure 11: the periods that the two fastest readers see, a panel for each carrier in each setting."""
    names = list(dict.fromkeys(name_of(row) for row in document["readers"]))

    def fill(grid: Grid) -> None:
        for axes, name in zip(grid.flat, names, strict=False):
            for row in document["readers"]:
                if name_of(row) == name and row["periods_us"]:
                    values = [value / 1000 for value in row["periods_us"]]
                    colour = COLOURS[row["reader"] - 1]
                    label = f"period of {row['period_us'] / 1000:g} ms"
                    axes.plot(values, color=colour, linewidth=0.8, label=label)
            axes.set_title(name, fontsize=9)
            axes.set_ylim(bottom=0)
        for axes in grid.flat[len(names) :]:
            axes.set_axis_off()
        for row in grid:
            row[0].set_ylabel("period, ms")

    return _svg(-(-len(names) // 3), min(3, len(names)), fill)


def background(document: Document) -> str:
    """Figure 12."""
    colours = _colours(document)

    def fill(grid: Grid) -> None:
        axes = grid[0][0]
        for name in dict.fromkeys(name_of(row) for row in document["background"]):
            rows = [row for row in document["background"] if name_of(row) == name and row["elapsed_ms"] is not None]
            if rows:
                style = DASHES.get(rows[0]["setting"], "-.")
                points = [(row["readers"], row["elapsed_ms"] / 1000) for row in rows]
                colour = colours[rows[0]["carrier"]]
                axes.plot(*zip(*points, strict=True), style, marker=".", color=colour, label=name)
        axes.set(xlabel="readers", ylabel="first to last block, s")

    return _svg(1, 1, fill)


PICTURES: dict[str, tuple[str, Callable[[Document], str]]] = {
    "4-7": ("priority", periods),
    "4-7-latency": ("priority", latencies),
    "8": ("sizes", sending),
    "9": ("sizes", throughput),
    "10": ("timers", timers),
    "11": ("readers", readers),
    "12": ("background", background),
}
"""By the number of the figure: the rows that it needs."""


def pictures(document: Document) -> dict[str, str]:
    """By name of the file."""
    return {f"{PREFIX}-{name}.svg": draw(document) for name, (needs, draw) in PICTURES.items() if document[needs]}
