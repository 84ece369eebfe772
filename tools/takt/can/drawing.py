# SPDX-License-Identifier: Apache-2.0
"""Pieces of pictures of a bus: SVG."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence

WIDTH, LEFT, RIGHT = 1100, 210, 150
ROW, ROWS_MAX = 15, 40
NAME_MAX = 28  # characters
_STYLE = (
    "text{font:11px sans-serif;fill:#222}.h{font-weight:600;font-size:13px}.m{fill:#666}.g{stroke:#ddd}"
    ".f{fill:#3b6ea5}.d{fill:#e9b0b8}.n{fill:#c8553d}.e{fill:#b00020}.w{stroke:#9ab;stroke-width:1}.b{fill:#e4e8ee}"
    ".o{fill:#3b6ea5}.a{fill:#b00020}.l{fill:#98a2ad}.t{stroke:#b00020;stroke-width:1.5}.i{fill:#e0962f}"
)


def page(body: Sequence[str], height: float) -> str:
    """A whole picture."""
    inside = "\n".join(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}">\n'
        f"<style>{_STYLE}</style>\n<rect width='100%' height='100%' fill='#fff'/>\n{inside}\n</svg>\n"
    )


def short(name: str) -> str:
    """A name as it fits beside a row."""
    return name if len(name) <= NAME_MAX else f"{name[: NAME_MAX - 1]}…"


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' class='{kind}'>{html.escape(words)}</text>"


def box(x: float, y: float, width: float, height: float, kind: str, title: str) -> str:
    return (
        f"<rect x='{x:.2f}' y='{y:.1f}' width='{max(width, 0.6):.2f}' height='{height:.1f}' class='{kind}'>"
        f"<title>{html.escape(title)}</title></rect>"
    )


def axis(x: Callable[[int], float], begin: int, end: int, top: float, bottom: float) -> Iterator[str]:
    step = next(size for size in _steps() if (end - begin) / size <= 12)
    for at in range(-(-begin // step) * step, end, step):
        yield f"<line x1='{x(at):.1f}' x2='{x(at):.1f}' y1='{top}' y2='{bottom}' class='g'/>"
        yield text(x(at), top - 1, f"{at / 1e6:.10g} ms", "m", "middle")


def _steps() -> Iterator[int]:
    size = 1000
    while True:
        yield from (size, 2 * size, 5 * size)
        size *= 10
