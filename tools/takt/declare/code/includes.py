# SPDX-License-Identifier: Apache-2.0
"""Files that an application's sources include, read before a compiler does: it would wait for a FIFO, or for ever.

As far as their text says: a name that a macro makes is not seen, and one that is left out by `#if` is.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from takt.support import files
from takt.support.errors import UserError
from takt.support.names import shown

_INCLUDE = re.compile(
    rb'^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import)[ \t]*(?P<kind>["<])(?P<name>[^">\n]+)[">]'
    rb'|\.inc(?:lude|bin)[ \t]+\\*"(?P<raw>[^"\\\n]+)',
    re.MULTILINE,
)
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def refuse(sources: Iterable[Path], folders: Sequence[Path]) -> set[Path]:
    """The sources and what they include of `folders`. UserError: one cannot be read to its end, or is UTF-16."""
    todo = list(sources)
    known = set(todo)
    while todo:
        path = todo.pop()
        data = files.read(path, hint="a C file")
        if data.startswith(_WIDE):
            raise UserError(f"{files.shown_path(path)}: it is UTF-16, which no compiler reads", "save it as UTF-8")
        for line, found in named(path, data, folders):
            if not files.is_regular(found):
                problem = f'includes "{shown(found.name)}", which {files.fault_of(found)}'
                raise UserError(f"{files.shown_path(path)}:{line}: {problem}", "rename one of them")
            if found not in known:
                known.add(found)
                todo.append(found)
    return known


def named(path: Path, data: bytes, folders: Sequence[Path]) -> Iterator[tuple[int, Path]]:
    """What is included, and where; none of what is in none of the folders: the compiler has more of them."""
    for match in _INCLUDE.finditer(data):
        name = os.fsdecode(match["name"] or match["raw"])
        own = () if match["kind"] == b"<" else (path.parent, path.resolve().parent)
        for folder in dict.fromkeys((*own, *folders)):
            found = folder / name
            if os.path.lexists(found) and not found.is_dir():
                yield data.count(b"\n", 0, match.start()) + 1, found
                break
