# SPDX-License-Identifier: Apache-2.0
"""The files of an application, on which a build or a run of it depends, and whether one of them changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from takt.declare import declaration
from takt.declare.code import includes
from takt.declare.schema.model import System
from takt.image import build
from takt.image.application import archives
from takt.support.errors import UserError

FILES_MAX = 5000  # of a folder whose declaration is wrong
Signature = tuple[int, int, int] | None
"""Of a file: when it was written, its size and its inode, which an editor that writes by rename changes. None: there
is no such file."""


@dataclass(frozen=True)
class Files:
    """`of`: the files by path. `folders`: where they and new ones may be. `known`: whether the declaration says which
    they are; else all files below its folder count, as any may be what is missing."""

    of: dict[Path, Signature]
    folders: frozenset[Path]
    known: bool = True

    def changed(self, now: Files) -> list[Path]:
        """What is not as it was, in order. Where the declaration was wrong and is not now, it is what changed."""
        both = self.of.keys() & now.of.keys() if self.known != now.known else self.of.keys() | now.of.keys()
        return sorted(path for path in both if self.of.get(path) != now.of.get(path))


def find(declared: Path, protection: bool | None, before: Files | None = None) -> Files:
    """Those of the declaration at that path. `before`: found earlier, which count too while it is wrong."""
    folder = declared.resolve().parent
    try:
        system = declaration.load(declared, protection)
        paths = {declared, *_of(system)}
    except (UserError, OSError):
        earlier = set(before.of) if before is not None else set()
        paths = {declared, *earlier, *_below(folder)}
        folders = before.folders if before is not None else frozenset()
        return Files({path: _signature(path) for path in paths}, folders | {folder}, known=False)
    folders = frozenset({folder, *(path.resolve().parent for path in paths), *system.build.include})
    return Files({path: _signature(path) for path in paths}, folders)


def _of(system: System) -> Iterator[Path]:
    """What a declaration names: sources, the headers that they include, archives, the plant."""
    yield from system.sources
    yield from archives.paths(system)
    if system.plant_path is not None:
        yield system.plant_path
    folders = build.header_folders(system)
    try:
        yield from includes.refuse(system.sources, folders)
    except UserError:  # the build refuses it with a message; until then any header may be what is wrong
        for one in dict.fromkeys(folders):
            yield from _below(one)


def _below(folder: Path) -> Iterator[Path]:
    """Files in a folder and those in it, at most FILES_MAX; hidden ones aside."""
    count = 0
    for parent, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith("~"):
                count += 1
                yield Path(parent, name)
        if count > FILES_MAX:
            return


def _signature(path: Path) -> Signature:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
