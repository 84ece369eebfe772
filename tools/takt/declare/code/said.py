# SPDX-License-Identifier: Apache-2.0
"""What the text of an application's files says, read before they are compiled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from takt.declare.code import flags, includes
from takt.declare.schema import boards
from takt.declare.schema.model import System
from takt.support import files
from takt.support.errors import UserError


def anywhere(system: System, pattern: re.Pattern[bytes]) -> bool:
    """Whether the pattern is in a source of a system, in what it includes, or in an archive."""
    own = [folder for process in system.processes for folder in process.include]
    folders = [system.path.resolve().parent, *system.build.include, *own]
    todo = [*system.sources, *_archives(system)]
    known = set(todo)
    while todo:
        path = todo.pop()
        try:
            data = files.read(path)
        except UserError:
            continue  # the build refuses it, and says why
        if pattern.search(data):
            return True
        found = {name for _, name in includes.named(path, data, folders)} - known
        known |= found
        todo += found
    return False


def _archives(system: System) -> Iterator[Path]:
    """Of every board: which one a build is for is not known yet."""
    for item in system.build.libraries:
        if isinstance(item, Path):
            yield from {Path(str(item).replace(flags.BOARD, name)) for name in boards.names()}
