# SPDX-License-Identifier: Apache-2.0
"""Stack that functions of an image need at most: bytes, the longest way through the call graph that gcc writes.

The image is compiled with FLAGS; next to each object stands what its functions call and how much stack each takes.
Whatever is assembly, or comes from a library, is read from the image's code. Calls through pointers have to be
declared, and recursion is refused, so that a figure is a bound.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from takt.image.machine_code import POINTER, SAVE, TABLE, disassembly, pushed
from takt.support import files
from takt.support.errors import UserError

FLAGS = "-fcallgraph-info=su"

DEEP = 200
"""Functions of one way at most."""

_Known = dict[tuple[str, tuple[str, ...]], tuple[int, tuple[str, ...]]]

_NODE = re.compile(r'^node: \{ title: "([^"]+)" label: ".*?\\n(\d+) bytes \((static|dynamic|dynamic,bounded)\)', re.M)
_EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', re.M)
_INDIRECT = "__indirect_call"


@cache
def short(title: str) -> str:
    """Of a static function the file's name and its own, without what an optimization put behind it."""
    return re.sub(r"\.(?:constprop|isra|part|cold)(?:\.\d+)?", "", title.rpartition("/")[2])


@dataclass
class Graph:
    """Bytes of each function and what it calls, by title.

    `indirect`: by short name, what a pointer may point at. `twice`: short names of what may call itself, once.
    `not_below`: by short name, below which ones a function is never called although the graph says so.
    """

    frames: dict[str, int] = field(default_factory=dict)
    callees: dict[str, set[str]] = field(default_factory=dict)
    indirect: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    twice: tuple[str, ...] = ()
    not_below: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    """Why a function has no bound, by title."""
    named: set[str] = field(default_factory=set)
    """All symbols of the image."""
    compiled: set[str] = field(default_factory=set)
    """Titles of what the compiler wrote about; of all others the image's code says."""
    linked: set[str] = field(default_factory=set)
    """Names of what is in the image; the call graph knows of more."""

    def add(self, text: str) -> None:
        """What gcc wrote of one object. Names that a pragma gave have a star there."""
        text = text.replace('"*', '"')
        for title, size, kind in _NODE.findall(text):
            if kind == "dynamic":
                self.unknown[title] = "no bound for its stack: an array of variable length, or alloca"
            self.frames[title] = max(int(size), self.frames.get(title, 0))  # inline ones are in several objects
        for caller, callee in _EDGE.findall(text):
            self.callees.setdefault(caller, set()).add(callee)

    def points(self, name: str, declared: Container[str]) -> None:
        """The machine code of that function goes through pointers, which are known of `declared` ones."""
        if name in declared:
            self.callees[name].add(_INDIRECT)
        else:
            self.unknown[name] = "its machine code jumps or calls through a pointer"

    def most(self, name: str) -> int:
        """Bytes of a function and all that it calls."""
        return self.deepest(name)[0]

    def deepest(self, name: str) -> tuple[int, tuple[tuple[str, int], ...]]:
        """The same, and the way to where it is deepest: short names, each with its bytes."""
        size, way = self._deepest(name, (), {})
        return size, tuple((short(title), self.frames[title]) for title in way)

    def _deepest(self, title: str, above: tuple[str, ...], known: _Known) -> tuple[int, tuple[str, ...]]:
        """`known`: of functions looked at before. The depth below one depends on its callers only where `twice` or
        `not_below` name those: of each such set it is looked at once, however many ways lead to it."""
        if title in above and short(title) in self.twice:
            if above.count(title) == 2:
                return 0, ()
        elif title in above:
            raise UserError(f"recursion: {' > '.join(map(short, (*above[above.index(title) :], title)))}")
        if title in self.unknown:
            raise UserError(f"{short(title)}: {self.unknown[title]}")
        if title not in self.frames:
            raise UserError(f"{short(title)}: its use of stack is not known")
        if len(above) == DEEP:
            raise UserError(f"calls are nested deeper than {DEEP}")
        way = (*above, title)
        key = title, tuple(sorted(name for name in way if short(name) in self._telling))
        if key not in known:
            below = (
                self._deepest(callee, way, known) for callee in self._called(title) if not self._never(callee, way)
            )
            size, rest = max(below, default=(0, ()))
            known[key] = self.frames[title] + size, (title, *rest)
        return known[key]

    @cached_property
    def _telling(self) -> frozenset[str]:
        return frozenset((*self.twice, *(name for names in self.not_below.values() for name in names)))

    def _never(self, callee: str, way: tuple[str, ...]) -> bool:
        return not set(self.not_below.get(short(callee), ())).isdisjoint(map(short, way))

    def _called(self, title: str) -> Iterable[str]:
        for callee in sorted(self.callees.get(title, ())):
            if callee != _INDIRECT:
                if not self.named or callee in self.frames or callee in self.named:
                    yield callee  # the compiler may list a call that it did not make in the end
            elif short(title) in self.indirect:
                for name in self.indirect[short(title)]:
                    yield from [one for one in self.frames if short(one) == name] or [name]
            else:
                raise UserError(
                    f"{short(title)}: it calls through a pointer, and the functions that may be called are not declared"
                )


def written(folder: Path) -> list[Path]:
    """What the compiler wrote in a folder of a build, of the objects that it consists of now."""
    commands = (one["command"] for one in json.loads((folder / "compile_commands.json").read_bytes()))
    objects = (shlex.split(text.partition(" -o ")[2].rpartition(" -c ")[0]) for text in commands)
    found = [folder / Path(names[0]).with_suffix(".ci") for names in objects if names]
    return [path for path in found if path.exists()]  # not of assembler, nor of what nothing needs


def as_the_worst(graph: Graph, titles: set[str]) -> None:
    """Of an inline function of C++, which is in several objects: the linker takes one, and each counts as the worst."""
    most = max(graph.frames[title] for title in titles)
    callees = {callee for title in titles for callee in graph.callees.get(title, ())}
    for title in titles:
        graph.frames[title], graph.callees[title] = most, callees


def read(
    graph: Graph,
    image: Path,
    tools: str,
    assembly: Iterable[str],
    folders: Iterable[Path],
    pointed: Iterable[str] = (),
    declared: Container[str] = (),
) -> Graph:
    """Adds an image whose parts were compiled with FLAGS in `folders`. `assembly`: functions of which the compiler
    knows no stack, and which go where no pointer says. `pointed`: short names that pointers alone lead to.
    `declared`: functions of machine code whose pointers `indirect` says.

    What the compiler did not write about is read from the image, as far as it is there.
    """
    for path in (path for folder in folders for path in written(folder)):
        graph.add(files.read_text(path))

    graph.compiled = set(graph.frames)
    code = disassembly(image, tools)

    graph.named = code.names
    graph.linked = code.functions.keys() | code.aliases.keys()
    known = tuple(assembly)
    compiled: dict[str, set[str]] = {}  # titles with a file: also of functions that are declared weak
    for title in graph.frames:
        compiled.setdefault(title.rpartition(":")[2], set()).add(title)

    inline = {name for name in compiled if name.startswith("_Z") and name in code.weak}
    for name in inline:
        as_the_worst(graph, compiled[name])

    @cache
    def put(name: str) -> None:
        text = code.functions.get(name)
        if name in code.aliases:
            graph.frames[name], graph.callees[name] = 0, {code.aliases[name]}
        elif name in inline or (name in code.weak and len(compiled.get(name, ())) == 1):
            graph.frames[name], graph.callees[name] = 0, compiled[name]
        elif text is None:
            return
        else:
            graph.frames[name], called = pushed(text)
            saves = [int(found[1]) for found in map(SAVE.fullmatch, called) if found]
            graph.frames[name] += sum(16 * (last // 4 + 1) for last in saves)
            called = [callee for callee in called if not callee.startswith(("__riscv_save_", "__riscv_restore_"))]
            graph.callees[name] = {*called, *([code.after[name]] if name in code.after else [])}
            if name not in known and POINTER.search(TABLE.sub("", text)):
                graph.points(name, declared)
        for callee in graph.callees[name] - graph.frames.keys():
            put(callee)

    for name in known:
        put(name)
    called = {callee for callees in graph.callees.values() for callee in callees}
    called |= set(pointed) - {short(title) for title in graph.frames}
    for name in sorted(called - graph.frames.keys() - {_INDIRECT}):
        put(name)
    return graph
