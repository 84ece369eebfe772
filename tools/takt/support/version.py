# SPDX-License-Identifier: Apache-2.0
"""The version of Takt: that of pyproject.toml, which images carry in a note (runner/version.S).

Standard library only: gdb's Python reads it, too.
"""

from __future__ import annotations

import struct
import tomllib
from functools import cache
from pathlib import Path

from takt.support import children, files
from takt.support.errors import UserError
from takt.support.provision import ROOT

NOTE = ".note.takt"
_NAME = b"Takt\0"
_NOTE_TYPE = 1
_WORD = struct.Struct("<III")


@cache
def version() -> str:
    """Of this package, as PEP 440 writes versions."""
    document = tomllib.loads(files.read_text(ROOT / "pyproject.toml"))
    return str(document["project"]["version"])


def revision() -> str | None:
    """The commit of a clone, with "-dirty" after it if files differ from it; None: not a clone, or no git."""
    if not (ROOT / ".git").exists():
        return None
    try:
        done = children.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*"])
    except OSError:
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def of_image(path: Path) -> str | None:
    """The version that an image was built with; None: it has no such note, or is no ELF file of ours."""
    data = files.read(path)
    try:
        note = files.elf_section(data, NOTE)
        if note is None:
            return None
        name_size, size, kind = _WORD.unpack_from(note)
        start = _WORD.size + (name_size + 3) // 4 * 4
        if (note[_WORD.size : _WORD.size + name_size], kind) != (_NAME, _NOTE_TYPE):
            return None
        words = note[start : start + size].rstrip(b"\0").decode("ascii").split(" ")
    except (struct.error, IndexError, UnicodeDecodeError):
        return None
    return words[1] if len(words) == 2 and words[0] == "takt" else None


def refuse_other(path: Path) -> None:
    """UserError: an image was built with another version of Takt."""
    found = of_image(path)
    if found != version():
        built = "without a version" if found is None else f"with Takt {found}"
        raise UserError(
            f"{files.shown_path(path)}: it was built {built}, but this is Takt {version()}",
            "build it again with takt build",
        )
