# SPDX-License-Identifier: Apache-2.0
"""The line of each key of a TOML text: `tomllib` gives values, this gives their lines, and refuses texts in advance
that `tomllib` would take long for.

`lines` works on text that `tomllib` has accepted, so it only finds where tokens end and does not validate them.
"""

from __future__ import annotations

import bisect
import re
import tomllib
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]

PARTS_MAX = 8  # of a dotted key: tomllib takes the square of them
DEPTH_MAX = 16  # arrays and inline tables within each other
ENTRIES_MAX = 30_000  # keys, tables and elements of arrays: half a second; each dot counts for those before it

# A string without an end extends to the end of the line or text: tomllib then reports it correctly.
_TRIPLE = r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}|\Z)|' + r"'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)"
_SINGLE = r'"(?:[^"\\\n]++|\\.)*+"?|' + r"'[^'\n]*+'?"
_STRING = re.compile(f"{_TRIPLE}|{_SINGLE}", re.DOTALL)
_TOKEN = re.compile(rf"{_TRIPLE}|{_SINGLE}|#[^\n]*+|[\[\]{{}}.,=\n]", re.DOTALL)
_SPACE = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_COMMAS = re.compile(r"(?:[ \t\r\n,]++|#[^\n]*+)*+")
_BARE = re.compile(r"[^,\]}\n#]*+")
_PLAIN_KEY = re.compile(r"[ \t]*+([A-Za-z0-9_-]++)[ \t]*+")


@dataclass(frozen=True)
class Excess:
    """A limit that a text exceeds, and the line where it does."""

    line: int
    problem: str
    hint: str


def excess(text: str) -> Excess | None:
    """The first that is beyond PARTS_MAX, DEPTH_MAX or ENTRIES_MAX, in time in proportion to the text."""
    parts = depth = entries = 0
    for token in _TOKEN.finditer(text):
        match token[0]:
            case ".":
                parts += 1
                entries += parts
                if parts >= PARTS_MAX:
                    return _excess(text, token, f"a key of more than {PARTS_MAX} parts", "a shorter one")
                continue
            case "[" | "{":
                depth, entries = depth + 1, entries + 1
            case "]" | "}":
                depth -= 1
            case "=" | ",":
                entries += 1
            case "\n":
                pass
            case _:  # a string, a comment
                continue
        parts = 0
        if depth > DEPTH_MAX:
            problem = f"arrays or tables are nested too deeply: {DEPTH_MAX} within each other are read"
            return _excess(text, token, problem, "fewer of them within each other")
        if entries > ENTRIES_MAX:
            problem = f"more than {ENTRIES_MAX} keys, tables and elements of arrays, the most that is read"
            return _excess(text, token, problem, "a part of them")
    return None


def _excess(text: str, token: re.Match[str], problem: str, hint: str) -> Excess:
    return Excess(text.count("\n", 0, token.start()) + 1, problem, hint)


def lines(text: str) -> dict[Path, int]:
    """Line (from 1) of every table header, key and array element, by path: ("task", 0, "period")."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.position = 0
        self.found: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}  # elements of each array of tables so far
        self.newlines = [found.start() for found in re.finditer("\n", self.text)]

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

    def skip(self, pattern: re.Pattern[str] = _SPACE) -> None:
        """White space, new lines, comments, and with _COMMAS commas."""
        found = pattern.match(self.text, self.position)
        assert found is not None
        self.position = found.end()

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
        plain = _PLAIN_KEY.match(self.text, start)
        if plain is not None and self.text.startswith(end, plain.end()):
            self.position = plain.end()
            return [plain[1]]
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
            found = _BARE.match(self.text, self.position)
            assert found is not None
            self.position = found.end()

    def array(self, path: Path) -> None:
        self.position += 1
        index = 0
        self.skip(_COMMAS)
        while self.text[self.position] != "]":
            self.note((*path, index), self.position)
            self.value((*path, index))
            index += 1
            self.skip(_COMMAS)
        self.position += 1

    def inline(self, path: Path) -> None:
        self.position += 1
        self.skip(_COMMAS)
        while self.text[self.position] != "}":
            self.pair(path)
            self.skip(_COMMAS)
        self.position += 1

    def string(self) -> None:
        """Past a string of any of the four kinds."""
        found = _STRING.match(self.text, self.position)
        assert found is not None
        self.position = found.end()
