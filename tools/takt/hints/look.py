# SPDX-License-Identifier: Apache-2.0
"""Reads an application's files, decides on each place, and makes the files as they are to be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from takt.hints.edit import Place, edited
from takt.hints.places import Places
from takt.hints.program import Program
from takt.hints.source import flags, parse
from takt.image import includes
from takt.support import files
from takt.support.errors import UserError

ODD = "the file with it does not mean the same"


@dataclass(frozen=True)
class Application:
    """What is read: C files, folders of headers, and entry functions by name: "job" or "once" (program.Function)."""

    sources: tuple[Path, ...]
    folders: tuple[Path, ...] = ()
    tasks: Mapping[str, str] | None = None
    preset: str = "standard"


@dataclass(frozen=True)
class Found:
    """`before`, `after`: the files that change."""

    places: list[Place]
    before: dict[Path, bytes]
    after: dict[Path, bytes]

    @property
    def wrong(self) -> int:
        return sum(place.outcome == "wrong" for place in self.places)

    def diff(self) -> bytes:
        """As `diff -u` writes it: the files' bytes as they are."""
        lines: list[str] = []
        for path, text in self.after.items():
            old, new = (_lines(content) for content in (self.before[path], text))
            lines += difflib.unified_diff(old, new, f"a/{_shown(path)}", f"b/{_shown(path)}")
        whole = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
        return whole.encode("utf-8", "surrogateescape")


def _lines(content: bytes) -> list[str]:
    """Each byte comes back of them; only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", content.decode("utf-8", "surrogateescape"))


def _shown(path: Path) -> str:
    from takt.support.files import shown_path

    return str(shown_path(path)).lstrip("/")


def read(application: Application, texts: Mapping[Path, bytes]) -> list[Place]:
    """Every place of the files; `texts` stand for some. UserError: a file does not compile."""
    arguments = flags(application.folders, application.preset)
    units = [parse(path, arguments, texts) for path in application.sources]
    return Places(Program(units, application.tasks or {})).all()


def look(application: Application) -> Found:
    """Decides, and makes sure: the files with the hints are read again, and say what was meant, and nothing else."""
    includes.refuse(application.sources, application.folders)
    before = {path: files.read(path, files.TEXT_MAX, "a C file") for path in application.sources}
    places = read(application, before)
    while True:
        wanted = {place.path for place in places if place.outcome == "insert"}
        after = {path: edited(before[path], _inserted(places, path)) for path in before if path in wanted}
        refused = _refused(application, places, {**before, **after}) if after else set()
        if not refused:
            return Found(places, {path: before[path] for path in after}, after)
        places = [_left(place) if place in refused else place for place in places]


def _inserted(places: Sequence[Place], path: Path | None = None) -> list[Place]:
    return [place for place in places if path in (None, place.path) and place.outcome == "insert"]


def _left(place: Place) -> Place:
    return replace(place, outcome="left", why=ODD, form=None, mutex="", at="")


def _refused(application: Application, places: Sequence[Place], texts: Mapping[Path, bytes]) -> set[Place]:
    """The hints that are not found again as they were meant; all of a file where they change what has none."""
    try:
        again = read(application, texts)
    except UserError:
        return set(_inserted(places))
    if len(again) != len(places):
        return set(_inserted(places))
    odd = [old for old, new in zip(places, again, strict=True) if _said(new) != _meant(old)]
    changed = {old.path for old in odd if old.outcome != "insert"}
    return {place for place in _inserted(places) if place in odd or place.path in changed}


def _said(place: Place) -> tuple[Path, str, str, bool]:
    """What does not depend on lines. A hint that is kept for no reason is what is expected."""
    return place.path, place.call, place.outcome, place.outcome == "kept" and place.why == ""


def _meant(place: Place) -> tuple[Path, str, str, bool]:
    return _said(replace(place, outcome="kept") if place.outcome == "insert" else place)
