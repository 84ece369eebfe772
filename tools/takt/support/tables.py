# SPDX-License-Identifier: Apache-2.0
"""Tables of figures: for a terminal, and for docs/performance.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | float | None


def cell(value: Cell) -> str:
    """Numbers with one decimal if they need one; nothing for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


def ratio(ours: float, theirs: float | None) -> str | None:
    """Ours by theirs, where there is a theirs."""
    return None if not theirs else f"{ours / theirs:.2f}"


@dataclass(frozen=True)
class Table:
    """`title` is a sentence without its full stop; the first columns, as many as `words` says, are not figures."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    words: int = 1

    def text(self) -> str:
        body = [[cell(value) for value in row] for row in self.rows]
        widths = [max(len(line[i]) for line in [list(self.heads), *body]) for i in range(len(self.heads))]
        lines = [
            "  ".join(text.ljust(width) if i < self.words else text.rjust(width) for i, (text, width) in pairs).rstrip()
            for pairs in (list(enumerate(zip(line, widths, strict=True))) for line in [list(self.heads), *body])
        ]
        return "\n".join([self.title, *lines])

    def markdown(self) -> str:
        rule = [*["---"] * self.words, *["---:"] * (len(self.heads) - self.words)]
        body = [[cell(value) for value in row] for row in self.rows]
        lines = ["| " + " | ".join(line) + " |" for line in [list(self.heads), rule, *body]]
        return "\n".join([f"{self.title}:", "", *lines])
