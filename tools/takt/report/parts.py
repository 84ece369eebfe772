# SPDX-License-Identifier: Apache-2.0
"""Pieces of markup that pages are made of. Text is escaped here; what is called markup is not."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from takt.declare.schema.model import Verdict
from takt.report.demand import Demand
from takt.support.durations import brief

COLOURS = {Verdict.FEASIBLE: "good", Verdict.INFEASIBLE: "bad", Verdict.UNDECIDED: "warn"}
MARKS = {Verdict.FEASIBLE: "holds", Verdict.INFEASIBLE: "misses", Verdict.UNDECIDED: "undecided"}
WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 10, 30


@dataclass(frozen=True)
class Cell:
    """Of a table. `number`: at the right; `colour`: good, bad or warn."""

    text: str
    number: bool = False
    colour: str = ""
    markup: bool = False


def section(heading: str, *markup: str) -> str:
    return f"<section><h2>{html.escape(heading)}</h2>{''.join(markup)}</section>"


def paragraph(text: str) -> str:
    return f"<p class='note'>{html.escape(text)}</p>"


def table(heads: Sequence[str], rows: Iterable[tuple[str, Sequence[Cell]]], numbers: Iterable[int] = ()) -> str:
    """`rows`: each with a class, which may be empty; `numbers`: columns that are."""
    right = set(numbers)
    head = "".join(f"<th{' class=n' if i in right else ''}>{html.escape(name)}</th>" for i, name in enumerate(heads))
    body = "".join(f"<tr{f' class={kind}' if kind else ''}>{''.join(map(_cell, cells))}</tr>" for kind, cells in rows)
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _cell(cell: Cell) -> str:
    classes = " ".join(filter(None, ("n" if cell.number else "", cell.colour)))
    text = cell.text if cell.markup else html.escape(cell.text)
    return f"<td class='{classes}'>{text}</td>" if classes else f"<td>{text}</td>"


def bar(value: float, whole: float, mark: float | None, over: bool) -> str:
    """A length, and a mark on the way to the whole."""
    most = max(value, whole, mark or 0) or 1
    line = f"<i style='left:{100 * mark / most:.1f}%'></i>" if mark is not None else ""
    return f"<div class='bar{' over' if over else ''}'><b style='width:{100 * value / most:.1f}%'></b>{line}</div>"


def stacked(parts: Sequence[tuple[str, float, str]], whole: float, mark: float | None = None) -> str:
    """Lengths behind one another, with a legend: name, length and text of each."""
    pieces, names = [], []
    for number, (name, value, text) in enumerate(parts):
        if value <= 0:
            continue
        pieces.append(f"<b class='part{number}' style='width:{100 * value / whole:.3f}%'></b>")
        names.append(f"<span class='part{number}'>{html.escape(name)} <em>{html.escape(text)}</em></span>")
    line = f"<i style='left:{100 * mark / whole:.3f}%'></i>" if mark is not None else ""
    said = ", ".join(f"{name} {text}" for name, value, text in parts if value > 0)
    drawn = f"<div class='stacked' role='img' aria-label=\"{html.escape(said)}\">{''.join(pieces)}{line}</div>"
    return f"{drawn}<div class='legend'>{''.join(names)}</div>"


def curves(found: Demand) -> str:
    """What is needed over what fits, until more is needed."""
    across = max(found.needed[-1][0], 1)
    up = max(found.needed[-1][1], found.fits[-1][1], 1) * 1.06

    def x(t: float) -> float:
        return LEFT + t / across * (WIDTH - LEFT - RIGHT)

    def y(ns: float) -> float:
        return HEIGHT - BOTTOM - ns / up * (HEIGHT - TOP - BOTTOM)

    def path(points: Iterable[tuple[int, int]], colour: str) -> str:
        text = "L".join(f"{x(t):.1f} {y(ns):.1f}" for t, ns in points)
        return f"<path class='curve' d='M{text}' style='stroke:var({colour})'/>"

    lines = [
        f"<rect class='frame' x='{LEFT}' y='{TOP}' width='{WIDTH - LEFT - RIGHT}' height='{HEIGHT - TOP - BOTTOM}'/>"
    ]
    for ns in _steps(up, 5):
        lines.append(f"<line class='axis' x1='{LEFT}' x2='{WIDTH - RIGHT}' y1='{y(ns):.1f}' y2='{y(ns):.1f}'/>")
        lines.append(f"<text x='{LEFT - 5}' y='{y(ns) + 4:.1f}' text-anchor='end'>{html.escape(brief(ns))}</text>")
    for t in _steps(across, 6):
        end = "end" if t > 0.95 * across else "middle"
        lines.append(f"<text x='{x(t):.1f}' y='{HEIGHT - 12}' text-anchor='{end}'>{html.escape(brief(t))}</text>")
    at = x(found.at_ns)
    cut = f"<line class='excess' x1='{at:.1f}' x2='{at:.1f}' y1='{TOP}' y2='{HEIGHT - BOTTOM}'/>"
    drawn = "".join(lines) + path(found.fits, "--band0") + path(found.needed, "--bad") + cut
    return (
        "<figure><figcaption><small style='--c:var(--bad)'>needed by then</small>"
        "<small style='--c:var(--band0)'>fits by then</small></figcaption>"
        f"<div class='wide'><svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='Demand over time'>{drawn}</svg>"
        "</div></figure>"
    )


def _steps(most: float, room: int) -> range:
    """About `count` round numbers up to `most`, 0 aside."""
    rough = max(most / room, 1)
    power = 10 ** int(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10, 20) if factor * power >= rough)
    return range(step, int(most) + 1, step)
