# SPDX-License-Identifier: Apache-2.0
"""Where each key of a TOML text stands: `tomllib` gives values, this gives their lines.

Works on text that `tomllib` has accepted, so it only has to find the ends of things, never to judge them.
"""

from __future__ import annotations

import bisect
import tomllib
from typing import Any

Path = tuple[str | int, ...]


def lines(text: str) -> dict[Path, int]:
    """Line (from 1) of every table header, key and array element, by path: ("task", 0, "period")."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.position = 0
        self.found: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}  # elements of each array of tables so far
        self.newlines = [index for index, character in enumerate(self.text) if character == "\n"]

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        self.skip()
        while self.position < len(self.text):
            if self.text[self.position] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.skip()
        return self.found

    def note(self, path: Path, position: int) -> None:
        self.found.setdefault(path, bisect.bisect_left(self.newlines, position) + 1)

    def skip(self, also: str = "") -> None:
        """White space, new lines, comments, and the characters of `also`."""
        while self.position < len(self.text) and (
            self.text[self.position] in " \t\r\n#" or self.text[self.position] in also
        ):
            if self.text[self.position] == "#":
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
            else:
                self.position += 1

    def header(self) -> Path:
        start = self.position
        many = self.text.startswith("[[", start)
        self.position += 2 if many else 1
        keys = self.keys("]")
        self.position += 2 if many else 1
        path: Path = ()
        for key in keys[:-1]:
            path = self.last((*path, key))
        path = (*path, keys[-1])
        if many:
            self.counts[path] = self.counts.get(path, 0) + 1
            path = self.last(path)
        self.note(path, start)
        return path

    def last(self, path: Path) -> Path:
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def keys(self, end: str) -> list[str]:
        """A dotted key up to `end`, which is not consumed."""
        start = self.position
        while self.text[self.position] != end:
            if self.text[self.position] in "\"'":
                self.string()
            else:
                self.position += 1
        value: Any = tomllib.loads(f"{self.text[start : self.position].strip()} = 0")
        keys: list[str] = []
        while isinstance(value, dict):
            key, value = next(iter(value.items()))
            keys.append(key)
        return keys

    def pair(self, table: Path) -> None:
        start = self.position
        path = table
        for key in self.keys("="):
            path = (*path, key)
            self.note(path, start)
        self.position += 1
        self.skip()
        self.value(path)

    def value(self, path: Path) -> None:
        character = self.text[self.position]
        if character in "\"'":
            self.string()
        elif character == "[":
            self.array(path)
        elif character == "{":
            self.inline(path)
        else:
            while self.position < len(self.text) and self.text[self.position] not in ",]}\n#":
                self.position += 1

    def array(self, path: Path) -> None:
        self.position += 1
        index = 0
        self.skip(",")
        while self.text[self.position] != "]":
            self.note((*path, index), self.position)
            self.value((*path, index))
            index += 1
            self.skip(",")
        self.position += 1

    def inline(self, path: Path) -> None:
        self.position += 1
        self.skip(",")
        while self.text[self.position] != "}":
            self.pair(path)
            self.skip(",")
        self.position += 1

    def string(self) -> None:
        """Past a string of any of the four kinds."""
        quote = self.text[self.position]
        triple = self.text.startswith(quote * 3, self.position)
        end = quote * 3 if triple else quote
        self.position += len(end)
        while not self.text.startswith(end, self.position):
            self.position += 2 if quote == '"' and self.text[self.position] == "\\" else 1
        self.position += len(end)
        while triple and self.text.startswith(quote, self.position):
            self.position += 1  # up to two quotes may stand before the closing three
