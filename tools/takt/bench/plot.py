# SPDX-License-Identifier: Apache-2.0
"""Lines over a number, as an SVG picture. The same figures make the same file, byte for byte."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 44, 56  # margins; the names of the lines stand in the right one
LABEL_APART = 16
COLOURS = ("#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce")
FONT = 'font-family="sans-serif" font-size="13" fill="#222"'


@dataclass(frozen=True)
class Line:
    """`colour`: a place in COLOURS."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: int
    dashed: bool = False


def ceiling(most: float) -> tuple[float, float]:
    """The end of an axis that begins at 0 and has `most` on it, and the step between its marks: 1, 2 or 5 times ten."""
    power = 10 ** math.floor(math.log10(most / 4)) if most > 0 else 1.0
    step = next(factor * power for factor in (1, 2, 5, 10) if most <= factor * power * 6)
    return math.ceil(most / step - 1e-9) * step, step


def marks(end: float, step: float) -> list[float]:
    return [round(i * step, 9) for i in range(round(end / step) + 1)]


def apart(places: Sequence[float]) -> list[float]:
    """The places, in their order, moved down where two would be closer than LABEL_APART."""
    found: dict[int, float] = {}
    last = -math.inf
    for index in sorted(range(len(places)), key=lambda i: places[i]):
        found[index] = last = max(places[index], last + LABEL_APART)
    return [found[index] for index in range(len(places))]


def svg(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """`across`, `up`: what the axes show."""
    x_end, x_step = ceiling(max(x for line in lines for x, _ in line.points))
    y_end, y_step = ceiling(max(y for line in lines for _, y in line.points))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x_of(value: float) -> float:
        return round(LEFT + (right - LEFT) * value / x_end, 1)

    def y_of(value: float) -> float:
        return round(bottom - (bottom - TOP) * value / y_end, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="24" {FONT} font-weight="bold">{escape(title)}</text>',
    ]
    for value in marks(y_end, y_step):
        parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y_of(value)}" y2="{y_of(value)}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y_of(value) + 4}" text-anchor="end" {FONT}>{value:g}</text>')
    for value in marks(x_end, x_step):
        parts.append(f'<line x1="{x_of(value)}" x2="{x_of(value)}" y1="{bottom}" y2="{bottom + 5}" stroke="#222"/>')
        parts.append(f'<text x="{x_of(value)}" y="{bottom + 20}" text-anchor="middle" {FONT}>{value:g}</text>')
    parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}" stroke="#222"/>')
    middle = (LEFT + right) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle" {FONT}>{escape(across)}</text>')
    turned = f'transform="translate(18 {(TOP + bottom) / 2}) rotate(-90)"'
    parts.append(f'<text {turned} text-anchor="middle" {FONT}>{escape(up)}</text>')
    names = apart([y_of(line.points[-1][1]) for line in lines])
    for line, name_y in zip(lines, names, strict=True):
        colour = COLOURS[line.colour]
        dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
        points = " ".join(f"{x_of(x)},{y_of(y)}" for x, y in line.points)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        font = FONT.replace("#222", colour)
        parts.append(f'<text x="{right + 10}" y="{name_y + 4:.1f}" {font}>{escape(line.name)}</text>')
    return "\n".join([*parts, "</svg>", ""])
