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
from takt.hints.release import Releases, Section, moved
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
    """The result. `before`, `after`: contents of the files that change. `sections`: only if they were asked for."""

    points: list[Point]
    before: dict[Path, bytes]
    after: dict[Path, bytes]
    sections: Sequence[Section] = ()

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


def program_of(application: Application, texts: Mapping[Path, bytes]) -> Program:
    """The files, read; `texts` replaces some of them. UserError: a file does not compile."""
    defines = [f"-D{name}" for name in application.defines]
    units = []
    for path in application.sources:
        cxx = source_files.is_cxx(path)
        standard = application.cxx_standard if cxx else application.c_standard
        options = flags(application.folders, application.preset, standard, application.cxx_options if cxx else None)
        units.append(parse(path, [*options, *defines], texts))
    return _program(units, application.tasks or {})


def read(application: Application, texts: Mapping[Path, bytes]) -> list[Point]:
    """Every blocking point of the files; `texts` and UserError as above."""
    alone = frozenset(application.tasks or {}) - application.several
    return Decisions(program_of(application, texts), application.fifo, alone).all()


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


def apply(application: Application, early: bool = False) -> Found:
    """Decides on the hints, then reads the changed files again: the hints must be found, and no other change. `early`:
    before that it moves the unlocks that can be earlier."""
    includes.refuse(application.sources, application.folders)
    before = {path: files.read(path, files.TEXT_MAX, "a C file") for path in application.sources}
    texts, sections = _released(application, before) if early else (before, [])
    points = read(application, texts)
    while True:
        wanted = {point.path for point in _inserted(points)}
        written = {
            path: edited(text, _inserted(points, path)) if path in wanted else text for path, text in texts.items()
        }
        after = {path: text for path, text in written.items() if text != before[path]}
        refused = _refused(application, points, written) if wanted else set()
        if not refused:
            return Found(points, {path: before[path] for path in after}, after, sections)
        points = [_left(point) if point in refused else point for point in points]


def _released(application: Application, before: Mapping[Path, bytes]) -> tuple[dict[Path, bytes], list[Section]]:
    """The files with unlocks moved, each unless its unlocks are not found there again, with nothing left to move."""
    sections = Releases(program_of(application, before)).all()

    def of(path: Path, found: Sequence[Section]) -> list[Section]:
        return [section for section in found if section.path == path]

    texts = {path: moved(text, of(path, sections)) for path, text in before.items()}
    try:
        again = Releases(program_of(application, texts)).all()
    except UserError:
        again = []
    odd = {path for path in before if [one.before for one in of(path, again)] != [0] * len(of(path, sections))}
    kept = [replace(one, before=0, why=ODD) if one.before and one.path in odd else one for one in sections]
    return {path: before[path] if path in odd else text for path, text in texts.items()}, kept


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
