# SPDX-License-Identifier: Apache-2.0
"""Where the files lie that an image names: its debug information has /takt and /app in place of folders of this machine
(cmake/paths.cmake), so that the same image comes from every clone."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import gdb

from takt.support import files
from takt.support.errors import UserError

ROOT = Path(__file__).resolve().parents[3]


def follow() -> None:
    """Finds them now, and whenever a program is loaded; not when that loads its libraries, while it runs."""
    find()
    gdb.events.new_objfile.connect(_loaded)


def _loaded(event: gdb.NewObjFileEvent) -> None:
    if event.new_objfile.filename == gdb.current_progspace().filename:
        find()


def find() -> None:
    """gdb's substitutions for the program that it has loaded. The first rule that fits counts."""
    for begin in ("/takt/build/image", "/app", "/takt"):
        with suppress(gdb.error):  # there is none yet
            gdb.execute(f"unset substitute-path {begin}", to_string=True)
    program = gdb.current_progspace().filename
    if program:
        image = Path(program).resolve().parent
        _replace("/takt/build/image", image)
        for folder in _of_application(image / "takt-settings.json"):
            _replace("/app", folder)
    _replace("/takt", ROOT)


def _of_application(settings: Path) -> list[Path]:
    """Folders of the application's files; none: an image of another build."""
    try:
        listed = str(json.loads(files.read_text(settings)).get("TAKT_INCLUDE", ""))
    except (UserError, ValueError, AttributeError):
        return []
    return [Path(folder) for folder in listed.split(";") if folder and not Path(folder).is_relative_to(ROOT)]


def _replace(begin: str, folder: Path) -> None:
    quoted = str(folder).replace("\\", "\\\\").replace('"', '\\"')
    gdb.execute(f'set substitute-path {begin} "{quoted}"', to_string=True)
