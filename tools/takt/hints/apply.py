# SPDX-License-Identifier: Apache-2.0
"""Reads an application's files, decides on a hint for each blocking point, and makes the files with the hints."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from takt.declare.code import includes
from takt.declare.schema import source_files
from takt.hints.code.source import Unit, flags, parse
from takt.hints.decide import Decisions
from takt.hints.edit import Point, edited
from takt.hints.program import Program
from takt.support import files
from takt.support.errors import UserError

ODD = "the file with it does not mean the same"
_NAME = re.compile(r"\b[A-Za-z_]\w*")


@dataclass(frozen=True)
class Application:
    """The input: files, folders of headers, entry functions by name, "job" or "once" (program.Function), mutexes
    with waiters in FIFO order, macros, the standards of C and C++, with options of the latter, and entry functions of
    several tasks."""

    sources: tuple[Path, ...]
    folders: tuple[Path, ...] = ()
    tasks: Mapping[str, str] | None = None
    preset: str = "standard"
    fifo: frozenset[str] = frozenset()
    defines: tuple[str, ...] = ()
    c_standard: int = 11
    cxx_standard: int = 17
    cxx_options: tuple[str, ...] = ()
    several: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Found:
    """The result. `before`, `after`: contents of the files that change."""

    points: list[Point]
    before: dict[Path, bytes]
    after: dict[Path, bytes]

    @property
    def wrong(self) -> int:
        return sum(point.outcome == "wrong" for point in self.points)

    def diff(self) -> bytes:
        """A unified diff as `diff -u` writes it; bytes of the files that are not UTF-8 stay as they are."""
        lines: list[str] = []
        for path, text in self.after.items():
            old, new = (_lines(content) for content in (self.before[path], text))
            lines += difflib.unified_diff(old, new, f"a/{_shown(path)}", f"b/{_shown(path)}")
        whole = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
        return whole.encode("utf-8", "surrogateescape")


def _lines(content: bytes) -> list[str]:
    """The lines of a file, without loss: only a line feed ends a line, and bytes that are not UTF-8 are escaped."""
    return re.findall(r"[^\n]*\n|[^\n]+", content.decode("utf-8", "surrogateescape"))


def _shown(path: Path) -> str:
    from takt.support.files import shown_path

    return str(shown_path(path)).lstrip("/")


def read(application: Application, texts: Mapping[Path, bytes]) -> list[Point]:
    """Every blocking point of the files; `texts` replaces some of them. UserError: a file does not compile."""
    defines = [f"-D{name}" for name in application.defines]
    units = []
    for path in application.sources:
        cxx = source_files.is_cxx(path)
        standard = application.cxx_standard if cxx else application.c_standard
        options = flags(application.folders, application.preset, standard, application.cxx_options if cxx else None)
        units.append(parse(path, [*options, *defines], texts))
    tasks = application.tasks or {}
    return Decisions(_program(units, tasks), application.fifo, frozenset(tasks) - application.several).all()


def _program(units: Sequence[Unit], tasks: Mapping[str, str]) -> Program:
    """Of the files that can be read. Of one in C++ that waits where no call is written, only the names are known."""
    read, elsewhere = list(units), dict[str, frozenset[str]]()
    while True:
        program = Program(read, tasks, elsewhere)
        unseen = [unit for unit in read if program.waits_unseen(unit)]
        if not unseen:
            return program
        read = [unit for unit in read if unit not in unseen]
        elsewhere |= {unit.path.name: frozenset(_NAME.findall(unit.text.decode(errors="replace"))) for unit in unseen}


def apply(application: Application) -> Found:
    """Decides on the hints, then reads the changed files again: the hints must be found, and no other change."""
    includes.refuse(application.sources, application.folders)
    before = {path: files.read(path, files.TEXT_MAX, "a C file") for path in application.sources}
    points = read(application, before)
    while True:
        wanted = {point.path for point in points if point.outcome == "insert"}
        after = {path: edited(before[path], _inserted(points, path)) for path in before if path in wanted}
        refused = _refused(application, points, {**before, **after}) if after else set()
        if not refused:
            return Found(points, {path: before[path] for path in after}, after)
        points = [_left(point) if point in refused else point for point in points]


def _inserted(points: Sequence[Point], path: Path | None = None) -> list[Point]:
    return [point for point in points if path in (None, point.path) and point.outcome == "insert"]


def _left(point: Point) -> Point:
    return replace(point, outcome="left", why=ODD, form=None, mutex="", at="", of_set="")


def _refused(application: Application, points: Sequence[Point], texts: Mapping[Path, bytes]) -> set[Point]:
    """The hints that are not found again as intended; all hints of a file if another point of the file changes."""
    try:
        again = read(application, texts)
    except UserError:
        return set(_inserted(points))
    if len(again) != len(points):
        return set(_inserted(points))
    odd = [old for old, new in zip(points, again, strict=True) if _said(new) != _meant(old)]
    changed = {old.path for old in odd if old.outcome != "insert"}
    return {point for point in _inserted(points) if point in odd or point.path in changed}


def _said(point: Point) -> tuple[Path, str, str, bool]:
    """The part of a point that does not depend on lines. An inserted hint is read back as one that is kept."""
    return point.path, point.call, point.outcome, point.outcome == "kept" and point.why == ""


def _meant(point: Point) -> tuple[Path, str, str, bool]:
    return _said(replace(point, outcome="kept", why="") if point.outcome == "insert" else point)
