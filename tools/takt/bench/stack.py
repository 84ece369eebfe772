# SPDX-License-Identifier: Apache-2.0
"""Stack that functions of an image need at most: bytes, the longest way through the call graph that gcc writes.

The image is compiled with FLAGS; next to each object stands what its functions call and how much stack each takes.
Whatever is assembly, or comes from the compiler's library, is read from the image's code. Calls through pointers have
to be declared, and recursion is refused, so that a figure is a bound.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from takt.errors import UserError

FLAGS = "-fcallgraph-info=su"

_NODE = re.compile(
    r'^node: \{ title: "([^"]+)" label: "[^"]*?\\n(\d+) bytes \((static|dynamic|dynamic,bounded)\)', re.M
)
_EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', re.M)
_INDIRECT = "__indirect_call"
_WORD = 4
_REGISTERS = re.compile(r"r(\d+)-r(\d+)")


def short(title: str) -> str:
    """Of a static function the file's name and its own, without what an optimization put behind it."""
    return re.sub(r"\.(?:constprop|isra|part|cold)(?:\.\d+)?", "", title.rpartition("/")[2])


@dataclass
class Graph:
    """Bytes of each function and what it calls, by title.

    `indirect`: by short name, what a pointer may point at. `twice`: short names of what may call itself, once.
    `not_below`: by short name, below what a function is never called although the graph says so.
    """

    frames: dict[str, int] = field(default_factory=dict)
    callees: dict[str, set[str]] = field(default_factory=dict)
    indirect: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    twice: tuple[str, ...] = ()
    not_below: Mapping[str, str] = field(default_factory=dict)

    def add(self, text: str) -> None:
        """What gcc wrote of one object."""
        for title, size, kind in _NODE.findall(text):
            if kind == "dynamic":
                raise UserError(f"{short(title)}: no bound for its stack")
            self.frames[title] = int(size)
        for caller, callee in _EDGE.findall(text):
            self.callees.setdefault(caller, set()).add(callee)

    def most(self, name: str) -> int:
        """Bytes of a function and all that it calls."""
        return self._most(name, ())

    def _most(self, title: str, above: tuple[str, ...]) -> int:
        if title in above and short(title) in self.twice:
            if above.count(title) == 2:
                return 0
        elif title in above:
            raise UserError(f"recursion: {' > '.join(map(short, (*above, title)))}")
        if title not in self.frames:
            raise UserError(f"{short(title)}: how much stack it takes is not known")
        way = (*above, title)
        below = (self._most(callee, way) for callee in self._called(title) if not self._never(callee, way))
        return self.frames[title] + max(below, default=0)

    def _never(self, callee: str, way: tuple[str, ...]) -> bool:
        return self.not_below.get(short(callee), "") in map(short, way)

    def _called(self, title: str) -> Iterable[str]:
        for callee in self.callees.get(title, ()):
            if callee != _INDIRECT:
                yield callee
            elif short(title) in self.indirect:
                yield from (self._title(name) for name in self.indirect[short(title)])
            else:
                raise UserError(f"{short(title)}: calls through a pointer, and what is not declared")

    def _title(self, name: str) -> str:
        return next((title for title in self.frames if short(title) == name), name)


def pushed(code: str) -> tuple[int, list[str]]:
    """Bytes that assembly puts on its stack, whatever way it goes, and what it calls: of its disassembly (Arm)."""
    size = 0
    for registers in re.findall(r"(?:push|stmdb\s+sp!,)\S*\s*\{([^}]*)\}", code):
        for name in registers.split(", "):
            span = _REGISTERS.fullmatch(name)
            size += _WORD * (int(span[2]) - int(span[1]) + 1 if span else 1)
    size += sum(int(bytes_) for bytes_ in re.findall(r"subs?(?:\.w)?\s+sp, (?:sp, )?#(\d+)", code))
    size += sum(int(bytes_) for bytes_ in re.findall(r"strd?(?:\.w)?\s+.*\[sp, #-(\d+)\]!", code))
    return size, re.findall(r"\bbl\S*\s+[0-9a-f]+ <(\w+)>", code)


def read(graph: Graph, image: Path, tools: str, assembly: Iterable[str]) -> Graph:
    """Adds an image compiled with FLAGS. `assembly`: functions that are, or whose object is not ours."""
    for path in sorted(image.parent.rglob("*.ci")):
        graph.add(path.read_text(encoding="utf-8"))

    @cache
    def put(name: str) -> None:
        command = [f"{tools}objdump", "-d", f"--disassemble={name}", str(image)]
        code = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        graph.frames[name], called = pushed(code)
        graph.callees[name] = set(called)
        for callee in called:
            put(callee)

    for name in assembly:
        put(name)
    return graph
