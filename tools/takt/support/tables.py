# SPDX-License-Identifier: Apache-2.0
"""Tables of figures, for a terminal and for pages; and lines of Markdown, which have at most WIDTH columns, also where
figures were put into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


WIDTH = 120
_WHOLE = re.compile(r"\s*(\||#|<|```|!?\[[^\]]*\]\([^)]*\)$|@\w[^@]*@$|$)")  # no prose: tables, headings, pictures ...
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.) +")
_MARK = re.compile(r"([-*+]|\d+[.)]|#+|=+|>.*|\|.*)$")  # a word that says something else at the beginning of a line


def wrapped(text: str) -> str:
    """The same with each paragraph, or item of a list, filled from its first line on that is too long. Only white space
    changes; a word that is longer than a line stays whole."""
    lines, found, fenced = text.split("\n"), list[str](), False
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        fenced ^= line.lstrip().startswith("```")
        code = line.startswith("    ") and not (found and found[-1])
        if fenced or code or len(line) <= WIDTH or _WHOLE.match(line):
            found.append(line)
            continue
        words = line.split()
        while index < len(lines) and not _WHOLE.match(lines[index]) and not _ITEM.match(lines[index]):
            words += lines[index].split()
            index += 1
        begin = line[: len(line) - len(line.lstrip())]
        item = _ITEM.match(line)
        found += _filled(words, begin, " " * len(item[0] if item else begin))
    return "\n".join(found)


def _filled(words: Sequence[str], begin: str, indent: str) -> Iterator[str]:
    parts = [words[0]]
    for word in words[1:]:
        if _MARK.match(word) or (len(parts) == 1 and _MARK.match(parts[0])):
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    line = begin + parts[0]
    for part in parts[1:]:
        if len(line) + 1 + len(part) > WIDTH:
            yield line
            line = indent + part
        else:
            line += f" {part}"
    yield line
